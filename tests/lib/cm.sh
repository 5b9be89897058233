# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For machines that connect by rdma_cm. Of two guests, guest 2 runs the servers, guest 1
# the clients. Scripts source case.sh before.

# nothing on the host
number=${LAB_MACHINE//[!0-9]/}
MY_IP6=fd77::1$number PEER_IP6=fd77::1$((3 - number))
# Addresses of the server's machine, on both.
# shellcheck disable=SC2034,SC2153 # for the scripts; of the lab
[ "$LAB_MACHINE" = guest2 ] && at=$MY_IP at6=$MY_IP6 || at=$PEER_IP at6=$PEER_IP6

# guest_barrier NAME: wait until both guests are here.
guest_barrier() {
	put "$1-$number" here
	get "$1-$((3 - number))" >/dev/null
}

# listening: status 0 if programs listen on rdma_cm IDs and sleep, or have been seen to
# listen 10 times: some poll for events. An ID is in that state a little earlier than it is
# known to the IB CM.
listening() {
	local pid pids polls=

	pids=$(rdma resource show cm_id | sed -n 's/.* state LISTEN .* pid \([0-9]*\).*/\1/p')
	[ "$pids" ] || return
	for pid in $pids; do
		grep -q '^State:.*sleeping' "/proc/$pid/status" || polls=1
	done
	[ "$pids" = "${listening_pids:-}" ] || listening_looks=0
	listening_pids=$pids
	listening_looks=$((listening_looks + 1))
	[ -z "$polls" ] || [ $listening_looks -ge 10 ]
}

# group_received: status 0 if the receiver of the pair "mckey" has joined the group.
group_received() {
	grep -q "receiving data" "$OUT/mckey.server"
}

# resources: number of objects of each type of the device, including those of
# processes that have exited.
resources() {
	rdma resource show "$IBDEV" | sed 's/^[0-9]*: //'
}

# no_cm_ids: status 0 if there are no rdma_cm IDs.
no_cm_ids() {
	[[ $(resources) == *' cm_id 0 '* ]]
}

# run_server NAME COMMAND...: until it exits, or if $endless is set,
# until the client has exited. $ready is the test that it is up.
run_server() {
	local name=$1 pid status=0

	shift
	wait_for 60 no_cm_ids
	timeout $((300 * LAB_TIMEOUT_SCALE)) "$@" >"$OUT/$name.server" 2>&1 &
	pid=$!
	wait_for 60 eval "${ready:-listening} || ! kill -0 $pid 2>/dev/null"
	put "$name" up
	if [ "${endless:-}" ]; then
		get "$name-done" >/dev/null
		# newer servers of cmtime end with their client
		kill $pid 2>/dev/null || true
		wait $pid || status=$?
		[ $status = 143 ] && return
	else
		wait $pid || status=$?
	fi
	[ $status = 0 ] || {
		cat "$OUT/$name.server" >&2
		fail "server of $name: status $status: $*"
	}
}

# run_client NAME COMMAND...: when the server is up, here or elsewhere.
run_client() {
	local name=$1 status=0

	shift
	get "$name" >/dev/null
	timeout $((300 * LAB_TIMEOUT_SCALE)) "$@" >"$OUT/$name.client" 2>&1 || status=$?
	[ $status = 0 ] || {
		cat "$OUT/$name.client" >&2
		fail "client of $name: status $status: $*"
	}
	put "$name-done" here
}

# run_pair NAME SERVER... -- CLIENT...: run the one for this machine, on a host both.
run_pair() {
	local name=$1 server_pid
	local -a server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	step "$name"
	case $LAB_MACHINE in
	guest1)
		run_client "$name" "$@"
		;;
	guest2)
		run_server "$name" "${server[@]}"
		;;
	*)
		(
			# also if it fails, for the client
			trap 'put "$name" ended' EXIT
			run_server "$name" "${server[@]}"
		) &
		server_pid=$!
		run_client "$name" "$@"
		wait $server_pid
		;;
	esac
}

# cmtime_apart: print options for a server of cmtime whose client is on the same machine.
# Newer versions also connect without QPs, with the numbers from -q on. If both sides have
# the same ones, their common IB CM takes them for stale connections.
cmtime_apart() {
	local usage

	usage=$(cmtime -h 2>&1 || true)
	[[ $usage != *base_qpn* ]] || printf '%s\n' '-q 100000'
}

# expect_text NAME TEXT: fail if the output of this machine's half lacks TEXT.
expect_text() {
	local side=client

	[ "$LAB_MACHINE" = guest1 ] || side=server
	grep -q -- "$2" "$OUT/$1.$side" || {
		cat "$OUT/$1.$side"
		fail "$1 did not print: $2"
	}
}
