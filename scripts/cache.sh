# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A cache outside the checkout. An entry is a directory <root>/<kind>-<key>, where
# the key is a hash of everything that the entry is made from. It is built under
# another name, with a lock held, and renamed when it is complete.

HYV_CACHE=$(readlink -m "${HYV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hyv}")

# Entries are built in command substitutions, where bash would go on after a failed
# command of the builder, and cache_fill would keep what is there.
shopt -s inherit_errexit

# say TEXT...: print a progress line
say() {
	printf '%s\n' "lab: $*" >&2
}

# die TEXT...: print an error and exit
die() {
	printf '%s\n' "lab: error: $*" >&2
	exit 1
}

# cache_key: print the key for the text on standard input. Entries are made with the tools
# and libraries of the release that this machine runs, and outlive its upgrade to the next.
cache_key() {
	{
		cat
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
	} | sha256sum | cut -c1-20
}

# cache_lock NAME COMMAND...: run COMMAND with an exclusive lock
cache_lock() {
	local lock=$HYV_CACHE/.lock-$1

	shift
	mkdir -p "$HYV_CACHE"
	(
		exec 9>"$lock"
		flock -n 9 || {
			say "waiting for another process that makes or uses ${lock##*.lock-}"
			flock 9
		}
		"$@"
	)
}

# cache_expire KIND: remove entries of a kind that were unused for three days
cache_expire() {
	find "$HYV_CACHE" -mindepth 1 -maxdepth 1 -mtime +3 \
		\( -name "$1-*" -o -name ".tmp-$1-*" \) -exec rm -rf {} +
}

# cache_fill KIND DIR BUILDER...: build an entry if it does not exist
cache_fill() {
	local kind=$1 dir=$2 tmp

	shift 2
	[ ! -d "$dir" ] || return 0
	tmp=$(mktemp -d "$HYV_CACHE/.tmp-$kind-XXXXXX")
	chmod 755 "$tmp"
	# shellcheck disable=SC2064 # expand it now
	trap "rm -rf '$tmp'" EXIT
	"$@" "$tmp" >&2
	# packages that are unpacked there may have set an old time
	touch "$tmp"
	mv -T "$tmp" "$dir"
	cache_expire "$kind"
}

# cache_get KIND KEY BUILDER...: print the directory of an entry. If there is none,
# run `BUILDER... TMPDIR` to make it. Call this in a simple assignment,
# dir=$(cache_get ...), so that errexit notices a failure.
cache_get() {
	local kind=$1 key=$2 dir

	shift 2
	dir=$HYV_CACHE/$kind-$key
	[ -d "$dir" ] || cache_lock "$kind-$key" cache_fill "$kind" "$dir" "$@"
	touch "$dir"
	printf '%s\n' "$dir"
}
