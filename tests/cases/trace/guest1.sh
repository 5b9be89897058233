#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest driver's tracepoints and debug messages. Guest 2 runs the same.
. "$HYV_TREE/tests/lib/case.sh"
# shellcheck source=tests/cases/trace/trace.sh
. "$CASE/trace.sh"

observe virtio_hyv
gid_index
barrier observed
pingpong across events 4096 20 -e

step "a request that the host refuses, and one that the driver refuses"
limit cq 5 EDQUOT
must_fail python3 -c "from pyverbs.device import Context
from pyverbs.cq import CQ
CQ(Context(name='$IBDEV'), 1 << 30)"
barrier refused

step "what was recorded"
observed virtio_hyv
dev='dev=virtio[0-9]+' cq='opcode=0x0303 name=CREATE_CQ'
traced vhyv_cmd_submit "$dev $cq len=[1-9][0-9]*"
traced vhyv_cmd_return "$dev $cq status=0 ns=[1-9][0-9]*"
# HYV_S_EDQUOT
traced vhyv_cmd_return "$dev $cq status=122 ns=[1-9][0-9]*"
traced vhyv_doorbell_ring "$dev map=[a-z ]+ slot=[0-9]+ kick=[01]"
traced vhyv_event_deliver \
	"$dev queue=[0-9]+ type=COMP code=[0-9]+ handle=0x[0-9a-f]+ count=[1-9][0-9]*"
for event in vhyv_mmap vhyv_munmap; do
	traced $event "$dev context=0x[0-9a-f]+ window_offset=0x[0-9a-f]+ length=0x[1-9a-f][0-9a-f]* ret=0"
done
logged "$IBDEV: .*CREATE_CQ.*(EDQUOT|122)"
logged "$IBDEV: .*$((1 << 30))"
klog_check
