/* SPDX-License-Identifier: GPL-2.0-only */
/* Events from the host. */
#ifndef HYV_EVENT_H
#define HYV_EVENT_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct hyv_dev;
struct hyv_event;
struct virtqueue;

/**
 * struct hyv_evobj - an object that events name
 * @handle: the host's name of the object
 * @ref: one while it is published, and one for each handler that runs
 * @idle: no handler runs or will run
 */
struct hyv_evobj {
	u32 handle;
	refcount_t ref;
	struct completion idle;
};

/**
 * struct hyv_evq - an event queue
 * @vq: the virtqueue; only its own callback uses it while the device runs
 * @buf: buffers, all of them in @vq except while the callback looks at one
 */
struct hyv_evq {
	struct virtqueue *vq;
	struct hyv_event *buf;
};

/**
 * struct hyv_events - the event queues and whom they serve
 * @evq: the queues
 * @cqs: struct hyv_evobj of CQs by handle
 * @qps: struct hyv_evobj of QPs by handle
 * @srqs: struct hyv_evobj of SRQs by handle
 */
struct hyv_events {
	struct hyv_evq *evq;
	struct xarray cqs;
	struct xarray qps;
	struct xarray srqs;
};

int hyv_events_init(struct hyv_dev *hdev);
int hyv_events_start(struct hyv_dev *hdev);
void hyv_events_kick(struct hyv_dev *hdev);
void hyv_events_uninit(struct hyv_dev *hdev);
void hyv_events_callback(struct virtqueue *vq);
int hyv_evobj_publish(struct xarray *xa, struct hyv_evobj *obj, u32 handle);
void hyv_evobj_retire(struct xarray *xa, struct hyv_evobj *obj);

#endif /* HYV_EVENT_H */
