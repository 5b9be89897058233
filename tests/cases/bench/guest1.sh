#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The bench in short, and whether it shows what it has to.
BENCH_OPS="send write" BENCH_LAT=64 BENCH_BW=65536 BENCH_QPS=16 BENCH_MR=4096 \
	BENCH_QP=1 BENCH_RUNS=3
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/bench/measure.sh"

bench
if [ "$LAB_MACHINE" = host ]; then
	"$HYV_TREE/tests/bench/table" "$OUT"
	"$HYV_TREE/tests/bench/judge" "$OUT"
fi
klog_check
