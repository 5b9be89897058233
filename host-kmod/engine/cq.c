// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: the ring, and arming.
 */
#include "cq.h"
#include "mem.h"

/* The record of a CQ that was never armed, or cannot be: no provider writes this. */
#define NEVER_ARMED	0xffffffffU	/* in any byte order */

#define CQE_WORDS	(sizeof(struct eng_mlx5_cqe) / sizeof(u64))

void eng_cq_add(struct eng_worker *worker, struct eng_cq *cq,
		const struct eng_cq_attr *attr)
{
	memset(cq, 0, sizeof(*cq));
	eng_lock_init(&cq->lock);
	cq->attr = *attr;
	cq->worker = worker;
	cq->any_after = ~0ULL;
	/*
	 * Providers begin with 0, which is also what the first arming writes:
	 * without this nobody could tell.
	 */
	eng_store32((u32 *)&attr->record[ENG_REC_ARM], NEVER_ARMED);
	cq->armed = NEVER_ARMED;
	INIT_LIST_HEAD(&cq->link);
	if (!attr->events)
		return;
	eng_lock(&worker->cq_lock);
	list_add_tail(&cq->link, &worker->cqs);
	WRITE_ONCE(worker->nr_cqs, worker->nr_cqs + 1);
	eng_unlock(&worker->cq_lock);
}

void eng_cq_del(struct eng_cq *cq)
{
	struct eng_worker *worker = cq->worker;

	eng_lock(&cq->lock);
	cq->dead = true;
	eng_unlock(&cq->lock);
	if (!cq->attr.events)
		return;
	eng_lock(&worker->cq_lock);
	list_del(&cq->link);
	WRITE_ONCE(worker->nr_cqs, worker->nr_cqs - 1);
	eng_unlock(&worker->cq_lock);
}

/* Believe a consumer only if it is between the oldest entry and the newest. */
static void eng_cq_read(struct eng_cq *cq)
{
	__be32 bad = cpu_to_be32(cq->produced + 1);
	u32 ci = be32_to_cpu(eng_load_be32(&cq->attr.record[ENG_REC_CONSUMED],
					   bad));
	u32 used = (cq->produced - ci) & ENG_CI_MASK;

	if (used <= cq->attr.entries)
		cq->consumed = cq->produced - used;
}

static bool eng_cq_full(struct eng_cq *cq)
{
	if (cq->produced - cq->consumed < cq->attr.entries)
		return false;
	eng_cq_read(cq);
	return cq->produced - cq->consumed >= cq->attr.entries;
}

/*
 * The owner bit makes it valid, so the bytes with it go last, in one store. False if
 * memory is bad.
 */
static inline bool eng_cq_write(struct eng_cq *cq, struct eng_mlx5_cqe *cqe)
{
	u32 entries = cq->attr.entries;
	u64 next = (cq->produced & (entries - 1)) + 1;
	const u64 *from = (u64 *)cqe;
	u64 *to;

	/* A long entry has it in the second half. */
	to = eng_mem_at(&cq->attr.ring,
			(next << cq->attr.entry_shift) - sizeof(*cqe));
	cqe->op_own |= !!(cq->produced & entries);
	if (!eng_store_words(to, from, CQE_WORDS - 1))
		return false;
	/* Pairs with the barrier of a consumer that has seen the owner bit. */
	smp_wmb();
	if (!eng_store64(to + CQE_WORDS - 1, from[CQE_WORDS - 1]))
		return false;
	cq->produced++;
	return true;
}

/* False if there is no room in the list of @worker. */
static bool eng_cq_touch(struct eng_worker *worker, struct eng_cq *cq)
{
	if (worker->nr_touched == ENG_TOUCHED)
		return false;
	worker->touched[worker->nr_touched++] = cq;
	cq->touched = worker;
	return true;
}

static void eng_cq_overrun(struct eng_cq *cq)
{
	struct eng *eng = cq->worker->eng;

	cq->overrun = true;
	eng->ops->async(eng->env, ENG_EVENT_CQ_ERROR, cq);
}

/* The worker of the CQ looks at it when the time of its event has come. */
static void eng_cq_wait(struct eng_cq *cq)
{
	struct eng_worker *worker = cq->worker;
	struct eng *eng = worker->eng;
	bool sooner;

	eng_lock(&worker->lock);
	sooner = !worker->cq_due || cq->due < worker->cq_due;
	if (sooner)
		WRITE_ONCE(worker->cq_due, cq->due);
	eng_unlock(&worker->lock);
	if (sooner)
		eng->ops->wake(eng->env, worker);
}

/* Does the event wait for more than @completed? */
static bool eng_cq_defers(struct eng_cq *cq, u64 completed)
{
	u64 since = cq->reported > cq->armed_at ? cq->reported : cq->armed_at;
	struct eng *eng = cq->worker->eng;
	u64 now;

	if (completed - since >= cq->least)
		return false;
	now = eng->ops->now(eng->env);
	if (!cq->due)
		cq->due = now + cq->period;
	if (now >= cq->due)
		return false;
	eng_cq_wait(cq);
	return true;
}

/*
 * A request for an event has the number of the events so far. So one that was
 * served, or an old one, is not served again, and there is no state to be lost but
 * what kind of completion it was for.
 *
 * It has the position of the consumer, too, as completions may be older than it.
 * But many consumers arm before they poll what the last event was about. They
 * must not get an event for that again: each event stands for at least one
 * completion that no other event stood for.
 */
static void eng_cq_notify_locked(struct eng_cq *cq)
{
	struct eng *eng = cq->worker->eng;
	u64 completed;
	bool waits;
	u32 arm;

	/*
	 * Pairs with the barrier of a consumer that arms and then polls: either it
	 * sees the completions, or this sees that it has armed.
	 */
	smp_mb();
	arm = be32_to_cpu(eng_load_be32(&cq->attr.record[ENG_REC_ARM],
					cpu_to_be32(NEVER_ARMED)));
	if (cq->dead || arm == NEVER_ARMED ||
	    ((arm >> ENG_ARM_SEQUENCE_SHIFT) & 3) != cq->sequence)
		return;
	if (arm != cq->armed) {
		/* In all bits: what it is for may come much later. */
		cq->armed = arm;
		cq->armed_at = cq->produced -
			       ((cq->produced - arm) & ENG_CI_MASK);
		cq->due = 0;
	}
	completed = cq->completed;
	if (arm & ENG_ARM_SOLICITED && cq->any_after != cq->reported)
		completed = cq->solicited;
	waits = completed <= cq->reported || completed <= cq->armed_at;
	if (!waits && cq->period)
		waits = eng_cq_defers(cq, completed);
	if (waits) {
		/* A request for any completion is not replaced by one for less. */
		if (!(arm & ENG_ARM_SOLICITED))
			cq->any_after = cq->reported;
		return;
	}
	cq->due = 0;
	cq->reported = cq->produced;
	cq->sequence = (cq->sequence + 1) & 3;
	eng->ops->cq_event(eng->env, cq);
}

bool eng_cq_push(struct eng_worker *worker, struct eng_cq *cq,
		 struct eng_mlx5_cqe *cqe, bool solicited)
{
	bool ok = false;

	eng_lock(&cq->lock);
	if (cq->dead || cq->overrun) {
		ok = cq->dead;
	} else if (eng_cq_full(cq) || !eng_cq_write(cq, cqe)) {
		eng_cq_overrun(cq);
	} else {
		ok = true;
		cq->completed = cq->produced;
		if (solicited)
			cq->solicited = cq->produced;
		/* If there are too many, this one gets its event now. */
		if (cq->attr.events && cq->touched != worker &&
		    !eng_cq_touch(worker, cq))
			eng_cq_notify_locked(cq);
	}
	eng_unlock(&cq->lock);
	return ok;
}

/* Raise the event if @cq is armed and has what it is armed for. */
static void eng_cq_notify(struct eng_cq *cq)
{
	eng_lock(&cq->lock);
	eng_cq_notify_locked(cq);
	eng_unlock(&cq->lock);
}

void eng_cq_moderate(struct eng_cq *cq, u32 least, u64 period)
{
	eng_lock(&cq->lock);
	cq->least = least;
	cq->period = least ? period : 0;
	cq->due = 0;
	eng_cq_notify_locked(cq);
	eng_unlock(&cq->lock);
}

void eng_cq_due(struct eng_worker *worker)
{
	u64 due = READ_ONCE(worker->cq_due);

	if (!due || due > worker->now)
		return;
	/* Before the look: those that go on waiting say so again. */
	eng_lock(&worker->lock);
	WRITE_ONCE(worker->cq_due, 0);
	eng_unlock(&worker->lock);
	worker->arm_left = READ_ONCE(worker->nr_cqs);
}

void eng_cq_flush(struct eng_worker *worker)
{
	u32 i;

	for (i = 0; i < worker->nr_touched; i++) {
		struct eng_cq *cq = worker->touched[i];

		eng_lock(&cq->lock);
		if (cq->touched == worker)
			cq->touched = NULL;
		eng_cq_notify_locked(cq);
		eng_unlock(&cq->lock);
	}
	worker->nr_touched = 0;
}

void eng_cq_scan(struct eng_worker *worker)
{
	struct list_head *at = &worker->cqs;
	u32 i, n = worker->arm_left;

	if (n > ENG_SCAN)
		n = ENG_SCAN;
	worker->arm_left -= n;
	eng_lock(&worker->cq_lock);
	/* Some may have gone. */
	for (i = 0; i < n && at->next != &worker->cqs; i++) {
		at = at->next;
		eng_cq_notify(container_of(at, struct eng_cq, link));
	}
	eng_list_rotate(&worker->cqs, at);
	eng_unlock(&worker->cq_lock);
}

void eng_arm(struct eng_worker *worker)
{
	worker->arm_left = READ_ONCE(worker->nr_cqs);
	eng_cq_scan(worker);
}

int eng_cq_resize(struct eng_cq *cq, const struct eng_mem *ring, u32 entries,
		  u8 entry_shift)
{
	struct eng_mlx5_cqe cqe;
	int ret = -EINVAL;

	eng_mlx5_cqe_resize(&cqe);
	eng_lock(&cq->lock);
	eng_cq_read(cq);
	if (cq->overrun || eng_cq_full(cq) ||
	    cq->produced - cq->consumed >= entries)
		goto unlock;
	if (!eng_cq_write(cq, &cqe)) {
		eng_cq_overrun(cq);
		goto unlock;
	}
	cq->attr.ring = *ring;
	cq->attr.entries = entries;
	cq->attr.entry_shift = entry_shift;
	ret = 0;
unlock:
	eng_unlock(&cq->lock);
	return ret;
}
