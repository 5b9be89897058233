#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guests' programs said, and that the host has nothing left of them.
. "$HYV_TREE/tests/lib/case.sh"

barrier end
perftest_results "$LAB_CASE"/guest*/*.client | tee "$OUT/figures"
# 15 measurements between the guests, 8 in each of them
[ "$(wc -l <"$OUT/figures")" = 31 ]
for n in 1 2; do
	wait_for 20 no_objects "$(lab-guest $n pid)"
done
klog_check
