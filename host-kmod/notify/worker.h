/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worker: a kernel thread that does what its owner's operations say. It
 * never waits for the VMM or the guest, so it can be stopped at any time.
 */
#ifndef HYVH_WORKER_H
#define HYVH_WORKER_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct eventfd_ctx;
struct hyvh_worker;
struct task_struct;

/* Longest polling time that a VMM may set, in microseconds. */
#define HYVH_MAX_POLL_US	10000

/**
 * struct hyvh_worker_ops - what a worker works on
 * @run: do all pending work; returns true if there was any; may call
 *	hyvh_worker_retry()
 * @can_poll: check for a source of work that sends no wake-ups while it is
 *	polled
 * @pending: check that source for work
 * @want_kicks: set whether that source sends wake-ups
 *
 * Called in the worker only, in process context. @run may sleep.
 */
struct hyvh_worker_ops {
	bool (*run)(struct hyvh_worker *worker);
	bool (*can_poll)(struct hyvh_worker *worker);
	bool (*pending)(struct hyvh_worker *worker);
	void (*want_kicks)(struct hyvh_worker *worker, bool want);
};

/* An eventfd that wakes a worker. */
struct hyvh_kick {
	struct hyvh_worker *worker;
	struct eventfd_ctx *ctx;	/* NULL if none is set */
	struct file *file;		/* keeps the eventfd alive */
	wait_queue_entry_t wait;	/* in the eventfd's wait queue */
	poll_table poll;		/* finds that wait queue */
};

/* The thread and its wake-ups. */
struct hyvh_worker {
	const struct hyvh_worker_ops *ops;
	atomic64_t *kicks;		/* counts the wake-ups by eventfds */
	unsigned long flags;		/* HYVH_WORKER_* bits */
	unsigned int poll_us;		/* maximum; may change at any time */
	struct hyvh_kick kick;		/* of the doorbell queue; callers serialise */

	/* Used by the thread only. */
	bool retry;
	unsigned int retry_ms;

	/* Protects the next three, and changes of task. */
	struct mutex control_lock;
	bool paused;
	bool rescued;			/* real-time until it is resumed */
	bool starved;			/* see notify/follow.h */
	spinlock_t lock;		/* protects task; hardirq-safe */
	struct task_struct *task;	/* NULL unless the thread exists */
};

void hyvh_worker_init(struct hyvh_worker *worker,
		      const struct hyvh_worker_ops *ops, atomic64_t *kicks);
void hyvh_worker_uninit(struct hyvh_worker *worker);
int hyvh_worker_start(struct hyvh_worker *worker);
int hyvh_worker_restart(struct hyvh_worker *worker);
void hyvh_worker_pause(struct hyvh_worker *worker);
void hyvh_worker_resume(struct hyvh_worker *worker);
void hyvh_worker_abandon(struct hyvh_worker *worker);
bool hyvh_worker_should_end(const struct hyvh_worker *worker);
void hyvh_worker_stop(struct hyvh_worker *worker);
void hyvh_worker_wake(struct hyvh_worker *worker);
int hyvh_kick_set(struct hyvh_kick *kick, struct hyvh_worker *worker, int fd);
void hyvh_kick_clear(struct hyvh_kick *kick);

/*
 * For hyvh_worker_ops.run: there is work that cannot be done yet, and nothing
 * wakes the worker when it can.
 */
static inline void hyvh_worker_retry(struct hyvh_worker *worker)
{
	worker->retry = true;
}

#endif /* HYVH_WORKER_H */
