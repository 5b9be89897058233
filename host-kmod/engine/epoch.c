// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Retirement by epochs. A worker shows the epoch in which its run began. What was
 * taken away before an epoch is in no use when no worker shows an older one. So
 * finding an object costs no atomic operation, and waiting for its end is bounded
 * by a run.
 */
#include "epoch.h"

/*
 * The barrier is that of a pair: either eng_retired() sees this worker, or the
 * worker sees that the object has gone.
 */
void eng_enter(struct eng_worker *worker)
{
	/* Pairs with smp_load_acquire() in eng_retired(). */
	smp_store_release(&worker->epoch, READ_ONCE(worker->eng->epoch));
	/* Pairs with the release in eng_retire(), and with both barriers. */
	smp_mb();
}

void eng_leave(struct eng_worker *worker)
{
	/* Pairs with smp_load_acquire() in eng_retired(). */
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
	/* Pairs with the barrier of eng_enter(). */
	smp_mb();
	return epoch;
}

bool eng_retired(struct eng *eng, u64 epoch)
{
	struct eng_worker *worker;
	bool retired = true;

	/* Pairs with the barrier of eng_enter(). */
	smp_mb();
	eng_lock(&eng->lock);
	list_for_each_entry(worker, &eng->workers, link) {
		/* Pairs with smp_store_release() in eng_leave(). */
		u64 shown = smp_load_acquire(&worker->epoch);

		if (shown && shown < epoch)
			retired = false;
	}
	eng_unlock(&eng->lock);
	return retired;
}
