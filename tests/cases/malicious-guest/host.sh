#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Guest 1 attacks its vNIC, with the seed and the seconds of the file options, while
# guest 2 transfers. QEMU survives and always answers its monitor, the host keeps
# nothing of guest 1 and logs little, and guest 2 does not notice.
#
# First, the vNIC is on the root bus, where its BARs can be anywhere. Then it is in a
# port, as PCI Express device, and in guest addressing.
. "$HYV_TREE/tests/lib/case.sh"
. "$HYV_TREE/tests/lib/ends.sh"

# rxe logs what it refuses.
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: "
	'^rxe_[a-z_]+: [0-9]+ callbacks suppressed$')
# The most lines in the host's log, for each second of an attack. Its usual length is
# too short for a slow machine, so the seconds that it took count.
LINES=20
attacked=0
# The acts of hyv_malguest.ko that are not possible on the root bus
EXPRESS='function-reset|power'
# The longest that QEMU's monitor may take, in milliseconds. An emulated host is busy
# with all that this takes.
LONGEST=$((1000 * LAB_TIMEOUT_SCALE))
[ "$LAB_ACCEL" = kvm ] || LONGEST=$((5000 * LAB_TIMEOUT_SCALE))
# On slow machines, an attack of the usual length ends before it has done each act.
SECONDS_EACH=$((LAB_FUZZ_SECONDS * LAB_TIMEOUT_SCALE))

# attacker ARGUMENT...: run the attacker's script in guest 1
attacker() {
	timeout $((SECONDS_EACH + 240 * LAB_TIMEOUT_SCALE)) \
		lab-guest 1 exec "bash $CASE/attacker.sh $*"
}

# lives: fail if the first QEMU of guest 1 has ended
lives() {
	[ "$(lab-guest 1 pid)" != "$pid1" ] || return 0
	tail -n 20 "$(lab-guest 1 log)"
	fail "QEMU has ended"
}

# acted FILE [express]: fail unless each act was done that was possible
acted() {
	local acts

	acts=$(grep '^act ' "$1")
	[ "$(wc -l <<<"$acts")" -ge 20 ]
	[ -n "$2" ] || acts=$(grep -vE "^act ($EXPRESS) " <<<"$acts")
	must_fail grep ' 0$' <<<"$acts"
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

begin_watch() {
	rm -f "$OUT/watched"
	watch &
	watcher=$!
}

end_watch() {
	local longest nr

	: >"$OUT/watched"
	wait $watcher
	read -r longest nr <"$OUT/longest"
	echo "$nr answers of the monitor, the longest in $longest ms"
	[ "$nr" -gt 10 ]
	[ "$longest" -lt $LONGEST ]
}

# attack SEED [express]: to the end
attack() {
	local file=$OUT/attack.$1 began

	step "attack with seed $1"
	began=$SECONDS
	attacker attack "$1" $SECONDS_EACH "$LAB_TIMEOUT_SCALE" >"$file" || lives
	attacked=$((attacked + SECONDS - began))
	cat "$file"
	grep -qE ' [1-9][0-9]* replies, [1-9][0-9]* successes' "$file"
	acted "$file" "${2:-}"
	attacker check
	lives
	wait_for 60 no_objects "$pid1"
}

get soaking >/dev/null
pid1=$(lab-guest 1 pid)
pid2=$(lab-guest 2 pid)
wait_for 60 has qp "$pid2" 2

begin_watch
attack "$LAB_FUZZ_SEED"
end_watch

step "in a port, in guest addressing"
lab-guest 1 kill
gone "$pid1"
LAB_GUEST_ARGS="-device pcie-root-port,id=rp,chassis=1,pref64-reserve=8G" \
	LAB_HYV_PROPS=$LAB_HYV_PROPS,bus=rp,guest-addresses=on \
	lab-guest 1 start
lab-guest 1 wait-up
pid1=$(lab-guest 1 pid)
begin_watch
attack $((LAB_FUZZ_SEED + 1)) express

step "the machine is reset in the middle of an attack"
began=$SECONDS
attacker attack $((LAB_FUZZ_SEED + 2)) $SECONDS_EACH "$LAB_TIMEOUT_SCALE" \
	"$OUT/begun" || true &
attack=$!
wait_for 60 test -e "$OUT/begun"
sleep $((SECONDS_EACH / 2))
lab-guest 1 reset
attacked=$((attacked + SECONDS - began))
wait $attack
lab-guest 1 wait-up
attacker check-driver
lives
wait_for 60 no_objects "$pid1"
end_watch

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
echo "$lines lines, $attacked seconds of attacks"
[ "$lines" -lt $((LINES * attacked + 100)) ]
klog_check
