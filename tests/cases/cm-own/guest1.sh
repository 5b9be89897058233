#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's half of connections with processes of its host.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"

put guest-ip "$MY_IP"
host=$(get host-ip)
wait_for 60 eval "ibv_devinfo -v | grep '::ffff:$MY_IP, RoCE v2'"

# The host has its own connections before.
barrier guest
step "from the host"
run_server to-rping rping -s -a "$MY_IP" -C 10 -V
run_server to-ucmatose ucmatose -b "$MY_IP" -c 5 -C 10 -S 1000
step "to the host"
run_client from-rping rping -c -a "$host" -C 10 -V
run_client from-ucmatose ucmatose -s "$host" -c 5 -C 10 -S 1000
run_client from-ib_write_bw ib_write_bw -R -F -d "$IBDEV" -n 50 -s 65536 "$host"

step "a host that is not in the map"
barrier forgotten
must_fail timeout $((60 * LAB_TIMEOUT_SCALE)) rping -c -a "$host" -C 1 \
	>"$OUT/rping-forgotten" 2>&1
put refused yes

wait_for 60 no_cm_ids
barrier end
klog_check
