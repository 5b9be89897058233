#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Many processes and threads use the device at once, fork, and exit in any order.
. "$HYV_TREE/tests/lib/case.sh"

step "processes and threads, polling and with events, at the same time"
soak -p 3 -t 3 -s 20000 -n 30 >"$OUT/poll" &
poll=$!
soak -e -p 3 -t 3 -s 20000 -n 30 >"$OUT/events" &
events=$!
wait $poll
wait $events
cat "$OUT/poll" "$OUT/events"
[ "$(grep -c '^90 transfers' "$OUT/poll" "$OUT/events" | cut -d : -f 2 |
	tr -d '\n')" = 33 ]

step "several programs at once"
gid_index
for i in 1 2 3 4; do
	PAIR_PORT=$((18600 + i)) within "pingpong-$i" ibv_rc_pingpong \
		-d "$IBDEV" -g "$GID_INDEX" -c -e -s 10000 -n 50 &
done
for job in $(jobs -p); do
	wait "$job"
done

step "fork"
forks 24

step "between the guests, at the same time in both directions"
barrier forked
across exchange exchange 1,4095,4K,100000,3M &
exchange=$!
soak -n 100
wait $exchange
cat "$OUT"/exchange.*
barrier end
klog_check
