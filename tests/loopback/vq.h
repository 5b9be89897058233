/* SPDX-License-Identifier: GPL-2.0-only */
/* The device's side of a split virtqueue. */
#ifndef LOOPBACK_VQ_H
#define LOOPBACK_VQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/virtio_ring.h>

#include "hyv_loopback.h"

#define VQ_MAX_IN  (64 * 1024 + 4096)
#define VQ_MAX_OUT 16

/* A queue, whose rings are in @ram. */
struct vq {
	uint8_t *ram;
	uint64_t ram_size;
	uint32_t num;
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	uint16_t last_avail;
	uint16_t used_idx;
};

/* A chain: a copy of what the driver has written, and room for the reply. */
struct vq_chain {
	uint16_t head;
	uint32_t in_len;
	uint32_t nr_out;
	uint32_t room;
	struct {
		uint8_t *at;
		uint32_t len;
	} out[VQ_MAX_OUT];
	uint8_t in[VQ_MAX_IN];
};

void vq_init(struct vq *q, uint8_t *ram, uint64_t ram_size,
	     const struct loop_queue *where);
bool vq_pop(struct vq *q, struct vq_chain *chain);
void vq_write(const struct vq_chain *chain, const void *data, uint32_t len);
void vq_push(struct vq *q, uint32_t head, uint32_t len);

#endif /* LOOPBACK_VQ_H */
