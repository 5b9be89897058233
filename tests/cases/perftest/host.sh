#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the output of the guests' programs, and that the host keeps no objects.
. "$HYV_TREE/tests/lib/case.sh"

put host-kernel "$(uname -r)"
barrier end
cd "$LAB_CASE"
perftest_results guest*/*.client | tee "$OUT/figures"

step "a result for every size"
# 2 bytes to 8 MiB, UD to the MTU
for file in guest*/*.client; do
	case ${ALL_SIZES:-}$file in
	1*-ud-all.client) sizes=12 ;;
	1*-all.client) sizes=23 ;;
	*) sizes=1 ;;
	esac
	[ "$(grep -c "^$file: " "$OUT/figures")" = $sizes ]
done
# 14 runs of each kind, 16 more between the guests, 2 more in each of them
files=(guest1/*.client guest2/*.client)
[ ${#files[@]} = $((14 + 2 * 14 + 16 + 2 * 2)) ]

for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
