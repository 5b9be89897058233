# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# The kernels that machines can have, and settings that depend on them:
#   TIMEOUT_SCALE    factor on all time limits; in the machines it is LAB_TIMEOUT_SCALE
#   HOST_RAM, GUEST_RAM    default memory size of machines
# 6.1-point is the kernel of the last point release of Debian 12. It lacks
# symbols that the kernels of the security archive export.
# Needs cache.sh.

KERNELS=(6.1 6.12 6.1-point 6.12-debug 6.12-race)

# kernels_choose HOST GUEST: set the kernels of host and guests
kernels_choose() {
	local series

	for series; do
		[[ " ${KERNELS[*]} " == *" $series "* ]] ||
			die "unknown kernel '$series' (known: ${KERNELS[*]})"
	done
	TIMEOUT_SCALE=1 HOST_RAM=8G GUEST_RAM=700M
	case $1 in
	*-debug | *-race) TIMEOUT_SCALE=4 HOST_RAM=10G ;;
	esac
	# KASAN takes an eighth of the memory
	case $2 in
	*-debug | *-race) TIMEOUT_SCALE=4 HOST_RAM=10G GUEST_RAM=1200M ;;
	esac
}
