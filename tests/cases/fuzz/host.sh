#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzz /dev/hyv: threads that race on several vNICs, and malformed requests one by
# one, with the seed and the seconds of the file options. The corpus is in
# tests/fuzz/corpus. On a kernel with KCOV, coverage guides the first: new recipes
# are left in vmm-new, what was reached in vmm-reached, for tests/fuzz/coverage.
. "$HYV_TREE/tests/lib/case.sh"

KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$')

failed=()

# run FUZZER SECONDS
run() {
	local log=$OUT/$1

	step "devtest $1 $LAB_FUZZ_SEED $2"
	devtest "$1" "$LAB_FUZZ_SEED" "$2" >"$log" 2>&1 || failed+=("$1")
	grep -e '^[^o]' -e '# SKIP' "$log" || true
	tap_passed "$log" || failed+=("$1")
}

mountpoint -q /sys/kernel/debug ||
	mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
export FUZZ_CORPUS=$HYV_TREE/tests/fuzz/corpus/vmm
if [ -e /sys/kernel/debug/kcov ]; then
	step "the build of hyv.ko that records coverage"
	rmmod hyv
	insmod "$HYV_MODULES/hyv_test.ko" allow_trusted_only_hca=1
	export FUZZ_KEEP=$OUT/vmm-new FUZZ_COVERAGE=$OUT/vmm-reached
fi
run vmmfuzz "$LAB_FUZZ_SECONDS"
run fuzz $((LAB_FUZZ_SECONDS / 4 + 10))

step "the module can be removed"
rmmod hyv
modprobe hyv
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
