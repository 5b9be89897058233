#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stock perftest programs over RC: between the guests and in each, with one
# queue pair and with 16, polling and with events.
. "$HYV_TREE/tests/lib/case.sh"

gid_index

for op in send write read; do
	perftest across "$op-lat" ib_${op}_lat -s 64 -n 200
	perftest across "$op-bw" ib_${op}_bw -s 65536 -n 100
	perftest across "$op-bw-16" ib_${op}_bw -s 4096 -n 50 -q 16
	perftest within "$op-lat-within" ib_${op}_lat -s 64 -n 20
	perftest within "$op-bw-16-within" ib_${op}_bw -s 4096 -n 20 -q 16
done
# The programs that write have no events to wait for.
for op in send read; do
	perftest across "$op-lat-events" ib_${op}_lat -s 64 -n 100 -e
	perftest across "$op-bw-events" ib_${op}_bw -s 65536 -n 100 -e
	perftest across "$op-bw-16-events" ib_${op}_bw -s 4096 -n 50 -q 16 -e
	perftest within "$op-lat-within-events" ib_${op}_lat -s 64 -n 100 -e
done
barrier end
klog_check
