// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The responder: executes requests of a peer at a QP.
 */
#include "group.h"
#include "key.h"
#include "mem.h"
#include "qp.h"
#include "table.h"

/* A request at its responder. */
struct exec {
	struct eng_worker *worker;
	struct eng_qp *from;
	struct eng_qp *qp;
	const struct eng_op *op;
	struct eng_srq *srq;	/* for the receive, or NULL */
	u32 pdn;		/* of remote memory */
	u64 done;
	u64 step;		/* bytes to copy now */
	bool last;		/* they are the last ones */
};

/* Both ends name each other: QP numbers, addresses, type. */
static bool eng_is_peer(const struct eng_qp *qp, const struct eng_qp *from)
{
	return !qp->dead && qp->init.type == from->peer_type &&
	       qp->attr.dest_qpn == from->init.qpn &&
	       qp->attr.dgid[0] == from->attr.sgid[0] &&
	       qp->attr.dgid[1] == from->attr.sgid[1] &&
	       qp->attr.sgid[0] == from->attr.dgid[0] &&
	       qp->attr.sgid[1] == from->attr.dgid[1];
}

static inline void eng_iter_init_op(struct eng_iter *it, const struct exec *x)
{
	if (x->op->inline_data)
		eng_iter_init_private(it, x->op->inline_data, x->done);
	else
		eng_iter_init(it, x->worker->sge, x->op->nr_sge, x->done);
}

/* A request that the QP must not execute. An unreliable one is lost. */
static enum eng_verdict eng_refuse(struct exec *x, enum eng_event event)
{
	if (eng_qp_is_reliable(x->qp))
		eng_qp_event_locked(x->qp, event);
	return event == ENG_EVENT_QP_ACCESS ? ENG_NAK_ACCESS : ENG_NAK_INVAL;
}

/* The peer's memory, with its rights checked; in @sge. */
static inline enum eng_verdict eng_check_remote(struct exec *x,
						struct eng_sge *sge)
{
	static const u8 needs[] = {
		[ENG_OP_WRITE] = ENG_REMOTE_WRITE,
		[ENG_OP_WRITE_IMM] = ENG_REMOTE_WRITE,
		[ENG_OP_READ] = ENG_REMOTE_READ,
		[ENG_OP_CMP_SWAP] = ENG_REMOTE_ATOMIC,
		[ENG_OP_FETCH_ADD] = ENG_REMOTE_ATOMIC,
	};
	const struct eng_op *op = x->op;
	u32 access = needs[op->code];

	if (access & ~x->qp->attr.access)
		return eng_refuse(x, ENG_EVENT_QP_REQUEST);
	sge->addr = op->raddr;
	sge->lkey = op->rkey;
	sge->length = op->length;
	if (sge->length && !eng_remote_check(x->qp, x->pdn, sge, access))
		return eng_refuse(x, ENG_EVENT_QP_ACCESS);
	return ENG_DONE;
}

/* The word is aligned, so it is in one page. Memory has host order. */
static enum eng_verdict eng_exec_atomic(struct exec *x, struct eng_sge *sge)
{
	const struct eng_op *op = x->op;
	struct eng_iter from, to;
	u64 *word, old;
	bool done;

	word = eng_mem_at(&sge->key->mem, sge->offset);
	if ((unsigned long)word & 7 || op->raddr & 7)
		return eng_refuse(x, ENG_EVENT_QP_REQUEST);
	/* In one step, as others may change the word all the time. */
	if (op->code == ENG_OP_FETCH_ADD)
		done = eng_fetch_add64(word, op->swap_add, &old);
	else
		done = eng_cmpxchg64(word, op->compare, op->swap_add, &old);
	if (!done)
		return ENG_NAK_OP;
	eng_iter_init_private(&from, &old, 0);
	eng_iter_init_op(&to, x);
	return eng_iter_copy(&to, &from, sizeof(old), true) ? ENG_DONE :
							      ENG_NAK_OP;
}

static inline void eng_push_recv(struct exec *x, struct eng_mlx5_cqe *cqe,
				 bool solicited)
{
	struct eng_cq *cq = x->qp->init.recv_cq;

	if (!cq) {
		cq = x->srq->attr.cq;
		eng_mlx5_cqe_xrc(cqe, x->srq);
	}
	eng_recv_take(x->qp, x->srq);
	eng_qp_push_locked(x->worker, x->qp, cq, cqe, solicited);
}

/* The receive ends with an error of its own, and so does the QP. */
static void eng_fail_recv(struct exec *x, const struct eng_recv *recv,
			  int syndrome)
{
	struct eng_mlx5_cqe cqe;

	eng_mlx5_cqe_recv_error(&cqe, x->qp, recv->index, syndrome);
	eng_push_recv(x, &cqe, true);
	eng_qp_error_locked(x->qp);
}

/*
 * An unreliable QP goes on: the sender may be anybody, and must not be able to stop it.
 * The request stays for another message, but one of an SRQ was taken from there.
 */
static enum eng_verdict eng_too_long(struct exec *x,
				     const struct eng_recv *recv)
{
	struct eng_mlx5_cqe cqe;

	if (eng_qp_is_reliable(x->qp)) {
		eng_fail_recv(x, recv, ENG_SYND_LOCAL_LENGTH);
	} else if (x->srq) {
		eng_mlx5_cqe_recv_error(&cqe, x->qp, recv->index,
					ENG_SYND_LOCAL_LENGTH);
		eng_push_recv(x, &cqe, true);
	}
	return ENG_NAK_INVAL;
}

static __always_inline enum eng_verdict eng_get_recv(struct exec *x,
						     struct eng_recv *recv)
{
	switch (eng_recv_peek(x->worker, x->qp, x->srq, recv)) {
	case ENG_GET_OK:
		return ENG_DONE;
	case ENG_GET_EMPTY:
		return ENG_RNR;
	default:
		eng_qp_event_locked(x->qp, ENG_EVENT_QP_FATAL);
		return ENG_NAK_OP;
	}
}

static inline void eng_complete_recv(struct exec *x, const struct eng_recv *recv)
{
	struct eng_mlx5_cqe cqe;

	eng_mlx5_cqe_recv(&cqe, x->qp, x->op, recv->index,
			  x->from->init.qpn);
	eng_push_recv(x, &cqe, x->op->solicited);
}

/* The number of segments that the first @bytes of a receive are in. */
static u32 eng_count_sge(const struct eng_sge *sge, u32 nr, u64 bytes)
{
	u32 i;

	for (i = 0; i < nr && bytes; i++)
		bytes -= sge[i].length < bytes ? sge[i].length : bytes;
	return i;
}

/* Check segments that do not fit again: the last of them to the end of @bytes only. */
static noinline bool eng_check_cut(struct exec *x, const struct eng_recv *recv,
				   u64 bytes)
{
	struct eng_sge *sge = x->worker->rsge;

	if (bytes >= recv->length)
		return false;
	for (; bytes > sge->length; sge++)
		bytes -= sge->length;
	sge->length = bytes;
	return eng_sge_check(x->qp->eng, x->worker->rsge, recv->nr_sge,
			     recv->pdn, ENG_LOCAL_WRITE);
}

/*
 * Check the segments of a receive; @skip bytes of them are a header. What the message
 * does not reach may be anything.
 */
static __always_inline enum eng_verdict
eng_check_recv(struct exec *x, struct eng_recv *recv, u64 skip)
{
	u64 filled = x->done + x->step + skip;

	if (x->op->length + skip > recv->length)
		return eng_too_long(x, recv);
	if (filled < recv->length)
		recv->nr_sge = eng_count_sge(x->worker->rsge, recv->nr_sge,
					     filled);
	if (!eng_sge_check(x->qp->eng, x->worker->rsge, recv->nr_sge,
			   recv->pdn, ENG_LOCAL_WRITE) &&
	    !eng_check_cut(x, recv, filled)) {
		eng_fail_recv(x, recv, ENG_SYND_LOCAL_PROT);
		return ENG_NAK_OP;
	}
	return ENG_DONE;
}

/* Check and copy to them. */
static __always_inline enum eng_verdict
eng_fill_recv(struct exec *x, struct eng_recv *recv, u64 skip)
{
	enum eng_verdict verdict;
	struct eng_iter from, to;

	verdict = eng_check_recv(x, recv, skip);
	if (verdict != ENG_DONE)
		return verdict;
	eng_iter_init(&to, x->worker->rsge, recv->nr_sge, x->done + skip);
	eng_iter_init_op(&from, x);
	if (!eng_iter_copy(&to, &from, x->step, x->last)) {
		eng_fail_recv(x, recv, ENG_SYND_LOCAL_QP_OP);
		return ENG_NAK_OP;
	}
	return ENG_DONE;
}

/* The window is gone before the receiver knows of the message. */
static enum eng_verdict eng_exec_invalidate(struct exec *x)
{
	struct eng_qp *from = x->from;

	if (!from->retiring) {
		if (!eng_window_invalidate(x->qp, x->pdn,
					   be32_to_cpu(x->op->imm)))
			return eng_refuse(x, ENG_EVENT_QP_ACCESS);
		from->retiring = eng_retire(from->eng);
	}
	return eng_retired(from->eng, from->retiring) ? ENG_DONE : ENG_PENDING;
}

/* The end of a message. If the receiver does not get it, it invalidates nothing. */
static noinline enum eng_verdict eng_exec_send_inval(struct exec *x)
{
	enum eng_verdict verdict;
	struct eng_recv recv;

	verdict = eng_get_recv(x, &recv);
	if (verdict == ENG_DONE)
		verdict = eng_check_recv(x, &recv, 0);
	if (verdict == ENG_DONE)
		verdict = eng_exec_invalidate(x);
	if (verdict == ENG_DONE)
		verdict = eng_fill_recv(x, &recv, 0);
	if (verdict == ENG_DONE)
		eng_complete_recv(x, &recv);
	return verdict;
}

static enum eng_verdict eng_exec_send(struct exec *x)
{
	enum eng_verdict verdict;
	struct eng_recv recv;

	if (x->last && x->op->code == ENG_OP_SEND_INVAL)
		return eng_exec_send_inval(x);
	verdict = eng_get_recv(x, &recv);
	if (verdict != ENG_DONE)
		return verdict;
	verdict = eng_fill_recv(x, &recv, 0);
	if (verdict == ENG_DONE && x->last)
		eng_complete_recv(x, &recv);
	return verdict;
}

static inline enum eng_verdict eng_exec_rdma(struct exec *x, struct eng_sge *sge)
{
	bool read = x->op->code == ENG_OP_READ;
	bool last_imm = x->last && x->op->code == ENG_OP_WRITE_IMM;
	struct eng_iter local, remote;
	enum eng_verdict verdict;
	struct eng_recv recv;

	/* The receive is needed for the last byte only. */
	if (last_imm) {
		verdict = eng_get_recv(x, &recv);
		if (verdict != ENG_DONE)
			return verdict;
	}
	eng_iter_init(&remote, sge, 1, x->done);
	eng_iter_init_op(&local, x);
	if (!eng_iter_copy(read ? &local : &remote, read ? &remote : &local,
			   x->step, x->last))
		return ENG_NAK_OP;
	if (last_imm)
		eng_complete_recv(x, &recv);
	return ENG_DONE;
}

static inline enum eng_verdict eng_exec_op(struct exec *x)
{
	enum eng_verdict verdict;
	struct eng_sge sge;

	if (x->qp->init.type == ENG_XRC_TGT) {
		x->srq = eng_recv_xrc(x->qp, x->op->srqn);
		/* Nor may a new message go to the SRQ of one that has not ended. */
		if (!x->srq || (!x->done && x->qp->srqn != x->op->srqn))
			return eng_refuse(x, ENG_EVENT_QP_REQUEST);
		x->pdn = x->srq->attr.pdn;
	}
	if (x->op->code < ENG_OP_WRITE)
		return eng_exec_send(x);
	verdict = eng_check_remote(x, &sge);
	if (verdict != ENG_DONE)
		return verdict;
	return x->op->code > ENG_OP_READ ? eng_exec_atomic(x, &sge) :
					   eng_exec_rdma(x, &sge);
}

static void eng_communication(struct eng_qp *qp)
{
	if (qp->state != ENG_RTR || qp->communicated)
		return;
	qp->communicated = true;
	qp->eng->ops->async(qp->eng->env, ENG_EVENT_QP_ESTABLISHED, qp);
}

/* A peer that was reset knows nothing of what it has had of a request. */
static inline void eng_exec_begin(struct eng_qp *qp, const struct eng_qp *peer)
{
	if (qp->peer_life == peer->life)
		return;
	qp->peer_life = peer->life;
	qp->done = 0;
	qp->retiring = 0;
}

enum eng_verdict eng_exec(struct eng_worker *worker, struct eng_qp *qp,
			  const struct eng_op *op, struct eng_result *result)
{
	struct eng_qp *peer = eng_table_find(&qp->eng->qps, qp->attr.dest_qpn);
	enum eng_verdict verdict = ENG_SILENT;
	struct exec x;
	u64 left;

	result->copied = 0;
	if (!peer)
		return ENG_SILENT;
	x.worker = worker;
	x.from = qp;
	x.qp = peer;
	x.op = op;
	x.srq = peer->init.srq;
	x.pdn = peer->init.pdn;

	eng_lock(&peer->recv);
	if (!eng_is_peer(peer, qp) || !eng_state_receives(peer->state))
		goto unlock;
	/* Unreliable ones may have lost messages. */
	if (peer->init.type == ENG_UC)
		peer->attr.rq_psn = qp->attr.sq_psn;
	else if (peer->attr.rq_psn != qp->attr.sq_psn)
		goto unlock;
	eng_exec_begin(qp, peer);
	left = op->length - qp->done;
	x.done = qp->done;
	x.step = left < ENG_STEP ? left : ENG_STEP;
	x.last = left <= ENG_STEP;
	verdict = eng_exec_op(&x);
	if (verdict != ENG_DONE) {
		result->min_rnr = peer->attr.min_rnr;
		goto unlock;
	}
	result->copied = x.step;
	eng_communication(peer);
	if (x.last)
		peer->attr.rq_psn = (peer->attr.rq_psn +
				     eng_op_psns(peer, op->length)) &
				    ENG_PSN_MASK;
	else
		verdict = ENG_PARTIAL;
unlock:
	eng_unlock(&peer->recv);
	return verdict;
}

/* A datagram that does not fit is lost. */
static enum eng_verdict eng_deliver_ud(struct exec *x, u8 *grh)
{
	struct eng_iter header, to;
	enum eng_verdict verdict;
	struct eng_recv recv;

	verdict = eng_get_recv(x, &recv);
	if (verdict != ENG_DONE)
		return verdict;
	verdict = eng_fill_recv(x, &recv, ENG_GRH_SIZE);
	if (verdict != ENG_DONE)
		return verdict;
	eng_iter_init(&to, x->worker->rsge, recv.nr_sge, 0);
	eng_iter_init_private(&header, grh, 0);
	eng_iter_copy(&to, &header, ENG_GRH_SIZE, false);
	eng_complete_recv(x, &recv);
	return ENG_DONE;
}

/* A datagram on its way. */
struct eng_datagram {
	struct exec *exec;
	struct eng_path path;
	u32 qkey;
};

static void eng_deliver_to(struct eng_qp *peer, struct eng_datagram *datagram)
{
	struct exec *x = datagram->exec;

	x->qp = peer;
	x->srq = peer->init.srq;
	eng_lock(&peer->recv);
	if (!peer->dead && peer->init.type == ENG_UD &&
	    eng_state_receives(peer->state) &&
	    peer->attr.qkey == datagram->qkey)
		eng_deliver_ud(x, datagram->path.grh);
	eng_unlock(&peer->recv);
}

u32 eng_exec_ud(struct eng_worker *worker, struct eng_qp *qp,
		const struct eng_op *op)
{
	struct exec x = {
		.worker = worker,
		.from = qp,
		.op = op,
		.step = op->length,
		.last = true,
	};
	struct eng_datagram datagram = { .exec = &x };
	struct eng *eng = qp->eng;
	struct eng_qp *peer;
	bool group;
	u32 i, n;

	/* The highest bit stands for the key of the QP. */
	datagram.qkey = op->qkey >> 31 ? qp->attr.qkey : op->qkey;
	if (!eng->ops->ud_path(eng->env, qp, &op->av, op->length,
			       &datagram.path))
		return 0;
	/* A group has no owner whose QPs its address could lead to. */
	group = op->dqpn == ENG_MULTICAST_QPN;
	if (datagram.path.group != group)
		return 0;
	if (group) {
		n = eng_group_members(qp, op->av.dgid, worker->members);
		for (i = 0; i < n; i++)
			eng_deliver_to(worker->members[i], &datagram);
		return n;
	}
	peer = eng_table_find(&eng->qps, op->dqpn);
	if (!peer || peer->init.owner != datagram.path.owner)
		return 0;
	eng_deliver_to(peer, &datagram);
	return 1;
}
