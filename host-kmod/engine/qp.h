/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the requester, the responder and the life of a QP.
 */
#ifndef ENG_QP_H
#define ENG_QP_H

#include "cq.h"
#include "mem.h"
#include "srq.h"

/* --- recv.c; for shared queues srq.c --- */

/* For eng_recv_peek(), of a queue of its own and of a shared one. */
enum eng_get eng_recv_peek_rq(struct eng_worker *worker, struct eng_qp *qp,
			      struct eng_recv *recv);
enum eng_get eng_recv_peek_srq(struct eng_worker *worker, struct eng_qp *qp,
			       struct eng_srq *srq, struct eng_recv *recv);

/*
 * Find the receive request for a message, without taking it, in @srq or if that is
 * NULL in @qp's own queue. ENG_GET_EMPTY if there is none. Caller holds qp->recv.
 */
static inline enum eng_get eng_recv_peek(struct eng_worker *worker,
					 struct eng_qp *qp, struct eng_srq *srq,
					 struct eng_recv *recv)
{
	return srq ? eng_recv_peek_srq(worker, qp, srq, recv) :
		     eng_recv_peek_rq(worker, qp, recv);
}

/* The request of the last eng_recv_peek() is done with. */
static inline void eng_recv_take(struct eng_qp *qp, struct eng_srq *srq)
{
	if (srq)
		qp->srq_busy = false;
	else
		qp->rq_head++;
}

/*
 * The SRQ for a message that names @srqn, or that of the request in use; or NULL. It
 * stays until the caller's epoch ends. Caller holds @qp->recv, of an XRC_TGT.
 */
struct eng_srq *eng_recv_xrc(struct eng_qp *qp, u32 srqn);
bool eng_recv_empty(struct eng_qp *qp);
/* Complete @max receives of a QP in error state; true if there may be more. */
bool eng_recv_flush(struct eng_worker *worker, struct eng_qp *qp, u32 max);

/* --- state.c --- */

/* Caller holds qp->recv. */
void eng_qp_error_locked(struct eng_qp *qp);
/* Error state, and an event. Caller holds qp->recv. */
void eng_qp_event_locked(struct eng_qp *qp, enum eng_event event);
/* Push to a CQ of @qp, which gets an error if there is no room. Holds recv. */
static inline void eng_qp_push_locked(struct eng_worker *worker,
				      struct eng_qp *qp, struct eng_cq *cq,
				      struct eng_mlx5_cqe *cqe, bool solicited)
{
	if (!eng_cq_push(worker, cq, cqe, solicited))
		eng_qp_event_locked(qp, ENG_EVENT_QP_FATAL);
}

/* --- place.c: where a QP is on the lists of its worker --- */

/* Nanoseconds until the first look at a QP in error state; each period is longer. */
#define ENG_ERROR_PERIOD	1000000ULL

/* Put a new @qp on no list but that of all. May sleep. */
int eng_place_add(struct eng_qp *qp);
/* Take it off all. */
void eng_place_del(struct eng_qp *qp);
/* Make @qp the last one to be run. */
void eng_qp_place_ready(struct eng_qp *qp);
/*
 * Move @qp, which was taken to be run, to the end of a list, unless somebody has
 * placed it in the meantime. Those that wait do so until @due.
 */
void eng_qp_place(struct eng_qp *qp, enum eng_qp_place place, u64 due);
/* Let the worker look at @qp. Any lock but that of a worker may be held. */
void eng_qp_ready(struct eng_qp *qp);
/* Take the next one to run, or NULL. */
struct eng_qp *eng_place_pop(struct eng_worker *worker);
/* Make some of those ready whose time has come. */
void eng_place_due(struct eng_worker *worker);
/* Make the next ones ready that are in error state. */
void eng_place_errors(struct eng_worker *worker);
/* One that waits for a receive, each time another one; or NULL. */
struct eng_qp *eng_place_rnr(struct eng_worker *worker);
/* Make those of the next QPs ready that have requests. */
void eng_place_scan(struct eng_worker *worker);
/* True if there is a QP to run now; *@deadline is set, 0 if there is none. */
bool eng_place_next(struct eng_worker *worker, u64 *deadline);

/* --- resp.c --- */

enum eng_verdict {
	ENG_DONE,
	ENG_PARTIAL,		/* call again for the rest */
	ENG_RNR,
	ENG_PENDING,		/* others may still use what was taken away */
	ENG_SILENT,		/* no answer: there is no such peer */
	ENG_NAK_INVAL,
	ENG_NAK_ACCESS,
	ENG_NAK_OP,
};

struct eng_result {
	u64 copied;		/* bytes; if ENG_DONE or ENG_PARTIAL */
	u8 min_rnr;		/* code of the time to wait; if ENG_RNR */
};

/*
 * Execute a request, which sends or names remote memory, at the QP that it is for.
 * @qp->done bytes of it are, and up to ENG_STEP more will be.
 *
 * The segments of @op are checked for this step. Caller holds qp->send and no
 * qp->recv.
 */
enum eng_verdict eng_exec(struct eng_worker *worker, struct eng_qp *qp,
			  const struct eng_op *op, struct eng_result *result);

/* Send a datagram to whoever may be there. Returns how many QPs were tried. */
u32 eng_exec_ud(struct eng_worker *worker, struct eng_qp *qp,
		const struct eng_op *op);

/* --- req.c --- */

enum eng_progress {
	ENG_IDLE,		/* the queue is empty or stopped */
	ENG_AGAIN,		/* there may be more */
	ENG_WAIT,		/* until qp->deadline */
	ENG_WAIT_RNR,		/* the same, or until the peer has a receive */
};

/* The work that a run may still do; what was too much is negative. */
struct eng_budget {
	s64 wqes;
	s64 bytes;
};

enum eng_progress eng_requester(struct eng_worker *worker, struct eng_qp *qp,
				struct eng_budget *budget);
/* Is there nothing to do for @qp but to wait? */
bool eng_requester_waits(struct eng_worker *worker, struct eng_qp *qp);

/* The number of blocks that were not consumed; more than there are if forged. */
static inline u16 eng_sq_posted(struct eng_qp *qp)
{
	return eng_posted(&qp->init.record[ENG_REC_SEND],
			  READ_ONCE(qp->sq_head));
}

static inline bool eng_qp_is_reliable(const struct eng_qp *qp)
{
	return qp->init.type <= ENG_XRC_TGT;
}

#define ENG_PSN_MASK	0xffffffU

static inline u32 eng_op_psns(const struct eng_qp *qp, u64 length)
{
	u32 mtu = qp->attr.mtu;

	return length > mtu ? (length + mtu - 1) / mtu : 1;
}

/* RTS with everything that may send; state is read once. */
static inline bool eng_state_receives(enum eng_qp_state state)
{
	return state >= ENG_RTR && state < ENG_ERR;
}

#endif /* ENG_QP_H */
