# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Convert an unpacked kernel into a cache entry that the lab's machines can boot.
# Needs cache.sh. The keys of such entries must include bootable_key.

BOOTABLE_PACKAGES=(cpio kmod e2fsprogs)

# The modules that the initrd loads, with their dependencies. Some kernels
# have some of them built in.
BOOT_MODULES=(virtio_pci virtio_blk ext4 overlay virtio_console 9pnet_virtio 9p
	virtio_net)
# The same, but only older kernels have them
OLD_BOOT_MODULES=(crc32c_generic)

# boot_initrd ROOT RELEASE OUT
boot_initrd() {
	local root=$1 release=$2 out=$3 tree m file

	tree=$(mktemp -d "$out-XXXXXX")
	mkdir -p "$tree"/{bin,boot-modules,dev,proc,rw,lower,new}
	cp "$root/bin/busybox" "$tree/bin/busybox"
	: >"$tree/boot-modules/order"
	{
		for m in "${OLD_BOOT_MODULES[@]}"; do
			modprobe -d "$root" -S "$release" -q --show-depends "$m" || true
		done
		for m in "${BOOT_MODULES[@]}"; do
			modprobe -d "$root" -S "$release" --show-depends "$m"
		done
	} | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r file; do
			cp "$file" "$tree/boot-modules/"
			basename "$file" >>"$tree/boot-modules/order"
		done
	(cd "$tree" && find . | sort | cpio --quiet -o -H newc) >"$out"
	rm -rf "$tree"
}

# bootable_root ROOT: make a directory that packages can be unpacked in; since Debian 13
# they have all files below /usr
bootable_root() {
	mkdir -p "$1"/usr/{bin,lib}
	ln -s usr/bin "$1/bin"
	ln -s usr/lib "$1/lib"
}

# bootable_make DIR RELEASE ROOT: make an entry's release, modules.img and boot/
# from ROOT, which has bin/busybox, boot/vmlinux and lib/modules/RELEASE, and
# remove ROOT
bootable_make() {
	local dir=$1 release=$2 root=$3 from=$3/lib/modules/$2 size

	# modprobe and depmod need the path lib/modules, the image does not
	depmod -b "$root" "$release" 2>/dev/null
	mkdir -p "$dir/boot" "$dir/tree"
	mv "$root/boot/vmlinux" "$dir/boot/"
	boot_initrd "$root" "$release" "$dir/boot/initrd"
	rm -f "$from/build" "$from/source"
	mv "$from" "$dir/tree/"
	cp -r "$dir/boot" "$dir/tree/boot"
	size=$(du -sm --apparent-size "$dir/tree" | cut -f1)
	mke2fs -q -t ext4 -O ^has_journal -m 0 -d "$dir/tree" \
		"$dir/modules.img" "$((size * 5 / 4 + 64))M" >/dev/null
	rm -rf "$dir/tree" "$root"
	printf '%s\n' "$release" >"$dir/release"
}

# bootable_key: print what the key of an entry must include
bootable_key() {
	printf '%s\n' "${BOOT_MODULES[@]}" "${OLD_BOOT_MODULES[@]}"
	declare -f boot_initrd bootable_root bootable_make
}
