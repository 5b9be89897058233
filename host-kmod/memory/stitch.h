/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presenting scattered guest memory as one range of the VMM's addresses.
 */
#ifndef HYVH_STITCH_H
#define HYVH_STITCH_H

#include <linux/types.h>

struct file;
struct hyvh_stitch_plan;
struct page;

/* Most pieces that are mapped one by one. */
#define HYVH_STITCH_MAX_VMAS	4096

/**
 * struct hyvh_stitch - a range while it exists
 * @addr: address of the buffer's first byte
 * @start: start of the range, or 0 if the memory was contiguous already
 * @size: bytes of the range
 * @pages: pinned pages that were inserted, or NULL
 * @nr_pinned: how many
 */
struct hyvh_stitch {
	unsigned long addr;
	unsigned long start;
	unsigned long size;
	struct page **pages;
	unsigned long nr_pinned;
};

int hyvh_stitch_map(struct hyvh_stitch *stitch,
		    const struct hyvh_stitch_plan *plan);
void hyvh_stitch_unmap(struct hyvh_stitch *stitch);

#endif /* HYVH_STITCH_H */
