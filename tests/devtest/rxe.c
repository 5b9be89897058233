// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data path of rxe, and pairs of connected QPs on top of it.
 */
#include <endian.h>
#include <sched.h>
#include <string.h>

#include "harness.h"
#include "rxe.h"

/* Attributes of the changes of state of an RC QP. */
#define QP_STATE	   (1 << 0)
#define QP_ACCESS	   (1 << 3)
#define QP_PKEY_INDEX	   (1 << 4)
#define QP_PORT		   (1 << 5)
#define QP_QKEY		   (1 << 6)
#define QP_AV		   (1 << 7)
#define QP_PATH_MTU	   (1 << 8)
#define QP_TIMEOUT	   (1 << 9)
#define QP_RETRY_CNT	   (1 << 10)
#define QP_RNR_RETRY	   (1 << 11)
#define QP_RQ_PSN	   (1 << 12)
#define QP_MAX_RD_ATOMIC   (1 << 13)
#define QP_MIN_RNR_TIMER   (1 << 15)
#define QP_SQ_PSN	   (1 << 16)
#define QP_MAX_DEST_ATOMIC (1 << 17)
#define QP_DEST_QPN	   (1 << 20)

#define MTU_1024 3
#define QKEY	 0x1234567

/**
 * rxe_map() - map a queue into the window
 * @v: the vNIC
 * @context: handle of the context that owns it
 * @mi: what the provider says of it
 * @map: where it is
 */
void rxe_map(struct vnic *v, uint32_t context, const struct mminfo *mi,
	     struct rxe_map *map)
{
	REQUIRE_EQ(cmd_mmap(v, context, mi, &map->offset), 0,
		   "MMAP of a queue of %u bytes", mi->size);
	REQUIRE(map->offset + mi->size <= v->window_size &&
			!(map->offset % DT_PAGE),
		"a mapping is in the window");
	map->q = (void *)(v->window + map->offset);
}

static void *rxe_slot(struct rxe_map *map, uint32_t index)
{
	return map->q->data +
	       ((size_t)(index & map->q->index_mask) << map->q->log2_elem_size);
}

static void rxe_produce(struct rxe_map *map)
{
	uint32_t next = (map->q->producer_index + 1) & map->q->index_mask;

	__atomic_store_n(&map->q->producer_index, next, __ATOMIC_RELEASE);
}

static bool rxe_full(struct rxe_map *map)
{
	uint32_t cons =
		__atomic_load_n(&map->q->consumer_index, __ATOMIC_ACQUIRE);

	return !((map->q->producer_index + 1 - cons) & map->q->index_mask);
}

static void ep_make(struct ep *ep, struct vnic *v, struct doorbells *db,
		    uint32_t cqe, uint32_t vector, uint8_t type,
		    uint32_t srq_wr)
{
	memset(ep, 0, sizeof(*ep));
	ep->v = v;
	ep->db = db;
	ep->type = type;
	REQUIRE_EQ(cmd_alloc_context(v, &ep->context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, ep->context, &ep->pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(v, ep->context, cqe, vector, &ep->cq), 0,
		   "CREATE_CQ");
	if (srq_wr)
		REQUIRE_EQ(cmd_create_srq(v, ep->pd, srq_wr, &ep->srq), 0,
			   "CREATE_SRQ");
	REQUIRE_EQ(cmd_create_qp_type(v, type, ep->pd, ep->cq.handle,
				      ep->srq.handle, 31, &ep->qp),
		   0, "CREATE_QP");
	rxe_map(v, ep->context, &ep->cq.mi, &ep->cq_map);
	rxe_map(v, ep->context, &ep->qp.sq_mi, &ep->sq_map);
	rxe_map(v, ep->context, srq_wr ? &ep->srq.mi : &ep->qp.rq_mi,
		&ep->rq_map);
}

/**
 * ep_init() - make an end with its queues mapped
 * @ep: the end
 * @v: its vNIC
 * @db: the doorbell area of the vNIC
 * @cqe: entries of its CQ
 * @vector: completion vector
 */
void ep_init(struct ep *ep, struct vnic *v, struct doorbells *db, uint32_t cqe,
	     uint32_t vector)
{
	ep_make(ep, v, db, cqe, vector, QPT_RC, 0);
}

/**
 * ep_init_type() - make an end of any type, perhaps with an SRQ
 * @ep: the end
 * @v: its vNIC
 * @db: the doorbell area of the vNIC
 * @cqe: entries of its CQ
 * @type: QPT_*
 * @srq_wr: elements of its SRQ, 0 for none
 */
void ep_init_type(struct ep *ep, struct vnic *v, struct doorbells *db,
		  uint32_t cqe, uint8_t type, uint32_t srq_wr)
{
	ep_make(ep, v, db, cqe, 0, type, srq_wr);
}

/**
 * ep_destroy() - destroy an end and all in its context
 * @ep: the end
 */
void ep_destroy(struct ep *ep)
{
	REQUIRE_EQ(cmd_destroy(ep->v, HYV_OBJ_CONTEXT, ep->context), 0,
		   "DESTROY of a context");
}

/* Attributes that a change of state takes, by type of QP. */
static uint32_t ep_mask(uint8_t type, uint32_t state)
{
	uint32_t mask = QP_STATE;

	switch (state) {
	case QPS_INIT:
		mask |= QP_PKEY_INDEX | QP_PORT;
		mask |= type == QPT_UD ? QP_QKEY : QP_ACCESS;
		break;
	case QPS_RTR:
		if (type != QPT_UD)
			mask |= QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN;
		if (type == QPT_RC)
			mask |= QP_MAX_DEST_ATOMIC | QP_MIN_RNR_TIMER;
		break;
	case QPS_RTS:
		mask |= QP_SQ_PSN;
		if (type == QPT_RC)
			mask |= QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY |
				QP_MAX_RD_ATOMIC;
		break;
	}
	return mask;
}

static void ep_rtr(struct hyv_qp_attr *attr, uint32_t peer_qpn,
		   const struct hyv_gid *gid)
{
	attr->path_mtu = htole32(MTU_1024);
	attr->dest_qp_num = htole32(peer_qpn);
	attr->rq_psn = htole32(1);
	attr->max_dest_rd_atomic = 4;
	attr->min_rnr_timer = 12;
	memcpy(attr->ah.dgid, gid->raw, sizeof(attr->ah.dgid));
	attr->ah.sgid_index = le16toh(gid->index);
	attr->ah.hop_limit = 64;
	attr->ah.is_global = 1;
	attr->ah.port_num = 1;
}

/**
 * ep_modify() - change the state of an end's QP
 * @ep: the end
 * @state: QPS_*
 * @peer_qpn: for RTR: number of the peer's QP
 * @gid: for RTR: GID of the peer, which is also its own
 *
 * Return: status.
 */
int ep_modify(struct ep *ep, uint32_t state, uint32_t peer_qpn,
	      const struct hyv_gid *gid)
{
	struct hyv_qp_attr attr = {.qp_state = htole32(state)};

	switch (state) {
	case QPS_INIT:
		attr.port_num = 1;
		attr.qp_access_flags = htole32(ACCESS_REMOTE);
		attr.qkey = htole32(QKEY);
		break;
	case QPS_RTR:
		ep_rtr(&attr, peer_qpn, gid);
		break;
	case QPS_RTS:
		attr.sq_psn = htole32(1);
		attr.timeout = 18;
		attr.retry_cnt = 7;
		attr.rnr_retry = 7;
		attr.max_rd_atomic = 4;
		break;
	}
	return cmd_modify_qp(ep->v, ep->qp.handle, ep_mask(ep->type, state),
			     &attr);
}

/**
 * ep_connect() - connect two ends on the same HCA
 * @a: one
 * @b: the other; may be the same
 */
void ep_connect(struct ep *a, struct ep *b)
{
	static const uint32_t states[] = {QPS_INIT, QPS_RTR, QPS_RTS};
	struct hyv_gid gid;
	size_t i;

	REQUIRE_EQ(cmd_query_gid(a->v, &gid), 0, "there is a RoCE v2 GID");
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		REQUIRE_EQ(ep_modify(a, states[i], b->qp.qpn, &gid), 0,
			   "MODIFY_QP to state %u", states[i]);
		if (a != b)
			REQUIRE_EQ(ep_modify(b, states[i], a->qp.qpn, &gid), 0,
				   "MODIFY_QP of the peer to state %u",
				   states[i]);
	}
}

static void ep_fill(const struct ep *ep, const struct ep_wr *wr,
		    struct rxe_send_wr *out)
{
	if (wr->opcode == IB_UVERBS_WR_BIND_MW) {
		out->wr.mw.addr = wr->local;
		out->wr.mw.length = wr->length;
		out->wr.mw.mr_lkey = wr->lkey;
		out->wr.mw.mw_rkey = wr->mw;
		out->wr.mw.rkey = wr->rkey;
		out->wr.mw.access = wr->access;
	} else if (ep->type == QPT_UD) {
		out->wr.ud.remote_qpn = wr->qpn;
		out->wr.ud.remote_qkey = QKEY;
		out->wr.ud.ah_num = wr->ah;
	} else {
		out->wr.rdma.remote_addr = wr->remote;
		out->wr.rdma.rkey = wr->rkey;
	}
}

/**
 * ep_post() - put a request into the send queue, without a doorbell
 * @ep: the end
 * @wr: the request
 */
void ep_post(struct ep *ep, const struct ep_wr *wr)
{
	struct rxe_send_wqe *wqe;

	REQUIRE(!rxe_full(&ep->sq_map), "the send queue has room");
	wqe = rxe_slot(&ep->sq_map, ep->sq_map.q->producer_index);
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr.wr_id = wr->id;
	wqe->wr.opcode = wr->opcode;
	wqe->wr.send_flags = wr->flags | SEND_SIGNALED;
	ep_fill(ep, wr, &wqe->wr);
	wqe->ssn = ep->ssn++;
	if (wr->opcode == IB_UVERBS_WR_BIND_MW) {
		rxe_produce(&ep->sq_map);
		return;
	}
	wqe->iova = wr->remote;
	wqe->dma.length = wr->length;
	wqe->dma.resid = wr->length;
	wqe->dma.num_sge = 1;
	wqe->dma.sge[0].addr = wr->local;
	wqe->dma.sge[0].length = wr->length;
	wqe->dma.sge[0].lkey = wr->lkey;
	rxe_produce(&ep->sq_map);
}

/**
 * ep_ring() - ring the send doorbell
 * @ep: the end
 */
void ep_ring(struct ep *ep)
{
	db_ring(ep->db, ep->qp.slot);
}

/**
 * ep_post_recv() - put a buffer into the receive queue
 * @ep: the end
 * @id: comes back in the completion
 * @addr: address of the buffer
 * @lkey: its key
 * @length: bytes
 */
void ep_post_recv(struct ep *ep, uint64_t id, uint64_t addr, uint32_t lkey,
		  uint32_t length)
{
	struct rxe_recv_wqe *wqe;

	REQUIRE(!rxe_full(&ep->rq_map), "the receive queue has room");
	wqe = rxe_slot(&ep->rq_map, ep->rq_map.q->producer_index);
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = id;
	wqe->dma.length = length;
	wqe->dma.resid = length;
	wqe->dma.num_sge = 1;
	wqe->dma.sge[0].addr = addr;
	wqe->dma.sge[0].length = length;
	wqe->dma.sge[0].lkey = lkey;
	rxe_produce(&ep->rq_map);
}

/**
 * ep_cq_pending() - number of completions that have not been polled
 * @ep: the end
 *
 * Return: how many.
 */
uint32_t ep_cq_pending(struct ep *ep)
{
	struct rxe_queue_buf *q = ep->cq_map.q;

	return (__atomic_load_n(&q->producer_index, __ATOMIC_ACQUIRE) -
		q->consumer_index) &
	       q->index_mask;
}

/**
 * ep_poll() - wait for a completion
 * @ep: the end
 * @wc: the completion
 *
 * Return: false if none comes.
 */
bool ep_poll(struct ep *ep, struct ib_uverbs_wc *wc)
{
	struct rxe_queue_buf *q = ep->cq_map.q;
	uint64_t end = dt_now_ms() + dt_hang_ms();

	while (!ep_cq_pending(ep)) {
		if (dt_now_ms() > end)
			return false;
		sched_yield();
	}
	memcpy(wc, rxe_slot(&ep->cq_map, q->consumer_index), sizeof(*wc));
	__atomic_store_n(&q->consumer_index,
			 (q->consumer_index + 1) & q->index_mask,
			 __ATOMIC_RELEASE);
	return true;
}

/**
 * ep_do() - post one request and wait for its completion
 * @ep: the end
 * @wr: the request
 *
 * Return: status of the completion, or -1 if there is none or a wrong one.
 */
int ep_do(struct ep *ep, const struct ep_wr *wr)
{
	struct ib_uverbs_wc wc;

	ep_post(ep, wr);
	ep_ring(ep);
	if (!ep_poll(ep, &wc) || wc.wr_id != wr->id)
		return -1;
	return wc.status;
}

/**
 * ep_state() - state of an end's QP
 * @ep: the end
 *
 * Return: QPS_*, or -1.
 */
int ep_state(struct ep *ep)
{
	struct hyv_query_qp_rsp out;

	if (cmd_query_qp(ep->v, ep->qp.handle, &out))
		return -1;
	return le32toh(out.attr.qp_state);
}
