/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the bytes of a request to a handler, and from its result to the bytes
 * of a reply. Knows the header rules of wire.h, not what the commands do.
 */
#ifndef HYVH_DISPATCH_H
#define HYVH_DISPATCH_H

#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <hyv/wire.h>

#include "debug.h"
#include "memory/chunk.h"

struct hyvh_cmd_op;
struct hyvh_hca_driver;
struct hyvh_vnic;
struct ib_device;

/**
 * struct hyvh_cmd - a request while it is executed
 * @vnic: the vNIC
 * @vnic_id: ID of @vnic, for messages
 * @ibdev: HCA of @vnic; stays registered while the handler runs
 * @driver: properties of the HCA's driver
 * @scratch: VMM memory, HYVH_SCRATCH_SIZE bytes
 * @op: the command; NULL if the opcode is unknown
 * @req: fixed part of the request; all of @op->req_len bytes, zero where the
 *	guest sent less
 * @rsp: fixed part of the reply, @op->rsp_len zeroed bytes; the handler fills
 *	in everything except the header
 * @udata_in: provider data of the request, or NULL if @udata_in_len is 0
 * @udata_in_len: bytes at @udata_in
 * @udata_out: zeroed room for provider data of the reply, or NULL if
 *	@udata_out_room is 0
 * @udata_out_room: bytes at @udata_out
 * @udata_out_len: bytes that the handler has written to @udata_out
 * @nr_lists: elements of @lists
 * @lists: chunk lists, at most one for each slot
 *
 * The guest cannot write to the memory that the members point to. It is freed
 * when the handler returns.
 */
struct hyvh_cmd {
	/* Set by the caller of hyvh_dispatch(). */
	struct hyvh_vnic *vnic;
	u32 vnic_id;
	struct ib_device *ibdev;
	const struct hyvh_hca_driver *driver;
	void __user *scratch;

	/* Set by hyvh_dispatch(). */
	const struct hyvh_cmd_op *op;
	void *req;
	void *rsp;
	void *udata_in;
	u32 udata_in_len;
	void *udata_out;
	u32 udata_out_room;
	u32 udata_out_len;
	u16 nr_lists;
	struct hyvh_list_view lists[HYV_MAX_LISTS];
};

/* Log why a handler refuses @cmd. Evaluates to @err, a negative errno. */
#define hyvh_cmd_refuse(cmd, err, fmt, ...)				\
	hyvh_refuse((cmd)->vnic_id, err, "%s: " fmt, (cmd)->op->name,	\
		    ##__VA_ARGS__)

/*
 * A command as the dispatcher knows it. Lengths are in bytes, include the
 * header and are multiples of 8.
 */
struct hyvh_cmd_op {
	u16 opcode;
	u16 min_req;	/* fixed part of the request in the first version */
	u16 req_len;	/* fixed part of the request in this version */
	u16 min_rsp;	/* room for the reply that the guest must have */
	u16 rsp_len;	/* fixed part of the reply in this version */
	u16 max_lists;	/* most chunk lists, up to HYV_MAX_LISTS */
	u32 features;	/* virtio features that must have been negotiated */
	const char *name;
	/* Undoes what it has created before it returns an error. */
	int (*handler)(struct hyvh_cmd *cmd);
};

/* Initialises struct hyvh_cmd_op from an entry of HYV_FOR_EACH_COMMAND(). */
#define HYVH_CMD_OP(NAME, req, min_req_len, rsp, min_rsp_len, nr_lists,	\
		    bits, fn)						\
	{								\
		.opcode = HYV_CMD_##NAME,				\
		.min_req = min_req_len,					\
		.req_len = sizeof(struct req),				\
		.min_rsp = min_rsp_len,					\
		.rsp_len = sizeof(struct rsp),				\
		.max_lists = nr_lists,					\
		.features = bits,					\
		.name = #NAME,						\
		.handler = fn,						\
	},

/* Bytes of a request, after its header, that must be zero. */
struct hyvh_cmd_reserved {
	u16 opcode;
	u16 offset;
	u16 len;
};

/* For HYV_FOR_EACH_RESERVED(). */
#define HYVH_CMD_RESERVED(NAME, req, member)				\
	{								\
		.opcode = HYV_CMD_##NAME,				\
		.offset = offsetof(struct req, member),			\
		.len = sizeof_field(struct req, member),		\
	},

struct hyvh_cmd_table {
	const struct hyvh_cmd_op *ops;
	size_t nr_ops;
	const struct hyvh_cmd_reserved *reserved;
	size_t nr_reserved;
};

u32 hyvh_dispatch(const struct hyvh_cmd_table *table, u64 features,
		  struct hyvh_cmd *cmd, const void *req, u32 req_len,
		  void *rsp, u32 rsp_room);
u32 hyvh_reply_error(void *rsp, enum hyv_status status);

#endif /* HYVH_DISPATCH_H */
