#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Use the vNIC while the host watches: idle, with one idle program, with traffic
# and completion events, and idle again.
. "$HYV_TREE/tests/lib/case.sh"

barrier idle
barrier idle-seen

gid_index
ibv_rc_pingpong -d "$IBDEV" -g "$GID_INDEX" >"$OUT/waits" 2>&1 &
server=$!
barrier program
barrier program-seen
kill $server
wait $server || true

soak -e &
traffic=$!
barrier traffic
barrier traffic-seen
kill $traffic
wait $traffic
barrier end
klog_check
