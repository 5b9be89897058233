// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of a QP.
 */
#include "qp.h"
#include "table.h"

int eng_qp_add(struct eng_worker *worker, struct eng_qp *qp,
	       const struct eng_qp_init *init)
{
	struct eng *eng = worker->eng;
	int ret;

	/* This number has meanings of its own. */
	if (init->qpn == ENG_ANY_QPN || init->qpn == ENG_MULTICAST_QPN)
		return -EINVAL;
	if (init->rq_entries && !init->recv_cq)
		return -EINVAL;
	memset(qp, 0, sizeof(*qp));
	qp->eng = eng;
	qp->worker = worker;
	qp->init = *init;
	qp->peer_type = init->type == ENG_XRC_INI ? ENG_XRC_TGT : init->type;
	qp->attr.mtu = 1024;
	qp->life = eng_retire(eng);
	eng_lock_init(&qp->send);
	eng_lock_init(&qp->recv);
	ret = eng_place_add(qp);
	if (ret)
		return ret;
	ret = eng_table_add(eng, &eng->qps, init->qpn, qp);
	if (ret)
		eng_place_del(qp);
	return ret;
}

void eng_qp_del(struct eng_qp *qp)
{
	eng_lock(&qp->send);
	eng_lock(&qp->recv);
	qp->dead = true;
	eng_unlock(&qp->recv);
	eng_unlock(&qp->send);
	eng_table_del(qp->eng, &qp->eng->qps, qp->init.qpn);
	eng_place_del(qp);
}

/* The flush is work for the QP's worker. */
void eng_qp_error_locked(struct eng_qp *qp)
{
	if (qp->state == ENG_ERR || qp->state == ENG_RESET)
		return;
	WRITE_ONCE(qp->state, ENG_ERR);
	eng_qp_ready(qp);
}

void eng_qp_event_locked(struct eng_qp *qp, enum eng_event event)
{
	if (qp->state == ENG_ERR || qp->state == ENG_RESET)
		return;
	eng_qp_error_locked(qp);
	qp->eng->ops->async(qp->eng->env, event, qp);
}

static void eng_qp_reset(struct eng_qp *qp)
{
	qp->life = eng_retire(qp->eng);
	WRITE_ONCE(qp->sq_head, 0);
	qp->done = 0;
	WRITE_ONCE(qp->deadline, 0);
	qp->retiring = 0;
	qp->rnr_wait = false;
	qp->rq_head = 0;
	qp->srq_busy = false;
	qp->communicated = false;
	qp->last_wqe = false;
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->attr.mtu = 1024;
}

static void eng_qp_set(struct eng_qp *qp, const struct eng_qp_attr *attr,
		       u32 mask)
{
	if (mask & ENG_QP_PEER) {
		qp->attr.dest_qpn = attr->dest_qpn;
		memcpy(qp->attr.sgid, attr->sgid, sizeof(attr->sgid));
		memcpy(qp->attr.dgid, attr->dgid, sizeof(attr->dgid));
	}
	if (mask & ENG_QP_ACCESS)
		qp->attr.access = attr->access;
	if (mask & ENG_QP_QKEY)
		qp->attr.qkey = attr->qkey;
	if (mask & ENG_QP_SQ_PSN)
		qp->attr.sq_psn = attr->sq_psn & ENG_PSN_MASK;
	if (mask & ENG_QP_RQ_PSN)
		qp->attr.rq_psn = attr->rq_psn & ENG_PSN_MASK;
	if (mask & ENG_QP_MTU)
		qp->attr.mtu = attr->mtu;
	if (mask & ENG_QP_TIMEOUT)
		qp->attr.timeout = attr->timeout & 31;
	if (mask & ENG_QP_RETRY)
		qp->attr.retry = attr->retry & 7;
	if (mask & ENG_QP_RNR_RETRY)
		qp->attr.rnr_retry = attr->rnr_retry & 7;
	if (mask & ENG_QP_MIN_RNR)
		qp->attr.min_rnr = attr->min_rnr & 31;
	if (mask & ENG_QP_DRAIN_EVENT)
		qp->attr.drain_event = attr->drain_event;
	qp->retries = qp->attr.retry;
	qp->rnr_retries = qp->attr.rnr_retry;
}

int eng_qp_modify(struct eng_qp *qp, enum eng_qp_state from,
		  const struct eng_qp_attr *attr, u32 mask)
{
	bool work = false;
	int ret = -EAGAIN;

	eng_lock(&qp->send);
	eng_lock(&qp->recv);
	if (qp->state != from)
		goto unlock;
	ret = 0;
	if ((mask & ENG_QP_STATE) && attr->state == ENG_RESET)
		eng_qp_reset(qp);
	eng_qp_set(qp, attr, mask);
	if (mask & ENG_QP_STATE) {
		/* Once: there is no second event for a queue that has stopped. */
		if (attr->state != ENG_SQD || qp->state != ENG_SQD) {
			qp->attr.draining = attr->state == ENG_SQD;
			/* It is asked for with each change of state. */
			if (!(mask & ENG_QP_DRAIN_EVENT))
				qp->attr.drain_event = false;
		}
		WRITE_ONCE(qp->state, attr->state);
		work = attr->state >= ENG_RTS;
	}
unlock:
	eng_unlock(&qp->recv);
	eng_unlock(&qp->send);
	if (work)
		eng_qp_ready(qp);
	return ret;
}

void eng_qp_query(struct eng_qp *qp, struct eng_qp_attr *attr)
{
	eng_lock(&qp->send);
	eng_lock(&qp->recv);
	*attr = qp->attr;
	attr->state = qp->state;
	eng_unlock(&qp->recv);
	eng_unlock(&qp->send);
}
