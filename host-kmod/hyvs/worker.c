// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a context, which runs its send queues.
 *
 * Doorbells are hints, the records in memory are the truth: a doorbell only makes
 * somebody look at them. While UAR pages are in page tables ("open"), their words
 * are watched by the thread. The thread gives up its processor only when it has
 * hidden them, so that the next doorbell is a fault:
 *
 *	thread				process, with its record stored
 *	P1 woken = false, barrier	F1 insert the page, open = true
 *	P2 hide, if open		F2 try to do the work at once
 *	P3 barrier			F3 barrier, woken = true
 *	P4 look at all records, and	F4 barrier, wake if asleep
 *	   for the next deadline
 *	P5 asleep = true, barrier	F5 store to the page
 *	P6 sleep unless woken
 *
 * If F2 has left nothing, F3 and F4 are done by a timer, a little later. Work for
 * this thread that comes from another one, which is put on a list of the engine,
 * has F3 and F4, too.
 *
 * No doorbell is lost: when P2 is over, a store by an old translation is visible,
 * and so is the record before it, which P4 finds. Any later store faults, and F1
 * is after P2. So F3 is after P1, and either P6 sees it or F4 sees P5. A page that
 * was inserted is hidden by the next P2, as "open" is visible before "woken" is.
 * No deadline is lost either: F2 may set one, before F3 as the record is.
 * tests/engine/test_park.c walks through all interleavings.
 *
 * F2 is not needed for any of this. But a process that polls, where processors are
 * rare, keeps the thread from running; who faults has a processor.
 *
 * Without P2, P6 is a sleep of limited time. It is for a thread that would hide a
 * page between F4 and F5, each time, and so never let the process go on.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>

#include "hyvs/hyvs.h"
#include "notify/follow.h"

/* In a fault; and the number of queues and CQs that are looked at there. */
#define FAULT_WQES	16
#define FAULT_BYTES	SZ_64K
#define FAULT_OBJECTS	ENG_SCAN

/* A doorbell names only the last queue of its page that was rung. */
#define SCAN_PERIOD	(20 * NSEC_PER_USEC)

/* Tracers wait until each thread has slept or said that it could. */
#define QUIET_PERIOD	(100 * NSEC_PER_MSEC)

#define WATCH_START	(10 * NSEC_PER_USEC)

/* Time of a processor that others want, too; kernels before 6.12 do not know it. */
#define SLICE		(100 * NSEC_PER_USEC)

static unsigned int spin_us = 50;
module_param(spin_us, uint, 0644);
MODULE_PARM_DESC(spin_us, "Microseconds at most that workers watch doorbells for before they sleep");

static u64 hyvs_max_watch(void)
{
	return (u64)READ_ONCE(spin_us) * NSEC_PER_USEC;
}

static bool hyvs_worker_poll(struct hyvs_ucontext *uctx)
{
	bool work = false;
	unsigned int i;
	u32 qpn;

	for (i = 0; i < HYVS_ALL_UARS; i++) {
		if (hyvs_uar_rung(uctx->uars, i, &qpn)) {
			eng_ring_qp(&uctx->worker, qpn);
			work = true;
		}
	}
	if (hyvs_uar_armed(uctx->uars)) {
		eng_arm(&uctx->worker);
		work = true;
	}
	return work;
}

/* Look at all records, or until there is work; then also for the next deadline. */
static struct eng_looked hyvs_worker_scan(struct hyvs_ucontext *uctx)
{
	struct eng_looked looked = { .more = true };
	bool begin = true;

	while (looked.more && !looked.work) {
		spin_lock(&uctx->run_lock);
		looked = eng_scan(&uctx->worker, begin);
		spin_unlock(&uctx->run_lock);
		begin = false;
		cond_resched();
	}
	return looked;
}

/* Read without a lock: somebody may just be adding one. */
static u32 hyvs_worker_objects(const struct hyvs_ucontext *uctx)
{
	return READ_ONCE(uctx->worker.nr_qps) + READ_ONCE(uctx->worker.nr_cqs);
}

bool hyvs_worker_assist(struct hyvs_ucontext *uctx)
{
	bool more = false;

	if (hyvs_worker_objects(uctx) > FAULT_OBJECTS ||
	    !spin_trylock(&uctx->run_lock))
		return false;
	if (eng_scan(&uctx->worker, true).work) {
		more = eng_run(&uctx->worker, FAULT_WQES, FAULT_BYTES);
		hyvs_count(uctx, HYVS_STAT_ASSISTS);
	}
	spin_unlock(&uctx->run_lock);
	return !more;
}

/* Watching pays where doorbells soon follow each other. As KVM polls halted CPUs. */
static void hyvs_adapt(struct hyvs_ucontext *uctx, u64 slept)
{
	u64 max_watch = hyvs_max_watch();

	if (slept <= max_watch)
		uctx->watch = clamp(2 * uctx->watch, (u64)WATCH_START,
				    max_watch);
	else
		uctx->watch = uctx->watch > WATCH_START ? uctx->watch / 2 : 0;
}

/* Sleep until somebody wakes the thread, for at most @timeout ns. */
static void hyvs_worker_sleep(struct hyvs_ucontext *uctx, u64 timeout)
{
	struct hyvs_uars *uars = uctx->uars;

	hyvs_count(uctx, HYVS_STAT_SLEEPS);
	/* Interruptible only to be no part of the system's load. */
	wait_event_interruptible_hrtimeout(uars->wait, READ_ONCE(uars->woken) ||
					   kthread_should_stop(),
					   timeout);
}

/* Nanoseconds until @deadline; KTIME_MAX if there is none. */
static u64 hyvs_until(u64 deadline)
{
	u64 now;

	if (!deadline)
		return KTIME_MAX;
	now = ktime_get_ns();
	return deadline > now ? deadline - now : 0;
}

/* Let others have the processor, and sleep until there is work. */
static void hyvs_worker_park(struct hyvs_ucontext *uctx)
{
	u64 now = ktime_get_ns(), timeout, keep;
	struct eng_looked looked;

	hyvs_count(uctx, HYVS_STAT_PARKS);
	keep = hyvs_uars_keep(uctx->uars, now);
	/* Pairs with the first barrier of hyvs_uars_wake(). */
	smp_store_mb(uctx->uars->woken, false);
	/* Without the context, there are no doorbells. */
	if (!keep && !kthread_should_stop())
		hyvs_uars_hide(uctx->uars);
	/* No record may be read before. */
	smp_mb();
	looked = hyvs_worker_scan(uctx);
	timeout = hyvs_until(looked.deadline);
	if (looked.work) {
		cond_resched();
	} else if (keep) {
		hyvs_worker_sleep(uctx, min(keep, timeout));
	} else {
		hyvs_worker_sleep(uctx, timeout);
		hyvs_adapt(uctx, ktime_get_ns() - now);
	}
}

/* May a thread without work watch for more? Not where others could do theirs. */
static bool hyvs_worker_watches(const struct hyvs_ucontext *uctx, u64 idle)
{
	return idle < uctx->watch && single_task_running();
}

static int hyvs_worker(void *data)
{
	struct hyvs_ucontext *uctx = data;
	u64 now, worked = 0, scanned = 0, quiet = 0;
	struct eng_looked looked = {};
	bool work, more;

	while (!kthread_should_stop()) {
		now = ktime_get_ns();
		spin_lock(&uctx->run_lock);
		work = hyvs_worker_poll(uctx);
		if (now - scanned > SCAN_PERIOD) {
			looked = eng_scan(&uctx->worker, !looked.more);
			work |= looked.work;
			scanned = now;
		}
		more = eng_run(&uctx->worker, HYVS_RUN_WQES, HYVS_RUN_BYTES);
		spin_unlock(&uctx->run_lock);
		if (work || more)
			worked = now;
		if (now - quiet > QUIET_PERIOD) {
			cond_resched_tasks_rcu_qs();
			quiet = now;
		}
		if (need_resched() ||
		    (!more && !hyvs_worker_watches(uctx, now - worked)))
			hyvs_worker_park(uctx);
		else if (!work)
			cpu_relax();
	}
	return 0;
}

/* Be put before those who have had much of the processor. */
static void hyvs_worker_set_slice(struct task_struct *task)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_NORMAL,
		.sched_nice = task_nice(task),
		.sched_runtime = SLICE,
	};

	/* Without it, only latency differs. */
	sched_setattr_nocheck(task, &attr);
}

int hyvs_worker_start(struct hyvs_ucontext *uctx)
{
	struct hyvs_device *dev = to_hyvs_device(uctx->ib.device);
	struct task_struct *task;
	int ret;

	spin_lock_init(&uctx->run_lock);
	uctx->watch = hyvs_max_watch();
	eng_worker_add(dev->eng, &uctx->worker);
	task = kthread_create(hyvs_worker, uctx, "%s-%d",
			      dev_name(&dev->ib.dev), task_tgid_nr(current));
	if (IS_ERR(task)) {
		ret = PTR_ERR(task);
		goto err_worker;
	}
	ret = hyvh_thread_follow_caller(task);
	if (ret)
		goto err_task;
	hyvs_worker_set_slice(task);
	uctx->task = task;
	kthread_unpark(task);
	return 0;

err_task:
	hyvh_thread_stop(task, hyvs_process_starved(uctx->process));
err_worker:
	eng_worker_del(&uctx->worker);
	return ret;
}

void hyvs_worker_stop(struct hyvs_ucontext *uctx)
{
	hyvh_thread_stop(uctx->task, hyvs_process_starved(uctx->process));
	eng_worker_del(&uctx->worker);
}
