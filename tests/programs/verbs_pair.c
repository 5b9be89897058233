// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs, their connections and their work for the program verbs, see
 * verbs.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

/* Long timeouts: under emulation an acknowledgment can take long. */
static const struct ways usual = {.timeout = 18, .retry = 7, .rnr_retry = 7};

void own_ah_attr(struct ibv_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->is_global = 1;
	attr->port_num = 1;
	attr->grh.dgid = dev.gid;
	attr->grh.sgid_index = (uint8_t)dev.gid_index;
	attr->grh.hop_limit = 64;
}

struct ibv_ah *own_ah(void)
{
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	own_ah_attr(&attr);
	ah = ibv_create_ah(dev.pd, &attr);
	if (!ah)
		die_errno("cannot create an AH");
	return ah;
}

int to_init(struct side *s, const struct ways *w)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = QP_ACCESS,
	};

	if (w && (w->access || w->no_access))
		attr.qp_access_flags = w->access;
	return ibv_modify_qp(s->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     (s->type == IBV_QPT_UD
					      ? IBV_QP_QKEY
					      : IBV_QP_ACCESS_FLAGS));
}

int to_rtr(struct side *s, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = dev.mtu,
		.dest_qp_num = peer,
		.rq_psn = 1,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
	};
	int mask = IBV_QP_STATE;

	own_ah_attr(&attr.ah_attr);
	if (s->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (s->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(s->qp, &attr, mask);
}

int to_rts(struct side *s, const struct ways *w)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 1,
		.max_rd_atomic = 4,
		.timeout = w && w->timeout ? w->timeout : usual.timeout,
		.retry_cnt = w && w->timeout ? w->retry : usual.retry,
		.rnr_retry = w && w->timeout ? w->rnr_retry : usual.rnr_retry,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (s->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(s->qp, &attr, mask);
}

int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {.qp_state = state};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	errno = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
	if (errno)
		die_errno("cannot query a QP");
	return attr.qp_state;
}

static struct ibv_qp *create_qp(struct side *s, const struct ways *w)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->scq,
		.recv_cq = s->rcq,
		.qp_type = s->type,
		.sq_sig_all = w && w->sig_all,
		.srq = w ? w->srq : NULL,
		.cap =
			{
				.max_send_wr = QUEUE,
				.max_recv_wr = QUEUE,
				.max_send_sge = 4,
				.max_recv_sge = 4,
				.max_inline_data = 64,
			},
	};

	return ibv_create_qp(dev.pd, &init);
}

static struct ibv_cq *create_cq(struct side *s,
				struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq *cq =
		ibv_create_cq(dev.context, 2 * QUEUE + 1, s, channel, vector);

	if (!cq)
		die_errno("cannot create a CQ");
	return cq;
}

/* Register the memory of a side, as its MR. */
struct ibv_mr *side_register(struct side *s)
{
	s->mr = ibv_reg_mr(dev.pd, s->buf, BUFFER, ALL_ACCESS);
	if (!s->mr)
		die_errno("cannot register memory");
	return s->mr;
}

/* A QP with CQs, whose context is the side, and memory of its own. */
void side_open(struct side *s, enum ibv_qp_type type, const struct ways *w)
{
	s->type = type;
	s->scq = create_cq(s, NULL, 0);
	s->rcq = create_cq(s, w ? w->channel : NULL, w ? w->vector : 0);
	s->buf = pages_anonymous(BUFFER);
	memset(s->buf, 0, BUFFER);
	side_register(s);
	s->qp = create_qp(s, w);
	if (!s->qp)
		die_errno("cannot create a QP");
}

void side_connect(struct side *s, uint32_t peer, const struct ways *w)
{
	errno = to_init(s, w);
	if (!errno)
		errno = to_rtr(s, peer);
	if (!errno)
		errno = to_rts(s, w);
	if (errno)
		die_errno("cannot connect a QP");
}

void side_close(struct side *s)
{
	errno = ibv_destroy_qp(s->qp);
	if (errno)
		die_errno("cannot destroy a QP");
	errno = ibv_destroy_cq(s->scq);
	if (!errno)
		errno = ibv_destroy_cq(s->rcq);
	if (errno)
		die_errno("cannot destroy a CQ");
	rc_deregister(s->mr);
	pages_free(s->buf, BUFFER);
}

/* Two sides that are connected with each other. */
void pair_open(struct pair *p, enum ibv_qp_type type, const struct ways *w)
{
	struct ways first = w ? *w : usual;

	first.srq = NULL;
	first.channel = NULL;
	first.vector = 0;
	side_open(&p->a, type, &first);
	side_open(&p->b, type, w);
	side_connect(&p->a, p->b.qp->qp_num, w);
	side_connect(&p->b, p->a.qp->qp_num, w);
}

void pair_close(struct pair *p)
{
	side_close(&p->a);
	side_close(&p->b);
}

void work_local(struct work *w, struct side *s, uint64_t id,
		enum ibv_wr_opcode opcode, size_t at, size_t length)
{
	memset(w, 0, sizeof(*w));
	w->sge.addr = (uintptr_t)s->buf + at;
	w->sge.length = (uint32_t)length;
	w->sge.lkey = s->mr->lkey;
	w->wr.wr_id = id;
	w->wr.sg_list = &w->sge;
	w->wr.num_sge = length ? 1 : 0;
	w->wr.opcode = opcode;
	w->wr.send_flags = IBV_SEND_SIGNALED;
}

/* Where an RDMA operation or an atomic one goes. */
void work_remote(struct work *w, struct side *to, size_t at)
{
	if (w->wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    w->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		w->wr.wr.atomic.remote_addr = (uintptr_t)to->buf + at;
		w->wr.wr.atomic.rkey = to->mr->rkey;
	} else {
		w->wr.wr.rdma.remote_addr = (uintptr_t)to->buf + at;
		w->wr.wr.rdma.rkey = to->mr->rkey;
	}
}

void work_ud(struct work *w, struct side *to, struct ibv_ah *ah)
{
	w->wr.wr.ud.ah = ah;
	w->wr.wr.ud.remote_qpn = to->qp->qp_num;
	w->wr.wr.ud.remote_qkey = QKEY;
}

int work_post(struct side *s, struct work *w)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(s->qp, &w->wr, &bad);
}

/* A receive of one piece of memory. */
struct recv {
	struct ibv_sge sge;
	struct ibv_recv_wr wr;
};

static void recv_init(struct recv *r, struct side *s, uint64_t id, size_t at,
		      size_t length)
{
	r->sge = (struct ibv_sge){
		.addr = (uintptr_t)s->buf + at,
		.length = (uint32_t)length,
		.lkey = s->mr->lkey,
	};
	r->wr = (struct ibv_recv_wr){
		.wr_id = id,
		.sg_list = &r->sge,
		.num_sge = 1,
	};
}

int recv_post(struct side *s, uint64_t id, size_t at, size_t length)
{
	struct ibv_recv_wr *bad;
	struct recv r;

	recv_init(&r, s, id, at, length);
	return ibv_post_recv(s->qp, &r.wr, &bad);
}

/* Post memory of a side to an SRQ. */
int srq_post(struct ibv_srq *srq, struct side *s, uint64_t id, size_t at,
	     size_t length)
{
	struct ibv_recv_wr *bad;
	struct recv r;

	recv_init(&r, s, id, at, length);
	return ibv_post_srq_recv(srq, &r.wr, &bad);
}

/* Post work and tell how it completes. */
void say_work(const char *what, struct side *s, struct work *w)
{
	int err = work_post(s, w);

	if (err)
		say("%s: not posted, %s", what, error_name(err));
	else
		say_wc(what, s->scq, s->qp);
}

void must_post(int err)
{
	if (err)
		die("cannot post: %s", error_name(err));
}
