# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Build-once cache outside of the checkout. An entry is a directory
# <root>/<kind>-<key>, where the key is a hash of everything the entry is made
# from. It is built beside its place and renamed when complete, under a lock,
# so that nobody ever sees a half-made or a stale one.

HYV_CACHE=${HYV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hyv}

# say TEXT...: a progress line for the person who waits.
say() {
	printf '%s\n' "lab: $*" >&2
}

# die TEXT...: one line that says what is wrong, then leave.
die() {
	printf '%s\n' "lab: error: $*" >&2
	exit 1
}

# cache_key: the key for what is on standard input.
cache_key() {
	sha256sum | cut -c1-20
}

# cache_lock NAME COMMAND...: run COMMAND alone among all users of the cache.
cache_lock() {
	local lock=$HYV_CACHE/.lock-$1

	shift
	mkdir -p "$HYV_CACHE"
	(
		exec 9>"$lock"
		flock 9
		"$@"
	)
}

# cache_expire KIND: forget the entries of a kind that were not used for days.
cache_expire() {
	find "$HYV_CACHE" -mindepth 1 -maxdepth 1 -mtime +3 \
		\( -name "$1-*" -o -name ".tmp-$1-*" \) -exec rm -rf {} +
}

# cache_fill KIND DIR BUILDER...: build an entry if it is not there yet.
cache_fill() {
	local kind=$1 dir=$2 tmp

	shift 2
	[ ! -d "$dir" ] || return 0
	tmp=$(mktemp -d "$HYV_CACHE/.tmp-$kind-XXXXXX")
	chmod 755 "$tmp"
	# shellcheck disable=SC2064 # the value of now is what is meant
	trap "rm -rf '$tmp'" EXIT
	"$@" "$tmp" >&2
	mv -T "$tmp" "$dir"
	cache_expire "$kind"
}

# cache_get KIND KEY BUILDER...: print the directory of an entry, after running
# `BUILDER... TMPDIR` to fill it if there is none. Call it in a simple
# assignment, dir=$(cache_get ...), so that errexit sees a failure.
cache_get() {
	local kind=$1 key=$2 dir

	shift 2
	dir=$HYV_CACHE/$kind-$key
	[ -d "$dir" ] || cache_lock "$kind-$key" cache_fill "$kind" "$dir" "$@"
	touch "$dir"
	printf '%s\n' "$dir"
}
