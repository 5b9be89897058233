#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma-core's own tests of rdma_cm: those that pass on the host's HCA pass in a guest
# with guest addressing.
MODULES=(test_rdmacm) NETDEV=hca0 LEAST=8
# shellcheck source=tests/cases/pyverbs/host.sh
. "$CASE/../pyverbs/host.sh"
