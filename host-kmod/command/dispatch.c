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

static const struct hyvh_cmd_op *hyvh_find_op(const struct hyvh_cmd_op *ops,
					      size_t nr_ops, u16 opcode)
{
	const struct hyvh_cmd_op *op;

	for (op = ops; op < ops + nr_ops; op++)
		if (op->opcode == opcode)
			return op;
	return NULL;
}

/* Check the header of a request of @len bytes, and that its parts fit. */
static int hyvh_check_header(const struct hyvh_cmd_op *op,
			     const struct hyv_req *hdr, u32 len)
{
	u16 fixed_len = le16_to_cpu(hdr->fixed_len);
	u32 udata_len = le32_to_cpu(hdr->udata_len);

	if (hdr->reserved || hdr->reserved2)
		return -EINVAL;
	if (le32_to_cpu(hdr->size) > len)
		return -EMSGSIZE;
	if (le32_to_cpu(hdr->size) < len ||
	    !IS_ALIGNED(fixed_len, HYVH_PART_ALIGN))
		return -EINVAL;
	if (fixed_len < op->min_req || fixed_len > len)
		return -EMSGSIZE;
	if (udata_len > HYV_MAX_UDATA ||
	    le32_to_cpu(hdr->udata_out_len) > HYV_MAX_UDATA ||
	    le16_to_cpu(hdr->nr_lists) > op->max_lists)
		return -EINVAL;
	if (udata_len > len - fixed_len)
		return -EMSGSIZE;
	return 0;
}

/* Copy the fixed part to call->req, which is zeroed, and check its fields. */
static int hyvh_parse_fixed(struct hyvh_call *call, const void *req,
			    u16 fixed_len)
{
	const struct hyvh_cmd_op *op = call->op;
	const struct hyvh_zero_field *zero = op->zero;

	if (fixed_len > op->req_len &&
	    memchr_inv(req + op->req_len, 0, fixed_len - op->req_len))
		return -E2BIG;
	memcpy(call->req, req, min(fixed_len, op->req_len));

	for (; zero < op->zero + HYVH_MAX_ZERO_FIELDS && zero->len; zero++)
		if (memchr_inv(call->req + zero->offset, 0, zero->len))
			return -EINVAL;
	return 0;
}

/* Find provider data and chunk lists; the header was checked. */
static int hyvh_parse_rest(struct hyvh_call *call, const void *req, u32 len,
			   u64 features)
{
	const struct hyv_req *hdr = req;
	u32 start = le16_to_cpu(hdr->fixed_len);
	u32 end = start + le32_to_cpu(hdr->udata_len);
	u32 lists = ALIGN(end, HYVH_PART_ALIGN);
	u16 i;
	int ret;

	call->udata_in_len = end - start;
	call->udata_in = end > start ? req + start : NULL;

	/* The request may end with or without the padding. */
	if (memchr_inv(req + end, 0, min(lists, len) - end))
		return -EINVAL;
	call->nr_lists = le16_to_cpu(hdr->nr_lists);
	ret = hyvh_chunk_lists_parse(req + min(lists, len),
				     len - min(lists, len), call->nr_lists,
				     call->lists);
	if (ret)
		return ret;
	for (i = 0; i < call->nr_lists; i++)
		if (call->lists[i].flags & HYV_CHUNKS_INDIRECT &&
		    !(features & BIT_ULL(HYV_F_INDIRECT_CHUNKS)))
			return -EOPNOTSUPP;
	return 0;
}

/* Memory for a call of @op, zeroed; one kfree() frees it. */
static struct hyvh_call *hyvh_call_alloc(const struct hyvh_cmd_op *op,
					 u32 udata_out_room)
{
	u32 head = ALIGN(sizeof(struct hyvh_call), HYVH_PART_ALIGN);
	u32 req_len = ALIGN(op->req_len, HYVH_PART_ALIGN);
	u32 rsp_len = ALIGN(op->rsp_len, HYVH_PART_ALIGN);
	struct hyvh_call *call;

	call = kzalloc(head + req_len + rsp_len + udata_out_room,
		       GFP_KERNEL_ACCOUNT);
	if (!call)
		return NULL;
	call->op = op;
	call->req = (void *)call + head;
	call->rsp = call->req + req_len;
	call->udata_out_room = udata_out_room;
	if (udata_out_room)
		call->udata_out = call->rsp + rsp_len;
	return call;
}

/*
 * Write the reply of a call that succeeded. Its header and @fixed_len bytes and
 * the provider data have room at @rsp.
 */
static u32 hyvh_reply(const struct hyvh_call *call, void *rsp, u16 fixed_len)
{
	struct hyv_rsp *hdr = rsp;
	u32 udata_len = call->udata_out_len;

	if (WARN_ON_ONCE(udata_len > call->udata_out_room))
		udata_len = call->udata_out_room;

	memcpy(rsp, call->rsp, fixed_len);
	if (udata_len)
		memcpy(rsp + fixed_len, call->udata_out, udata_len);
	hdr->status = cpu_to_le32(HYV_OK);
	hdr->fixed_len = cpu_to_le16(fixed_len);
	hdr->reserved = 0;
	hdr->size = cpu_to_le32(fixed_len + udata_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	return fixed_len + udata_len;
}

static u32 hyvh_reply_error(void *rsp, enum hyv_status status)
{
	struct hyv_rsp *hdr = rsp;

	memset(hdr, 0, sizeof(*hdr));
	hdr->status = cpu_to_le32(status);
	hdr->fixed_len = cpu_to_le16(sizeof(*hdr));
	hdr->size = cpu_to_le32(sizeof(*hdr));
	return sizeof(*hdr);
}

/* Parse, call the handler, write the reply of success. */
static int hyvh_execute(const struct hyvh_cmd_op *op, u64 features, void *ctx,
			const void *req, u32 req_len, void *rsp, u32 rsp_room,
			u32 *rsp_len)
{
	const struct hyv_req *hdr = req;
	struct hyvh_call *call;
	u32 udata_out_room;
	u32 rsp_fixed;
	int ret;

	ret = hyvh_check_header(op, hdr, req_len);
	if (ret)
		return ret;

	udata_out_room = le32_to_cpu(hdr->udata_out_len);
	if (rsp_room < udata_out_room ||
	    rsp_room - udata_out_room < op->min_rsp)
		return -EMSGSIZE;
	rsp_fixed = min_t(u32, ALIGN_DOWN(rsp_room - udata_out_room,
					  HYVH_PART_ALIGN), op->rsp_len);

	call = hyvh_call_alloc(op, udata_out_room);
	if (!call)
		return -ENOMEM;
	ret = hyvh_parse_fixed(call, req, le16_to_cpu(hdr->fixed_len));
	if (ret)
		goto out;
	ret = hyvh_parse_rest(call, req, req_len, features);
	if (ret)
		goto out;

	ret = op->handler(ctx, call);
	if (WARN_ON_ONCE(ret > 0))
		ret = -EIO;
	if (!ret)
		*rsp_len = hyvh_reply(call, rsp, rsp_fixed);
out:
	kfree(call);
	return ret;
}

/**
 * hyvh_dispatch() - execute a request
 * @ops: what can be asked for
 * @nr_ops: elements of @ops
 * @features: virtio features that were negotiated
 * @ctx: passed to the handler
 * @req: the request, aligned to 8 bytes; kernel memory that does not change
 * @req_len: its bytes; any value
 * @rsp: where to write the reply, aligned to 8 bytes; kernel memory
 * @rsp_room: bytes there, at least sizeof(struct hyv_rsp)
 *
 * Checks all that wire.h says of struct hyv_req and of the headers of chunk
 * lists. There is always a reply, and it has no more than its header when the
 * status is not HYV_OK.
 *
 * Context: process, may sleep; further that of the handlers.
 * Return: bytes of the reply.
 */
u32 hyvh_dispatch(const struct hyvh_cmd_op *ops, size_t nr_ops, u64 features,
		  void *ctx, const void *req, u32 req_len, void *rsp,
		  u32 rsp_room)
{
	const struct hyv_req *hdr = req;
	const struct hyvh_cmd_op *op;
	u32 rsp_len;
	int ret;

	if (req_len < sizeof(*hdr))
		return hyvh_reply_error(rsp, HYV_S_EMSGSIZE);
	op = hyvh_find_op(ops, nr_ops, le16_to_cpu(hdr->opcode));
	if (!op)
		return hyvh_reply_error(rsp, HYV_S_ENOSYS);
	if (op->features & ~features)
		return hyvh_reply_error(rsp, HYV_S_EOPNOTSUPP);

	ret = hyvh_execute(op, features, ctx, req, req_len, rsp, rsp_room,
			   &rsp_len);
	if (ret)
		return hyvh_reply_error(rsp, hyvh_status_from_errno(ret));
	return rsp_len;
}
