# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# The programs of rdma-core that use rdma_cm, those of perftest with it, and one that
# is written for TCP, between two guests. Scripts source case.sh and cm.sh before.

# guest_programs: the guests' part.
guest_programs() {
	local group=239.88.0.1 preload=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so
	local program

	run_pair udaddy udaddy -b "$at" -c 5 -- udaddy -s "$at" -c 5
	expect_text udaddy 'return status 0'
	ready=group_received run_pair mckey \
		stdbuf -oL mckey -m $group -b "$at" -C 20 \
		-- mckey -s -m $group -b "$MY_IP" -C 20
	expect_text mckey 'return status 0'
	run_pair rdma_server rdma_server -p 7500 -- rdma_client -s "$at" -p 7500
	expect_text rdma_server 'end 0'
	run_pair rstream rstream -b "$at" -S 65536 -C 20 -I 4 -T b -T v \
		-- rstream -s "$at" -S 65536 -C 20 -I 4 -T b -T v
	run_pair riostream riostream -b "$at" -S 65536 -C 20 -I 4 \
		-- riostream -s "$at" -S 65536 -C 20 -I 4
	endless=1 run_pair cmtime cmtime -b "$at" -c 50 -- cmtime -s "$at" -c 50
	[ "$LAB_MACHINE" = guest2 ] || cat "$OUT/cmtime.client"

	# rsockets of datagrams name no GID, which RoCE requires: they fail as on the host.
	[ "$LAB_MACHINE" != guest1 ] ||
		put udpong "$(timeout $((60 * LAB_TIMEOUT_SCALE)) udpong -s "$at" -C 1 2>&1 >/dev/null || echo $?)"
	head -c 3000000 /dev/urandom >/tmp/sent
	endless=1 run_pair rcopy rcopy -p 7490 -- rcopy /tmp/sent "$at:/tmp/received" -p 7490
	if [ "$LAB_MACHINE" = guest1 ]; then
		[ "$(sha256sum </tmp/sent)" = "$(get copied)" ]
	else
		put copied "$(sha256sum </tmp/received)"
	fi

	gid_index
	for program in ib_send_lat ib_write_bw ib_read_bw; do
		run_pair "$program" "$program" -R -F -d "$IBDEV" -n 50 -s 4096 \
			-- "$program" -R -F -d "$IBDEV" -n 50 -s 4096 "$at"
	done

	step "a program written for TCP"
	# the host reads a counter in between
	barrier preload
	barrier preload
	run_pair tcp env LD_PRELOAD=$preload tcpcopy -l "$at" 7600 67108864 \
		-- env LD_PRELOAD=$preload tcpcopy "$at" 7600 67108864
	expect_text tcp 'all is right'
	barrier preloaded
	wait_for 60 no_cm_ids
}

# hca_bytes: a lower bound for those that the HCA has moved. The counters of rdma_rxe are
# packets, of 4 KiB at most, which it sends and receives.
hca_bytes() {
	local counters=/sys/class/infiniband/$IBDEV/ports/1/hw_counters

	if [ "$LAB_HCA" = own ]; then
		cat "$counters/request_bytes"
	else
		echo $((($(<"$counters/sent_pkts") + $(<"$counters/rcvd_pkts")) * 4096))
	fi
}

# host_programs: a host's part.
host_programs() {
	local output before

	output=$(timeout $((60 * LAB_TIMEOUT_SCALE)) udpong -s "$MY_IP" -C 1 2>&1 >/dev/null || echo $?)
	[[ $output == rconnect:* ]]
	[ "$(get udpong)" = "$output" ]
	barrier preload
	before=$(hca_bytes)
	barrier preload
	barrier preloaded
	[ $(($(hca_bytes) - before)) -ge 67108864 ]
}
