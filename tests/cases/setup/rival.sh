#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# In a guest: virtio_hyv and rdma_rxe do not run at the same time.
. "$HYV_TREE/tests/lib/case.sh"

# said PATTERN: the kernel log has one such line since the last call
said() {
	dmesg --level err -c >/tmp/said
	cat /tmp/said
	[ "$(grep -cE "$1" /tmp/said)" = 1 ]
}

dmesg -C
ibv_devices | grep -w hyv0
must_fail modprobe rdma_rxe
said 'module rdma_rxe refused: .* remove virtio_hyv first'
soak -n 5

modprobe -r virtio_hyv
modprobe rdma_rxe
modprobe virtio_hyv
said "conflicts with module rdma_rxe; 'modprobe -r rdma_rxe', then rebind the driver"
must_fail eval 'ibv_devices | grep -w hyv0'
modprobe -r rdma_rxe

for device in /sys/bus/virtio/devices/*; do
	[ "$(<"$device/device")" != 0x003f ] ||
		echo "${device##*/}" >/sys/bus/virtio/drivers/virtio_hyv/bind
done
ibv_devices | grep -w hyv0
soak -n 5
