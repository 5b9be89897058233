/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stitching: mapping scattered guest memory as one range of VMM addresses.
 */
#ifndef HYVH_STITCH_H
#define HYVH_STITCH_H

#include <linux/types.h>

struct hyvh_guest_mem;
struct hyvh_list_view;
struct page;

/**
 * struct hyvh_stitch - a stitched buffer
 * @addr: address of the buffer's first byte
 * @start: start of the range, or 0 if the memory was contiguous already
 * @size: bytes of the range
 * @pages: pinned pages that were inserted, or NULL
 * @nr_pinned: elements of @pages that are pinned
 */
struct hyvh_stitch {
	unsigned long addr;
	unsigned long start;
	unsigned long size;
	struct page **pages;
	unsigned long nr_pinned;
};

int hyvh_stitch_guest(struct hyvh_stitch *stitch, struct hyvh_guest_mem *mem,
		      const struct hyvh_list_view *list, u32 max_chunks);
void hyvh_stitch_unmap(struct hyvh_stitch *stitch);

#endif /* HYVH_STITCH_H */
