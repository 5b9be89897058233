/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest memory that a chunk list describes, as one range of the VMM's addresses.
 */
#ifndef HYVH_GUEST_MAP_H
#define HYVH_GUEST_MAP_H

#include <linux/types.h>

#include "memory/stitch.h"

struct hyvh_list_view;
struct hyvh_vnic;

int hyvh_guest_map(struct hyvh_vnic *vnic, const struct hyvh_list_view *list,
		   u32 max_chunks, struct hyvh_stitch *stitch);

#endif /* HYVH_GUEST_MAP_H */
