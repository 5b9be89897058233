#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The unit tests in a kernel for real machines, which is a debug kernel.
. "$HYV_TREE/tests/lib/case.sh"

[ -e "$HYV_MODULES/hyv_kunit.ko" ] || {
	echo "this kernel has no KUnit"
	exit 77
}
# in emulation and with checkers, they are
KLOG_HARMLESS+=('Test should be marked slow')
suites=$(find "$HYV_TREE/tests/kunit" -name '*_kunit.c' | wc -l)

step "$suites suites"
# they run while the module loads
insmod "$HYV_MODULES/hyv_kunit.ko"
cat /sys/kernel/debug/kunit/{gsi,hyv,hyvh,hyvs,vhyv}_*/results >"$OUT/results"
grep -E '^ok |not ok ' "$OUT/results"
must_fail grep -qE 'not ok |# SKIP' "$OUT/results"
[ "$(grep -cE '^ok 1 (gsi|hyv[hs]?|vhyv)_' "$OUT/results")" = "$suites" ]
# a suite with no tests reports success, too
[ "$(grep -cE '^ {4}ok ' "$OUT/results")" -gt "$suites" ]
rmmod hyv_kunit
klog_check
