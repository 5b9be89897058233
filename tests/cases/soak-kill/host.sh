#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# QEMU of guest 1 is killed while the guest transfers, or registers memory.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	local pid

	restart
	if [ $(($1 % 2)) = 0 ]; then
		victim transfer
	else
		victim register 64M
	fi
	nap
	pid=$(lab-guest 1 pid)
	lab-guest 1 kill
	gone "$pid"
	warnings 1
}

lab-guest 1 kill
loop round
