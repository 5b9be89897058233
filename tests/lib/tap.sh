# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Report tests in TAP, the Test Anything Protocol; tests/lib/prove runs them.
# tap_done must be the last command: a script that ends before it has failed.

tap_points=0 tap_failed=0

# tap_diag TEXT...: comment lines.
tap_diag() {
	local text="$*"

	printf '# %s\n' "${text//$'\n'/$'\n# '}"
}

# tap_ok STATUS NAME: one test point, which passes if STATUS is 0.
tap_ok() {
	local not=

	tap_points=$((tap_points + 1))
	[ "$1" = 0 ] || {
		not='not '
		tap_failed=$((tap_failed + 1))
	}
	# TAP reads a directive after "#".
	printf '%sok %d - %s\n' "$not" $tap_points "${2%%#*}"
}

# tap_check NAME COMMAND...: a test point that passes if the command succeeds;
# otherwise what it prints is shown. "set -e" does not work inside of it.
tap_check() {
	local name=$1 output status=0

	shift
	output=$("$@" 2>&1) || status=$?
	[ $status = 0 ] || tap_diag "$output"
	tap_ok $status "$name"
}

# tap_skip NAME WHY: a test point that cannot be tested here.
tap_skip() {
	tap_points=$((tap_points + 1))
	printf 'ok %d - %s # SKIP %s\n' $tap_points "${1%%#*}" "$2"
}

# tap_skip_all WHY: exit, nothing can be tested here.
tap_skip_all() {
	printf '1..0 # SKIP %s\n' "$*"
	exit 0
}

# tap_bail TEXT...: stop the whole run, nothing else can be tested.
tap_bail() {
	printf 'Bail out!  %s\n' "$*"
	exit 255
}

# tap_done: print the plan; its status is that of the script.
tap_done() {
	printf '1..%d\n' $tap_points
	[ $tap_failed = 0 ] && [ $tap_points != 0 ]
}
