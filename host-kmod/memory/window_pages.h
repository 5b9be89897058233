/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of a window, as the VMM and the guest see them.
 */
#ifndef HYVH_WINDOW_PAGES_H
#define HYVH_WINDOW_PAGES_H

#include <linux/rbtree.h>
#include <linux/types.h>

struct hyvh_snapshot;
struct hyvh_window_pages;
struct vm_area_struct;

/* Pages of a window in which memory of an HCA is seen. */
struct hyvh_window_range {
	/* Empty if not shown; protected by hyvh_window_pages.lock. */
	struct rb_node node;
	unsigned long first;	/* page in the window */
	struct hyvh_snapshot *snapshot;
};

struct hyvh_window_pages *hyvh_window_pages_create(unsigned long nr);
void hyvh_window_pages_put(struct hyvh_window_pages *pages);
int hyvh_window_pages_mmap(struct hyvh_window_pages *pages,
			   struct vm_area_struct *vma);
void hyvh_window_pages_show(struct hyvh_window_pages *pages,
			    struct hyvh_window_range *range);
void hyvh_window_pages_hide(struct hyvh_window_pages *pages,
			    struct hyvh_window_range *range);
void hyvh_window_pages_zap(struct hyvh_window_pages *pages, unsigned long first,
			   unsigned long nr);

#endif /* HYVH_WINDOW_PAGES_H */
