#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The case perftest, over all sizes of messages.
# shellcheck disable=SC2034 # for the other script
ALL_SIZES=1
# shellcheck source=tests/cases/perftest/host.sh
. "$HYV_TREE/tests/cases/perftest/host.sh"
