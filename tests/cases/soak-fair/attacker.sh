#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: attacker.sh start KIND THREADS | stop KIND
#
# The part of guest 1, see host.sh. Another program uses the CPU time that the
# attack leaves, so that the guest always uses its share.
. "$HYV_TREE/tests/lib/case.sh"

dir=/run/attacker
IBDEV=hyv0
export IBDEV

# attacking: status 0 when all threads have begun
attacking() {
	grep -qE '^(attacking|flooding)' $dir/output
}

# ended PID: zombies have ended, too
ended() {
	! grep -qs '^State:[[:blank:]]*[^XZ]' "/proc/$1/status"
}

# end PID SIGNAL
end() {
	! ended "$1" || fail "the attack has ended by itself"
	kill "-$2" "$1"
	wait_for 60 ended "$1"
}

mkdir -p $dir
case $1 in
start)
	# on the host's network, and nobody's
	[ "$2" = slow ] && command=(fair flood "$3" ::ffff:10.77.0.250) ||
		command=(attack "$2" "$3" "$PEER_IP")
	setsid "${command[@]}" >$dir/output 2>&1 </dev/null &
	echo $! >$dir/pid
	setsid nice -n 19 attack burn 1 >/dev/null 2>&1 </dev/null &
	echo $! >$dir/burner
	wait_for 60 attacking
	# the first commands have been returned
	sleep 2
	;;
stop)
	cat $dir/output
	end "$(<$dir/burner)" KILL
	if [ "$2" = slow ]; then
		end "$(<$dir/pid)" KILL
		exit
	fi
	end "$(<$dir/pid)" TERM
	cat $dir/output
	grep -E "^$2: [1-9][0-9]* done" $dir/output
	case $2 in
	# until they were refused
	objects | pin | cm) grep -E ' [1-9][0-9]* refused$' $dir/output ;;
	esac
	;;
esac
disown -a
