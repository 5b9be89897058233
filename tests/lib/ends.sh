# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For cases that end guest 1, or what it does, while guest 2 transfers. The host's
# scripts source case.sh before.

# rxe logs this for every process that is killed while it registers memory; QEMU
# rarely is at that moment.
KLOG_HARMLESS+=('^rdma_rxe: rxe_mr_init_user: Unable to pin memory region err = -4$'
	'(^| )rxe[0-9]: .*(Unable to pin memory region err|returned err) = -4$')

# victim ARGUMENT...: let guest 1 do something, see victim.sh
victim() {
	lab-guest 1 exec "bash $HYV_TREE/tests/lib/victim.sh $*"
}

# nothing_left: of guest 1's objects and pins, though its QEMU lives.
nothing_left() {
	local pid

	pid=$(lab-guest 1 pid)
	wait_for 60 no_objects "$pid"
	# the doorbell area stays
	[ "$(memory_pinned "$pid")" -lt 1000 ]
}

# unlisted PID: status 0 if there is no vNIC of this process, which "hyv list" has said.
unlisted() {
	hyv list --json | jq -e "[.. | objects | select(.pid == $1)] == []"
}

# gone PID: wait until nothing is left of a QEMU that has exited.
gone() {
	wait_for 60 no_objects "$1"
	unlisted "$1"
}

# warnings N: fail if its console has a warning since the last call, except those
# that kernels print when they start or end, with or without HyV: about clocks, and
# about any 64-bit BAR that the firmware had no address for.
STARTUP='^(mtrr|tsc|APIC calibration)|^reboot: '
STARTUP+='|^pnp .* window\] because it overlaps .* 64bit pref\]$'
declare -A CONSOLE
warnings() {
	local file=/lab/machine/guest$1/console start=${CONSOLE[$1]:-0} lines

	CONSOLE[$1]=$(stat -c %s "$file")
	lines=$(tail -c "+$((start + 1))" "$file" | tr -d '\r' |
		sed -E 's/^\[ *[0-9.]+\] //' | grep -vE "$STARTUP" |
		grep -vE -f <(printf '%s\n' "${KLOG_HARMLESS[@]}") || true)
	[ -z "$lines" ] || fail "on the console of guest$1: $lines"
}
