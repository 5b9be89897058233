#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The case perftest, over all sizes of messages.
ALL_SIZES=1
# shellcheck source=tests/cases/perftest/guest1.sh
. "$HYV_TREE/tests/cases/perftest/guest1.sh"
