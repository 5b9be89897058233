/* SPDX-License-Identifier: GPL-2.0-only */
/* Events from the host. */
#ifndef VHYV_EVENT_H
#define VHYV_EVENT_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct hyv_event;
struct vhyv_dev;
struct virtqueue;

/**
 * struct vhyv_event_target - an object that events can name
 * @cq: the object, in vhyv_events.cqs
 * @qp: the object, in vhyv_events.qps
 * @srq: the object, in vhyv_events.srqs
 * @handle: handle of the object
 * @ref: one while it is published, and one per running handler
 * @idle: no handler is running or will run
 */
struct vhyv_event_target {
	union {
		struct ib_cq *cq;
		struct ib_qp *qp;
		struct ib_srq *srq;
	};
	u32 handle;
	refcount_t ref;
	struct completion idle;
};

struct vhyv_event_queue {
	struct work_struct work;	/* goes on after @deferred was set */

	/* Protects the fields below while the device runs; hardirq-safe. */
	spinlock_t lock;
	struct virtqueue *vq;
	struct hyv_event *buf;		/* buffers, all of them in @vq */
	bool deferred;			/* @work is due, and the callback does nothing */
	bool stopped;			/* nor does it, and @work is not queued */
};

/* Handles an event of a port, which was raised @count times. In any context. */
typedef void (*vhyv_port_event_t)(struct vhyv_dev *hdev, u32 port,
				  enum ib_event_type code, u32 count);

/**
 * struct vhyv_events - the event queues and the objects that events name
 * @port_event: handler of port events
 * @cqs: struct vhyv_event_target of CQs, by handle
 * @qps: struct vhyv_event_target of QPs, by handle
 * @srqs: struct vhyv_event_target of SRQs, by handle
 * @nr_queues: entries of @queue
 * @queue: event queues
 */
struct vhyv_events {
	vhyv_port_event_t port_event;
	struct xarray cqs;
	struct xarray qps;
	struct xarray srqs;
	u32 nr_queues;
	struct vhyv_event_queue queue[];
};

struct vhyv_events *vhyv_events_alloc(u32 nr_queues,
				      vhyv_port_event_t port_event);
int vhyv_events_start(struct vhyv_events *events);
void vhyv_events_kick(struct vhyv_events *events);
void vhyv_events_stop(struct vhyv_events *events);
void vhyv_events_free(struct vhyv_events *events);
void vhyv_events_callback(struct virtqueue *vq);
int vhyv_event_target_publish(struct xarray *xa,
			      struct vhyv_event_target *target, u32 handle);
void vhyv_event_target_retire(struct xarray *xa,
			      struct vhyv_event_target *target);

#endif /* VHYV_EVENT_H */
