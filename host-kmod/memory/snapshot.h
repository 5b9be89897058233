/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of an HCA, found by letting its driver map it once.
 */
#ifndef HYVH_SNAPSHOT_H
#define HYVH_SNAPSHOT_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "hyvs/view.h"

struct address_space;
struct file;
struct rdma_user_mmap_entry;
struct vm_fault;

/**
 * struct hyvh_snapshot - pages, or I/O memory, of an HCA
 * @nr: number of pages
 * @cache: cache attribute of the driver's mapping, HYV_CACHE_*
 * @writable: may be written
 * @io: this is I/O memory
 * @entry: keeps I/O memory allocated; or NULL
 * @view_ops: operations of @view if this is a doorbell page of hyvs.ko; or NULL
 * @view: that page
 * @pfn: first PFN if there are no @page
 * @nr_held: elements of @page, which are referenced
 * @page: the pages
 */
struct hyvh_snapshot {
	unsigned long nr;
	u8 cache;
	bool writable;
	bool io;
	struct rdma_user_mmap_entry *entry;
	const struct hyvs_view_ops *view_ops;
	struct hyvs_view view;
	unsigned long pfn;
	unsigned long nr_held;
	struct page *page[];
};

struct hyvh_snapshot *hyvh_snapshot_take(struct file *file, unsigned long pgoff,
					 unsigned long nr, bool writable,
					 bool lasting, bool *made);
void hyvh_snapshot_free(struct hyvh_snapshot *snapshot);

/* The snapshot will be seen in @mapping from @place on. */
void hyvh_snapshot_show(struct hyvh_snapshot *snapshot,
			struct address_space *mapping, loff_t place);
/* Insert page @i, for a fault. */
vm_fault_t hyvh_snapshot_insert(struct hyvh_snapshot *snapshot,
				struct vm_fault *vmf, unsigned long i);

/* PFN of page @i. */
unsigned long hyvh_snapshot_pfn(const struct hyvh_snapshot *snapshot,
				unsigned long i);

#endif /* HYVH_SNAPSHOT_H */
