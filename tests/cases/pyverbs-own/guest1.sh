#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source=tests/cases/pyverbs/guest1.sh
. "$CASE/../pyverbs/guest1.sh"
