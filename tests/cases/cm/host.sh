#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guests use guest addressing and the stock rdma_cm. A host's part: its GID map has
# their addresses, and no object is left.
. "$HYV_TREE/tests/lib/case.sh"

# a guest's program has been killed, with the memory that its peer reads or sends to
KLOG_HARMLESS+=("^$IBDEV: qp#[0-9]+ make_send_cqe: non-flush error status = (10|12)\$")

# those of the two guests that are on this host
mine=()
for ((n = LAB_HOST; n <= 2; n += LAB_HOSTS)); do
	mine+=("$n")
done

hyv list
barrier connected

step "the GID map has the guests' GIDs, and they cannot be changed"
hyv map list
hyv --json map list | jq -e --argjson guests ${#mine[@]} --arg hca "$IBDEV" 'map(select(.vnic)) |
	length >= 2 * $guests and all(.hca == $hca) and
	(map(.vnic) | unique | length) == $guests'
gid=$(hyv --json map list | jq -r 'map(select(.vnic))[0].gid')
hyv map show "$gid" | grep -E '^ +vnic +[0-9]+$' >/dev/null
expect_output 1 '' "hyv: $gid: This GID is in the map already" \
	hyv map add "$gid" via 192.0.2.1
expect_output 1 '' "hyv: $gid: A vNIC has this GID" hyv map replace "$gid" via 192.0.2.1
expect_output 3 '' "hyv: $gid: No static entry has this GID" hyv map del "$gid"

for n in "${mine[@]}"; do
	wait_for 60 no_objects "$(lab-guest "$n" pid)"
done

step "the address of the HCA changes"
before=$(cat /sys/class/net/hca0/address)
ip link set hca0 address "02:00:00:77:00:0$LAB_HOST"
put "gid-$LAB_HOST" "fe80:0000:0000:0000:0000:00ff:fe77:000$LAB_HOST"
barrier changed
barrier seen
ip link set hca0 address "$before"

barrier end
for n in "${mine[@]}"; do
	wait_for 60 no_objects "$(lab-guest "$n" pid)"
done
klog_check
