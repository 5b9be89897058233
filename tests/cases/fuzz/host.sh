#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzz /dev/hyv: threads that race on several vNICs, and malformed requests one by
# one, with the seed and the seconds of the file options. The corpus is in
# tests/fuzz/corpus; new recipes are left in vmm-new.
. "$HYV_TREE/tests/lib/case.sh"

KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$')

failed=()

# run FUZZER SECONDS
run() {
	local log=$OUT/$1

	step "devtest $1 $LAB_FUZZ_SEED $2"
	devtest "$1" "$LAB_FUZZ_SEED" "$2" >"$log" 2>&1 || failed+=("$1")
	grep -v '^ok' "$log" || true
	tap_passed "$log" || failed+=("$1")
}

mountpoint -q /sys/kernel/debug ||
	mount -t debugfs none /sys/kernel/debug 2>/dev/null || true
export FUZZ_CORPUS=$HYV_TREE/tests/fuzz/corpus/vmm FUZZ_KEEP=$OUT/vmm-new
run vmmfuzz "$LAB_FUZZ_SECONDS"
run fuzz $((LAB_FUZZ_SECONDS / 4 + 5))

step "the module can be removed"
rmmod hyv
modprobe hyv
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
