/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of guest memory in provider data.
 */
#ifndef HYVH_UDATA_FIXUP_H
#define HYVH_UDATA_FIXUP_H

#include <hyv/wire.h>

#include "memory/stitch.h"

struct hyv_queue_size;
struct hyv_udata_addr;
struct hyvh_cmd;
struct hyvh_guest_mem;
struct hyvh_list_view;
struct hyvh_record;
struct hyvh_records;

/* Most bytes of a buffer that hyvh_udata_read() can read. */
#define HYVH_MAX_UDATA_BUFFER	64

/* Guest memory that is stitched during a call of the HCA's driver. */
struct hyvh_udata_mem {
	u32 nr;
	struct {
		const struct hyv_udata_addr *field;
		/* NULL if the field has no memory. */
		const struct hyvh_list_view *list;
		struct hyvh_record *record;	/* locked; or NULL */
		struct hyvh_stitch stitch;
	} buffer[HYV_MAX_LISTS];
};

/* Where the buffers of a command are mapped */
struct hyvh_udata_target {
	struct hyvh_guest_mem *guest_mem;
	struct hyvh_records *records;
	const void *owner;		/* of records: the context */
	/* Set to the record that the object uses, or NULL: to be put with it. */
	struct hyvh_record *record;
};

int hyvh_udata_find(struct hyvh_udata_mem *udata_mem,
		    const struct hyvh_cmd *cmd,
		    const struct hyv_queue_size *size, u64 *pinned, u32 *nr);
int hyvh_udata_map(struct hyvh_udata_mem *udata_mem,
		   const struct hyvh_cmd *cmd,
		   struct hyvh_udata_target *target);
u32 hyvh_udata_read(const struct hyvh_udata_mem *udata_mem, u16 slot,
		    void *to);
void hyvh_udata_unmap(struct hyvh_udata_mem *udata_mem);

#endif /* HYVH_UDATA_FIXUP_H */
