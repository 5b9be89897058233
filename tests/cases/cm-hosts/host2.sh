#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source=tests/cases/cm-hosts/host.sh
. "$CASE/host.sh"
