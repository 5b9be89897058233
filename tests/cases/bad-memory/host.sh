#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory that processes share with the software HCA goes bad. The kernel reports a machine
# check and unmaps the page, also for itself. This ends what uses the page, and nothing else.
. "$HYV_TREE/tests/lib/case.sh"

grep -q AuthenticAMD /proc/cpuinfo || {
	echo "no processor of AMD, whose errors the lab knows to report"
	exit 77
}
KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)'
	'^mce: ' '^\[Hardware Error\]' '^Memory failure: ' '^MCE: ')

# go_bad WHAT: a page of a process goes bad; set STATUS to that of the process
go_bad() {
	local go=$OUT/$1.go address

	step "$1"
	poison "$1" "$go" >"$OUT/$1" 2>&1 &
	wait_for 60 grep -q ^0x "$OUT/$1"
	address=$(head -n 1 "$OUT/$1")
	lab-poison "$address"
	: >"$go"
	STATUS=0
	wait %% || STATUS=$?
	cat "$OUT/$1"
	# the device works for others
	rc_works
}

# rc_works: status 0 if a pair of QPs exchanges messages
rc_works() {
	timeout $((60 * LAB_TIMEOUT_SCALE)) soak -n 5 >/dev/null
}

gid_index
go_bad message
[ "$STATUS" = 0 ]
[ "$(grep -c '^[0-9]* bytes: ' "$OUT/message")" = 5 ]
must_fail grep ': success' "$OUT/message"
for what in sq cq record; do
	go_bad $what
	# 7 is SIGBUS
	[ "$STATUS" = 0 ] || [ "$STATUS" = $((128 + 7)) ]
done
wait_for 60 no_objects
klog_check
