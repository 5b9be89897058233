/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window: memory of the VMM, shared with the guest, into which queues and
 * doorbell pages of the HCA are mapped.
 */
#ifndef HYVH_WINDOW_H
#define HYVH_WINDOW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

struct file;

#define HYVH_MIN_WINDOW	1048576UL

struct hyvh_window {
	u32 vnic_id;	/* for traces; set at attach */

	/*
	 * Protects all fields below and the lists of mappings of the vNIC's
	 * contexts. Held while mappings change.
	 */
	struct mutex lock;
	unsigned long addr;	/* in the VMM; 0 if the VMM has set no window */
	unsigned long size;	/* bytes */
	unsigned long used;	/* bytes that HCA memory is mapped into */
	unsigned long *pages;	/* one bit for each page, set if taken */
	unsigned long hint;	/* page to search for free pages from */
};

void hyvh_window_init(struct hyvh_window *window);
void hyvh_window_free(struct hyvh_window *window);
int hyvh_window_set(struct hyvh_window *window,
		    const struct hyv_set_window *arg);
void hyvh_window_usage(struct hyvh_window *window, u64 *used, u64 *size);
int hyvh_window_map(struct hyvh_window *window, struct list_head *mappings,
		    struct file *file, u64 pgoff, u64 length, bool writable,
		    u64 *offset, u8 *cache);
int hyvh_window_unmap(struct hyvh_window *window, struct list_head *mappings,
		      u64 offset);
void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct list_head *mappings);

#endif /* HYVH_WINDOW_H */
