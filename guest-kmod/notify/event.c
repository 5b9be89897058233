// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events from the host.
 *
 * The virtqueue's callback handles them in hardirq context, as ib_uverbs
 * accepts completions and asynchronous events in any context. If there are many, a
 * work item goes on, as the host may add more all the time. Port events and the
 * failure of the device need to sleep, so they are deferred to work items.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/virtio.h>

#include <hyv/wire.h>

#include "dev.h"
#include "notify/event.h"
#include "notify/event_type.h"
#include "trace.h"

/* Buffers per queue; the host keeps events while none is free. */
#define VHYV_EVENT_BUFFERS	64
/* Messages that are handled at once. */
#define VHYV_EVENT_BUDGET	64

/*
 * Maximum count of one message in the protocol. The interrupt calls a handler
 * that often, and a broken host must not keep it busy for long.
 */
#define VHYV_MAX_EVENT_COUNT	256

/**
 * vhyv_event_target_publish() - let events reach an object
 * @xa: objects of its type
 * @target: object
 * @handle: handle of the object
 *
 * Context: Process context. May sleep.
 * Return: 0, -EIO if the host uses the handle for another object, or -ENOMEM.
 */
int vhyv_event_target_publish(struct xarray *xa,
			      struct vhyv_event_target *target, u32 handle)
{
	int ret;

	target->handle = handle;
	refcount_set(&target->ref, 1);
	init_completion(&target->idle);
	ret = xa_insert_irq(xa, handle, target, GFP_KERNEL);
	return ret == -EBUSY ? -EIO : ret;
}

static struct vhyv_event_target *vhyv_event_target_get(struct xarray *xa,
						       u32 handle)
{
	struct vhyv_event_target *target;
	unsigned long flags;

	/* The lock holds off vhyv_event_target_retire() until here. */
	xa_lock_irqsave(xa, flags);
	target = xa_load(xa, handle);
	if (target)
		refcount_inc(&target->ref);
	xa_unlock_irqrestore(xa, flags);
	return target;
}

static void vhyv_event_target_put(struct vhyv_event_target *target)
{
	if (refcount_dec_and_test(&target->ref))
		complete(&target->idle);
}

/* Let no more events reach an object, and wait for running handlers. */
void vhyv_event_target_retire(struct xarray *xa,
			      struct vhyv_event_target *target)
{
	xa_erase_irq(xa, target->handle);
	vhyv_event_target_put(target);
	wait_for_completion(&target->idle);
}

static void vhyv_comp_event(struct vhyv_events *events, u32 handle, u32 count)
{
	struct vhyv_event_target *target;
	struct ib_cq *ibcq;

	target = vhyv_event_target_get(&events->cqs, handle);
	if (!target)
		return;
	ibcq = target->cq;
	for (; ibcq->comp_handler && count; count--)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	vhyv_event_target_put(target);
}

/* Handle an event of an object in @xa; @event->event is valid for its type. */
static void vhyv_object_event(struct xarray *xa, u16 type, u32 handle,
			      struct ib_event *event, u32 count)
{
	void (*handler)(struct ib_event *event, void *context);
	struct vhyv_event_target *target;
	void *context;

	target = vhyv_event_target_get(xa, handle);
	if (!target)
		return;
	switch (type) {
	case HYV_EVENT_CQ:
		event->element.cq = target->cq;
		handler = target->cq->event_handler;
		context = target->cq->cq_context;
		break;
	case HYV_EVENT_QP:
		event->element.qp = target->qp;
		handler = target->qp->event_handler;
		context = target->qp->qp_context;
		break;
	default:
		event->element.srq = target->srq;
		handler = target->srq->event_handler;
		context = target->srq->srq_context;
		break;
	}
	for (; handler && count; count--)
		handler(event, context);
	vhyv_event_target_put(target);
}

static void vhyv_handle_event(struct vhyv_dev *hdev, u32 queue,
			      const struct hyv_event *event)
{
	struct vhyv_events *events = hdev->events;
	u16 type = le16_to_cpu(event->type);
	u16 code = le16_to_cpu(event->code);
	u32 handle = le32_to_cpu(event->handle);
	u32 count = min_t(u32, le32_to_cpu(event->count), VHYV_MAX_EVENT_COUNT);
	struct ib_event ib_event = { .device = &hdev->ibdev, .event = code };

	trace_vhyv_event_deliver(vhyv_dev_name(hdev), queue, type, code, handle,
				 count);
	if (type == HYV_EVENT_COMP) {
		vhyv_comp_event(events, handle, count);
		return;
	}
	if (!vhyv_event_valid_for(type, code)) {
		vhyv_dbg(hdev, "ignoring event of unknown type %u, code %u\n",
			 type, code);
		return;
	}
	switch (type) {
	case HYV_EVENT_CQ:
		vhyv_object_event(&events->cqs, type, handle, &ib_event, count);
		break;
	case HYV_EVENT_QP:
		vhyv_object_event(&events->qps, type, handle, &ib_event, count);
		break;
	case HYV_EVENT_SRQ:
		vhyv_object_event(&events->srqs, type, handle, &ib_event, count);
		break;
	case HYV_EVENT_PORT:
		events->port_event(hdev, handle, code, count);
		break;
	case HYV_EVENT_DEVICE:
		vhyv_dev_hca_removed(hdev);
		break;
	}
}

static int vhyv_event_queue_add(struct vhyv_event_queue *queue,
				struct hyv_event *buf)
{
	struct scatterlist sg;

	sg_init_one(&sg, buf, sizeof(*buf));
	return virtqueue_add_inbuf(queue->vq, &sg, 1, buf, GFP_ATOMIC);
}

/* Sets @queue->deferred if there may be more messages. */
static void vhyv_event_queue_run(struct vhyv_event_queue *queue,
				 struct virtqueue *vq)
{
	unsigned int len, left = VHYV_EVENT_BUDGET;
	struct hyv_event *buf, event;
	bool added = false;

	lockdep_assert_held(&queue->lock);
	do {
		virtqueue_disable_cb(vq);
		while (left && (buf = virtqueue_get_buf(vq, &len))) {
			left--;
			event = *buf;
			if (!vhyv_event_queue_add(queue, buf))
				added = true;
			if (len >= sizeof(event))
				vhyv_handle_event(vq->vdev->priv,
						  vq->index - HYV_VQ_EVENT0,
						  &event);
		}
	} while (left && !virtqueue_enable_cb(vq));
	queue->deferred = !left;
	if (added)
		virtqueue_kick(vq);
}

static void vhyv_event_work(struct work_struct *work)
{
	struct vhyv_event_queue *queue = container_of(work,
						      struct vhyv_event_queue,
						      work);
	bool again;

	spin_lock_irq(&queue->lock);
	vhyv_event_queue_run(queue, queue->vq);
	again = queue->deferred && !queue->stopped;
	spin_unlock_irq(&queue->lock);
	/* Not in a loop: vhyv_events_stop() must be able to end it. */
	if (again)
		queue_work(system_dfl_wq, &queue->work);
}

/* Callback of all event queues, in hardirq context. */
void vhyv_events_callback(struct virtqueue *vq)
{
	struct vhyv_dev *hdev = vq->vdev->priv;
	struct vhyv_event_queue *queue;
	unsigned long flags;

	queue = &hdev->events->queue[vq->index - HYV_VQ_EVENT0];
	spin_lock_irqsave(&queue->lock, flags);
	/* Interrupts may come although they are off, or after a reset. */
	if (!queue->deferred && !queue->stopped) {
		vhyv_event_queue_run(queue, vq);
		if (queue->deferred)
			queue_work(system_dfl_wq, &queue->work);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

/* Allocate event queues; their virtqueues are set later. */
struct vhyv_events *vhyv_events_alloc(u32 nr_queues,
				      vhyv_port_event_t port_event)
{
	struct vhyv_events *events;
	u32 i;

	events = kzalloc(struct_size(events, queue, nr_queues), GFP_KERNEL);
	if (!events)
		return NULL;
	for (i = 0; i < nr_queues; i++) {
		spin_lock_init(&events->queue[i].lock);
		INIT_WORK(&events->queue[i].work, vhyv_event_work);
	}
	xa_init_flags(&events->cqs, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&events->qps, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&events->srqs, XA_FLAGS_LOCK_IRQ);
	events->port_event = port_event;
	events->nr_queues = nr_queues;
	return events;
}

/* Fill the virtqueues with buffers, before the device is ready. */
int vhyv_events_start(struct vhyv_events *events)
{
	struct vhyv_event_queue *queue;
	unsigned int nr;
	u32 i, n;
	int ret;

	for (i = 0; i < events->nr_queues; i++) {
		queue = &events->queue[i];
		nr = min_t(unsigned int, virtqueue_get_vring_size(queue->vq),
			   VHYV_EVENT_BUFFERS);
		queue->buf = kcalloc(nr, sizeof(*queue->buf), GFP_KERNEL);
		if (!queue->buf)
			return -ENOMEM;
		for (n = 0; n < nr; n++) {
			ret = vhyv_event_queue_add(queue, &queue->buf[n]);
			if (ret)
				return ret;
		}
		/*
		 * Must not race with the callback, so it cannot be done in
		 * vhyv_events_kick(). The result does not matter: a device that
		 * is not ready cannot have disabled kicks.
		 */
		virtqueue_kick_prepare(queue->vq);
	}
	return 0;
}

/* Kick the host for the buffers, once the device is ready. */
void vhyv_events_kick(struct vhyv_events *events)
{
	u32 i;

	for (i = 0; i < events->nr_queues; i++)
		virtqueue_notify(events->queue[i].vq);
}

/* Handle no more events, of a device that was reset. */
void vhyv_events_stop(struct vhyv_events *events)
{
	struct vhyv_event_queue *queue;
	u32 i;

	for (i = 0; i < events->nr_queues; i++) {
		queue = &events->queue[i];
		spin_lock_irq(&queue->lock);
		queue->stopped = true;
		spin_unlock_irq(&queue->lock);
		cancel_work_sync(&queue->work);
	}
}

/* Free event queues whose virtqueues have been deleted. */
void vhyv_events_free(struct vhyv_events *events)
{
	u32 i;

	for (i = 0; i < events->nr_queues; i++)
		kfree(events->queue[i].buf);
	xa_destroy(&events->cqs);
	xa_destroy(&events->qps);
	xa_destroy(&events->srqs);
	kfree(events);
}
