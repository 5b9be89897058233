#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/bench/connections/measure.sh
. "$CASE/measure.sh"

# measure COLUMN
measure() {
	local run

	for ((run = 1; run <= RUNS; run++)); do
		endless=1 run_pair "$1.$run" cmtime -b "$at" -c $CONNECTIONS \
			-- cmtime -s "$at" -c $CONNECTIONS
	done
	[ "$LAB_MACHINE" != guest1 ] || put "$1" "$(best "$OUT/$1".?.client)"
}

barrier native
measure guests
barrier guests
barrier loaded
measure guests-10000
barrier again
