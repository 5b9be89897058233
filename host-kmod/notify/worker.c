// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a vNIC. It polls as long as polling pays, and asks for kicks
 * before it sleeps.
 */
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/sched/task.h>

#include "notify/follow.h"
#include "notify/worker.h"

/* Bits of hyvh_worker.flags. */
enum {
	HYVH_WORKER_WOKEN,	/* work may be waiting */
	HYVH_WORKER_ABANDONED,	/* no work is done any more */
};

/* Shortest polling time after polling has paid, in microseconds. */
#define HYVH_POLL_START_US	8

/* Time between attempts, in milliseconds, if work cannot be done yet. */
#define HYVH_RETRY_MIN_MS	1
#define HYVH_RETRY_MAX_MS	10

void hyvh_worker_init(struct hyvh_worker *worker,
		      const struct hyvh_worker_ops *ops, atomic64_t *kicks)
{
	worker->ops = ops;
	worker->kicks = kicks;
	spin_lock_init(&worker->lock);
	mutex_init(&worker->control_lock);
}

/* The thread is stopped. */
void hyvh_worker_uninit(struct hyvh_worker *worker)
{
	mutex_destroy(&worker->control_lock);
}

/*
 * Make the worker look for work, now or when it is started. Any context, at any
 * time, even after hyvh_worker_stop().
 */
void hyvh_worker_wake(struct hyvh_worker *worker)
{
	unsigned long flags;

	if (test_and_set_bit(HYVH_WORKER_WOKEN, &worker->flags))
		return;
	spin_lock_irqsave(&worker->lock, flags);
	if (worker->task)
		wake_up_process(worker->task);
	spin_unlock_irqrestore(&worker->lock, flags);
}

static bool hyvh_worker_run_once(struct hyvh_worker *worker)
{
	clear_bit(HYVH_WORKER_WOKEN, &worker->flags);
	/* Pairs with the atomic bit operation in hyvh_worker_wake(). */
	smp_mb__after_atomic();

	worker->retry = false;
	return worker->ops->run(worker);
}

static bool hyvh_worker_may_poll(struct hyvh_worker *worker, ktime_t end)
{
	return worker->ops->can_poll(worker) && !need_resched() &&
	       single_task_running() && ktime_before(ktime_get(), end);
}

/* Time to sleep, in jiffies: until the next attempt, or until woken. */
static long hyvh_worker_timeout(struct hyvh_worker *worker)
{
	unsigned int ms = worker->retry_ms;

	if (!worker->retry) {
		worker->retry_ms = HYVH_RETRY_MIN_MS;
		return MAX_SCHEDULE_TIMEOUT;
	}
	worker->retry_ms = min_t(unsigned int, 2 * ms, HYVH_RETRY_MAX_MS);
	return msecs_to_jiffies(ms);
}

static void hyvh_worker_sleep(struct hyvh_worker *worker)
{
	long timeout = hyvh_worker_timeout(worker);

	worker->ops->want_kicks(worker, true);
	set_current_state(TASK_INTERRUPTIBLE);
	/*
	 * set_current_state() is a full barrier: either a guest sees the
	 * request for kicks after it has set its bit, or pending() sees the
	 * bit.
	 */
	if (!test_bit(HYVH_WORKER_WOKEN, &worker->flags) &&
	    !kthread_should_stop() && !kthread_should_park() &&
	    !worker->ops->pending(worker))
		schedule_timeout(timeout);
	__set_current_state(TASK_RUNNING);
	worker->ops->want_kicks(worker, false);
}

/* Until the thread is paused or stopped. */
static void hyvh_worker_rest(void)
{
	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop() && !kthread_should_park())
		schedule();
	__set_current_state(TASK_RUNNING);
}

static int hyvh_worker_main(void *data)
{
	struct hyvh_worker *worker = data;
	unsigned int budget = 0;
	bool paid;
	ktime_t end;

	worker->retry_ms = HYVH_RETRY_MIN_MS;
	while (!kthread_should_stop()) {
		/* A guest can keep the worker busy without giving it work, for good. */
		cond_resched_tasks_rcu_qs();
		if (kthread_should_park()) {
			kthread_parkme();
			continue;
		}
		if (test_bit(HYVH_WORKER_ABANDONED, &worker->flags)) {
			hyvh_worker_rest();
			continue;
		}
		if (hyvh_worker_run_once(worker))
			continue;

		/* Poll longer after polling has paid, shorter after not. */
		budget = min(budget, READ_ONCE(worker->poll_us));
		end = ktime_add_us(ktime_get(), budget);
		paid = false;
		while (!paid && hyvh_worker_may_poll(worker, end)) {
			cpu_relax();
			paid = test_bit(HYVH_WORKER_WOKEN, &worker->flags) ||
			       worker->ops->pending(worker);
		}
		if (paid) {
			budget = max_t(unsigned int, 2 * budget,
				       HYVH_POLL_START_US);
			continue;
		}
		budget /= 2;
		hyvh_worker_sleep(worker);
		budget = max_t(unsigned int, budget, HYVH_POLL_START_US);
	}
	return 0;
}

static void hyvh_worker_set_task(struct hyvh_worker *worker,
				 struct task_struct *task)
{
	spin_lock_irq(&worker->lock);
	worker->task = task;
	spin_unlock_irq(&worker->lock);
}

static int hyvh_worker_create(struct hyvh_worker *worker)
{
	struct task_struct *task;
	int ret;

	lockdep_assert_held(&worker->control_lock);
	task = kthread_create(hyvh_worker_main, worker, "hyv-%d",
			      task_tgid_nr(current));
	if (IS_ERR(task))
		return PTR_ERR(task);
	ret = hyvh_thread_follow_caller(task);
	if (ret) {
		hyvh_thread_stop(task, &worker->starved);
		return ret;
	}
	hyvh_worker_set_task(worker, task);
	if (!worker->paused)
		kthread_unpark(task);
	return 0;
}

/**
 * hyvh_worker_start() - create the thread, unless it exists
 * @worker: the worker
 *
 * The thread runs in the cgroups of the caller. They do not change with it: see
 * hyvh_worker_restart().
 *
 * Context: Process context. May sleep. Runs in the VMM.
 * Return: 0, %-ENOMEM, %-EINTR if a fatal signal is pending, or an error of the
 * cgroups.
 */
int hyvh_worker_start(struct hyvh_worker *worker)
{
	int ret = 0;

	mutex_lock(&worker->control_lock);
	if (!worker->task)
		ret = hyvh_worker_create(worker);
	mutex_unlock(&worker->control_lock);
	return ret;
}

/* The same, but a thread that exists follows the caller, which may have moved. */
int hyvh_worker_restart(struct hyvh_worker *worker)
{
	int ret;

	mutex_lock(&worker->control_lock);
	ret = worker->task ? hyvh_follow_caller(worker->task) :
			     hyvh_worker_create(worker);
	mutex_unlock(&worker->control_lock);
	return ret;
}

/*
 * Let the worker do nothing until hyvh_worker_resume(), whoever starts or wakes it.
 * Waits for what it is doing. Not in the worker.
 */
void hyvh_worker_pause(struct hyvh_worker *worker)
{
	mutex_lock(&worker->control_lock);
	worker->paused = true;
	if (worker->task)
		worker->rescued |= hyvh_thread_park(worker->task,
						    &worker->starved);
	mutex_unlock(&worker->control_lock);
}

void hyvh_worker_resume(struct hyvh_worker *worker)
{
	mutex_lock(&worker->control_lock);
	worker->paused = false;
	if (worker->task) {
		if (worker->rescued)
			hyvh_rescue_undo(worker->task);
		worker->rescued = false;
		kthread_unpark(worker->task);
	}
	mutex_unlock(&worker->control_lock);
}

/*
 * Let the worker soon end what it is doing, and do nothing more: the VMM was killed, and
 * its last request may wait for an object that the worker uses. Does not wait.
 */
void hyvh_worker_abandon(struct hyvh_worker *worker)
{
	struct task_struct *task;

	set_bit(HYVH_WORKER_ABANDONED, &worker->flags);
	spin_lock_irq(&worker->lock);
	task = worker->task;
	if (task)
		get_task_struct(task);
	spin_unlock_irq(&worker->lock);
	if (!task)
		return;
	sched_set_fifo_low(task);
	put_task_struct(task);
}

/* In the worker: is it to begin no further piece of work? */
bool hyvh_worker_should_end(const struct hyvh_worker *worker)
{
	return kthread_should_park() ||
	       test_bit(HYVH_WORKER_ABANDONED, &worker->flags);
}

/* End the thread, if it exists. Process context, may sleep. Not in the worker. */
void hyvh_worker_stop(struct hyvh_worker *worker)
{
	struct task_struct *task;

	mutex_lock(&worker->control_lock);
	task = worker->task;
	if (task) {
		/* kthread_stop() frees the task, so nobody may wake it. */
		hyvh_worker_set_task(worker, NULL);
		worker->rescued = false;
		hyvh_thread_stop(task, &worker->starved);
	}
	mutex_unlock(&worker->control_lock);
}

static int hyvh_kick_wake(wait_queue_entry_t *wait, unsigned int mode, int sync,
			  void *key)
{
	struct hyvh_kick *kick = container_of(wait, struct hyvh_kick, wait);

	if (key_to_poll(key) & EPOLLIN) {
		atomic64_inc(kick->worker->kicks);
		hyvh_worker_wake(kick->worker);
	}
	return 0;
}

static void hyvh_kick_queue(struct file *file, wait_queue_head_t *wqh,
			    poll_table *pt)
{
	struct hyvh_kick *kick = container_of(pt, struct hyvh_kick, poll);

	add_wait_queue(wqh, &kick->wait);
}

/* Stop listening to an eventfd, if any. The caller serialises all changes. */
void hyvh_kick_clear(struct hyvh_kick *kick)
{
	u64 count;

	if (!kick->ctx)
		return;
	eventfd_ctx_remove_wait_queue(kick->ctx, &kick->wait, &count);
	eventfd_ctx_put(kick->ctx);
	fput(kick->file);
	kick->ctx = NULL;
	kick->file = NULL;
}

/**
 * hyvh_kick_set() - listen to an eventfd
 * @kick: the kick; keeps the eventfd that it has if the call fails
 * @worker: the worker to wake
 * @fd: eventfd of the caller, or -1 for none
 *
 * Context: Process context. Runs in the VMM. The caller serialises all changes.
 * Return: 0, %-EBADF if @fd is not open, or %-EINVAL if it is not an eventfd.
 */
int hyvh_kick_set(struct hyvh_kick *kick, struct hyvh_worker *worker, int fd)
{
	struct eventfd_ctx *ctx;
	struct file *file;

	if (fd < -1)
		return -EINVAL;
	if (fd == -1) {
		hyvh_kick_clear(kick);
		return 0;
	}

	file = eventfd_fget(fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ctx = eventfd_ctx_fileget(file);
	if (IS_ERR(ctx)) {
		fput(file);
		return PTR_ERR(ctx);
	}

	hyvh_kick_clear(kick);
	kick->worker = worker;
	kick->ctx = ctx;
	kick->file = file;
	init_waitqueue_func_entry(&kick->wait, hyvh_kick_wake);
	init_poll_funcptr(&kick->poll, hyvh_kick_queue);
	if (vfs_poll(file, &kick->poll) & EPOLLIN)
		hyvh_worker_wake(worker);
	return 0;
}
