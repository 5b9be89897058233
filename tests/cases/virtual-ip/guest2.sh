#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck source=tests/cases/virtual-ip/guest1.sh
. "$CASE/guest1.sh"
