#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host's part of the bench.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/bench/measure.sh"

bench
{
	echo "The lab's host: $(nproc) processors, Linux $(uname -r)," \
		"$(sed -n 's/.*LAB_ACCEL=\([a-z]*\).*/\1/p' /proc/cmdline)," \
		"HCA rxe with MTU $(cat /sys/class/net/hca0/mtu)"
	echo "The guests: $(get guest)"
} >"$OUT/facts"
