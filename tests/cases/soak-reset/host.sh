#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The vNIC of guest 1 is reset while it executes commands, quick and slow ones.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	if [ $(($1 % 2)) = 0 ]; then
		victim rebind virtio
	else
		victim rebind pci
	fi
	nothing_left
}

# shellcheck disable=SC2034 # of loop.sh
WATCHED=(1 2)
loop round
