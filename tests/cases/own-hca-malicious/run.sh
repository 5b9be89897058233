# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The programs malformed and scribble, and neighbours that must not notice them, on a host
# or in a guest. Needs tests/lib/case.sh.

# A transfer that takes longer ends them, in seconds.
SLOWEST=$((20 * LAB_TIMEOUT_SCALE))

# neighbours: start them; sets NEIGHBOURS
neighbours() {
	local events

	for events in '' -e; do
		# shellcheck disable=SC2086 # none is no option
		soak $events -s 64K -i 20 -w $SLOWEST >"$OUT/neighbour$events" &
		NEIGHBOURS+=($!)
	done
	for events in '' -e; do
		wait_for 60 grep transferring "$OUT/neighbour$events"
	done
}

# undisturbed: end the neighbours, who have verified all their transfers
undisturbed() {
	local pid

	kill "${NEIGHBOURS[@]}"
	for pid in "${NEIGHBOURS[@]}"; do
		wait "$pid"
	done
	cat "$OUT"/neighbour*
	[ "$(cat "$OUT"/neighbour* | grep -cE '^[1-9][0-9]* transfers ')" = 2 ]
}

# reports PATTERN COUNT: so many lines of the report of scribble match
reports() {
	[ "$(grep -cE "$1" "$OUT/scribble")" = "$2" ] || fail "not $2 lines: $1"
}

# malformed_requests: each ends with the error of its kind
malformed_requests() {
	local status=0

	step "malformed"
	# libmlx5 prints each completion with an error
	timeout $((120 * LAB_TIMEOUT_SCALE)) malformed >"$OUT/malformed" \
		2>"$OUT/malformed.errors" || status=$?
	cat "$OUT/malformed"
	[ $status = 0 ] || {
		tail -n 5 "$OUT/malformed.errors" >&2
		fail "malformed: status $status"
	}
	tap_complete "$OUT/malformed"
}

# scribble_for SECONDS: everything was tried, and worked at times
scribble_for() {
	step "scribble -s $LAB_FUZZ_SEED -t $1"
	scribble -s "$LAB_FUZZ_SEED" -t "$1" >"$OUT/scribble" ||
		fail "scribble: status $?"
	cat "$OUT/scribble"
	reports '^RC opcode .* done [1-9]' 10
	reports '^UC opcode .* done [1-9]' 6
	reports '^UD opcode .* done [1-9]' 3
	# None binds a window of its peer.
	reports '^XRC opcode .* done [1-9]' 9
	reports '^act .*: [1-9]' 11
	reports '^[1-9][0-9]* completions, [1-9][0-9]* events, [1-9]' 1
	reports '^processes: [1-9][0-9]* ended, [1-9][0-9]* killed, 0 crashed$' 1
	reports '^[1-9][0-9]* transfers of neighbours verified$' 1
}
