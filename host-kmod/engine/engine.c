// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The engine as a whole, and its workers.
 */
#include "epoch.h"
#include "group.h"
#include "qp.h"
#include "table.h"

#define QUANTUM_WQES	16
#define QUANTUM_BYTES	65536

#define RNR_LOOKS	16	/* in each run */

/* Receive queues have no doorbell, so those in error state are looked at. */
#define ERROR_PERIOD_MAX	64000000ULL

void eng_init(struct eng *eng, const struct eng_ops *ops, void *env)
{
	eng->ops = ops;
	eng->env = env;
	eng_lock_init(&eng->lock);
	eng->epoch = 1;
	eng->retired = 0;
	eng->look_epoch = 0;
	INIT_LIST_HEAD(&eng->workers);
	eng->looked = &eng->workers;
	memset(eng->stats, 0, sizeof(eng->stats));
	eng_table_init(&eng->keys);
	eng_table_init(&eng->qps);
	eng_table_init(&eng->srqs);
	eng_group_init(eng);
}

void eng_destroy(struct eng *eng)
{
	eng_table_destroy(&eng->srqs);
	eng_table_destroy(&eng->qps);
	eng_table_destroy(&eng->keys);
}

void eng_worker_add(struct eng *eng, struct eng_worker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->eng = eng;
	worker->error_period = ENG_ERROR_PERIOD;
	eng_lock_init(&worker->lock);
	eng_lock_init(&worker->cq_lock);
	INIT_LIST_HEAD(&worker->qps);
	INIT_LIST_HEAD(&worker->ready);
	INIT_LIST_HEAD(&worker->rnr);
	INIT_LIST_HEAD(&worker->error);
	INIT_LIST_HEAD(&worker->cqs);
	eng_lock(&eng->lock);
	list_add_tail(&worker->link, &eng->workers);
	eng_unlock(&eng->lock);
}

static void eng_stats_add(u64 *stats, const struct eng_worker *worker)
{
	u32 i;

	for (i = 0; i < ENG_STATS; i++)
		stats[i] += READ_ONCE(worker->stats[i]);
}

void eng_worker_del(struct eng_worker *worker)
{
	struct eng *eng = worker->eng;

	eng_lock(&eng->lock);
	if (eng->looked == &worker->link)
		eng->looked = worker->link.prev;
	list_del(&worker->link);
	eng_stats_add(eng->stats, worker);
	eng_unlock(&eng->lock);
	eng_free(worker->timers);
}

void eng_stats(struct eng *eng, u64 stats[ENG_STATS])
{
	struct eng_worker *worker;

	eng_lock(&eng->lock);
	memcpy(stats, eng->stats, sizeof(eng->stats));
	list_for_each_entry(worker, &eng->workers, link)
		eng_stats_add(stats, worker);
	eng_unlock(&eng->lock);
}

/* Both queues of a QP in error state; true if there may be more to complete. */
static bool eng_flush_recv(struct eng_worker *worker, struct eng_qp *qp)
{
	bool more = false;

	eng_lock(&qp->recv);
	if (qp->state == ENG_ERR && !qp->dead)
		more = eng_recv_flush(worker, qp, QUANTUM_WQES);
	eng_unlock(&qp->recv);
	return more;
}

static void eng_run_qp(struct eng_worker *worker, struct eng_qp *qp,
		       struct eng_budget *budget)
{
	struct eng_budget quantum = {
		.wqes = budget->wqes < QUANTUM_WQES ? budget->wqes :
						      QUANTUM_WQES,
		.bytes = QUANTUM_BYTES,
	};
	s64 wqes = quantum.wqes;
	enum eng_progress progress;
	bool more = false;

	progress = eng_requester(worker, qp, &quantum);
	if (READ_ONCE(qp->state) == ENG_ERR)
		more = eng_flush_recv(worker, qp);
	/* A look at a queue with nothing to do is work, too. */
	wqes -= quantum.wqes;
	budget->wqes -= wqes ? wqes : 1;
	budget->bytes -= QUANTUM_BYTES - quantum.bytes;

	if (progress == ENG_AGAIN || more)
		eng_qp_place_ready(qp);
	else if (progress == ENG_WAIT)
		eng_qp_place(qp, ENG_PLACE_WAITING, READ_ONCE(qp->deadline));
	else if (progress == ENG_WAIT_RNR)
		eng_qp_place(qp, ENG_PLACE_RNR, READ_ONCE(qp->deadline));
	else if (READ_ONCE(qp->state) == ENG_ERR)
		eng_qp_place(qp, ENG_PLACE_ERROR, 0);
}

/* Receive queues have no doorbell, so those who wait for them look at them. */
static void eng_run_rnr(struct eng_worker *worker)
{
	u32 n = READ_ONCE(worker->nr_rnr);
	struct eng_qp *qp;

	if (n > RNR_LOOKS)
		n = RNR_LOOKS;
	while (n--) {
		qp = eng_place_rnr(worker);
		if (qp && !eng_requester_waits(worker, qp))
			eng_qp_place_ready(qp);
	}
}

static void eng_run_error(struct eng_worker *worker)
{
	if (worker->error_left)
		eng_place_errors(worker);
	if (worker->now < worker->error_due)
		return;
	worker->error_left = READ_ONCE(worker->nr_error);
	eng_place_errors(worker);
	if (worker->error_period < ERROR_PERIOD_MAX)
		worker->error_period *= 2;
	worker->error_due = worker->now + worker->error_period;
}

bool eng_run(struct eng_worker *worker, u32 wqes, u32 bytes)
{
	struct eng_budget budget = { .wqes = wqes, .bytes = bytes };
	struct eng *eng = worker->eng;
	struct eng_qp *qp;
	u64 deadline;
	bool more;

	eng_enter(worker);
	worker->now = eng->ops->now(eng->env);
	eng_place_due(worker);
	eng_run_rnr(worker);
	eng_run_error(worker);
	eng_cq_due(worker);
	if (worker->arm_left)
		eng_cq_scan(worker);
	while (budget.wqes > 0 && budget.bytes > 0) {
		qp = eng_place_pop(worker);
		if (!qp)
			break;
		eng_run_qp(worker, qp, &budget);
	}
	eng_cq_flush(worker);
	more = eng_place_next(worker, &deadline) || worker->error_left ||
	       worker->arm_left;
	eng_leave(worker);
	return more;
}

struct eng_looked eng_scan(struct eng_worker *worker, bool begin)
{
	struct eng_looked looked;

	if (begin) {
		worker->scan_left = READ_ONCE(worker->nr_qps);
		worker->arm_left = READ_ONCE(worker->nr_cqs);
	}
	eng_enter(worker);
	eng_place_scan(worker);
	eng_cq_scan(worker);
	eng_leave(worker);
	looked.work = eng_place_next(worker, &looked.deadline) ||
		      worker->error_left;
	looked.more = worker->scan_left || worker->arm_left;
	return looked;
}

void eng_ring_qp(struct eng_worker *worker, u32 qpn)
{
	struct eng_qp *qp;

	eng_enter(worker);
	qp = eng_table_find(&worker->eng->qps, qpn);
	/* Only the worker takes a QP that is ready, and its one thread is here. */
	if (qp && qp->worker == worker &&
	    READ_ONCE(qp->place) != ENG_PLACE_READY)
		eng_qp_place_ready(qp);
	eng_leave(worker);
}
