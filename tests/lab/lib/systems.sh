# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# The systems that machines can be: a release of Debian with one of its kernels. The
# name begins with the release. Settings that depend on them:
#   TIMEOUT_SCALE    factor on all time limits, more than it is by LAB_TIMEOUT_SCALE in the
#                    environment; in the machines it is LAB_TIMEOUT_SCALE
#   HOST_RAM, GUEST_RAM    default memory size of machines, the latter with the unit M
# Needs cache.sh.

SYSTEMS=(debian12 debian12-bpo debian12-point debian12-new debian12-debug debian12-race
	debian13 debian13-bpo debian13-point debian13-old)

# system_release SYSTEM: print the release, as for debian_use
system_release() {
	printf '%s\n' "${1%%-*}"
}

# system_kernel SYSTEM: print the name of the kernel, as for images/kernel
system_kernel() {
	case $1 in
	debian12) echo debian12:6.1 ;;
	debian12-bpo) echo debian12:6.12 ;;
	# the kernel of the last point release, which lacks symbols that the kernels of
	# the security archive export
	debian12-point) echo debian12:6.1-point ;;
	debian13-point) echo debian13:6.12-point ;;
	# libraries of one release on the drivers of the other
	debian12-new) echo debian13:7.3 ;;
	debian13-old) echo debian12:6.1 ;;
	debian12-debug) echo debian12:6.12-debug ;;
	debian12-race) echo debian12:6.12-race ;;
	debian13) echo debian13:6.12 ;;
	debian13-bpo) echo debian13:7.3 ;;
	*) die "unknown system '$1' (known: ${SYSTEMS[*]})" ;;
	esac
}

# system_qemu SYSTEM: print the release whose QEMU a host with this system has. Of sid there
# is a QEMU only.
system_qemu() {
	[[ " ${SYSTEMS[*]} sid " == *" $1 "* ]] ||
		die "unknown system '$1' of QEMU (known: ${SYSTEMS[*]} sid)"
	system_release "$1"
}

# systems_choose HOST GUEST: set the settings that depend on the systems
systems_choose() {
	local system

	for system; do
		system_kernel "$system" >/dev/null
	done
	TIMEOUT_SCALE=1 HOST_RAM=8G GUEST_RAM=1024M
	case $1 in
	*-debug | *-race) TIMEOUT_SCALE=4 HOST_RAM=10G ;;
	esac
	# KASAN takes an eighth of the memory
	case $2 in
	*-debug | *-race) TIMEOUT_SCALE=4 HOST_RAM=10G GUEST_RAM=1200M ;;
	esac
	TIMEOUT_SCALE=$((TIMEOUT_SCALE * ${LAB_TIMEOUT_SCALE:-1}))
}
