/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of provider data from guests, by the tables of hyv/provider.h.
 */
#ifndef HYVH_PROVIDER_RULES_H
#define HYVH_PROVIDER_RULES_H

#include <linux/types.h>

#include "memory/mmap_table.h"

int hyvh_provider_filter(u32 driver_id, u16 opcode, void *udata, u32 len);
u32 hyvh_provider_doorbells(u32 driver_id, const void *udata, u32 len);
int hyvh_provider_mmap(u32 driver_id, const struct hyvh_mmap_range *range,
		       bool writable, u32 nr_doorbells);

#endif /* HYVH_PROVIDER_RULES_H */
