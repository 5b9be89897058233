#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1's half: see host.sh. Guest 2 runs the same.
set -euo pipefail

ip -br address
barrier up
ping -c 1 -W 10 "$PEER_IP"
ping -c 1 -W 10 "$HOST_IP"
put "$HOSTNAME" "$(get greeting)"
echo finished >"$OUT/state"
