// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dispatcher, with the table of all commands and handlers that write
 * everything that a handler may write.
 */
#include "command/convert.c"
#include "command/dispatch.c"
#include "memory/chunk.c"

#include <hyv/commands.h>

#include "fuzz.h"

#define REQ_ROOM 2048
#define RSP_ROOM 4096

static struct {
	struct fuzz_in *in;
	const u8 *req;
	u32 len;
	u64 features;
} now;

static void check_inside(const void *p, u64 len)
{
	const u8 *at = p;

	FUZZ_CHECK(at >= now.req && at + len <= now.req + now.len);
}

/* Provider data is a copy, which the host may edit. */
static void check_udata(const struct hyvh_cmd *cmd)
{
	const struct hyv_req *hdr = (const void *)now.req;
	const u8 *udata = now.req + le16_to_cpu(hdr->fixed_len);

	check_inside(udata, cmd->udata_in_len);
	FUZZ_CHECK(!memcmp(cmd->udata_in, udata, cmd->udata_in_len));
	memset(cmd->udata_in, 0x5a, cmd->udata_in_len);
}

static int handler(struct hyvh_cmd *cmd)
{
	u16 i;

	FUZZ_CHECK(!(cmd->op->features & ~now.features));
	FUZZ_CHECK(cmd->nr_lists <= cmd->op->max_lists);
	FUZZ_CHECK(cmd->udata_in_len <= HYV_MAX_UDATA);
	FUZZ_CHECK(cmd->udata_out_room <= HYV_MAX_UDATA);
	if (cmd->udata_in_len)
		check_udata(cmd);
	for (i = 0; i < cmd->nr_lists; i++)
		check_inside(cmd->lists[i].entry,
			     (u64)cmd->lists[i].nr_entries *
				     sizeof(struct hyv_chunk));
	memset(cmd->rsp, 0x5a, cmd->op->rsp_len);
	if (cmd->udata_out_room) {
		memset(cmd->udata_out, 0x5a, cmd->udata_out_room);
		cmd->udata_out_len =
			fuzz_below(now.in, cmd->udata_out_room + 1);
	}
	return fuzz_below(now.in, 8) ? 0 : -(int)fuzz_take(now.in, 2);
}

#define OP(NAME, name, req, min_req, rsp, min_rsp, lists, bits) \
	HYVH_CMD_OP(NAME, req, min_req, rsp, min_rsp, lists, bits, handler)

static const struct hyvh_cmd_op ops[] = {HYV_FOR_EACH_COMMAND(OP)};
static const struct hyvh_cmd_reserved reserved[] = {
	HYV_FOR_EACH_RESERVED(HYVH_CMD_RESERVED)};

/* A request that is mostly valid, from the input; returns its bytes. */
static u32 make_request(struct fuzz_in *in, u8 *buf)
{
	const struct hyvh_cmd_op *op = &ops[fuzz_below(in, ARRAY_SIZE(ops))];
	struct hyv_req *hdr = (void *)buf;
	u16 fixed = op->min_req + 8 * fuzz_below(in, 4);
	u32 udata = fuzz_flag(in) ? fuzz_below(in, 128) : 0;
	u16 nr_lists = fuzz_below(in, op->max_lists + 1), i;
	u32 len = fixed + udata;

	memset(buf, 0, REQ_ROOM);
	if (fuzz_flag(in))
		fuzz_bytes(in, buf + sizeof(*hdr),
			   min(fixed, op->req_len) - sizeof(*hdr));
	fuzz_bytes(in, buf + fixed, udata);
	for (i = 0; i < nr_lists; i++) {
		struct hyv_chunk_list *list;
		u32 nr = 1 + fuzz_below(in, 4);

		len = ALIGN(len, 8);
		list = (void *)(buf + len);
		list->slot = cpu_to_le16(i);
		list->flags = cpu_to_le16(fuzz_flag(in));
		list->nr_chunks = cpu_to_le32(nr);
		list->nr_entries = cpu_to_le32(nr);
		list->addr = cpu_to_le64(fuzz_take(in, 4));
		list->length = cpu_to_le64(1 + fuzz_take(in, 2));
		len += sizeof(*list) + nr * sizeof(list->entry[0]);
	}
	hdr->opcode = cpu_to_le16(op->opcode);
	hdr->nr_lists = cpu_to_le16(nr_lists);
	hdr->size = cpu_to_le32(len);
	hdr->fixed_len = cpu_to_le16(fixed);
	hdr->udata_len = cpu_to_le32(udata);
	hdr->udata_out_len =
		cpu_to_le32(fuzz_flag(in) ? fuzz_below(in, 256) : 0);
	return len;
}

static void check_reply(const u8 *rsp, u32 len, u32 room)
{
	const struct hyv_rsp *hdr = (const void *)rsp;

	FUZZ_CHECK(len >= sizeof(*hdr) && len <= room);
	FUZZ_CHECK(le32_to_cpu(hdr->size) == len && !hdr->reserved);
	FUZZ_CHECK(le16_to_cpu(hdr->fixed_len) + le32_to_cpu(hdr->udata_len) ==
		   len);
	FUZZ_CHECK(!hdr->status || len == sizeof(*hdr));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct hyvh_cmd_table table = {
		.ops = ops,
		.nr_ops = ARRAY_SIZE(ops),
		.reserved = reserved,
		.nr_reserved = ARRAY_SIZE(reserved),
	};
	struct fuzz_in in = {data, size};
	struct hyvh_cmd cmd = {.vnic_id = 1};
	u8 *req = aligned_alloc(8, REQ_ROOM), *copy, *rsp;
	u32 len, room, i;

	fuzz_fail_alloc(fuzz_below(&in, 16) ? -1 : 0);
	room = fuzz_flag(&in) ? RSP_ROOM
			      : sizeof(struct hyv_rsp) + fuzz_below(&in, 512);
	if (fuzz_below(&in, 8)) {
		len = make_request(&in, req);
		for (i = fuzz_below(&in, 4); i; i--)
			req[fuzz_take(&in, 2) % len] = fuzz_take(&in, 1);
		if (!fuzz_below(&in, 8))
			len = fuzz_below(&in, len + 1);
	} else {
		len = min(in.left, REQ_ROOM);
		fuzz_bytes(&in, req, len);
	}
	/* The exact size, so that going beyond it is noticed. */
	req = realloc(req, len ? len : 1);
	copy = malloc(len ? len : 1);
	memcpy(copy, req, len);
	rsp = malloc(room);
	now.in = &in;
	now.req = req;
	now.len = len;
	now.features = fuzz_flag(&in) ? HYV_FEATURES_ALL : fuzz_take(&in, 1);
	len = hyvh_dispatch(&table, now.features, &cmd, req, len, rsp, room);
	check_reply(rsp, len, room);
	FUZZ_CHECK(!memcmp(req, copy, now.len));
	free(rsp);
	free(copy);
	free(req);
	return 0;
}
