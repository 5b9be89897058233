#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The time to connect by rdma_cm: natively on the host, from guest 1 to guest 2, and
# the same with ten thousand entries in the GID map. The figures go to $OUT/COLUMN,
# a line "STEP:MICROSECONDS" each, the best of all runs.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/bench/connections/measure.sh
. "$CASE/measure.sh"

for ((run = 1; run <= RUNS; run++)); do
	# shellcheck disable=SC2046 # several words, or none
	cmtime -b "$MY_IP" -c $CONNECTIONS $(cmtime_apart) >"$OUT/server" 2>&1 &
	wait_for 60 listening
	cmtime -s "$MY_IP" -c $CONNECTIONS >"$OUT/native.$run"
	# newer servers end with their client
	kill $! 2>/dev/null || true
	wait $! || true
done
best "$OUT"/native.? >"$OUT/native"
barrier native

barrier guests
for ((i = 1; i <= 10000; i++)); do
	printf 'fd00::%x via 192.0.2.1\n' "$i"
done | hyv map add -f -
barrier loaded
barrier again
get guests >"$OUT/guests"
get guests-10000 >"$OUT/guests-10000"
