#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The lab itself works: the host has its HCA, the guests reach it and each other.
set -euo pipefail

ibv_devices | grep -w "$IBDEV" >/dev/null
ibv_devinfo -d "$IBDEV" | grep PORT_ACTIVE >/dev/null
put greeting "hello from $HOSTNAME"
barrier up
[ "$(get guest1)" = "hello from host" ]
[ "$(get guest2)" = "hello from host" ]
for n in 1 2; do
	kill -0 "$(lab-guest $n pid)"
	lab-guest $n qmp '{"execute":"query-status"}' | grep '"running"' >/dev/null
	[ "$(lab-guest $n exec hostname)" = "guest$n" ]
done
echo finished >"$OUT/state"
