/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worker of a vNIC: a kernel thread in the VMM's address space that rings
 * doorbells, arms CQs and delivers events, and that runs what others need done
 * in that address space.
 */
#ifndef HYVH_WORKER_H
#define HYVH_WORKER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct eventfd_ctx;
struct hyvh_vnic;
struct mm_struct;
struct task_struct;

/* Longest polling time that a VMM may ask for, in microseconds. */
#define HYVH_MAX_POLL_US	10000

/**
 * struct hyvh_kick - an eventfd whose signals wake the worker of a vNIC
 * @vnic: the vNIC
 * @ctx: the eventfd, or NULL if there is none
 * @file: keeps the eventfd from being released
 * @wait: on the eventfd's wait queue
 * @poll: to get there
 */
struct hyvh_kick {
	struct hyvh_vnic *vnic;
	struct eventfd_ctx *ctx;
	struct file *file;
	wait_queue_entry_t wait;
	poll_table poll;
};

/**
 * struct hyvh_worker - the thread and what wakes it
 */
struct hyvh_worker {
	struct task_struct *task;

	/* HYVH_WORKER_* bits, set by anyone who wants it to look. */
	unsigned long pending;

	/* Longest time to poll the doorbell area for; may change any time. */
	unsigned int poll_us;

	/* lock protects calls, the list of struct hyvh_worker_call. */
	spinlock_t lock;
	struct list_head calls;

	/* Doorbell kicks; changed under hyvh_vnic.setup_lock. */
	struct hyvh_kick kick;
};

int hyvh_worker_start(struct hyvh_vnic *vnic);
void hyvh_worker_stop(struct hyvh_vnic *vnic);
void hyvh_worker_wake(struct hyvh_vnic *vnic);
void hyvh_worker_call(struct hyvh_vnic *vnic, void (*fn)(struct hyvh_vnic *vnic));
int hyvh_kick_set(struct hyvh_kick *kick, struct hyvh_vnic *vnic, int fd);
void hyvh_kick_clear(struct hyvh_kick *kick);

#endif /* HYVH_WORKER_H */
