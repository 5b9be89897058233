# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the programs that build Debian packages. Needs cache.sh.

DEB_TOP=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")

# deb_changelog SOURCE VERSION: print the changelog of a package that nobody uploads.
# DEBFULLNAME and DEBEMAIL in the environment are the author of its entry.
deb_changelog() {
	printf '%s (%s) unstable; urgency=medium\n\n' "$1" "$2"
	printf '  * Built from the repository. Its history is there.\n\n'
	printf ' -- %s <%s>  %s\n' "${DEBFULLNAME:-HyV maintainers}" \
		"${DEBEMAIL:-hyv@packages.invalid}" "$(date -R)"
}

# deb_licence FILE: print a licence as part of a copyright file
deb_licence() {
	sed 's/^$/./; s/^ */ /' "$DEB_TOP/LICENSES/$1"
}

# deb_debian DIR SOURCE VERSION: complete the directory "debian" of a source package
deb_debian() {
	mkdir -p "$1/source"
	printf '3.0 (native)\n' >"$1/source/format"
	deb_changelog "$2" "$3" >"$1/changelog"
	sed -i -e "/^@BSD@/{r "<(deb_licence BSD-2-Clause)$'\n'd$'\n}' \
		-e "/^@NOTE@/{r "<(deb_licence Linux-syscall-note)$'\n'd$'\n}' "$1/copyright"
}

# deb_take CONTROL FROM DIR: copy built packages to DIR, remove earlier ones of the
# packages that a file "control" has, and no others, and print the paths of the new ones
deb_take() {
	local package file

	while read -r package; do
		rm -f "$3/${package}"{,-dbgsym}_*.deb
	done < <(sed -n 's/^Package: //p' "$1")
	for file in "$2"/*.deb; do
		cp "$file" "$3/"
		printf '%s\n' "$3/${file##*/}"
	done
}
