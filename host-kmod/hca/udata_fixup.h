/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of guest memory in provider data.
 */
#ifndef HYVH_UDATA_FIXUP_H
#define HYVH_UDATA_FIXUP_H

#include <hyv/wire.h>

#include "memory/stitch.h"

struct hyv_udata_addr;
struct hyvh_cmd;
struct hyvh_guest_mem;

/* Most bytes of a buffer that hyvh_udata_read() can read. */
#define HYVH_MAX_UDATA_BUFFER	64

/* Guest memory that is stitched during a call of the HCA's driver. */
struct hyvh_udata_mem {
	u32 nr;
	struct {
		const struct hyv_udata_addr *field;
		struct hyvh_stitch stitch;
	} buffer[HYV_MAX_LISTS];
};

int hyvh_udata_map(struct hyvh_udata_mem *udata_mem,
		   struct hyvh_guest_mem *guest_mem,
		   const struct hyvh_cmd *cmd);
u32 hyvh_udata_read(const struct hyvh_udata_mem *udata_mem, u16 slot,
		    void *to);
void hyvh_udata_unmap(struct hyvh_udata_mem *udata_mem);

#endif /* HYVH_UDATA_FIXUP_H */
