# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for the scripts
#
# Parameters and functions of all machines.
CONNECTIONS=100
RUNS=3

# best FILE...: from the output of cmtime, the microseconds that each step takes for
# one connection, the minimum of all runs; a line "STEP:MICROSECONDS" each. Newer versions
# have no colons, include a sum, and connect again without QPs, which does not count.
best() {
	awk '
	FNR == 1 { newer = other = 0 }
	/^step .*avg\// { newer = 1 }
	/ no QPs$/ { other = 1 }
	newer && /^[a-z ]+ [0-9]/ {
		match($0, /^[a-z ]+/)
		step = substr($0, 1, RLENGTH)
		split(substr($0, RLENGTH + 1), field, " ")
		time = field[1]
		if (time == 0 || step ~ /^full connect/)
			step = ""
		sub(/^cm /, "", step)
	}
	!newer && /^[a-z ]+:/ {
		step = substr($0, 1, index($0, ":") - 1)
		n = split(substr($0, index($0, ":") + 1), field, " ")
		time = field[n]
	}
	step != "" && !other {
		sub(/ +$/, "", step)
		if (!(step in least))
			order[++steps] = step
		if (!(step in least) || time < least[step])
			least[step] = time + 0
	}
	{ step = "" }
	END {
		for (i = 1; i <= steps; i++)
			print order[i] ":" least[order[i]]
	}' "$@"
}
