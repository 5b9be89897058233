#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 is killed, reset and removed in every way: the host keeps none of its
# objects or memory, and guest 2, which transfers all the time, is not affected.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"

restart() {
	lab-guest 1 start
	lab-guest 1 wait-up
	victim check
}

# no_device: status 0 if guest 1 has no RDMA device, which ibv_devinfo there has said.
no_device() {
	local output

	! output=$(lab-guest 1 exec ibv_devinfo) || return 1
	[[ $output == *"No IB devices found"* ]]
}

driver=rdma_rxe
[ "$LAB_HCA" = rxe ] || driver=hyvs
get soaking
pid2=$(lab-guest 2 pid)
wait_for 60 has qp "$pid2" 2

step "processes killed while they transfer and register"
victim kill 12
nothing_left
victim check

step "driver unloaded under load, and loaded again"
victim unload 2
nothing_left

step "reset under load"
victim transfer
lab-guest 1 reset
lab-guest 1 wait-up
nothing_left
victim check

step "powered off under load"
victim transfer
pid=$(lab-guest 1 pid)
lab-guest 1 stop
gone "$pid"
warnings 1

step "QEMU killed while it registers memory"
slab=$(memory_slab)
free=$(memory_free)
restart
victim register 64M
sleep 0.$((RANDOM % 10))
pid=$(lab-guest 1 pid)
lab-guest 1 kill
gone "$pid"
warnings 1

step "QEMU killed during transfers"
restart
victim transfer
pid=$(lab-guest 1 pid)
lab-guest 1 kill
gone "$pid"
warnings 1

step "no memory is lost"
echo "kilobytes: free $free, now $(memory_free)"
echo "kilobytes: slab $slab, now $(memory_slab)"
# 2 machines came and went, one had 64 MiB registered
[ "$(memory_free)" -gt $((free - 60000)) ]
[ "$(memory_slab)" -lt $((slab + 30000)) ]

step "the HCA is removed while guest 2 uses it"
has qp "$pid2" 2
put stop yes
get stopped
restart
victim transfer
rdma link delete "$IBDEV"
wait_for 60 no_device
hyv list
klog_check
lab-guest 1 kill
lab-guest 2 kill

step "the modules unload"
modprobe -r hyv
rmmod $driver
must_fail grep -E "^(hyv|$driver) " /proc/modules
klog_check
