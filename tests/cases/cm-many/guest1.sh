#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"

before=$(resources)

# nothing_is_left: status 0 if there are as many objects as at the start.
nothing_is_left() {
	[ "$(resources)" = "$before" ]
}

for round in 1 2 3 4; do
	run_pair "connections-$round" ucmatose -b "$at" -c 125 -C 1 -S 64 \
		-- ucmatose -s "$at" -c 125 -C 1 -S 64
	expect_text "connections-$round" 'test complete'
	expect_text "connections-$round" 'return status 0'
	wait_for 60 nothing_is_left
	barrier "round-$round"
	barrier "next-$round"
	slab[round]=$(memory_slab)
done
echo "slab after each round: ${slab[*]} kB"
# the first rounds fill caches
[ "${slab[4]}" -lt $((slab[2] + 1024)) ]
klog_check
