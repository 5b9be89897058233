#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: end.sh FUNCTION ARGUMENT...
#
# Call a function of tests/lib/case.sh in a guest, for host.sh.
. "$HYV_TREE/tests/lib/case.sh"
# eight guests on two processors
PAIR_TIMEOUT=$((600 * LAB_TIMEOUT_SCALE))

"$@"
