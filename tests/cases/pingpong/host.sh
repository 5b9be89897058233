#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the output of the guests' programs, and that the host keeps no objects.
. "$HYV_TREE/tests/lib/case.sh"

barrier end
cd "$LAB_CASE"
grep usec/iter guest*/*.client
# 16 pairs of programs between the guests, 10 in each of them
[ "$(pingpong_results guest*/*.{server,client})" = 72 ]
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
