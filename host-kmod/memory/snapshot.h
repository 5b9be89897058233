/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of an HCA, found by letting its driver map it once.
 */
#ifndef HYVH_SNAPSHOT_H
#define HYVH_SNAPSHOT_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct file;
struct rdma_user_mmap_entry;

/**
 * struct hyvh_snapshot - pages, or I/O memory, of an HCA
 * @nr: number of pages
 * @cache: cache attribute of the driver's mapping, HYV_CACHE_*
 * @writable: may be written
 * @entry: keeps I/O memory allocated; NULL if this is pages
 * @pfn: first PFN of I/O memory
 * @nr_held: elements of @page, which are referenced
 * @page: the pages
 */
struct hyvh_snapshot {
	unsigned long nr;
	u8 cache;
	bool writable;
	struct rdma_user_mmap_entry *entry;
	unsigned long pfn;
	unsigned long nr_held;
	struct page *page[];
};

struct hyvh_snapshot *hyvh_snapshot_take(struct file *file, unsigned long pgoff,
					 unsigned long nr, bool writable);
void hyvh_snapshot_free(struct hyvh_snapshot *snapshot);

/* PFN of page @i, and the protection for it in a VMA with @flags. */
unsigned long hyvh_snapshot_pfn(const struct hyvh_snapshot *snapshot,
				unsigned long i);
pgprot_t hyvh_snapshot_prot(const struct hyvh_snapshot *snapshot,
			    vm_flags_t flags);

#endif /* HYVH_SNAPSHOT_H */
