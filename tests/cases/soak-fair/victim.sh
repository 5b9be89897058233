#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: victim.sh SECONDS
#
# The part of guest 2, see host.sh: what it gets.
. "$HYV_TREE/tests/lib/case.sh"

export IBDEV=hyv0
share "$1"
