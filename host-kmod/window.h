/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window: a range of the VMM's memory, shown to the guest, that HCA queues
 * and doorbell pages are mapped into.
 */
#ifndef HYV_WINDOW_H
#define HYV_WINDOW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

struct file;
struct hyv_vnic;

/**
 * struct hyv_window - the window of a vNIC
 * @lock: protects all fields, the lists of mappings of the vNIC's contexts,
 *	and is held while mappings change
 * @addr: start in the VMM's memory; 0 if there is none
 * @size: bytes
 * @used: bytes that HCA memory is mapped into
 * @pages: one bit per page, set if taken
 * @hint: where to look for free pages first
 */
struct hyv_window {
	struct mutex lock;	/* see above */
	unsigned long addr;
	unsigned long size;
	unsigned long used;
	unsigned long *pages;
	unsigned long hint;
};

void hyv_window_init(struct hyv_window *window);
void hyv_window_free(struct hyv_window *window);
int hyv_window_set(struct hyv_window *window,
		   const struct hyv_set_window *arg);
int hyv_window_map(struct hyv_window *window, struct list_head *mappings,
		   struct file *file, u64 pgoff, u64 length, bool writable,
		   u64 *offset, u8 *cache);
int hyv_window_unmap(struct hyv_window *window, struct list_head *mappings,
		     u64 offset);
void hyv_window_unmap_all(struct hyv_window *window,
			  struct list_head *mappings);

#endif /* HYV_WINDOW_H */
