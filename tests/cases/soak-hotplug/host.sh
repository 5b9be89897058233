#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A vNIC is plugged into guest 1 and unplugged while programs use it.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/lib/plug.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	plug slot1 "$IBDEV"
	inside appears hyv1
	inside use hyv1
	nap
	unplug slot1
	wait_for 60 unplugged slot1
	inside fails hyv1
	nothing_left
}

# shellcheck disable=SC2034 # of loop.sh
WATCHED=(1 2)
loop round
