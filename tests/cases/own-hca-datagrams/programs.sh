# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Programs that send datagrams between two guests. Scripts source case.sh and cm.sh
# before.

guest_datagrams() {
	local how

	gid_index
	for how in across within; do
		pingpong_of ud $how "ud-$how" 512 50
		pingpong_of ud $how "ud-events-$how" 512 50 -e
	done
	perftest_of UD across ud-lat ib_send_lat -s 1024 -n 50
	run_pair udaddy udaddy -b "$at" -c 5 -- udaddy -s "$at" -c 5
	# A sender destroys its QP without waiting, so that some messages may be lost, or all.
	ready=group_received run_pair mckey \
		stdbuf -oL mckey -m 239.88.0.1 -b "$at" -C 5 \
		-- bash -c "for _ in {1..5}; do
			mckey -s -m 239.88.0.1 -b $MY_IP -C 20 || exit
		done"
}
