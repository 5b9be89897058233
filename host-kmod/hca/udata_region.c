// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mmap offsets in provider data; hyv/provider.h lists them.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "hca/udata_region.h"

static const struct hyv_udata_region hyvh_udata_region_table[] = {
	HYV_FOR_EACH_UDATA_REGION(HYV_UDATA_REGION)
};

/* Returns false if there is none, or one that cannot be mapped. */
static bool hyvh_udata_region_read(const struct hyv_udata_region *region,
				   const void *data, u32 len,
				   struct hyvh_mmap_range *range)
{
	u32 length;

	if (len < region->offset + sizeof(range->offset) ||
	    len < region->length + sizeof(length))
		return false;
	memcpy(&range->offset, data + region->offset, sizeof(range->offset));
	memcpy(&length, data + region->length, sizeof(length));
	range->length = PAGE_ALIGN((u64)length);
	return range->length && PAGE_ALIGNED(range->offset) &&
	       range->offset <= LONG_MAX - range->length;
}

/**
 * hyvh_udata_regions() - find mmap offsets that the HCA's driver has returned
 * @driver_id: enum rdma_driver_id
 * @opcode: enum hyv_opcode of the command
 * @source: HYV_UDATA_REPLY, or a slot
 * @data: what the driver has written there; VMM or guest may have changed it
 * @len: bytes of @data
 * @ranges: room for HYVH_MAX_REGIONS
 *
 * Return: number of @ranges filled in.
 */
unsigned int hyvh_udata_regions(u32 driver_id, u16 opcode, u16 source,
				const void *data, u32 len,
				struct hyvh_mmap_range *ranges)
{
	const struct hyv_udata_region *region;
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(hyvh_udata_region_table); i++) {
		region = &hyvh_udata_region_table[i];
		if (region->driver_id == driver_id &&
		    region->opcode == opcode && region->source == source &&
		    nr < HYVH_MAX_REGIONS &&
		    hyvh_udata_region_read(region, data, len, &ranges[nr]))
			nr++;
	}
	return nr;
}
