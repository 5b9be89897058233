/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of guest memory in a provider's private data.
 */
#ifndef HYVH_UDATA_FIXUP_H
#define HYVH_UDATA_FIXUP_H

#include <hyv/wire.h>

#include "memory/stitch.h"

struct hyvh_call;
struct hyvh_request;

/**
 * struct hyvh_udata_mem - memory that is in place for one call of the driver
 * @nr: elements of @stitch
 * @stitch: ranges in the VMM's address space
 */
struct hyvh_udata_mem {
	u32 nr;
	struct hyvh_stitch stitch[HYV_MAX_LISTS];
};

int hyvh_udata_map(struct hyvh_request *r, const struct hyvh_call *call,
		   struct hyvh_udata_mem *mem);
void hyvh_udata_unmap(struct hyvh_udata_mem *mem);

#endif /* HYVH_UDATA_FIXUP_H */
