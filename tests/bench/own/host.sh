#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same as in "case", on the software HCA.
# shellcheck source=tests/bench/case/host.sh
. "$HYV_TREE/tests/bench/case/host.sh"
