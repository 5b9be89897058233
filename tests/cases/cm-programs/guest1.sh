#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that use rdma_cm: guest 1 connects to guest 2, in guest addressing.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/cases/cm-programs/programs.sh
. "$CASE/programs.sh"

guest_programs
barrier end
klog_check
