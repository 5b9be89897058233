// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of events to the guest.
 *
 * Callbacks of the HCA, which may run with interrupts disabled, add an event to
 * a backlog without allocating memory. The worker moves it to the guest's event
 * queue as soon as there is a buffer. The worker uses the VMM's address space
 * only for that, and with page faults disabled, see memory/fault_in.h.
 */
#include <linux/eventfd.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>

#include "debug.h"
#include "memory/fault_in.h"
#include "memory/guest_mem.h"
#include "notify/counters.h"
#include "notify/events.h"
#include "notify/signal.h"
#include "trace.h"

/* Page faults in one delivery before the worker waits for a while. */
#define HYVH_EVENT_MAX_FAULTS	16
/* Messages of a queue before its lock is released, and others get their turn. */
#define HYVH_EVENT_BATCH	256

static const int hyvh_port_codes[HYVH_PORT_EVENTS] = {
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
	IB_EVENT_LID_CHANGE,
	IB_EVENT_PKEY_CHANGE,
	IB_EVENT_SM_CHANGE,
	IB_EVENT_CLIENT_REREGISTER,
	IB_EVENT_GID_CHANGE,
};

/* @events is zeroed. The other arguments live at least as long. */
void hyvh_events_init(struct hyvh_events *events, struct hyvh_worker *worker,
		      struct hyvh_guest_mem *mem,
		      struct hyvh_counters *counters)
{
	int i;

	events->worker = worker;
	events->mem = mem;
	events->counters = counters;
	hyvh_signal_init(&events->broken);
	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		hyvh_backlog_init(&events->queue[i].backlog);
		mutex_init(&events->queue[i].lock);
	}
	/* The other queues carry completions only. */
	for (i = 0; i < HYVH_SPARE_EVENTS; i++)
		hyvh_backlog_add_spare(&events->queue[0].backlog,
				       &events->spare[i]);
	hyvh_event_source_init(&events->device_fatal, HYV_EVENT_DEVICE,
			       IB_EVENT_DEVICE_FATAL, 0);
}

static struct hyvh_event_source *
hyvh_events_of_port(struct hyvh_events *events, unsigned int port)
{
	return &events->port[(port - 1) * HYVH_PORT_EVENTS];
}

/*
 * Make the event sources of an HCA's ports, while it may already raise events.
 * Returns 0 or -ENOMEM.
 */
int hyvh_events_set_ports(struct hyvh_events *events, unsigned int nr_ports)
{
	unsigned int port, i;

	events->port = kcalloc(nr_ports, sizeof(*events->port) *
			       HYVH_PORT_EVENTS, GFP_KERNEL_ACCOUNT);
	if (!events->port)
		return -ENOMEM;
	for (port = 1; port <= nr_ports; port++)
		for (i = 0; i < HYVH_PORT_EVENTS; i++)
			hyvh_event_source_init(hyvh_events_of_port(events,
								   port) + i,
					       HYV_EVENT_PORT,
					       hyvh_port_codes[i], port);
	/* Pairs with smp_load_acquire() in hyvh_events_raise_port(). */
	smp_store_release(&events->nr_ports, nr_ports);
	return 0;
}

/* Undo hyvh_events_set_ports(). Nothing can raise the events any longer. */
void hyvh_events_clear_ports(struct hyvh_events *events)
{
	unsigned int i;

	for (i = 0; i < events->nr_ports * HYVH_PORT_EVENTS; i++)
		hyvh_backlog_cancel(&events->queue[0].backlog,
				    &events->port[i]);
	kfree(events->port);
	events->port = NULL;
	events->nr_ports = 0;
}

void hyvh_events_free(struct hyvh_events *events)
{
	int i;

	hyvh_signal_set(&events->broken, NULL);
	hyvh_events_clear_ports(events);
	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		mutex_destroy(&events->queue[i].lock);
}

static int hyvh_event_ring_init(struct hyvh_vring *vring,
				const struct hyv_set_event_queue *arg,
				bool event_idx)
{
	int ret;

	if (arg->avail_index > U16_MAX || arg->num > HYVH_VRING_MAX_NUM)
		return -EINVAL;
	/* Before the first access, which may wait for other kinds of memory. */
	ret = hyvh_fault_in_check(arg->desc,
				  hyvh_vring_desc_bytes(arg->num)) ?:
	      hyvh_fault_in_check(arg->avail,
				  hyvh_vring_avail_bytes(arg->num)) ?:
	      hyvh_fault_in_check(arg->used,
				  hyvh_vring_used_bytes(arg->num));
	if (ret)
		return ret;
	return hyvh_vring_init(vring, arg->num, arg->desc, arg->avail,
			       arg->used, arg->avail_index, event_idx);
}

static int hyvh_event_queue_start(struct hyvh_events *events,
				  struct hyvh_event_queue *eq,
				  const struct hyv_set_event_queue *arg,
				  bool event_idx)
{
	struct eventfd_ctx *call;
	struct hyvh_vring vring;
	int ret;

	/* Only callers of this function set it, and they are serialised. */
	if (READ_ONCE(eq->running))
		return -EBUSY;
	/* Faults may wait for the VMM, so not with the lock held. */
	ret = hyvh_event_ring_init(&vring, arg, event_idx);
	if (ret)
		return ret;
	call = hyvh_signal_get(arg->call_fd);
	if (IS_ERR(call))
		return PTR_ERR(call);
	ret = hyvh_worker_start(events->worker);
	if (ret)
		goto err_call;
	ret = hyvh_kick_set(&eq->kick, events->worker, arg->kick_fd);
	if (ret)
		goto err_call;

	mutex_lock(&eq->lock);
	eq->vring = vring;
	eq->call = call;
	WRITE_ONCE(eq->running, true);
	mutex_unlock(&eq->lock);
	return 0;

err_call:
	if (call)
		eventfd_ctx_put(call);
	return ret;
}

static void hyvh_event_queue_stop(struct hyvh_event_queue *eq, u32 *avail_index)
{
	struct eventfd_ctx *call;

	hyvh_kick_clear(&eq->kick);
	mutex_lock(&eq->lock);
	*avail_index = eq->running ? eq->vring.last_avail : 0;
	call = eq->call;
	eq->call = NULL;
	WRITE_ONCE(eq->running, false);
	mutex_unlock(&eq->lock);
	if (call)
		eventfd_ctx_put(call);
}

/**
 * hyvh_events_set_queue() - start or stop an event queue
 * @events: events of an attached vNIC
 * @arg: ioctl argument; avail_index is set when the queue is stopped
 * @event_idx: VIRTIO_RING_F_EVENT_IDX was negotiated
 *
 * Context: Process context. May sleep. Runs in the VMM. Caller holds
 * hyvh_vnic.setup_lock.
 * Return: 0 or a negative errno of HYV_SET_EVENT_QUEUE.
 */
int hyvh_events_set_queue(struct hyvh_events *events,
			  struct hyv_set_event_queue *arg, bool event_idx)
{
	struct hyvh_event_queue *eq;
	int ret;

	if (arg->index >= events->nr_queues)
		return hyvh_refuse(events->vnic_id, -EINVAL,
				   "no event queue %u", arg->index);
	eq = &events->queue[arg->index];

	if (!arg->num) {
		if (arg->desc || arg->avail || arg->used)
			return hyvh_refuse(events->vnic_id, -EINVAL,
					   "rings of a queue to stop");
		hyvh_event_queue_stop(eq, &arg->avail_index);
		return 0;
	}
	ret = hyvh_event_queue_start(events, eq, arg, event_idx);
	if (ret)
		return hyvh_refuse(events->vnic_id, ret,
				   "cannot start event queue %u with %u entries",
				   arg->index, arg->num);
	hyvh_worker_wake(events->worker);
	return 0;
}

/* A snapshot: can events be delivered to the guest? */
bool hyvh_events_running(const struct hyvh_events *events)
{
	return READ_ONCE(events->queue[0].running);
}

/*
 * Stop all queues and drop all pending events of a vNIC without objects, whose
 * worker is paused.
 */
void hyvh_events_reset(struct hyvh_events *events)
{
	struct hyv_event ev;
	u32 avail_index;
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		hyvh_event_queue_stop(&events->queue[i], &avail_index);
		while (hyvh_backlog_pop(&events->queue[i].backlog, &ev))
			;
	}
	hyvh_signal_lower(&events->broken);
}

/**
 * hyvh_events_raise() - queue an event for delivery
 * @events: events of the vNIC
 * @queue: event queue, the same one for all calls with @source
 * @source: the event; the caller calls hyvh_events_cancel() before it frees it
 *
 * Context: Any context.
 */
void hyvh_events_raise(struct hyvh_events *events, unsigned int queue,
		       struct hyvh_event_source *source)
{
	trace_hyvh_event_raise(events->vnic_id, queue, source->type,
			       source->code, source->handle);
	if (hyvh_backlog_raise(&events->queue[queue].backlog, source))
		hyvh_worker_wake(events->worker);
}

/**
 * hyvh_events_raise_code() - queue an async event of an object for delivery
 * @events: events of the vNIC
 * @sources: all async events of the object, see hyvh_events_raise()
 * @nr: elements of @sources
 * @code: enum ib_event_type; ignored if no source has this code
 *
 * Context: Any context.
 */
void hyvh_events_raise_code(struct hyvh_events *events,
			    struct hyvh_event_source *sources, unsigned int nr,
			    int code)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (sources[i].code == code)
			hyvh_events_raise(events, 0, &sources[i]);
}

/* Like hyvh_events_raise_code(), for port number @port of the HCA. */
void hyvh_events_raise_port(struct hyvh_events *events, unsigned int port,
			    int code)
{
	/* Pairs with smp_store_release() in hyvh_events_set_ports(). */
	if (port && port <= smp_load_acquire(&events->nr_ports))
		hyvh_events_raise_code(events,
				       hyvh_events_of_port(events, port),
				       HYVH_PORT_EVENTS, code);
}

/**
 * hyvh_events_cancel() - drop the events of an object that is destroyed
 * @events: events of the vNIC
 * @queue: event queue of the sources
 * @sources: the object's events, which nothing raises any longer
 * @nr: elements of @sources
 *
 * After return no event of the object is written to a guest buffer.
 *
 * Context: Process context. May sleep.
 */
void hyvh_events_cancel(struct hyvh_events *events, unsigned int queue,
			struct hyvh_event_source *sources, unsigned int nr)
{
	struct hyvh_event_queue *eq = &events->queue[queue];
	unsigned int i;

	/* Wait for one message, not for a batch. */
	atomic_inc(&eq->waiters);
	mutex_lock(&eq->lock);
	atomic_dec(&eq->waiters);
	for (i = 0; i < nr; i++)
		hyvh_backlog_cancel(&eq->backlog, &sources[i]);
	mutex_unlock(&eq->lock);
}

static int hyvh_event_hva(void *arg, u64 gpa, u64 len, u64 *hva, u64 *run)
{
	return hyvh_mem_table_translate(arg, gpa, len, hva, run);
}

/*
 * Deliver until the backlog is empty. Adds the number of messages to @n.
 * Returns 0, -ENOBUFS if the guest's buffers are used up, or an error of the
 * ring.
 *
 * If others wait for the lock, end after a message, not before: without any, the worker
 * would take the backlog for empty and sleep, and nobody would wake it.
 */
static int hyvh_event_queue_push(struct hyvh_events *events,
				 struct hyvh_event_queue *eq,
				 struct hyvh_mem_table *table, unsigned int *n)
{
	struct hyvh_pending_event *event;
	struct hyv_event ev;
	int ret;

	lockdep_assert_held(&eq->lock);
	/* Other queues and doorbells must get their turn, too. */
	while (*n < HYVH_EVENT_BATCH && !(*n && atomic_read(&eq->waiters)) &&
	       !hyvh_worker_should_end(events->worker)) {
		/* A message may cost the walk of a chain of 64 Ki descriptors. */
		cond_resched();
		event = hyvh_backlog_peek(&eq->backlog, &ev);
		if (!event)
			return 0;
		ret = hyvh_vring_push(&eq->vring, hyvh_event_hva, table, &ev,
				      sizeof(ev));
		if (ret)
			return ret;
		hyvh_backlog_done(&eq->backlog, event, &ev);
		trace_hyvh_event_deliver(events->vnic_id, eq - events->queue,
					 le16_to_cpu(ev.type),
					 le16_to_cpu(ev.code),
					 le32_to_cpu(ev.handle),
					 le32_to_cpu(ev.count));
		(*n)++;
	}
	return 0;
}

/* The same, but brings in missing pages. Returns -EAGAIN if that takes time. */
static int hyvh_event_queue_fill(struct hyvh_events *events,
				 struct hyvh_event_queue *eq,
				 struct hyvh_mem_table *table, unsigned int *n)
{
	int faults, ret;

	for (faults = 0; faults < HYVH_EVENT_MAX_FAULTS; faults++) {
		pagefault_disable();
		ret = hyvh_event_queue_push(events, eq, table, n);
		pagefault_enable();
		if (ret != -EFAULT)
			return ret;
		ret = hyvh_fault_in(events->mm, eq->vring.fault_addr,
				    eq->vring.fault_len);
		if (ret)
			return ret;
	}
	return -EAGAIN;
}

static void hyvh_event_queue_interrupt(struct hyvh_events *events,
				       struct hyvh_event_queue *eq)
{
	bool wanted;

	lockdep_assert_held(&eq->lock);
	pagefault_disable();
	wanted = hyvh_vring_need_interrupt(&eq->vring);
	pagefault_enable();
	if (!wanted || !eq->call)
		return;
	atomic64_inc(&events->counters->interrupts);
	eventfd_signal(eq->call);
}

static void hyvh_event_queue_break(struct hyvh_events *events,
				   struct hyvh_event_queue *eq, int err)
{
	lockdep_assert_held(&eq->lock);
	eq->vring.broken = true;
	hyvh_dbg(events->vnic_id, "event queue %td is broken: %pe",
		 eq - events->queue, ERR_PTR(err));
	hyvh_signal_raise(&events->broken);
}

static bool hyvh_event_queue_deliver(struct hyvh_events *events,
				     struct hyvh_event_queue *eq)
{
	struct hyvh_mem_table *table;
	unsigned int n = 0;
	int ret;

	mutex_lock(&eq->lock);
	if (!eq->running || eq->vring.broken ||
	    hyvh_backlog_empty(&eq->backlog))
		goto out;
	table = hyvh_guest_mem_get(events->mem);
	if (!table)
		goto out;
	ret = hyvh_event_queue_fill(events, eq, table, &n);
	hyvh_mem_table_put(table);
	if (n) {
		atomic64_add(n, &events->counters->events);
		hyvh_event_queue_interrupt(events, eq);
	}
	if (ret == -EAGAIN)
		hyvh_worker_retry(events->worker);
	else if (ret == -ENOBUFS)
		atomic64_inc(&events->counters->event_stalls);
	else if (ret)
		hyvh_event_queue_break(events, eq, ret);
out:
	mutex_unlock(&eq->lock);
	return n;
}

/* A hint: is there anything to deliver? */
static bool hyvh_events_pending(struct hyvh_events *events)
{
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		if (READ_ONCE(events->queue[i].running) &&
		    !hyvh_backlog_empty(&events->queue[i].backlog))
			return true;
	return false;
}

/*
 * Write pending events to guest buffers, in the worker. Events stay pending
 * while their queue is stopped or has no buffer. Returns true if any was
 * delivered.
 */
bool hyvh_events_deliver(struct hyvh_events *events)
{
	bool any = false;
	int i;

	if (!hyvh_events_pending(events) || !mmget_not_zero(events->mm))
		return false;
	kthread_use_mm(events->mm);
	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		any |= hyvh_event_queue_deliver(events, &events->queue[i]);
	kthread_unuse_mm(events->mm);
	/* If the VMM is gone by now, taking down its memory may take long. */
	mmput_async(events->mm);
	return any;
}
