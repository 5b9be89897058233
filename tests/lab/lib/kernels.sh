# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# Which kernels machines can have, and what each asks of the lab:
#   PATIENCE    what all limits of time are multiplied by, in the machines too,
#               where it is LAB_PATIENCE
#   HOST_RAM, GUEST_RAM    memory of machines that nobody has said more about
# Needs cache.sh.

KERNELS=(6.1 6.12 6.1-point 6.12-debug)

# kernels_choose HOST GUEST: the kernels of host and guests.
kernels_choose() {
	local series

	for series; do
		[[ " ${KERNELS[*]} " == *" $series "* ]] ||
			die "no such kernel: $series (there are ${KERNELS[*]})"
	done
	PATIENCE=1 HOST_RAM=8G GUEST_RAM=700M
	case $1 in
	*-debug) PATIENCE=4 HOST_RAM=10G ;;
	esac
	# KASAN alone takes an eighth of the memory
	case $2 in
	*-debug) PATIENCE=4 HOST_RAM=10G GUEST_RAM=1200M ;;
	esac
}
