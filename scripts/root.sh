# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Use a root directory of the cache without changing it, or this machine.

# root_scratch KIND: make a directory for root_mount and print it. Needs cache.sh. The
# caller removes it; it expires if the caller is killed.
root_scratch() {
	# The upper directory of an overlay must not be on a tmpfs or an overlay, as /tmp
	# may be.
	mkdir -p "$HYV_CACHE"
	cache_expire "$1"
	mktemp -d "$HYV_CACHE/.tmp-$1-XXXXXX"
}

# root_alone COMMAND...: run a program in mount and PID namespaces of its own; all that it
# mounts and starts ends with it, however it ends
root_alone() {
	unshare --mount --pid --fork --kill-child "$@"
}

# root_mount LOWER SCRATCH: mount SCRATCH/root, which has what is in LOWER; all changes go
# to SCRATCH/upper. Only for what root_alone runs.
root_mount() {
	mkdir -p "$2"/{upper,work,root}
	mount -t overlay overlay -o \
		"lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
	mount -t proc proc "$2/root/proc"
	mount -t tmpfs tmpfs "$2/root/tmp"
}

# root_devices ROOT: mount what programs expect in /dev and /sys, where they cannot change
# this machine
root_devices() {
	local dev=$1/dev name

	mount -t sysfs -o ro sysfs "$1/sys"
	mount -t tmpfs -o mode=755 tmpfs "$dev"
	mkdir "$dev"/{pts,shm}
	mount -t devpts -o newinstance,mode=620,ptmxmode=666 devpts "$dev/pts"
	mount -t tmpfs tmpfs "$dev/shm"
	for name in null zero full random urandom tty kvm; do
		[ -e "/dev/$name" ] || continue
		: >"$dev/$name"
		mount --bind "/dev/$name" "$dev/$name"
	done
	ln -s pts/ptmx "$dev/ptmx"
	ln -s /proc/self/fd "$dev/fd"
	ln -s fd/0 "$dev/stdin"
	ln -s fd/1 "$dev/stdout"
	ln -s fd/2 "$dev/stderr"
}
