# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Access to Debian packages, from the archives that this machine is set up for.
# debian_need installs packages on this machine, only those that the file
# "packages" lists. All others, such as kernels, their headers and sources, are
# unpacked into the cache through a private apt state, which has source packages,
# too, and does not change the machine's own apt state. Each other release of Debian
# has a state of its own (debian_use). Needs cache.sh.

# named by the release, because a cache outlives an upgrade to the next one
DEBIAN_OWN_APT=$HYV_CACHE/apt-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
DEBIAN_APT=$DEBIAN_OWN_APT
DEBIAN_RELEASE=
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

# debian_codename RELEASE
debian_codename() {
	case $1 in
	debian12) printf 'bookworm\n' ;;
	debian13) printf 'trixie\n' ;;
	sid) printf 'sid\n' ;;
	*) die "unknown release '$1' (known: debian12, debian13, sid)" ;;
	esac
}

# debian_is_own RELEASE: status 0 if this machine runs that release
debian_is_own() {
	grep -qx "VERSION_CODENAME=$(debian_codename "$1")" /etc/os-release
}

# debian_own: print the release that this machine runs
debian_own() {
	local release

	for release in debian12 debian13 sid; do
		if debian_is_own "$release"; then
			printf '%s\n' "$release"
			return
		fi
	done
	die "this machine runs none of these: debian12, debian13, sid"
}

# debian_is_older RELEASE: status 0 if it is older than this machine's, so that what is
# linked with this machine's libraries does not run there
debian_is_older() {
	local own

	own=$(debian_own)
	[ "$1" != sid ] && { [ "$own" = sid ] || [ "${1#debian}" -lt "${own#debian}" ]; }
}

# debian_use RELEASE: make the functions below use that release (debian12, debian13
# or sid) with its updates, security updates and backports, from the mirrors of
# this machine, instead of exactly what this machine is set up for
debian_use() {
	debian_codename "$1" >/dev/null
	DEBIAN_RELEASE=$1
	DEBIAN_APT=$DEBIAN_OWN_APT-$1
}

# debian_choose RELEASE: the same, unless this machine runs that release
debian_choose() {
	debian_is_own "$1" || debian_use "$1"
}

# debian_targets: print "URI SUITE COMPONENT" of each Debian index of this machine.
# Backports have another origin.
debian_targets() {
	# shellcheck disable=SC2016 # apt-get expands these
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

# debian_targets_of RELEASE: read the output of debian_targets and print the same of
# a release, from the same mirrors
debian_targets_of() {
	awk -v name="$(debian_codename "$1")" '
		$2 ~ /security/ { security = $1; next }
		!archive { archive = $1 }
		END {
			if (!archive)
				exit 1
			if (!security) {
				security = archive
				sub(/\/debian\/?$/, "/debian-security/", security)
			}
			print archive, name, "main"
			if (name == "sid")
				exit
			print archive, name "-updates", "main"
			print archive, name "-backports", "main"
			print security, name "-security", "main"
		}'
}

# debian_keyring DIR: print the file with the keys of Debian's archives below DIR;
# its name depends on the release that the package comes from
debian_keyring() {
	local file

	for file in "$1"/usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ ! -e "$file" ] || {
			printf '%s\n' "$file"
			return
		}
	done
	die "no archive keys in $1/usr/share/keyrings, install debian-archive-keyring"
}

# debian_apt COMMAND...: run apt-get or apt-cache with the private state; what this
# machine has installed is not part of another release
debian_apt() {
	local tool=$1 installed=()

	shift
	[ -z "$DEBIAN_RELEASE" ] || installed=(-o Dir::State::status=/dev/null)
	"$tool" -q -o Dir::Etc::SourceList="$DEBIAN_APT/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$DEBIAN_APT/lists" \
		-o Dir::Cache="$DEBIAN_APT/cache" \
		-o APT::Sandbox::User=root -o Acquire::Retries=3 \
		-o Acquire::Languages=none "${installed[@]}" "$@"
}

# debian_new_keys DIR: unpack the newest archive keys that the archives of this
# machine have, which may know releases that the installed ones do not
debian_new_keys() {
	local DEBIAN_APT=$DEBIAN_OWN_APT DEBIAN_RELEASE=

	debian_refresh
	debian_unpack "$1" debian-archive-keyring
}

debian_refresh_locked() {
	local targets keyring root=
	local stamp=$DEBIAN_APT/stamp

	[ -z "$(find "$stamp" -mtime -7 2>/dev/null)" ] || return 0
	mkdir -p "$DEBIAN_APT/lists/partial" "$DEBIAN_APT/cache/archives/partial"
	targets=$(debian_targets)
	if [ -z "$targets" ]; then
		say "reading the package lists of this machine"
		debian_quietly apt-get -q update
		targets=$(debian_targets)
	fi
	[ -n "$targets" ] || die "no Debian suite in this machine's apt sources, or they" \
		"cannot be read"
	if [ -n "$DEBIAN_RELEASE" ]; then
		root=$DEBIAN_APT/keys
		rm -rf "$root.new"
		if (debian_new_keys "$root.new"); then
			rm -rf "$root"
			mv "$root.new" "$root"
		elif [ ! -e "$stamp" ]; then
			exit 1
		fi
		targets=$(debian_targets_of "$DEBIAN_RELEASE" <<<"$targets")
	fi
	keyring=$(debian_keyring "$root")
	while read -r uri suite component; do
		printf '%s [signed-by=%s] %s %s %s\n' \
			deb "$keyring" "$uri" "$suite" "$component" \
			deb-src "$keyring" "$uri" "$suite" "$component"
	done <<<"$targets" >"$DEBIAN_APT/sources.list"
	say "reading the package lists of ${DEBIAN_RELEASE:-Debian} (once a week)"
	# without this mode, it is no error if no mirror can be reached
	if debian_quietly debian_apt apt-get -o APT::Update::Error-Mode=any update; then
		touch "$stamp"
	else
		[ -e "$stamp" ] || die "cannot read the Debian package lists; the mirrors" \
			"must be within reach, and have these suites, with source" \
			"packages (deb-src)"
		say "cannot refresh the package lists, using the old ones"
	fi
	rm -rf "$DEBIAN_APT/answers"
}

# debian_refresh: update package lists that are older than a week
debian_refresh() {
	cache_lock "${DEBIAN_APT##*/}" debian_refresh_locked
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

read_sources() {
	debian_apt apt-cache madison "$1" |
		awk -F ' *[|] *' '$3 ~ / Sources$/ { print $2 }' | sort -uV
}

# debian_need_sources: exit with an error if the mirrors have no source packages
debian_need_sources() {
	local files

	# apt-get update only warns then
	# shellcheck disable=SC2016 # apt-get expands it
	files=$(debian_apt apt-get indextargets --format '$(FILENAME)' \
		'Created-By: Sources')
	[ -n "$files" ] || die "the mirrors of ${DEBIAN_RELEASE:-Debian} have no source" \
		"packages (deb-src), but this needs some; use other mirrors, and remove" \
		"$DEBIAN_APT"
}

# debian_source_like SOURCE PREFIX: print the newest version of a source package
# that begins with the prefix; an archive may have several
debian_source_like() {
	debian_ask "sources-$1" read_sources "$1" |
		awk -v prefix="$2" 'index($0, prefix) == 1 { v = $0 } END { print v }'
}

read_kernels() {
	local suite file

	# shellcheck disable=SC2016 # apt-get expands these
	debian_apt apt-get indextargets --format '$(RELEASE) $(FILENAME)' \
		'Created-By: Packages' | while read -r suite file; do
		/usr/lib/apt/apt-helper cat-file "$file" | awk -v suite="$suite" '
			/^Package: / { package = $2 }
			/^Version: / && sub(/^linux-headers-/, "", package) &&
				package ~ /^[0-9]+[.][0-9]+[.][0-9.-]+([+]deb[0-9.]+)?-amd64$/ {
				print package, $2, suite
			}'
	done | sort -V
}

# debian_kernels: print "RELEASE VERSION SUITE" of each stock kernel in the lists,
# oldest first. Those without headers are left out: archives keep images longer.
debian_kernels() {
	debian_ask kernels read_kernels
}

# debian_kernel NAME: print "RELEASE VERSION" of a stock kernel, and the version of
# its packages. NAME is a series for its newest kernel, for example 6.1, or
# SERIES-oldest, or SERIES-point for the newest kernel of a point release of Debian,
# which does not come from the security archive.
debian_kernel() {
	local kernel

	kernel=$(debian_kernels | awk -v name="$1" '
		BEGIN { split(name, part, "-") }
		index($1, part[1] ".") != 1 { next }
		part[2] == "point" && $3 ~ /security/ { next }
		part[2] == "oldest" && kernel { next }
		{ kernel = $1 " " $2 }
		END { print kernel }')
	[ -n "$kernel" ] || die "${DEBIAN_RELEASE:-this Debian} has no kernel $1"
	printf '%s\n' "$kernel"
}

# debian_reach: print the settings of this machine's apt that decide how it reaches the
# archives, for the configuration of another apt
debian_reach() {
	apt-config dump | grep -E '^Acquire::(https?|Check-Date|Check-Valid-Until)(::| )' |
		grep -v '^Acquire::[a-z]*::Proxy-Auto-Detect' || true
}

# debian_root RELEASE DIR OPTION...: make a root directory of a release, whose lists are
# in use, with these options of mmdebstrap. Cache keys must include debian_root_key.
debian_root() {
	local settings status=0

	settings=$(mktemp)
	{
		printf '%s;\n' 'APT::Sandbox::User "root"' 'Acquire::Languages "none"'
		debian_reach
	} >"$settings"
	debian_quietly mmdebstrap --quiet --variant=apt --mode=root --format=directory \
		--aptopt="$settings" "${@:3}" "$(debian_codename "$1")" "$2" \
		"$DEBIAN_APT/sources.list" || status=$?
	rm -f "$settings"
	return $status
}

# debian_root_key: print what decides about the results of debian_root, but its arguments
debian_root_key() {
	declare -f debian_root
	cat "$DEBIAN_APT/sources.list"
}

# debian_unpack DIR PACKAGE[=VERSION]...: fetch packages and unpack them in DIR; links to
# directories there are followed, so that DIR/lib can be a link to usr/lib for packages
# that still have files in /lib, as those of Debian 12 do
debian_unpack() {
	local dir=$1 deb tmp

	shift
	tmp=$(mktemp -d "$HYV_CACHE/.tmp-get-XXXXXX")
	(cd "$tmp" && debian_quietly debian_apt apt-get download "$@") || {
		rm -rf "$tmp"
		die "cannot fetch $*"
	}
	mkdir -p "$dir"
	for deb in "$tmp"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -xp --keep-directory-symlink -C "$dir"
	done
	rm -rf "$tmp"
	# of those that were interrupted
	cache_expire get
}

# debian_unpack_libraries PACKAGE... DIR
debian_unpack_libraries() {
	local dir=${!#} link

	say "unpacking the libraries of ${DEBIAN_RELEASE:-this release}"
	mkdir -p "$dir"/usr/{lib,lib64}
	ln -s usr/lib usr/lib64 "$dir/"
	debian_unpack "$dir" "${@:1:$#-1}"
	# an absolute link would lead out of it; the directory gets another name later
	find "$dir" -lname '/*' | while read -r link; do
		ln -sfnr "$dir$(readlink "$link")" "$link"
	done
}

# debian_libraries PACKAGE...: print a directory with these packages of the release, and
# no others, for debian_compile_with
debian_libraries() {
	local key package

	key=$({
		printf '%s\n' "$DEBIAN_RELEASE"
		for package; do
			printf '%s ' "$package"
			debian_version "$package"
		done
		declare -f debian_unpack_libraries
	} | cache_key)
	cache_get libraries "$key" debian_unpack_libraries "$@"
}

# debian_compile_with DIR: from now on, $CC and pkg-config use the headers and libraries
# of debian_libraries. The compiler is this machine's.
debian_compile_with() {
	local lib=$1/usr/lib/x86_64-linux-gnu

	# the compiler searches its own machine's libraries before the root's
	export CC="gcc --sysroot=$1 -B$lib"
	export PKG_CONFIG_LIBDIR=$lib/pkgconfig:$1/usr/share/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$1
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
