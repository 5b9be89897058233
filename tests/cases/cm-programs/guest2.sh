#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source=tests/cases/cm-programs/guest1.sh
. "$CASE/guest1.sh"
