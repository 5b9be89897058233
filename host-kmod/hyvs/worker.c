// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a context, which runs its send queues.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "hyvs/hyvs.h"

#define RUN_WQES	64
#define RUN_BYTES	SZ_256K

/* A doorbell names only the last queue of its page that was rung. */
#define SCAN_PERIOD	(20 * NSEC_PER_USEC)

static unsigned int spin_us = 50;
module_param(spin_us, uint, 0644);
MODULE_PARM_DESC(spin_us, "Microseconds that workers watch doorbells for before they sleep");

static bool hyvs_worker_poll(struct hyvs_ucontext *uctx)
{
	bool work = false;
	unsigned int i;
	u32 qpn;

	for (i = 0; i < HYVS_UARS; i++) {
		if (hyvs_uar_rung(&uctx->uars, i, &qpn)) {
			eng_ring_qp(&uctx->worker, qpn);
			work = true;
		}
	}
	if (hyvs_uar_armed(&uctx->uars)) {
		eng_arm(&uctx->worker);
		work = true;
	}
	return work;
}

/*
 * Sleep until a doorbell or @deadline. After the pages are hidden, no store through
 * an old translation is on its way: its record is seen by the scan. Any later one
 * faults.
 */
static void hyvs_worker_park(struct hyvs_ucontext *uctx, u64 deadline)
{
	long timeout = MAX_SCHEDULE_TIMEOUT;
	u64 now;

	WRITE_ONCE(uctx->uars.woken, false);
	hyvs_uars_hide(&uctx->uars);
	/* Pairs with the barrier of hyvs_uars_wake(). */
	smp_mb();
	if (eng_scan(&uctx->worker))
		return;
	if (deadline) {
		now = ktime_get_ns();
		timeout = deadline > now ? nsecs_to_jiffies(deadline - now) : 0;
		timeout++;
	}
	wait_event_idle_timeout(uctx->uars.wait,
				READ_ONCE(uctx->uars.woken) ||
				kthread_should_stop(), timeout);
}

static int hyvs_worker(void *data)
{
	struct hyvs_ucontext *uctx = data;
	u64 now, worked = 0, scanned = 0;
	struct eng_todo todo;
	bool work;

	while (!kthread_should_stop()) {
		work = hyvs_worker_poll(uctx);
		todo = eng_run(&uctx->worker, RUN_WQES, RUN_BYTES);
		now = ktime_get_ns();
		if (now - scanned > SCAN_PERIOD) {
			work |= eng_scan(&uctx->worker);
			scanned = now;
		}
		if (work || todo.more)
			worked = now;
		else if (now - worked > (u64)READ_ONCE(spin_us) * NSEC_PER_USEC ||
			 need_resched())
			hyvs_worker_park(uctx, todo.deadline);
		else
			cpu_relax();
		cond_resched();
	}
	return 0;
}

int hyvs_worker_start(struct hyvs_ucontext *uctx)
{
	struct hyvs_device *dev = to_hyvs_device(uctx->ib.device);
	struct task_struct *task;

	eng_worker_add(dev->eng, &uctx->worker);
	task = kthread_run(hyvs_worker, uctx, "%s-%d", dev_name(&dev->ib.dev),
			   task_tgid_nr(current));
	if (IS_ERR(task)) {
		eng_worker_del(&uctx->worker);
		return PTR_ERR(task);
	}
	uctx->task = task;
	return 0;
}

void hyvs_worker_stop(struct hyvs_ucontext *uctx)
{
	kthread_stop(uctx->task);
	eng_worker_del(&uctx->worker);
}
