#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The HCA of a vNIC of guest 1 is removed while programs use it, and returns.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"
. "$HYV_TREE/tests/lib/plug.sh"
. "$HYV_TREE/tests/soak/loop.sh"

round() {
	local before took

	plug slot1 "$OTHER_HCA"
	inside appears hyv1
	inside use hyv1
	nap
	before=${EPOCHREALTIME/./}
	rdma link delete "$OTHER_HCA"
	took=$(((${EPOCHREALTIME/./} - before) / 1000))
	[ $took -lt $((15000 * LAB_TIMEOUT_SCALE)) ] || fail "removal took $took ms"
	inside fails hyv1
	unplug slot1
	wait_for 60 unplugged slot1
	another_hca
	nothing_left
}

# shellcheck disable=SC2034 # of loop.sh
WATCHED=(1 2)
another_network
another_hca
loop round
rdma link delete "$OTHER_HCA"
ip link delete hca1
