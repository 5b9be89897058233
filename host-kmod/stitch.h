/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presenting scattered guest memory as one range of the VMM's addresses.
 */
#ifndef HYV_STITCH_H
#define HYV_STITCH_H

#include <linux/types.h>

struct file;
struct hyv_stitch_plan;
struct page;

/* Most pieces that are mapped one by one. */
#define HYV_STITCH_MAX_VMAS	4096

/**
 * struct hyv_stitch - a range while it exists
 * @addr: address of the buffer's first byte
 * @start: start of the range, or 0 if the memory was contiguous already
 * @size: bytes of the range
 * @pages: pinned pages that were inserted, or NULL
 * @nr_pinned: how many
 */
struct hyv_stitch {
	unsigned long addr;
	unsigned long start;
	unsigned long size;
	struct page **pages;
	unsigned long nr_pinned;
};

int hyv_stitch_map(struct hyv_stitch *stitch,
		   const struct hyv_stitch_plan *plan);
void hyv_stitch_unmap(struct hyv_stitch *stitch);

#endif /* HYV_STITCH_H */
