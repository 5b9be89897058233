# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tracepoints and debug messages of a module, for the scripts of this case.

tracing=/sys/kernel/tracing

# observe MODULE: start to record its tracepoints and to log its debug messages.
observe() {
	[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
	echo >$tracing/trace
	echo 1 >"$tracing/events/$1/enable"
	echo "module $1 +p" >/proc/dynamic_debug/control
}

# observed MODULE: stop that, and put what was recorded in $OUT/trace and $OUT/log.
observed() {
	echo 0 >"$tracing/events/$1/enable"
	echo "module $1 -p" >/proc/dynamic_debug/control
	grep -v '^#' $tracing/trace >"$OUT/trace"
	lab-klog >"$OUT/log"
	cut -d : -f 2 "$OUT/trace" | sort | uniq -c
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
