# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the checks of this directory. A check is a program that takes the
# root of a tree, prints one line per finding, starting with the file's name, and
# exits with 0 (no findings), 1 (findings) or more (the check itself failed).
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

# done_checking: exit status of a check; its last command
done_checking() {
	[ "$findings" = 0 ]
}

# source_files: all files of the tree except ignored ones
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

# shell_files: scripts for bash or sh, by their first lines
shell_files() {
	source_files_like '^[^.]*$|\.sh$|^\.ci/' | while IFS= read -r file; do
		case $(head -n 3 "$file" | tr -d '\0') in
		'#!/bin/bash'* | '#!/bin/sh'* | '#!/bin/busybox sh'* | \
			*'# shellcheck shell='*) printf '%s\n' "$file" ;;
		esac
	done
}

# pure_units: sources of the pure units (see the Kbuild of each module)
pure_units() {
	local kbuild unit units

	while IFS= read -r kbuild; do
		mapfile -t units < <(sed -nE 's/^pure-units [:+]= //p' "$kbuild" |
			tr ' ' '\n')
		for unit in "${units[@]}"; do
			printf '%s\n' "${kbuild%/*}/${unit%.o}.c"
		done
	done < <(source_files_like '^(gsi|(host|guest)-kmod)/Kbuild$')
}

# can_use_sparse KDIR: status 0 if the kernel's build can check by sparse. Those of 7.x need
# a newer one than any release of Debian has.
can_use_sparse() {
	[[ ${1##*/} == linux-headers-6.* ]]
}

# read_depends DIR: print the modules that the hyv.ko there depends on
read_depends() {
	[ ! -e "$1/host-kmod/hyv.ko" ] || modinfo -F depends "$1/host-kmod/hyv.ko"
}

# check_sparse LOG KERNEL: has sparse checked each file that was compiled? A build that
# cannot use it goes on without it.
check_sparse() {
	local compiled checked

	compiled=$(grep -E '^ +CC ' "$1" | grep -cvE '(\.mod|module-common)\.o$' || true)
	checked=$(grep -cE '^ +CHECK ' "$1" || true)
	[ "$checked" -ge "$compiled" ] ||
		finding "sparse has checked $checked of $compiled files on $2"
}

# check_depends DIR KERNEL: ib_core removes an HCA from hyv.ko first only if that was loaded
# after ib_uverbs
check_depends() {
	! grep -qx host-kmod/hyv.ko "$1/modules" ||
		tr , '\n' <"$1/depends" | grep -x ib_uverbs >/dev/null ||
		finding "hyv.ko does not depend on ib_uverbs on $2"
}

# fill_build KDIR DIR: build all modules; leave the compiler's output (log), the
# names of modules and of objects, the modules that hyv.ko depends on, and the
# objects' global symbols (nm -A). Modules may be missing, as the log says.
fill_build() {
	local kdir=$1 dir=$2

	make -j2 modules KDIR="$kdir" BUILD="$dir/build" W=1 C=2 \
		CF=-D__CHECK_ENDIAN__ >"$dir/log" 2>&1 ||
		echo '*** make failed' >>"$dir/log"
	# The compiler of Debian's kernels may be another one than ours.
	sed -i "s|$dir/build/||g; /warning: the compiler differs/d; /warning: pahole/d" \
		"$dir/log"
	(
		cd "$dir/build"
		find . -name '*.ko' -printf '%P\n' >"$dir/modules"
		find . -name '*.o' ! -name '*.mod.o' -printf '%P\n' |
			while IFS= read -r object; do
				# what a module is linked from, not the module
				[ -e "${object%.o}.mod" ] || printf '%s\n' "$object"
			done >"$dir/objects"
		xargs -r -a "$dir/objects" nm -g -A >"$dir/symbols"
	)
	read_depends "$dir/build" >"$dir/depends"
	rm -rf "$dir/build"
}

# fill_compiled KDIR DIR: compile all modules, those for tests, too, and check HyV's own
# by sparse if the kernel's build can; leave the compiler's output (log, test-log), the
# names of modules and the modules that hyv.ko depends on
fill_compiled() {
	local kdir=$1 dir=$2 tree=$2/test make options=()

	! can_use_sparse "$kdir" || options=(C=2 CF=-D__CHECK_ENDIAN__)
	make=(make -j2 -C "$kdir" W=1)
	mkdir -p "$tree"
	make -j2 modules KDIR="$kdir" BUILD="$dir/build" W=1 "${options[@]}" \
		>"$dir/log" 2>&1 || echo '*** make failed' >>"$dir/log"
	: >"$dir/test-log"
	if [ -d tests/mock ]; then
		cp -r --parents -t "$tree" include gsi host-kmod guest-kmod tests/mock \
			tests/loopback/module tests/malguest
		cp tests/mock/Kbuild "$tree/"
		"${make[@]}" M="$tree" hyv_mock.o hyv_loopback.o >>"$dir/test-log" 2>&1 ||
			echo '*** make failed' >>"$dir/test-log"
		"${make[@]}" M="$tree/tests/malguest" modules >>"$dir/test-log" 2>&1 ||
			echo '*** make failed' >>"$dir/test-log"
	fi
	(cd "$dir/build" && find . -name '*.ko' -printf '%P\n') >"$dir/modules"
	read_depends "$dir/build" >"$dir/depends"
	sed -i "s|$dir/||g; /warning: the compiler differs/d; /warning: pahole/d" \
		"$dir/log" "$dir/test-log"
	rm -rf "$dir/build" "$tree"
}

# compiled_modules KDIR: print a directory filled by fill_compiled
compiled_modules() {
	local kdir=$1 key

	key=$({
		printf '%s\n' "$kdir" "$(gcc --version)"
		sparse --version
		declare -f fill_compiled can_use_sparse read_depends
		source_files_like '^(Kbuild|Makefile|(include|gsi|host-kmod|guest-kmod|tests/(mock|loopback/module|malguest))/.*)$' |
			tr '\n' '\0' | xargs -0 sha256sum
	} | cache_key)
	cache_get lint-compiled "$key" fill_compiled "$kdir"
}

# built_modules KERNEL: print a directory filled by fill_build, from the cache if
# this tree was built before; several checks look at the same build
built_modules() {
	local kdir key

	kdir=$("$lint/../../scripts/kernel-headers" "$1")
	key=$({
		printf '%s\n' "$kdir" "$(gcc --version)" "$(sparse --version)"
		declare -f fill_build read_depends
		source_files_like '^(Kbuild|Makefile|(include|gsi|host-kmod|guest-kmod)/.*)$' |
			tr '\n' '\0' | xargs -0 sha256sum
	} | cache_key)
	cache_get lint-build "$key" fill_build "$kdir"
}
