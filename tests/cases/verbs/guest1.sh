#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's half; host.sh compares.
. "$HYV_TREE/tests/lib/case.sh"

# one after the other, so that neither disturbs the other
get native >/dev/null
step "every verb in the guest"
verbs >"$OUT/verbs" 2>"$OUT/messages"
cat "$OUT/messages"
barrier compared
klog_check
