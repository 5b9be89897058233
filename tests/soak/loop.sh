# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Loops of the cases soak-*: guest 1, or what it does, begins and ends over and over,
# while guest 2 transfers (tests/lib/witness.sh). Afterwards all machines must have
# got back what they had given away (counts). The host's scripts source case.sh and
# ends.sh before.
#
# WATCHED   guests that run all the time, whose counts are compared, too
WATCHED=(2)

COUNTS=$HYV_TREE/tests/soak/counts
IDLE=5
# the random instants of this machine
RANDOM=1

# nap: sleep for less than a second
nap() {
	sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
}

# restart: guest 1, whose QEMU has ended
restart() {
	lab-guest 1 start
	lab-guest 1 wait-up
}

# snapshots NAME: print the paths of all snapshots with this name
snapshots() {
	local n

	printf '%s\n' "$OUT/$1"
	for n in "${WATCHED[@]}"; do
		printf '%s\n' "$LAB_CASE/guest$n/$1"
	done
}

# count_all NAME: make them
count_all() {
	local n

	"$COUNTS" snap "$OUT/$1"
	for n in "${WATCHED[@]}"; do
		lab-guest "$n" exec "bash $COUNTS snap $LAB_CASE/guest$n/$1"
	done
}

# measure_noise: how much the counts vary without the loop; the last of the idle
# snapshots is the one from before the loop
measure_noise() {
	local i dir

	for ((i = 1; i <= IDLE; i++)); do
		count_all "idle.$i"
		sleep 2
	done
	while read -r dir; do
		"$COUNTS" noise "$dir/noise" "$dir"/idle.[1-9]
		cp "$dir/idle.$IDLE" "$dir/before"
	done < <(snapshots .)
}

# all_back: compare with the snapshots from before, and print the differences
all_back() {
	local dir status=0

	count_all after
	while read -r dir; do
		"$COUNTS" diff "$dir/before" "$dir/after" "$dir/noise" >"$dir/lost" ||
			status=1
	done < <(snapshots .)
	return $status
}

# witness_lives: status 0 if no script has failed
witness_lives() {
	[ ! -e "$LAB_CASE/failed" ] && [ ! -e "$LAB_CASE/guest2.rc" ]
}

# compare: what ends late, such as work of RCU, has time to
compare() {
	local try dir

	for ((try = 0; try < 6; try++)); do
		! all_back || return 0
		sleep $((5 * LAB_TIMEOUT_SCALE))
	done
	while read -r dir; do
		[ ! -s "$dir/lost" ] || sed "s,^,lost by ${dir#"$LAB_CASE/"}: ," "$dir/lost"
	done < <(snapshots .)
	return 1
}

# loop FUNCTION: call it for each round, with the round's number, after two that fill
# caches. It leaves the machines as it found them.
loop() {
	local round rounds=$LAB_SOAK_ROUNDS start

	get soaking >/dev/null
	wait_for 60 has qp "$(lab-guest 2 pid)" 2
	step "two rounds before the counts"
	"$1" 1
	"$1" 2
	step "the counts of idle machines"
	measure_noise
	start=$SECONDS
	for ((round = 1; round <= rounds; round++)); do
		step "round $round of $rounds"
		"$1" $round
		witness_lives || fail "guest 2 has noticed"
	done
	step "$rounds rounds in $((SECONDS - start)) seconds"
	compare || fail "not everything is back"
	put stop yes
	get stopped
	tail -n 1 "$LAB_CASE/guest2/soak"
	klog_check
	printf '%s: %d rounds, 0 leaks\n' "${CASE##*/}" "$rounds"
}
