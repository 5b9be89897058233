# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For the checks of this directory. A check is a program that is given the root
# of a tree, prints one line per finding, starting with the file's name, and
# exits with 0 (nothing found), 1 (findings) or more (could not check).
set -euo pipefail

# shellcheck disable=SC2034 # for the checks
lint=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/cache.sh
. "$lint/../../scripts/cache.sh"

cd "$1"
findings=0

# finding TEXT...
finding() {
	printf '%s\n' "$*"
	findings=$((findings + 1))
}

# done_checking: the end of every check.
done_checking() {
	[ "$findings" = 0 ]
}

# source_files: all files of the tree but what it builds and ignores.
source_files() {
	if [ -e .git ]; then
		git -c safe.directory='*' ls-files -co --exclude-standard |
			while IFS= read -r file; do
				[ ! -f "$file" ] || printf '%s\n' "$file"
			done
	else
		find . -type f -printf '%P\n'
	fi | LC_ALL=C sort
}

# source_files_like REGEX
source_files_like() {
	source_files | { grep -E "$1" || true; }
}

# shell_files: every file for bash or sh, whatever its name is.
shell_files() {
	source_files_like '^[^.]*$|\.sh$|^\.ci/' | while IFS= read -r file; do
		case $(head -n 3 "$file" | tr -d '\0') in
		'#!/bin/bash'* | '#!/bin/sh'* | '#!/bin/busybox sh'* | \
			*'# shellcheck shell='*) printf '%s\n' "$file" ;;
		esac
	done
}

# pure_units: sources of the units that the modules' Kbuild calls pure
pure_units() {
	local kbuild unit units

	while IFS= read -r kbuild; do
		mapfile -t units < <(sed -nE 's/^pure-units [:+]= //p' "$kbuild" |
			tr ' ' '\n')
		for unit in "${units[@]}"; do
			printf '%s\n' "${kbuild%/*}/${unit%.o}.c"
		done
	done < <(source_files_like '^(host|guest)-kmod/Kbuild$')
}
