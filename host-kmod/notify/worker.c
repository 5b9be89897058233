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

#include "verbs/verbs.h"
#include "vnic.h"
#include "notify/worker.h"

/* Bits of hyvh_worker.pending. */
enum {
	HYVH_WORKER_LOOK,	/* doorbells, events or calls may be waiting */
};

/* Shortest time to poll for once polling has paid, in microseconds. */
#define HYVH_POLL_START_US	8

struct hyvh_worker_call {
	struct list_head link;
	void (*fn)(struct hyvh_vnic *vnic);
	struct completion done;
};

/**
 * hyvh_worker_wake() - make the worker look at everything
 * @vnic: the vNIC
 *
 * Context: Any, also with interrupts off.
 */
void hyvh_worker_wake(struct hyvh_vnic *vnic)
{
	if (!test_and_set_bit(HYVH_WORKER_LOOK, &vnic->worker.pending))
		wake_up_process(vnic->worker.task);
}

/**
 * hyvh_worker_call() - run a function in the worker and wait for it
 * @vnic: the vNIC
 * @fn: runs in process context in the VMM's address space; may sleep
 *
 * Context: Process context; not in the worker. May sleep.
 */
void hyvh_worker_call(struct hyvh_vnic *vnic, void (*fn)(struct hyvh_vnic *vnic))
{
	struct hyvh_worker *worker = &vnic->worker;
	struct hyvh_worker_call call = { .fn = fn };

	init_completion(&call.done);
	spin_lock(&worker->lock);
	list_add_tail(&call.link, &worker->calls);
	spin_unlock(&worker->lock);
	hyvh_worker_wake(vnic);
	wait_for_completion(&call.done);
}

static bool hyvh_worker_run_calls(struct hyvh_vnic *vnic)
{
	struct hyvh_worker *worker = &vnic->worker;
	struct hyvh_worker_call *call;
	bool any = false;

	for (;;) {
		spin_lock(&worker->lock);
		call = list_first_entry_or_null(&worker->calls,
						struct hyvh_worker_call, link);
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

static void hyvh_worker_ring(void *arg, u32 slot)
{
	hyvh_qp_ring(arg, slot);
	cond_resched();
}

static void hyvh_worker_arm(void *arg, u32 slot)
{
	hyvh_cq_arm(arg, slot, IB_CQ_NEXT_COMP);
	cond_resched();
}

static void hyvh_worker_arm_solicited(void *arg, u32 slot)
{
	hyvh_cq_arm(arg, slot, IB_CQ_SOLICITED);
	cond_resched();
}

/*
 * Arming comes first: a guest that arms a CQ and then posts what completes on
 * it must see the event. A CQ that is asked for both ways is armed for the
 * next completion last, which includes the solicited ones.
 */
static bool hyvh_worker_doorbells(struct hyvh_vnic *vnic)
{
	struct hyvh_doorbell_area *area;
	unsigned int n;

	/* Pairs with smp_store_release() in hyvh_cmd_setup_doorbells(). */
	area = smp_load_acquire(&vnic->doorbells);
	if (!area)
		return false;
	n = hyvh_doorbell_map_drain(&area->solicited, true, hyvh_worker_arm_solicited,
			     vnic);
	n += hyvh_doorbell_map_drain(&area->arm, true, hyvh_worker_arm, vnic);
	n += hyvh_doorbell_map_drain(&area->sq, false, hyvh_worker_ring, vnic);
	return n;
}

static bool hyvh_worker_doorbells_pending(struct hyvh_vnic *vnic)
{
	struct hyvh_doorbell_area *area = vnic->doorbells;

	return area && (hyvh_doorbell_map_pending(&area->solicited) ||
			hyvh_doorbell_map_pending(&area->arm) ||
			hyvh_doorbell_map_pending(&area->sq));
}

static void hyvh_worker_want_kicks(struct hyvh_vnic *vnic, bool want)
{
	struct hyvh_doorbell_area *area = vnic->doorbells;

	if (area)
		WRITE_ONCE(area->hdr->kick_wanted, cpu_to_le32(want));
}

/* One look at everything; true if there was something to do. */
static bool hyvh_worker_look(struct hyvh_vnic *vnic)
{
	bool any;

	clear_bit(HYVH_WORKER_LOOK, &vnic->worker.pending);
	/* Pairs with the atomic bit operation in hyvh_worker_wake(). */
	smp_mb__after_atomic();

	any = hyvh_worker_run_calls(vnic);
	any |= hyvh_worker_doorbells(vnic);
	any |= hyvh_events_deliver(vnic);
	return any;
}

static bool hyvh_worker_may_poll(struct hyvh_vnic *vnic, ktime_t end)
{
	return vnic->doorbells && !need_resched() && single_task_running() &&
	       ktime_before(ktime_get(), end);
}

static void hyvh_worker_sleep(struct hyvh_vnic *vnic)
{
	struct hyvh_worker *worker = &vnic->worker;

	hyvh_worker_want_kicks(vnic, true);
	set_current_state(TASK_INTERRUPTIBLE);
	/*
	 * set_current_state() is a full barrier: either a guest sees
	 * kick_wanted after it has set its bit, or its bit is seen here.
	 */
	if (!test_bit(HYVH_WORKER_LOOK, &worker->pending) &&
	    !kthread_should_stop() && !hyvh_worker_doorbells_pending(vnic))
		schedule();
	__set_current_state(TASK_RUNNING);
	hyvh_worker_want_kicks(vnic, false);
}

static int hyvh_worker_main(void *data)
{
	struct hyvh_vnic *vnic = data;
	struct hyvh_worker *worker = &vnic->worker;
	unsigned int budget = 0;
	bool paid;
	ktime_t end;

	kthread_use_mm(vnic->mm);
	while (!kthread_should_stop()) {
		/* A guest can keep it from sleeping without work for it. */
		cond_resched();
		if (hyvh_worker_look(vnic))
			continue;

		/* Poll longer after polling has paid, shorter after not. */
		budget = min(budget, READ_ONCE(worker->poll_us));
		end = ktime_add_us(ktime_get(), budget);
		paid = false;
		while (!paid && hyvh_worker_may_poll(vnic, end)) {
			cpu_relax();
			paid = test_bit(HYVH_WORKER_LOOK, &worker->pending) ||
			       hyvh_worker_doorbells_pending(vnic);
		}
		if (paid) {
			budget = max_t(unsigned int, 2 * budget,
				       HYVH_POLL_START_US);
			continue;
		}
		budget /= 2;
		hyvh_worker_sleep(vnic);
		budget = max_t(unsigned int, budget, HYVH_POLL_START_US);
	}
	kthread_unuse_mm(vnic->mm);
	return 0;
}

/**
 * hyvh_worker_start() - create the worker
 * @vnic: a vNIC whose mm is set
 *
 * The thread joins the cgroups of the caller, who thus pays for it.
 *
 * Context: Process context of the VMM. May sleep.
 * Return: 0 or a negative errno.
 */
int hyvh_worker_start(struct hyvh_vnic *vnic)
{
	struct hyvh_worker *worker = &vnic->worker;
	struct task_struct *task;
	int ret;

	spin_lock_init(&worker->lock);
	INIT_LIST_HEAD(&worker->calls);

	task = kthread_create(hyvh_worker_main, vnic, "hyv-%d",
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
 * hyvh_worker_stop() - end the worker
 * @vnic: a vNIC with a worker and nothing left that could wake it
 *
 * Context: Process context; not in the worker. May sleep.
 */
void hyvh_worker_stop(struct hyvh_vnic *vnic)
{
	kthread_stop(vnic->worker.task);
	vnic->worker.task = NULL;
}

static int hyvh_kick_wake(wait_queue_entry_t *wait, unsigned int mode, int sync,
			  void *key)
{
	struct hyvh_kick *kick = container_of(wait, struct hyvh_kick, wait);

	if (key_to_poll(key) & EPOLLIN) {
		atomic64_inc(&kick->vnic->counters.kicks);
		hyvh_worker_wake(kick->vnic);
	}
	return 0;
}

static void hyvh_kick_queue(struct file *file, wait_queue_head_t *wqh,
			    poll_table *pt)
{
	struct hyvh_kick *kick = container_of(pt, struct hyvh_kick, poll);

	add_wait_queue(wqh, &kick->wait);
}

/**
 * hyvh_kick_clear() - stop listening to an eventfd
 * @kick: may be clear already
 *
 * Context: Process context; under the lock that protects @kick.
 */
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
 * hyvh_kick_set() - listen to an eventfd, or to none
 * @kick: what it listened to before is forgotten unless the call fails
 * @vnic: the vNIC to wake
 * @fd: eventfd of the caller, or -1
 *
 * Context: Process context of the VMM; under the lock that protects @kick.
 * Return: 0, -EBADF or -EINVAL.
 */
int hyvh_kick_set(struct hyvh_kick *kick, struct hyvh_vnic *vnic, int fd)
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
	kick->vnic = vnic;
	kick->ctx = ctx;
	kick->file = file;
	init_waitqueue_func_entry(&kick->wait, hyvh_kick_wake);
	init_poll_funcptr(&kick->poll, hyvh_kick_queue);
	if (vfs_poll(file, &kick->poll) & EPOLLIN)
		hyvh_worker_wake(vnic);
	return 0;
}
