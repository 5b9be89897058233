// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory table: where guest-physical addresses are in the memory of the VMM.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "memory/mem_table.h"

/* Immutable, except for the counts. */
struct hyvh_mem_table {
	struct kref ref;	/* of all users together, and of the waiter */
	refcount_t users;	/* the creator is one of them */
	struct completion unused;
	u64 bytes;	/* total length of all regions */
	u32 nr;
	/* Sorted by gpa, without overlaps; contiguous ones are merged. */
	struct hyv_mem_region region[];
};

static int hyvh_region_cmp(const void *a, const void *b)
{
	const struct hyv_mem_region *ra = a, *rb = b;

	if (ra->gpa == rb->gpa)
		return 0;
	return ra->gpa < rb->gpa ? -1 : 1;
}

static bool hyvh_region_valid(const struct hyv_mem_region *region)
{
	u64 end;

	return region->length &&
	       PAGE_ALIGNED(region->gpa) &&
	       PAGE_ALIGNED(region->length) &&
	       PAGE_ALIGNED(region->addr) &&
	       !check_add_overflow(region->gpa, region->length, &end) &&
	       !check_add_overflow(region->addr, region->length, &end) &&
	       (u64)(uintptr_t)end == end;
}

/**
 * hyvh_mem_table_create() - create a memory table
 * @regions: RAM regions of the guest in any order; may be NULL if @nr is 0
 * @nr: elements of @regions; limited by the caller
 *
 * Does not check that the VMM has memory at these addresses.
 *
 * Return: the table with one user; ERR_PTR(-EINVAL) if a region is empty,
 * is not made of whole pages or wraps, or if two overlap in guest-physical
 * addresses; or ERR_PTR(-ENOMEM).
 */
struct hyvh_mem_table *
hyvh_mem_table_create(const struct hyv_mem_region *regions, u32 nr)
{
	struct hyv_mem_region *last, *region;
	struct hyvh_mem_table *table;
	u32 i;

	for (i = 0; i < nr; i++)
		if (!hyvh_region_valid(&regions[i]))
			return ERR_PTR(-EINVAL);

	table = kvmalloc(struct_size(table, region, nr),
			 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!table)
		return ERR_PTR(-ENOMEM);
	kref_init(&table->ref);
	refcount_set(&table->users, 1);
	init_completion(&table->unused);
	table->bytes = 0;
	table->nr = 0;
	if (!nr)
		return table;
	for (i = 0; i < nr; i++)
		table->bytes += regions[i].length;

	memcpy(table->region, regions, array_size(nr, sizeof(*regions)));
	sort(table->region, nr, sizeof(*regions), hyvh_region_cmp, NULL);

	last = table->region;
	for (region = last + 1; region < table->region + nr; region++) {
		if (region->gpa - last->gpa < last->length)
			goto err_free;
		if (region->gpa == last->gpa + last->length &&
		    region->addr == last->addr + last->length)
			last->length += region->length;
		else
			*++last = *region;
	}
	table->nr = last - table->region + 1;
	return table;

err_free:
	kvfree(table);
	return ERR_PTR(-EINVAL);
}

static void hyvh_mem_table_free(struct kref *ref)
{
	kvfree(container_of(ref, struct hyvh_mem_table, ref));
}

/* Become a user of the table, which has another one. */
void hyvh_mem_table_get(struct hyvh_mem_table *table)
{
	refcount_inc(&table->users);
}

/* Stop to use the table and what it has translated. May sleep. */
void hyvh_mem_table_put(struct hyvh_mem_table *table)
{
	if (!refcount_dec_and_test(&table->users))
		return;
	complete(&table->unused);
	kref_put(&table->ref, hyvh_mem_table_free);
}

/**
 * hyvh_mem_table_retire() - stop to use a table, and wait for all other users
 * @table: the table; nobody can become a user of it any longer
 *
 * Context: Process context. May sleep.
 * Return: 0; or -EINTR, if a fatal signal came while there were users.
 */
int hyvh_mem_table_retire(struct hyvh_mem_table *table)
{
	int ret;

	kref_get(&table->ref);
	hyvh_mem_table_put(table);
	ret = wait_for_completion_killable(&table->unused);
	kref_put(&table->ref, hyvh_mem_table_free);
	return ret ? -EINTR : 0;
}

u64 hyvh_mem_table_bytes(const struct hyvh_mem_table *table)
{
	return table->bytes;
}

static const struct hyv_mem_region *
hyvh_mem_table_find(const struct hyvh_mem_table *table, u64 gpa)
{
	u32 lo = 0, hi = table->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (gpa < table->region[mid].gpa)
			hi = mid;
		else
			lo = mid + 1;
	}
	/* lo - 1 is the last region that starts at or below gpa. */
	if (!lo ||
	    gpa - table->region[lo - 1].gpa >= table->region[lo - 1].length)
		return NULL;
	return &table->region[lo - 1];
}

/**
 * hyvh_mem_table_translate() - find guest memory in the VMM
 * @table: the table
 * @gpa: guest-physical address; any value
 * @len: bytes wanted; any value except 0
 * @hva: set to the address in the VMM
 * @run: set to how many of the bytes are contiguous there, at least 1
 *
 * Return: 0, or -EFAULT if the first byte is not guest memory.
 */
int hyvh_mem_table_translate(const struct hyvh_mem_table *table, u64 gpa,
			     u64 len, u64 *hva, u64 *run)
{
	const struct hyv_mem_region *region = hyvh_mem_table_find(table, gpa);
	u64 offset;

	if (!region)
		return -EFAULT;
	offset = gpa - region->gpa;
	*hva = region->addr + offset;
	*run = min(len, region->length - offset);
	return 0;
}
