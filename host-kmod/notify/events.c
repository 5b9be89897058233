// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of events to the guest.
 *
 * Callbacks of the HCA, which may run with interrupts disabled, add an event to
 * a backlog without allocating memory. The worker moves it to the guest's event
 * queue as soon as there is a buffer.
 */
#include <linux/eventfd.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "debug.h"
#include "memory/guest_mem.h"
#include "notify/counters.h"
#include "notify/events.h"
#include "trace.h"

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
	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		hyvh_backlog_init(&events->queue[i].backlog);
		mutex_init(&events->queue[i].lock);
	}
	/* The other queues carry completions only. */
	for (i = 0; i < HYVH_SPARE_EVENTS; i++)
		hyvh_backlog_add_spare(&events->queue[0].backlog,
				       &events->spare[i]);
	events->nr_queues = 1;
	hyvh_event_source_init(&events->device_fatal, HYV_EVENT_DEVICE,
			       IB_EVENT_DEVICE_FATAL, 0);
}

static struct hyvh_event_source *
hyvh_events_of_port(struct hyvh_events *events, unsigned int port)
{
	return &events->port[(port - 1) * HYVH_PORT_EVENTS];
}

/* Make the event sources of an HCA's ports. Returns 0 or -ENOMEM. */
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
	events->nr_ports = nr_ports;
	return 0;
}

/* Nothing can raise the events any longer, and the backlogs are empty. */
void hyvh_events_clear_ports(struct hyvh_events *events)
{
	kfree(events->port);
	events->port = NULL;
	events->nr_ports = 0;
}

void hyvh_events_free(struct hyvh_events *events)
{
	int i;

	hyvh_events_clear_ports(events);
	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		mutex_destroy(&events->queue[i].lock);
}

static void hyvh_event_queue_stop(struct hyvh_event_queue *eq)
{
	lockdep_assert_held(&eq->lock);
	hyvh_kick_clear(&eq->kick);
	if (eq->call)
		eventfd_ctx_put(eq->call);
	eq->call = NULL;
	eq->running = false;
}

static int hyvh_event_queue_start(struct hyvh_events *events,
				  struct hyvh_event_queue *eq,
				  const struct hyv_set_event_queue *arg,
				  bool event_idx)
{
	struct eventfd_ctx *call = NULL;
	int ret;

	lockdep_assert_held(&eq->lock);
	if (eq->running)
		return -EBUSY;
	if (arg->avail_index > U16_MAX || arg->call_fd < -1)
		return -EINVAL;

	if (arg->call_fd >= 0) {
		call = eventfd_ctx_fdget(arg->call_fd);
		if (IS_ERR(call))
			return PTR_ERR(call);
	}
	ret = hyvh_vring_init(&eq->vring, arg->num, arg->desc, arg->avail,
			      arg->used, arg->avail_index, event_idx);
	if (!ret)
		ret = hyvh_kick_set(&eq->kick, events->worker, arg->kick_fd);
	if (ret)
		goto err_call;
	eq->call = call;
	eq->running = true;
	return 0;

err_call:
	if (call)
		eventfd_ctx_put(call);
	return ret;
}

/**
 * hyvh_events_set_queue() - start or stop an event queue
 * @events: events of an attached vNIC
 * @arg: ioctl argument; avail_index is set when the queue is stopped
 * @event_idx: VIRTIO_RING_F_EVENT_IDX was negotiated
 *
 * Context: Process context. May sleep. Runs in the VMM. Caller holds
 * hyvh_vnic.setup_lock and hyvh_vnic.teardown_rwsem.
 * Return: 0 or a negative errno of HYV_SET_EVENT_QUEUE.
 */
int hyvh_events_set_queue(struct hyvh_events *events,
			  struct hyv_set_event_queue *arg, bool event_idx)
{
	struct hyvh_event_queue *eq;
	int ret = 0;

	if (arg->index >= HYV_MAX_EVENT_QUEUES)
		return hyvh_refuse(events->vnic_id, -EINVAL,
				   "no event queue %u", arg->index);
	eq = &events->queue[arg->index];

	mutex_lock(&eq->lock);
	if (arg->num) {
		ret = hyvh_event_queue_start(events, eq, arg, event_idx);
	} else {
		arg->avail_index = eq->running ? eq->vring.last_avail : 0;
		hyvh_event_queue_stop(eq);
	}
	mutex_unlock(&eq->lock);
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

/* Stop all queues and drop all pending events of a vNIC without objects. */
void hyvh_events_reset(struct hyvh_events *events)
{
	struct hyvh_event_queue *eq;
	struct hyv_event ev;
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		eq = &events->queue[i];
		mutex_lock(&eq->lock);
		hyvh_event_queue_stop(eq);
		while (hyvh_backlog_pop(&eq->backlog, &ev))
			;
		mutex_unlock(&eq->lock);
	}
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
	if (port && port <= events->nr_ports)
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

	/* Wait for a delivery that has already taken an event. */
	mutex_lock(&eq->lock);
	for (i = 0; i < nr; i++)
		hyvh_backlog_cancel(&eq->backlog, &sources[i]);
	mutex_unlock(&eq->lock);
}

static int hyvh_event_hva(void *arg, u64 gpa, u64 len, u64 *hva)
{
	u64 run;
	int ret;

	ret = hyvh_mem_table_translate(arg, gpa, len, hva, &run);
	if (ret)
		return ret;
	return run < len ? -EFAULT : 0;
}

/* Deliver until the backlog is empty or the guest's buffers are used up. */
static unsigned int hyvh_event_queue_push(struct hyvh_events *events,
					  struct hyvh_event_queue *eq,
					  struct hyvh_mem_table *table)
{
	struct hyv_event ev;
	unsigned int n = 0;
	int ret = 0;

	while (n < eq->vring.num) {
		ret = hyvh_vring_ready(&eq->vring);
		if (ret || !hyvh_backlog_pop(&eq->backlog, &ev))
			break;
		ret = hyvh_vring_push(&eq->vring, hyvh_event_hva, table, &ev,
				      sizeof(ev));
		if (ret)
			break;
		trace_hyvh_event_deliver(events->vnic_id, eq - events->queue,
					 le16_to_cpu(ev.type),
					 le16_to_cpu(ev.code),
					 le32_to_cpu(ev.handle),
					 le32_to_cpu(ev.count));
		n++;
	}
	if (ret == -ENOBUFS)
		atomic64_inc(&events->counters->event_stalls);
	else if (ret)
		hyvh_dbg(events->vnic_id, "event queue %td is broken: %pe",
			 eq - events->queue, ERR_PTR(ret));
	return n;
}

static bool hyvh_event_queue_deliver(struct hyvh_events *events,
				     struct hyvh_event_queue *eq)
{
	struct hyvh_mem_table *table;
	unsigned int n = 0;

	if (hyvh_backlog_empty(&eq->backlog))
		return false;

	mutex_lock(&eq->lock);
	if (!eq->running)
		goto out;
	table = hyvh_guest_mem_get(events->mem);
	if (!table)
		goto out;
	n = hyvh_event_queue_push(events, eq, table);
	hyvh_mem_table_put(table);
	if (n) {
		atomic64_add(n, &events->counters->events);
		if (eq->call && hyvh_vring_need_interrupt(&eq->vring) > 0) {
			atomic64_inc(&events->counters->interrupts);
			eventfd_signal(eq->call);
		}
	}
out:
	mutex_unlock(&eq->lock);
	return n;
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

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		any |= hyvh_event_queue_deliver(events, &events->queue[i]);
	return any;
}
