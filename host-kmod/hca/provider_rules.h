/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of provider data from guests, by the tables of hyv/provider.h.
 */
#ifndef HYVH_PROVIDER_RULES_H
#define HYVH_PROVIDER_RULES_H

#include <linux/types.h>

#include "memory/mmap_table.h"

/* Numbers of doorbell pages that a context may map. */
struct hyvh_doorbell_pages {
	u32 nr;			/* that it has */
	u32 nr_own;		/* that the driver makes for a mapping */
};

int hyvh_provider_filter(u32 driver_id, u16 opcode, void *udata, u32 len);
void hyvh_provider_doorbells(u32 driver_id, const void *udata, u32 len,
			     struct hyvh_doorbell_pages *pages);
int hyvh_provider_mmap(u32 driver_id, const struct hyvh_mmap_range *range,
		       bool writable, const struct hyvh_doorbell_pages *pages,
		       int *own);

#endif /* HYVH_PROVIDER_RULES_H */
