#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 reboots while it transfers and registers: by a reset of the machine and
# by its own kernel, in turn.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	victim transfer
	nap
	if [ $(($1 % 2)) = 0 ]; then
		lab-guest 1 reset
	else
		lab-guest 1 reboot
	fi
	lab-guest 1 wait-up
	nothing_left
	warnings 1
}

loop round
