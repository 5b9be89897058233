#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stock pingpong programs, polling and with completion events, with messages
# whose arrival they check; between the guests and in each. RC has messages of
# 1 byte to 8 MiB. Not ibv_xsrq_pingpong: rxe has no XRC.
. "$HYV_TREE/tests/lib/case.sh"

gid_index

for size in 1 64 4096 65536 8388608; do
	iterations=$((size < 100000 ? 200 : 4))
	pingpong across "across-$size" $size $iterations
	pingpong across "across-$size-events" $size $iterations -e
done
for size in 1 100000; do
	pingpong within "within-$size" $size 20
	pingpong within "within-$size-events" $size 100 -e
done
for how in across within; do
	for events in '' -e; do
		# shellcheck disable=SC2086 # none is no option
		{
			pingpong_of uc $how "uc$events-$how" 4096 100 -m 1024 $events
			pingpong_of ud $how "ud$events-$how" 512 100 $events
			pingpong_of srq $how "srq$events-$how" 4096 20 -m 1024 -q 4 $events
		}
	done
done
barrier end
klog_check
