# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Access to Debian packages, from the archives that this machine is set up for.
# debian_need installs packages on this machine, only those that the file
# "packages" lists. All others, such as kernels, their headers and sources, are
# unpacked into the cache through a private apt state, which has source packages,
# too, and does not change the machine's own apt state. Needs cache.sh.

DEBIAN_APT=$HYV_CACHE/apt
DEBIAN_PACKAGES=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/packages

# debian_quietly COMMAND...: run it and show its output only if it fails
debian_quietly() {
	local log status=0

	log=$(mktemp)
	"$@" >"$log" 2>&1 </dev/null || status=$?
	[ "$status" = 0 ] || tail -n 30 "$log" >&2
	rm -f "$log"
	return $status
}

# debian_need PACKAGE...: install the missing ones of these packages
debian_need() {
	local p missing=()

	for p; do
		grep -qE "^${p}[[:space:]]" "$DEBIAN_PACKAGES" ||
			die "package $p is not listed in scripts/packages"
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null |
			grep -qx installed || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "these packages are missing, install them as root: ${missing[*]}"
	say "installing ${#missing[@]} packages: ${missing[*]}"
	cache_lock install debian_install "${missing[@]}" ||
		die "cannot install ${missing[*]}"
}

debian_install() {
	local get=(apt-get -y -q -o DPkg::Lock::Timeout=600)
	local log=$HYV_CACHE/install.log

	export DEBIAN_FRONTEND=noninteractive
	{
		"${get[@]}" install --no-install-recommends "$@" || {
			"${get[@]}" update
			"${get[@]}" install --no-install-recommends "$@"
		}
	} >"$log" 2>&1 </dev/null && return
	tail -n 30 "$log" >&2
	return 1
}

# debian_targets: print "URI SUITE COMPONENT" of each Debian index of this machine
debian_targets() {
	# shellcheck disable=SC2016 # apt-get expands these
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

# debian_apt COMMAND...: run apt-get or apt-cache with the private state
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
		debian_quietly apt-get -q update
		targets=$(debian_targets)
	fi
	[ -n "$targets" ] || die "no Debian suite in this machine's apt sources"
	while read -r uri suite component; do
		printf '%s [signed-by=%s] %s %s %s\n' \
			deb "$keyring" "$uri" "$suite" "$component" \
			deb-src "$keyring" "$uri" "$suite" "$component"
	done <<<"$targets" >"$DEBIAN_APT/sources.list"
	say "reading the Debian package lists (once a week)"
	if ! debian_quietly debian_apt apt-get update; then
		[ -e "$stamp" ] || die "cannot read the Debian package lists"
		say "cannot refresh the package lists, using the old ones"
	fi
	rm -rf "$DEBIAN_APT/answers"
	touch "$stamp"
}

# debian_refresh: update package lists that are older than a week
debian_refresh() {
	cache_lock apt debian_refresh_locked
}

# debian_ask QUESTION COMMAND...: print the output of a command that queries the
# lists. The output is stored until the next refresh, since apt-cache is slow,
# unless the command fails; then there is none.
debian_ask() {
	local file=$DEBIAN_APT/answers/$1

	shift
	if [ ! -e "$file" ]; then
		mkdir -p "$DEBIAN_APT/answers"
		"$@" >"$file.$BASHPID" || {
			rm -f "$file.$BASHPID"
			return 0
		}
		mv "$file.$BASHPID" "$file"
	fi
	cat "$file"
}

read_version() {
	debian_apt apt-cache show --no-all-versions "$1" |
		awk '/^Version: / && !n++ { print $2 }'
}

# debian_version PACKAGE: print the newest version in the lists
debian_version() {
	debian_ask "version-$1" read_version "$1"
}

read_source_version() {
	debian_apt apt-cache show --no-all-versions "$1" | awk '
		/^Version: / { v = $2 }
		/^Source: / && $3 { gsub(/[()]/, "", $3); s = $3 }
		END { print s ? s : v }'
}

# debian_source_version PACKAGE: print the version of its source package
debian_source_version() {
	debian_ask "source-$1" read_source_version "$1"
}

read_kernel() {
	local series=${1%-point} suite file

	# shellcheck disable=SC2016 # apt-get expands these
	debian_apt apt-get indextargets --format '$(RELEASE) $(FILENAME)' \
		'Created-By: Packages' | while read -r suite file; do
		[[ $1 != *-point || $suite != *-security ]] || continue
		/usr/lib/apt/apt-helper cat-file "$file"
	done | awk -v series="${series//./[.]}" '
		BEGIN {
			image = "^linux-image-" series "[.][0-9.-]*([+]deb[0-9]+)?-amd64$"
		}
		/^Package: / { package = $2 }
		/^Version: / && package ~ image {
			print substr(package, length("linux-image-") + 1), $2
		}' | sort -V | tail -n 1
}

# debian_kernel NAME: print "RELEASE VERSION" of the newest stock kernel of a
# series, and the version of its packages. NAME is the series, for example 6.1,
# or 6.1-point for the newest one of a point release of Debian, which does not
# come from the security archive.
debian_kernel() {
	local kernel

	kernel=$(debian_ask "kernel-$1" read_kernel "$1")
	[ -n "$kernel" ] || die "this Debian has no kernel $1"
	printf '%s\n' "$kernel"
}

# debian_unpack DIR PACKAGE[=VERSION]...: fetch packages and unpack them in DIR
debian_unpack() {
	local dir=$1 deb tmp

	shift
	tmp=$(mktemp -d "$DEBIAN_APT/get-XXXXXX")
	(cd "$tmp" && debian_quietly debian_apt apt-get download "$@") || {
		rm -rf "$tmp"
		die "cannot fetch $*"
	}
	mkdir -p "$dir"
	for deb in "$tmp"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$tmp"
}

# debian_unpack_source DIR PACKAGE: fetch a kernel's source package and unpack the
# source into DIR, except the register tables of graphics cards, which are a
# quarter of it and not needed here.
debian_unpack_source() {
	local dir=$1 package=$2

	debian_unpack "$dir.package" "$package"
	mkdir -p "$dir"
	tar -xf "$dir.package/usr/src/$package.tar.xz" -C "$dir" \
		--strip-components=1 --exclude='*/include/asic_reg'
	rm -rf "$dir.package"
}
