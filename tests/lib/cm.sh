# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For two guests that connect by rdma_cm: programs of which guest 2 runs the
# server, and guest 1 the client. Scripts source case.sh before.

number=${LAB_MACHINE#guest}
MY_IP6=fd77::1$number PEER_IP6=fd77::1$((3 - number))
# Of the machine which serves, whichever this is.
# shellcheck disable=SC2034,SC2153 # for the scripts; of the lab
[ "$LAB_MACHINE" = guest2 ] && at=$MY_IP at6=$MY_IP6 || at=$PEER_IP at6=$PEER_IP6

# meet NAME: wait for the other guest.
meet() {
	put "$1-$number" here
	get "$1-$((3 - number))" >/dev/null
}

# listening: status 0 when a program waits for connections by rdma_cm.
listening() {
	rdma resource show cm_id | grep -q 'state LISTEN.* pid'
}

# resources: how many objects of each kind the device has, those of processes that
# have ended included.
resources() {
	rdma resource show "$IBDEV" | sed 's/^[0-9]*: //'
}

# no_cm_ids: status 0 when there is nothing of rdma_cm.
no_cm_ids() {
	[[ $(resources) == *' cm_id 0 '* ]]
}

# serve NAME COMMAND...: on guest 2, until it ends; one that does not is ended
# after the client if $endless is set. It is up when $ready says so.
serve() {
	local name=$1 pid status=0

	shift
	wait_for 20 no_cm_ids
	timeout $((300 * LAB_PATIENCE)) "$@" >"$OUT/$name.server" 2>&1 &
	pid=$!
	wait_for 20 eval "${ready:-listening} || ! kill -0 $pid 2>/dev/null"
	put "$name" up
	if [ "${endless:-}" ]; then
		get "$name-done" >/dev/null
		kill $pid
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

# join NAME COMMAND...: on guest 1, when the server is there.
join() {
	local name=$1 status=0

	shift
	get "$name" >/dev/null
	timeout $((300 * LAB_PATIENCE)) "$@" >"$OUT/$name.client" 2>&1 || status=$?
	[ $status = 0 ] || {
		cat "$OUT/$name.client" >&2
		fail "client of $name: status $status: $*"
	}
	put "$name-done" here
}

# pair NAME SERVER... -- CLIENT...: one of two programs, by which machine this is.
pair() {
	local name=$1
	local -a server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	step "$name"
	if [ "$LAB_MACHINE" = guest2 ]; then
		serve "$name" "${server[@]}"
	else
		join "$name" "$@"
	fi
}

# said NAME TEXT: what the client, or the server, has said.
said() {
	local side=client

	[ "$LAB_MACHINE" = guest1 ] || side=server
	grep -q -- "$2" "$OUT/$1.$side" || {
		cat "$OUT/$1.$side"
		fail "$1 has not said: $2"
	}
}
