#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# /dev/hyv on hyvs0 without a VM, while the guests boot their programs; then check the
# output of these, and that the host keeps no objects.
. "$HYV_TREE/tests/lib/case.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')
hyv hcas | tee "$OUT/hcas"
grep -E "$IBDEV.* usable" "$OUT/hcas"

barrier end
cd "$LAB_CASE"
# 8 pairs of programs between the guests, and 7 more; 7 in each of them
[ "$(pingpong_results guest*/*.{server,client})" = $((2 * (8 + 7 + 2 * 7))) ]
perftest_results guest*/*.client | tee "$OUT/figures"
# 18 runs between the guests, 8 in each of them, one size each
[ "$(wc -l <"$OUT/figures")" = $((18 + 2 * 8)) ]
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done

step "without a VM"
status=0
devtest mlx5 xrc >"$OUT/devtest" 2>&1 || status=$?
grep '^[^o]' "$OUT/devtest" || true
tap_complete "$OUT/devtest"
[ $status = 0 ]
klog_check
