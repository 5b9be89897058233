# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian packages, from wherever this machine is set up to take them. Packages
# that this machine itself needs are installed; all others are fetched through
# a private apt state in the cache, which knows source packages too and leaves
# the machine's own set-up alone. Needs cache.sh.

DEBIAN_APT=$HYV_CACHE/apt

# debian_need PACKAGE...: install what is missing of these on this machine.
debian_need() {
	local p missing=()

	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null |
			grep -qx installed || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "these packages are missing, install them as root: ${missing[*]}"
	say "installing ${missing[*]}"
	cache_lock install debian_install "${missing[@]}"
}

debian_install() {
	local get=(apt-get -y -q -o DPkg::Lock::Timeout=600)

	export DEBIAN_FRONTEND=noninteractive
	"${get[@]}" install --no-install-recommends "$@" >&2 </dev/null || {
		"${get[@]}" update >&2
		"${get[@]}" install --no-install-recommends "$@" >&2 </dev/null
	}
}

# debian_targets: "URI SUITE COMPONENT" of each Debian index this machine uses.
debian_targets() {
	# shellcheck disable=SC2016 # apt-get expands these
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

# debian_apt COMMAND...: apt-get or apt-cache with the private state.
debian_apt() {
	local tool=$1

	shift
	"$tool" -q -o Dir::Etc::SourceList="$DEBIAN_APT/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$DEBIAN_APT/lists" \
		-o Dir::Cache="$DEBIAN_APT/cache" \
		-o APT::Sandbox::User=root -o Acquire::Retries=3 \
		-o Acquire::Languages=none "$@"
}

debian_refresh_locked() {
	local targets
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local stamp=$DEBIAN_APT/stamp

	[ -z "$(find "$stamp" -mtime -7 2>/dev/null)" ] || return 0
	mkdir -p "$DEBIAN_APT/lists/partial" "$DEBIAN_APT/cache/archives/partial"
	targets=$(debian_targets)
	if [ -z "$targets" ]; then
		say "reading the package lists of this machine"
		apt-get -q update >&2
		targets=$(debian_targets)
	fi
	[ -n "$targets" ] || die "no Debian suite in this machine's apt sources"
	while read -r uri suite component; do
		printf '%s [signed-by=%s] %s %s %s\n' \
			deb "$keyring" "$uri" "$suite" "$component" \
			deb-src "$keyring" "$uri" "$suite" "$component"
	done <<<"$targets" >"$DEBIAN_APT/sources.list"
	say "reading the Debian package lists (again in a week)"
	if ! debian_apt apt-get update >&2; then
		[ -e "$stamp" ] || die "cannot read the Debian package lists"
		say "cannot refresh them, going on with the old ones"
	fi
	rm -rf "$DEBIAN_APT/answers"
	touch "$stamp"
}

# debian_refresh: have package lists not older than a week.
debian_refresh() {
	cache_lock apt debian_refresh_locked
}

# debian_ask QUESTION COMMAND...: what the command says of the lists. It is
# asked once for each refresh of them, since apt-cache is slow.
debian_ask() {
	local file=$DEBIAN_APT/answers/$1

	shift
	if [ ! -e "$file" ]; then
		mkdir -p "$DEBIAN_APT/answers"
		"$@" >"$file.$$"
		mv "$file.$$" "$file"
	fi
	cat "$file"
}

read_version() {
	debian_apt apt-cache show --no-all-versions "$1" |
		awk '/^Version: / && !n++ { print $2 }'
}

# debian_version PACKAGE: the version that the lists offer.
debian_version() {
	debian_ask "version-$1" read_version "$1"
}

read_source_version() {
	debian_apt apt-cache show --no-all-versions "$1" | awk '
		/^Version: / { v = $2 }
		/^Source: / && $3 { gsub(/[()]/, "", $3); s = $3 }
		END { print s ? s : v }'
}

# debian_source_version PACKAGE: the version of the source it is built from.
debian_source_version() {
	debian_ask "source-$1" read_source_version "$1"
}

read_names() {
	debian_apt apt-cache pkgnames "$1"
}

# debian_names PREFIX: all packages whose names begin so.
debian_names() {
	debian_ask "names-$1" read_names "$1"
}

# debian_unpack DIR PACKAGE...: fetch packages, unpack them under DIR.
debian_unpack() {
	local dir=$1 deb tmp

	shift
	tmp=$(mktemp -d "$DEBIAN_APT/get-XXXXXX")
	(cd "$tmp" && debian_apt apt-get download "$@" >&2)
	mkdir -p "$dir"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$tmp"
}

# debian_unpack_source DIR PACKAGE: fetch a kernel's source package and unpack the
# source into DIR. Register tables of graphics cards, a quarter of it, are left
# out: nothing that is built here has a use for them.
debian_unpack_source() {
	local dir=$1 package=$2

	debian_unpack "$dir.package" "$package"
	mkdir -p "$dir"
	tar -xf "$dir.package/usr/src/$package.tar.xz" -C "$dir" \
		--strip-components=1 --exclude='*/include/asic_reg'
	rm -rf "$dir.package"
}
