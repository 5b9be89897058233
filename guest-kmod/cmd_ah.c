// SPDX-License-Identifier: GPL-2.0-only
/* Addresses of peers. */
#include <linux/string.h>

#include "cmd_priv.h"
#include "hyv_dev.h"

/**
 * hyv_ah_to_wire() - convert the address of a peer
 * @wire: zeroed by the caller
 * @ah: the address; how its next hop is reached is for the host to find out
 */
void hyv_ah_to_wire(struct hyv_ah_attr *wire, const struct rdma_ah_attr *ah)
{
	wire->sl = rdma_ah_get_sl(ah);
	wire->static_rate = rdma_ah_get_static_rate(ah);
	wire->port_num = rdma_ah_get_port_num(ah);
	wire->dlid = cpu_to_le16(rdma_ah_get_dlid(ah));
	wire->src_path_bits = rdma_ah_get_path_bits(ah);
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH) {
		const struct ib_global_route *grh = rdma_ah_read_grh(ah);

		wire->is_global = 1;
		memcpy(wire->dgid, grh->dgid.raw, sizeof(wire->dgid));
		wire->flow_label = cpu_to_le32(grh->flow_label);
		wire->sgid_index = grh->sgid_index;
		wire->hop_limit = grh->hop_limit;
		wire->traffic_class = grh->traffic_class;
	}
}

/**
 * hyv_ah_from_wire() - convert the address of a peer
 * @ibdev: device
 * @ah: zeroed if the host names no port
 * @wire: the address
 */
void hyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		      const struct hyv_ah_attr *wire)
{
	memset(ah, 0, sizeof(*ah));
	if (!rdma_is_port_valid(ibdev, wire->port_num))
		return;
	ah->type = rdma_ah_find_type(ibdev, wire->port_num);
	rdma_ah_set_port_num(ah, wire->port_num);
	rdma_ah_set_sl(ah, wire->sl);
	rdma_ah_set_static_rate(ah, wire->static_rate);
	rdma_ah_set_dlid(ah, le16_to_cpu(wire->dlid));
	rdma_ah_set_path_bits(ah, wire->src_path_bits);
	if (wire->is_global) {
		union ib_gid dgid;

		memcpy(dgid.raw, wire->dgid, sizeof(dgid.raw));
		rdma_ah_set_grh(ah, &dgid, le32_to_cpu(wire->flow_label),
				wire->sgid_index, wire->hop_limit,
				wire->traffic_class);
	}
}
