#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Processes of guest 1 write anything into what they share with hyvs0, for as many seconds
# as the file options says, while guest 2, processes next to them, and processes of the
# host transfer data, which are verified. Nothing is left of them, and the kernels log
# nothing.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/own-hca-malicious/run.sh
. "$HYV_TREE/tests/cases/own-hca-malicious/run.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')

step "neighbours on the host"
neighbours
barrier neighbours
get scribbled >/dev/null
undisturbed
barrier end

step "nothing is left"
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
