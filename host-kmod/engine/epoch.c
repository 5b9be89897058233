// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Retirement by epochs. A worker shows the epoch in which its run began. What was
 * taken away before an epoch is in no use when no worker shows an older one. So
 * finding an object costs no atomic operation, and waiting for its end is bounded
 * by runs.
 *
 * All who wait share one look at the workers, one after the other. It is for the
 * epoch in which it began, and stops at a worker that shows an older one. So asking
 * again is cheap, however many workers there are. What is taken away during a look
 * has to wait for the next one.
 *
 * tests/engine/test_order.c has the barriers.
 */
#include "epoch.h"

/*
 * The barrier is that of a pair: either a look sees this worker, or the worker sees
 * that the object has gone.
 */
void eng_enter(struct eng_worker *worker)
{
	/* Pairs with smp_load_acquire() in eng_look_next(). */
	smp_store_release(&worker->epoch, READ_ONCE(worker->eng->epoch));
	/* Pairs with the release in eng_retire() and the barrier of a look. */
	smp_mb();
}

void eng_leave(struct eng_worker *worker)
{
	/* Pairs with smp_load_acquire() in eng_look_next(). */
	smp_store_release(&worker->epoch, 0);
}

u64 eng_retire(struct eng *eng)
{
	u64 epoch;

	eng_lock(&eng->lock);
	epoch = eng->epoch + 1;
	/* A worker that shows it does not find what was taken away. */
	smp_store_release(&eng->epoch, epoch);
	eng_unlock(&eng->lock);
	return epoch;
}

/* Go on with the look at all workers; false if the next one shows an older epoch. */
static bool eng_look_next(struct eng *eng)
{
	struct list_head *next = eng->looked->next;

	if (next == &eng->workers) {
		/* Pairs with smp_load_acquire() in eng_retire_look(). */
		smp_store_release(&eng->retired, eng->look_epoch);
		eng->look_epoch = eng->epoch;
		/* Pairs with the barrier of eng_enter(). */
		smp_mb();
	} else {
		struct eng_worker *worker = container_of(next,
							 struct eng_worker,
							 link);
		/* Pairs with smp_store_release() in eng_leave(). */
		u64 shown = smp_load_acquire(&worker->epoch);

		if (shown && shown < eng->look_epoch)
			return false;
	}
	eng->looked = next;
	return true;
}

bool eng_retire_look(struct eng *eng, u64 epoch, bool *more)
{
	u32 left = ENG_SCAN;
	bool retired;

	*more = true;
	/* Pairs with smp_store_release() in eng_look_next(). */
	if (smp_load_acquire(&eng->retired) >= epoch)
		return true;
	eng_lock(&eng->lock);
	while (eng->retired < epoch && *more && left--)
		*more = eng_look_next(eng);
	retired = eng->retired >= epoch;
	eng_unlock(&eng->lock);
	return retired;
}

/* Not inline: in the requester, the variable would cost each request. */
bool eng_retired(struct eng *eng, u64 epoch)
{
	bool more;

	return eng_retire_look(eng, epoch, &more);
}
