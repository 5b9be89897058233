// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of events to the guest.
 *
 * Callbacks of the HCA, which may run with interrupts off, put an event on a
 * pending list without allocating; the worker moves it to the guest's event
 * queue when there is a buffer. Nothing is lost: an event that happens again
 * while it is pending is counted, see evq.h.
 */
#include <linux/eventfd.h>
#include <linux/slab.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <rdma/ib_verbs.h>

#include "notify/events.h"
#include "vnic.h"

static const int hyvh_port_codes[HYVH_PORT_EVENTS] = {
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
	IB_EVENT_LID_CHANGE,
	IB_EVENT_PKEY_CHANGE,
	IB_EVENT_SM_CHANGE,
	IB_EVENT_CLIENT_REREGISTER,
	IB_EVENT_GID_CHANGE,
};

/**
 * hyvh_events_init() - prepare the events of a new vNIC
 * @events: its events, zeroed
 */
void hyvh_events_init(struct hyvh_events *events)
{
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		hyvh_backlog_init(&events->queue[i].pending);
		mutex_init(&events->queue[i].lock);
	}
	/* The others have completions only. */
	for (i = 0; i < HYVH_SPARE_EVENTS; i++)
		hyvh_backlog_add_spare(&events->queue[0].pending, &events->spare[i]);
	events->nr_queues = 1;
	hyvh_event_source_init(&events->device_fatal, HYV_EVENT_DEVICE,
			 IB_EVENT_DEVICE_FATAL, 0);
}

/**
 * hyvh_events_set_ports() - make room for the events of an HCA's ports
 * @events: events of a vNIC that is being attached
 * @nr_ports: ports of the HCA
 *
 * Context: Process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int hyvh_events_set_ports(struct hyvh_events *events, unsigned int nr_ports)
{
	unsigned int port, i;

	events->port = kcalloc(nr_ports, sizeof(*events->port) *
			       HYVH_PORT_EVENTS, GFP_KERNEL_ACCOUNT);
	if (!events->port)
		return -ENOMEM;
	for (port = 0; port < nr_ports; port++)
		for (i = 0; i < HYVH_PORT_EVENTS; i++)
			hyvh_event_source_init(&events->port[port * HYVH_PORT_EVENTS + i],
					 HYV_EVENT_PORT, hyvh_port_codes[i],
					 port + 1);
	events->nr_ports = nr_ports;
	return 0;
}

/**
 * hyvh_events_clear_ports() - undo hyvh_events_set_ports()
 * @events: events that nobody raises any more
 */
void hyvh_events_clear_ports(struct hyvh_events *events)
{
	kfree(events->port);
	events->port = NULL;
	events->nr_ports = 0;
}

/**
 * hyvh_events_free() - free what the events hold
 * @events: events that nobody raises any more
 */
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

static int hyvh_event_queue_start(struct hyvh_vnic *vnic,
				  struct hyvh_event_queue *eq,
				  const struct hyv_set_event_queue *arg)
{
	bool event_idx = vnic->features & BIT_ULL(VIRTIO_RING_F_EVENT_IDX);
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
		ret = hyvh_kick_set(&eq->kick, vnic, arg->kick_fd);
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
 * @vnic: an attached vNIC
 * @arg: what the VMM asks for; avail_index is set on stop
 *
 * Context: Process context of the VMM; setup_lock and gate held. May sleep.
 * Return: 0 or a negative errno of HYV_SET_EVENT_QUEUE.
 */
int hyvh_events_set_queue(struct hyvh_vnic *vnic, struct hyv_set_event_queue *arg)
{
	struct hyvh_event_queue *eq;
	int ret = 0;

	if (arg->index >= HYV_MAX_EVENT_QUEUES)
		return -EINVAL;
	eq = &vnic->events.queue[arg->index];

	mutex_lock(&eq->lock);
	if (arg->num) {
		ret = hyvh_event_queue_start(vnic, eq, arg);
	} else {
		arg->avail_index = eq->running ? eq->vring.last_avail : 0;
		hyvh_event_queue_stop(eq);
	}
	mutex_unlock(&eq->lock);
	if (!ret)
		hyvh_worker_wake(vnic);
	return ret;
}

/**
 * hyvh_events_running() - does the guest take events?
 * @vnic: the vNIC
 *
 * Context: Any; a snapshot.
 */
bool hyvh_events_running(struct hyvh_vnic *vnic)
{
	return READ_ONCE(vnic->events.queue[0].running);
}

/**
 * hyvh_events_reset() - stop all event queues and forget what is pending
 * @vnic: a vNIC without objects
 *
 * Context: Process context; gate held for writing. May sleep.
 */
void hyvh_events_reset(struct hyvh_vnic *vnic)
{
	struct hyvh_event_queue *eq;
	struct hyv_event ev;
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++) {
		eq = &vnic->events.queue[i];
		mutex_lock(&eq->lock);
		hyvh_event_queue_stop(eq);
		while (hyvh_backlog_pop(&eq->pending, &ev))
			;
		mutex_unlock(&eq->lock);
	}
}

/**
 * hyvh_events_raise() - an event has happened
 * @vnic: the vNIC
 * @queue: event queue to tell it through
 * @node: the event; stays the caller's
 *
 * Context: Any, also with interrupts off.
 */
void hyvh_events_raise(struct hyvh_vnic *vnic, unsigned int queue,
		       struct hyvh_event_source *node)
{
	if (hyvh_backlog_raise(&vnic->events.queue[queue].pending, node))
		hyvh_worker_wake(vnic);
}

/**
 * hyvh_events_raise_code() - an event of an object has happened, no completion
 * @vnic: the vNIC
 * @nodes: the object's events, one for each code that it has; stay the caller's
 * @nr: how many
 * @code: enum ib_event_type; a code that the object does not have is ignored
 *
 * Context: Any, also with interrupts off.
 */
void hyvh_events_raise_code(struct hyvh_vnic *vnic, struct hyvh_event_source *nodes,
			    unsigned int nr, int code)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (nodes[i].code == code)
			hyvh_events_raise(vnic, 0, &nodes[i]);
}

/**
 * hyvh_events_raise_port() - an event of a port has happened
 * @vnic: the vNIC
 * @port: number of the port, from 1
 * @code: enum ib_event_type; codes that do not concern ports are ignored
 *
 * Context: Any, also with interrupts off.
 */
void hyvh_events_raise_port(struct hyvh_vnic *vnic, unsigned int port, int code)
{
	struct hyvh_events *events = &vnic->events;

	if (port && port <= events->nr_ports)
		hyvh_events_raise_code(vnic,
				       &events->port[(port - 1) *
						     HYVH_PORT_EVENTS],
				       HYVH_PORT_EVENTS, code);
}

/**
 * hyvh_events_forget() - an object dies: take its events back
 * @vnic: the vNIC
 * @queue: event queue that they were raised in
 * @nodes: the object's events, which nobody raises any more
 * @nr: how many
 *
 * When it returns no buffer that the guest gets from then on names the object.
 *
 * Context: Process context. May sleep.
 */
void hyvh_events_forget(struct hyvh_vnic *vnic, unsigned int queue,
			struct hyvh_event_source *nodes, unsigned int nr)
{
	struct hyvh_event_queue *eq = &vnic->events.queue[queue];
	unsigned int i;

	/* The lock waits for a delivery that has taken the event already. */
	mutex_lock(&eq->lock);
	for (i = 0; i < nr; i++)
		hyvh_backlog_forget(&eq->pending, &nodes[i]);
	mutex_unlock(&eq->lock);
}

static int hyvh_event_hva(void *arg, u64 gpa, u64 len, u64 *hva)
{
	struct hyvh_guest_mem *mem = arg;
	u64 run;
	int ret;

	ret = hyvh_memmap_translate(mem->map, gpa, len, hva, &run);
	if (ret)
		return ret;
	return run < len ? -EFAULT : 0;
}

static bool hyvh_event_queue_deliver(struct hyvh_vnic *vnic,
				     struct hyvh_event_queue *eq)
{
	struct hyvh_guest_mem *mem;
	struct hyv_event ev;
	unsigned int n = 0;
	int ret = 0;

	if (hyvh_backlog_empty(&eq->pending))
		return false;

	mutex_lock(&eq->lock);
	if (!eq->running)
		goto out;
	mem = hyvh_vnic_get_mem(vnic);
	if (!mem)
		goto out;
	while (n < eq->vring.num) {
		ret = hyvh_vring_ready(&eq->vring);
		if (ret || !hyvh_backlog_pop(&eq->pending, &ev))
			break;
		ret = hyvh_vring_push(&eq->vring, hyvh_event_hva, mem, &ev,
				      sizeof(ev));
		if (ret)
			break;
		n++;
	}
	hyvh_guest_mem_put(mem);
	if (ret == -ENOBUFS)
		atomic64_inc(&vnic->counters.event_stalls);
	if (n) {
		atomic64_add(n, &vnic->counters.events);
		if (eq->call && hyvh_vring_need_interrupt(&eq->vring) > 0) {
			atomic64_inc(&vnic->counters.interrupts);
			eventfd_signal(eq->call);
		}
	}
out:
	mutex_unlock(&eq->lock);
	return n;
}

/**
 * hyvh_events_deliver() - give pending events to the guest
 * @vnic: the vNIC
 *
 * Events stay pending while their queue is stopped or has no buffer.
 *
 * Context: The worker. May sleep.
 * Return: true if any was delivered.
 */
bool hyvh_events_deliver(struct hyvh_vnic *vnic)
{
	bool any = false;
	int i;

	for (i = 0; i < HYV_MAX_EVENT_QUEUES; i++)
		any |= hyvh_event_queue_deliver(vnic, &vnic->events.queue[i]);
	return any;
}
