#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A storm of events at the same time as in the other guest, then events of the
# port, and the removal of the HCA; see host.sh.
. "$HYV_TREE/tests/lib/case.sh"

# interrupts: number of interrupts of each event queue.
interrupts() {
	awk '/-event$/ {
		n = 0
		for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++)
			n += $i
		print n
	}' /proc/interrupts
}

step "each event queue has an interrupt of its own"
mapfile -t before < <(interrupts)
[ ${#before[@]} = 4 ]

barrier storm
step "a storm of events"
storm -c 64 -n 40 -t 4 -l 200
mapfile -t after < <(interrupts)
echo "interrupts: ${before[*]}, after the storm ${after[*]}"
for i in "${!after[@]}"; do
	# a queue is used by the vectors that are it modulo the queues
	[ "$i" -ge "$(get vectors)" ] || [ "${after[i]}" -gt "${before[i]}" ]
done
put "storm-$LAB_MACHINE" over

step "the port's events"
ibv_asyncwatch -d "$IBDEV" >"$OUT/watch" &
pid=$!
wait_for 60 grep -q 'async event FD' "$OUT/watch"
barrier watching
get changed >/dev/null
diff <(get gids) <(gids | cut -d : -f 2- | sort) ||
	fail "not the host's GIDs"
barrier compared

step "the HCA is removed"
get gone >/dev/null
wait_for 60 grep -q DEVICE_FATAL "$OUT/watch"
sleep 2
[ "$(grep -c DEVICE_FATAL "$OUT/watch")" = 1 ]
[[ $(tail -n 1 "$OUT/watch") == *DEVICE_FATAL* ]]
kill $pid
wait $pid || true
klog_check
barrier end
