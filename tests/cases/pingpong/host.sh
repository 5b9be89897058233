#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guests' programs said, and that the host has nothing left of them.
. "$HYV_TREE/tests/lib/case.sh"

barrier end
cd "$LAB_CASE"
grep usec/iter guest*/*.client
# it says that data is wrong, but ends with success
must_fail grep -i invalid guest*/*.server guest*/*.client
# 10 pairs of programs between the guests, 4 in each of them
[ "$(grep -lE '^[0-9]+ iters in .* usec/iter' guest*/*.{server,client} | wc -l)" = 36 ]
for n in 1 2; do
	wait_for 20 no_objects "$(lab-guest $n pid)"
done
klog_check
