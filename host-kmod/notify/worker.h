/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worker: a kernel thread in the VMM's address space. It does what its
 * owner's operations say, and runs functions for others who need that address
 * space.
 */
#ifndef HYVH_WORKER_H
#define HYVH_WORKER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct eventfd_ctx;
struct hyvh_worker;
struct mm_struct;
struct task_struct;

/* Longest polling time that a VMM may set, in microseconds. */
#define HYVH_MAX_POLL_US	10000

/**
 * struct hyvh_worker_ops - what a worker works on
 * @run: do all pending work; returns true if there was any
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
	struct task_struct *task;	/* NULL before hyvh_worker_start() */
	/* Address space of the VMM; the owner holds a reference. */
	struct mm_struct *mm;
	unsigned long flags;		/* HYVH_WORKER_* bits */
	unsigned int poll_us;		/* maximum; may change at any time */
	/* Kicks of the doorbell queue; changed under hyvh_vnic.setup_lock. */
	struct hyvh_kick kick;

	spinlock_t lock;	/* protects calls */
	struct list_head calls;	/* struct hyvh_worker_call */
};

void hyvh_worker_init(struct hyvh_worker *worker,
		      const struct hyvh_worker_ops *ops, atomic64_t *kicks);
int hyvh_worker_start(struct hyvh_worker *worker, struct mm_struct *mm);
void hyvh_worker_stop(struct hyvh_worker *worker);
void hyvh_worker_wake(struct hyvh_worker *worker);
void hyvh_worker_call(struct hyvh_worker *worker,
		      void (*fn)(struct hyvh_worker *worker));
int hyvh_kick_set(struct hyvh_kick *kick, struct hyvh_worker *worker, int fd);
void hyvh_kick_clear(struct hyvh_kick *kick);

#endif /* HYVH_WORKER_H */
