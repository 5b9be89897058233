#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# /dev/hyv without a VM: tests/devtest for every ioctl, every command and the data
# path, and the removal of the HCA. Malformed requests are in the case fuzz.
. "$HYV_TREE/tests/lib/case.sh"

# rxe logs each request that it refuses; many of these tests expect that.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$'
	# mcast removes the netdev below the device that it made
	'^infiniband dtmcast: ib_query_port failed '
	# faults of failnth
	'^socket: no more sockets$'
	'^warn_alloc: [0-9]+ callbacks suppressed$')
# rxe's queues are made by vmalloc().
KLOG_FAULTS=1
netdev=$(<"/sys/class/infiniband/$IBDEV/ports/1/gid_attrs/ndevs/0")

failed=()

# run ARGUMENT...: run devtest; to pass, its TAP must be complete, too
run() {
	local log=$OUT/devtest.$1

	step "devtest $*"
	devtest "$@" >"$log" 2>&1 || failed+=("$*")
	grep -e '^[^o]' -e '# SKIP' "$log" || true
	tap_passed "$log" || failed+=("$*")
}

run ioctl setup wire features query objects verbs limits isolation gids
run chunks memory pins window mapping
run data traffic events async mcast
run show reset close kill orphan
# skips itself on kernels without fault injection, as stock ones are
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
run failnth

step "the module can be removed"
rmmod hyv
modprobe hyv

export DEVTEST_UNPLUG="rdma link del $IBDEV"
export DEVTEST_PLUG="rdma link add $IBDEV type rxe netdev $netdev"
run replug
run unplug
$DEVTEST_PLUG

step "queries work on the HCA that has returned"
run query
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
