#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare the throughput and the commands of guest 2 while guest 1 attacks with those
# while guest 1 only computes: both guests have an equal share of the host's CPUs, and
# use it. Each attack is measured next to such a baseline, as often as options says.
. "$HYV_TREE/tests/lib/case.sh"

# seconds of a measurement, and threads of an attacker
EACH=20
declare -A THREADS=([objects]=8 [pin]=4 [commands]=16 [slow]=64 [doorbells]=4
	[events]=8 [cm]=1 [burn]=1)
# rxe logs requests that it refuses
KLOG_HARMLESS+=('^rdma_rxe: ' "(^| )$IBDEV: ")
figures=$OUT/figures

# fresh_guest N: a new one in its own group, which has the same weight as any other
fresh_guest() {
	local group=/sys/fs/cgroup/guest$1

	! lab-guest "$1" pid >/dev/null || lab-guest "$1" kill
	mkdir -p "$group"
	(
		echo $BASHPID >"$group/cgroup.procs"
		lab-guest "$1" start
	)
}

fresh_guests() {
	local pid

	fresh_guest 1
	fresh_guest 2
	lab-guest 1 wait-up
	lab-guest 2 wait-up
	for pid in $(pgrep '^(hyv|vhost)-'); do
		printf '%s is in %s\n' "$(<"/proc/$pid/comm")" \
			"$(grep '^0:' "/proc/$pid/cgroup")"
	done
}

attacker() {
	lab-guest 1 exec "bash $CASE/attacker.sh $*"
}

# measure KIND NAME: what guest 2 gets; a line in the file figures
measure() {
	local line

	attacker start "$1" "${THREADS[$1]}"
	line=$(lab-guest 2 exec "bash $CASE/victim.sh $EACH")
	attacker stop "$1"
	printf '%s %s\n' "$2" "$line" | tee -a "$figures"
}

# attacks KIND...
attacks() {
	local kind round

	for ((round = 1; round <= LAB_SOAK_ROUNDS; round++)); do
		step "round $round of $LAB_SOAK_ROUNDS: $*"
		for kind; do
			measure burn "$kind base"
			measure "$kind" "$kind attack"
		done
	done
}

mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control

step "guests with the GIDs of the HCA"
fresh_guests
attacks objects pin commands slow doorbells events
hyv show

step "guests with vGIDs, which the CM needs"
export LAB_HYV_PROPS=$LAB_HYV_PROPS,guest-addresses=on
fresh_guests
attacks cm

klog_check
lab-guest 1 kill
lab-guest 2 kill
step "the table"
status=0
"$HYV_TREE/tests/soak/fair-table" "$figures" >"$OUT/table" || status=$?
cat "$OUT/table"
[ $status = 0 ] || fail "guest 2 does not get its share"
