// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The times for which QPs of a worker wait: a binary heap, the earliest first.
 * There may be many, and others wait while the worker's lock is held.
 */
#include "timer.h"

static void eng_timer_set(struct eng_worker *worker, u32 i,
			  const struct eng_timer *timer)
{
	worker->timers[i] = *timer;
	timer->qp->timer = i + 1;
}

static void eng_timer_up(struct eng_worker *worker, u32 i,
			 const struct eng_timer *timer)
{
	while (i && timer->due < worker->timers[(i - 1) / 2].due) {
		eng_timer_set(worker, i, &worker->timers[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	eng_timer_set(worker, i, timer);
}

static void eng_timer_down(struct eng_worker *worker, u32 i,
			   const struct eng_timer *timer)
{
	const struct eng_timer *timers = worker->timers;
	u32 child;

	for (child = 2 * i + 1; child < worker->nr_timers; child = 2 * i + 1) {
		if (child + 1 < worker->nr_timers &&
		    timers[child + 1].due < timers[child].due)
			child++;
		if (timer->due <= timers[child].due)
			break;
		eng_timer_set(worker, i, &timers[child]);
		i = child;
	}
	eng_timer_set(worker, i, timer);
}

void eng_timer_add(struct eng_worker *worker, struct eng_qp *qp, u64 due)
{
	struct eng_timer timer = { .due = due, .qp = qp };

	eng_timer_up(worker, worker->nr_timers++, &timer);
}

void eng_timer_del(struct eng_worker *worker, struct eng_qp *qp)
{
	u32 i = qp->timer - 1;
	struct eng_timer last = worker->timers[--worker->nr_timers];

	qp->timer = 0;
	if (last.qp == qp)
		return;
	/* One of these leaves it where it is. */
	eng_timer_up(worker, i, &last);
	eng_timer_down(worker, last.qp->timer - 1, &last);
}

int eng_timer_grow(struct eng_worker *worker, u32 max)
{
	struct eng_timer *timers = eng_zalloc(max * sizeof(*timers));

	if (!timers)
		return -ENOMEM;
	eng_lock(&worker->lock);
	if (worker->max_timers < max) {
		struct eng_timer *old = worker->timers;

		if (worker->nr_timers)
			memcpy(timers, old, worker->nr_timers * sizeof(*old));
		worker->timers = timers;
		worker->max_timers = max;
		timers = old;
	}
	eng_unlock(&worker->lock);
	eng_free(timers);
	return 0;
}
