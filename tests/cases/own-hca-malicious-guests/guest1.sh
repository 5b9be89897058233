#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest with the processes that write anything.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/own-hca-malicious/run.sh
. "$HYV_TREE/tests/cases/own-hca-malicious/run.sh"

step "neighbours"
neighbours
barrier neighbours

malformed_requests
scribble_for "$LAB_FUZZ_SECONDS"
put scribbled yes

undisturbed
barrier end
klog_check
