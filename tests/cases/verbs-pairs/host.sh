#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guests' programs said, and that the host has nothing left of them.
. "$HYV_TREE/tests/lib/case.sh"

barrier end
cd "$LAB_CASE"
grep usec/iter guest1/*.client
# 6 pairs of programs
[ "$(pingpong_results guest*/{uc,ud,srq}*.{server,client})" = 12 ]
perftest_results guest1/{atomic,send,write}-*.client | tee "$OUT/figures"
[ "$(wc -l <"$OUT/figures")" = 15 ]
for n in 1 2; do
	pid=$(lab-guest $n pid)
	wait_for 20 no_objects "$pid"
	wait_for 20 has srq "$pid" 0
done
klog_check
