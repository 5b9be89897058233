#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Several HCAs and several vNICs in one guest, plugged and unplugged while programs
# use them, with or without their HCA; suspend and resume of the guest.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/plug.sh"

# vnics HCA...: status 0 when the guest has vNICs on just these, which run.
vnics() {
	[ "$(hyv list --json | jq -r ".. | objects | select(.pid == $pid) |
		.hca + \" \" + .state" | sort)" = "$(printf '%s running\n' "$@" | sort)" ]
}

pid=$(lab-guest 1 pid)
another_network
another_hca
pinned=$(memory_pinned "$pid")

step "an HCA comes into a guest that uses another one"
inside use hyv0
plug slot1 "$OTHER_HCA"
inside appears hyv1
vnics "$IBDEV" "$OTHER_HCA"
hyv list

step "it goes while programs use it"
inside use hyv1
[ "$(left "$OTHER_HCA")" -gt 3 ]
unplug slot1
wait_for 60 unplugged slot1
inside fails hyv1
vnics "$IBDEV"
no_objects_on "$OTHER_HCA"
inside works hyv0

step "two vNICs on one HCA, three in one guest"
plug slot1 "$IBDEV"
inside appears hyv1
plug slot2 "$OTHER_HCA"
inside appears hyv2
vnics "$IBDEV" "$IBDEV" "$OTHER_HCA"
inside between hyv0 hyv1

step "the driver leaves a vNIC while a process that uses it forks, and takes it again"
inside leaves hyv1
vnics "$IBDEV" "$IBDEV" "$OTHER_HCA"
inside works hyv0

step "the PCI function of a vNIC is reset while programs use it"
inside resets hyv1
vnics "$IBDEV" "$IBDEV" "$OTHER_HCA"
inside works hyv0
inside use hyv1

step "an HCA is removed while the guest uses it"
inside use hyv2
before=$(date +%s%N)
# with a process of this host it would wait for that: rxe cannot do otherwise
rdma link delete "$OTHER_HCA"
took=$((($(date +%s%N) - before) / 1000000))
echo "rdma link delete took $took ms"
[ "$took" -lt 15000 ]
inside fails hyv2
inside works hyv0
inside works hyv1
inside ends hyv1
hyv list

step "and comes back, with a new vNIC"
unplug slot2
wait_for 60 unplugged slot2
another_hca
plug slot2 "$OTHER_HCA"
inside appears hyv2
vnics "$IBDEV" "$IBDEV" "$OTHER_HCA"

step "vNICs come and go in haste"
for i in 1 2 3; do
	unplug slot1
	unplug slot2
	wait_for 60 unplugged slot1
	wait_for 60 unplugged slot2
	vnics "$IBDEV"
	plug slot2 "$IBDEV"
	plug slot1 "$OTHER_HCA"
	[ "$i" != 2 ] || inside appears hyv2
done
inside appears hyv2
unplug slot1
unplug slot2
wait_for 60 unplugged slot1
wait_for 60 unplugged slot2
wait_for 60 no_objects_on "$OTHER_HCA"
inside works hyv0
inside ends hyv0
wait_for 60 no_objects "$pid"
# the doorbell area of the vNIC that is left
[ "$(memory_pinned "$pid")" = "$pinned" ]

step "suspend fails while a program has the device open"
console=/lab/machine/guest1/console
on_console() {
	tail -c "+$start" "$console" | tr -d '\r' | grep "^hotplug: $1"
}
start=$(stat -c %s "$console")
inside sleeps
wait_for 120 on_console awake
on_console 'refused'

step "the device works after suspend and resume"
on_console 'slept'
on_console 'works'
klog_check
lab-guest 1 kill
rdma link delete "$OTHER_HCA"
ip link delete hca1
klog_check
