#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stock programs for everything but RC's sends, writes and reads: UC, UD,
# SRQs and atomics, between the guests.
. "$HYV_TREE/tests/lib/case.sh"

gid_index
for events in '' -e; do
	# shellcheck disable=SC2086 # none is no option
	{
		pingpong_of uc across "uc$events" 4096 100 -m 1024 $events
		pingpong_of ud across "ud$events" 512 100 $events
		pingpong_of srq across "srq$events" 4096 20 -m 1024 -q 4 $events
	}
done

for type in CMP_AND_SWAP FETCH_AND_ADD; do
	perftest across "atomic-lat-$type" ib_atomic_lat -A $type -n 100
	perftest across "atomic-bw-$type" ib_atomic_bw -A $type -n 100
done
for type in UC UD; do
	perftest_over $type across "send-lat-$type" ib_send_lat -s 64 -n 100
	perftest_over $type across "send-bw-$type" ib_send_bw -s 512 -n 50
done
perftest_over UC across send-lat-UC-events ib_send_lat -s 64 -n 50 -e
perftest_over UD across send-bw-UD-events ib_send_bw -s 512 -n 50 -e
perftest_over UC across write-lat-UC ib_write_lat -s 64 -n 100
perftest_over UC across write-bw-UC ib_write_bw -s 4096 -n 50
perftest across send-bw-srq ib_send_bw -s 4096 -n 50 -q 4 --use-srq
perftest across write-lat-all ib_write_lat -a -n 5
perftest across send-bw-all ib_send_bw -a -n 5
barrier end
klog_check
