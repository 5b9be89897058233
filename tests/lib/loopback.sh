# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For cases that run looptest (tests/loopback): the modules for tests instead of
# those of the product, with a mock HCA. The host's scripts source case.sh before.

# These tests make devices fail, and return rings and replies that are invalid.
KLOG_HARMLESS+=('^virtio_hyv ' '^virtio_hyv: probe of virtio[0-9]+ failed with error '
	'^hyv: .*(mock0|mock vNIC)'
	'add_roce_gid GID add failed' 'ib_cache_gid_add: unable to add gid')
export IBDEV=mock0 LOOP_NETDEV=hyvloop
export DEVTEST_UNPLUG="rdma link del $IBDEV"
export DEVTEST_PLUG="rdma link add $IBDEV type hyv_mock netdev mock"
counters=/sys/kernel/debug/hyv_mock/counters
failed=()

# run ARGUMENT...: run looptest; to pass, its TAP must be complete, too
run() {
	local log=$OUT/looptest.$1

	step "looptest $*"
	looptest "$@" >"$log" 2>&1 || failed+=("$*")
	grep -v '^ok' "$log" || true
	tap_passed "$log" || failed+=("$*")
}

loop_begin() {
	local link module

	mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
	ip link add mock type veth peer name mock-port
	ip link set mock-port up
	ip link set mock up
	ip addr add 10.88.0.1/24 dev mock
	rmmod hyv
	for link in /sys/class/infiniband/rxe*; do
		[ ! -e "$link" ] || rdma link del "${link##*/}"
	done
	# it has the guest's UDP port until it is unloaded
	rmmod rdma_rxe
	modprobe -a udp_tunnel ip6_udp_tunnel
	for module in hyv_mock hyv_test virtio_hyv_test hyv_loopback; do
		insmod "$HYV_MODULES/$module.ko"
	done
	ip addr add 10.99.0.1/24 dev $LOOP_NETDEV
	ip link set $LOOP_NETDEV up
	$DEVTEST_PLUG
}

# loop_end: nothing is left, and all of looptest has passed
loop_end() {
	step "nothing is left"
	rmmod hyv_loopback virtio_hyv hyv
	must_fail grep -E '^(held\.|refused\.|late|violations).* [^0]' $counters
	$DEVTEST_UNPLUG
	rmmod hyv_mock
	[ ${#failed[@]} = 0 ] || fail "looptest ${failed[*]}"
	klog_check
}
