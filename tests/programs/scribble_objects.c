// SPDX-License-Identifier: GPL-2.0-only
/*
 * The objects of scribble. Queues and records are in memory that stays when
 * they go, as other threads write there at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "scribble.h"

#define QUEUE_BYTES (24UL << 20)
#define BLOCKS	    512

const union ibv_gid group = {.raw = {0xff, 0x0e, [15] = 1}};

struct process process = {.connecting = PTHREAD_MUTEX_INITIALIZER};

/* Pieces of the memory of queues, which are used again for the same size. */
static struct {
	pthread_mutex_t lock;
	unsigned int count;
	size_t end;
	struct {
		uint8_t *at;
		size_t size;
		bool used;
	} block[BLOCKS];
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *block_new(size_t size)
{
	size_t align = size < PAGE ? 8 : PAGE;
	size_t at = (blocks.end + align - 1) & ~(align - 1);

	if (blocks.count == BLOCKS || at + size > QUEUE_BYTES)
		die("no memory for queues");
	blocks.end = at + size;
	blocks.block[blocks.count].at = process.queues + at;
	blocks.block[blocks.count].size = size;
	blocks.block[blocks.count].used = true;
	return blocks.block[blocks.count++].at;
}

void *queue_alloc(size_t size)
{
	void *at = NULL;
	unsigned int i;

	pthread_mutex_lock(&blocks.lock);
	for (i = 0; i < blocks.count && !at; i++) {
		if (blocks.block[i].used || blocks.block[i].size != size)
			continue;
		blocks.block[i].used = true;
		at = blocks.block[i].at;
	}
	if (!at)
		at = block_new(size);
	pthread_mutex_unlock(&blocks.lock);
	return at;
}

static void *allocate(struct ibv_pd *pd, void *context, size_t size,
		      size_t align, uint64_t what)
{
	(void)pd;
	(void)context;
	(void)align;
	(void)what;
	return queue_alloc(size);
}

static void release(struct ibv_pd *pd, void *context, void *at, uint64_t what)
{
	unsigned int i;

	(void)pd;
	(void)context;
	(void)what;
	pthread_mutex_lock(&blocks.lock);
	for (i = 0; i < blocks.count; i++)
		if (blocks.block[i].at == at)
			blocks.block[i].used = false;
	pthread_mutex_unlock(&blocks.lock);
}

static void must(const char *what, int error)
{
	errno = error;
	if (error)
		die_errno("cannot %s", what);
}

static void show(uint64_t type, struct mlx5dv_obj *obj)
{
	must("look into an object", mlx5dv_init_obj(obj, type));
}

void slot_register(struct ctx *ctx, struct slot *slot, int access)
{
	slot->mr = ibv_reg_mr(ctx->rc.pd, slot->base, SLOT_BYTES, access);
	if (!slot->mr)
		die_errno("cannot register memory");
	slot->key = slot->mr->lkey;
}

void window_alloc(struct ctx *ctx, struct window *window)
{
	window->mw = ibv_alloc_mw(ctx->rc.pd, IBV_MW_TYPE_2);
	if (!window->mw)
		die_errno("cannot allocate a memory window");
	window->rkey = window->mw->rkey;
}

static void cq_open(struct ctx *ctx, struct cq *cq, bool events)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = CQ_DEPTH - 1,
		.channel = events ? ctx->channel : NULL,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
		.parent_domain = ctx->pd,
	};
	struct ibv_cq_ex *ex = ibv_create_cq_ex(ctx->rc.context, &init);
	struct mlx5dv_obj obj = {};
	unsigned int i;

	if (!ex)
		die_errno("cannot create a CQ");
	cq->cq = ibv_cq_ex_to_cq(ex);
	for (i = 0; i < 2; i++)
		cq->ring[i] = queue_alloc(CQ_BYTES);
	obj.cq.in = cq->cq;
	obj.cq.out = &cq->dv;
	show(MLX5DV_OBJ_CQ, &obj);
}

/* The first one is for QPs, the other one for an XRC domain. */
void srq_open(struct ctx *ctx, unsigned int i)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = {.max_wr = RQ_DEPTH - 1, .max_sge = 2},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = i ? IBV_SRQT_XRC : IBV_SRQT_BASIC,
		.pd = ctx->pd,
	};
	struct srq *srq = &ctx->srq[i];
	struct mlx5dv_obj obj = {};
	uint32_t n;

	if (i) {
		init.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		init.xrcd = ctx->xrcd;
		init.cq = ctx->cq[2].cq;
	}
	srq->srq = ibv_create_srq_ex(ctx->rc.context, &init);
	if (!srq->srq)
		die_errno("cannot create an SRQ");
	/* libmlx5 frees its memory there, but it is not set in an XRC domain.
	 */
	srq->srq->pd = ctx->pd;
	if (i)
		must("have a number", ibv_get_srq_num(srq->srq, &srq->srqn));
	obj.srq.in = srq->srq;
	obj.srq.out = &srq->dv;
	show(MLX5DV_OBJ_SRQ, &obj);
	for (n = 0; n < RQ_DEPTH; n++)
		recv_fill((uint8_t *)srq->dv.buf + n * srq->dv.stride + 16,
			  srq->dv.stride - 16, ctx, true, &ctx->seed);
	*(volatile uint32_t *)srq->dv.dbrec = htobe32(RQ_DEPTH / 2);
}

static void address_open(struct ctx *ctx)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh =
			{
				.dgid = ctx->rc.gid,
				.sgid_index = (uint8_t)ctx->rc.gid_index,
				.hop_limit = 1,
			},
	};
	struct mlx5dv_obj obj = {};
	struct mlx5dv_ah dv = {};

	ctx->ah = ibv_create_ah(ctx->rc.pd, &attr);
	if (!ctx->ah)
		die_errno("cannot create an address handle");
	obj.ah.in = ctx->ah;
	obj.ah.out = &dv;
	show(MLX5DV_OBJ_AH, &obj);
	ctx->av = *dv.av;
}

static void domains_open(struct ctx *ctx)
{
	struct ibv_parent_domain_init_attr parent = {
		.pd = ctx->rc.pd,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS,
		.alloc = allocate,
		.free = release,
	};
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	ctx->pd = ibv_alloc_parent_domain(ctx->rc.context, &parent);
	ctx->xrcd = ibv_open_xrcd(ctx->rc.context, &xrcd);
	if (!ctx->xrcd && errno != EOPNOTSUPP)
		die_errno("cannot open an XRC domain");
	ctx->channel = ibv_create_comp_channel(ctx->rc.context);
	if (!ctx->pd || !ctx->channel)
		die_errno("cannot create a domain or channel");
}

static void ctx_open(struct ctx *ctx)
{
	unsigned int i;

	rc_open(&ctx->rc);
	domains_open(ctx);
	for (i = 0; i < SLOTS; i++) {
		ctx->slot[i].base = pages_anonymous(SLOT_BYTES);
		slot_register(ctx, &ctx->slot[i], ALL_RIGHTS);
	}
	for (i = 0; i < WINDOWS; i++)
		window_alloc(ctx, &ctx->window[i]);
	ctx->queues =
		ibv_reg_mr(ctx->rc.pd, process.queues, QUEUE_BYTES, ALL_RIGHTS);
	ctx->idle = ibv_create_cq(ctx->rc.context, 1, NULL, NULL, 0);
	if (!ctx->queues || !ctx->idle)
		die_errno("cannot create an object");
	address_open(ctx);
	for (i = 0; i < CQS; i++)
		cq_open(ctx, &ctx->cq[i], i < 2);
	srq_open(ctx, 0);
	if (ctx->xrcd)
		srq_open(ctx, 1);
}

static struct ibv_qp *qp_create(const struct qp *qp)
{
	static const enum ibv_qp_type types[TYPES] = {
		IBV_QPT_RC,	  IBV_QPT_UC,	    IBV_QPT_UD,
		IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV,
	};
	struct ctx *ctx = &process.ctx[qp->context];
	struct ibv_qp_init_attr_ex init = {
		.qp_type = types[qp->type],
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = ctx->pd,
		.send_cq = ctx->cq[0].cq,
		.recv_cq = ctx->cq[qp->shared ? 2 : 1].cq,
		.srq = qp->shared ? ctx->srq[0].srq : NULL,
		.cap =
			{
				.max_send_wr = 256,
				.max_send_sge = 2,
				.max_recv_wr = RQ_DEPTH,
				.max_recv_sge = 2,
				.max_inline_data = 128,
			},
	};
	struct ibv_qp *new;

	if (qp->shared || qp->type == XRC)
		init.cap.max_recv_wr = 0;
	if (qp->type == XRC)
		init.recv_cq = NULL;
	if (qp->type == TARGET) {
		memset(&init, 0, sizeof(init));
		init.qp_type = IBV_QPT_XRC_RECV;
		init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		init.xrcd = ctx->xrcd;
	}
	new = ibv_create_qp_ex(ctx->rc.context, &init);
	if (!new)
		die_errno("cannot create a QP");
	if (qp->type == TARGET)
		return new;
	/*
	 * libmlx5 removes completions of a QP that is reset or destroyed from
	 * its CQs, and gives their receives back to the SRQ. It may, but not
	 * from these, where anything can be.
	 */
	new->send_cq = ctx->idle;
	new->recv_cq = ctx->idle;
	new->srq = NULL;
	return new;
}

/* Multicasts go to all UD QPs. */
static void qp_join(struct ibv_qp *qp)
{
	if (qp->qp_type == IBV_QPT_UD)
		must("join a group", ibv_attach_mcast(qp, &group, 0));
}

static void qp_destroy(struct ibv_qp *qp)
{
	if (qp->qp_type == IBV_QPT_UD)
		must("leave a group", ibv_detach_mcast(qp, &group, 0));
	must("destroy a QP", ibv_destroy_qp(qp));
}

static void qp_open(struct qp *qp)
{
	struct mlx5dv_obj obj = {};

	qp->qp = qp_create(qp);
	qp_join(qp->qp);
	if (qp->type != TARGET) {
		obj.qp.in = qp->qp;
		obj.qp.out = &qp->dv;
		show(MLX5DV_OBJ_QP, &obj);
	}
	qp->qpn = qp->qp->qp_num;
}

static void qp_modify(struct qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int error = ibv_modify_qp(qp->qp, attr, mask);

	/* From INIT on it can get an error at any time. */
	if (error && attr->qp_state <= IBV_QPS_INIT)
		must("modify a QP", error);
	qp->failed |= error;
}

static void qp_init(struct qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = QKEY,
		.qp_access_flags = ALL_RIGHTS & ~IBV_ACCESS_MW_BIND,
	};

	qp_modify(qp, &attr,
		  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  (qp->type == UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static void qp_rtr(struct qp *qp, uint64_t *seed)
{
	const struct rc *rc = &process.ctx[qp->context].rc;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = rc->mtu,
		.dest_qp_num = process.qp[qp->peer].qpn,
		.rq_psn = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = (uint8_t)(1 + below(seed, 8)),
		.ah_attr =
			{
				.is_global = 1,
				.port_num = 1,
				.grh =
					{
						.dgid = rc->gid,
						.sgid_index =
							(uint8_t)rc->gid_index,
						.hop_limit = 1,
					},
			},
	};
	int mask = IBV_QP_STATE;

	if (qp->type != UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (qp->type == RC || qp->type == TARGET)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	qp_modify(qp, &attr, mask);
}

static void qp_rts(struct qp *qp, uint64_t *seed)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 1,
		.timeout = (uint8_t)(1 + below(seed, 12)),
		.retry_cnt = (uint8_t)below(seed, 4),
		.rnr_retry = one_in(seed, 4) ? (uint8_t)below(seed, 8) : 7,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->type == RC || qp->type == XRC)
		mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	if (qp->type == RC || qp->type == XRC || qp->type == TARGET)
		mask |= IBV_QP_TIMEOUT;
	qp_modify(qp, &attr, mask);
}

static void qp_reset(struct qp *qp, uint64_t *seed)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	struct qp old = *qp;

	if (one_in(seed, 16)) {
		qp_open(qp);
		qp_destroy(old.qp);
		count(&tally->acts[ACT_RECREATE]);
	} else {
		qp_modify(qp, &attr, IBV_QP_STATE);
	}
	queue_fill(qp, seed);
	qp_init(qp);
}

/* Connect a QP and its peer again; false if others are doing so. */
bool qp_connect(struct qp *qp, uint64_t *seed)
{
	struct qp *peer = &process.qp[qp->peer];

	if (pthread_mutex_trylock(&process.connecting))
		return false;
	qp_reset(qp, seed);
	if (peer != qp)
		qp_reset(peer, seed);
	qp_rtr(qp, seed);
	if (peer != qp)
		qp_rtr(peer, seed);
	qp_rts(qp, seed);
	if (peer != qp)
		qp_rts(peer, seed);
	pthread_mutex_unlock(&process.connecting);
	count(&tally->acts[ACT_CONNECT]);
	return true;
}

static void qps_open(void)
{
	static const struct {
		enum type type;
		unsigned int context, peer;
		bool shared;
	} qps[QPS] = {
		{RC, 0, 1, false},   {RC, 0, 0, false}, /* a pair */
		{RC, 0, 3, false},   {RC, 1, 2, false}, /* of contexts */
		{RC, 1, 4, false},			/* with itself */
		{RC, 1, 6, true},    {RC, 1, 5, true},	/* with an SRQ */
		{UC, 0, 8, false},   {UC, 1, 7, false},
		{UD, 0, 10, false},  {UD, 1, 9, false},
		{XRC, 0, 12, false}, {TARGET, 1, 11, false},
		{RC, 0, 14, true},   {RC, 1, 13, false},
		{UC, 0, 15, true}, /* with itself */
	};
	uint64_t seed = process.ctx[0].seed;
	unsigned int i;

	for (i = 0; i < QPS; i++) {
		process.qp[i].type = qps[i].type;
		process.qp[i].context = qps[i].context;
		process.qp[i].peer = qps[i].peer;
		process.qp[i].shared = qps[i].shared;
		process.qp[i].qpn = NOBODY;
		if (process.ctx[0].xrcd || qps[i].type < XRC)
			qp_open(&process.qp[i]);
	}
	for (i = 0; i < QPS; i++)
		if (process.qp[i].qp && process.qp[i].peer >= i)
			qp_connect(&process.qp[i], &seed);
}

/* Memory in a PD of its own, of a context that is scribbled on. */
static void neighbour_open(void)
{
	unsigned int i;

	process.neighbour = process.ctx[0].rc;
	process.neighbour.pd = ibv_alloc_pd(process.neighbour.context);
	if (!process.neighbour.pd)
		die_errno("cannot allocate a PD");
	for (i = 0; i < 2; i++)
		process.theirs[i] =
			rc_register(&process.neighbour,
				    pages_anonymous(THEIR_BYTES), THEIR_BYTES);
}

void objects_create(uint64_t seed)
{
	unsigned int i;

	/* Places behind the end of a queue are here, too. */
	process.queue_bytes = QUEUE_BYTES;
	process.queues = pages_anonymous(2 * QUEUE_BYTES);
	for (i = 0; i < CONTEXTS; i++) {
		process.ctx[i].number = i;
		process.ctx[i].seed = seed + i;
		ctx_open(&process.ctx[i]);
	}
	neighbour_open();
	qps_open();
}

static void ctx_close(struct ctx *ctx)
{
	unsigned int i;

	must("destroy an SRQ", ibv_destroy_srq(ctx->srq[0].srq));
	if (ctx->xrcd)
		must("destroy an SRQ", ibv_destroy_srq(ctx->srq[1].srq));
	for (i = 0; i < CQS; i++)
		must("destroy a CQ", ibv_destroy_cq(ctx->cq[i].cq));
	must("destroy a CQ", ibv_destroy_cq(ctx->idle));
	must("destroy an address handle", ibv_destroy_ah(ctx->ah));
	for (i = 0; i < WINDOWS; i++)
		must("deallocate a window", ibv_dealloc_mw(ctx->window[i].mw));
	rc_deregister(ctx->queues);
	must("destroy a channel", ibv_destroy_comp_channel(ctx->channel));
	if (ctx->xrcd)
		must("close a domain", ibv_close_xrcd(ctx->xrcd));
	must("deallocate a PD", ibv_dealloc_pd(ctx->pd));
	rc_close(&ctx->rc);
}

void objects_destroy(void)
{
	unsigned int i;

	for (i = 0; i < QPS; i++)
		if (process.qp[i].qp)
			qp_destroy(process.qp[i].qp);
	/* Their PD can be that of the neighbour. */
	for (i = 0; i < CONTEXTS * SLOTS; i++)
		rc_deregister(process.ctx[i / SLOTS].slot[i % SLOTS].mr);
	for (i = 0; i < 2; i++)
		rc_deregister(process.theirs[i]);
	must("deallocate a PD", ibv_dealloc_pd(process.neighbour.pd));
	for (i = 0; i < CONTEXTS; i++)
		ctx_close(&process.ctx[i]);
}
