#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: victim.sh kill ROUNDS | unload ROUNDS | transfer | register SIZE | check
#
# The part of guest 1, see host.sh.
. "$HYV_TREE/tests/lib/case.sh"

# nap: sleep for less than half a second.
nap() {
	sleep 0.$((RANDOM % 5))$((RANDOM % 10))
}

# load: programs that transfer and register forever, in LOAD. Their output is
# in $OUT/load.
load() {
	: >"$OUT/load"
	soak -t 2 -s 100K &
	LOAD=($!)
	soak -e -s 4096 &
	LOAD+=($!)
	regloop 8M &
	LOAD+=($!)
} >>"$OUT/load" 2>&1

# busy: status 0 when all of that has begun.
busy() {
	local line count=0

	while read -r line; do
		[ "$line" != transferring ] && [ "$line" != ready ] ||
			count=$((count + 1))
	done <"$OUT/load"
	[ $count = 4 ]
}

OUT=/run/victim
IBDEV=hyv0
mkdir -p "$OUT"
case $1 in
kill)
	for ((i = 0; i < $2; i++)); do
		load
		# once in a while before they have come to anything
		[ $((i % 4)) = 0 ] || wait_for 60 busy
		nap
		kill -KILL "${LOAD[@]}"
		wait "${LOAD[@]}" || true
	done
	;;
unload)
	for ((i = 0; i < $2; i++)); do
		load
		wait_for 60 busy
		nap
		modprobe -r virtio_hyv
		must_fail eval 'ibv_devices | grep -w hyv0'
		kill -KILL "${LOAD[@]}" 2>/dev/null || true
		wait "${LOAD[@]}" || true
		modprobe virtio_hyv
		wait_for 10 eval 'ibv_devices | grep -w hyv0'
		soak -n 5
	done
	;;
transfer)
	load
	wait_for 60 busy
	;;
register)
	regloop "$2" >"$OUT/register" &
	LOAD=($!)
	wait_for 120 grep -q ready "$OUT/register"
	;;
check)
	soak -n 20
	;;
esac
# those of transfer and register stay
disown -a
klog_check
