#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest's part of the bench.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/bench/measure.sh"

bench
[ "$LAB_MACHINE" != guest1 ] || put guest \
	"$(nproc) processor, Linux $(uname -r), MTU $(cat /sys/class/net/eth0/mtu)"
