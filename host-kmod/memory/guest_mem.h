/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest memory of a vNIC.
 */
#ifndef HYVH_GUEST_MEM_H
#define HYVH_GUEST_MEM_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "memory/mem_table.h"

struct hyvh_quota;

#define HYVH_MAX_MEM_REGIONS	512

/* The VMM replaces the table, and waits for the users of the old one. */
struct hyvh_guest_mem {
	spinlock_t lock;	/* protects table */
	struct hyvh_mem_table *table;
	/* Set while requests that pin memory are to end; see cancel.h. */
	const bool *cancel;
	/* Shared with other vNICs of the VMM. Set before the vNIC is attached. */
	struct hyvh_quota *vmas;	/* mappings for stitches */
	atomic64_t *stitched;		/* pages that stitches pin */
};

void hyvh_guest_mem_init(struct hyvh_guest_mem *mem, const bool *cancel);
void hyvh_guest_mem_free(struct hyvh_guest_mem *mem);
int hyvh_guest_mem_set(struct hyvh_guest_mem *mem,
		       const struct hyv_set_mem *arg, u64 *bytes,
		       struct hyvh_mem_table **old);
struct hyvh_mem_table *hyvh_guest_mem_get(struct hyvh_guest_mem *mem);
bool hyvh_guest_mem_is_current(const struct hyvh_guest_mem *mem,
			       const struct hyvh_mem_table *table);

int hyvh_guest_read(const struct hyvh_mem_table *table, u64 gpa, void *dst,
		    u64 len);

#endif /* HYVH_GUEST_MEM_H */
