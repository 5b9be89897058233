#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma_cm in guest addressing, where guest 1 connects to guest 2, as it should work and
# with what disturbs it.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"

# gid_count: how many GIDs the device has.
gid_count() {
	grep -lv '^0000:0000:0000:0000:0000:0000:0000:0000$' \
		"/sys/class/infiniband/$IBDEV/ports/1/gids"/* | wc -l
}

gids_are() {
	[ "$(gid_count)" = "$1" ]
}

port_is_taken() {
	ss -Huln sport = :4791 | grep . >/dev/null
}

# hca_address: print the link-local address of the HCA's network device, if it has one.
hca_address() {
	ip -6 -o addr show dev hyvhca0 scope link | awk '{ print $4 }' | grep .
}

bind_vnic() {
	echo "$vnic" >"$driver/bind"
}

is_connected() {
	rdma resource show qp | grep 'type RC state RTS' >/dev/null
}

# device_is_back: set IBDEV, as it may have another name.
device_is_back() {
	IBDEV=$(ls /sys/class/infiniband) && [ "$IBDEV" ]
}

# has_gid GID: status 0 if it is in the table.
has_gid() {
	grep -qx "$1" "/sys/class/infiniband/$IBDEV/ports/1/gids"/*
}

# gsi COUNTER: of packets.
gsi() {
	cat "/sys/class/infiniband/$IBDEV/ports/1/hw_counters/gsi_$1"
}

# one_more COUNTER THAN
one_more() {
	[ "$(gsi "$1")" = $(($2 + 1)) ]
}

if [ "$LAB_MACHINE" = guest1 ]; then
	step "the UDP port of RoCE v2 is in use"
	KLOG_HARMLESS+=("no rdma_cm: UDP port 4791 is in use")
	driver=/sys/bus/virtio/drivers/virtio_hyv
	vnic=$(basename "$driver"/virtio*)
	gen_mode=/proc/sys/net/ipv6/conf/default/addr_gen_mode
	address=$(hca_address)
	[ "$address" ]
	echo "$vnic" >"$driver/unbind"
	[ ! -e /sys/class/net/hyvhca0 ]
	# Addresses of new devices are random.
	echo 3 >$gen_mode
	nc -u -l 4791 &
	wait_for 60 port_is_taken
	bind_vnic
	wait_for 60 device_is_back
	lab-klog | grep "no rdma_cm: UDP port 4791 is in use.*rdma_rxe"
	wait_for 60 grep -q 0000:ffff: "/sys/class/infiniband/$IBDEV/ports/1/gids"/*
	gid_index
	pingpong_of rc within without-cm 4096 20 -m 1024
	[ "$(pingpong_results "$OUT"/without-cm-*)" = 2 ]
	must_fail rping -c -a "$PEER_IP" -C 1 >"$OUT/rping-none" 2>&1
	grep RDMA_CM_EVENT_ADDR_ERROR "$OUT/rping-none"
	echo "$vnic" >"$driver/unbind"
	kill %1
	wait %1 || true
	bind_vnic
	wait_for 60 device_is_back

	step "the network device of the HCA has the HCA's address, not a random one"
	wait_for 60 hca_address
	[ "$(hca_address)" = "$address" ]
	echo 0 >$gen_mode

	step "kernel users of RDMA other than rdma_cm are refused"
	modprobe -a rds_rdma nvme_rdma ib_iser
	modprobe -r rds_rdma nvme_rdma ib_iser
fi

step "the device has the addresses of the network device"
ibv_devinfo -v | grep 'GID\[' | tee "$OUT/gids"
grep -q "::ffff:$MY_IP, RoCE v2" "$OUT/gids"
rdma link show "$IBDEV/1" | grep 'netdev eth0'
before=$(gid_count)
ip addr add "$MY_IP6/64" dev eth0 nodad
ip addr add "10.88.0.$number/24" dev eth0
wait_for 60 gids_are $((before + 2))
ip link add link eth0 name eth0.5 type vlan id 5
ip addr add "10.89.0.$number/24" dev eth0.5
ip link set eth0.5 up
wait_for 60 eval "grep -qx eth0.5 /sys/class/infiniband/$IBDEV/ports/1/gid_attrs/ndevs/* 2>/dev/null"
ip link del eth0.5
ip addr del "10.88.0.$number/24" dev eth0
wait_for 60 gids_are $((before + 1))

step "another guest cannot take them"
KLOG_HARMLESS+=('add_roce_gid GID add failed' 'ib_cache_gid_add: unable to add gid')
guest_barrier addressed
ip addr add "$PEER_IP/32" dev eth0
wait_for 60 eval "lab-klog | grep -E 'host refuse.*$PEER_IP: (another machine|in use)' >/dev/null"
gids_are $((before + 1))
ip addr del "$PEER_IP/32" dev eth0
guest_barrier refused

run_pair rping rping -s -a "$at" -C 20 -V -- rping -c -a "$at" -C 20 -V
run_pair rping-any rping -s -C 5 -V -- rping -c -a "$at" -C 5 -V
run_pair rping-6 rping -s -a "$at6" -C 5 -V -- rping -c -a "$at6" -C 5 -V
run_pair rping-large rping -s -a "$at" -C 5 -S 65000 -V \
	-- rping -c -a "$at" -C 5 -S 65000 -V
step "another address asks for a QP of a connection, or moves"
if [ "$LAB_MACHINE" = guest2 ]; then
	wait_for 60 no_cm_ids
	rping -s -a "$at" -S 4096 -V >"$OUT/rping-live" &
	live=$!
	wait_for 60 listening
	put rping-live up
else
	get rping-live >/dev/null
	rping -c -a "$at" -S 4096 -V >"$OUT/rping-live" &
	live=$!
fi
wait_for 60 is_connected
guest_barrier connected
if [ "$LAB_MACHINE" = guest1 ]; then
	# the receiver looks for it before anything else
	ip addr add fd77::98/64 dev eth0 nodad
	wait_for 60 gids_are $((before + 2))
	get request-awaited >/dev/null
	python3 "$CASE/../cm/forge.py" request eth0 "$at6" fd77::98 \
		"$(tr -d : <"/sys/class/infiniband/$IBDEV/node_guid")" \
		"$(rdma resource show qp | sed -n 's/.* lqpn \([0-9]*\) .*type RC state RTS.*/\1/p')"
else
	received=$(gsi received)
	put request-awaited yes
	wait_for 60 one_more received "$received"
	# the end of a connection takes a few datagrams
	sleep 5
fi
guest_barrier request
is_connected
kill -0 $live
if [ "$LAB_MACHINE" = guest1 ]; then
	ip addr del fd77::98/64 dev eth0
	wait_for 60 gids_are $((before + 1))
fi
if [ "$LAB_MACHINE" = guest1 ]; then
	ip addr add fd77::99/64 dev eth0 nodad
	wait_for 60 gids_are $((before + 2))
	guest_barrier there
	ip addr del fd77::99/64 dev eth0
	wait_for 60 gids_are $((before + 1))
	guest_barrier gone
else
	guest_barrier there
	guest_barrier gone
	ip addr add fd77::99/64 dev eth0 nodad
	wait_for 60 gids_are $((before + 2))
	ip addr del fd77::99/64 dev eth0
fi
# long enough for retries of a lost packet to end
sleep 5
kill -0 $live
is_connected
guest_barrier alive
# the other end may have ended it
kill $live || true
wait $live || true
guest_barrier ended

step "packets are lost, duplicated, delayed or malformed"
tc qdisc add dev eth0 root netem loss 10% duplicate 20% delay 5ms 5ms
# 280 bytes is the expected length
for bytes in 0 1 8 100 279 281 1400 280 280 280 280 280 280 280 280; do
	head -c $bytes /dev/urandom >"/dev/udp/$PEER_IP/4791"
done
# Few connections: after an MRA, the IB CM waits 69 seconds before it repeats a REP. Cases
# that have time for that have more.
run_pair ucmatose-lossy ucmatose -b "$at" -c "${LOSSY:-4}" -C 5 -S 1000 \
	-- ucmatose -s "$at" -c "${LOSSY:-4}" -C 5 -S 1000
expect_text ucmatose-lossy 'return status 0'
tc qdisc del dev eth0 root
noise=$(gsi malformed)
[ "$noise" -gt 0 ]

step "packets come in the name of their receiver"
put "link-local-$LAB_MACHINE" "$(ip -6 -o addr show dev eth0 scope link | sed 's/.*inet6 //; s,/.*,,')"
python3 "$CASE/../cm/forge.py" own-address eth0 "$(get "link-local-guest$((3 - number))")"
wait_for 60 one_more malformed "$noise"
noise=$(gsi malformed)

run_pair ucmatose ucmatose -b "$at" -c 20 -C 10 -S 1000 \
	-- ucmatose -s "$at" -c 20 -C 10 -S 1000
expect_text ucmatose 'test complete'
expect_text ucmatose 'return status 0'
wait_for 60 no_cm_ids
barrier connected
grep . "/sys/class/infiniband/$IBDEV/ports/1/hw_counters"/gsi_*
cd "/sys/class/infiniband/$IBDEV/ports/1/hw_counters"
[ "$(cat gsi_icrc_errors gsi_key_violations gsi_no_buffer)" = $'0\n0\n0' ]
[ "$(gsi malformed)" = "$noise" ]

step "the address of the HCA changes"
barrier changed
wait_for 60 has_gid "$(get "gid-$LAB_HOST")"
wait_for 60 gids_are $((before + 1))
barrier seen
barrier end
klog_check
