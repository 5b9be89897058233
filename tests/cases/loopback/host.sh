#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest driver and host module on one kernel (tests/loopback), with a mock HCA below:
# every verb, the ends of processes, driver, device, HCA and VMM, and hosts that
# refuse, are slow, dead, broken or old.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/loopback.sh"

loop_begin
for suite in life kill xrc turns ends gids retry watchdog events flood features; do
	run $suite
done
run garble "$LAB_FUZZ_SEED" "$LAB_FUZZ_SECONDS"
loop_end
