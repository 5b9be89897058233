// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The receive requests of a QP, from its own or a shared queue.
 */
#include "key.h"
#include "mlx5_recv.h"
#include "qp.h"
#include "table.h"

/* The number of requests that were not taken; more than there is room if forged. */
static u16 eng_rq_posted(struct eng_qp *qp)
{
	return eng_posted(&qp->init.record[ENG_REC_RECV], qp->rq_head);
}

enum eng_get eng_recv_peek_rq(struct eng_worker *worker, struct eng_qp *qp,
			      struct eng_recv *recv)
{
	u16 left = qp->init.rq_entries ? eng_rq_posted(qp) : 0;
	u32 slot = qp->rq_head & (qp->init.rq_entries - 1);
	u8 shift = qp->init.rq_shift;

	if (!left)
		return ENG_GET_EMPTY;
	if (left > qp->init.rq_entries ||
	    !eng_mem_read(&qp->init.ring, (u64)slot << shift, worker->rwqe,
			  1U << shift))
		return ENG_GET_BROKEN;
	recv->index = slot;
	recv->pdn = qp->init.pdn;
	eng_mlx5_decode_recv(worker->rwqe, (1U << shift) / ENG_DS, recv,
			     worker->rsge);
	return ENG_GET_OK;
}

struct eng_srq *eng_recv_xrc(struct eng_qp *qp, u32 srqn)
{
	struct eng_srq *srq;

	if (!qp->srq_busy)
		qp->srqn = srqn;
	srq = eng_table_find(&qp->eng->srqs, qp->srqn);
	return srq && srq->attr.xrcdn == qp->init.xrcdn ? srq : NULL;
}

bool eng_recv_empty(struct eng_qp *qp)
{
	struct eng_srq *srq = qp->init.srq;

	if (qp->init.type == ENG_XRC_TGT) {
		srq = eng_recv_xrc(qp, qp->srqn);
		/* Then the message that waits for it is an error. */
		if (!srq)
			return false;
	}
	if (srq)
		return !qp->srq_busy && eng_srq_empty(srq);
	return !qp->init.rq_entries || !eng_rq_posted(qp);
}

static bool eng_rq_flush(struct eng_worker *worker, struct eng_qp *qp, u32 max)
{
	u16 left = qp->init.rq_entries ? eng_rq_posted(qp) : 0;
	struct eng_mlx5_cqe cqe;

	if (left > qp->init.rq_entries)
		return false;
	for (; left && max; left--, max--) {
		eng_mlx5_cqe_recv_error(&cqe, qp, qp->rq_head &
					(qp->init.rq_entries - 1),
					ENG_SYND_FLUSH);
		qp->rq_head++;
		if (!eng_cq_push(worker, qp->init.recv_cq, &cqe, true))
			return false;
	}
	return left;
}

/* The request that a message has begun to fill. */
static void eng_srq_flush(struct eng_worker *worker, struct eng_qp *qp)
{
	struct eng_srq *srq = qp->init.srq;
	struct eng_cq *cq = qp->init.recv_cq;
	struct eng_mlx5_cqe cqe;

	eng_mlx5_cqe_recv_error(&cqe, qp, qp->srq_index, ENG_SYND_FLUSH);
	if (qp->init.type == ENG_XRC_TGT) {
		srq = eng_recv_xrc(qp, 0);
		if (srq) {
			cq = srq->attr.cq;
			eng_mlx5_cqe_xrc(&cqe, srq);
		}
	}
	qp->srq_busy = false;
	if (srq)
		eng_cq_push(worker, cq, &cqe, true);
}

bool eng_recv_flush(struct eng_worker *worker, struct eng_qp *qp, u32 max)
{
	struct eng *eng = qp->eng;

	if (qp->srq_busy)
		eng_srq_flush(worker, qp);
	if (!qp->init.srq)
		return eng_rq_flush(worker, qp, max);
	if (!qp->last_wqe) {
		qp->last_wqe = true;
		eng->ops->async(eng->env, ENG_EVENT_QP_LAST_WQE, qp);
	}
	return false;
}
