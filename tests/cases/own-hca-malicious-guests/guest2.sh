#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The other guest, which does not notice what guest 1 does.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/own-hca-malicious/run.sh
. "$HYV_TREE/tests/cases/own-hca-malicious/run.sh"

step "neighbours"
neighbours
barrier neighbours
get scribbled >/dev/null
undisturbed
barrier end
klog_check
