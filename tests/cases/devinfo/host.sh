#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Stock tools show the same in a guest as on the host.
. "$HYV_TREE/tests/lib/case.sh"

# values FILE: "name value" lines of ibv_devinfo -v
values() {
	sed -nE 's/^[[:blank:]]*([^:[:blank:]]+[^:]*):[[:blank:]]*(.*)$/\1 \2/p' "$1"
}

EQUAL='transport|fw_ver|vendor_id|vendor_part_id|hw_ver|phys_port_cnt|max_mr_size
	|page_size_cap|max_qp_wr|max_sge|max_sge_rd|max_cqe|max_qp_rd_atom
	|max_qp_init_rd_atom|max_pkeys|local_ca_ack_delay|port|state|max_mtu
	|active_mtu|link_layer|max_msg_sz|max_vl_num|gid_tbl_len|subnet_timeout
	|active_width|active_speed|phys_state'
EQUAL=$(tr -d ' \t\n' <<<"$EQUAL")

ibv_devinfo -v -d "$IBDEV" >"$OUT/devinfo"
values "$OUT/devinfo" >"$OUT/values"
gids >"$OUT/gids"
barrier seen

step "a process that has the device open is listed under its QEMU"
rdma resource show ctx
for n in 1 2; do
	wait_for 60 has ctx "$(lab-guest $n pid)" 1
done
barrier listed

for n in 1 2; do
	step "guest $n"
	in=$LAB_CASE/guest$n
	# ibv_devices lists the device with its GUID, and no other
	tail -n +3 "$in/devices" >"$OUT/devices"
	[ "$(wc -l <"$OUT/devices")" = 1 ]
	grep -qE '^[[:blank:]]*hyv0[[:blank:]]+[0-9a-f]{16}$' "$OUT/devices"
	must_fail grep -q 0000000000000000 "$OUT/devices"
	grep -q 'hyv0/1 .* state ACTIVE physical_state LINK_UP' "$in/link"

	# the attributes and GIDs of the host's HCA
	values "$in/devinfo" >"$OUT/values$n"
	grep -E "^($EQUAL) " "$OUT/values" >"$OUT/equal"
	[ "$(cut -d ' ' -f 1 "$OUT/equal" | sort -u | wc -l)" -ge 20 ]
	diff "$OUT/equal" <(grep -E "^($EQUAL) " "$OUT/values$n")
	[ -s "$OUT/gids" ]
	diff "$OUT/gids" "$in/gids"

	# no limit above the host's, and none of the important ones 0
	awk '$1 !~ /^max_/ || $2 !~ /^[0-9]+$/ { next }
		FNR == NR { host[$1] = $2; next }
		$2 > host[$1] { print $0 ", on the host " host[$1]; wrong = 1 }
		$1 ~ /^max_(qp|cq|mr|pd)$/ && $2 > 100 { some++ }
		END { exit wrong || some != 4 }' "$OUT/values" "$OUT/values$n"
done
klog_check
