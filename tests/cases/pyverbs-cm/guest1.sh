#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034 # for pyverbs
MODULES=(test_rdmacm) NETDEV=eth0
# shellcheck source=tests/cases/pyverbs/guest1.sh
. "$CASE/../pyverbs/guest1.sh"
