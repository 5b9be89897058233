// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The lists of a worker.
 */
#include "qp.h"

static struct list_head *eng_place_list(struct eng_worker *worker,
					enum eng_qp_place place)
{
	switch (place) {
	case ENG_PLACE_READY:
		return &worker->ready;
	case ENG_PLACE_WAITING:
		return &worker->waiting;
	default:
		return &worker->error;
	}
}

/* Caller holds worker->lock. */
static void eng_place_locked(struct eng_worker *worker, struct eng_qp *qp,
			     enum eng_qp_place place)
{
	/* One that was deleted stays out. One that is ready keeps its turn. */
	if (list_empty(&qp->all) ||
	    (place == ENG_PLACE_READY && qp->place == ENG_PLACE_READY))
		return;
	list_del_init(&qp->entry);
	qp->place = place;
	if (place != ENG_PLACE_NONE)
		list_add_tail(&qp->entry, eng_place_list(worker, place));
}

void eng_qp_place(struct eng_qp *qp, enum eng_qp_place place)
{
	struct eng_worker *worker = qp->worker;

	eng_lock(&worker->lock);
	eng_place_locked(worker, qp, place);
	eng_unlock(&worker->lock);
}

void eng_qp_place_new(struct eng_qp *qp, enum eng_qp_place place)
{
	struct eng_worker *worker = qp->worker;

	eng_lock(&worker->lock);
	if (qp->place == ENG_PLACE_NONE)
		eng_place_locked(worker, qp, place);
	eng_unlock(&worker->lock);
}

void eng_qp_ready(struct eng_qp *qp)
{
	eng_qp_place(qp, ENG_PLACE_READY);
	qp->eng->ops->wake(qp->eng->env, qp->worker);
}

struct eng_qp *eng_place_pop(struct eng_worker *worker)
{
	struct eng_qp *qp = NULL;

	eng_lock(&worker->lock);
	if (!list_empty(&worker->ready)) {
		qp = list_first_entry(&worker->ready, struct eng_qp, entry);
		eng_place_locked(worker, qp, ENG_PLACE_NONE);
	}
	eng_unlock(&worker->lock);
	return qp;
}

void eng_place_all_ready(struct eng_worker *worker, enum eng_qp_place place)
{
	struct list_head *list = eng_place_list(worker, place);

	eng_lock(&worker->lock);
	while (!list_empty(list))
		eng_place_locked(worker, list_first_entry(list, struct eng_qp,
							  entry),
				 ENG_PLACE_READY);
	eng_unlock(&worker->lock);
}

/* A queue whose record is wrong is no work once it has brought the error. */
static bool eng_qp_pending(struct eng_qp *qp)
{
	enum eng_qp_state state = READ_ONCE(qp->state);
	u16 left;

	if (!qp->init.sq_entries)
		return false;
	left = eng_sq_posted(qp);
	if (state == ENG_ERR)
		return left && left <= qp->init.sq_entries;
	return left && (state == ENG_RTS || state == ENG_SQE);
}

void eng_place_scan(struct eng_worker *worker)
{
	struct eng_qp *qp;

	eng_lock(&worker->lock);
	list_for_each_entry(qp, &worker->qps, all)
		if ((qp->place == ENG_PLACE_NONE ||
		     qp->place == ENG_PLACE_ERROR) && eng_qp_pending(qp))
			eng_place_locked(worker, qp, ENG_PLACE_READY);
	eng_unlock(&worker->lock);
}

bool eng_place_next(struct eng_worker *worker, u64 *deadline)
{
	struct eng_qp *qp;
	u64 next = 0;
	bool more;

	eng_lock(&worker->lock);
	more = !list_empty(&worker->ready);
	if (!list_empty(&worker->error))
		next = worker->error_due;
	list_for_each_entry(qp, &worker->waiting, entry) {
		u64 due = READ_ONCE(qp->deadline);

		if (!next || due < next)
			next = due;
	}
	eng_unlock(&worker->lock);
	*deadline = next;
	return more;
}
