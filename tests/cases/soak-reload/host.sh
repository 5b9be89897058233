#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest driver is unloaded while programs transfer and register, and loaded.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	victim unload 1
	nothing_left
}

# shellcheck disable=SC2034 # of loop.sh
WATCHED=(1 2)
loop round
