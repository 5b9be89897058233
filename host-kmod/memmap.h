/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where guest-physical addresses are in the memory of the VMM.
 */
#ifndef HYV_MEMMAP_H
#define HYV_MEMMAP_H

#include <linux/types.h>

#include <uapi/linux/hyv.h>

struct hyv_memmap;

struct hyv_memmap *hyv_memmap_create(const struct hyv_mem_region *regions,
				     u32 nr);
void hyv_memmap_free(struct hyv_memmap *map);
u64 hyv_memmap_bytes(const struct hyv_memmap *map);
int hyv_memmap_translate(const struct hyv_memmap *map, u64 gpa, u64 len,
			 u64 *hva, u64 *run);

#endif /* HYV_MEMMAP_H */
