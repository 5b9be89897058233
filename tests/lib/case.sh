# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the scripts of the cases, which run in the lab's machines and begin
# with:  . "$HYV_TREE/tests/lib/case.sh"
# A script fails when one of its commands does, and logs which one it was.
set -euEo pipefail
trap 'echo "FAILED: line $LINENO of ${BASH_SOURCE[0]##*/}: $BASH_COMMAND" >&2' ERR
# put, get and barrier without a new bash for each, which takes as long as a small test
# shellcheck source=tests/lab/bin/lab-lib
. lab-lib

# The programs of tests/programs, and userlib, on fast storage. They are one file, as each
# that a guest opens through its host takes half a second.
if [ ! -d /run/programs ]; then
	mkdir /run/programs.$$
	busybox tar -xf "$HYV_PROGRAMS" -C /run/programs.$$
	# unless another script of this machine was faster
	mv -T /run/programs.$$ /run/programs 2>/dev/null || rm -r /run/programs.$$
fi
export PATH=/run/programs:$PATH LD_LIBRARY_PATH=/run/programs
export DEVTEST_TIMEOUT_SCALE=$LAB_TIMEOUT_SCALE

# Kernel log lines of severity warning or worse that are unrelated to HyV, as
# patterns of grep -E.
KLOG_HARMLESS=(
	# any module that is not signed by the kernel's build
	'^(hyv|virtio_hyv|hyv_kunit): loading out-of-tree module taints kernel\.$'
	'^(hyv|virtio_hyv): module verification failed: signature and/or required key missing - tainting kernel$'
	# clocks of an emulated or overcommitted CPU
	'^hrtimer: interrupt took [0-9]+ ns$'
	'^perf: interrupt took too long '
	'^clocksource: '
	'^(tsc: Marking TSC unstable|TSC found unstable|sched_clock: Marking unstable)'
	'^ *(Unstable clock detected|If you want to keep using the local clock)'
	'^ *("trace_clock=local"|on the kernel command line)$'
	# the lab's emulated CPU, and its option of KVM
	"^x86 CPU feature dependency check failure: CPU[0-9]+ has 'avx' enabled but 'xsave' disabled\\."
	'^kvm: Running KVM with ignore_msrs=1 and report_ignored_msrs=0 is not a$'
	'^ +(a supported configuration|may cause the guest|does not run without ignore_msrs)'
	# a CPU of AMD without ACPI's way to control its frequency
	'^amd_pstate: the _CPC object is not present in SBIOS or ACPI disabled$'
)

# step TEXT...: log what comes next.
step() {
	printf '== %s  [%ss]\n' "$*" "$SECONDS"
}

# fail TEXT...: end the script; the case has failed.
fail() {
	printf 'FAILED: %s\n' "$*" >&2
	exit 1
}

# becomes SECONDS COMMAND...: wait until the command succeeds; status 1 if it does not.
# To find hangs, SECONDS is 60, or more for what takes long: an emulated machine can be
# slow. It is less only where that is what the case is about.
becomes() {
	local end=$((SECONDS + $1 * LAB_TIMEOUT_SCALE))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		pause 0
	done
}

# wait_for SECONDS COMMAND...: the same, and fail if it does not.
wait_for() {
	becomes "$@" || fail "timed out waiting for: ${*:2}"
}

# must_fail COMMAND...: the command ends with another status than 0.
must_fail() {
	local status=0

	"$@" || status=$?
	[ $status != 0 ] || fail "succeeded, but should have failed: $*"
}

# expect_output RC STDOUT STDERR COMMAND...: exit code, patterns for the output
expect_output() {
	local rc=0 want=$1 stdout=$2 stderr=$3

	shift 3
	"$@" >"$OUT/stdout" 2>"$OUT/stderr" || rc=$?
	cat "$OUT/stdout" "$OUT/stderr"
	[ $rc = "$want" ] || fail "exit code $rc, expected $want: $*"
	# shellcheck disable=SC2053 # patterns
	[[ $(<"$OUT/stdout") == $stdout ]] || fail "standard output does not match: $stdout"
	# shellcheck disable=SC2053
	[[ $(<"$OUT/stderr") == $stderr ]] || fail "standard error does not match: $stderr"
}

# tap_passed FILE: status 0 if the TAP in FILE has its plan at the end, as many test
# points as planned, and no failure.
tap_passed() {
	awk '/^(not ok|Bail out!)/ { failed = 1 }
		/^ok / { points++ }
		{ plan = /^1\.\.[1-9][0-9]*$/ ? substr($0, 4) + 0 : 0 }
		END { exit !(!failed && points && points == plan) }' "$1"
}

# tap_complete FILE: the same, and no test was skipped: each kernel of the lab has what
# they need.
tap_complete() {
	tap_passed "$1" && ! grep '# SKIP' "$1"
}

# gid_index: set GID_INDEX to the index of the device's first GID that is an IPv4
# address.
gid_index() {
	local dir=/sys/class/infiniband/$IBDEV/ports/1/gids gid

	for ((GID_INDEX = 0; GID_INDEX < 16; GID_INDEX++)); do
		read -r gid <"$dir/$GID_INDEX" || break
		[[ $gid != 0000:0000:0000:0000:0000:ffff:* ]] || return 0
	done
	fail "$IBDEV has no GID with an IPv4 address"
}

# gids: the GID table of the device without its empty entries. Types are left out:
# a guest's RDMA core takes the host's GIDs for RoCE v1 ones.
gids() {
	grep -v ':0000:0000:0000:0000$' /sys/class/infiniband/"$IBDEV"/ports/1/gids/* |
		sed 's,.*/,,'
}

# add_hca NAME NETDEV: make an HCA of the same kind as the case's.
add_hca() {
	local type=rxe

	[ "$LAB_HCA" = rxe ] || type=hyv
	rdma link add "$1" type $type netdev "$2"
}

# klog_injected: copy the standard input, without the kernel's reports of vmalloc()
# that has failed, many lines each, if $KLOG_FAULTS is set: the case makes it fail.
klog_injected() {
	awk -v faults="${KLOG_FAULTS:-}" '
		faults && /^[^ ]+: vmalloc error: .* allocation failed, / { on = 1 }
		!on { print }
		/^[0-9]+ pages reserved$/ { on = 0 }'
}

# klog_check: fail if this machine's kernel log has a warning or worse since the
# case began.
klog_check() {
	local lines

	lines=$(lab-klog warn | sed -E 's/^\[ *[0-9.]+\] //' | klog_injected |
		grep -vE -f <(printf '%s\n' "${KLOG_HARMLESS[@]}") || true)
	[ -z "$lines" ] || fail "in the kernel log: $lines"
}

# --- Pairs of programs: a server, and a client that takes the server's address;
# --- both take the port as -p.

PAIR_PORT=18515
PAIR_TIMEOUT=$((120 * LAB_TIMEOUT_SCALE))

# listens PORT [6]: status 0 if a program listens on the TCP port. Starts no
# process, which is slow in an emulated guest.
listens() {
	local port line

	printf -v port ':%04X ' "$1"
	while read -r line; do
		[[ $line != *"$port"*:0000\ 0A\ * ]] || return 0
	done <"/proc/net/tcp${2:-}"
	[ -z "${2:-}" ] && listens "$1" 6
}

# server NAME COMMAND...: start it, publish its port as NAME, wait until it ends.
# Its output goes to $OUT/NAME.server.
server() {
	local name=$1 pid status=0

	shift
	PAIR_PORT=$((PAIR_PORT + 1))
	timeout "$PAIR_TIMEOUT" "$@" -p $PAIR_PORT >"$OUT/$name.server" 2>&1 &
	pid=$!
	until listens $PAIR_PORT; do
		kill -0 $pid 2>/dev/null || break
		pause 0
	done
	put "$name" $PAIR_PORT
	wait $pid || status=$?
	[ $status = 0 ] || {
		cat "$OUT/$name.server" >&2
		fail "server of $name: status $status: $*"
	}
}

# client NAME ADDRESS COMMAND...: the other half; its output goes to
# $OUT/NAME.client.
client() {
	local name=$1 address=$2 port status=0

	shift 2
	port=$(get "$name")
	timeout "$PAIR_TIMEOUT" "$@" -p "$port" "$address" \
		>"$OUT/$name.client" 2>&1 || status=$?
	[ $status = 0 ] || {
		cat "$OUT/$name.client" >&2
		fail "client of $name: status $status: $*"
	}
}

# across NAME COMMAND...: the server on guest 2, the client on guest 1.
across() {
	if [ "$LAB_MACHINE" = guest2 ]; then
		server "$@"
	else
		client "$1" "$PEER_IP" "${@:2}"
	fi
}

# within NAME COMMAND...: both in this machine.
within() {
	local name=$1-$LAB_MACHINE pid

	shift
	server "$name" "$@" &
	pid=$!
	client "$name" "$MY_IP" "$@"
	wait $pid
	PAIR_PORT=$((PAIR_PORT + 1))
}

# pingpong_of TYPE HOW NAME SIZE ITERATIONS OPTION...: ibv_TYPE_pingpong, by across
# or within, with the data checked; $GID_INDEX must be set.
pingpong_of() {
	local type=$1 how=$2 name=$3 size=$4 iterations=$5

	shift 5
	step "$how, ibv_${type}_pingpong, $size bytes $*"
	"$how" "$name" "ibv_${type}_pingpong" -d "$IBDEV" -g "$GID_INDEX" -c \
		-r 16 -s "$size" -n "$iterations" "$@"
}

# pingpong HOW NAME SIZE ITERATIONS OPTION...: the same of ibv_rc_pingpong.
pingpong() {
	pingpong_of rc "${@:1:4}" -m 4096 "${@:5}"
}

# pingpong_results FILE...: how many of these files report success.
pingpong_results() {
	# it reports wrong data, but exits with success
	must_fail grep -i invalid "$@" >&2
	grep -lE '^[0-9]+ iters in .* usec/iter' "$@" | wc -l
}

# perftest_of TYPE HOW NAME PROGRAM OPTION...: one of perftest's programs over
# QPs of a type.
perftest_of() {
	local type=$1 how=$2 name=$3 program=$4

	shift 4
	step "$how, $program, $type $*"
	"$how" "$name" "$program" -d "$IBDEV" -x "$GID_INDEX" -c "$type" -F "$@"
}

# perftest HOW NAME PROGRAM OPTION...: the same over RC.
perftest() {
	perftest_of RC "$@"
}

# perftest_results FILE...: a line "FILE: SIZE VALUE" for each result of each
# client. VALUE is "inf" or 0 if perftest could not measure the clock rate of an
# emulated CPU.
perftest_results() {
	awk 'FNR == 1 { table = 0 }
		/^ *#bytes/ { table = 1 }
		table && $1 ~ /^[0-9]+$/ && $4 ~ /^([0-9.]+|inf)$/ {
			print FILENAME ": " $1, $4
		}' "$@"
}

# --- What the host shows about a guest.

# objects TYPE [PID]: number of objects of a type (qp, cq, srq, pd, mr, ctx) of a
# process, or of all processes.
objects() {
	rdma -j resource show "$1" | jq --argjson pid "${2:-0}" \
		'[.[] | select(.pid and (.pid == $pid or $pid == 0))] | length'
}

# has TYPE PID COUNT: status 0 if the process has exactly COUNT objects.
has() {
	[ "$(objects "$1" "$2")" = "$3" ]
}

# no_objects [PID]: status 0 if there are no objects of any type.
no_objects() {
	local type

	for type in qp cq srq mr pd ctx; do
		has $type "${1:-0}" 0 || return 1
	done
}

# memory_pinned PID: kilobytes that are pinned for RDMA.
memory_pinned() {
	awk '$1 == "VmPin:" { print $2 }' "/proc/$1/status"
}

# memory_free: kilobytes available to programs after caches have been dropped.
memory_free() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

# memory_slab: kilobytes in kernel objects that cannot be dropped.
memory_slab() {
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}
