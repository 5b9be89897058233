#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Leave the vNIC idle.
. "$HYV_TREE/tests/lib/case.sh"

for name in idle idle-seen program program-seen traffic traffic-seen end; do
	barrier $name
done
klog_check
