#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest driver and host module on one kernel with fault injection (tests/loopback):
# each allocation and each copy of user memory fails once, in each verb of the
# guest, in the host's part of it, and while the driver starts.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/loopback.sh"

# faults
KLOG_HARMLESS+=('^kobject: (can not set name properly|kobject_add_internal failed)'
	'^kobject: kobject_create_and_add: kobject_add error: -12'
	"^infiniband hyv0: (Couldn't |ib_query_port failed \(-12\))")
loop_begin
for suite in faults hostfaults probefaults; do
	run $suite
	must_fail grep '# SKIP' "$OUT/looptest.$suite"
done
loop_end
