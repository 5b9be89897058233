#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every machine runs the same script.
# shellcheck source=tests/cases/bench/guest1.sh
. "$CASE/guest1.sh"
