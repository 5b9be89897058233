/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How to make one contiguous range of a guest's scattered chunks.
 */
#ifndef HYVH_STITCH_PLAN_H
#define HYVH_STITCH_PLAN_H

#include <linux/types.h>

#include "memory/chunk.h"
#include "memory/memmap.h"

/**
 * enum hyvh_stitch_how - ways to present guest memory contiguously
 * @HYVH_STITCH_DIRECT: it is contiguous already
 * @HYVH_STITCH_VMAS: map each piece once more, side by side
 * @HYVH_STITCH_PAGES: too many pieces for that; insert the single pages
 */
enum hyvh_stitch_how {
	HYVH_STITCH_DIRECT,
	HYVH_STITCH_VMAS,
	HYVH_STITCH_PAGES,
};

/**
 * struct hyvh_piece - contiguous whole pages in the VMM's memory
 * @hva: address, page aligned
 * @len: bytes, whole pages, not 0
 */
struct hyvh_piece {
	u64 hva;
	u64 len;
};

/**
 * struct hyvh_stitch_plan - the plan for one buffer
 * @how: what to do
 * @addr: HYVH_STITCH_DIRECT: address of the buffer's first byte; else 0
 * @offset: of the first byte in its page
 * @length: bytes of the buffer
 * @nr_pages: pages that the pieces have in all
 * @nr_pieces: elements of @piece, at least 1
 * @piece: what the range is made of, in order; no two neighbours adjoin
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
			  const struct hyvh_memmap *map,
			  const struct hyvh_chunks *chunks, u32 max_vmas);
void hyvh_stitch_plan_release(struct hyvh_stitch_plan *plan);

#endif /* HYVH_STITCH_PLAN_H */
