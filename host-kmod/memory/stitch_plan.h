/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stitch plan: how to map scattered chunks as one range of VMM addresses.
 */
#ifndef HYVH_STITCH_PLAN_H
#define HYVH_STITCH_PLAN_H

#include <linux/types.h>

#include "memory/chunk.h"
#include "memory/mem_table.h"

/*
 * How often a page may occur in one buffer. Each time counts as a reference, and
 * the counter of a page has a limit: see HYVH_MAX_MRS in limits.c.
 */
#define HYVH_STITCH_MAX_REPEATS	4

enum hyvh_stitch_way {
	HYVH_STITCH_DIRECT,	/* use the memory as it is: it is one piece */
	HYVH_STITCH_VMAS,	/* map the pieces again, next to each other */
	HYVH_STITCH_PAGES,	/* too many pieces: insert page by page */
};

/* Contiguous pages in the VMM's memory. */
struct hyvh_piece {
	u64 hva;
	u64 len;
};

struct hyvh_stitch_plan {
	enum hyvh_stitch_way way;
	/* VMM address of the buffer if HYVH_STITCH_DIRECT, else 0. */
	u64 addr;
	u32 offset;			/* of the first byte in its page */
	u64 length;			/* bytes of the buffer */
	u64 nr_pages;			/* in all pieces */
	u32 nr_pieces;			/* at least 1 */
	struct hyvh_piece *piece;	/* in order; adjoining ones merged */
};

int hyvh_stitch_plan_make(struct hyvh_stitch_plan *plan,
			  const struct hyvh_mem_table *table,
			  const struct hyvh_chunks *chunks, u32 max_vmas,
			  const bool *cancel);
void hyvh_stitch_plan_release(struct hyvh_stitch_plan *plan);

#endif /* HYVH_STITCH_PLAN_H */
