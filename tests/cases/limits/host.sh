#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest at its limits leaves nothing in the host's kernel log.
. "$HYV_TREE/tests/lib/case.sh"

hyv show
barrier end
klog_check
