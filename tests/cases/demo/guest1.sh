#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The files *.txt of guest 1 and of the host, which tests/demo shows; their names
# are the titles.
BENCH_RUNS=1 BENCH_OPS="send write" BENCH_LAT=64 BENCH_BW=65536 BENCH_COLUMNS="native guests"
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/bench/measure.sh"

if [ "$LAB_MACHINE" != host ]; then
	step "ibv_devinfo"
	ibv_devinfo -d "$IBDEV" | tee "$OUT/1 - ibv_devinfo in guest 1.txt"

	step "ping-pong"
	gid_index
	across pingpong ibv_rc_pingpong -d "$IBDEV" -g "$GID_INDEX" -c -s 65536 \
		-n 100
	must_fail grep -i invalid "$OUT"/pingpong.*
	cp "$OUT"/pingpong.* "$OUT/2 - ibv_rc_pingpong between the guests, data checked.txt"
fi

step "perftest"
bench
if [ "$LAB_MACHINE" = host ]; then
	"$HYV_TREE/tests/bench/table" "$OUT" |
		tee "$OUT/3 - perftest, native on the host and between the guests.txt"
	hyv show | tee "$OUT/4 - hyv show on the host.txt"
fi
klog_check
