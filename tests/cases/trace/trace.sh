# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tracepoints and debug messages of a module, for the scripts of this case.

tracing=/sys/kernel/tracing

# observe MODULE: start to record its tracepoints and to log its debug messages.
observe() {
	local cpu

	[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
	# so that what a record leaves out is not zero
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		head -c 2000000 /dev/zero | tr '\0' x | taskset -c $cpu dd bs=1000 \
			iflag=fullblock of=$tracing/trace_marker status=none
	done
	echo >$tracing/trace
	echo 1 >"$tracing/events/$1/enable"
	echo "module $1 +p" >/proc/dynamic_debug/control
}

# observed MODULE: stop that, and put what was recorded in $OUT/trace and $OUT/log.
observed() {
	echo 0 >"$tracing/events/$1/enable"
	echo "module $1 -p" >/proc/dynamic_debug/control
	grep -v '^#' $tracing/trace >"$OUT/trace"
	padded
	lab-klog >"$OUT/log"
	cut -d : -f 2 "$OUT/trace" | sort | uniq -c
}

# padded: fail unless zeros follow a command's name in the records. bpftrace compares
# all of the array.
padded() {
	python3 - $tracing/per_cpu/cpu*/trace_pipe_raw <<-'EOF' ||
		import os, re, sys
		found = stale = 0
		for path in sys.argv[1:]:
		    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
		    try:
		        while page := os.read(fd, 1 << 16):
		            for rest in re.findall(rb"CREATE_CQ\0(.{14})", page, re.S):
		                found += 1
		                stale += any(rest)
		    except BlockingIOError:
		        pass
		print(f"{found} names, {stale} of them with other bytes behind")
		sys.exit(not found or stale)
	EOF
		fail "names in records are not padded"
}

# traced EVENT FIELDS: fail unless it was recorded with such fields, a pattern.
traced() {
	grep -qE " $1: $2\$" "$OUT/trace" || {
		grep -m 5 " $1: " "$OUT/trace" || true
		fail "no trace of $1 with $2"
	}
}

# logged PATTERN: fail unless a line of the kernel log matches.
logged() {
	grep -E "$1" "$OUT/log" || fail "no line in the kernel log: $1"
}
