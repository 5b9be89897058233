/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window: a range of the VMM's memory, shown to the guest, that HCA queues
 * and doorbell pages are mapped into.
 */
#ifndef HYVH_WINDOW_H
#define HYVH_WINDOW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

struct file;
struct hyvh_vnic;

/**
 * struct hyvh_window - the window of a vNIC
 * @lock: protects all fields, the lists of mappings of the vNIC's contexts,
 *	and is held while mappings change
 * @addr: start in the VMM's memory; 0 if there is none
 * @size: bytes
 * @used: bytes that HCA memory is mapped into
 * @pages: one bit per page, set if taken
 * @hint: where to look for free pages first
 */
struct hyvh_window {
	struct mutex lock;	/* see above */
	unsigned long addr;
	unsigned long size;
	unsigned long used;
	unsigned long *pages;
	unsigned long hint;
};

void hyvh_window_init(struct hyvh_window *window);
void hyvh_window_free(struct hyvh_window *window);
int hyvh_window_set(struct hyvh_window *window,
		    const struct hyv_set_window *arg);
int hyvh_window_map(struct hyvh_window *window, struct list_head *mappings,
		    struct file *file, u64 pgoff, u64 length, bool writable,
		    u64 *offset, u8 *cache);
int hyvh_window_unmap(struct hyvh_window *window, struct list_head *mappings,
		      u64 offset);
void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct list_head *mappings);

#endif /* HYVH_WINDOW_H */
