/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the HCA's driver that a context may map.
 *
 * A guest gets mmap offsets in provider data, when a queue is created or
 * resized. Only these, in their full length and once each, are passed on to
 * the driver. So a guest cannot make the driver log refusals, nor keep a queue
 * that it does not pay for by mapping a part of it.
 */
#ifndef HYVH_MMAP_TABLE_H
#define HYVH_MMAP_TABLE_H

#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct hyvh_charge;

/* Most regions of one object: the send and receive queue of a QP. */
#define HYVH_MAX_REGIONS	2

/* As the driver says: mmap offset and length in bytes, multiples of pages. */
struct hyvh_mmap_range {
	u64 offset;
	u64 length;
};

/**
 * struct hyvh_mmap_region - a range that a context may map
 * @node: in &hyvh_mmap_table.regions; empty if there is no region
 * @range: offset and length
 * @mapped: has been claimed
 * @charge: memory of the range, or NULL; the owner of the region holds it
 *
 * Protected by &hyvh_mmap_table.lock.
 */
struct hyvh_mmap_region {
	struct rb_node node;
	struct hyvh_mmap_range range;
	bool mapped;
	struct hyvh_charge *charge;
};

/* The regions of one context. */
struct hyvh_mmap_table {
	spinlock_t lock;	/* protects regions and what is in it */
	struct rb_root regions;	/* struct hyvh_mmap_region by offset */
};

void hyvh_mmap_table_init(struct hyvh_mmap_table *table);
void hyvh_mmap_regions_init(struct hyvh_mmap_region *regions);
int hyvh_mmap_table_set(struct hyvh_mmap_table *table,
			struct hyvh_mmap_region *regions,
			const struct hyvh_mmap_range *ranges, unsigned int nr,
			struct hyvh_charge *charge);
int hyvh_mmap_table_claim(struct hyvh_mmap_table *table,
			  const struct hyvh_mmap_range *range,
			  struct hyvh_charge **charge);
void hyvh_mmap_table_unclaim(struct hyvh_mmap_table *table, u64 offset);

#endif /* HYVH_MMAP_TABLE_H */
