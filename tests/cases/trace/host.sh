#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The modules' tracepoints record commands, doorbells, events, mappings and HCAs,
# and with dynamic debug they log why a request was refused. This is the host's
# part.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/trace/trace.sh
. "$CASE/trace.sh"

observe hyv
barrier observed

step "an HCA arrives and is removed"
ip link add trace0 type veth peer name trace1
rdma link add rxe9 type rxe netdev trace0
rdma link delete rxe9
ip link delete trace0
barrier refused

step "what was recorded"
observed hyv
traced hyvh_hca_arrive "index=[0-9]+ name=rxe9"
traced hyvh_hca_remove "index=[0-9]+ name=rxe9"
for n in 1 2; do
	id=$(hyv --json show pid "$(lab-guest $n pid)" | jq '.[0].id')
	vnic="vnic=$id" cq='opcode=0x0303 name=CREATE_CQ'
	event="queue=[0-9]+ type=COMP code=[0-9]+ handle=0x[0-9a-f]+"
	traced hyvh_cmd "$vnic $cq status=0 ns=[1-9][0-9]*"
	# HYV_S_EDQUOT
	traced hyvh_cmd "$vnic $cq status=122 ns=[1-9][0-9]*"
	traced hyvh_doorbell_drain "$vnic nr=[1-9][0-9]*"
	traced hyvh_event_raise "$vnic $event"
	traced hyvh_event_deliver "$vnic $event count=[1-9][0-9]*"
	for name in hyvh_window_map hyvh_window_unmap; do
		traced $name "$vnic offset=0x[0-9a-f]+ length=0x[1-9a-f][0-9a-f]*"
	done
	logged "vnic $id: .*CREATE_CQ.*(EDQUOT|122)"
done
klog_check
