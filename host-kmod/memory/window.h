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

/**
 * struct hyvh_window - the window of a vNIC
 * @vnic_id: ID of the vNIC, for traces; set at attach
 * @lock: protects all fields below and the lists of mappings of the vNIC's
 *	contexts; held while mappings change
 * @addr: start in the VMM's memory; 0 if the VMM has not set a window
 * @size: bytes
 * @used: bytes that HCA memory is mapped into
 * @pages: one bit for each page, set if the page is taken
 * @hint: page at which the search for free pages starts
 */
struct hyvh_window {
	u32 vnic_id;

	struct mutex lock;	/* protects all fields below */
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
void hyvh_window_usage(struct hyvh_window *window, u64 *used, u64 *size);
int hyvh_window_map(struct hyvh_window *window, struct list_head *mappings,
		    struct file *file, u64 pgoff, u64 length, bool writable,
		    u64 *offset, u8 *cache);
int hyvh_window_unmap(struct hyvh_window *window, struct list_head *mappings,
		      u64 offset);
void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct list_head *mappings);

#endif /* HYVH_WINDOW_H */
