#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
. "$HYV_TREE/tests/lib/case.sh"

hyv map add 10.77.0.98 via 192.0.2.1
barrier static
barrier static-refused
hyv map del 10.77.0.98
barrier static-deleted

get kill-guest1 >/dev/null
lab-guest 1 kill
put guest1-killed yes
hyv map list
klog_check
