// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requester: executes a send queue in order.
 */
#include "key.h"
#include "qp.h"
#include "table.h"

/* Without a timeout a lost peer is tried again, but never given up. */
#define FOREVER_PERIOD	100000000ULL

/* Between looks at whether others have stopped using a key. */
#define RETIRE_PERIOD	1000ULL

/* Microseconds / 10 that the codes of an RNR timer mean. */
static const u32 rnr_times[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384,
	512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
	32768, 49152,
};

static void eng_count(struct eng_worker *worker, enum eng_stat stat, u64 n)
{
	WRITE_ONCE(worker->stats[stat], worker->stats[stat] + n);
}

static inline bool eng_sq_read(struct eng_qp *qp, u32 block, void *to)
{
	u32 slot = (qp->sq_head + block) & (qp->init.sq_entries - 1);

	return eng_mem_read(&qp->init.ring,
			    qp->init.sq_offset + (u64)slot * ENG_BB, to,
			    ENG_BB);
}

static bool eng_sq_read_rest(struct eng_worker *worker, struct eng_qp *qp,
			     u32 blocks)
{
	u32 i;

	for (i = 1; i < blocks; i++)
		if (!eng_sq_read(qp, i, worker->wqe + i * ENG_BB))
			return false;
	return true;
}

/*
 * Copy the next request, which begins among @left blocks, and decode it. The first
 * block says how many there are, and is not read again.
 */
static int eng_sq_fetch(struct eng_worker *worker, struct eng_qp *qp, u32 left,
			struct eng_op *op)
{
	u32 blocks;

	op->blocks = 1;
	op->wire_opcode = 0;
	op->index = qp->sq_head;
	if (!eng_sq_read(qp, 0, worker->wqe))
		return ENG_SYND_LOCAL_QP_OP;
	blocks = eng_mlx5_send_blocks(worker->wqe);
	if (!blocks || blocks > left)
		return ENG_SYND_LOCAL_QP_OP;
	if (blocks > 1 && !eng_sq_read_rest(worker, qp, blocks))
		return ENG_SYND_LOCAL_QP_OP;
	op->blocks = blocks;
	return eng_mlx5_decode_send(qp, worker->wqe, op, worker->sge);
}

static inline void eng_sq_push(struct eng_worker *worker, struct eng_qp *qp,
			       const struct eng_op *op, u64 length,
			       int syndrome)
{
	struct eng_mlx5_cqe cqe;

	eng_mlx5_cqe_send(&cqe, qp, op, length, syndrome);
	if (eng_cq_push(worker, qp->init.send_cq, &cqe, syndrome))
		return;
	eng_lock(&qp->recv);
	eng_qp_event_locked(qp, ENG_EVENT_QP_FATAL);
	eng_unlock(&qp->recv);
}

static void eng_sq_advance(struct eng_qp *qp, const struct eng_op *op)
{
	WRITE_ONCE(qp->sq_head, qp->sq_head + op->blocks);
	qp->done = 0;
	WRITE_ONCE(qp->deadline, 0);
	qp->retiring = 0;
	qp->rnr_wait = false;
	qp->retries = qp->attr.retry;
	qp->rnr_retries = qp->attr.rnr_retry;
}

static __always_inline enum eng_progress
eng_sq_complete(struct eng_worker *worker, struct eng_qp *qp,
		const struct eng_op *op)
{
	bool result = op->code >= ENG_OP_READ;

	if (op->code >= ENG_OP_SEND && qp->init.type != ENG_UD)
		qp->attr.sq_psn = (qp->attr.sq_psn +
				   eng_op_psns(qp, op->length)) & ENG_PSN_MASK;
	eng_count(worker, ENG_STAT_REQUESTS, 1);
	eng_count(worker, ENG_STAT_BYTES, op->length);
	eng_sq_advance(qp, op);
	if (op->signalled)
		eng_sq_push(worker, qp, op, result ? op->length : 0,
			    ENG_SYND_OK);
	return ENG_AGAIN;
}

/* Flush the requests after a failed one. */
static enum eng_progress eng_sq_fail(struct eng_worker *worker,
				     struct eng_qp *qp, const struct eng_op *op,
				     int syndrome)
{
	eng_count(worker, ENG_STAT_ERRORS, 1);
	eng_sq_advance(qp, op);
	eng_sq_push(worker, qp, op, 0, syndrome);
	eng_lock(&qp->recv);
	if (eng_qp_is_reliable(qp))
		eng_qp_error_locked(qp);
	else if (qp->state == ENG_RTS || qp->state == ENG_SQD)
		WRITE_ONCE(qp->state, ENG_SQE);
	eng_unlock(&qp->recv);
	return ENG_AGAIN;
}

static enum eng_progress eng_sq_wait(struct eng_worker *worker,
				     struct eng_qp *qp, u64 time)
{
	qp->rnr_wait = false;
	WRITE_ONCE(qp->deadline, worker->now + time);
	return ENG_WAIT;
}

/*
 * A request is fetched again for each step, and while others may still use what
 * it has taken away. It must be the same one.
 */
static void eng_sq_begin(struct eng_qp *qp, const struct eng_op *op)
{
	qp->begun_code = op->code;
	qp->begun_length = op->length;
	qp->begun_imm = op->imm;
}

static bool eng_sq_is_begun(const struct eng_qp *qp, const struct eng_op *op)
{
	return op->code == qp->begun_code && op->length == qp->begun_length &&
	       op->imm == qp->begun_imm;
}

static enum eng_progress eng_sq_rnr(struct eng_worker *worker,
				    struct eng_qp *qp, const struct eng_op *op,
				    u8 code)
{
	/* Ahead of time there was a receive, but somebody else was faster. */
	if (qp->rnr_wait && qp->deadline > worker->now)
		return ENG_WAIT_RNR;
	if (!qp->rnr_retries)
		return eng_sq_fail(worker, qp, op, ENG_SYND_RNR_EXC);
	if (qp->attr.rnr_retry != 7)
		qp->rnr_retries--;
	eng_count(worker, ENG_STAT_RNR_WAITS, 1);
	eng_sq_wait(worker, qp, rnr_times[code & 31] * 10000ULL);
	qp->rnr_wait = true;
	return ENG_WAIT_RNR;
}

static enum eng_progress eng_sq_silent(struct eng_worker *worker,
				       struct eng_qp *qp,
				       const struct eng_op *op)
{
	/* A peer that comes back may have other windows. */
	qp->retiring = 0;
	if (!qp->attr.timeout)
		return eng_sq_wait(worker, qp, FOREVER_PERIOD);
	if (qp->retries == ENG_NO_RETRY)
		return eng_sq_fail(worker, qp, op, ENG_SYND_RETRY_EXC);
	/* The last try has its time, too. */
	if (qp->retries)
		eng_count(worker, ENG_STAT_RETRIES, 1);
	qp->retries = qp->retries ? qp->retries - 1 : ENG_NO_RETRY;
	return eng_sq_wait(worker, qp, 4096ULL << qp->attr.timeout);
}

/* Nobody answers to unreliable requests, so nothing is wrong with them. */
static enum eng_progress eng_sq_verdict(struct eng_worker *worker,
					struct eng_qp *qp,
					const struct eng_op *op,
					enum eng_verdict verdict,
					const struct eng_result *result)
{
	if (verdict == ENG_DONE || (verdict != ENG_PARTIAL &&
				    !eng_qp_is_reliable(qp)))
		return eng_sq_complete(worker, qp, op);
	switch (verdict) {
	case ENG_PARTIAL:
		qp->done += result->copied;
		eng_sq_begin(qp, op);
		WRITE_ONCE(qp->deadline, 0);
		return ENG_AGAIN;
	case ENG_RNR:
		return eng_sq_rnr(worker, qp, op, result->min_rnr);
	case ENG_PENDING:
		eng_sq_begin(qp, op);
		return eng_sq_wait(worker, qp, RETIRE_PERIOD);
	case ENG_SILENT:
		return eng_sq_silent(worker, qp, op);
	case ENG_NAK_INVAL:
		return eng_sq_fail(worker, qp, op, ENG_SYND_REMOTE_INVAL);
	case ENG_NAK_ACCESS:
		return eng_sq_fail(worker, qp, op, ENG_SYND_REMOTE_ACCESS);
	default:
		return eng_sq_fail(worker, qp, op, ENG_SYND_REMOTE_OP);
	}
}

/*
 * A request that is not for the peer. A window changes at once; that nobody uses what
 * it was is completed later.
 */
static noinline enum eng_progress eng_sq_local(struct eng_worker *worker,
					       struct eng_qp *qp,
					       const struct eng_op *op)
{
	if (op->code == ENG_OP_NOP)
		return eng_sq_complete(worker, qp, op);
	if (!qp->retiring) {
		if (!eng_window_change(qp, &op->umr))
			return eng_sq_fail(worker, qp, op, ENG_SYND_BIND);
		qp->retiring = eng_retire(qp->eng);
	}
	if (!eng_retired(qp->eng, qp->retiring)) {
		eng_sq_begin(qp, op);
		return eng_sq_wait(worker, qp, RETIRE_PERIOD);
	}
	return eng_sq_complete(worker, qp, op);
}

/* Execute a request, or the next step of a long one. */
static enum eng_progress eng_sq_execute(struct eng_worker *worker,
					struct eng_qp *qp,
					const struct eng_op *op,
					struct eng_budget *budget)
{
	struct eng_result result;
	enum eng_verdict verdict;
	u32 copies;

	if ((qp->done || qp->retiring) && !eng_sq_is_begun(qp, op))
		return eng_sq_fail(worker, qp, op, ENG_SYND_LOCAL_QP_OP);
	if (op->code < ENG_OP_SEND)
		return eng_sq_local(worker, qp, op);
	if (!eng_sge_check(qp->eng, worker->sge, op->nr_sge, qp->init.pdn,
			   op->code >= ENG_OP_READ ? ENG_LOCAL_WRITE : 0))
		return eng_sq_fail(worker, qp, op, ENG_SYND_LOCAL_PROT);
	if (qp->init.type == ENG_UD) {
		if (op->length > qp->attr.mtu)
			return eng_sq_fail(worker, qp, op,
					   ENG_SYND_LOCAL_LENGTH);
		copies = eng_exec_ud(worker, qp, op);
		result.copied = copies * op->length;
		/* The first one is that of the request. */
		budget->wqes -= copies ? copies - 1 : 0;
		verdict = ENG_DONE;
	} else {
		verdict = eng_exec(worker, qp, op, &result);
	}
	budget->bytes -= result.copied;
	return eng_sq_verdict(worker, qp, op, verdict, &result);
}

static enum eng_progress eng_sq_flush(struct eng_worker *worker,
				      struct eng_qp *qp,
				      const struct eng_op *op)
{
	eng_sq_advance(qp, op);
	eng_sq_push(worker, qp, op, 0, ENG_SYND_FLUSH);
	return ENG_AGAIN;
}

static void eng_sq_drained(struct eng_qp *qp)
{
	struct eng *eng = qp->eng;

	if (!qp->attr.draining)
		return;
	qp->attr.draining = false;
	if (qp->attr.drain_event)
		eng->ops->async(eng->env, ENG_EVENT_QP_DRAINED, qp);
}

static enum eng_progress eng_sq_broken(struct eng_qp *qp)
{
	eng_lock(&qp->recv);
	if (qp->state != ENG_ERR)
		eng_qp_event_locked(qp, ENG_EVENT_QP_FATAL);
	eng_unlock(&qp->recv);
	return ENG_IDLE;
}

static enum eng_progress eng_sq_next(struct eng_worker *worker,
				     struct eng_qp *qp,
				     struct eng_budget *budget)
{
	enum eng_qp_state state = READ_ONCE(qp->state);
	struct eng_op op;
	int syndrome;
	u16 left;

	if (state < ENG_RTS)
		return ENG_IDLE;
	if (state == ENG_SQD && !qp->done && !qp->retiring) {
		eng_sq_drained(qp);
		return ENG_IDLE;
	}
	if (!qp->init.sq_entries)
		return ENG_IDLE;
	left = eng_sq_posted(qp);
	if (!left)
		return ENG_IDLE;
	if (left > qp->init.sq_entries)
		return eng_sq_broken(qp);
	syndrome = eng_sq_fetch(worker, qp, left, &op);
	if (state == ENG_ERR || state == ENG_SQE)
		return eng_sq_flush(worker, qp, &op);
	if (syndrome)
		return eng_sq_fail(worker, qp, &op, syndrome);
	return eng_sq_execute(worker, qp, &op, budget);
}

/* A wait ends early if what it was for has come. */
static bool eng_sq_waits(struct eng_worker *worker, struct eng_qp *qp)
{
	struct eng_qp *peer;
	bool empty = true;

	if (!qp->deadline || qp->deadline <= worker->now ||
	    READ_ONCE(qp->state) == ENG_ERR)
		return false;
	if (!qp->rnr_wait)
		return true;
	peer = eng_table_find(&qp->eng->qps, qp->attr.dest_qpn);
	if (!peer)
		return true;
	eng_lock(&peer->recv);
	if (!peer->dead)
		empty = eng_recv_empty(peer);
	eng_unlock(&peer->recv);
	return empty;
}

enum eng_progress eng_requester(struct eng_worker *worker, struct eng_qp *qp,
				struct eng_budget *budget)
{
	enum eng_progress progress = ENG_IDLE;

	eng_lock(&qp->send);
	if (qp->dead)
		goto unlock;
	if (eng_sq_waits(worker, qp)) {
		progress = qp->rnr_wait ? ENG_WAIT_RNR : ENG_WAIT;
		goto unlock;
	}
	progress = ENG_AGAIN;
	while (progress == ENG_AGAIN && budget->wqes > 0 && budget->bytes > 0) {
		budget->wqes--;
		progress = eng_sq_next(worker, qp, budget);
	}
unlock:
	eng_unlock(&qp->send);
	return progress;
}

bool eng_requester_waits(struct eng_worker *worker, struct eng_qp *qp)
{
	bool waits;

	eng_lock(&qp->send);
	waits = qp->dead || eng_sq_waits(worker, qp);
	eng_unlock(&qp->send);
	return waits;
}
