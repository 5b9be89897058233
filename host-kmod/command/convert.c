// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversions between types of the wire protocol and of ib_core.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include <rdma/ib_mad.h>

#include "command/convert.h"

#define HYVH_MASK_24	0xffffff
/* Bits of a flow label in a GRH. */
#define HYVH_FLOW_LABEL	0xfffff
/* Local ACK timeout and RNR timer have 5 bits, retry counters have 3. */
#define HYVH_MAX_TIMER	31
#define HYVH_MAX_RETRY	7
#define HYVH_MAX_SL	15

#define HYVH_REMOTE_ACCESS \
	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
	 IB_ACCESS_REMOTE_ATOMIC)

/* Attributes that a guest may set. The capacities of a QP are constant. */
#define HYVH_QP_ATTRS \
	(IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY | \
	 IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY | \
	 IB_QP_AV | IB_QP_PATH_MTU | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | \
	 IB_QP_RNR_RETRY | IB_QP_RQ_PSN | IB_QP_MAX_QP_RD_ATOMIC | \
	 IB_QP_ALT_PATH | IB_QP_MIN_RNR_TIMER | IB_QP_SQ_PSN | \
	 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_PATH_MIG_STATE | IB_QP_DEST_QPN | \
	 IB_QP_RATE_LIMIT)

/*
 * Convert a negative errno, which may be internal to the kernel, to the status
 * of a reply: HYV_S_EIO if there is no better one. Never returns HYV_S_ENOSYS,
 * which is for the dispatcher.
 */
enum hyv_status hyvh_status_from_errno(int err)
{
	switch (-err) {
	case 0:
		return HYV_OK;
	case EPERM:
		return HYV_S_EPERM;
	case ENOENT:
		return HYV_S_ENOENT;
	case EINTR:
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
		return HYV_S_EINTR;
	case E2BIG:
		return HYV_S_E2BIG;
	case EAGAIN:
		return HYV_S_EAGAIN;
	case ENOMEM:
	case ENOBUFS:
		return HYV_S_ENOMEM;
	case EACCES:
		return HYV_S_EACCES;
	case EFAULT:
		return HYV_S_EFAULT;
	case EBUSY:
		return HYV_S_EBUSY;
	case EEXIST:
		return HYV_S_EEXIST;
	case ENODEV:
	case ENXIO:
		return HYV_S_ENODEV;
	case EINVAL:
		return HYV_S_EINVAL;
	case ENOSPC:
		return HYV_S_ENOSPC;
	case ERANGE:
	case EOVERFLOW:
		return HYV_S_ERANGE;
	case EMSGSIZE:
		return HYV_S_EMSGSIZE;
	case EPROTONOSUPPORT:
		return HYV_S_EPROTONOSUPPORT;
	case EOPNOTSUPP:
	case ENOTSUPP:
		return HYV_S_EOPNOTSUPP;
	case ENETUNREACH:
		return HYV_S_ENETUNREACH;
	case ETIMEDOUT:
		return HYV_S_ETIMEDOUT;
	case EHOSTUNREACH:
		return HYV_S_EHOSTUNREACH;
	case EDQUOT:
		return HYV_S_EDQUOT;
	default:
		return HYV_S_EIO;
	}
}

/* Returns -EINVAL above @limits. The driver checks the limit of inline data. */
int hyvh_qp_cap_from_wire(const struct hyv_qp_cap *in,
			  const struct ib_device_attr *limits,
			  struct ib_qp_cap *out)
{
	memset(out, 0, sizeof(*out));
	out->max_send_wr = le32_to_cpu(in->max_send_wr);
	out->max_recv_wr = le32_to_cpu(in->max_recv_wr);
	out->max_send_sge = le32_to_cpu(in->max_send_sge);
	out->max_recv_sge = le32_to_cpu(in->max_recv_sge);
	out->max_inline_data = le32_to_cpu(in->max_inline_data);

	if (out->max_send_wr > (u32)limits->max_qp_wr ||
	    out->max_recv_wr > (u32)limits->max_qp_wr ||
	    out->max_send_sge > (u32)limits->max_send_sge ||
	    out->max_recv_sge > (u32)limits->max_recv_sge)
		return -EINVAL;
	return 0;
}

void hyvh_qp_cap_to_wire(const struct ib_qp_cap *in, struct hyv_qp_cap *out)
{
	out->max_send_wr = cpu_to_le32(in->max_send_wr);
	out->max_recv_wr = cpu_to_le32(in->max_recv_wr);
	out->max_send_sge = cpu_to_le32(in->max_send_sge);
	out->max_recv_sge = cpu_to_le32(in->max_recv_sge);
	out->max_inline_data = cpu_to_le32(in->max_inline_data);
}

/*
 * Returns -EINVAL if a field is out of range. @out lacks the GID attribute of
 * the source and, for RoCE, the MAC address: ib_core looks them up.
 */
int hyvh_ah_attr_from_wire(struct ib_device *dev, const struct hyv_ah_attr *in,
			   struct rdma_ah_attr *out)
{
	union ib_gid dgid;

	if (in->is_global > 1 || in->sl > HYVH_MAX_SL ||
	    memchr_inv(in->reserved, 0, sizeof(in->reserved)) ||
	    !rdma_is_port_valid(dev, in->port_num))
		return -EINVAL;

	memset(out, 0, sizeof(*out));
	out->type = rdma_ah_find_type(dev, in->port_num);
	if (in->is_global) {
		static_assert(sizeof(dgid.raw) == sizeof(in->dgid));
		memcpy(dgid.raw, in->dgid, sizeof(dgid.raw));
		rdma_ah_set_grh(out, &dgid,
				le32_to_cpu(in->flow_label) & HYVH_FLOW_LABEL,
				in->sgid_index, in->hop_limit,
				in->traffic_class);
	}
	rdma_ah_set_dlid(out, le16_to_cpu(in->dlid));
	rdma_ah_set_sl(out, in->sl);
	rdma_ah_set_path_bits(out, in->src_path_bits);
	rdma_ah_set_static_rate(out, in->static_rate);
	rdma_ah_set_port_num(out, in->port_num);
	return 0;
}

void hyvh_ah_attr_to_wire(const struct rdma_ah_attr *in,
			  struct hyv_ah_attr *out)
{
	const struct ib_global_route *grh;

	memset(out, 0, sizeof(*out));
	if (rdma_ah_get_ah_flags(in) & IB_AH_GRH) {
		grh = rdma_ah_read_grh(in);
		out->is_global = 1;
		memcpy(out->dgid, grh->dgid.raw, sizeof(out->dgid));
		out->flow_label = cpu_to_le32(grh->flow_label);
		out->sgid_index = grh->sgid_index;
		out->hop_limit = grh->hop_limit;
		out->traffic_class = grh->traffic_class;
	}
	out->dlid = cpu_to_le16(rdma_ah_get_dlid(in));
	out->sl = rdma_ah_get_sl(in);
	out->src_path_bits = rdma_ah_get_path_bits(in);
	out->static_rate = rdma_ah_get_static_rate(in);
	out->port_num = rdma_ah_get_port_num(in);
}

/*
 * The attributes in @mask that a guest may query. Bits that are no attribute do
 * not reach the HCA's driver: some drivers ignore them, others fail.
 */
u32 hyvh_qp_query_mask(u32 mask)
{
	return mask & (HYVH_QP_ATTRS | IB_QP_CAP);
}

/* The optional verbs that the HCA's driver supports. */
static u32 hyvh_verbs_of(const struct ib_device *dev)
{
	const struct ib_device_ops *ops = &dev->ops;
	u32 verbs = 0;

	if (ops->create_user_ah)
		verbs |= HYV_VERB_AH;
	if (ops->create_srq)
		verbs |= HYV_VERB_SRQ;
	if (ops->modify_srq)
		verbs |= HYV_VERB_MODIFY_SRQ;
	if (ops->resize_user_cq)
		verbs |= HYV_VERB_RESIZE_CQ;
	if (ops->modify_cq)
		verbs |= HYV_VERB_MODIFY_CQ;
	if (ops->rereg_user_mr)
		verbs |= HYV_VERB_REREG_MR;
	if (ops->alloc_mw)
		verbs |= HYV_VERB_MW;
	if (ops->attach_mcast)
		verbs |= HYV_VERB_MCAST;
	if (ops->alloc_xrcd)
		verbs |= HYV_VERB_XRC;
	return verbs;
}

static int hyvh_qp_attr_check(const struct ib_device *dev,
			      const struct hyv_qp_attr *in, u32 mask)
{
	u32 access = le32_to_cpu(in->qp_access_flags);
	u32 mtu = le32_to_cpu(in->path_mtu);

	if (memchr_inv(in->reserved, 0, sizeof(in->reserved)))
		return -EINVAL;
	if ((mask & IB_QP_STATE && le32_to_cpu(in->qp_state) > IB_QPS_ERR) ||
	    (mask & IB_QP_CUR_STATE &&
	     le32_to_cpu(in->cur_qp_state) > IB_QPS_ERR) ||
	    (mask & IB_QP_EN_SQD_ASYNC_NOTIFY && in->en_sqd_async_notify > 1) ||
	    (mask & IB_QP_ACCESS_FLAGS &&
	     access & ~(u32)(IB_ACCESS_SUPPORTED & ~IB_ACCESS_ON_DEMAND)) ||
	    (mask & IB_QP_PATH_MTU &&
	     (mtu < IB_MTU_256 || mtu > IB_MTU_4096)) ||
	    (mask & IB_QP_PATH_MIG_STATE &&
	     le32_to_cpu(in->path_mig_state) > IB_MIG_ARMED) ||
	    (mask & IB_QP_DEST_QPN &&
	     le32_to_cpu(in->dest_qp_num) > HYVH_MASK_24))
		return -EINVAL;

	if ((mask & IB_QP_TIMEOUT && in->timeout > HYVH_MAX_TIMER) ||
	    (mask & IB_QP_MIN_RNR_TIMER &&
	     in->min_rnr_timer > HYVH_MAX_TIMER) ||
	    (mask & IB_QP_RETRY_CNT && in->retry_cnt > HYVH_MAX_RETRY) ||
	    (mask & IB_QP_RNR_RETRY && in->rnr_retry > HYVH_MAX_RETRY) ||
	    (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	     in->max_rd_atomic > dev->attrs.max_qp_init_rd_atom) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	     in->max_dest_rd_atomic > dev->attrs.max_qp_rd_atom))
		return -EINVAL;

	if (mask & IB_QP_PORT && !rdma_is_port_valid(dev, in->port_num))
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH &&
	    (!rdma_is_port_valid(dev, in->alt_port_num) ||
	     in->alt_port_num != in->alt_ah.port_num ||
	     in->alt_timeout > HYVH_MAX_TIMER))
		return -EINVAL;

	/* Q_Keys with the highest bit set are for the host's kernel. */
	if (mask & IB_QP_QKEY && le32_to_cpu(in->qkey) & IB_QP_SET_QKEY)
		return -EPERM;
	return 0;
}

/**
 * hyvh_qp_attr_from_wire() - convert the attributes that a guest sets
 * @dev: the HCA
 * @in: attributes of the request
 * @mask: attributes to convert, enum ib_qp_attr_mask; any value
 * @out: filled in; other attributes are 0
 *
 * ib_core checks which attributes a change of state needs.
 *
 * Return: 0; -EOPNOTSUPP if @mask has an attribute that guests may not set;
 * -EINVAL if a value is out of range or a reserved field is not 0; or -EPERM
 * for a privileged Q_Key.
 */
int hyvh_qp_attr_from_wire(struct ib_device *dev, const struct hyv_qp_attr *in,
			   u32 mask, struct ib_qp_attr *out)
{
	int ret;

	if (mask & ~(u32)HYVH_QP_ATTRS)
		return -EOPNOTSUPP;
	ret = hyvh_qp_attr_check(dev, in, mask);
	if (ret)
		return ret;

	memset(out, 0, sizeof(*out));
	if (mask & IB_QP_AV) {
		ret = hyvh_ah_attr_from_wire(dev, &in->ah, &out->ah_attr);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH) {
		ret = hyvh_ah_attr_from_wire(dev, &in->alt_ah,
					     &out->alt_ah_attr);
		if (ret)
			return ret;
		out->alt_port_num = in->alt_port_num;
		out->alt_timeout = in->alt_timeout;
		out->alt_pkey_index = le16_to_cpu(in->alt_pkey_index);
	}
	if (mask & IB_QP_STATE)
		out->qp_state = le32_to_cpu(in->qp_state);
	if (mask & IB_QP_CUR_STATE)
		out->cur_qp_state = le32_to_cpu(in->cur_qp_state);
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		out->en_sqd_async_notify = in->en_sqd_async_notify;
	if (mask & IB_QP_ACCESS_FLAGS)
		out->qp_access_flags = le32_to_cpu(in->qp_access_flags);
	if (mask & IB_QP_PKEY_INDEX)
		out->pkey_index = le16_to_cpu(in->pkey_index);
	if (mask & IB_QP_PORT)
		out->port_num = in->port_num;
	if (mask & IB_QP_QKEY)
		out->qkey = le32_to_cpu(in->qkey);
	if (mask & IB_QP_PATH_MTU)
		out->path_mtu = le32_to_cpu(in->path_mtu);
	if (mask & IB_QP_TIMEOUT)
		out->timeout = in->timeout;
	if (mask & IB_QP_RETRY_CNT)
		out->retry_cnt = in->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		out->rnr_retry = in->rnr_retry;
	/* Like native drivers, ignore bits that do not fit. */
	if (mask & IB_QP_RQ_PSN)
		out->rq_psn = le32_to_cpu(in->rq_psn) & HYVH_MASK_24;
	if (mask & IB_QP_SQ_PSN)
		out->sq_psn = le32_to_cpu(in->sq_psn) & HYVH_MASK_24;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		out->max_rd_atomic = in->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		out->max_dest_rd_atomic = in->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		out->min_rnr_timer = in->min_rnr_timer;
	if (mask & IB_QP_PATH_MIG_STATE)
		out->path_mig_state = le32_to_cpu(in->path_mig_state);
	if (mask & IB_QP_DEST_QPN)
		out->dest_qp_num = le32_to_cpu(in->dest_qp_num);
	if (mask & IB_QP_RATE_LIMIT)
		out->rate_limit = le32_to_cpu(in->rate_limit);
	return 0;
}

void hyvh_qp_attr_to_wire(const struct ib_qp_attr *in, struct hyv_qp_attr *out)
{
	memset(out, 0, sizeof(*out));
	out->qp_state = cpu_to_le32(in->qp_state);
	out->cur_qp_state = cpu_to_le32(in->cur_qp_state);
	out->path_mtu = cpu_to_le32(in->path_mtu);
	out->path_mig_state = cpu_to_le32(in->path_mig_state);
	out->qkey = cpu_to_le32(in->qkey);
	out->rq_psn = cpu_to_le32(in->rq_psn);
	out->sq_psn = cpu_to_le32(in->sq_psn);
	out->dest_qp_num = cpu_to_le32(in->dest_qp_num);
	out->qp_access_flags = cpu_to_le32(in->qp_access_flags);
	out->rate_limit = cpu_to_le32(in->rate_limit);
	hyvh_qp_cap_to_wire(&in->cap, &out->cap);
	out->pkey_index = cpu_to_le16(in->pkey_index);
	out->alt_pkey_index = cpu_to_le16(in->alt_pkey_index);
	hyvh_ah_attr_to_wire(&in->ah_attr, &out->ah);
	hyvh_ah_attr_to_wire(&in->alt_ah_attr, &out->alt_ah);
	out->en_sqd_async_notify = in->en_sqd_async_notify;
	out->sq_draining = in->sq_draining;
	out->max_rd_atomic = in->max_rd_atomic;
	out->max_dest_rd_atomic = in->max_dest_rd_atomic;
	out->min_rnr_timer = in->min_rnr_timer;
	out->port_num = in->port_num;
	out->timeout = in->timeout;
	out->retry_cnt = in->retry_cnt;
	out->rnr_retry = in->rnr_retry;
	out->alt_port_num = in->alt_port_num;
	out->alt_timeout = in->alt_timeout;
}

/* Writes all of @out except the header. */
void hyvh_device_attr_to_wire(const struct ib_device *dev,
			      const struct ib_device_attr *in,
			      struct hyv_query_device_rsp *out)
{
	memset_after(out, 0, hdr);
	out->fw_ver = cpu_to_le64(in->fw_ver);
	out->node_guid = dev->node_guid;
	out->sys_image_guid = in->sys_image_guid;
	out->max_mr_size = cpu_to_le64(in->max_mr_size);
	out->page_size_cap = cpu_to_le64(in->page_size_cap);
	out->vendor_id = cpu_to_le32(in->vendor_id);
	out->vendor_part_id = cpu_to_le32(in->vendor_part_id);
	out->hw_ver = cpu_to_le32(in->hw_ver);
	out->max_qp = cpu_to_le32(in->max_qp);
	out->max_qp_wr = cpu_to_le32(in->max_qp_wr);
	out->device_cap_flags = cpu_to_le64(in->device_cap_flags);
	out->max_send_sge = cpu_to_le32(in->max_send_sge);
	out->max_recv_sge = cpu_to_le32(in->max_recv_sge);
	out->max_sge_rd = cpu_to_le32(in->max_sge_rd);
	out->max_cq = cpu_to_le32(in->max_cq);
	out->max_cqe = cpu_to_le32(in->max_cqe);
	out->max_mr = cpu_to_le32(in->max_mr);
	out->max_pd = cpu_to_le32(in->max_pd);
	out->max_qp_rd_atom = cpu_to_le32(in->max_qp_rd_atom);
	out->max_ee_rd_atom = cpu_to_le32(in->max_ee_rd_atom);
	out->max_res_rd_atom = cpu_to_le32(in->max_res_rd_atom);
	out->max_qp_init_rd_atom = cpu_to_le32(in->max_qp_init_rd_atom);
	out->max_ee_init_rd_atom = cpu_to_le32(in->max_ee_init_rd_atom);
	out->atomic_cap = cpu_to_le32(in->atomic_cap);
	out->masked_atomic_cap = cpu_to_le32(in->masked_atomic_cap);
	out->max_ee = cpu_to_le32(in->max_ee);
	out->max_rdd = cpu_to_le32(in->max_rdd);
	out->max_mw = cpu_to_le32(in->max_mw);
	out->max_raw_ipv6_qp = cpu_to_le32(in->max_raw_ipv6_qp);
	out->max_raw_ethy_qp = cpu_to_le32(in->max_raw_ethy_qp);
	out->max_mcast_grp = cpu_to_le32(in->max_mcast_grp);
	out->max_mcast_qp_attach = cpu_to_le32(in->max_mcast_qp_attach);
	out->max_total_mcast_qp_attach =
		cpu_to_le32(in->max_total_mcast_qp_attach);
	out->max_ah = cpu_to_le32(in->max_ah);
	out->max_srq = cpu_to_le32(in->max_srq);
	out->max_srq_wr = cpu_to_le32(in->max_srq_wr);
	out->max_srq_sge = cpu_to_le32(in->max_srq_sge);
	out->max_fast_reg_page_list_len =
		cpu_to_le32(in->max_fast_reg_page_list_len);
	out->max_pkeys = cpu_to_le16(in->max_pkeys);
	out->local_ca_ack_delay = in->local_ca_ack_delay;
	out->timestamp_mask = cpu_to_le64(in->timestamp_mask);
	out->hca_core_clock = cpu_to_le64(in->hca_core_clock);
	out->max_wq_type_rq = cpu_to_le32(in->max_wq_type_rq);
	out->raw_packet_caps = cpu_to_le32(in->raw_packet_caps);
	out->verbs = cpu_to_le32(hyvh_verbs_of(dev));
	out->max_cq_moderation_count =
		cpu_to_le16(in->cq_caps.max_cq_moderation_count);
	out->max_cq_moderation_period =
		cpu_to_le16(in->cq_caps.max_cq_moderation_period);
}

/* Writes all of @out except the header. */
void hyvh_port_attr_to_wire(const struct ib_device *dev, u32 port,
			    const struct ib_port_attr *in,
			    enum rdma_link_layer link_layer,
			    struct hyv_query_port_rsp *out)
{
	u32 flags = in->port_cap_flags & ~(u32)IB_UVERBS_PCF_IP_BASED_GIDS;

	/* For user space this bit has another meaning than for the IBTA. */
	if (in->ip_gids)
		flags |= IB_UVERBS_PCF_IP_BASED_GIDS;

	memset_after(out, 0, hdr);
	out->port_cap_flags = cpu_to_le32(flags);
	out->port_cap_flags2 = cpu_to_le32(in->port_cap_flags2);
	out->max_msg_sz = cpu_to_le32(in->max_msg_sz);
	out->bad_pkey_cntr = cpu_to_le32(in->bad_pkey_cntr);
	out->qkey_viol_cntr = cpu_to_le32(in->qkey_viol_cntr);
	out->gid_tbl_len = cpu_to_le32(in->gid_tbl_len);
	out->pkey_tbl_len = cpu_to_le32(in->pkey_tbl_len);
	out->lid = cpu_to_le32(in->lid);
	out->sm_lid = cpu_to_le32(in->sm_lid);
	out->active_speed = cpu_to_le32(in->active_speed);
	out->state = in->state;
	out->max_mtu = in->max_mtu;
	out->active_mtu = in->active_mtu;
	out->lmc = in->lmc;
	out->max_vl_num = in->max_vl_num;
	out->sm_sl = in->sm_sl;
	out->subnet_timeout = in->subnet_timeout;
	out->init_type_reply = in->init_type_reply;
	out->active_width = in->active_width;
	out->phys_state = in->phys_state;
	out->link_layer = link_layer == IB_LINK_LAYER_ETHERNET ? 2 : 1;
	out->grh_required = rdma_is_grh_required(dev, port);
}

/* Returns -EINVAL above @limits, or without room for an element. */
int hyvh_srq_attr_from_wire(const struct hyv_create_srq_req *in,
			    const struct ib_device_attr *limits,
			    struct ib_srq_attr *out)
{
	memset(out, 0, sizeof(*out));
	out->max_wr = le32_to_cpu(in->max_wr);
	out->max_sge = le32_to_cpu(in->max_sge);
	out->srq_limit = le32_to_cpu(in->srq_limit);

	if (!out->max_wr || out->max_wr > (u32)limits->max_srq_wr ||
	    out->max_sge > (u32)limits->max_srq_sge)
		return -EINVAL;
	return 0;
}

/*
 * Check access flags, which may be any value. On-demand paging is not offered,
 * because all memory is pinned: -EOPNOTSUPP. Unknown bits, and remote writing
 * without local writing: -EINVAL. The HCA's driver checks for what it supports.
 */
int hyvh_access_check(u32 access)
{
	if (access & ~(u32)IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (access & IB_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	if (access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}
