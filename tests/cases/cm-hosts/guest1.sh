#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
. "$HYV_TREE/tests/lib/case.sh"

for n in 1 2; do
	get "mapped-$n" >/dev/null
done
# shellcheck source=tests/lib/cm.sh
. "$HYV_TREE/tests/lib/cm.sh"
# shellcheck source=tests/cases/cm-programs/programs.sh
. "$CASE/../cm-programs/programs.sh"
guest_programs
# shellcheck disable=SC2034 # for cm
LOSSY=10
# shellcheck source=tests/cases/cm/guest1.sh
. "$CASE/../cm/guest1.sh"
