#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The process on the host's own HCA.
# shellcheck source=tests/cases/bare-metal/guest1.sh
. "$CASE/guest1.sh"
