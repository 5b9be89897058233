#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All of the cases cm-programs and cm, with the guests on two hosts: these tell each
# other by which GIDs their HCAs are reached, which is what administrators do.
. "$HYV_TREE/tests/lib/case.sh"

there=$((3 - LAB_HOST))
put "via-$LAB_HOST" "$(ip -br -6 addr show dev hca0 scope link | awk '{ print $3 }')"
via=$(get "via-$there")
via=${via%/*}
printf '%s\n' "10.77.0.1$there via $via" "fd77::1$there via $via" |
	hyv map add -f -
put "mapped-$LAB_HOST" here

# shellcheck source=tests/cases/cm-programs/programs.sh
. "$CASE/../cm-programs/programs.sh"
host_programs
# shellcheck source=tests/cases/cm/host.sh
. "$CASE/../cm/host.sh"
hyv map del "10.77.0.1$there" "fd77::1$there"
