// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events from the host.
 *
 * They are handled in the virtqueue's interrupt: user space's completion and
 * asynchronous event queues take them from any context. What must sleep, news
 * of ports and the end of the device, is passed on to work items.
 */
#include <linux/slab.h>
#include <linux/virtio.h>

#include <hyv/wire.h>

#include "notify/event_type.h"
#include "dev.h"

/* Buffers per queue; the host keeps events while there is none. */
#define VHYV_EVQ_BUFFERS		64

/*
 * Most events that one message may stand for, by the protocol. Each is handled
 * in the interrupt, which a host that is broken must not keep busy for long.
 */
#define VHYV_MAX_EVENT_COUNT	256

/**
 * vhyv_evobj_publish() - let events reach an object
 * @xa: objects of its type
 * @obj: the object
 * @handle: the host's name of it
 *
 * Context: may sleep.
 * Return: 0, -EIO if the host has given the handle to two objects, -ENOMEM.
 */
int vhyv_evobj_publish(struct xarray *xa, struct vhyv_evobj *obj, u32 handle)
{
	int ret;

	obj->handle = handle;
	refcount_set(&obj->ref, 1);
	init_completion(&obj->idle);
	ret = xa_insert_irq(xa, handle, obj, GFP_KERNEL);
	return ret == -EBUSY ? -EIO : ret;
}

static struct vhyv_evobj *vhyv_evobj_get(struct xarray *xa, u32 handle)
{
	struct vhyv_evobj *obj;
	unsigned long flags;

	/* The lock keeps vhyv_evobj_retire() away until the count is raised. */
	xa_lock_irqsave(xa, flags);
	obj = xa_load(xa, handle);
	if (obj)
		refcount_inc(&obj->ref);
	xa_unlock_irqrestore(xa, flags);
	return obj;
}

static void vhyv_evobj_put(struct vhyv_evobj *obj)
{
	if (refcount_dec_and_test(&obj->ref))
		complete(&obj->idle);
}

/**
 * vhyv_evobj_retire() - let no more events reach an object
 * @xa: objects of its type
 * @obj: the object
 *
 * When it returns no handler runs or will run for the object.
 *
 * Context: may sleep.
 */
void vhyv_evobj_retire(struct xarray *xa, struct vhyv_evobj *obj)
{
	xa_erase_irq(xa, obj->handle);
	vhyv_evobj_put(obj);
	wait_for_completion(&obj->idle);
}

static void vhyv_comp_event(struct vhyv_dev *hdev, u32 handle, u32 count)
{
	struct vhyv_evobj *obj = vhyv_evobj_get(&hdev->events.cqs, handle);
	struct ib_cq *ibcq;

	if (!obj)
		return;
	ibcq = &container_of(obj, struct vhyv_cq, evobj)->ibcq;
	for (; ibcq->comp_handler && count; count--)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	vhyv_evobj_put(obj);
}

static void vhyv_cq_event(struct vhyv_dev *hdev, u32 handle, u16 code, u32 count)
{
	struct ib_event event = { .device = &hdev->ibdev };
	struct vhyv_evobj *obj;
	struct ib_cq *ibcq;

	obj = vhyv_evobj_get(&hdev->events.cqs, handle);
	if (!obj)
		return;
	ibcq = &container_of(obj, struct vhyv_cq, evobj)->ibcq;
	event.event = code;
	event.element.cq = ibcq;
	for (; ibcq->event_handler && count; count--)
		ibcq->event_handler(&event, ibcq->cq_context);
	vhyv_evobj_put(obj);
}

static void vhyv_qp_event(struct vhyv_dev *hdev, u32 handle, u16 code, u32 count)
{
	struct ib_event event = { .device = &hdev->ibdev };
	struct vhyv_evobj *obj;
	struct ib_qp *ibqp;

	obj = vhyv_evobj_get(&hdev->events.qps, handle);
	if (!obj)
		return;
	ibqp = &container_of(obj, struct vhyv_qp, evobj)->ibqp;
	event.event = code;
	event.element.qp = ibqp;
	for (; ibqp->event_handler && count; count--)
		ibqp->event_handler(&event, ibqp->qp_context);
	vhyv_evobj_put(obj);
}

static void vhyv_srq_event(struct vhyv_dev *hdev, u32 handle, u16 code, u32 count)
{
	struct ib_event event = { .device = &hdev->ibdev };
	struct vhyv_evobj *obj;
	struct ib_srq *ibsrq;

	obj = vhyv_evobj_get(&hdev->events.srqs, handle);
	if (!obj)
		return;
	ibsrq = &container_of(obj, struct vhyv_srq, evobj)->ibsrq;
	event.event = code;
	event.element.srq = ibsrq;
	for (; ibsrq->event_handler && count; count--)
		ibsrq->event_handler(&event, ibsrq->srq_context);
	vhyv_evobj_put(obj);
}

static void vhyv_handle_event(struct vhyv_dev *hdev,
			      const struct hyv_event *event)
{
	u16 type = le16_to_cpu(event->type);
	u16 code = le16_to_cpu(event->code);
	u32 handle = le32_to_cpu(event->handle);
	u32 count = min_t(u32, le32_to_cpu(event->count), VHYV_MAX_EVENT_COUNT);

	if (type == HYV_EVENT_COMP) {
		vhyv_comp_event(hdev, handle, count);
		return;
	}
	if (!vhyv_event_valid_for(type, code)) {
		dev_dbg(&hdev->vdev->dev, "unknown event %u/%u\n", type, code);
		return;
	}
	switch (type) {
	case HYV_EVENT_CQ:
		vhyv_cq_event(hdev, handle, code, count);
		break;
	case HYV_EVENT_QP:
		vhyv_qp_event(hdev, handle, code, count);
		break;
	case HYV_EVENT_SRQ:
		vhyv_srq_event(hdev, handle, code, count);
		break;
	case HYV_EVENT_PORT:
		vhyv_ibdev_port_event(hdev, handle, code, count);
		break;
	case HYV_EVENT_DEVICE:
		vhyv_dev_hca_gone(hdev);
		break;
	}
}

static int vhyv_evq_add(struct vhyv_evq *evq, struct hyv_event *buf)
{
	struct scatterlist sg;

	sg_init_one(&sg, buf, sizeof(*buf));
	return virtqueue_add_inbuf(evq->vq, &sg, 1, buf, GFP_ATOMIC);
}

/**
 * vhyv_events_callback() - the host has sent events
 * @vq: an event queue
 *
 * Context: hard interrupt.
 */
void vhyv_events_callback(struct virtqueue *vq)
{
	struct vhyv_dev *hdev = vq->vdev->priv;
	struct vhyv_evq *evq = &hdev->events.evq[vq->index - HYV_VQ_EVENT0];
	struct hyv_event *buf, event;
	bool added = false;
	unsigned int len;

	do {
		virtqueue_disable_cb(vq);
		while ((buf = virtqueue_get_buf(vq, &len))) {
			event = *buf;
			if (!vhyv_evq_add(evq, buf))
				added = true;
			if (len >= sizeof(event))
				vhyv_handle_event(hdev, &event);
		}
	} while (!virtqueue_enable_cb(vq));
	if (added)
		virtqueue_kick(vq);
}

/**
 * vhyv_events_init() - prepare for events before the virtqueues exist
 * @hdev: device
 *
 * Return: 0 or -ENOMEM.
 */
int vhyv_events_init(struct vhyv_dev *hdev)
{
	struct vhyv_events *events = &hdev->events;

	xa_init_flags(&events->cqs, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&events->qps, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&events->srqs, XA_FLAGS_LOCK_IRQ);
	events->evq = kcalloc(hdev->nr_event_queues, sizeof(*events->evq),
			      GFP_KERNEL);
	return events->evq ? 0 : -ENOMEM;
}

/**
 * vhyv_events_start() - give the event queues their buffers
 * @hdev: device with virtqueues, not ready yet
 *
 * Return: 0 or a negative errno.
 */
int vhyv_events_start(struct vhyv_dev *hdev)
{
	struct vhyv_evq *evq;
	unsigned int nr;
	u32 i, n;
	int ret;

	for (i = 0; i < hdev->nr_event_queues; i++) {
		evq = &hdev->events.evq[i];
		nr = min_t(unsigned int, virtqueue_get_vring_size(evq->vq),
			   VHYV_EVQ_BUFFERS);
		evq->buf = kcalloc(nr, sizeof(*evq->buf), GFP_KERNEL);
		if (!evq->buf)
			return -ENOMEM;
		for (n = 0; n < nr; n++) {
			ret = vhyv_evq_add(evq, &evq->buf[n]);
			if (ret)
				return ret;
		}
		/*
		 * Must not run beside the callback, so not in
		 * vhyv_events_kick(). What it returns is not needed: a device
		 * that is not ready cannot have asked to be left alone.
		 */
		virtqueue_kick_prepare(evq->vq);
	}
	return 0;
}

/**
 * vhyv_events_kick() - tell the host about the buffers
 * @hdev: device that is ready, so that callbacks may be running already
 */
void vhyv_events_kick(struct vhyv_dev *hdev)
{
	u32 i;

	for (i = 0; i < hdev->nr_event_queues; i++)
		virtqueue_notify(hdev->events.evq[i].vq);
}

/**
 * vhyv_events_uninit() - undo vhyv_events_init() and vhyv_events_start()
 * @hdev: device without virtqueues
 */
void vhyv_events_uninit(struct vhyv_dev *hdev)
{
	struct vhyv_events *events = &hdev->events;
	u32 i;

	for (i = 0; i < hdev->nr_event_queues; i++)
		kfree(events->evq[i].buf);
	kfree(events->evq);
	xa_destroy(&events->cqs);
	xa_destroy(&events->qps);
	xa_destroy(&events->srqs);
}
