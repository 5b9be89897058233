# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For the tests of what is built: check NAME COMMAND... prints the result of one.

check() {
	local name=$1 output

	shift
	if output=$("$@" 2>&1); then
		echo "ok - $name"
	else
		echo "# ${output//$'\n'/$'\n# '}"
		echo "not ok - $name"
	fi
}
