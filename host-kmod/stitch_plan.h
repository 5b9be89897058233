/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How to make one contiguous range of a guest's scattered chunks.
 */
#ifndef HYV_STITCH_PLAN_H
#define HYV_STITCH_PLAN_H

#include <linux/types.h>

#include "chunk.h"
#include "memmap.h"

/**
 * enum hyv_stitch_how - ways to present guest memory contiguously
 * @HYV_STITCH_DIRECT: it is contiguous already
 * @HYV_STITCH_VMAS: map each piece once more, side by side
 * @HYV_STITCH_PAGES: too many pieces for that; insert the single pages
 */
enum hyv_stitch_how {
	HYV_STITCH_DIRECT,
	HYV_STITCH_VMAS,
	HYV_STITCH_PAGES,
};

/**
 * struct hyv_piece - contiguous whole pages in the VMM's memory
 * @hva: address, page aligned
 * @len: bytes, whole pages, not 0
 */
struct hyv_piece {
	u64 hva;
	u64 len;
};

/**
 * struct hyv_stitch_plan - the plan for one buffer
 * @how: what to do
 * @addr: HYV_STITCH_DIRECT: address of the buffer's first byte; else 0
 * @offset: of the first byte in its page
 * @length: bytes of the buffer
 * @nr_pages: pages that the pieces have in all
 * @nr_pieces: elements of @piece, at least 1
 * @piece: what the range is made of, in order; no two neighbours adjoin
 */
struct hyv_stitch_plan {
	enum hyv_stitch_how how;
	u64 addr;
	u32 offset;
	u64 length;
	u64 nr_pages;
	u32 nr_pieces;
	struct hyv_piece *piece;
};

int hyv_stitch_plan_make(struct hyv_stitch_plan *plan,
			 const struct hyv_memmap *map,
			 const struct hyv_chunks *chunks, u32 max_vmas);
void hyv_stitch_plan_release(struct hyv_stitch_plan *plan);

#endif /* HYV_STITCH_PLAN_H */
