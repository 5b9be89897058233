/* SPDX-License-Identifier: GPL-2.0-only */
/* Events from the host. */
#ifndef VHYV_EVENT_H
#define VHYV_EVENT_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct vhyv_dev;
struct hyv_event;
struct virtqueue;

/**
 * struct vhyv_evobj - an object that events name
 * @handle: the host's name of the object
 * @ref: one while it is published, and one for each handler that runs
 * @idle: no handler runs or will run
 */
struct vhyv_evobj {
	u32 handle;
	refcount_t ref;
	struct completion idle;
};

/**
 * struct vhyv_evq - an event queue
 * @vq: the virtqueue; only its own callback uses it while the device runs
 * @buf: buffers, all of them in @vq except while the callback looks at one
 */
struct vhyv_evq {
	struct virtqueue *vq;
	struct hyv_event *buf;
};

/**
 * struct vhyv_events - the event queues and whom they serve
 * @evq: the queues
 * @cqs: struct vhyv_evobj of CQs by handle
 * @qps: struct vhyv_evobj of QPs by handle
 * @srqs: struct vhyv_evobj of SRQs by handle
 */
struct vhyv_events {
	struct vhyv_evq *evq;
	struct xarray cqs;
	struct xarray qps;
	struct xarray srqs;
};

int vhyv_events_init(struct vhyv_dev *hdev);
int vhyv_events_start(struct vhyv_dev *hdev);
void vhyv_events_kick(struct vhyv_dev *hdev);
void vhyv_events_uninit(struct vhyv_dev *hdev);
void vhyv_events_callback(struct virtqueue *vq);
int vhyv_evobj_publish(struct xarray *xa, struct vhyv_evobj *obj, u32 handle);
void vhyv_evobj_retire(struct xarray *xa, struct vhyv_evobj *obj);

#endif /* VHYV_EVENT_H */
