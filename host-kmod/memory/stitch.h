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

/* Pieces that are mapped one by one: stitch_vmas.c */
struct hyvh_stitch_vmas {
	u64 nr;				/* charged to mem->vmas */
	/* The part of the range that a failure has unmapped. */
	unsigned long hole;
	unsigned long hole_size;
};

/* Pages that are inserted one by one: stitch_pages.c */
struct hyvh_stitch_pages {
	struct page **page;		/* or NULL */
	unsigned long nr;		/* elements of page that are pinned */
	unsigned long nr_charged;	/* added to mem->stitched */
	struct hyvh_ram_files files;	/* that the pages belong to */
	/* Where they are inserted: address, and offset in the file. */
	unsigned long at;
	u64 pos;
};

/* A stitched buffer. */
struct hyvh_stitch {
	unsigned long addr;		/* of the buffer's first byte */
	/* Start of the range; 0 if it is not a mapping of its own. */
	unsigned long start;
	unsigned long size;		/* bytes of the range */
	unsigned long guard;		/* bytes behind it without memory */
	struct file *file;		/* of the range, or of what reserves it */
	/* One of these, or none if the buffer is contiguous. */
	struct hyvh_stitch_vmas vmas;
	struct hyvh_stitch_pages pages;
	struct hyvh_guest_mem *mem;
	struct hyvh_mem_table *table;	/* in use until the range is undone */
};

/**
 * struct hyvh_stitch_how - how to stitch a buffer
 * @max_chunks: most chunks to accept
 * @guard: leave addresses without memory behind the buffer, because it is not the
 *	caller who tells the driver its length
 * @file: of hyvh_stitch_file_create(): insert the pages into a mapping of this file,
 *	and do not use any other address; or NULL
 * @addr: there: address for the buffer's first page
 * @pos: there: offset in the file
 */
struct hyvh_stitch_how {
	u32 max_chunks;
	bool guard;
	struct file *file;
	unsigned long addr;
	u64 pos;
};

struct file *hyvh_stitch_file_create(void);
int hyvh_stitch_guest(struct hyvh_stitch *stitch, struct hyvh_guest_mem *mem,
		      const struct hyvh_list_view *list,
		      const struct hyvh_stitch_how *how);
void hyvh_stitch_unmap(struct hyvh_stitch *stitch);

#endif /* HYVH_STITCH_H */
