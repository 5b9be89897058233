#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: plugged.sh use DEV | works DEV | ends DEV | appears DEV | between DEV DEV
#                   fails DEV | resets DEV | leaves DEV | sleeps
#
# The part of guest 1 in cases that plug vNICs, see plug.sh.
. "$HYV_TREE/tests/lib/case.sh"

dir=/run/hotplug
mkdir -p $dir
OUT=$dir

device=${2:-hyv0}
of=$dir/$device

# ended PID: zombies have ended, too
ended() {
	! grep -qs '^State:[[:blank:]]*[^XZ]' "/proc/$1/status"
}

# pid PROGRAM: which one "use" has started
pid() {
	cat "$of.$1.pid"
}

transferring() {
	grep -q transferring "$of.$1"
}

# start PROGRAM COMMAND...: in the background, to go on after this script.
start() {
	local name=$1

	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	IBDEV=$device setsid bash -c 'echo $$ >"$0"; exec "$@"' "$of.$name.pid" \
		"$@" >"$of.$name" 2>&1 </dev/null &
	wait_for 60 test -s "$of.$name.pid"
}

# over PROGRAM: wait for its end, or say what it is waiting for.
over() {
	local pid i

	pid=$(pid "$1")
	! becomes 60 ended "$pid" || return 0
	cat "$of.$1" "/proc/$pid/stack"
	for i in "/proc/$pid/task"/*; do
		cat "$i/stack"
	done
	fail "$1 does not end"
}

gone() {
	[ ! -e "/sys/class/infiniband/$device" ]
}

# failed: all that "use" has started knows that the device has failed.
failed() {
	local program

	# a program that waits for events gets an error; one that polls may poll forever
	over events
	wait_for 60 grep -q event_type "$of.watch"
	sleep 1
	cat "$of".{events,polls,watch,apart}
	must_fail grep 'the slowest in' "$of.events"
	over apart
	grep -qx apart "$of.apart"
	# just one event, after which ib_uverbs lets a reader wait forever
	[ "$(grep -c event_type "$of.watch")" = 1 ]
	grep -E 'event_type .*\(8\)' "$of.watch"
	for program in polls watch; do
		ended "$(pid $program)" || kill -KILL "$(pid $program)"
		over $program
	done
}

# try_sleep: whether it was refused is for who reads this.
try_sleep() {
	if echo mem >/sys/power/state; then
		echo "hotplug: slept"
	else
		echo "hotplug: refused"
	fi
}

case $1 in
use)
	rm -f "$of".*
	start events soak -e
	start polls soak -s 20000
	start watch ibv_asyncwatch -d "$device"
	start apart apart
	wait_for 60 transferring events
	wait_for 60 transferring polls
	wait_for 60 eval "grep -q anon_inode <(ls -l /proc/$(pid watch)/fd)"
	wait_for 60 grep -q waiting "$of.apart"
	;;
works)
	kill -0 "$(pid events)" "$(pid polls)" "$(pid watch)" "$(pid apart)"
	IBDEV=$device soak -n 5
	;;
ends)
	kill -TERM "$(pid events)" "$(pid polls)" "$(pid watch)" "$(pid apart)"
	for program in events polls watch apart; do
		over $program
		cat "$of.$program"
	done
	[ "$(grep -c 'the slowest in' "$of.events" "$of.polls" | grep -c ':1$')" = 2 ]
	;;
appears)
	wait_for 60 test -e "/sys/class/infiniband/$device"
	wait_for 60 eval "ibv_devices | grep -w $device"
	IBDEV=$device soak -n 5
	;;
between)
	# two devices on one HCA, so they have the same addresses
	IBDEV=$2 gid_index
	ibv_rc_pingpong -d "$2" -g "$GID_INDEX" -n 50 -c -p 19000 >"$OUT/server" &
	wait_for 60 listens 19000
	ibv_rc_pingpong -d "$3" -g "$GID_INDEX" -n 50 -c -p 19000 127.0.0.1 \
		>"$OUT/client"
	wait $!
	[ "$(pingpong_results "$OUT/server" "$OUT/client")" = 2 ]
	;;
fails)
	wait_for 60 gone
	failed
	must_fail env IBDEV="$device" soak -n 5
	;;
resets)
	# older kernels do not tell the driver
	grep -qw virtio_device_reset_prepare /proc/kallsyms || exit 0
	bash "$0" use "$device"
	echo 1 >"/sys/class/infiniband/$device/device/reset"
	failed
	bash "$0" appears "$device"
	;;
leaves)
	# the driver, while a process that has the device open forks
	start apart apart children
	wait_for 60 grep -q forking "$of.apart"
	path=$(echo "/sys/class/infiniband/$device/device"/virtio*)
	echo "${path##*/}" >"$path/driver/unbind"
	over apart
	cat "$of.apart"
	grep -qx apart "$of.apart"
	echo "${path##*/}" >/sys/bus/virtio/drivers/virtio_hyv/bind
	bash "$0" appears "$device"
	;;
sleeps)
	# 9p does not survive suspend: what runs after it uses no file of it, and
	# prints to the console.
	klog_check
	cp "$0" $dir/
	start sleeper bash $dir/plugged.sh sleeping
	exit
	;;
sleeping)
	# until the script that started this one has exited
	sleep 5
	exec >/dev/console 2>&1
	# without the firmware's part; the kernel resumes after 5 seconds
	echo devices >/sys/power/pm_test
	start polls soak -s 20000
	wait_for 60 transferring polls
	try_sleep
	kill -TERM "$(pid polls)"
	over polls
	cat "$of.polls"
	try_sleep
	wait_for 60 test -e /sys/class/infiniband/hyv0
	soak -n 20 && echo "hotplug: works"
	echo "hotplug: awake"
	exit
	;;
esac
klog_check
