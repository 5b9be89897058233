/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's side of the doorbell area and of the event queues.
 */
#ifndef DEVTEST_DRIVER_H
#define DEVTEST_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/virtio_ring.h>

#include "vnic.h"

/* Pages of a doorbell area; enough for the slots of today. */
#define DB_PAGES 2
#define DB_KIB	 (DB_PAGES * 4L)

/**
 * struct doorbells - the doorbell area of a vNIC
 * @page: where its pages are in this process
 * @buf: its guest memory
 * @qp_slots: doorbell slots
 * @cq_slots: arming slots
 * @kick_fd: eventfd that stands for the notification of the doorbell queue
 * @kicks: how many were needed
 */
struct doorbells {
	uint8_t *page[DB_PAGES];
	struct gbuf buf;
	uint32_t qp_slots;
	uint32_t cq_slots;
	int kick_fd;
	atomic_uint kicks;
};

void db_init(struct doorbells *db, struct vnic *v, uint32_t poll_us);
void db_free(struct doorbells *db);
int db_setup(struct doorbells *db, struct vnic *v);
_Atomic uint64_t *db_word(struct doorbells *db, uint64_t offset);
void db_ring(struct doorbells *db, uint32_t qp_slot);
void db_arm(struct doorbells *db, uint32_t cq_slot, bool solicited);
bool db_arm_wait(struct doorbells *db, uint32_t cq_slot, bool solicited);
bool db_armed_pending(struct doorbells *db, uint32_t cq_slot, bool solicited);

#define EVQ_MAX 64

/**
 * struct evq - an event queue
 * @gm: guest memory
 * @index: which event queue
 * @num: entries
 * @event_idx: VIRTIO_RING_F_EVENT_IDX was acknowledged
 * @desc: descriptor table, in this process
 * @avail: available ring
 * @used: used ring
 * @event_gpa: page of the buffers
 * @event: the buffers, in this process
 * @last_used: index of the used ring to take next
 * @call_fd: eventfd that stands for the interrupt
 * @kick_fd: eventfd that stands for the notification
 */
struct evq {
	struct gmem *gm;
	uint32_t index;
	uint32_t num;
	bool event_idx;
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	uint64_t event_gpa;
	struct hyv_event *event;
	uint16_t last_used;
	int call_fd;
	int kick_fd;
};

void evq_init(struct evq *q, struct vnic *v, uint32_t index, uint32_t num,
	      bool event_idx);
void evq_free(struct evq *q);
int evq_start(struct evq *q, struct vnic *v, uint16_t avail_index);
int evq_stop(struct evq *q, struct vnic *v, uint16_t *avail_index);
void evq_fill(struct evq *q, uint32_t id);
void evq_publish(struct evq *q, uint32_t id);
void evq_post(struct evq *q, uint32_t id);
void evq_post_all(struct evq *q);
bool evq_take(struct evq *q, struct hyv_event *ev, uint32_t *id);
bool evq_get(struct evq *q, struct hyv_event *ev, unsigned int timeout_ms);
bool evq_interrupted(struct evq *q, unsigned int timeout_ms);

#endif /* DEVTEST_DRIVER_H */
