// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queues of scribble: how a provider uses them, mostly.
 */
#include <string.h>

#include "scribble.h"

/* Seconds; a burst that takes longer waits for something that does not come. */
#define TIMEOUT 0.5

/* Requests of a burst. */
#define GOOD_BURST 256U
#define BAD_BURST  8U

/* Less than there is room for, as old completions bring more. */
#define MOST_RECEIVES 128U

static volatile uint32_t *record(__be32 *dbrec, unsigned int i)
{
	return (volatile uint32_t *)dbrec + i;
}

/* The HCA reads what was written before the record. */
static void record_set(__be32 *dbrec, unsigned int i, uint32_t value)
{
	atomic_thread_fence(memory_order_release);
	*record(dbrec, i) = htobe32(value);
}

static void record_add(__be32 *dbrec, unsigned int i)
{
	record_set(dbrec, i, be32toh(*record(dbrec, i)) + 1);
}

/* Some receives for a QP without an SRQ that was reset. */
void queue_fill(struct qp *qp, uint64_t *seed)
{
	const struct ctx *ctx = &process.ctx[qp->context];
	uint32_t i, n = 1 + below(seed, MOST_RECEIVES);

	qp->posted = 0;
	qp->bound = false;
	qp->failed = false;
	qp->busy = false;
	if (qp->type == TARGET || !qp->dv.rq.wqe_cnt)
		return;
	for (i = 0; i < n; i++)
		recv_fill((uint8_t *)qp->dv.rq.buf + i * qp->dv.rq.stride,
			  qp->dv.rq.stride, ctx, true, seed);
	record_set(qp->dv.dbrec, MLX5_RCV_DBR, n);
}

static uint8_t *block_at(const struct qp *qp, uint32_t block)
{
	return (uint8_t *)qp->dv.sq.buf +
	       (block & (qp->dv.sq.wqe_cnt - 1)) * MLX5_SEND_WQE_BB;
}

/* Copy a request into the queue, if there is room. */
static bool put(struct qp *qp, const struct wqe *wqe, uint32_t *used)
{
	uint32_t blocks = (wqe->ds + 3) / 4, i;

	if (*used + blocks > qp->dv.sq.wqe_cnt)
		return false;
	for (i = 0; i < blocks; i++)
		memcpy(block_at(qp, qp->posted + i),
		       wqe->bytes + i * MLX5_SEND_WQE_BB, MLX5_SEND_WQE_BB);
	*used += blocks;
	qp->last = qp->posted;
	qp->posted = (uint16_t)(qp->posted + blocks);
	return true;
}

static void ring(const struct qp *qp)
{
	const uint8_t *first = block_at(qp, qp->last);

	record_set(qp->dv.dbrec, MLX5_SND_DBR, qp->posted);
	*(volatile uint64_t *)qp->dv.bf.reg =
		*(const volatile uint64_t *)(const void *)first;
}

static void post_good(struct qp *qp, uint64_t *seed)
{
	uint32_t n = 1 + below(seed, GOOD_BURST), used = 0, word;
	struct wqe wqe;
	uint8_t opcode;

	memset(qp->opcodes, 0, sizeof(qp->opcodes));
	while (n--) {
		wqe_good(&wqe, qp, seed);
		opcode = (uint8_t)be32toh(wqe.ctrl.opmod_idx_opcode);
		word = opcode | (uint32_t)qp->posted << 8;
		wqe.ctrl.opmod_idx_opcode = htobe32(word);
		/* As its completion is that of the burst. */
		wqe.ctrl.fm_ce_se &= (uint8_t)~MLX5_WQE_CTRL_CQ_UPDATE;
		if (!n || one_in(seed, 16))
			wqe.ctrl.fm_ce_se |= MLX5_WQE_CTRL_CQ_UPDATE;
		if (!put(qp, &wqe, &used))
			break;
		qp->opcodes[opcode]++;
		count(&tally->posted[qp->type][opcode]);
		count(&tally->kinds[GOOD]);
	}
	/* The last one that had room. */
	((struct mlx5_wqe_ctrl_seg *)(void *)block_at(qp, qp->last))
		->fm_ce_se |= MLX5_WQE_CTRL_CQ_UPDATE;
}

/* Change the requests while the HCA reads them, and most of them back. */
static void flip(struct qp *qp, uint64_t *seed)
{
	uint32_t n = below(seed, 64), back = below(seed, 4);
	volatile uint8_t *at;
	uint8_t bits;

	while (n--) {
		at = block_at(qp, qp->last - below(seed, 16)) + below(seed, 64);
		bits = (uint8_t)(1 + below(seed, 255));
		*at ^= bits;
		if (back)
			*at ^= bits;
	}
}

static void post_bad(struct qp *qp, enum kind how, uint64_t *seed)
{
	uint32_t n = 1 + below(seed, BAD_BURST), used = 0, word;
	struct wqe wqe;

	while (n--) {
		if (how == RANDOM) {
			wqe_random(&wqe, seed);
		} else {
			wqe_good(&wqe, qp, seed);
			count(&tally->posted[qp->type][(uint8_t)be32toh(
				wqe.ctrl.opmod_idx_opcode)]);
		}
		word = be32toh(wqe.ctrl.opmod_idx_opcode);
		/* Otherwise all fail for the same reason. */
		if (how == MUTATED || !one_in(seed, 4)) {
			word = (word & 0xff) | (uint32_t)qp->posted << 8;
			wqe.ctrl.opmod_idx_opcode = htobe32(word);
			word = qp->qpn << 8 | wqe.ds;
			wqe.ctrl.qpn_ds = htobe32(word);
		}
		if (how == MUTATED && one_in(seed, 2))
			wqe_mutate(&wqe, seed);
		if (!n)
			wqe.ctrl.fm_ce_se |= MLX5_WQE_CTRL_CQ_UPDATE;
		if (!put(qp, &wqe, &used))
			break;
		count(&tally->kinds[how]);
	}
}

static enum kind any_kind(uint64_t *seed)
{
	uint32_t n = below(seed, 16);

	return n < 12 ? GOOD : n < 15 ? MUTATED : RANDOM;
}

static void post(struct qp *qp, double time, uint64_t *seed)
{
	enum kind kind = any_kind(seed);

	qp->good = kind == GOOD;
	if (kind == GOOD)
		post_good(qp, seed);
	else
		post_bad(qp, kind, seed);
	qp->since = time;
	qp->busy = true;
	ring(qp);
	if (one_in(seed, 16))
		flip(qp, seed);
}

/* Give a QP its next burst, if the last one is over. */
void queue_serve(struct qp *qp, double time, uint64_t *seed)
{
	if (qp->type == TARGET || !qp->qp)
		return;
	if (qp->failed || (qp->busy && time - qp->since > TIMEOUT) ||
	    one_in(seed, 8192)) {
		if (!qp_connect(qp, seed))
			return;
	}
	if (!qp->busy)
		post(qp, time, seed);
}

static struct qp *find(uint32_t qpn)
{
	unsigned int i;

	for (i = 0; i < QPS; i++)
		if (qpn != NOBODY && process.qp[i].qpn == qpn)
			return &process.qp[i];
	return NULL;
}

static void sent(struct qp *qp, uint16_t index)
{
	unsigned int i;

	if (!qp->busy || index != qp->last)
		return;
	for (i = 0; i < 256 && qp->good; i++)
		atomic_fetch_add(&tally->done[qp->type][i], qp->opcodes[i]);
	qp->busy = false;
}

/* Another receive for the one that was used. */
static void received(struct ctx *ctx, const struct cq *cq, struct qp *qp,
		     uint16_t index, uint64_t *seed)
{
	bool good = !one_in(seed, 256);
	const struct srq *srq;
	uint8_t *at;

	if (cq != &ctx->cq[2]) {
		if (!qp->dv.rq.wqe_cnt)
			return;
		at = (uint8_t *)qp->dv.rq.buf +
		     index % qp->dv.rq.wqe_cnt * qp->dv.rq.stride;
		recv_fill(at, qp->dv.rq.stride, &process.ctx[qp->context], good,
			  seed);
		record_add(qp->dv.dbrec, MLX5_RCV_DBR);
		return;
	}
	srq = &ctx->srq[qp->type == TARGET];
	at = (uint8_t *)srq->dv.buf + index % RQ_DEPTH * srq->dv.stride;
	recv_fill(at + 16, srq->dv.stride - 16, ctx, good, seed);
	record_add(srq->dv.dbrec, 0);
}

static void complete(struct ctx *ctx, const struct cq *cq,
		     const struct mlx5_cqe64 *cqe, uint64_t *seed)
{
	const struct mlx5_err_cqe *error = (const void *)cqe;
	struct qp *qp = find(be32toh(cqe->sop_drop_qpn) & 0xffffff);
	uint16_t index = be16toh(cqe->wqe_counter);

	count(&tally->completions);
	if (!qp)
		return;
	switch (cqe->op_own >> 4) {
	case MLX5_CQE_REQ:
		sent(qp, index);
		break;
	case MLX5_CQE_REQ_ERR:
		qp->failed = true;
		count(&tally->errors[error->syndrome]);
		break;
	case MLX5_CQE_RESP_ERR:
		process.qp[qp->peer].failed = true;
		count(&tally->errors[error->syndrome]);
		/* fall through */
	default:
		received(ctx, cq, qp, index, seed);
		break;
	}
}

/* Ask for an event; the number of those that there were is a guess. */
void cq_arm(const struct cq *cq, uint64_t *seed)
{
	uint32_t word = below(seed, 4) << 28 | below(seed, 2) << 24 |
			(cq->consumed & 0xffffff);
	uint64_t doorbell = (uint64_t)word << 32 | cq->dv.cqn;

	record_set(cq->dv.dbrec, 1, word);
	*(volatile uint64_t *)(void *)((uint8_t *)cq->dv.cq_uar +
				       MLX5_CQ_DOORBELL) = htobe64(doorbell);
}

/* Take what is there; true if there was anything. */
bool cq_drain(struct ctx *ctx, struct cq *cq, uint64_t *seed)
{
	uint32_t entries = cq->dv.cqe_cnt, size = cq->dv.cqe_size, n;
	struct mlx5_cqe64 cqe;
	uint8_t *at;

	for (n = 0; n < entries; n++) {
		at = (uint8_t *)cq->dv.buf + (cq->consumed % entries) * size;
		/* A long entry has it in the second half. */
		memcpy(&cqe, at + size - sizeof(cqe), sizeof(cqe));
		if ((cqe.op_own & 1) != !!(cq->consumed & entries) ||
		    cqe.op_own >> 4 == MLX5_CQE_INVALID)
			break;
		cq->consumed++;
		complete(ctx, cq, &cqe, seed);
	}
	if (n)
		record_set(cq->dv.dbrec, 0, cq->consumed & 0xffffff);
	return n;
}
