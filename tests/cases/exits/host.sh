#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# RDMA writes of guest 1 to guest 2 over the software HCA, with completions that are
# polled, cost no exits of the guests, no kicks and commands, and no system calls. KVM,
# HyV, the HCA and the guest's kernel count them, while a program sleeps, while it only
# polls, and while it writes. In a window of time in which something is counted no script
# runs in the guests, and none but a sleep on the host.
. "$HYV_TREE/tests/lib/case.sh"

TRACING=/sys/kernel/tracing
REASONS=hist:keys=common_pid,isa,exit_reason:sort=hitcount.descending
CALLS=hist:keys=common_pid
COUNTERS=/sys/class/infiniband/$IBDEV/ports/1/hw_counters
# seconds of a window, and until what a script has left to do in a guest is over
WINDOW=10 QUIET=2
declare -A LEAST=([64]=100000 [65536]=1000)

# inside COMMAND: in guest 1
inside() {
	lab-guest 1 exec "$*"
}

# signal NAME: to the program in guest 1
signal() {
	inside "pkill -$1 -x exchange"
}

# ready SIZE: status 0 if the program sleeps
ready() {
	grep -qsx ready "$LAB_CASE/guest1/writes-$1.client"
}

# threads: print "TID guestN" for each thread of the guests' QEMUs
threads() {
	local n task

	for n in 1 2; do
		for task in "/proc/$(lab-guest $n pid)/task"/*; do
			echo "${task##*/} guest$n"
		done
	done
}

# kvm_counters WINDOW EDGE: of KVM and the HCA, and the time
kvm_counters() {
	echo "$1 $2 time us ${EPOCHREALTIME/./}"
	awk -v prefix="$1 $2" '
		file == "threads" { guest[$1] = $2; next }
		file ~ /^(hca|guest.)$/ {
			name = FILENAME
			sub(/.*\//, "", name)
			if (name != "lifespan")
				print prefix, file, name, $1
			next
		}
		$1 == "{" {
			gsub(/[{}:,]/, " ")
			if ($2 in guest)
				print prefix, guest[$2], \
				      ($4 == 2 ? "svm/" : "vmx/") $6, $8
		}
		$1 == "Dropped:" && $2 { exit 1 }' \
		file=threads "$OUT/threads" file=hca "$COUNTERS"/* \
		file=guest1 "${KVM[1]}"/{exits,pf_*} \
		file=guest2 "${KVM[2]}"/{exits,pf_*} \
		file=reasons $TRACING/events/kvm/kvm_exit/hist
}

# other_counters WINDOW EDGE: of HyV, and of the guest; set CALLS_MADE
other_counters() {
	local n

	for n in 1 2; do
		hyv --json stats pid "$(lab-guest $n pid)" | jq -r '.[0].counters |
			to_entries[] | "\(.key) \(.value)"' |
			sed "s/^/$1 $2 guest$n /"
	done
	CALLS_MADE=$(inside "cat $TRACING/events/raw_syscalls/sys_enter/hist" |
		awk -v pid="$PROGRAM" '$3 == pid { calls = $NF } END { print calls + 0 }')
	echo "$1 $2 guest1 syscalls $CALLS_MADE"
}

# requests: set REQUESTS to what the HCA has executed; starts no process
requests() {
	read -r REQUESTS <"$COUNTERS/requests"
}

# window NAME LEAST: count until there are so many messages
window() {
	local start

	step "$1"
	{
		other_counters "$1" begin
		sleep $QUIET
		kvm_counters "$1" begin
		requests
		start=$REQUESTS
		sleep $WINDOW
		requests
		until [ $((REQUESTS - start)) -ge "$2" ]; do
			sleep $WINDOW
			requests
		done
		kvm_counters "$1" end
		other_counters "$1" end
	} >>"$counters"
}

# count SIZE: all windows for messages of a size. What the machine does to rates, it does
# to those of both kinds of windows that are in turn.
count() {
	local turn

	counters=$OUT/counters-$1
	wait_for 300 ready "$1"
	PROGRAM=$(inside "pgrep -x exchange")
	[[ $PROGRAM =~ ^[0-9]+$ ]] || fail "not one program: '$PROGRAM'"
	window idle 0
	signal USR1
	window polling 0
	for ((turn = 0; turn < 2; turn++)); do
		signal USR1
		window writing $((LEAST[$1] / 2 + 1))
		signal USR1
		window polling 0
	done
	signal TERM
	# each signal has cost some
	[ "$CALLS_MADE" -gt 0 ] || fail "the program's system calls were not counted"
}

[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING
inside "[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING;" \
	"echo $CALLS >$TRACING/events/raw_syscalls/sys_enter/trigger"
modprobe kvm
echo "$REASONS" >$TRACING/events/kvm/kvm_exit/trigger
threads >"$OUT/threads"
KVM=()
for n in 1 2; do
	KVM[n]=$(echo /sys/kernel/debug/kvm/"$(lab-guest $n pid)"-*)
done

for size in 64 65536; do
	step "messages of $size bytes"
	count $size
done
echo "!$REASONS" >$TRACING/events/kvm/kvm_exit/trigger
inside "echo '!$CALLS' >$TRACING/events/raw_syscalls/sys_enter/trigger"
barrier end

verdict=0
for size in 64 65536; do
	printf '\nRDMA writes of %d bytes: ' $size
	"$HYV_TREE/tests/bench/exits" "${LEAST[$size]}" "$OUT/counters-$size" |
		tee "$OUT/exits-$size" || verdict=1
done
[ $verdict = 0 ] || fail "messages cost more than they may"
klog_check
