/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of guest memory in a provider's private data.
 */
#ifndef HYV_UDATA_ADDR_H
#define HYV_UDATA_ADDR_H

#include <hyv/wire.h>

#include "stitch.h"

struct hyv_call;
struct hyv_request;

/**
 * struct hyv_udata_mem - memory that is in place for one call of the driver
 * @nr: elements of @stitch
 * @stitch: ranges in the VMM's address space
 */
struct hyv_udata_mem {
	u32 nr;
	struct hyv_stitch stitch[HYV_MAX_LISTS];
};

int hyv_udata_map(struct hyv_request *r, const struct hyv_call *call,
		  struct hyv_udata_mem *mem);
void hyv_udata_unmap(struct hyv_udata_mem *mem);

#endif /* HYV_UDATA_ADDR_H */
