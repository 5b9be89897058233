#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma-core's own tests, with those for mlx5, on the software HCA: those that pass on the
# host pass in a guest.
# shellcheck disable=SC2034 # for pyverbs
LEAST=95
# shellcheck source=tests/cases/pyverbs/host.sh
. "$CASE/../pyverbs/host.sh"
