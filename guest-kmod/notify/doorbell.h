/* SPDX-License-Identifier: GPL-2.0-only */
/* Doorbells and CQ arming of a software HCA, through shared memory. */
#ifndef VHYV_DOORBELL_H
#define VHYV_DOORBELL_H

#include <linux/types.h>

struct vhyv_dev;
struct virtqueue;

/* One of the bitmaps in the doorbell area. */
struct vhyv_doorbell_map {
	const char *name;	/* in traces */
	void *summary;		/* summary words */
	void *bits;		/* words of slots */
};

/**
 * struct vhyv_db - the doorbell area
 * @area: memory shared with the host
 * @size: length of @area, whole pages
 * @qp_slots: number of send doorbells
 * @cq_slots: number of arming slots
 * @send: send doorbells
 * @arm: CQ arming for the next completion
 * @solicited: CQ arming for the next solicited completion
 * @vq: kicks the host; has no buffers, so notifying it needs no lock
 *
 * Constant after probe, except the content of @area, which changes atomically.
 */
struct vhyv_db {
	void *area;
	size_t size;
	u32 qp_slots;
	u32 cq_slots;
	struct vhyv_doorbell_map send;
	struct vhyv_doorbell_map arm;
	struct vhyv_doorbell_map solicited;
	struct virtqueue *vq;
};

int vhyv_db_init(struct vhyv_dev *hdev, u32 qp_slots, u32 cq_slots);
int vhyv_db_start(struct vhyv_dev *hdev);
void vhyv_db_uninit(struct vhyv_dev *hdev);
void vhyv_db_ring_send(struct vhyv_dev *hdev, u32 slot);
int vhyv_db_arm_cq(struct vhyv_dev *hdev, u32 slot, bool solicited);

#endif /* VHYV_DOORBELL_H */
