// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The lists of a worker. Its lock is held where a worker is given as well as a QP.
 */
#include "qp.h"
#include "timer.h"

#define MIN_TIMERS	64

int eng_place_add(struct eng_qp *qp)
{
	struct eng_worker *worker = qp->worker;
	bool room;
	u32 max;
	int ret;

	INIT_LIST_HEAD(&qp->entry);
	INIT_LIST_HEAD(&qp->all);
	for (;;) {
		eng_lock(&worker->lock);
		max = worker->max_timers;
		room = worker->nr_qps < max;
		if (room) {
			list_add_tail(&qp->all, &worker->qps);
			WRITE_ONCE(worker->nr_qps, worker->nr_qps + 1);
		}
		eng_unlock(&worker->lock);
		if (room)
			return 0;
		ret = eng_timer_grow(worker, max ? 2 * max : MIN_TIMERS);
		if (ret)
			return ret;
	}
}

static void eng_place_leave(struct eng_worker *worker, struct eng_qp *qp)
{
	if (qp->place == ENG_PLACE_RNR)
		WRITE_ONCE(worker->nr_rnr, worker->nr_rnr - 1);
	else if (qp->place == ENG_PLACE_ERROR)
		WRITE_ONCE(worker->nr_error, worker->nr_error - 1);
	if (qp->timer)
		eng_timer_del(worker, qp);
	list_del_init(&qp->entry);
	WRITE_ONCE(qp->place, ENG_PLACE_NONE);
}

/* One that was deleted stays out. One that is ready keeps its turn. */
static void eng_place_ready(struct eng_worker *worker, struct eng_qp *qp)
{
	if (list_empty(&qp->all) || qp->place == ENG_PLACE_READY)
		return;
	eng_place_leave(worker, qp);
	/* Pairs with READ_ONCE() in eng_ring_qp(), which has no lock. */
	WRITE_ONCE(qp->place, ENG_PLACE_READY);
	list_add_tail(&qp->entry, &worker->ready);
}

static void eng_place_wait(struct eng_worker *worker, struct eng_qp *qp,
			   enum eng_qp_place place, u64 due)
{
	qp->place = place;
	eng_timer_add(worker, qp, due);
	if (place != ENG_PLACE_RNR)
		return;
	list_add_tail(&qp->entry, &worker->rnr);
	WRITE_ONCE(worker->nr_rnr, worker->nr_rnr + 1);
}

void eng_place_del(struct eng_qp *qp)
{
	struct eng_worker *worker = qp->worker;

	eng_lock(&worker->lock);
	eng_place_leave(worker, qp);
	list_del_init(&qp->all);
	WRITE_ONCE(worker->nr_qps, worker->nr_qps - 1);
	eng_unlock(&worker->lock);
}

void eng_qp_place_ready(struct eng_qp *qp)
{
	struct eng_worker *worker = qp->worker;

	eng_lock(&worker->lock);
	eng_place_ready(worker, qp);
	eng_unlock(&worker->lock);
}

/* In error state, receives are most likely posted soon, or never. */
static void eng_place_error(struct eng_worker *worker, struct eng_qp *qp)
{
	u64 due = worker->now + ENG_ERROR_PERIOD;
	u64 life = READ_ONCE(qp->life);

	if (qp->error_life != life) {
		qp->error_life = life;
		worker->error_period = ENG_ERROR_PERIOD;
		/* Not later: others wait, too, and more may come all the time. */
		if (list_empty(&worker->error) || due < worker->error_due)
			worker->error_due = due;
	}
	qp->place = ENG_PLACE_ERROR;
	list_add_tail(&qp->entry, &worker->error);
	WRITE_ONCE(worker->nr_error, worker->nr_error + 1);
}

void eng_qp_place(struct eng_qp *qp, enum eng_qp_place place, u64 due)
{
	struct eng_worker *worker = qp->worker;

	eng_lock(&worker->lock);
	if (list_empty(&qp->all) || qp->place != ENG_PLACE_NONE)
		goto unlock;
	if (place == ENG_PLACE_ERROR) {
		eng_place_error(worker, qp);
	} else if (due) {
		/* One that was reset meanwhile has nothing to wait for. */
		eng_place_wait(worker, qp, place, due);
	}
unlock:
	eng_unlock(&worker->lock);
}

void eng_qp_ready(struct eng_qp *qp)
{
	eng_qp_place_ready(qp);
	qp->eng->ops->wake(qp->eng->env, qp->worker);
}

struct eng_qp *eng_place_pop(struct eng_worker *worker)
{
	struct eng_qp *qp = NULL;

	eng_lock(&worker->lock);
	if (!list_empty(&worker->ready)) {
		qp = list_first_entry(&worker->ready, struct eng_qp, entry);
		list_del_init(&qp->entry);
		qp->place = ENG_PLACE_NONE;
	}
	eng_unlock(&worker->lock);
	return qp;
}

static bool eng_place_is_due(const struct eng_worker *worker)
{
	return worker->nr_timers && worker->timers[0].due <= worker->now;
}

void eng_place_due(struct eng_worker *worker)
{
	u32 i;

	eng_lock(&worker->lock);
	for (i = 0; i < ENG_SCAN && eng_place_is_due(worker); i++)
		eng_place_ready(worker, worker->timers[0].qp);
	eng_unlock(&worker->lock);
}

void eng_place_errors(struct eng_worker *worker)
{
	u32 n = worker->error_left;

	if (n > ENG_SCAN)
		n = ENG_SCAN;
	worker->error_left -= n;
	eng_lock(&worker->lock);
	while (n-- && !list_empty(&worker->error))
		eng_place_ready(worker, list_first_entry(&worker->error,
							 struct eng_qp, entry));
	eng_unlock(&worker->lock);
}

struct eng_qp *eng_place_rnr(struct eng_worker *worker)
{
	struct eng_qp *qp = NULL;

	eng_lock(&worker->lock);
	if (!list_empty(&worker->rnr)) {
		qp = list_first_entry(&worker->rnr, struct eng_qp, entry);
		list_move_tail(&qp->entry, &worker->rnr);
	}
	eng_unlock(&worker->lock);
	return qp;
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
	struct list_head *at = &worker->qps;
	u32 i, n = worker->scan_left;

	if (n > ENG_SCAN)
		n = ENG_SCAN;
	worker->scan_left -= n;
	eng_lock(&worker->lock);
	/* Some may have gone. */
	for (i = 0; i < n && at->next != &worker->qps; i++) {
		struct eng_qp *qp;

		at = at->next;
		qp = container_of(at, struct eng_qp, all);
		if ((qp->place == ENG_PLACE_NONE ||
		     qp->place == ENG_PLACE_ERROR) && eng_qp_pending(qp))
			eng_place_ready(worker, qp);
	}
	eng_list_rotate(&worker->qps, at);
	eng_unlock(&worker->lock);
}

bool eng_place_next(struct eng_worker *worker, u64 *deadline)
{
	u64 next = 0;
	bool more;

	eng_lock(&worker->lock);
	more = !list_empty(&worker->ready) || eng_place_is_due(worker);
	if (!list_empty(&worker->error))
		next = worker->error_due;
	if (worker->nr_timers && (!next || worker->timers[0].due < next))
		next = worker->timers[0].due;
	if (worker->cq_due && (!next || worker->cq_due < next))
		next = worker->cq_due;
	eng_unlock(&worker->lock);
	*deadline = next;
	return more;
}
