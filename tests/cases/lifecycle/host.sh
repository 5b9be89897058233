#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 is treated badly in every way: the host keeps nothing of what it had,
# and guest 2, which works all the time, does not notice.
. "$HYV_TREE/tests/lib/case.sh"

# What rxe of 6.1 says of every process that is killed while it registers memory,
# and most of the time QEMU is not caught in that instant.
KLOG_HARMLESS+=('^rdma_rxe: rxe_mr_init_user: Unable to pin memory region err = -4$')

victim() {
	lab-guest 1 exec "bash $CASE/victim.sh $*"
}

# nothing_left: of guest 1's objects and pins, though its QEMU lives.
nothing_left() {
	local pid

	pid=$(lab-guest 1 pid)
	wait_for 20 no_objects "$pid"
	# the doorbell area stays
	[ "$(memory_pinned "$pid")" -lt 1000 ]
}

# gone PID: nothing of a QEMU that has ended.
gone() {
	wait_for 20 no_objects "$1"
	must_fail eval "hyv list --json | jq -e '.. | objects | select(.pid == $1)'"
}

# warnings N: what its console got since the last look, but for what kernels
# say when they start or end: with or without HyV about clocks, and about any
# 64-bit BAR that the firmware had no address for and that the kernel gives one
# later.
STARTUP='^(mtrr|tsc|APIC calibration)|^reboot: '
STARTUP+='|^pnp .* window\] because it overlaps .* 64bit pref\]$'
declare -A CONSOLE
warnings() {
	local file=/lab/machine/guest$1/console start=${CONSOLE[$1]:-0} lines

	CONSOLE[$1]=$(stat -c %s "$file")
	lines=$(tail -c "+$((start + 1))" "$file" | tr -d '\r' |
		sed -E 's/^\[ *[0-9.]+\] //' | grep -vE "$STARTUP" |
		grep -vE -f <(printf '%s\n' "${KLOG_HARMLESS[@]}") || true)
	[ -z "$lines" ] || fail "guest$1 said: $lines"
}

restart() {
	lab-guest 1 start
	lab-guest 1 wait-up
	victim check
}

get soaking
pid2=$(lab-guest 2 pid)
wait_for 30 has qp "$pid2" 2

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

step "the HCA leaves while guest 2 uses it"
has qp "$pid2" 2
put stop yes
get stopped
restart
victim transfer
rdma link delete rxe0
must_fail lab-guest 1 exec ibv_devinfo
hyv list
klog_check
lab-guest 1 kill
lab-guest 2 kill

step "the modules unload"
modprobe -r hyv
modprobe -r rdma_rxe
must_fail grep -E '^(hyv|rdma_rxe) ' /proc/modules
klog_check
