#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How the software HCA scales with guests: 2, 4 and 8 guests in pairs, or one that writes to
# itself, make RDMA writes at the same time. The HCA counts them, while no script runs in a
# guest. The figures go to $OUT/scale, a line "GUESTS SIZE RATE" each, the median of all
# runs, in messages per second.
. "$HYV_TREE/tests/lib/case.sh"

COUNTERS=/sys/class/infiniband/$IBDEV/ports/1/hw_counters
# seconds of a run, and until what a script has left to do in a guest is over
WINDOW=4 QUIET=2
RUNS=3

# end_in GUEST FUNCTION ARGUMENT...: run end.sh there. Replaces the shell that calls it, so
# that a signal reaches the program that waits for the guest.
end_in() {
	exec lab-guest "$1" exec "LAB_CASE=$LAB_CASE OUT=$OUT bash $CASE/end.sh ${*:2}"
}

# signal NAME CLIENT...: to the programs of clients
signal() {
	local client pid pids=()

	for client in "${@:2}"; do
		# the last one, as the server may be there, too
		lab-guest "$client" exec "pkill -n -$1 -x exchange" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
}

# is_ready NAME: status 0 if the program of a client sleeps
is_ready() {
	grep -qsx ready "$OUT/$1.client"
}

# rate: print how many messages a second there are
rate() {
	local start end since now

	since=${EPOCHREALTIME/./}
	read -r start <"$COUNTERS/requests"
	sleep $WINDOW
	read -r end <"$COUNTERS/requests"
	now=${EPOCHREALTIME/./}
	echo $(((end - start) * 1000000 / (now - since)))
}

# measure GUESTS SIZE
measure() {
	local guests=$1 size=$2 client server name run
	local -a clients=() ends=()

	for ((client = 1; client <= guests; client += 2)); do
		server=$((guests == 1 ? 1 : client + 1))
		name=writes-$guests-$size-$client
		end_in "$server" server "$name" exchange -w "$size" &
		ends+=($!)
		end_in "$client" client "$name" 10.77.0.1$server exchange -w "$size" &
		ends+=($!)
		clients+=("$client")
	done
	for client in "${clients[@]}"; do
		wait_for 300 is_ready "writes-$guests-$size-$client"
	done
	# to poll, and then to write
	signal USR1 "${clients[@]}"
	signal USR1 "${clients[@]}"
	sleep $QUIET
	# They poll until the guests are done, and would take time from the HCA's threads.
	kill -STOP "${ends[@]}"
	for ((run = 0; run < RUNS; run++)); do
		rate
	done | sort -g | sed -n "$((RUNS / 2 + 1))p" >"$OUT/rate"
	kill -CONT "${ends[@]}"
	signal TERM "${clients[@]}"
	# each server has checked what it has
	for end in "${ends[@]}"; do
		wait "$end"
	done
	echo "$guests $size $(<"$OUT/rate")" | tee -a "$OUT/scale"
}

for size in 64 65536; do
	for guests in 1 2 4 8; do
		step "$guests guests, messages of $size bytes"
		measure $guests $size
	done
done
for guest in {1..8}; do
	(end_in "$guest" klog_check)
done
klog_check
