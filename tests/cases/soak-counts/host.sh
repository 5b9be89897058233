#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/soak/counts finds what a host and a guest lose.
. "$HYV_TREE/tests/lib/case.sh"

status=0
"$HYV_TREE/tests/soak/selftest" "$OUT" >"$OUT/tap" || status=$?
grep -v '^ok' "$OUT/tap" || true
[ $status = 0 ]
tap_passed "$OUT/tap"
barrier end
klog_check
