#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The host has nothing left of the guests when their programs have ended.
. "$HYV_TREE/tests/lib/case.sh"

barrier forked
barrier end
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
