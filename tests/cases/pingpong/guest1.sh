#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The stock ibv_rc_pingpong, polling and with completion events, with messages
# of 1 byte to 8 MiB whose arrival it checks; between the guests and in each.
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
barrier end
klog_check
