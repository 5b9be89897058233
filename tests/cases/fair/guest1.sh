#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A process with hundreds of slow commands delays only itself, and hundreds of
# processes only others of the same user.
. "$HYV_TREE/tests/lib/case.sh"

# on the host's network, and nobody's
NOBODY=::ffff:10.77.0.250
ROUNDS=100
STRANGER=(setpriv --reuid 65534 --regid 65534 --clear-groups)

is_flooding() {
	grep -q flooding "$OUT/flood"
}

# flood_start THREADS [PROCESSES]: of another user, if there are more than one
flood_start() {
	${2:+"${STRANGER[@]}"} fair flood "$1" $NOBODY ${2:+"$2"} >"$OUT/flood" 2>&1 &
	flood=$!
	wait_for 300 is_flooding
	# the first commands have been returned, and others taken their places
	sleep 3
}

# ended: status 0 if no process of fair is left
ended() {
	! pgrep -x fair >/dev/null
}

# flood_end [PROCESSES]: kill it; all of it ends when the commands that the host has
# are over. If each process waited for a command of another one, that would take a
# second for each.
flood_end() {
	local start took limit=$((5000 + 250 * ${1:-0}))

	# it runs, and pgrep finds all of it
	[ "$(pgrep -cx fair)" = $((1 + ${1:-0})) ]
	start=$EPOCHREALTIME
	kill -9 $flood
	wait $flood || true
	# the other processes are not this script's children
	wait_for 180 ended
	took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	printf 'ended after %d ms\n' $took
	[ $took -lt $((limit * LAB_TIMEOUT_SCALE)) ] || fail "a killed process stays"
}

step "alone"
fair measure $ROUNDS >/dev/null
read -r median longest <<<"$(fair measure $ROUNDS)"
printf 'median %d us, longest %d us\n' "$median" "$longest"
# A slow command takes a second. Waiting for one would show, and a busy CPU may
# not.
limit=$((5 * median + 100000))

for load in 16 256 "2 128"; do
	read -r threads processes <<<"$load"
	step "with $threads other threads with slow commands${processes:+, in each of $processes processes}"
	flood_start "$threads" "$processes"
	read -r median longest <<<"$(fair measure $ROUNDS)"
	printf 'median %d us, longest %d us\n' "$median" "$longest"
	[ "$median" -lt $limit ] || fail "the median is more than $limit us"

	step "several other processes at the same time"
	for ((i = 0; i < 4; i++)); do
		fair measure 20 >"$OUT/several.$i" &
		several[i]=$!
	done
	for ((i = 0; i < 4; i++)); do
		wait "${several[i]}"
	done
	cat "$OUT"/several.*
	flood_end "$processes"
done

step "transfers still work"
soak -n 50
barrier end
klog_check
