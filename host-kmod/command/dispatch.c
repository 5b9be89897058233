// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the bytes of a request to a handler, and from its result to the bytes
 * of a reply.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "command/convert.h"
#include "command/dispatch.h"

/* Alignment of the parts of a request and of a reply. */
#define HYVH_PART_ALIGN	8

static const struct hyvh_cmd_op *
hyvh_find_op(const struct hyvh_cmd_table *table, u16 opcode)
{
	const struct hyvh_cmd_op *op;

	for (op = table->ops; op < table->ops + table->nr_ops; op++)
		if (op->opcode == opcode)
			return op;
	return NULL;
}

/* Check the header of a request of @len bytes, and that its parts fit. */
static int hyvh_check_header(const struct hyvh_cmd *cmd,
			     const struct hyv_req *hdr, u32 len)
{
	u16 fixed_len = le16_to_cpu(hdr->fixed_len);
	u32 udata_len = le32_to_cpu(hdr->udata_len);

	if (hdr->reserved || hdr->reserved2)
		return hyvh_cmd_refuse(cmd, -EINVAL, "reserved field not 0");
	if (le32_to_cpu(hdr->size) > len)
		return hyvh_cmd_refuse(cmd, -EMSGSIZE, "request cut short");
	if (le32_to_cpu(hdr->size) < len ||
	    !IS_ALIGNED(fixed_len, HYVH_PART_ALIGN))
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid size");
	if (fixed_len < cmd->op->min_req || fixed_len > len)
		return hyvh_cmd_refuse(cmd, -EMSGSIZE,
				       "%u bytes of fixed part", fixed_len);
	if (udata_len > HYV_MAX_UDATA ||
	    le32_to_cpu(hdr->udata_out_len) > HYV_MAX_UDATA)
		return hyvh_cmd_refuse(cmd, -EINVAL, "too much provider data");
	if (le16_to_cpu(hdr->nr_lists) > cmd->op->max_lists)
		return hyvh_cmd_refuse(cmd, -EINVAL, "too many chunk lists");
	if (udata_len > len - fixed_len)
		return hyvh_cmd_refuse(cmd, -EMSGSIZE,
				       "provider data cut short");
	return 0;
}

/* Copy the fixed part to cmd->req, which is zeroed, and check its fields. */
static int hyvh_parse_fixed(const struct hyvh_cmd_table *table,
			    struct hyvh_cmd *cmd, const void *req,
			    u16 fixed_len)
{
	const struct hyvh_cmd_op *op = cmd->op;
	const struct hyvh_cmd_reserved *field;
	size_t i;

	if (fixed_len > op->req_len &&
	    memchr_inv(req + op->req_len, 0, fixed_len - op->req_len))
		return hyvh_cmd_refuse(cmd, -E2BIG, "unknown fields not 0");
	memcpy(cmd->req, req, min(fixed_len, op->req_len));

	for (i = 0; i < table->nr_reserved; i++) {
		field = &table->reserved[i];
		if (field->opcode == op->opcode &&
		    memchr_inv(cmd->req + field->offset, 0, field->len))
			return hyvh_cmd_refuse(cmd, -EINVAL,
					       "reserved field not 0");
	}
	return 0;
}

/* Find provider data and chunk lists; the header has been checked. */
static int hyvh_parse_rest(struct hyvh_cmd *cmd, const void *req, u32 len,
			   u64 features)
{
	const struct hyv_req *hdr = req;
	u32 start = le16_to_cpu(hdr->fixed_len);
	u32 end = start + le32_to_cpu(hdr->udata_len);
	u32 lists = ALIGN(end, HYVH_PART_ALIGN);
	u16 i;
	int ret;

	if (cmd->udata_in_len)
		memcpy(cmd->udata_in, req + start, cmd->udata_in_len);

	/* The request may end with or without the padding. */
	if (memchr_inv(req + end, 0, min(lists, len) - end))
		return hyvh_cmd_refuse(cmd, -EINVAL, "padding not 0");
	cmd->nr_lists = le16_to_cpu(hdr->nr_lists);
	ret = hyvh_chunk_lists_parse(req + min(lists, len),
				     len - min(lists, len), cmd->nr_lists,
				     cmd->lists);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "invalid chunk list");
	for (i = 0; i < cmd->nr_lists; i++)
		if (cmd->lists[i].flags & HYV_CHUNKS_INDIRECT &&
		    !(features & BIT_ULL(HYV_F_INDIRECT_CHUNKS)))
			return hyvh_cmd_refuse(cmd, -EOPNOTSUPP,
					       "indirect chunks not negotiated");
	return 0;
}

/* Allocate zeroed memory for the fixed parts and for provider data. */
static int hyvh_cmd_alloc(struct hyvh_cmd *cmd, u32 udata_in_len,
			  u32 udata_out_room)
{
	u32 udata_in_room = ALIGN(udata_in_len, HYVH_PART_ALIGN);
	u32 req_len = ALIGN(cmd->op->req_len, HYVH_PART_ALIGN);
	u32 rsp_len = ALIGN(cmd->op->rsp_len, HYVH_PART_ALIGN);

	cmd->req = kzalloc(req_len + rsp_len + udata_in_room + udata_out_room,
			   GFP_KERNEL_ACCOUNT);
	if (!cmd->req)
		return -ENOMEM;
	cmd->rsp = cmd->req + req_len;
	cmd->udata_in_len = udata_in_len;
	cmd->udata_in = udata_in_len ? cmd->rsp + rsp_len : NULL;
	cmd->udata_out_room = udata_out_room;
	cmd->udata_out = udata_out_room ?
			 cmd->rsp + rsp_len + udata_in_room : NULL;
	cmd->udata_out_len = 0;
	return 0;
}

/*
 * Write the reply of a successful command. @rsp has room for @fixed_len bytes
 * and the provider data.
 */
static u32 hyvh_reply(const struct hyvh_cmd *cmd, void *rsp, u16 fixed_len)
{
	struct hyv_rsp *hdr = rsp;
	u32 udata_len = cmd->udata_out_len;

	if (WARN_ON_ONCE(udata_len > cmd->udata_out_room))
		udata_len = cmd->udata_out_room;

	memcpy(rsp, cmd->rsp, fixed_len);
	if (udata_len)
		memcpy(rsp + fixed_len, cmd->udata_out, udata_len);
	hdr->status = cpu_to_le32(HYV_OK);
	hdr->fixed_len = cpu_to_le16(fixed_len);
	hdr->reserved = 0;
	hdr->size = cpu_to_le32(fixed_len + udata_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	return fixed_len + udata_len;
}

/* Write the reply of a failed command. Returns its length in bytes. */
u32 hyvh_reply_error(void *rsp, enum hyv_status status)
{
	struct hyv_rsp *hdr = rsp;

	memset(hdr, 0, sizeof(*hdr));
	hdr->status = cpu_to_le32(status);
	hdr->fixed_len = cpu_to_le16(sizeof(*hdr));
	hdr->size = cpu_to_le32(sizeof(*hdr));
	return sizeof(*hdr);
}

/* Parse the request, call the handler, write the reply if it succeeds. */
static int hyvh_execute(const struct hyvh_cmd_table *table, u64 features,
			struct hyvh_cmd *cmd, const void *req, u32 req_len,
			void *rsp, u32 rsp_room, u32 *rsp_len)
{
	const struct hyv_req *hdr = req;
	u32 udata_out_room;
	u32 rsp_fixed;
	int ret;

	ret = hyvh_check_header(cmd, hdr, req_len);
	if (ret)
		return ret;

	udata_out_room = le32_to_cpu(hdr->udata_out_len);
	if (rsp_room < udata_out_room ||
	    rsp_room - udata_out_room < cmd->op->min_rsp)
		return hyvh_cmd_refuse(cmd, -EMSGSIZE, "no room for the reply");
	rsp_fixed = min_t(u32, ALIGN_DOWN(rsp_room - udata_out_room,
					  HYVH_PART_ALIGN), cmd->op->rsp_len);

	ret = hyvh_cmd_alloc(cmd, le32_to_cpu(hdr->udata_len), udata_out_room);
	if (ret)
		return ret;
	ret = hyvh_parse_fixed(table, cmd, req, le16_to_cpu(hdr->fixed_len));
	if (ret)
		goto out;
	ret = hyvh_parse_rest(cmd, req, req_len, features);
	if (ret)
		goto out;

	ret = cmd->op->handler(cmd);
	if (WARN_ON_ONCE(ret > 0))
		ret = -EIO;
	if (!ret)
		*rsp_len = hyvh_reply(cmd, rsp, rsp_fixed);
out:
	kfree(cmd->req);
	return ret;
}

/**
 * hyvh_dispatch() - execute a request
 * @table: the commands
 * @features: negotiated virtio features
 * @cmd: the first members are set; passed to the handler
 * @req: the request, aligned to 8 bytes; the guest cannot write there
 * @req_len: bytes of @req; any value
 * @rsp: room for the reply, aligned to 8 bytes; the guest cannot write there
 * @rsp_room: bytes of @rsp, at least sizeof(struct hyv_rsp)
 *
 * Checks the rules of wire.h for struct hyv_req and for the headers of chunk
 * lists. Always writes a reply; if its status is not HYV_OK, it is only a
 * header.
 *
 * Context: Process context. May sleep. Caller holds what the handlers need.
 * Return: length of the reply in bytes.
 */
u32 hyvh_dispatch(const struct hyvh_cmd_table *table, u64 features,
		  struct hyvh_cmd *cmd, const void *req, u32 req_len,
		  void *rsp, u32 rsp_room)
{
	const struct hyv_req *hdr = req;
	u32 rsp_len;
	u16 opcode;
	int ret;

	cmd->op = NULL;
	if (req_len < sizeof(*hdr)) {
		hyvh_dbg(cmd->vnic_id, "request of %u bytes", req_len);
		return hyvh_reply_error(rsp, HYV_S_EMSGSIZE);
	}
	opcode = le16_to_cpu(hdr->opcode);
	cmd->op = hyvh_find_op(table, opcode);
	if (!cmd->op) {
		hyvh_dbg(cmd->vnic_id, "unknown opcode 0x%04x", opcode);
		return hyvh_reply_error(rsp, HYV_S_ENOSYS);
	}
	if (cmd->op->features & ~features)
		ret = hyvh_cmd_refuse(cmd, -EOPNOTSUPP,
				      "feature not negotiated");
	else
		ret = hyvh_execute(table, features, cmd, req, req_len, rsp,
				   rsp_room, &rsp_len);
	if (ret) {
		hyvh_cmd_refuse(cmd, ret, "failed");
		return hyvh_reply_error(rsp, hyvh_status_from_errno(ret));
	}
	return rsp_len;
}
