#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Collect the output of stock tools in each guest; host.sh checks it.
. "$HYV_TREE/tests/lib/case.sh"

# with all of Debian's providers, as anywhere but in the lab
mount --bind /etc/libibverbs.d.all /etc/libibverbs.d
ibv_devices | tee "$OUT/devices"
[ -e /etc/libibverbs.d/mlx5.driver ]
umount /etc/libibverbs.d
rdma link show "$IBDEV/1" | tee "$OUT/link"
ibv_devinfo -v -d "$IBDEV" | tee "$OUT/devinfo"
gids >"$OUT/gids"

# a process that has the device open
ibv_asyncwatch -d "$IBDEV" >"$OUT/asyncwatch" &
watcher=$!
barrier seen
barrier listed
kill $watcher

# There is no udev, whose rule of rdma-core does this when a device appears.
/usr/lib/udev/rdma_rename "$IBDEV" NAME_FALLBACK
name=$(ls /sys/class/infiniband)
echo "udev calls it $name" | tee "$OUT/renamed"
[ "$name" != "$IBDEV" ]
ibv_devinfo -d "$name" | grep PORT_ACTIVE
rdma dev set "$name" name "$IBDEV"
klog_check
