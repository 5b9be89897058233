# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For what reads the columns of measure.sh.

# choose_columns DIR: go to DIR, and set COLUMNS_THERE to the names of those that are
# there; status 1 if there are none
choose_columns() {
	local column

	cd "$1" || return
	COLUMNS_THERE=()
	for column in {own,rxe}-{native,guests,inside}; do
		[ ! -e "$column" ] || COLUMNS_THERE+=("$column")
	done
	[ ${#COLUMNS_THERE[@]} -gt 0 ] || {
		echo "no figures in $1" >&2
		return 1
	}
}
