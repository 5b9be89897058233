/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worker of a vNIC: a kernel thread in the VMM's address space that rings
 * doorbells, arms CQs and delivers events, and that runs what others need done
 * in that address space.
 */
#ifndef HYV_WORKER_H
#define HYV_WORKER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct eventfd_ctx;
struct hyv_vnic;
struct mm_struct;
struct task_struct;

/* Longest polling time that a VMM may ask for, in microseconds. */
#define HYV_MAX_POLL_US	10000

/**
 * struct hyv_kick - an eventfd whose signals wake the worker of a vNIC
 * @vnic: the vNIC
 * @ctx: the eventfd, or NULL if there is none
 * @file: keeps the eventfd from being released
 * @wait: on the eventfd's wait queue
 * @poll: to get there
 */
struct hyv_kick {
	struct hyv_vnic *vnic;
	struct eventfd_ctx *ctx;
	struct file *file;
	wait_queue_entry_t wait;
	poll_table poll;
};

/**
 * struct hyv_worker - the thread and what wakes it
 */
struct hyv_worker {
	struct task_struct *task;

	/* HYV_WORKER_* bits, set by anyone who wants it to look. */
	unsigned long pending;

	/* Longest time to poll the doorbell area for; may change any time. */
	unsigned int poll_us;

	/* lock protects calls, the list of struct hyv_worker_call. */
	spinlock_t lock;
	struct list_head calls;

	/* Doorbell kicks; changed under hyv_vnic.setup_lock. */
	struct hyv_kick kick;
};

int hyv_worker_start(struct hyv_vnic *vnic);
void hyv_worker_stop(struct hyv_vnic *vnic);
void hyv_worker_wake(struct hyv_vnic *vnic);
void hyv_worker_call(struct hyv_vnic *vnic, void (*fn)(struct hyv_vnic *vnic));
int hyv_kick_set(struct hyv_kick *kick, struct hyv_vnic *vnic, int fd);
void hyv_kick_clear(struct hyv_kick *kick);

#endif /* HYV_WORKER_H */
