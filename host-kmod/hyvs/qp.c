// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <rdma/ib_cache.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "address/guest_gid.h"
#include "gsi/gsi.h"
#include "hyvs/hyvs.h"

#define MIN_RQ_SHIFT	4
#define MAX_RQ_SHIFT	9
#define BB_SHIFT	6

/* Doorbells in libmlx5's table for each page. */
#define BFREGS_IN_TABLE	4

/* No doorbell in that table: the QP has the one of its thread domain. */
#define NO_BFREG	BIT(31)

/* These ask for what a card may refuse silently. */
#define IGNORED_FLAGS	(MLX5_QP_FLAG_SCATTER_CQE |			\
			 MLX5_QP_FLAG_ALLOW_SCATTER_CQE |		\
			 MLX5_QP_FLAG_PACKET_BASED_CREDIT_MODE)

static int hyvs_qp_type(enum ib_qp_type type, enum eng_qp_type *eng)
{
	switch (type) {
	case IB_QPT_RC:
		*eng = ENG_RC;
		return 0;
	case IB_QPT_XRC_INI:
		*eng = ENG_XRC_INI;
		return 0;
	case IB_QPT_UC:
		*eng = ENG_UC;
		return 0;
	case IB_QPT_UD:
		*eng = ENG_UD;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int hyvs_qp_request(struct mlx5_ib_create_qp *req,
			   struct ib_udata *udata)
{
	int ret;

	ret = hyvs_request(udata, req, sizeof(*req),
			   offsetofend(struct mlx5_ib_create_qp, bfreg_index));
	if (ret)
		return ret;
	return req->flags & ~(IGNORED_FLAGS | MLX5_QP_FLAG_BFREG_INDEX) ?
	       -EOPNOTSUPP : 0;
}

static bool hyvs_caps_ok(const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;

	if (cap->max_send_wr > HYVS_MAX_QUEUE ||
	    cap->max_send_sge > HYVS_MAX_SGE ||
	    cap->max_inline_data > ENG_MAX_WQE)
		return false;
	return attr->srq || (cap->max_recv_wr <= HYVS_MAX_QUEUE &&
			     cap->max_recv_sge <= HYVS_MAX_SGE);
}

static bool hyvs_queue_ok(u32 entries)
{
	return !entries || (is_power_of_2(entries) && entries <= HYVS_MAX_QUEUE);
}

/* The sizes of the queues are the provider's; those of the request must fit. */
static int hyvs_qp_sizes(const struct mlx5_ib_create_qp *req,
			 const struct ib_qp_init_attr *attr,
			 struct eng_qp_init *init)
{
	bool ini = init->type == ENG_XRC_INI;
	/*
	 * If the caller asks for receives, libmlx5 leaves room for those of an
	 * XRC_INI, too, but libibverbs passes on that there are none.
	 */
	bool has_rq = ini ? req->rq_wqe_count :
			    !attr->srq && attr->cap.max_recv_wr;

	if (!hyvs_queue_ok(req->sq_wqe_count) ||
	    !hyvs_queue_ok(req->rq_wqe_count) ||
	    has_rq != !!req->rq_wqe_count)
		return -EINVAL;
	if (has_rq && (req->rq_wqe_shift < MIN_RQ_SHIFT ||
		       req->rq_wqe_shift > MAX_RQ_SHIFT))
		return -EINVAL;
	init->sq_entries = req->sq_wqe_count;
	init->rq_entries = req->rq_wqe_count;
	init->rq_shift = has_rq ? req->rq_wqe_shift : 0;
	init->sq_offset = (u64)init->rq_entries << init->rq_shift;
	/* There is no CQ for them. */
	if (ini)
		init->rq_entries = 0;
	return 0;
}

static int hyvs_qp_memory(struct hyvs_qp *qp, struct hyvs_ucontext *uctx,
			  const struct mlx5_ib_create_qp *req,
			  struct eng_qp_init *init)
{
	u64 length = init->sq_offset + ((u64)init->sq_entries << BB_SHIFT);
	int ret = 0;

	/* A QP that only receives, from an SRQ, has no queue. */
	if (length)
		ret = hyvs_mem_pin(qp->ib.device, &qp->ring, req->buf_addr,
				   length, IB_ACCESS_LOCAL_WRITE);
	if (ret)
		return ret;
	qp->record = hyvs_record_get(uctx, req->db_addr, &init->record);
	if (IS_ERR(qp->record)) {
		hyvs_mem_unpin(&qp->ring);
		return PTR_ERR(qp->record);
	}
	init->ring = qp->ring.eng;
	return 0;
}

static void hyvs_qp_free_memory(struct hyvs_qp *qp, struct hyvs_ucontext *uctx)
{
	hyvs_record_put(uctx, qp->record);
	hyvs_mem_unpin(&qp->ring);
}

/* The first QP shares its page with arming, so that small processes use one. */
static u32 hyvs_next_bfreg(struct hyvs_ucontext *uctx)
{
	u32 uar = (u32)atomic_inc_return(&uctx->next_uar) - 1;

	return uar % HYVS_UARS * BFREGS_IN_TABLE;
}

static int hyvs_qp_reply(struct ib_udata *udata, struct hyvs_ucontext *uctx,
			 const struct mlx5_ib_create_qp *req)
{
	struct mlx5_ib_create_qp_resp rsp = { .bfreg_index = NO_BFREG };

	if (!(req->flags & MLX5_QP_FLAG_BFREG_INDEX))
		rsp.bfreg_index = hyvs_next_bfreg(uctx);
	else if (!hyvs_uars_have(uctx->uars, HYVS_UARS + req->bfreg_index /
					     HYVS_BFREGS_PER_UAR))
		return -EINVAL;
	return ib_copy_to_udata(udata, &rsp, min(udata->outlen, sizeof(rsp)));
}

/*
 * An XRC_TGT has no queues. Processes that share its domain can share it and outlive
 * the one that made it, so it is of no context.
 */
static int hyvs_create_target(struct ib_qp *ib, struct ib_qp_init_attr *attr)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_xrcd *xrcd = to_hyvs_xrcd(attr->xrcd);
	struct eng_qp_init init = {
		.type = ENG_XRC_TGT,
		.xrcdn = xrcd->id.id,
	};
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	int ret;

	if (attr->create_flags)
		return -EOPNOTSUPP;
	ret = hyvs_target_id_alloc(dev, qp, &qp->id);
	if (ret)
		return ret;
	init.qpn = qp->id.id;
	mutex_init(&qp->lock);
	ret = eng_qp_add(&dev->targets, &qp->eng, &init);
	if (ret) {
		hyvs_target_id_free(dev, &qp->id);
		return ret;
	}
	ib->qp_num = init.qpn;
	return 0;
}

int hyvs_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	struct mlx5_ib_create_qp req = {};
	struct eng_qp_init init = {};
	struct hyvs_ucontext *uctx;
	int ret;

	if (attr->qp_type == IB_QPT_XRC_TGT)
		return hyvs_create_target(ib, attr);
	if (!udata)
		return hyvs_create_kernel_qp(qp, attr);
	ret = hyvs_qp_type(attr->qp_type, &init.type);
	if (ret)
		return ret;
	if (attr->create_flags || !attr->send_cq ||
	    (!attr->recv_cq && init.type != ENG_XRC_INI))
		return -EOPNOTSUPP;
	if (!hyvs_caps_ok(attr))
		return -EINVAL;
	ret = hyvs_qp_request(&req, udata);
	if (ret)
		return ret;
	ret = hyvs_qp_sizes(&req, attr, &init);
	if (ret)
		return ret;
	uctx = hyvs_udata_ucontext(udata);
	ret = hyvs_qp_memory(qp, uctx, &req, &init);
	if (ret)
		return ret;
	ret = hyvs_id_alloc(uctx, HYVS_QP, qp, &qp->id);
	if (ret)
		goto err_memory;
	ret = hyvs_qp_reply(udata, uctx, &req);
	if (ret)
		goto err_id;

	init.qpn = qp->id.id;
	init.pdn = to_hyvs_pd(ib->pd)->id.id;
	init.user_index = req.uidx & (ENG_MAX_IDS - 1);
	init.sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	init.send_cq = &to_hyvs_cq(attr->send_cq)->eng;
	if (attr->recv_cq)
		init.recv_cq = &to_hyvs_cq(attr->recv_cq)->eng;
	init.srq = attr->srq ? &to_hyvs_srq(attr->srq)->eng : NULL;
	qp->gids = hyvs_context_gids(uctx);
	init.net = qp->gids->net;
	init.owner = qp->gids->owner;
	mutex_init(&qp->lock);
	qp->attr.cap = attr->cap;
	/* As libmlx5 has it: all places of the queue can be used. */
	qp->attr.cap.max_recv_wr = init.rq_entries;
	ret = eng_qp_add(&uctx->worker, &qp->eng, &init);
	if (ret)
		goto err_id;
	ib->qp_num = init.qpn;
	return 0;

err_id:
	hyvs_id_free(dev, HYVS_QP, &qp->id);
err_memory:
	hyvs_qp_free_memory(qp, uctx);
	return ret;
}

int hyvs_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_qp *qp = to_hyvs_qp(ib);

	if (qp->gsi) {
		gsi_destroy(qp->gsi);
		return 0;
	}
	eng_qp_del(&qp->eng);
	hyvs_retire(dev);
	if (ib->qp_type == IB_QPT_XRC_TGT) {
		hyvs_target_id_free(dev, &qp->id);
	} else {
		hyvs_id_free(dev, HYVS_QP, &qp->id);
		hyvs_qp_free_memory(qp, hyvs_udata_ucontext(udata));
	}
	/* qp->lock stays: netlink may still be querying the QP. */
	return 0;
}

static enum eng_qp_state hyvs_to_state(enum ib_qp_state state)
{
	switch (state) {
	case IB_QPS_INIT:
		return ENG_INIT;
	case IB_QPS_RTR:
		return ENG_RTR;
	case IB_QPS_RTS:
		return ENG_RTS;
	case IB_QPS_SQD:
		return ENG_SQD;
	case IB_QPS_SQE:
		return ENG_SQE;
	case IB_QPS_ERR:
		return ENG_ERR;
	default:
		return ENG_RESET;
	}
}

static enum ib_qp_state hyvs_from_state(enum eng_qp_state state)
{
	switch (state) {
	case ENG_INIT:
		return IB_QPS_INIT;
	case ENG_RTR:
		return IB_QPS_RTR;
	case ENG_RTS:
		return IB_QPS_RTS;
	case ENG_SQD:
		return IB_QPS_SQD;
	case ENG_SQE:
		return IB_QPS_SQE;
	case ENG_ERR:
		return IB_QPS_ERR;
	default:
		return IB_QPS_RESET;
	}
}

/* Only hyv.ko knows the guests in guest addressing. */
static int hyvs_find_guest(const struct ib_global_route *grh,
			   union ib_gid *dgid)
{
	int (*find)(const union ib_gid *vgid, const union ib_gid *sgid,
		    union ib_gid *gid) = symbol_get(hyvh_guest_gid);
	int ret;

	if (!find)
		return -ENOENT;
	ret = find(&grh->dgid, &grh->sgid_attr->gid, dgid);
	symbol_put(hyvh_guest_gid);
	return ret;
}

/* A peer that is not on this device cannot be reached. */
static int hyvs_qp_path(struct hyvs_qp *qp, const struct rdma_ah_attr *ah,
			struct eng_qp_attr *eng)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	struct hyvs_gids *gids = &to_hyvs_device(qp->ib.device)->gids;
	union ib_gid dgid;

	if (!(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	dgid = grh->dgid;
	if (!hyvs_gids_find(gids, &dgid, NULL) &&
	    (hyvs_find_guest(grh, &dgid) || !hyvs_gids_find(gids, &dgid, NULL)))
		return -EHOSTUNREACH;
	memcpy(eng->sgid, &grh->sgid_attr->gid, sizeof(eng->sgid));
	memcpy(eng->dgid, &dgid, sizeof(eng->dgid));
	return 0;
}

/* A QP without resources to answer them has no RDMA reads and atomics. */
static u32 hyvs_qp_access(const struct hyvs_qp *qp,
			  const struct ib_qp_attr *attr, int mask)
{
	int access = mask & IB_QP_ACCESS_FLAGS ? attr->qp_access_flags :
						 qp->attr.qp_access_flags;
	u8 reads = mask & IB_QP_MAX_DEST_RD_ATOMIC ?
			   attr->max_dest_rd_atomic :
			   qp->attr.max_dest_rd_atomic;

	if (!reads)
		access &= ~(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
	return (access & IB_ACCESS_REMOTE_WRITE ? ENG_REMOTE_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_READ ? ENG_REMOTE_READ : 0) |
	       (access & IB_ACCESS_REMOTE_ATOMIC ? ENG_REMOTE_ATOMIC : 0);
}

/* Attributes of ib_core that the engine has as they are. */
static u32 hyvs_qp_simple(const struct ib_qp_attr *attr, int mask,
			  struct eng_qp_attr *eng)
{
	static const struct {
		u32 ib;
		u32 eng;
	} masks[] = {
		{ IB_QP_QKEY, ENG_QP_QKEY },
		{ IB_QP_SQ_PSN, ENG_QP_SQ_PSN },
		{ IB_QP_RQ_PSN, ENG_QP_RQ_PSN },
		{ IB_QP_TIMEOUT, ENG_QP_TIMEOUT },
		{ IB_QP_RETRY_CNT, ENG_QP_RETRY },
		{ IB_QP_RNR_RETRY, ENG_QP_RNR_RETRY },
		{ IB_QP_MIN_RNR_TIMER, ENG_QP_MIN_RNR },
		{ IB_QP_EN_SQD_ASYNC_NOTIFY, ENG_QP_DRAIN_EVENT },
	};
	unsigned int i;
	u32 result = 0;

	eng->qkey = attr->qkey;
	eng->sq_psn = attr->sq_psn;
	eng->rq_psn = attr->rq_psn;
	eng->timeout = attr->timeout;
	eng->retry = attr->retry_cnt;
	eng->rnr_retry = attr->rnr_retry;
	eng->min_rnr = attr->min_rnr_timer;
	eng->drain_event = attr->en_sqd_async_notify;
	for (i = 0; i < ARRAY_SIZE(masks); i++)
		if (mask & masks[i].ib)
			result |= masks[i].eng;
	return result;
}

static int hyvs_qp_convert(struct hyvs_qp *qp, const struct ib_qp_attr *attr,
			   int mask, struct eng_qp_attr *eng, u32 *eng_mask)
{
	int ret;

	*eng_mask = hyvs_qp_simple(attr, mask, eng);
	if (mask & IB_QP_STATE) {
		eng->state = hyvs_to_state(attr->qp_state);
		*eng_mask |= ENG_QP_STATE;
	}
	if (mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC)) {
		eng->access = hyvs_qp_access(qp, attr, mask);
		*eng_mask |= ENG_QP_ACCESS;
	}
	if (mask & IB_QP_PATH_MTU) {
		eng->mtu = ib_mtu_enum_to_int(attr->path_mtu);
		*eng_mask |= ENG_QP_MTU;
	} else if (qp->ib.qp_type == IB_QPT_UD) {
		eng->mtu = ib_mtu_enum_to_int(IB_MTU_4096);
		*eng_mask |= ENG_QP_MTU;
	}
	if (mask & IB_QP_AV) {
		ret = hyvs_qp_path(qp, &attr->ah_attr, eng);
		if (ret)
			return ret;
		eng->dest_qpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num :
							qp->attr.dest_qp_num;
		*eng_mask |= ENG_QP_PEER;
	}
	return 0;
}

/* For queries; the engine has the rest. */
static void hyvs_qp_store(struct hyvs_qp *qp, const struct ib_qp_attr *attr,
			  int mask)
{
	struct ib_qp_cap cap = qp->attr.cap;

	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RESET) {
		memset(&qp->attr, 0, sizeof(qp->attr));
		qp->attr.cap = cap;
	}
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->attr.qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		qp->attr.pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		qp->attr.port_num = attr->port_num;
	if (mask & IB_QP_PATH_MTU)
		qp->attr.path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		qp->attr.dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_AV) {
		qp->attr.ah_attr = attr->ah_attr;
		/* ib_core has the reference. */
		qp->attr.ah_attr.grh.sgid_attr = NULL;
	}
}

/* The bounds are those of the fields of an mlx5 card. */
static bool hyvs_qp_attr_ok(const struct ib_qp_attr *attr, int mask)
{
	const struct {
		int mask;
		u32 value;
		u32 min;
		u32 max;
	} bounds[] = {
		{ IB_QP_PATH_MTU, attr->path_mtu, IB_MTU_256, IB_MTU_4096 },
		{ IB_QP_PKEY_INDEX, attr->pkey_index, 0, 0 },
		{ IB_QP_MAX_QP_RD_ATOMIC, attr->max_rd_atomic, 0,
		  HYVS_MAX_RD_ATOMIC },
		{ IB_QP_MAX_DEST_RD_ATOMIC, attr->max_dest_rd_atomic, 0,
		  HYVS_MAX_RD_ATOMIC },
		{ IB_QP_TIMEOUT, attr->timeout, 0, 31 },
		{ IB_QP_RETRY_CNT, attr->retry_cnt, 0, 7 },
		{ IB_QP_RNR_RETRY, attr->rnr_retry, 0, 7 },
		{ IB_QP_MIN_RNR_TIMER, attr->min_rnr_timer, 0, 31 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bounds); i++)
		if (mask & bounds[i].mask &&
		    (bounds[i].value < bounds[i].min ||
		     bounds[i].value > bounds[i].max))
			return false;
	return true;
}

static int hyvs_modify_qp_locked(struct hyvs_qp *qp, struct ib_qp_attr *attr,
				 int mask)
{
	enum ib_qp_state cur, next;
	struct eng_qp_attr eng;
	enum eng_qp_state from;
	u32 eng_mask;
	int ret;

	lockdep_assert_held(&qp->lock);
	eng_qp_query(&qp->eng, &eng);
	from = eng.state;
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state :
				       hyvs_from_state(from);
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (cur != hyvs_from_state(from) ||
	    !ib_modify_qp_is_ok(cur, next, qp->ib.qp_type, mask))
		return -EINVAL;
	ret = hyvs_qp_convert(qp, attr, mask, &eng, &eng_mask);
	if (ret)
		return ret;
	ret = eng_qp_modify(&qp->eng, from, &eng, eng_mask);
	if (!ret)
		hyvs_qp_store(qp, attr, mask);
	return ret;
}

int hyvs_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (qp->gsi)
		return gsi_modify(qp->gsi, attr, mask);
	/* Rates and ECE, which a device without them may not be asked for. */
	if (udata && udata->inlen &&
	    !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (mask & IB_QP_ALT_PATH || !hyvs_qp_attr_ok(attr, mask))
		return -EINVAL;
	mutex_lock(&qp->lock);
	/* A QP fails by itself, from RTS or SQD to SQE and to ERR, so twice at most. */
	do {
		ret = hyvs_modify_qp_locked(qp, attr, mask);
	} while (ret == -EAGAIN);
	mutex_unlock(&qp->lock);
	return ret;
}

int hyvs_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct hyvs_qp *qp = to_hyvs_qp(ib);
	struct eng_qp_attr eng;

	if (qp->gsi) {
		gsi_query(qp->gsi, attr, init);
		return 0;
	}
	mutex_lock(&qp->lock);
	eng_qp_query(&qp->eng, &eng);
	*attr = qp->attr;
	mutex_unlock(&qp->lock);
	attr->qp_state = hyvs_from_state(eng.state);
	attr->cur_qp_state = attr->qp_state;
	attr->qkey = eng.qkey;
	attr->sq_psn = eng.sq_psn;
	attr->rq_psn = eng.rq_psn;
	attr->timeout = eng.timeout;
	attr->retry_cnt = eng.retry;
	attr->rnr_retry = eng.rnr_retry;
	attr->min_rnr_timer = eng.min_rnr;
	attr->sq_draining = eng.draining;
	attr->path_mig_state = IB_MIG_MIGRATED;
	init->cap = attr->cap;
	init->sq_sig_type = qp->eng.init.sig_all ? IB_SIGNAL_ALL_WR :
						   IB_SIGNAL_REQ_WR;
	return 0;
}
