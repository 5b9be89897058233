#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check what the guests' programs have printed, and that the host keeps no objects.
. "$HYV_TREE/tests/lib/case.sh"

# results FILE...: how many of these have a result
results() {
	grep -lE '^ *Final: +50 ' "$@" | wc -l
}

barrier end
# 12 runs between the guests, 1 in each of them, of 2 transports
[ "$(results "$LAB_CASE"/guest*/*.client)" = $((2 * (12 + 2))) ]
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
