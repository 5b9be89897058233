#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Datagrams between guests in guest addressing, on hyvs0: the programs of rdma-core work,
# and a process that writes other addresses into its requests reaches only QPs of the
# guest that has the address, in its own network. This is the host's half, which is in
# another one.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/own-hca-datagrams/receivers.sh
. "$CASE/receivers.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')

step "to guests"
receivers_start
put host-ip "$MY_IP"
guest=$(get guest2-ip)
datagrams send "$(get qpn-guest2)" "$MY_IP" "to a QP of a guest"
datagrams send "$(get qpn-guest2)" "$MY_IP" "to a guest" to="$guest"
datagrams send group "$GROUP" "group of the host"

step "from guests"
put host-sent yes
get guest1-sent >/dev/null
receivers_end "$MY_IP"
receivers_got "end from $MY_IP"
receivers_group_got "group of the host from $MY_IP" "end from $MY_IP"

barrier end
# 2 pairs of programs between the guests, 2 in each of them
[ "$(pingpong_results "$LAB_CASE"/guest*/*.{server,client})" = $((2 * (2 + 2 * 2))) ]
for n in 1 2; do
	wait_for 60 no_objects "$(lab-guest $n pid)"
done
klog_check
