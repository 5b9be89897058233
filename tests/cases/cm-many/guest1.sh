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

tc qdisc add dev eth0 root netem loss 10% duplicate 20% delay 5ms 5ms
run_pair lossy ucmatose -b "$at" -c 20 -C 5 -S 1000 -- ucmatose -s "$at" -c 20 -C 5 -S 1000
expect_text lossy 'return status 0'
tc -s qdisc show dev eth0 | grep 'dropped [1-9]'
tc qdisc del dev eth0 root
wait_for 60 nothing_is_left
barrier end
klog_check
