#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Processes of guest 1 are killed at random instants, while they open the device,
# transfer and register.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	# the first of them before it has come to anything
	victim kill 4
	nothing_left
}

# shellcheck disable=SC2034 # of loop.sh
WATCHED=(1 2)
loop round
