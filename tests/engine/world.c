// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "world.h"

#ifndef ENG_PORT_COUNT
void (*eng_port_before_read)(const volatile void *from, size_t n);
void (*eng_port_before_write)(const volatile void *to, size_t n);
void (*eng_port_before_lock)(eng_lock_t *lock);
const u8 *eng_port_bad, *eng_port_bad_end;
#endif

#ifndef ENG_PORT_COUNT

/* --- Locks are taken in the order that engine.h says --- */

static const char *const lock_order[] = {
	"&worker->cq_lock", "&qp->send",  "&eng->group_lock", "&qp->recv",
	"&srq->lock",	    "&cq->lock",  "&worker->lock",    "&table->lock",
	"&key->lock",	    "&eng->lock",
};

#define CLASSES ((int)(sizeof(lock_order) / sizeof(lock_order[0])))

__thread unsigned int eng_port_held;

/* -1: of no class. */
int eng_port_class(const char *name)
{
	int i;

	for (i = 0; i < CLASSES; i++)
		if (!strcmp(name, lock_order[i]))
			return i;
	return -1;
}

void eng_port_locked(const eng_lock_t *lock)
{
	if (lock->class < 0)
		return;
	if (eng_port_held >> lock->class) {
		fprintf(stderr, "%s is taken with 0x%x held\n", lock->name,
			eng_port_held);
		abort();
	}
	eng_port_held |= 1U << lock->class;
}

void eng_port_unlocked(const eng_lock_t *lock)
{
	if (lock->class >= 0)
		eng_port_held &= ~(1U << lock->class);
}

#endif

/* --- Environment of the engine --- */

static u64 world_now(void *env)
{
	struct world *w = env;

	return w->now;
}

static void world_wake(void *env, struct eng_worker *worker)
{
	struct world *w = env;

	if (w->on_wake)
		w->on_wake(worker);
}

void world_logf(struct world *w, const char *fmt, ...)
{
	va_list args;

	if (w->quiet)
		return;
	va_start(args, fmt);
	w->logged += vsnprintf(w->log + w->logged, sizeof(w->log) - w->logged,
			       fmt, args);
	va_end(args);
	if (w->logged >= sizeof(w->log))
		abort();
}

static void world_cq_event(void *env, struct eng_cq *cq)
{
	world_logf(env, "cq%u event\n", container_of(cq, struct cq, eng)->id);
}

static void world_async(void *env, enum eng_event event, void *object)
{
	static const char *const name[] = {
		[ENG_EVENT_CQ_ERROR] = "cq error",
		[ENG_EVENT_QP_FATAL] = "fatal",
		[ENG_EVENT_QP_ACCESS] = "access error",
		[ENG_EVENT_QP_REQUEST] = "request error",
		[ENG_EVENT_QP_ESTABLISHED] = "established",
		[ENG_EVENT_QP_LAST_WQE] = "last wqe",
		[ENG_EVENT_QP_DRAINED] = "drained",
		[ENG_EVENT_SRQ_ERROR] = "srq error",
		[ENG_EVENT_SRQ_LIMIT] = "srq limit",
	};

	if (event == ENG_EVENT_CQ_ERROR)
		world_logf(env, "cq%u %s\n",
			   container_of(object, struct cq, eng)->id,
			   name[event]);
	else if (event < ENG_EVENT_SRQ_ERROR)
		world_logf(env, "qp%u %s\n",
			   ((struct eng_qp *)object)->init.qpn, name[event]);
	else
		world_logf(env, "srq%u %s\n",
			   container_of(object, struct srq, eng)->id,
			   name[event]);
}

static bool world_ud_path(void *env, const struct eng_qp *qp,
			  const struct eng_av *av, u32 length,
			  struct eng_path *path)
{
	struct world *w = env;

	memset(path->grh, 0x47, sizeof(path->grh));
	path->group = av->dgid[0] == 0xff;
	path->owner = path->group ? 0 : w->owner;
	return w->paths;
}

static const struct eng_ops world_ops = {
	.now = world_now,
	.wake = world_wake,
	.cq_event = world_cq_event,
	.async = world_async,
	.ud_path = world_ud_path,
};

static void world_begin(struct world *w)
{
	w->now = 1000000000;
	w->next_id = 1;
	w->paths = true;
	w->owner = 0;
	w->other = NULL;
	eng_worker_add(&w->eng, &w->worker);
}

struct world *world_create(void)
{
	struct world *w = calloc(1, sizeof(*w));

	eng_init(&w->eng, &world_ops, w);
	world_begin(w);
	return w;
}

static void world_end(struct world *w)
{
	struct qp *qp;
	struct key *key;
	struct cq *cq;
	struct srq *srq;
	struct buf *buf;
	u32 i;

	while ((qp = w->qps)) {
		w->qps = qp->next;
		if (!qp->gone)
			eng_qp_del(&qp->eng);
		free(qp);
	}
	while ((srq = w->srqs)) {
		w->srqs = srq->next;
		if (!srq->gone)
			eng_srq_del(&srq->eng);
		free(srq);
	}
	while ((cq = w->cqs)) {
		w->cqs = cq->next;
		if (!cq->gone)
			eng_cq_del(&cq->eng);
		free(cq);
	}
	while ((key = w->keys)) {
		w->keys = key->next;
		if (!key->eng.dead)
			eng_key_del(&w->eng, &key->eng);
		free(key);
	}
	while ((buf = w->bufs)) {
		w->bufs = buf->next;
		for (i = 0; i < buf->mem.count; i++)
			free(buf->mem.run[i]);
		free(buf->mem.run);
		free(buf);
	}
	CHECK(eng_retired(&w->eng, eng_retire(&w->eng)));
	eng_worker_del(&w->worker);
	if (w->other)
		eng_worker_del(w->other);
}

void world_renew(struct world *w)
{
	world_end(w);
	world_begin(w);
}

void world_destroy(struct world *w)
{
	world_end(w);
	eng_destroy(&w->eng);
	free(w);
}

bool world_scan(struct world *w)
{
	struct eng_looked looked = eng_scan(&w->worker, true);

	while (looked.more && !looked.work)
		looked = eng_scan(&w->worker, false);
	return looked.work;
}

void world_run(struct world *w)
{
	int i;

	/* Nothing may keep a worker busy without end, or from its sleep. */
	for (i = 0; i < 100000; i++)
		if (!eng_run(&w->worker, 64, 1 << 18) && !world_scan(w))
			return;
	CHECK(!"the engine rests");
}

void world_sleep(struct world *w, u64 ns, u64 step)
{
	u64 end = w->now + ns;

	while (w->now < end) {
		w->now += step;
		world_run(w);
	}
}

/* --- Memory --- */

struct buf *buf_create(struct world *w, u64 bytes, u64 offset)
{
	struct buf *b = calloc(1, sizeof(*b));
	u32 i;

	b->va = ((u64)w->next_id++ << 32) + offset;
	b->mem.first = offset;
	b->mem.length = bytes;
	b->mem.shift = 12;
	b->mem.mask = WORLD_PAGE - 1;
	b->mem.count = (offset + bytes + WORLD_PAGE - 1) / WORLD_PAGE;
	b->mem.run = calloc(b->mem.count, sizeof(void *));
	for (i = 0; i < b->mem.count; i++) {
		b->mem.run[i] = aligned_alloc(WORLD_PAGE, WORLD_PAGE);
		memset(b->mem.run[i], 0, WORLD_PAGE);
	}
	b->next = w->bufs;
	w->bufs = b;
	return b;
}

void *buf_at(struct buf *b, u64 offset)
{
	offset += b->mem.first;
	return (u8 *)b->mem.run[offset / WORLD_PAGE] + offset % WORLD_PAGE;
}

RACY void buf_write(struct buf *b, u64 offset, const void *from, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		*(u8 *)buf_at(b, offset + i) = ((const u8 *)from)[i];
}

RACY void buf_read(struct buf *b, u64 offset, void *to, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		((u8 *)to)[i] = *(u8 *)buf_at(b, offset + i);
}

struct key *key_create(struct world *w, struct buf *b, u32 pdn, u32 access)
{
	struct key *key = calloc(1, sizeof(*key));

	key->eng.key = w->next_id++ << 8 | 0x5a;
	key->eng.pdn = pdn;
	key->eng.access = access;
	key->eng.start = b->va;
	key->eng.mem = b->mem;
	if (eng_key_add(&w->eng, &key->eng))
		abort();
	key->next = w->keys;
	w->keys = key;
	return key;
}

struct key *window_create(struct world *w, u32 pdn)
{
	struct key *key = calloc(1, sizeof(*key));

	key->eng.key = w->next_id++ << 8;
	key->eng.pdn = pdn;
	key->eng.window = true;
	if (eng_key_add(&w->eng, &key->eng))
		abort();
	key->next = w->keys;
	w->keys = key;
	return key;
}

void key_destroy(struct world *w, struct key *key)
{
	eng_key_del(&w->eng, &key->eng);
	CHECK(eng_retired(&w->eng, eng_retire(&w->eng)));
}

/* --- Queues --- */

struct cq *cq_create(struct world *w, u32 entries, u32 size)
{
	struct eng_cq_attr attr = {.entries = entries, .events = true};
	struct cq *cq = calloc(1, sizeof(*cq));
	u32 i;

	cq->id = w->next_id++;
	cq->entries = entries;
	cq->shift = size == 128 ? 7 : 6;
	cq->ring = buf_create(w, (u64)entries << cq->shift, 0);
	cq->record = buf_create(w, 8, 0);
	for (i = 0; i < entries; i++)
		*(u8 *)buf_at(cq->ring, ((u64)(i + 1) << cq->shift) - 1) =
			MLX5_CQE_INVALID << 4;
	attr.ring = cq->ring->mem;
	attr.record = buf_at(cq->record, 0);
	attr.entry_shift = cq->shift;
	eng_cq_add(&w->worker, &cq->eng, &attr);
	cq->next = w->cqs;
	w->cqs = cq;
	return cq;
}

static void set_record(struct buf *record, int index, u32 value)
{
	value = htobe32(value);
	buf_write(record, index * 4, &value, 4);
}

void cq_arm(struct cq *cq, u32 sequence, bool solicited)
{
	set_record(cq->record, 1,
		   sequence << 28 | (solicited ? MLX5_CQ_DB_REQ_NOT_SOL : 0) |
			   (cq->consumed & 0xffffff));
}

static void log_cqe(struct world *w, struct cq *cq,
		    const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_err_cqe *err = (const void *)cqe;
	u32 qpn = be32toh(cqe->sop_drop_qpn) & 0xffffff;
	u32 op = cqe->op_own >> 4;

	world_logf(w, "cq%u qp%u ", cq->id, qpn);
	switch (op) {
	case MLX5_CQE_REQ:
		world_logf(w, "req %x at %u bytes %u\n",
			   be32toh(cqe->sop_drop_qpn) >> 24,
			   be16toh(cqe->wqe_counter), be32toh(cqe->byte_cnt));
		break;
	case MLX5_CQE_REQ_ERR:
	case MLX5_CQE_RESP_ERR:
		world_logf(w, "%s error %x at %u\n",
			   op == MLX5_CQE_REQ_ERR ? "req" : "resp",
			   err->syndrome, be16toh(cqe->wqe_counter));
		break;
	case MLX5_CQE_RESIZE_CQ:
		world_logf(w, "resize\n");
		break;
	default:
		world_logf(w, "resp %u at %u bytes %u imm %x from %u%s\n", op,
			   be16toh(cqe->wqe_counter), be32toh(cqe->byte_cnt),
			   be32toh(cqe->imm_inval_pkey),
			   be32toh(cqe->flags_rqpn) & 0xffffff,
			   be32toh(cqe->flags_rqpn) >> 28 ? " grh" : "");
	}
}

void cq_poll(struct world *w, struct cq *cq, bool consume)
{
	for (;;) {
		u32 slot = cq->consumed & (cq->entries - 1);
		struct mlx5_cqe64 cqe;

		buf_read(cq->ring, ((u64)(slot + 1) << cq->shift) - sizeof(cqe),
			 &cqe, sizeof(cqe));
		if (cqe.op_own >> 4 == MLX5_CQE_INVALID ||
		    (cqe.op_own & 1) != !!(cq->consumed & cq->entries))
			break;
		log_cqe(w, cq, &cqe);
		cq->consumed++;
	}
	if (consume)
		set_record(cq->record, 0, cq->consumed & 0xffffff);
}

struct srq *srq_create(struct world *w, u32 entries, u32 pdn)
{
	return xrc_srq_create(w, entries, pdn, NULL);
}

void srq_destroy(struct world *w, struct srq *srq)
{
	eng_srq_del(&srq->eng);
	srq->gone = true;
	CHECK(eng_retired(&w->eng, eng_retire(&w->eng)));
}

struct srq *xrc_srq_create(struct world *w, u32 entries, u32 pdn,
			   struct cq *xrc_cq)
{
	struct eng_srq_attr attr = {.entries = entries, .pdn = pdn};
	struct srq *srq = calloc(1, sizeof(*srq));

	srq->id = w->next_id++;
	srq->ring = buf_create(w, entries * 64, 0);
	srq->record = buf_create(w, 8, 0);
	attr.ring = srq->ring->mem;
	attr.record = buf_at(srq->record, 0);
	attr.entry_shift = 6;
	if (xrc_cq) {
		attr.cq = &xrc_cq->eng;
		attr.srqn = srq->id;
		attr.xrcdn = WORLD_XRCD;
		attr.user_index = 9;
	}
	if (eng_srq_add(&w->eng, &srq->eng, &attr))
		abort();
	srq->next = w->srqs;
	w->srqs = srq;
	return srq;
}

static void fill_data(struct mlx5_wqe_data_seg *seg, const struct sge *sge,
		      int nr, int max)
{
	int i;

	for (i = 0; i < nr; i++) {
		seg[i].byte_count = htobe32(sge[i].length);
		seg[i].lkey = htobe32(sge[i].lkey);
		seg[i].addr = htobe64(sge[i].addr);
	}
	if (nr < max) {
		seg[nr].byte_count = 0;
		seg[nr].lkey = htobe32(MLX5_INVALID_LKEY);
		seg[nr].addr = 0;
	}
}

void srq_post(struct srq *srq, u16 index, u16 next, const struct sge *sge,
	      int nr)
{
	u8 wqe[64] = {};
	struct mlx5_wqe_srq_next_seg *head = (void *)wqe;

	head->next_wqe_index = htobe16(next);
	fill_data((void *)(head + 1), sge, nr, 3);
	buf_write(srq->ring, index * 64, wqe, sizeof(wqe));
	set_record(srq->record, 0, ++srq->posted);
}

struct qp *qp_create(struct world *w, const struct qp_opts *opts)
{
	bool target = opts->type == ENG_XRC_TGT;
	bool no_rq = opts->srq || opts->type == ENG_XRC_INI || target;
	u32 sq = opts->sq_entries ? opts->sq_entries : 64;
	u32 rq = no_rq ? 0 : opts->rq_entries ? opts->rq_entries : 16;
	struct eng_qp_init init = {
		.type = opts->type,
		.qpn = w->next_id++,
		.pdn = opts->pdn,
		.user_index = 7,
		.sq_offset = rq * 64,
		.sq_entries = opts->no_sq || target ? 0 : sq,
		.rq_entries = rq,
		.rq_shift = 6,
		.send_cq = opts->send_cq ? &opts->send_cq->eng : NULL,
		.recv_cq = opts->recv_cq ? &opts->recv_cq->eng : NULL,
		.srq = opts->srq ? &opts->srq->eng : NULL,
		.xrcdn = WORLD_XRCD,
		.net = opts->net,
		.owner = opts->owner,
	};
	struct qp *qp = calloc(1, sizeof(*qp));

	qp->ring = buf_create(w, (sq + rq) * 64, 0);
	qp->record = buf_create(w, 8, 0);
	if (!target) {
		init.ring = qp->ring->mem;
		init.record = buf_at(qp->record, 0);
	}
	if (eng_qp_add(opts->worker ? opts->worker : &w->worker, &qp->eng,
		       &init))
		abort();
	qp->next = w->qps;
	w->qps = qp;
	return qp;
}

void qp_destroy(struct world *w, struct qp *qp)
{
	eng_qp_del(&qp->eng);
	qp->gone = true;
	CHECK(eng_retired(&w->eng, eng_retire(&w->eng)));
}

void qp_set(struct qp *qp, u32 mask, const struct eng_qp_attr *attr)
{
	/* In some tests, other threads modify it at the same time. */
	while (eng_qp_modify(&qp->eng, READ_ONCE(qp->eng.state), attr, mask))
		;
}

void qp_state(struct qp *qp, enum eng_qp_state state)
{
	struct eng_qp_attr attr = {.state = state};

	qp_set(qp, ENG_QP_STATE, &attr);
}

static void connect_one(struct qp *qp, struct qp *peer)
{
	struct eng_qp_attr attr = {
		.state = ENG_RTS,
		.dest_qpn = peer->eng.init.qpn,
		.sgid = {1, qp->eng.init.qpn},
		.dgid = {1, peer->eng.init.qpn},
		.access =
			ENG_REMOTE_READ | ENG_REMOTE_WRITE | ENG_REMOTE_ATOMIC,
		.qkey = 0x1234,
		.sq_psn = 0xfffff0,
		.rq_psn = 0xfffff0,
		.mtu = 1024,
		.timeout = 14,
		.retry = 3,
		.rnr_retry = 2,
		.min_rnr = 12,
	};

	qp_set(qp, ~0U, &attr);
}

void qp_connect(struct qp *a, struct qp *b)
{
	connect_one(a, b);
	if (a != b)
		connect_one(b, a);
}

void qp_reset(struct qp *qp, struct qp *peer)
{
	qp_state(qp, ENG_RESET);
	qp->sq_posted = 0;
	qp->rq_posted = 0;
	set_record(qp->record, 0, 0);
	set_record(qp->record, 1, 0);
	connect_one(qp, peer);
}

void qp_ring(struct world *w, struct qp *qp, u16 posted)
{
	set_record(qp->record, 1, posted);
	if (w->no_rings)
		return;
	eng_ring_qp(qp->eng.worker, qp->eng.init.qpn);
}

void qp_post(struct world *w, struct qp *qp, const struct wr *wr)
{
	u8 wqe[ENG_MAX_WQE] = {}, *at = wqe;
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)at;
	u32 ds, i;

	at += sizeof(*ctrl);
	if (qp->eng.init.type == ENG_UD) {
		struct mlx5_wqe_datagram_seg *ud = (void *)at;

		ud->av.key.qkey.qkey = htobe32(wr->qkey);
		if (wr->gid)
			memcpy(ud->av.rgid, wr->gid, sizeof(ud->av.rgid));
		ud->av.dqp_dct = htobe32(wr->dqpn | MLX5_EXTENDED_UD_AV);
		at += sizeof(*ud);
	}
	if (qp->eng.init.type == ENG_XRC_INI && wr->opcode != MLX5_OPCODE_NOP &&
	    wr->opcode != MLX5_OPCODE_UMR) {
		/* 16 bytes, which mlx5dv.h does not have. */
		*(u32 *)at = htobe32(wr->srqn);
		at += 16;
	}
	if (wr->opcode == MLX5_OPCODE_RDMA_WRITE ||
	    wr->opcode == MLX5_OPCODE_RDMA_WRITE_IMM ||
	    wr->opcode == MLX5_OPCODE_RDMA_READ ||
	    wr->opcode == MLX5_OPCODE_ATOMIC_CS ||
	    wr->opcode == MLX5_OPCODE_ATOMIC_FA) {
		struct mlx5_wqe_raddr_seg *raddr = (void *)at;

		raddr->raddr = htobe64(wr->raddr);
		raddr->rkey = htobe32(wr->rkey);
		at += sizeof(*raddr);
	}
	if (wr->opcode == MLX5_OPCODE_ATOMIC_CS ||
	    wr->opcode == MLX5_OPCODE_ATOMIC_FA) {
		struct mlx5_wqe_atomic_seg *atomic = (void *)at;

		atomic->swap_add = htobe64(wr->swap_add);
		atomic->compare = htobe64(wr->compare);
		at += sizeof(*atomic);
	}
	if (wr->umr) {
		memcpy(at, wr->umr, sizeof(*wr->umr));
		at += sizeof(*wr->umr);
	}
	if (wr->inl) {
		u32 count = htobe32(wr->inl_len | MLX5_INLINE_SEG);

		memcpy(at, &count, 4);
		memcpy(at + 4, wr->inl, wr->inl_len);
		at += (wr->inl_len + 4 + 15) / 16 * 16;
	}
	fill_data((void *)at, wr->sge, wr->nr_sge, wr->nr_sge);
	at += wr->nr_sge * 16;
	ds = (at - wqe) / 16;

	ctrl->opmod_idx_opcode =
		htobe32((wr->opcode | (u32)qp->sq_posted << 8) ^ wr->xor_word);
	ctrl->qpn_ds = htobe32((qp->eng.init.qpn << 8 | ds) ^ wr->xor_qpn_ds);
	ctrl->fm_ce_se = wr->flags;
	ctrl->imm = htobe32(wr->imm);
	for (i = 0; i < (ds + 3) / 4; i++)
		buf_write(qp->ring,
			  qp->eng.init.sq_offset + ((qp->sq_posted + i) &
						    (qp->eng.init.sq_entries -
						     1)) * 64,
			  wqe + i * 64, 64);
	qp->sq_posted += i;
	qp_ring(w, qp, qp->sq_posted);
}

struct umr umr_bind(u32 rkey, u32 qpn, u8 access, const struct sge *to)
{
	struct umr umr = {
		.ctrl.flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
			      MLX5_WQE_UMR_CTRL_FLAG_INLINE,
		.ctrl.klm_octowords = htobe16(2),
		.mkey.access_flags = access,
		.mkey.qpn_mkey = htobe32(qpn << 8 | (rkey & 0xff)),
		.mkey.start_addr = htobe64(to->addr),
		.mkey.len = htobe64(to->length),
		.klm.byte_count = htobe32(to->length),
		.klm.mkey = htobe32(to->lkey),
		.klm.address = htobe64(to->addr),
	};
	u64 mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |
		   MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC;

	if (qpn != ENG_ANY_QPN) {
		umr.ctrl.flags |= MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE;
		mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN;
	}
	umr.ctrl.mkey_mask = htobe64(mask);
	return umr;
}

struct umr umr_unbind(bool qpn)
{
	struct umr umr = {
		.ctrl.flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
			      MLX5_WQE_UMR_CTRL_FLAG_INLINE |
			      (qpn ? MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN : 0),
		.ctrl.mkey_mask = htobe64(MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |
					  MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |
					  MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN),
		.mkey.free = MLX5_WQE_MKEY_CONTEXT_FREE,
		.mkey.qpn_mkey = htobe32(0xffffff00),
	};

	return umr;
}

void qp_post_recv(struct qp *qp, const struct sge *sge, int nr)
{
	u32 slot = qp->rq_posted & (qp->eng.init.rq_entries - 1);
	u8 wqe[64] = {};

	fill_data((void *)wqe, sge, nr, 4);
	buf_write(qp->ring, slot * 64, wqe, sizeof(wqe));
	set_record(qp->record, 0, ++qp->rq_posted);
}

void expect(struct world *w, const char *what, const char *log)
{
	struct cq *cq;

	for (cq = w->cqs; cq; cq = cq->next)
		if (!cq->gone)
			cq_poll(w, cq, true);
	if (strcmp(w->log, log)) {
		printf("# expected\n%s# but got\n%s", log, w->log);
		test_check(false, __FILE__, __LINE__, what);
	}
	w->logged = 0;
	w->log[0] = 0;
}
