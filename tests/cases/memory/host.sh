#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host lists a guest's regions under its QEMU, and nothing of them is left.
. "$HYV_TREE/tests/lib/case.sh"

pid=$(lab-guest 1 pid)
get regions
count=$(objects mr "$pid")
echo "$count regions"
# and one for the messages
[ "$count" = 10001 ]
[ "$(memory_pinned "$pid")" -gt 40000 ]
put counted yes
get end
wait_for 60 no_objects "$pid"
[ "$(memory_pinned "$pid")" -lt 10000 ]
klog_check
