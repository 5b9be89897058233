// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device, its port and its GIDs.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/limits.h>
#include <linux/netdevice.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "hyvs/hyvs.h"

/* The number for a device that nobody sells. */
#define NO_VENDOR	0xffffff

int hyvs_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		      struct ib_udata *udata)
{
	attr->sys_image_guid = ib->node_guid;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->vendor_id = NO_VENDOR;
	attr->hw_ver = 1;
	attr->max_qp = hyvs_max_objects[HYVS_QP];
	attr->max_qp_wr = HYVS_MAX_QUEUE;
	attr->device_cap_flags = IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B |
				 IB_DEVICE_XRC;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY;
	attr->max_send_sge = HYVS_MAX_SGE;
	attr->max_recv_sge = HYVS_MAX_SGE;
	attr->max_sge_rd = HYVS_MAX_SGE;
	attr->max_cq = hyvs_max_objects[HYVS_CQ];
	attr->max_cqe = HYVS_MAX_CQE;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	attr->max_mr = hyvs_max_objects[HYVS_KEY];
	attr->max_mw = hyvs_max_objects[HYVS_KEY];
	attr->max_pd = hyvs_max_objects[HYVS_PD];
	attr->max_qp_rd_atom = HYVS_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = HYVS_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = HYVS_MAX_RD_ATOMIC * attr->max_qp;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_ah = INT_MAX;
	attr->max_srq = hyvs_max_objects[HYVS_SRQ];
	attr->max_srq_wr = HYVS_MAX_QUEUE - 1;
	attr->max_srq_sge = HYVS_MAX_SGE - 1;
	attr->max_mcast_grp = hyvs_max_objects[HYVS_MEMBER];
	attr->max_mcast_qp_attach = ENG_MAX_MEMBERS;
	attr->max_total_mcast_qp_attach = hyvs_max_objects[HYVS_MEMBER];
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	return 0;
}

bool hyvs_port_is_up(const struct hyvs_device *dev)
{
	return netif_running(dev->ndev) && netif_carrier_ok(dev->ndev);
}

int hyvs_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	attr->state = hyvs_port_is_up(to_hyvs_device(ib)) ? IB_PORT_ACTIVE :
							    IB_PORT_DOWN;
	attr->phys_state = attr->state == IB_PORT_ACTIVE ?
			   IB_PORT_PHYS_STATE_LINK_UP :
			   IB_PORT_PHYS_STATE_DISABLED;
	/* No packet is sent, so the device below does not limit the MTU. */
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = HYVS_MAX_GIDS;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = HYVS_MAX_MSG;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	return 0;
}

int hyvs_port_immutable(struct ib_device *ib, u32 port,
			struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	if (to_hyvs_device(ib)->has_gsi)
		immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	else
		immutable->core_cap_flags &= ~(RDMA_CORE_CAP_IB_MAD |
					       RDMA_CORE_CAP_IB_CM);
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = HYVS_MAX_GIDS;
	return 0;
}

enum rdma_link_layer hyvs_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int hyvs_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return index ? -EINVAL : 0;
}

int hyvs_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct hyvs_device *dev = to_hyvs_device(attr->device);

	return hyvs_gids_set(&dev->gids, attr->index, &attr->gid);
}

int hyvs_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct hyvs_device *dev = to_hyvs_device(attr->device);

	return hyvs_gids_set(&dev->gids, attr->index, NULL);
}

/* RoCE v2: an IPv6 header, or 20 bytes of nothing and an IPv4 header. */
static void hyvs_fill_grh(u8 *grh, const struct eng_av *av,
			  const union ib_gid *sgid, u32 length)
{
	const struct in6_addr *from = (void *)sgid->raw;
	const struct in6_addr *to = (void *)av->dgid;
	struct iphdr *ip = (void *)(grh + ENG_GRH_SIZE - sizeof(*ip));
	struct ipv6hdr *ip6 = (void *)grh;

	memset(grh, 0, ENG_GRH_SIZE);
	if (!ipv6_addr_v4mapped(from)) {
		*(__be32 *)ip6 = htonl(6U << 28 | (u32)av->tclass << 20 |
				       av->flow_label);
		ip6->payload_len = htons(length);
		ip6->nexthdr = IPPROTO_UDP;
		ip6->hop_limit = av->hop_limit;
		ip6->saddr = *from;
		ip6->daddr = *to;
		return;
	}
	ip->version = 4;
	ip->ihl = 5;
	ip->tos = av->tclass;
	ip->tot_len = htons(sizeof(*ip) + length);
	ip->ttl = av->hop_limit;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = from->s6_addr32[3];
	ip->daddr = to->s6_addr32[3];
	ip_send_check(ip);
}

/* A process can write any address into a work request. */
bool hyvs_ud_path(void *env, const struct eng_qp *eng, const struct eng_av *av,
		  u32 length, struct eng_path *path)
{
	const struct hyvs_gids *gids =
		container_of(eng, struct hyvs_qp, eng)->gids;
	struct in6_addr dgid;
	union ib_gid sgid;

	memcpy(&dgid, av->dgid, sizeof(dgid));
	if (!hyvs_gids_get(gids, av->sgid_index, &sgid))
		return false;
	path->group = rdma_is_multicast_addr(&dgid);
	if (!path->group && !hyvs_gids_find(gids, &dgid, &path->owner))
		return false;
	hyvs_fill_grh(path->grh, av, &sgid, length);
	return true;
}
