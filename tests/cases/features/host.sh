#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest works without the features of virtio that the device does not need, with
# one interrupt for all queues, or with none of MSI-X.
. "$HYV_TREE/tests/lib/case.sh"

# with PROPERTIES: boot guest 1 with such a device, and transfer
with() {
	step "$1"
	lab-guest 1 kill
	LAB_HYV_PROPS=hca=$IBDEV,$1 lab-guest 1 start
	lab-guest 1 wait-up
	lab-guest 1 exec "bash $CASE/inside.sh $2"
	wait_for 60 no_objects "$(lab-guest 1 pid)"
}

# bits 28 (indirect descriptors) and 29 (event index) as the guest has them
with event_idx=on,indirect_desc=on 11
with event_idx=off 10
with indirect_desc=off 01
with event_idx=off,indirect_desc=off 00
with num-event-queues=3,vectors=2 11
with vectors=0 11
lab-guest 1 kill
klog_check
