// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitch plan: how to map scattered chunks as one range of VMM addresses.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/cancel.h"
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
			    const struct hyvh_chunks *chunks,
			    const bool *cancel)
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
		ret = hyvh_cancel_point(cancel);
		if (ret)
			return ret;
	}
	return 0;
}

/* Merge two sorted runs, which follow each other at @src. */
static void hyvh_stitch_merge(struct hyvh_piece *dst,
			      const struct hyvh_piece *src, size_t nr_a,
			      size_t nr_b)
{
	const struct hyvh_piece *a = src, *b = src + nr_a;
	const struct hyvh_piece *end_a = b, *end_b = b + nr_b;

	while (a < end_a || b < end_b)
		if (b == end_b || (a < end_a && a->hva <= b->hva))
			*dst++ = *a++;
		else
			*dst++ = *b++;
}

/*
 * Sort pieces by address. @buf has room for twice as many as there are; *@sorted
 * is set to the half of it in which they are then. A guest decides how many
 * there are, and sort() cannot be ended early.
 */
static int hyvh_stitch_sort(struct hyvh_piece *buf, size_t nr,
			    struct hyvh_piece **sorted, const bool *cancel)
{
	struct hyvh_piece *src = buf, *dst = buf + nr;
	size_t width, i, left, nr_a;
	int ret;

	for (width = 1; width < nr; width *= 2) {
		for (i = 0; i < nr; i += 2 * width) {
			left = nr - i;
			nr_a = min(left, width);
			hyvh_stitch_merge(dst + i, src + i, nr_a,
					  min(left - nr_a, width));
			ret = hyvh_cancel_point(cancel);
			if (ret)
				return ret;
		}
		swap(src, dst);
	}
	*sorted = src;
	return 0;
}

/* Check that no page is in more than HYVH_STITCH_MAX_REPEATS pieces. */
static int hyvh_stitch_check_repeats(const struct hyvh_stitch_walk *walk,
				     const bool *cancel)
{
	u64 end[HYVH_STITCH_MAX_REPEATS] = {};
	struct hyvh_piece *buf, *piece;
	unsigned int j;
	u32 i;
	int ret;

	if (walk->nr <= HYVH_STITCH_MAX_REPEATS)
		return 0;
	buf = kvmalloc_array(walk->nr, 2 * sizeof(*buf),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, walk->piece, walk->nr * sizeof(*buf));
	ret = hyvh_stitch_sort(buf, walk->nr, &piece, cancel);
	if (ret)
		goto out;

	/* end[] has the ends of those earlier pieces that reach farthest. */
	for (i = 0; i < walk->nr; i++, piece++) {
		for (j = 0; j < ARRAY_SIZE(end); j++)
			if (end[j] <= piece->hva)
				break;
		if (j == ARRAY_SIZE(end)) {
			ret = -EINVAL;
			break;
		}
		end[j] = piece->hva + piece->len;
	}
out:
	kvfree(buf);
	return ret;
}

/**
 * hyvh_stitch_plan_make() - plan how to stitch a buffer
 * @plan: filled in; to be released with hyvh_stitch_plan_release() after success
 * @table: guest memory; the plan is valid as long as the table is
 * @chunks: the buffer, from hyvh_chunks_load()
 * @max_vmas: most pieces for HYVH_STITCH_VMAS
 * @cancel: see hyvh_cancel_point()
 *
 * Context: Process context. May sleep.
 * Return: 0; -EFAULT if part of a chunk is not guest memory; -EINVAL if a page
 * occurs more than HYVH_STITCH_MAX_REPEATS times; -ENOMEM; or -EINTR.
 */
int hyvh_stitch_plan_make(struct hyvh_stitch_plan *plan,
			  const struct hyvh_mem_table *table,
			  const struct hyvh_chunks *chunks, u32 max_vmas,
			  const bool *cancel)
{
	struct hyvh_stitch_walk walk = {};
	int ret;

	ret = hyvh_stitch_walk(&walk, table, chunks, cancel);
	if (ret)
		return ret;
	walk.piece = kvmalloc_array(walk.nr, sizeof(*walk.piece),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!walk.piece)
		return -ENOMEM;
	ret = hyvh_stitch_walk(&walk, table, chunks, cancel);
	if (ret)
		goto err_free;
	ret = hyvh_stitch_check_repeats(&walk, cancel);
	if (ret)
		goto err_free;

	plan->offset = offset_in_page(chunks->addr);
	plan->length = chunks->length;
	plan->nr_pages = walk.pages;
	plan->nr_pieces = walk.nr;
	plan->piece = walk.piece;
	plan->addr = 0;
	if (walk.nr == 1) {
		plan->way = HYVH_STITCH_DIRECT;
		plan->addr = walk.piece[0].hva + plan->offset;
	} else if (walk.nr <= max_vmas) {
		plan->way = HYVH_STITCH_VMAS;
	} else {
		plan->way = HYVH_STITCH_PAGES;
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
