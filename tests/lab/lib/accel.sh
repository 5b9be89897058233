# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Choice between KVM and TCG, QEMU's emulator. Needs machine.sh.

# accel_probe QEMU KERNELDIR: succeed if a stock kernel reaches init under KVM
# within 20 seconds and its CPU supports nested virtualization
accel_probe() {
	local dir status=1

	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	say "probing /dev/kvm (at most 20 seconds)"
	dir=$(mktemp -d)
	machine_initrd "$2" "$dir/initrd"
	# bash itself reports a QEMU that aborts, so redirect its output, too
	{
		timeout -k 1 20 "$1" -L "${1%/bin/*}/share" -nodefaults -display none \
			-no-reboot -machine q35 -accel kvm -cpu host -m 512M \
			-kernel "$2/vmlinuz" -initrd "$dir/initrd" \
			-append "$(machine_kernel_args) LAB_PROBE=1" \
			-serial "file:$dir/console" || true
	} </dev/null >/dev/null 2>&1
	! grep -qs '^lab: kvm is usable' "$dir/console" || status=0
	rm -rf "$dir"
	return $status
}

# accel_choose QEMU KERNELDIR: set ACCEL to kvm or tcg. The result of the probe
# is stored until this machine reboots; LAB_ACCEL overrides it.
accel_choose() {
	local boot file=$HYV_CACHE/accel

	ACCEL=${LAB_ACCEL:-}
	[ -z "$ACCEL" ] || return 0
	boot=$(cat /proc/sys/kernel/random/boot_id)
	if [ "$(head -n 1 "$file" 2>/dev/null)" != "$boot" ]; then
		ACCEL=tcg
		! accel_probe "$@" || ACCEL=kvm
		printf '%s\n' "$boot" "$ACCEL" >"$file.$$"
		mv "$file.$$" "$file"
		say "using $ACCEL"
	fi
	ACCEL=$(tail -n 1 "$file")
}
