/* SPDX-License-Identifier: GPL-2.0-only */
/* Doorbells and CQ arming of a software HCA, through shared memory. */
#ifndef HYV_DOORBELL_H
#define HYV_DOORBELL_H

#include <linux/types.h>

struct hyv_dev;
struct virtqueue;

/**
 * struct hyv_db_bitmap - one of the bitmaps in the doorbell area
 * @summary: its summary words
 * @bits: its words
 */
struct hyv_db_bitmap {
	void *summary;
	void *bits;
};

/**
 * struct hyv_db - the doorbell area
 * @area: shared with the host; NULL if the HCA has doorbells of its own
 * @size: bytes of @area, whole pages
 * @qp_slots: send doorbells
 * @cq_slots: arming slots
 * @send: send doorbells
 * @arm: CQ arming for the next completion
 * @solicited: CQ arming for the next solicited completion
 * @vq: kicks the host; has no buffers, so notifying it needs no lock
 *
 * All constant after probe; the content of @area is changed atomically.
 */
struct hyv_db {
	void *area;
	size_t size;
	u32 qp_slots;
	u32 cq_slots;
	struct hyv_db_bitmap send;
	struct hyv_db_bitmap arm;
	struct hyv_db_bitmap solicited;
	struct virtqueue *vq;
};

int hyv_db_init(struct hyv_dev *hdev, u32 qp_slots, u32 cq_slots);
int hyv_db_start(struct hyv_dev *hdev);
void hyv_db_uninit(struct hyv_dev *hdev);
void hyv_db_ring_send(struct hyv_dev *hdev, u32 slot);
int hyv_db_arm_cq(struct hyv_dev *hdev, u32 slot, bool solicited);

#endif /* HYV_DOORBELL_H */
