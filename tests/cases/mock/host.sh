#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# /dev/hyv on a mock HCA (tests/mock), whose driver fails, is slow, calls back late,
# leaves while it is in use, and refuses to destroy objects. Refused objects and
# the modules that they need stay, so these machines are for this case only.
. "$HYV_TREE/tests/lib/case.sh"

# The log names some of the objects that are left behind.
KLOG_HARMLESS+=('^hyv: .*(mock0|mock vNIC)'
	# seeded faults
	'^hyv: this kernel is not supported: ' '^hyv: .*rdma_restrack_nev'
	'^hyvh_[a-z_]+: [0-9]+ callbacks suppressed$')
export IBDEV=mock0
export DEVTEST_UNPLUG="rdma link del $IBDEV"
export DEVTEST_PLUG="rdma link add $IBDEV type hyv_mock netdev mock"
counters=/sys/kernel/debug/hyv_mock/counters
failed=()

# run ARGUMENT...: run devtest; to pass, its TAP must be complete, too
run() {
	local log=$OUT/devtest.$1

	step "devtest $*"
	devtest "$@" >"$log" 2>&1 || failed+=("$*")
	grep -e '^[^o]' -e '# SKIP' "$log" || true
	tap_passed "$log" || failed+=("$*")
}

load() {
	insmod "$HYV_MODULES/hyv_mock.ko"
	$DEVTEST_PLUG
}

# no_leak: the mock holds nothing, and knows no other damage
no_leak() {
	cp $counters "$OUT/counters"
	must_fail grep -E '^(held\.|refused\.|late|violations).* [^0]' "$OUT/counters"
}

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
ip link add mock type veth peer name mock-port
ip link set mock-port up
ip link set mock up
ip addr add 10.88.0.1/24 dev mock
load

step "the product does not know the mock"
run nomock

step "a kernel with other structures, prototypes or symbols is refused"
rmmod hyv
if [ -e /sys/kernel/btf/vmlinux ]; then
	faults=(rdma_umap_priv ib_ucq_object ib_create_qp_user)
else
	# All kernels of Debian describe their types, the lab's debug kernels do not.
	[[ $(uname -r) == *-@(debug|race)* ]] || fail "the kernel has no BTF"
	echo "structures and prototypes: skipped, a debug kernel has no BTF"
	faults=()
fi
for fault in "${faults[@]}"; do
	must_fail insmod "$HYV_MODULES/hyv_test.ko" contract_fault="$fault"
	lab-klog | grep "hyv: this kernel is not supported: .*$fault"
done
if [ ${#faults[@]} -gt 0 ]; then
	must_fail insmod "$HYV_MODULES/hyv_test.ko" contract_missing=rdma_umap_priv
	lab-klog | grep 'hyv: this kernel is not supported: it has no struct rdma_umap_priv'
	must_fail eval "lab-klog | grep 'hyv: no type information'"
fi
LC_ALL=C sed 's/rdma_restrack_new/rdma_restrack_nev/g' "$HYV_MODULES/hyv.ko" \
	>"$OUT/hyv.ko"
must_fail insmod "$OUT/hyv.ko"
lab-klog | grep 'hyv: Unknown symbol rdma_restrack_nev'
rm "$OUT/hyv.ko"

step "a build for tests lends it, and needs no permission for that"
insmod "$HYV_MODULES/hyv_test.ko"
run mock
run mocklate
run wire objects
run fuzz 1 10
FUZZ_CORPUS=$HYV_TREE/tests/fuzz/corpus/vmm FUZZ_COVERAGE=$OUT/vmm-reached \
	run vmmfuzz 1 20
run mockslow
run mockpins
run mockreplug
# skips itself on kernels without fault injection, as stock ones are
run failnth

step "nothing is left"
no_leak
rmmod hyv
$DEVTEST_UNPLUG
no_leak
rmmod hyv_mock

step "refusals"
load
insmod "$HYV_MODULES/hyv_test.ko"
run mockcreate
run mockrefuse
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
