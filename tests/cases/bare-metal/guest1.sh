#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest with the addresses of its host's HCA, and a process on another host that
# knows nothing of guests: they tell each other GIDs and QPs over TCP. Both run
# this.
. "$HYV_TREE/tests/lib/case.sh"

put "at-$LAB_MACHINE" "$MY_IP"

# to_native NAME COMMAND..., from_native: the server is the process, or the guest.
to_native() {
	if [ "$LAB_MACHINE" = guest1 ]; then
		client "$1" "$(get at-host2)" "${@:2}"
	else
		server "$@"
	fi
}

from_native() {
	if [ "$LAB_MACHINE" = guest1 ]; then
		server "$@"
	else
		client "$1" "$(get at-guest1)" "${@:2}"
	fi
}

gids >"$OUT/gids"
gid_index
for how in to_native from_native; do
	pingpong $how "rc-$how" 65536 50
	pingpong $how "rc-events-$how" 4096 50 -e
	pingpong_of ud $how "ud-$how" 512 50
	for op in send write read; do
		perftest $how "$op-bw-$how" ib_${op}_bw -s 65536 -n 50
	done
	perftest $how "atomic-lat-$how" ib_atomic_lat -n 20
done
barrier end
klog_check
