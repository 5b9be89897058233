/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where guest-physical addresses are in the memory of the VMM.
 */
#ifndef HYVH_MEMMAP_H
#define HYVH_MEMMAP_H

#include <linux/types.h>

#include <uapi/linux/hyv.h>

struct hyvh_memmap;

struct hyvh_memmap *hyvh_memmap_create(const struct hyv_mem_region *regions,
				       u32 nr);
void hyvh_memmap_free(struct hyvh_memmap *map);
u64 hyvh_memmap_bytes(const struct hyvh_memmap *map);
int hyvh_memmap_translate(const struct hyvh_memmap *map, u64 gpa, u64 len,
			  u64 *hva, u64 *run);

#endif /* HYVH_MEMMAP_H */
