#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Processes of the host connect by rdma_cm, through hyvs0: to each other, and to a
# guest in guest addressing, in both directions. All programs of rdma-core for RC, UD
# and XRC work, also over IPv6. The device goes below processes that are connected.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/cm.sh"

KLOG_HARMLESS+=('^hyvs: (loading out-of-tree module|module verification failed)')
COUNTERS=/sys/class/infiniband/$IBDEV/ports/1/hw_counters

# says NAME TEXT: fail if a half of a pair of programs did not print it
says() {
	local side

	for side in server client; do
		grep -q -- "$2" "$OUT/$1.$side" || {
			cat "$OUT/$1.$side"
			fail "$side of $1 did not print: $2"
		}
	done
}

# gsi NAME: what a counter has counted since the case began
gsi() {
	echo $(($(<"$COUNTERS/gsi_$1") - before[$1]))
}

# connected DEVICE: status 0 if it has connected QPs of processes, both of a pair
connected() {
	[ "$(rdma resource show qp link "$1/1" | grep -c 'type RC state RTS')" = 2 ]
}

# Other cases with the same device came before.
declare -A before
for counter in malformed send_errors icrc_errors key_violations no_buffer; do
	before[$counter]=$(<"$COUNTERS/gsi_$counter")
done

put host-ip "$MY_IP"
guest=$(get guest-ip)
ip addr add "$MY_IP6/64" dev hca0 nodad
ibv_devinfo -v -d "$IBDEV" | grep 'GID\[' | tee "$OUT/gids"
gid_index

run_pair rping rping -s -a "$MY_IP" -C 10 -V -- rping -c -a "$MY_IP" -C 10 -V
run_pair rping-any rping -s -C 5 -V -- rping -c -a "$MY_IP" -C 5 -V
run_pair rping-6 rping -s -a "$MY_IP6" -C 5 -V -- rping -c -a "$MY_IP6" -C 5 -V
run_pair rping-large rping -s -a "$MY_IP" -C 5 -S 65000 -V \
	-- rping -c -a "$MY_IP" -C 5 -S 65000 -V
run_pair ucmatose ucmatose -b "$MY_IP" -c 10 -C 10 -S 1000 \
	-- ucmatose -s "$MY_IP" -c 10 -C 10 -S 1000
says ucmatose 'return status 0'
run_pair udaddy udaddy -b "$MY_IP" -c 5 -- udaddy -s "$MY_IP" -c 5
says udaddy 'return status 0'
# The sender destroys its QP without waiting, so that some messages may be lost, or all.
group=239.88.0.1
ready=group_received run_pair mckey \
	stdbuf -oL mckey -m $group -b "$MY_IP" -C 5 \
	-- bash -c "until grep 'return status' $OUT/mckey.server; do
		mckey -s -m $group -b $MY_IP -C 20
	done"
says mckey 'return status 0'
run_pair rdma_server rdma_server -p 7500 -- rdma_client -s "$MY_IP" -p 7500
says rdma_server 'end 0'
run_pair xrc rdma_xserver -p 7501 -c x -- rdma_xclient -s "$MY_IP" -p 7501 -c x
run_pair rstream rstream -b "$MY_IP" -S 65536 -C 20 -I 4 -T b -T v \
	-- rstream -s "$MY_IP" -S 65536 -C 20 -I 4 -T b -T v
# shellcheck disable=SC2046 # several words, or none
endless=1 run_pair cmtime cmtime -b "$MY_IP" -c 50 $(cmtime_apart) \
	-- cmtime -s "$MY_IP" -c 50
for program in ib_send_lat ib_read_bw; do
	run_pair "$program" "$program" -R -F -d "$IBDEV" -n 50 -s 4096 \
		-- "$program" -R -F -d "$IBDEV" -n 50 -s 4096 "$MY_IP"
done
wait_for 60 no_cm_ids
wait_for 60 no_objects

step "datagrams that are none"
for bytes in 0 8 280 1400; do
	head -c $bytes /dev/urandom >"/dev/udp/$MY_IP/4791"
done
run_pair rping-noise rping -s -a "$MY_IP" -C 5 -V -- rping -c -a "$MY_IP" -C 5 -V
grep . "$COUNTERS"/gsi_*
[ "$(gsi malformed)" = 1 ]
for counter in send_errors icrc_errors key_violations no_buffer; do
	[ "$(gsi "$counter")" = 0 ]
done

step "kernel users of RDMA other than rdma_cm are refused"
modprobe -a rds_rdma nvme_rdma ib_iser
modprobe -r rds_rdma nvme_rdma ib_iser

step "a device goes below processes that are connected"
ip link add own type veth peer name own-port
ip link set own-port up
ip link set own up
ip addr add 10.88.0.1/24 dev own
for how in 'rdma link del hyvs1' 'ip link del own'; do
	rdma link add hyvs1 type hyv netdev own
	IBDEV=hyvs1 gid_index
	rping -s -a 10.88.0.1 -S 4096 >"$OUT/rping-gone.server" 2>&1 &
	listener=$!
	wait_for 60 listening
	rping -c -a 10.88.0.1 -S 4096 >"$OUT/rping-gone.client" 2>&1 &
	client=$!
	wait_for 60 connected hyvs1
	# shellcheck disable=SC2086 # a command
	timeout $((60 * LAB_TIMEOUT_SCALE)) $how
	wait_for 60 eval "! rdma link show | grep -w hyvs1"
	kill $listener $client 2>/dev/null || true
	wait $listener $client || true
done

barrier guest
step "a guest is reached only by who is in the map, whatever it says itself"
# reach CODE: connect a QP to the guest
reach() {
	local code=0

	python3 "$CASE/reach.py" "$IBDEV" "$GID_INDEX" "$guest" || code=$?
	[ "$code" = "$1" ]
}
gid_index
reach 113
hyv map add "$MY_IP" via "$MY_IP"
reach 0
step "to the guest"
run_client to-rping rping -c -a "$guest" -C 10 -V
run_client to-ucmatose ucmatose -s "$guest" -c 5 -C 10 -S 1000
step "from the guest"
run_server from-rping rping -s -a "$MY_IP" -C 10 -V
run_server from-ucmatose ucmatose -b "$MY_IP" -c 5 -C 10 -S 1000
run_server from-ib_write_bw ib_write_bw -R -F -d "$IBDEV" -n 50 -s 65536

step "a host that is not in the map"
hyv map del "$MY_IP"
rping -s -a "$MY_IP" >"$OUT/rping-forgotten" 2>&1 &
listener=$!
wait_for 60 listening
barrier forgotten
get refused >/dev/null
kill $listener || true
wait $listener || true

barrier end
ip addr del "$MY_IP6/64" dev hca0
wait_for 60 no_objects "$(lab-guest 1 pid)"
klog_check
