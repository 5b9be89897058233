#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Five hundred connections by rdma_cm, 125 at a time, with ten thousand entries in
# the GID map, then some while packets are lost: the host's part, that no object is left.
. "$HYV_TREE/tests/lib/case.sh"

for ((i = 0; i < 10000; i++)); do
	printf 'fd00::%x\n' $((i + 1))
done >"$OUT/gids"
sed 's/$/ via 192.0.2.1/' "$OUT/gids" | hyv map add -f -
for round in 1 2 3 4; do
	barrier "round-$round"
	for n in 1 2; do
		wait_for 60 no_objects "$(lab-guest $n pid)"
	done
	slab[round]=$(memory_slab)
	barrier "next-$round"
done
echo "slab after each round: ${slab[*]} kB"
# the first rounds fill caches
[ "${slab[4]}" -lt $((slab[2] + 1024)) ]
barrier end
hyv map del -f "$OUT/gids"
klog_check
