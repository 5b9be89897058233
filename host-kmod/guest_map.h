/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest memory that a chunk list describes, as one range of the VMM's addresses.
 */
#ifndef HYV_GUEST_MAP_H
#define HYV_GUEST_MAP_H

#include <linux/types.h>

#include "stitch.h"

struct hyv_list_view;
struct hyv_vnic;

int hyv_guest_map(struct hyv_vnic *vnic, const struct hyv_list_view *list,
		  u32 max_chunks, struct hyv_stitch *stitch);

#endif /* HYV_GUEST_MAP_H */
