#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's half; host.sh compares.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/verbs/run.sh
. "${BASH_SOURCE[0]%/*}/run.sh"

step "every verb in the guest"
most_suites
get native >/dev/null
shared_suite
cat "$OUT/messages"
barrier compared
klog_check
