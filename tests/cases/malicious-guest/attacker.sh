#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: attacker.sh attack SEED SECONDS SLOW_FACTOR [FILE] | check | check-driver
#
# The part of guest 1, see host.sh. FILE is made when the attack begins.
. "$HYV_TREE/tests/lib/case.sh"

OUT=/run/attacker
IBDEV=hyv0
mkdir -p "$OUT"
case $1 in
attack)
	[ $# -lt 5 ] || : >"$5"
	# It takes the device from its driver.
	insmod "$HYV_MODULES/hyv_malguest.ko" seed="$2" seconds="$3" \
		slow_factor="$4"
	rmmod hyv_malguest
	dmesg | sed -n 's/.*hyv_malguest: //p' | tail -n 40
	;;
check)
	# the driver gets it back
	device=$(grep -lx 0x107f /sys/bus/pci/devices/*/device)
	device=${device%/device}
	echo "${device##*/}" >/sys/bus/pci/drivers/virtio-pci/bind
	;&
check-driver)
	wait_for 60 eval 'ibv_devices | grep -w hyv0'
	# in guest addressing, those of its network device
	wait_for 60 eval 'gids | grep 0000:0000:ffff:'
	soak -n 10
	;;
esac
