#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What rdma-core's own tests of rdma_cm give on the host's HCA they give in a guest
# with addresses of its own.
MODULES=(test_rdmacm) NETDEV=hca0 LEAST=8
# shellcheck source=tests/cases/pyverbs/host.sh
. "$CASE/../pyverbs/host.sh"
