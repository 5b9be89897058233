#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the output of the guests' programs, and that the host keeps no objects.
. "$HYV_TREE/tests/lib/case.sh"

barrier end
# 3 pairs of programs between the guests, 1 in each of them
[ "$(pingpong_results "$LAB_CASE"/guest*/pp-*.{server,client})" = 10 ]
[ "$(perftest_results "$LAB_CASE"/guest1/{send,write,read}-*.client |
	tee "$OUT/figures" | wc -l)" = 3 ]
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
