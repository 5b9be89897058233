/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stitching: mapping scattered guest memory as one range of VMM addresses.
 */
#ifndef HYVH_STITCH_H
#define HYVH_STITCH_H

#include <linux/types.h>

#include "memory/ram_files.h"

struct file;
struct hyvh_guest_mem;
struct hyvh_list_view;
struct hyvh_mem_table;
struct page;

/* A stitched buffer. */
struct hyvh_stitch {
	unsigned long addr;		/* of the buffer's first byte */
	/* Start of the range; 0 if the memory was contiguous already. */
	unsigned long start;
	unsigned long size;		/* bytes of the range */
	struct file *file;		/* of the range, or of what reserves it */
	/* The part of the range that a failure has unmapped; see stitch.c. */
	unsigned long hole;
	unsigned long hole_size;
	struct hyvh_ram_files ram;	/* files that the pages belong to */
	struct page **pages;		/* pages that were inserted, or NULL */
	unsigned long nr_pinned;	/* elements of pages that are pinned */
	u64 nr_vmas;			/* charged to mem->vmas */
	struct hyvh_guest_mem *mem;
	struct hyvh_mem_table *table;	/* in use until the range is undone */
};

int hyvh_stitch_guest(struct hyvh_stitch *stitch, struct hyvh_guest_mem *mem,
		      const struct hyvh_list_view *list, u32 max_chunks);
void hyvh_stitch_unmap(struct hyvh_stitch *stitch);

#endif /* HYVH_STITCH_H */
