#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An address moves from one guest to the other while both have it, as keepalived
# moves it from a machine that is slow to give it up. The new owner gets the GID
# when the old one deletes it, and can be reached by it.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"

KLOG_HARMLESS+=('add_roce_gid GID add failed' 'ib_cache_gid_add: unable to add gid'
	'host refused address')
VIRTUAL=10.77.0.99
VIRTUAL_GID=0000:0000:0000:0000:0000:ffff:0a4d:0063
STATIC=10.77.0.98
STATIC_GID=0000:0000:0000:0000:0000:ffff:0a4d:0062

# has_gid GID: status 0 if it is in the table.
has_gid() {
	grep -qx "$1" "/sys/class/infiniband/$IBDEV/ports/1/gids"/*
}

was_refused() {
	lab-klog | grep "host refused address.*$1" >/dev/null
}

# gid_within_3s GID
gid_within_3s() {
	local start=$EPOCHREALTIME

	wait_for 3 has_gid "$1"
	printf 'it took %d ms\n' $(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
}

# reach NAME: guest 1 connects to guest 2 at the virtual address
reach() {
	run_pair "$1" rping -s -a $VIRTUAL -C 5 -V -- rping -c -a $VIRTUAL -C 5 -V
}

step "an address in another network namespace gets no GID"
if [ "$LAB_MACHINE" = guest1 ]; then
	ip netns add container
	ip link add link eth0 name card0 type macvlan mode bridge
	ip link set card0 netns container
	ip -n container addr add $STATIC/24 dev card0
	ip -n container link set card0 up
	wait_for 60 eval "lab-klog | grep 'unable to add gid $STATIC_GID' >/dev/null"
	must_fail has_gid $STATIC_GID
	must_fail was_refused $STATIC
	ip -n container link del card0
	ip netns del container
fi
guest_barrier container

for round in 1 2 3; do
	step "round $round: guest 1 has the address, guest 2 adds it"
	if [ "$LAB_MACHINE" = guest1 ]; then
		ip addr add $VIRTUAL/32 dev eth0
		gid_within_3s $VIRTUAL_GID
		guest_barrier "old-$round"
		guest_barrier "refused-$round"
	else
		guest_barrier "old-$round"
		ip addr add $VIRTUAL/32 dev eth0
		wait_for 60 was_refused $VIRTUAL
		must_fail has_gid $VIRTUAL_GID
		guest_barrier "refused-$round"
	fi

	step "round $round: guest 1 deletes it"
	if [ "$LAB_MACHINE" = guest1 ]; then
		ip addr del $VIRTUAL/32 dev eth0
		guest_barrier "deleted-$round"
		guest_barrier "moved-$round"
		ip neigh flush dev eth0
	else
		guest_barrier "deleted-$round"
		gid_within_3s $VIRTUAL_GID
		guest_barrier "moved-$round"
	fi
	reach "rping-$round"
	guest_barrier "reached-$round"
	if [ "$LAB_MACHINE" = guest2 ]; then
		ip addr del $VIRTUAL/32 dev eth0
		wait_for 60 eval "! has_gid $VIRTUAL_GID"
	fi
	guest_barrier "end-$round"
done

step "a static entry of the administrator is deleted"
barrier static
if [ "$LAB_MACHINE" = guest2 ]; then
	ip addr add $STATIC/32 dev eth0
	wait_for 60 was_refused $STATIC
	must_fail has_gid $STATIC_GID
fi
barrier static-refused
barrier static-deleted
[ "$LAB_MACHINE" = guest1 ] || gid_within_3s $STATIC_GID

step "the owner's machine ends"
if [ "$LAB_MACHINE" = guest1 ]; then
	ip addr add $VIRTUAL/32 dev eth0
	gid_within_3s $VIRTUAL_GID
	guest_barrier dying
	barrier dead
else
	guest_barrier dying
	ip addr add $VIRTUAL/32 dev eth0
	sleep 1
	must_fail has_gid $VIRTUAL_GID
	put kill-guest1 now
	get guest1-killed >/dev/null
	gid_within_3s $VIRTUAL_GID
fi
klog_check
