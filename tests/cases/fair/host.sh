#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
. "$HYV_TREE/tests/lib/case.sh"

hyv list
barrier end
klog_check
