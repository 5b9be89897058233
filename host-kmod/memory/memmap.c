// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where guest-physical addresses are in the memory of the VMM.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "memory/memmap.h"

/**
 * struct hyvh_memmap - an immutable map
 * @bytes: of all regions
 * @nr: elements of @region
 * @region: sorted by gpa, no two overlap, and none continues the one before
 *	in both address spaces
 */
struct hyvh_memmap {
	u64 bytes;
	u32 nr;
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
 * hyvh_memmap_create() - make a map
 * @regions: guest memory, in any order; may be NULL if @nr is 0
 * @nr: elements of @regions; the caller has limited it
 *
 * Whether the owner has memory at these addresses is not looked at.
 *
 * Context: process, may sleep.
 * Return: the map, for hyvh_memmap_free(); or ERR_PTR of -EINVAL when a region
 * is empty, not made of whole pages or ends beyond the address space, or two
 * overlap in guest-physical addresses; or of -ENOMEM.
 */
struct hyvh_memmap *hyvh_memmap_create(const struct hyv_mem_region *regions,
				       u32 nr)
{
	struct hyv_mem_region *last, *region;
	struct hyvh_memmap *map;
	u32 i;

	for (i = 0; i < nr; i++)
		if (!hyvh_region_valid(&regions[i]))
			return ERR_PTR(-EINVAL);

	map = kvmalloc(struct_size(map, region, nr),
		       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->bytes = 0;
	map->nr = 0;
	if (!nr)
		return map;
	for (i = 0; i < nr; i++)
		map->bytes += regions[i].length;

	memcpy(map->region, regions, array_size(nr, sizeof(*regions)));
	sort(map->region, nr, sizeof(*regions), hyvh_region_cmp, NULL);

	last = map->region;
	for (region = last + 1; region < map->region + nr; region++) {
		if (region->gpa - last->gpa < last->length)
			goto err_free;
		if (region->gpa == last->gpa + last->length &&
		    region->addr == last->addr + last->length)
			last->length += region->length;
		else
			*++last = *region;
	}
	map->nr = last - map->region + 1;
	return map;

err_free:
	kvfree(map);
	return ERR_PTR(-EINVAL);
}

/**
 * hyvh_memmap_free() - free a map
 * @map: of hyvh_memmap_create(), or NULL
 *
 * Context: process, may sleep.
 */
void hyvh_memmap_free(struct hyvh_memmap *map)
{
	kvfree(map);
}

/**
 * hyvh_memmap_bytes() - how much guest memory there is
 * @map: the map
 *
 * Context: any.
 * Return: bytes.
 */
u64 hyvh_memmap_bytes(const struct hyvh_memmap *map)
{
	return map->bytes;
}

/* The region that @gpa is in, or NULL. */
static const struct hyv_mem_region *hyvh_memmap_find(const struct hyvh_memmap *map,
						     u64 gpa)
{
	u32 lo = 0, hi = map->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (gpa < map->region[mid].gpa)
			hi = mid;
		else
			lo = mid + 1;
	}
	/* The last one that does not start behind gpa. */
	if (!lo || gpa - map->region[lo - 1].gpa >= map->region[lo - 1].length)
		return NULL;
	return &map->region[lo - 1];
}

/**
 * hyvh_memmap_translate() - find guest memory
 * @map: the map
 * @gpa: guest-physical address; any value
 * @len: bytes that are wanted; any value but 0
 * @hva: where to put the address in the owner's memory
 * @run: where to put how many of the bytes are contiguous there, at least 1
 *
 * Context: any.
 * Return: 0, or -EFAULT when the first byte is not guest memory.
 */
int hyvh_memmap_translate(const struct hyvh_memmap *map, u64 gpa, u64 len,
			  u64 *hva, u64 *run)
{
	const struct hyv_mem_region *region = hyvh_memmap_find(map, gpa);
	u64 offset;

	if (!region)
		return -EFAULT;
	offset = gpa - region->gpa;
	*hva = region->addr + offset;
	*run = min(len, region->length - offset);
	return 0;
}
