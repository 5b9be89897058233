/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mmap offsets in provider data.
 */
#ifndef HYVH_UDATA_REGION_H
#define HYVH_UDATA_REGION_H

#include <linux/types.h>

#include "memory/mmap_table.h"

unsigned int hyvh_udata_regions(u32 driver_id, u16 opcode, u16 source,
				const void *data, u32 len,
				struct hyvh_mmap_range *ranges);

#endif /* HYVH_UDATA_REGION_H */
