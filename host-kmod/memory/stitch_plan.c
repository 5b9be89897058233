// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitch plan: how to map scattered chunks as one range of VMM addresses.
 */
#include <linux/errno.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "memory/stitch_plan.h"

/* Pieces found so far. */
struct hyvh_stitch_walk {
	struct hyvh_piece *piece;	/* NULL to only count them */
	u32 nr;
	u64 end;			/* of the last piece */
	u64 pages;			/* of all pieces */
};

static int hyvh_stitch_add(struct hyvh_stitch_walk *walk, u64 hva, u64 len)
{
	if (!walk->nr || walk->end != hva) {
		if (walk->nr == U32_MAX)
			return -ENOMEM;
		if (walk->piece) {
			walk->piece[walk->nr].hva = hva;
			walk->piece[walk->nr].len = 0;
		}
		walk->nr++;
	}
	if (walk->piece)
		walk->piece[walk->nr - 1].len += len;
	walk->end = hva + len;
	walk->pages += len >> PAGE_SHIFT;
	return 0;
}

static int hyvh_stitch_walk(struct hyvh_stitch_walk *walk,
			    const struct hyvh_mem_table *table,
			    const struct hyvh_chunks *chunks)
{
	u32 i;
	int ret;

	walk->nr = 0;
	walk->pages = 0;
	for (i = 0; i < chunks->nr; i++) {
		u64 start = round_down(chunks->chunk[i].addr, PAGE_SIZE);
		u64 end = chunks->chunk[i].addr + chunks->chunk[i].len;

		/* Guest memory ends below; rounding up would wrap. */
		if (end > round_down(U64_MAX, PAGE_SIZE))
			return -EFAULT;
		end = round_up(end, PAGE_SIZE);
		while (start < end) {
			u64 hva, run;

			ret = hyvh_mem_table_translate(table, start,
						       end - start, &hva,
						       &run);
			if (ret)
				return ret;
			ret = hyvh_stitch_add(walk, hva, run);
			if (ret)
				return ret;
			start += run;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * hyvh_stitch_plan_make() - plan how to stitch a buffer
 * @plan: filled in; to be released with hyvh_stitch_plan_release() after success
 * @table: guest memory; the plan is valid as long as the table is
 * @chunks: the buffer, from hyvh_chunks_load()
 * @max_vmas: most pieces for HYVH_STITCH_VMAS
 *
 * Context: Process context. May sleep.
 * Return: 0; -EFAULT if part of a chunk is not guest memory; -ENOMEM; or -EINTR
 * if the caller was killed.
 */
int hyvh_stitch_plan_make(struct hyvh_stitch_plan *plan,
			  const struct hyvh_mem_table *table,
			  const struct hyvh_chunks *chunks, u32 max_vmas)
{
	struct hyvh_stitch_walk walk = {};
	int ret;

	ret = hyvh_stitch_walk(&walk, table, chunks);
	if (ret)
		return ret;
	walk.piece = kvmalloc_array(walk.nr, sizeof(*walk.piece),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!walk.piece)
		return -ENOMEM;
	ret = hyvh_stitch_walk(&walk, table, chunks);
	if (ret)
		goto err_free;

	plan->offset = offset_in_page(chunks->addr);
	plan->length = chunks->length;
	plan->nr_pages = walk.pages;
	plan->nr_pieces = walk.nr;
	plan->piece = walk.piece;
	plan->addr = 0;
	if (walk.nr == 1) {
		plan->how = HYVH_STITCH_DIRECT;
		plan->addr = walk.piece[0].hva + plan->offset;
	} else if (walk.nr <= max_vmas) {
		plan->how = HYVH_STITCH_VMAS;
	} else {
		plan->how = HYVH_STITCH_PAGES;
	}
	return 0;

err_free:
	kvfree(walk.piece);
	return ret;
}

/* May sleep. Releasing the same plan again has no effect. */
void hyvh_stitch_plan_release(struct hyvh_stitch_plan *plan)
{
	kvfree(plan->piece);
	plan->piece = NULL;
	plan->nr_pieces = 0;
}
