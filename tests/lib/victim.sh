#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: victim.sh kill ROUNDS | unload ROUNDS | rebind virtio|pci
#                  transfer | register SIZE | check
#
# The part of guest 1 in cases where it ends, or what it does; see ends.sh.
. "$HYV_TREE/tests/lib/case.sh"

# nap: sleep for less than half a second.
nap() {
	sleep 0.$((RANDOM % 5))$((RANDOM % 10))
}

# load: programs that transfer and register forever, in LOAD. Their output is
# in $OUT/load.
load() {
	: >"$OUT/load"
	soak -t 2 -s 100K &
	LOAD=($!)
	soak -e -s 4096 &
	LOAD+=($!)
	regloop 8M &
	LOAD+=($!)
} >>"$OUT/load" 2>&1

# busy: status 0 when all of that has begun.
busy() {
	local line count=0

	while read -r line; do
		[ "$line" != transferring ] && [ "$line" != ready ] ||
			count=$((count + 1))
	done <"$OUT/load"
	[ $count = 4 ]
}

# slow_commands: many that the host is at for a second each
slow_commands() {
	# on the host's network, and nobody's
	fair flood 32 ::ffff:10.77.0.250 >"$OUT/flood" 2>&1 &
	LOAD+=($!)
	wait_for 60 grep -q flooding "$OUT/flood"
}

# has_device
has_device() {
	ibv_devices | grep -w $IBDEV
}

# rebind virtio|pci: reset the vNIC while it executes commands, by taking it from
# its driver on this bus
rebind() {
	local dir driver device

	dir=$(readlink -f /sys/class/infiniband/$IBDEV/device)
	[ "$1" = pci ] || dir=$(readlink -f "$dir"/virtio*)
	driver=$(readlink -f "$dir/driver")
	device=${dir##*/}
	load
	wait_for 60 busy
	slow_commands
	nap
	echo "$device" >"$driver/unbind"
	must_fail has_device
	kill -KILL "${LOAD[@]}" 2>/dev/null || true
	wait "${LOAD[@]}" || true
	echo "$device" >"$driver/bind"
	wait_for 60 has_device
	soak -n 5
}

OUT=/run/victim
IBDEV=hyv0
mkdir -p "$OUT"
case $1 in
kill)
	for ((i = 0; i < $2; i++)); do
		load
		# once in a while before they have come to anything
		[ $((i % 4)) = 0 ] || wait_for 60 busy
		nap
		kill -KILL "${LOAD[@]}"
		wait "${LOAD[@]}" || true
	done
	;;
unload)
	for ((i = 0; i < $2; i++)); do
		load
		wait_for 60 busy
		nap
		modprobe -r virtio_hyv
		must_fail has_device
		kill -KILL "${LOAD[@]}" 2>/dev/null || true
		wait "${LOAD[@]}" || true
		modprobe virtio_hyv
		wait_for 60 has_device
		soak -n 5
	done
	;;
rebind)
	rebind "$2"
	;;
transfer)
	load
	wait_for 60 busy
	;;
register)
	regloop "$2" >"$OUT/register" &
	LOAD=($!)
	wait_for 120 grep -q ready "$OUT/register"
	;;
check)
	soak -n 20
	;;
esac
# those of transfer and register stay
disown -a
klog_check
