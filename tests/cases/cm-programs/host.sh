#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All traffic of the guests' programs goes through the host's HCA, and no object is left.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/cm-programs/programs.sh
. "$CASE/programs.sh"

# a guest's program has been killed, with the memory that its peer reads or sends to
KLOG_HARMLESS+=("^$IBDEV: qp#[0-9]+ make_send_cqe: non-flush error status = (10|12)\$")

host_programs
barrier end
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
