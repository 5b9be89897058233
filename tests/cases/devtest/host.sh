#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# /dev/hyv without a virtual machine: tests/devtest over every ioctl, every
# command and the data path, random requests, and the HCA's departure.
. "$HYV_TREE/tests/lib/case.sh"

# rxe tells of each request that it refuses, and these tests want refusals.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$')
netdev=$(<"/sys/class/infiniband/$IBDEV/ports/1/gid_attrs/ndevs/0")

failed=()

# run WHAT...: it has passed when it says so at its end
run() {
	step "devtest $*"
	devtest "$@" >"$OUT/devtest.$1" 2>&1 || true
	grep -v '^ok' "$OUT/devtest.$1" || true
	tail -n 1 "$OUT/devtest.$1" | grep -qE '^[1-9][0-9]* passed, 0 failed$' ||
		failed+=("$*")
}

run ioctl wire query objects verbs limits gids chunks memory window
run data traffic events async
run show reset close kill
run fuzz 1 20

step "nothing is left that would hold the module"
rmmod hyv
modprobe hyv

export DEVTEST_UNPLUG="rdma link del $IBDEV"
export DEVTEST_PLUG="rdma link add $IBDEV type rxe netdev $netdev"
run replug
run unplug
$DEVTEST_PLUG

step "all is well with the HCA that has come back"
run query
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
