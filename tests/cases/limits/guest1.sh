#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The limits of the file options: programs get EDQUOT, and can go on.
. "$HYV_TREE/tests/lib/case.sh"

step "objects"
limit context 3 EDQUOT
limit pd 4 EDQUOT
limit cq 5 EDQUOT
limit qp 6 EDQUOT
limit mr 7 EDQUOT
limit queue 3 EDQUOT

# The limit is that of the file options less the doorbell area.
step "pinned memory"
limit memory 6M EDQUOT

step "stock programs fail cleanly"
gid_index
must_fail ibv_rc_pingpong -d "$IBDEV" -g "$GID_INDEX" -s 7000000 \
	>"$OUT/pingpong" 2>&1
cat "$OUT/pingpong"
grep -q "Couldn't register MR" "$OUT/pingpong"

step "transfers still work"
soak -n 50
klog_check
barrier end
