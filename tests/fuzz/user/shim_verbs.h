/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types and inline functions of <rdma/ib_verbs.h> that the pure units use.
 * Numbers are those of the user verbs ABI.
 */
#ifndef FUZZ_SHIM_VERBS_H
#define FUZZ_SHIM_VERBS_H

#include "shim.h"

union ib_gid {
	u8 raw[16];
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

enum ib_qp_attr_mask {
	IB_QP_STATE = 1 << 0,
	IB_QP_CUR_STATE = 1 << 1,
	IB_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
	IB_QP_ACCESS_FLAGS = 1 << 3,
	IB_QP_PKEY_INDEX = 1 << 4,
	IB_QP_PORT = 1 << 5,
	IB_QP_QKEY = 1 << 6,
	IB_QP_AV = 1 << 7,
	IB_QP_PATH_MTU = 1 << 8,
	IB_QP_TIMEOUT = 1 << 9,
	IB_QP_RETRY_CNT = 1 << 10,
	IB_QP_RNR_RETRY = 1 << 11,
	IB_QP_RQ_PSN = 1 << 12,
	IB_QP_MAX_QP_RD_ATOMIC = 1 << 13,
	IB_QP_ALT_PATH = 1 << 14,
	IB_QP_MIN_RNR_TIMER = 1 << 15,
	IB_QP_SQ_PSN = 1 << 16,
	IB_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	IB_QP_PATH_MIG_STATE = 1 << 18,
	IB_QP_CAP = 1 << 19,
	IB_QP_DEST_QPN = 1 << 20,
	IB_QP_RATE_LIMIT = 1 << 25,
};

enum {
	IB_QPS_RESET,
	IB_QPS_ERR = 6,
	IB_MTU_256 = 1,
	IB_MTU_4096 = 5,
	IB_MIG_ARMED = 2,
	IB_AH_GRH = 1,
};

enum {
	IB_ACCESS_LOCAL_WRITE = 1 << 0,
	IB_ACCESS_REMOTE_WRITE = 1 << 1,
	IB_ACCESS_REMOTE_READ = 1 << 2,
	IB_ACCESS_REMOTE_ATOMIC = 1 << 3,
	IB_ACCESS_MW_BIND = 1 << 4,
	IB_ZERO_BASED = 1 << 5,
	IB_ACCESS_ON_DEMAND = 1 << 6,
	IB_ACCESS_HUGETLB = 1 << 7,
	IB_ACCESS_SUPPORTED = 0xff | 0x3ff00000,
};

enum ib_event_type {
	IB_EVENT_CQ_ERR,
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_PATH_MIG,
	IB_EVENT_PATH_MIG_ERR,
	IB_EVENT_DEVICE_FATAL,
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
	IB_EVENT_LID_CHANGE,
	IB_EVENT_PKEY_CHANGE,
	IB_EVENT_SM_CHANGE,
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
	IB_EVENT_QP_LAST_WQE_REACHED,
	IB_EVENT_CLIENT_REREGISTER,
	IB_EVENT_GID_CHANGE,
};

struct ib_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

#define IB_QP_SET_QKEY		    0x80000000U
#define IB_UVERBS_PCF_IP_BASED_GIDS (1 << 26)

enum rdma_link_layer {
	IB_LINK_LAYER_UNSPECIFIED,
	IB_LINK_LAYER_INFINIBAND,
	IB_LINK_LAYER_ETHERNET,
};

struct ib_global_route {
	union ib_gid dgid;
	u32 flow_label;
	u8 sgid_index;
	u8 hop_limit;
	u8 traffic_class;
};

struct rdma_ah_attr {
	struct ib_global_route grh;
	int type;
	u16 dlid;
	u8 sl;
	u8 src_path_bits;
	u8 static_rate;
	u32 port_num;
	u8 ah_flags;
};

struct ib_qp_cap {
	u32 max_send_wr;
	u32 max_recv_wr;
	u32 max_send_sge;
	u32 max_recv_sge;
	u32 max_inline_data;
};

struct ib_qp_attr {
	u32 qp_state;
	u32 cur_qp_state;
	u32 path_mtu;
	u32 path_mig_state;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
	u32 dest_qp_num;
	int qp_access_flags;
	struct ib_qp_cap cap;
	struct rdma_ah_attr ah_attr;
	struct rdma_ah_attr alt_ah_attr;
	u16 pkey_index;
	u16 alt_pkey_index;
	u8 en_sqd_async_notify;
	u8 sq_draining;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 min_rnr_timer;
	u32 port_num;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u32 alt_port_num;
	u8 alt_timeout;
	u32 rate_limit;
};

struct ib_srq_attr {
	u32 max_wr;
	u32 max_sge;
	u32 srq_limit;
};

struct ib_cq_caps {
	u16 max_cq_moderation_count;
	u16 max_cq_moderation_period;
};

struct ib_device_attr {
	__be64 sys_image_guid;
	u64 fw_ver, max_mr_size, page_size_cap, device_cap_flags;
	u64 timestamp_mask, hca_core_clock;
	u32 vendor_id, vendor_part_id, hw_ver;
	int max_qp, max_qp_wr, max_send_sge, max_recv_sge, max_sge_rd;
	int max_cq, max_cqe, max_mr, max_pd, max_qp_rd_atom, max_ee_rd_atom;
	int max_res_rd_atom, max_qp_init_rd_atom, max_ee_init_rd_atom;
	int atomic_cap, masked_atomic_cap, max_ee, max_rdd, max_mw;
	int max_raw_ipv6_qp, max_raw_ethy_qp, max_mcast_grp;
	int max_mcast_qp_attach, max_total_mcast_qp_attach, max_ah;
	int max_srq, max_srq_wr, max_srq_sge;
	u32 max_fast_reg_page_list_len, max_wq_type_rq, raw_packet_caps;
	u16 max_pkeys;
	u8 local_ca_ack_delay;
	struct ib_cq_caps cq_caps;
};

struct ib_port_attr {
	u32 state, max_mtu, active_mtu, phys_mtu;
	int gid_tbl_len;
	u32 ip_gids : 1;
	u32 port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
	u16 pkey_tbl_len;
	u32 sm_lid, lid;
	u8 lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply;
	u8 active_width;
	u16 active_speed;
	u8 phys_state;
	u16 port_cap_flags2;
};

struct ib_device {
	struct ib_device_ops {
		void *create_user_ah, *create_srq, *modify_srq, *resize_user_cq;
		void *modify_cq, *rereg_user_mr, *alloc_mw, *attach_mcast,
			*alloc_xrcd;
	} ops;
	struct ib_device_attr attrs;
	__be64 node_guid;
	u32 phys_port_cnt;
};

static inline bool rdma_is_port_valid(const struct ib_device *dev, u32 port)
{
	return port >= 1 && port <= dev->phys_port_cnt;
}

static inline bool rdma_is_grh_required(const struct ib_device *dev, u32 port)
{
	(void)dev;
	return port & 1;
}

static inline int rdma_ah_find_type(struct ib_device *dev, u32 port)
{
	FUZZ_CHECK(rdma_is_port_valid(dev, port));
	return 1;
}

static inline void rdma_ah_set_grh(struct rdma_ah_attr *attr,
				   union ib_gid *dgid, u32 flow_label,
				   u8 sgid_index, u8 hop_limit,
				   u8 traffic_class)
{
	attr->ah_flags = IB_AH_GRH;
	attr->grh.dgid = *dgid;
	attr->grh.flow_label = flow_label;
	attr->grh.sgid_index = sgid_index;
	attr->grh.hop_limit = hop_limit;
	attr->grh.traffic_class = traffic_class;
}

static inline const struct ib_global_route *
rdma_ah_read_grh(const struct rdma_ah_attr *attr)
{
	FUZZ_CHECK(attr->ah_flags & IB_AH_GRH);
	return &attr->grh;
}

#define SHIM_AH_FIELD(type, name, member)                                   \
	static inline void rdma_ah_set_##name(struct rdma_ah_attr *a,       \
					      type val)                     \
	{                                                                   \
		a->member = val;                                            \
	}                                                                   \
	static inline type rdma_ah_get_##name(const struct rdma_ah_attr *a) \
	{                                                                   \
		return a->member;                                           \
	}

SHIM_AH_FIELD(u32, dlid, dlid)
SHIM_AH_FIELD(u8, sl, sl)
SHIM_AH_FIELD(u8, path_bits, src_path_bits)
SHIM_AH_FIELD(u8, static_rate, static_rate)
SHIM_AH_FIELD(u32, port_num, port_num)

static inline int rdma_ah_get_ah_flags(const struct rdma_ah_attr *attr)
{
	return attr->ah_flags;
}

#endif /* FUZZ_SHIM_VERBS_H */
