/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window: memory of /dev/hyv that the VMM maps and shares with the guest,
 * in which queues and doorbell pages of the HCA are seen.
 */
#ifndef HYVH_WINDOW_H
#define HYVH_WINDOW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

#include "memory/mmap_table.h"

struct file;
struct hyvh_charge;
struct hyvh_window_pages;
struct vm_area_struct;

#define HYVH_MIN_WINDOW	((u64)SZ_1M)
/* Numbers of pages fit into the unsigned int of the bitmap functions. */
#define HYVH_MAX_WINDOW	((u64)SZ_1T)

/*
 * Lasting mappings that a context may have, as many as hyvs.ko allows a process of the
 * host. They cost nothing of what other quotas count, but room that all need.
 */
#define HYVH_MAX_LASTING	256

/* Mappings of a context. Protected by hyvh_window.lock. */
struct hyvh_mappings {
	struct list_head list;
	u32 nr_lasting;
};

struct hyvh_window {
	u32 vnic_id;	/* for traces; set at attach */
	/* NULL until the VMM has set the window; does not change then. */
	struct hyvh_window_pages *pages;

	/*
	 * Protects the fields below and the lists of mappings of the vNIC's
	 * contexts. Not held while the driver or the VMM's mappings are used.
	 */
	struct mutex lock;
	u64 size;	/* bytes; readable without the lock */
	u64 used;	/* bytes with mappings; readable without the lock */
	unsigned long *taken;	/* one bit for each page */
	unsigned long hint;	/* page to search for free pages from */
};

/**
 * struct hyvh_window_req - memory to map into the window
 * @file: uverbs file of the context
 * @range: mmap offset and length
 * @writable: allow writing
 * @lasting: the memory lives as long as the context
 * @charge: the mapping takes over this reference if it succeeds; or NULL
 * @made: set if the driver has mapped the memory, even if the request fails then
 * @offset: set to the offset in the window
 * @cache: set to the HYV_CACHE_* attribute of the mapping
 */
struct hyvh_window_req {
	struct file *file;
	struct hyvh_mmap_range range;
	bool writable;
	bool lasting;
	struct hyvh_charge *charge;
	bool made;
	u64 offset;
	u8 cache;
};

void hyvh_window_init(struct hyvh_window *window);
void hyvh_window_free(struct hyvh_window *window);
int hyvh_window_set(struct hyvh_window *window,
		    const struct hyv_set_window *arg);
int hyvh_window_mmap(struct hyvh_window *window, struct vm_area_struct *vma);
void hyvh_window_usage(const struct hyvh_window *window, u64 *used, u64 *size);
int hyvh_window_map(struct hyvh_window *window, struct hyvh_mappings *mappings,
		    struct hyvh_window_req *req);
int hyvh_window_unmap(struct hyvh_window *window,
		      struct hyvh_mappings *mappings, u64 offset);
void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct hyvh_mappings *mappings);

#endif /* HYVH_WINDOW_H */
