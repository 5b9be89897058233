#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source=tests/cases/soak-counts/host.sh
. "$CASE/host.sh"
