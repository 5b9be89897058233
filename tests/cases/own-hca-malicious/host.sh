#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Processes that write anything into the queues, records and doorbell pages of hyvs0
# while the HCA reads them do no harm: one mistake at a time, then any for as many seconds
# as the file options says. Processes next to them transfer data, which are verified,
# nothing is left of them, and the kernel logs nothing.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/own-hca-malicious/run.sh
. "$CASE/run.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')

# Hundreds of times as many, if the processor is not emulated and has nothing else to do.
LEAST_REQUESTS=$((100 * LAB_FUZZ_SECONDS))

step "neighbours"
neighbours

malformed_requests
scribble_for "$LAB_FUZZ_SECONDS"
requests=$(sed -n 's/^\([0-9]*\) requests executed in .*/\1/p' "$OUT/scribble")
[ "$requests" -ge $LEAST_REQUESTS ]

step "the neighbours did not notice"
undisturbed

step "nothing is left"
wait_for 60 no_objects
must_fail pgrep "^$IBDEV-"
rmmod hyv
rdma link del "$IBDEV"
rmmod hyvs
klog_check
