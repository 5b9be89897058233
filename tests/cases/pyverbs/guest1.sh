#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same tests on the guest's device; the host compares.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/pyverbs/run.sh
. "${BASH_SOURCE[0]%/*}/run.sh"

uname -r >"$OUT/kernel"
pyverbs "$OUT/results"
put results "$(gzip -9 <"$OUT/results" | base64 -w 0)"
barrier end
klog_check
