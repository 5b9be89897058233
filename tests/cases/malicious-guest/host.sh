#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 attacks its vNIC, with the seed and the seconds of the file options, while
# guest 2 transfers. QEMU survives and always answers its monitor, the host keeps
# nothing of guest 1 and logs little, and guest 2 does not notice.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"

# rxe logs what it refuses.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$')
# The most lines in the host's log, for each second of an attack
LINES=20
ROUNDS=2
# The longest that QEMU's monitor may take, in milliseconds. An emulated host is busy
# with all that this takes.
LONGEST=$((1000 * LAB_TIMEOUT_SCALE))
[ "$LAB_ACCEL" = kvm ] || LONGEST=$((5000 * LAB_TIMEOUT_SCALE))

# attacker ARGUMENT...: run the attacker's script in guest 1
attacker() {
	timeout $(((LAB_FUZZ_SECONDS + 240) * LAB_TIMEOUT_SCALE)) \
		lab-guest 1 exec "bash $CASE/attacker.sh $*"
}

# lives: fail if the first QEMU of guest 1 has ended
lives() {
	[ "$(lab-guest 1 pid)" != "$pid1" ] || return 0
	tail -n 20 "$(lab-guest 1 log)"
	fail "QEMU has ended"
}

# watch: ask the monitor all the time; the longest answer, in milliseconds, is in
# $OUT/longest
watch() {
	local longest=0 took began nr=0

	while [ ! -e "$OUT/watched" ]; do
		began=${EPOCHREALTIME/./}
		lab-guest 1 qmp '{"execute":"query-status"}' >/dev/null
		took=$(((${EPOCHREALTIME/./} - began) / 1000))
		[ $took -le $longest ] || longest=$took
		nr=$((nr + 1))
		printf '%d %d\n' $longest $nr >"$OUT/longest"
		sleep 0.3
	done
}

get soaking >/dev/null
pid1=$(lab-guest 1 pid)
pid2=$(lab-guest 2 pid)
wait_for 30 has qp "$pid2" 2

watch &
watcher=$!
for ((round = 0; round < ROUNDS; round++)); do
	seed=$((LAB_FUZZ_SEED + round))
	step "attack with seed $seed"
	if [ $round = $((ROUNDS - 1)) ]; then
		# the machine is reset in the middle of it
		attacker attack $seed "$LAB_FUZZ_SECONDS" "$OUT/begun" || true &
		wait_for 30 test -e "$OUT/begun"
		sleep $((LAB_FUZZ_SECONDS / 2))
		lab-guest 1 reset
		wait $!
		lab-guest 1 wait-up
		attacker check-driver
	else
		attacker attack $seed "$LAB_FUZZ_SECONDS" >"$OUT/attack.$seed" || lives
		cat "$OUT/attack.$seed"
		grep -qE ' [1-9][0-9]* replies, [1-9][0-9]* successes' \
			"$OUT/attack.$seed"
		attacker check
	fi
	lives
	wait_for 60 no_objects "$pid1"
done

step "the monitor"
: >"$OUT/watched"
wait $watcher
read -r longest nr <"$OUT/longest"
echo "$nr answers, the longest in $longest ms"
[ "$nr" -gt 10 ]
[ "$longest" -lt $LONGEST ]

step "guest 2 has not noticed"
has qp "$pid2" 2
hyv show
put stop yes
wait_for 60 no_objects "$pid2"

step "nothing is left of QEMU"
lab-guest 1 kill
gone "$pid1"

step "the log"
lines=$(lab-klog | wc -l)
echo "$lines lines"
[ "$lines" -lt $((LINES * ROUNDS * LAB_FUZZ_SECONDS + 100)) ]
klog_check
