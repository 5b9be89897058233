// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worker of a vNIC.
 *
 * It polls the doorbell area as long as that pays, asks for kicks when it goes
 * to sleep, and rings the HCA's doorbells on behalf of the guest. As it lives
 * in the VMM's address space, it also fills the guest's event queues and runs
 * teardown, which has to touch the window.
 */
#include <linux/atomic.h>
#include <linux/cgroup.h>
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/stat.h>
#include <rdma/ib_verbs.h>

#include "verbs.h"
#include "vnic.h"
#include "worker.h"

/* Bits of hyv_worker.pending. */
enum {
	HYV_WORKER_LOOK,	/* doorbells, events or calls may be waiting */
};

/* Shortest time to poll for once polling has paid, in microseconds. */
#define HYV_POLL_START_US	8

struct hyv_worker_call {
	struct list_head link;
	void (*fn)(struct hyv_vnic *vnic);
	struct completion done;
};

/**
 * hyv_worker_wake() - make the worker look at everything
 * @vnic: the vNIC
 *
 * Context: Any, also with interrupts off.
 */
void hyv_worker_wake(struct hyv_vnic *vnic)
{
	if (!test_and_set_bit(HYV_WORKER_LOOK, &vnic->worker.pending))
		wake_up_process(vnic->worker.task);
}

/**
 * hyv_worker_call() - run a function in the worker and wait for it
 * @vnic: the vNIC
 * @fn: runs in process context in the VMM's address space; may sleep
 *
 * Context: Process context; not in the worker. May sleep.
 */
void hyv_worker_call(struct hyv_vnic *vnic, void (*fn)(struct hyv_vnic *vnic))
{
	struct hyv_worker *worker = &vnic->worker;
	struct hyv_worker_call call = { .fn = fn };

	init_completion(&call.done);
	spin_lock(&worker->lock);
	list_add_tail(&call.link, &worker->calls);
	spin_unlock(&worker->lock);
	hyv_worker_wake(vnic);
	wait_for_completion(&call.done);
}

static bool hyv_worker_run_calls(struct hyv_vnic *vnic)
{
	struct hyv_worker *worker = &vnic->worker;
	struct hyv_worker_call *call;
	bool any = false;

	for (;;) {
		spin_lock(&worker->lock);
		call = list_first_entry_or_null(&worker->calls,
						struct hyv_worker_call, link);
		if (call)
			list_del(&call->link);
		spin_unlock(&worker->lock);
		if (!call)
			return any;
		call->fn(vnic);
		complete(&call->done);
		any = true;
	}
}

static void hyv_worker_ring(void *arg, u32 slot)
{
	hyv_qp_ring(arg, slot);
	cond_resched();
}

static void hyv_worker_arm(void *arg, u32 slot)
{
	hyv_cq_arm(arg, slot, IB_CQ_NEXT_COMP);
	cond_resched();
}

static void hyv_worker_arm_solicited(void *arg, u32 slot)
{
	hyv_cq_arm(arg, slot, IB_CQ_SOLICITED);
	cond_resched();
}

/*
 * Arming comes first: a guest that arms a CQ and then posts what completes on
 * it must see the event. A CQ that is asked for both ways is armed for the
 * next completion last, which includes the solicited ones.
 */
static bool hyv_worker_doorbells(struct hyv_vnic *vnic)
{
	struct hyv_doorbell_area *area;
	unsigned int n;

	/* Pairs with smp_store_release() in hyv_cmd_setup_doorbells(). */
	area = smp_load_acquire(&vnic->doorbells);
	if (!area)
		return false;
	n = hyv_dbmap_drain(&area->solicited, true, hyv_worker_arm_solicited,
			    vnic);
	n += hyv_dbmap_drain(&area->arm, true, hyv_worker_arm, vnic);
	n += hyv_dbmap_drain(&area->sq, false, hyv_worker_ring, vnic);
	return n;
}

static bool hyv_worker_doorbells_pending(struct hyv_vnic *vnic)
{
	struct hyv_doorbell_area *area = vnic->doorbells;

	return area && (hyv_dbmap_pending(&area->solicited) ||
			hyv_dbmap_pending(&area->arm) ||
			hyv_dbmap_pending(&area->sq));
}

static void hyv_worker_want_kicks(struct hyv_vnic *vnic, bool want)
{
	struct hyv_doorbell_area *area = vnic->doorbells;

	if (area)
		WRITE_ONCE(area->hdr->kick_wanted, cpu_to_le32(want));
}

/* One look at everything; true if there was something to do. */
static bool hyv_worker_look(struct hyv_vnic *vnic)
{
	bool any;

	clear_bit(HYV_WORKER_LOOK, &vnic->worker.pending);
	/* Pairs with the atomic bit operation in hyv_worker_wake(). */
	smp_mb__after_atomic();

	any = hyv_worker_run_calls(vnic);
	any |= hyv_worker_doorbells(vnic);
	any |= hyv_events_deliver(vnic);
	return any;
}

static bool hyv_worker_may_poll(struct hyv_vnic *vnic, ktime_t end)
{
	return vnic->doorbells && !need_resched() && single_task_running() &&
	       ktime_before(ktime_get(), end);
}

static void hyv_worker_sleep(struct hyv_vnic *vnic)
{
	struct hyv_worker *worker = &vnic->worker;

	hyv_worker_want_kicks(vnic, true);
	set_current_state(TASK_INTERRUPTIBLE);
	/*
	 * set_current_state() is a full barrier: either a guest sees
	 * kick_wanted after it has set its bit, or its bit is seen here.
	 */
	if (!test_bit(HYV_WORKER_LOOK, &worker->pending) &&
	    !kthread_should_stop() && !hyv_worker_doorbells_pending(vnic))
		schedule();
	__set_current_state(TASK_RUNNING);
	hyv_worker_want_kicks(vnic, false);
}

static int hyv_worker_main(void *data)
{
	struct hyv_vnic *vnic = data;
	struct hyv_worker *worker = &vnic->worker;
	unsigned int budget = 0;
	bool paid;
	ktime_t end;

	kthread_use_mm(vnic->mm);
	while (!kthread_should_stop()) {
		/* A guest can keep it from sleeping without work for it. */
		cond_resched();
		if (hyv_worker_look(vnic))
			continue;

		/* Poll longer after polling has paid, shorter after not. */
		budget = min(budget, READ_ONCE(worker->poll_us));
		end = ktime_add_us(ktime_get(), budget);
		paid = false;
		while (!paid && hyv_worker_may_poll(vnic, end)) {
			cpu_relax();
			paid = test_bit(HYV_WORKER_LOOK, &worker->pending) ||
			       hyv_worker_doorbells_pending(vnic);
		}
		if (paid) {
			budget = max_t(unsigned int, 2 * budget,
				       HYV_POLL_START_US);
			continue;
		}
		budget /= 2;
		hyv_worker_sleep(vnic);
		budget = max_t(unsigned int, budget, HYV_POLL_START_US);
	}
	kthread_unuse_mm(vnic->mm);
	return 0;
}

/**
 * hyv_worker_start() - create the worker
 * @vnic: a vNIC whose mm is set
 *
 * The thread joins the cgroups of the caller, who thus pays for it.
 *
 * Context: Process context of the VMM. May sleep.
 * Return: 0 or a negative errno.
 */
int hyv_worker_start(struct hyv_vnic *vnic)
{
	struct hyv_worker *worker = &vnic->worker;
	struct task_struct *task;
	int ret;

	spin_lock_init(&worker->lock);
	INIT_LIST_HEAD(&worker->calls);

	task = kthread_create(hyv_worker_main, vnic, "hyv-%d",
			      task_tgid_nr(current));
	if (IS_ERR(task))
		return PTR_ERR(task);
	ret = cgroup_attach_task_all(current, task);
	if (ret) {
		kthread_stop(task);
		return ret;
	}
	worker->task = task;
	wake_up_process(task);
	return 0;
}

/**
 * hyv_worker_stop() - end the worker
 * @vnic: a vNIC with a worker and nothing left that could wake it
 *
 * Context: Process context; not in the worker. May sleep.
 */
void hyv_worker_stop(struct hyv_vnic *vnic)
{
	kthread_stop(vnic->worker.task);
	vnic->worker.task = NULL;
}

static int hyv_kick_wake(wait_queue_entry_t *wait, unsigned int mode, int sync,
			 void *key)
{
	struct hyv_kick *kick = container_of(wait, struct hyv_kick, wait);

	if (key_to_poll(key) & EPOLLIN) {
		atomic64_inc(&kick->vnic->counters.kicks);
		hyv_worker_wake(kick->vnic);
	}
	return 0;
}

static void hyv_kick_queue(struct file *file, wait_queue_head_t *wqh,
			   poll_table *pt)
{
	struct hyv_kick *kick = container_of(pt, struct hyv_kick, poll);

	add_wait_queue(wqh, &kick->wait);
}

/**
 * hyv_kick_clear() - stop listening to an eventfd
 * @kick: may be clear already
 *
 * Context: Process context; under the lock that protects @kick.
 */
void hyv_kick_clear(struct hyv_kick *kick)
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
 * hyv_kick_set() - listen to an eventfd, or to none
 * @kick: what it listened to before is forgotten unless the call fails
 * @vnic: the vNIC to wake
 * @fd: eventfd of the caller, or -1
 *
 * Context: Process context of the VMM; under the lock that protects @kick.
 * Return: 0, -EBADF or -EINVAL.
 */
int hyv_kick_set(struct hyv_kick *kick, struct hyv_vnic *vnic, int fd)
{
	struct eventfd_ctx *ctx;
	struct file *file;

	if (fd < -1)
		return -EINVAL;
	if (fd == -1) {
		hyv_kick_clear(kick);
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

	hyv_kick_clear(kick);
	kick->vnic = vnic;
	kick->ctx = ctx;
	kick->file = file;
	init_waitqueue_func_entry(&kick->wait, hyv_kick_wake);
	init_poll_funcptr(&kick->poll, hyv_kick_queue);
	if (vfs_poll(file, &kick->poll) & EPOLLIN)
		hyv_worker_wake(vnic);
	return 0;
}
