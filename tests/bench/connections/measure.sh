# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for the scripts
#
# Parameters and functions of all machines.
CONNECTIONS=100
RUNS=3

# best FILE...: from the output of cmtime, the microseconds that each step takes for
# one connection, the minimum of all runs; a line "STEP:MICROSECONDS" each.
best() {
	awk -F: '/^[a-z ]+:/ {
		sub(/ +$/, "", $1)
		n = split($2, field, " ")
		if (!($1 in least))
			order[++steps] = $1
		if (!($1 in least) || field[n] < least[$1])
			least[$1] = field[n] + 0
	}
	END {
		for (i = 1; i <= steps; i++)
			print order[i] ":" least[order[i]]
	}' "$@"
}
