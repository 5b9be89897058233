/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the bytes of a request to a handler, and from its result to the bytes
 * of a reply. Knows the header rules of wire.h and nothing of what the
 * commands do.
 */
#ifndef HYVH_DISPATCH_H
#define HYVH_DISPATCH_H

#include <linux/stddef.h>
#include <linux/types.h>

#include <hyv/wire.h>

#include "memory/chunk.h"

struct hyvh_cmd_op;

/**
 * struct hyvh_call - a request that follows the rules, for its handler
 * @op: the table's entry
 * @req: fixed part; all of @op->req_len bytes, those not sent are zero
 * @rsp: fixed part of the reply, @op->rsp_len zeroed bytes; the handler fills
 *	all but the header
 * @udata_in: provider data, or NULL when @udata_in_len is 0
 * @udata_in_len: bytes of it
 * @udata_out: zeroed room for provider data in the reply, or NULL when
 *	@udata_out_room is 0
 * @udata_out_room: bytes of it
 * @udata_out_len: bytes that the handler has put there
 * @nr_lists: elements of @lists
 * @lists: chunk lists, no two of the same slot
 *
 * The memory belongs to the dispatcher and is gone when the handler returns.
 * The guest cannot write any of it.
 */
struct hyvh_call {
	const struct hyvh_cmd_op *op;
	void *req;
	void *rsp;
	const void *udata_in;
	u32 udata_in_len;
	void *udata_out;
	u32 udata_out_room;
	u32 udata_out_len;
	u16 nr_lists;
	struct hyvh_list_view lists[HYV_MAX_LISTS];
};

/**
 * struct hyvh_zero_field - bytes of a request that must be zero
 * @offset: from the start of the request
 * @len: bytes; 0 ends an array
 */
struct hyvh_zero_field {
	u16 offset;
	u16 len;
};

#define HYVH_ZERO_FIELD(type, member) \
	{ offsetof(type, member), sizeof_field(type, member) }
#define HYVH_MAX_ZERO_FIELDS	4

/**
 * struct hyvh_cmd_op - what the dispatcher knows of an opcode
 * @opcode: enum hyv_opcode
 * @min_req: bytes of the fixed part in the opcode's first version
 * @req_len: bytes of the fixed part as known now
 * @min_rsp: least fixed part of the reply that the guest must have room for
 * @rsp_len: bytes of the reply's fixed part as known now
 * @max_lists: most chunk lists, up to HYV_MAX_LISTS
 * @features: virtio feature bits that must have been negotiated (bit mask)
 * @zero: reserved fields after the header
 * @name: for logs and traces
 * @handler: does it; returns 0 or a negative errno. A reply is sent to the
 *	guest in any case; what was created must be undone before an error is
 *	returned.
 *
 * All lengths include the header and are multiples of 8.
 */
struct hyvh_cmd_op {
	u16 opcode;
	u16 min_req;
	u16 req_len;
	u16 min_rsp;
	u16 rsp_len;
	u16 max_lists;
	u32 features;
	struct hyvh_zero_field zero[HYVH_MAX_ZERO_FIELDS];
	const char *name;
	int (*handler)(void *ctx, struct hyvh_call *call);
};

u32 hyvh_dispatch(const struct hyvh_cmd_op *ops, size_t nr_ops, u64 features,
		  void *ctx, const void *req, u32 req_len, void *rsp,
		  u32 rsp_room);

#endif /* HYVH_DISPATCH_H */
