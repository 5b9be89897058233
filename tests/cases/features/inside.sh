#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: inside.sh BITS
#
# The part of guest 1: features 28 and 29 are BITS, and verified messages arrive,
# with events, and memory in many pieces is registered.
. "$HYV_TREE/tests/lib/case.sh"

IBDEV=hyv0
OUT=/run/features
mkdir -p "$OUT"
features=$(cat /sys/class/infiniband/hyv0/device/virtio*/features)
[ "${features:28:2}" = "$1" ] || fail "features: $features"
soak -n 10
soak -e -n 10 -s 4096
scatter 1M 123 4567
klog_check
