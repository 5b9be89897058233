/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stitch plan: how to map scattered chunks as one range of VMM addresses.
 */
#ifndef HYVH_STITCH_PLAN_H
#define HYVH_STITCH_PLAN_H

#include <linux/types.h>

#include "memory/chunk.h"
#include "memory/mem_table.h"

/**
 * enum hyvh_stitch_how - ways to stitch guest memory
 * @HYVH_STITCH_DIRECT: use it as it is, because it is one piece
 * @HYVH_STITCH_VMAS: map the pieces again, next to each other
 * @HYVH_STITCH_PAGES: insert the pages one by one, as the pieces are too many
 */
enum hyvh_stitch_how {
	HYVH_STITCH_DIRECT,
	HYVH_STITCH_VMAS,
	HYVH_STITCH_PAGES,
};

/* Contiguous pages in the VMM's memory. */
struct hyvh_piece {
	u64 hva;
	u64 len;
};

/**
 * struct hyvh_stitch_plan - the plan for a buffer
 * @how: way to stitch
 * @addr: VMM address of the buffer if @how is HYVH_STITCH_DIRECT, else 0
 * @offset: offset of the buffer's first byte in its page
 * @length: bytes of the buffer
 * @nr_pages: pages of all pieces
 * @nr_pieces: elements of @piece, at least 1
 * @piece: the pieces, in order; adjoining ones have been merged
 */
struct hyvh_stitch_plan {
	enum hyvh_stitch_how how;
	u64 addr;
	u32 offset;
	u64 length;
	u64 nr_pages;
	u32 nr_pieces;
	struct hyvh_piece *piece;
};

int hyvh_stitch_plan_make(struct hyvh_stitch_plan *plan,
			  const struct hyvh_mem_table *table,
			  const struct hyvh_chunks *chunks, u32 max_vmas);
void hyvh_stitch_plan_release(struct hyvh_stitch_plan *plan);

#endif /* HYVH_STITCH_PLAN_H */
