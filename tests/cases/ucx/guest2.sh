#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 2's half: the same script as guest 1's.
# shellcheck source=tests/cases/ucx/guest1.sh
. "$CASE/guest1.sh"
