#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# VMMs and guests that mean harm, without a VM: tests/devtest's suites hostile_*. The
# host is healthy after each test, and after the removal of the HCA.
. "$HYV_TREE/tests/lib/case.sh"

# rxe logs each request that it refuses; many of these tests expect that. The module
# names the vNIC that the removal of the HCA waits for; the OOM killer may end a
# test at its limit of memory.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$'
	'^hyv: vNIC [0-9]+ .* delays the removal of HCA '
	'^(devtest invoked oom-killer|Memory cgroup out of memory|Tasks in )'
	'^Memory cgroup (stats for|min protection) '
	# the stack of the process that meets the limit; a warning, whose stack looks
	# the same, has a first line that is not here
	'^(CPU: |Tainted: |Hardware name: |Call Trace:|RIP: 0033:|Code: |R[A-Z0-9]+: | )')
netdev=$(<"/sys/class/infiniband/$IBDEV/ports/1/gid_attrs/ndevs/0")

modprobe fuse 2>/dev/null || true
failed=()

# run SUITE: run a suite of devtest; to pass, its TAP must be complete, too, without
# skipped tests
run() {
	local log=$OUT/devtest.$1

	step "devtest $1"
	devtest "$1" >"$log" 2>&1 || failed+=("$1")
	grep -vE '^ok|^# (pd|status) ' "$log" || true
	tap_complete "$log" || failed+=("$1")
}

for suite in memory window files limits guest; do
	run hostile_$suite
done

export DEVTEST_UNPLUG="rdma link del $IBDEV"
export DEVTEST_PLUG="rdma link add $IBDEV type rxe netdev $netdev"
run hostile_unplug

step "the module can be removed"
# The last test does not wait for a process that shares the memory and the files of
# a killed one, and ends after it.
wait_for 60 grep -qx 0 /sys/module/hyv/refcnt
rmmod hyv
modprobe hyv
[ ${#failed[@]} = 0 ] || fail "devtest ${failed[*]}"
klog_check
