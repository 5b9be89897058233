// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of the HCA's driver that a context may map.
 */
#include <linux/errno.h>

#include "memory/charge.h"
#include "memory/mmap_table.h"

void hyvh_mmap_table_init(struct hyvh_mmap_table *table)
{
	spin_lock_init(&table->lock);
	table->regions = RB_ROOT;
}

/* @regions are the HYVH_MAX_REGIONS of a new object. */
void hyvh_mmap_regions_init(struct hyvh_mmap_region *regions)
{
	unsigned int i;

	for (i = 0; i < HYVH_MAX_REGIONS; i++)
		RB_CLEAR_NODE(&regions[i].node);
}

static struct hyvh_mmap_region *
hyvh_mmap_table_find(struct hyvh_mmap_table *table, u64 offset)
{
	struct rb_node *node = table->regions.rb_node;
	struct hyvh_mmap_region *region;

	lockdep_assert_held(&table->lock);
	while (node) {
		region = rb_entry(node, struct hyvh_mmap_region, node);
		if (offset == region->range.offset)
			return region;
		node = offset < region->range.offset ? node->rb_left :
						       node->rb_right;
	}
	return NULL;
}

static int hyvh_mmap_table_add(struct hyvh_mmap_table *table,
			       struct hyvh_mmap_region *new)
{
	struct rb_node **at = &table->regions.rb_node, *parent = NULL;
	struct hyvh_mmap_region *region;

	while (*at) {
		parent = *at;
		region = rb_entry(parent, struct hyvh_mmap_region, node);
		if (new->range.offset == region->range.offset)
			return -EEXIST;
		at = new->range.offset < region->range.offset ?
		     &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&new->node, parent, at);
	rb_insert_color(&new->node, &table->regions);
	return 0;
}

static void hyvh_mmap_table_clear(struct hyvh_mmap_table *table,
				  struct hyvh_mmap_region *regions)
{
	unsigned int i;

	for (i = 0; i < HYVH_MAX_REGIONS; i++) {
		if (RB_EMPTY_NODE(&regions[i].node))
			continue;
		rb_erase(&regions[i].node, &table->regions);
		RB_CLEAR_NODE(&regions[i].node);
	}
}

/**
 * hyvh_mmap_table_set() - replace the regions of an object
 * @table: table of the context
 * @regions: the HYVH_MAX_REGIONS of the object
 * @ranges: the new ones
 * @nr: number of @ranges; 0 leaves none
 * @charge: memory of all @ranges together, or NULL if they are not memory of
 *	the host; the caller keeps a reference while the regions are there
 *
 * The VMM or the guest may have changed @ranges after the driver wrote them, so
 * they must not take more memory than is charged, nor replace others.
 *
 * Context: Process context.
 * Return: 0; or, with no regions left, %-EINVAL if @ranges are more than
 * @charge, or %-EEXIST if another object has a region at one of the offsets.
 */
int hyvh_mmap_table_set(struct hyvh_mmap_table *table,
			struct hyvh_mmap_region *regions,
			const struct hyvh_mmap_range *ranges, unsigned int nr,
			struct hyvh_charge *charge)
{
	u64 room = charge ? charge->bytes : U64_MAX;
	unsigned int i;
	int ret = 0;

	spin_lock(&table->lock);
	hyvh_mmap_table_clear(table, regions);
	for (i = 0; i < nr && !ret; i++) {
		if (ranges[i].length > room) {
			ret = -EINVAL;
			break;
		}
		room -= ranges[i].length;
		regions[i].range = ranges[i];
		regions[i].mapped = false;
		regions[i].charge = charge;
		ret = hyvh_mmap_table_add(table, &regions[i]);
	}
	if (ret)
		hyvh_mmap_table_clear(table, regions);
	spin_unlock(&table->lock);
	return ret;
}

/**
 * hyvh_mmap_table_claim() - start to map a region
 * @table: table of the context
 * @range: what to map
 * @charge: set to the region's charge, with a reference for the caller
 *
 * Context: Process context.
 * Return: 0; or %-EINVAL if there is no such region, it has another length, or
 * it was claimed before.
 */
int hyvh_mmap_table_claim(struct hyvh_mmap_table *table,
			  const struct hyvh_mmap_range *range,
			  struct hyvh_charge **charge)
{
	struct hyvh_mmap_region *region;
	int ret = -EINVAL;

	spin_lock(&table->lock);
	region = hyvh_mmap_table_find(table, range->offset);
	if (region && region->range.length == range->length &&
	    !region->mapped) {
		region->mapped = true;
		*charge = hyvh_charge_get(region->charge);
		ret = 0;
	}
	spin_unlock(&table->lock);
	return ret;
}

/* Undo hyvh_mmap_table_claim(). The region may be gone. */
void hyvh_mmap_table_unclaim(struct hyvh_mmap_table *table, u64 offset)
{
	struct hyvh_mmap_region *region;

	spin_lock(&table->lock);
	region = hyvh_mmap_table_find(table, offset);
	if (region)
		region->mapped = false;
	spin_unlock(&table->lock);
}
