// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues: a list of requests, linked by its owner.
 */
#include "mem.h"
#include "mlx5_recv.h"
#include "qp.h"
#include "srq.h"
#include "table.h"

int eng_srq_add(struct eng *eng, struct eng_srq *srq,
		const struct eng_srq_attr *attr)
{
	memset(srq, 0, sizeof(*srq));
	eng_lock_init(&srq->lock);
	srq->eng = eng;
	srq->attr = *attr;
	return attr->cq ? eng_table_add(eng, &eng->srqs, attr->srqn, srq) : 0;
}

/* QPs that were created with it are gone. */
void eng_srq_del(struct eng_srq *srq)
{
	if (srq->attr.cq)
		eng_table_del(srq->eng, &srq->eng->srqs, srq->attr.srqn);
	eng_lock(&srq->lock);
	srq->broken = true;
	eng_unlock(&srq->lock);
}

static u16 eng_srq_posted(struct eng_srq *srq)
{
	return eng_posted(&srq->attr.record[ENG_REC_RECV], srq->popped);
}

static void eng_srq_break(struct eng_srq *srq)
{
	if (!srq->broken)
		srq->eng->ops->async(srq->eng->env, ENG_EVENT_SRQ_ERROR, srq);
	srq->broken = true;
}

static void eng_srq_check_limit(struct eng_srq *srq, u16 left)
{
	if (left >= srq->limit)
		return;
	srq->limit = 0;
	srq->eng->ops->async(srq->eng->env, ENG_EVENT_SRQ_LIMIT, srq);
}

static inline bool eng_srq_copy(struct eng_srq *srq, u16 index, void *buf)
{
	u8 shift = srq->attr.entry_shift;

	return eng_mem_read(&srq->attr.ring, (u64)index << shift, buf,
			    1U << shift);
}

/* Copy a request that was taken once more. */
static enum eng_get eng_srq_read(struct eng_srq *srq, u16 index, void *buf)
{
	/* An SRQ of an XRC domain may have gone, and be another one now. */
	if (index >= srq->attr.entries || !eng_srq_copy(srq, index, buf))
		return ENG_GET_BROKEN;
	return ENG_GET_OK;
}

/* Take the next request: set @index to it and copy it to @buf. */
static inline enum eng_get eng_srq_pop(struct eng_srq *srq, u16 *index, void *buf)
{
	const struct eng_mlx5_srq_next *header = buf;
	enum eng_get ret = ENG_GET_BROKEN;
	u16 left, next;

	eng_lock(&srq->lock);
	if (srq->broken)
		goto unlock;
	left = eng_srq_posted(srq);
	if (!left) {
		ret = ENG_GET_EMPTY;
		goto unlock;
	}
	*index = srq->head;
	if (left > srq->attr.entries || !eng_srq_copy(srq, srq->head, buf))
		goto broken;
	/* A link anywhere into the ring harms only those who share the queue. */
	next = be16_to_cpu(header->next_wqe_index);
	if (next >= srq->attr.entries)
		goto broken;
	srq->head = next;
	srq->popped++;
	eng_srq_check_limit(srq, left - 1);
	ret = ENG_GET_OK;
	goto unlock;

broken:
	eng_srq_break(srq);
unlock:
	eng_unlock(&srq->lock);
	return ret;
}

/* A request that was begun stays with the QP until a message has filled it. */
enum eng_get eng_recv_peek_srq(struct eng_worker *worker, struct eng_qp *qp,
			       struct eng_srq *srq, struct eng_recv *recv)
{
	const struct eng_mlx5_srq_next *header = (void *)worker->rwqe;
	u32 bytes = (1U << srq->attr.entry_shift) - sizeof(*header);
	enum eng_get ret;

	if (qp->srq_busy)
		ret = eng_srq_read(srq, qp->srq_index, worker->rwqe);
	else
		ret = eng_srq_pop(srq, &qp->srq_index, worker->rwqe);
	if (ret != ENG_GET_OK)
		return ret;
	qp->srq_busy = true;
	recv->index = qp->srq_index;
	recv->pdn = srq->attr.pdn;
	eng_mlx5_decode_recv(header + 1, bytes / ENG_DS, recv, worker->rsge);
	return ENG_GET_OK;
}

bool eng_srq_empty(struct eng_srq *srq)
{
	bool empty;

	eng_lock(&srq->lock);
	empty = !srq->broken && !eng_srq_posted(srq);
	eng_unlock(&srq->lock);
	return empty;
}

void eng_srq_arm(struct eng_srq *srq, u16 limit)
{
	eng_lock(&srq->lock);
	srq->limit = limit;
	/* A queue that is below it already has the event at once. */
	if (limit && !srq->broken)
		eng_srq_check_limit(srq, eng_srq_posted(srq));
	eng_unlock(&srq->lock);
}

u16 eng_srq_limit(struct eng_srq *srq)
{
	return READ_ONCE(srq->limit);
}
