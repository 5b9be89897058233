// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the dispatcher: every rule of struct hyv_req and struct hyv_rsp.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <compat/kunit.h>

#include <hyv/commands.h>

#include "command/dispatch.h"

#define BUF_LEN		8192

/* Opcodes of this file. */
enum {
	OP_GROWN	= 0x7001,	/* has grown since its first version */
	OP_PLAIN	= 0x7002,	/* header only, both ways */
	OP_LISTS	= 0x7003,	/* takes two lists */
	OP_FEATURE	= 0x7004,	/* needs a feature */
};

struct grown_req {
	struct hyv_req hdr;
	__le64 a;			/* first version */
	__le32 b;
	__le32 reserved;
};

struct grown_rsp {
	struct hyv_rsp hdr;
	__le64 a;			/* first version */
	__le64 b;
	__le64 c;
};

/* Input and results of the handlers. */
struct fixture {
	struct hyvh_cmd cmd;
	struct kunit *test;
	u64 features;
	u8 *req;
	u32 req_len;
	u8 *rsp;
	u32 rsp_room;
	u32 rsp_len;

	int ret;
	u32 udata_out_len;
	unsigned int calls;
	struct hyvh_cmd seen;
	struct grown_req seen_req;
	u8 seen_udata[HYV_MAX_UDATA];
	bool udata_out_was_zero;
};

static struct fixture *fixture_of(struct hyvh_cmd *cmd)
{
	return container_of(cmd, struct fixture, cmd);
}

static int handle_any(struct hyvh_cmd *cmd)
{
	struct fixture *f = fixture_of(cmd);

	f->calls++;
	f->seen = *cmd;
	KUNIT_EXPECT_EQ(f->test, !cmd->udata_in, !cmd->udata_in_len);
	KUNIT_EXPECT_EQ(f->test, !cmd->udata_out, !cmd->udata_out_room);
	memcpy(f->seen_udata, cmd->udata_in, cmd->udata_in_len);
	f->udata_out_was_zero = !memchr_inv(cmd->udata_out, 0,
					    cmd->udata_out_room);
	memset(cmd->udata_out, 0x55, cmd->udata_out_room);
	cmd->udata_out_len = min(f->udata_out_len, cmd->udata_out_room);
	return f->ret;
}

static int handle_grown(struct hyvh_cmd *cmd)
{
	struct fixture *f = fixture_of(cmd);
	struct grown_rsp *rsp = cmd->rsp;

	f->seen_req = *(struct grown_req *)cmd->req;
	KUNIT_EXPECT_NULL(f->test, memchr_inv(rsp, 0, sizeof(*rsp)));
	/* The dispatcher overwrites the header. */
	memset(&rsp->hdr, 0xee, sizeof(rsp->hdr));
	rsp->a = cpu_to_le64(1);
	rsp->b = cpu_to_le64(2);
	rsp->c = cpu_to_le64(3);
	return handle_any(cmd);
}

static const struct hyvh_cmd_op ops[] = {
	{ .opcode = OP_GROWN, .name = "grown", .handler = handle_grown,
	  .min_req = offsetofend(struct grown_req, a),
	  .req_len = sizeof(struct grown_req),
	  .min_rsp = offsetofend(struct grown_rsp, a),
	  .rsp_len = sizeof(struct grown_rsp) },
	{ .opcode = OP_PLAIN, .name = "plain", .handler = handle_any,
	  .min_req = sizeof(struct hyv_req), .req_len = sizeof(struct hyv_req),
	  .min_rsp = sizeof(struct hyv_rsp), .rsp_len = sizeof(struct hyv_rsp),
	},
	{ .opcode = OP_LISTS, .name = "lists", .handler = handle_any,
	  .min_req = sizeof(struct hyv_req), .req_len = sizeof(struct hyv_req),
	  .min_rsp = sizeof(struct hyv_rsp), .rsp_len = sizeof(struct hyv_rsp),
	  .max_lists = 2 },
	{ .opcode = OP_FEATURE, .name = "feature", .handler = handle_any,
	  .min_req = sizeof(struct hyv_req), .req_len = sizeof(struct hyv_req),
	  .min_rsp = sizeof(struct hyv_rsp), .rsp_len = sizeof(struct hyv_rsp),
	  .features = BIT(HYV_F_DOORBELL_AREA) },
};

static const struct hyvh_cmd_reserved reserved[] = {
	{ OP_GROWN, offsetof(struct grown_req, reserved),
	  sizeof_field(struct grown_req, reserved) },
	{ OP_PLAIN, sizeof(struct hyv_req), 0 },
};

static const struct hyvh_cmd_table table = {
	.ops = ops,
	.nr_ops = ARRAY_SIZE(ops),
	.reserved = reserved,
	.nr_reserved = ARRAY_SIZE(reserved),
};

static int dispatch_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	f->test = test;
	f->features = HYV_FEATURES_ALL;
	f->req = kunit_kzalloc(test, BUF_LEN, GFP_KERNEL);
	f->rsp = kunit_kzalloc(test, BUF_LEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->req);
	KUNIT_ASSERT_NOT_NULL(test, f->rsp);
	f->rsp_room = BUF_LEN;
	return 0;
}

static struct hyv_req *make_req(struct fixture *f, u16 opcode, u16 fixed_len,
				u32 udata_len)
{
	struct hyv_req *hdr = (struct hyv_req *)f->req;

	memset(f->req, 0, BUF_LEN);
	f->req_len = fixed_len + udata_len;
	hdr->opcode = cpu_to_le16(opcode);
	hdr->size = cpu_to_le32(f->req_len);
	hdr->fixed_len = cpu_to_le16(fixed_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	return hdr;
}

/* Dispatch, and check the rules for all replies. Returns the header. */
static const struct hyv_rsp *dispatch(struct fixture *f)
{
	const struct hyv_rsp *hdr = (const struct hyv_rsp *)f->rsp;
	u32 udata_len;

	memset(f->rsp, 0xaa, BUF_LEN);
	f->calls = 0;
	f->rsp_len = hyvh_dispatch(&table, f->features, &f->cmd, f->req,
				   f->req_len, f->rsp, f->rsp_room);
	KUNIT_ASSERT_GE(f->test, f->rsp_len, sizeof(*hdr));
	KUNIT_ASSERT_LE(f->test, f->rsp_len, f->rsp_room);
	KUNIT_EXPECT_EQ(f->test, le32_to_cpu(hdr->size), f->rsp_len);
	KUNIT_EXPECT_EQ(f->test, le16_to_cpu(hdr->reserved), 0);
	udata_len = le32_to_cpu(hdr->udata_len);
	KUNIT_EXPECT_EQ(f->test, le16_to_cpu(hdr->fixed_len) + udata_len,
			f->rsp_len);
	if (hdr->status)
		KUNIT_EXPECT_EQ(f->test, f->rsp_len, sizeof(*hdr));
	/* Nothing is written after the reply. */
	KUNIT_EXPECT_NULL(f->test, memchr_inv(f->rsp + f->rsp_len, 0xaa,
					      BUF_LEN - f->rsp_len));
	return hdr;
}

static void expect_status(struct fixture *f, u32 status)
{
	const struct hyv_rsp *hdr = dispatch(f);

	KUNIT_EXPECT_EQ(f->test, le32_to_cpu(hdr->status), status);
	KUNIT_EXPECT_EQ(f->test, f->calls, status ? 0 : 1);
}

struct header_param {
	const char *name;
	u16 opcode;
	u16 fixed_len;
	u32 udata_len;
	/* Changes to the result of make_req(). */
	s32 size;
	s32 req_len;
	u16 nr_lists;
	u16 reserved;
	u32 reserved2;
	u32 udata_out_len;
	u64 features_off;
	u32 status;
};

static const struct header_param header_params[] = {
	{ "plain", OP_PLAIN, 24, 0 },
	{ "opcode 0", 0, 24, 0, .status = HYV_S_ENOSYS },
	{ "opcode unknown", 0xffff, 24, 0, .status = HYV_S_ENOSYS },
	{ "empty request", OP_PLAIN, 24, 0, .req_len = -24,
	  .status = HYV_S_EMSGSIZE },
	{ "header cut", OP_PLAIN, 24, 0, .req_len = -1,
	  .status = HYV_S_EMSGSIZE },
	{ "longer than it says", OP_PLAIN, 24, 0, .req_len = 8,
	  .status = HYV_S_EINVAL },
	{ "shorter than it says", OP_PLAIN, 24, 8, .req_len = -1,
	  .status = HYV_S_EMSGSIZE },
	{ "size too large", OP_PLAIN, 24, 0, .size = 1,
	  .status = HYV_S_EMSGSIZE },
	{ "size too small", OP_PLAIN, 24, 8, .size = -8,
	  .status = HYV_S_EINVAL },
	{ "size wraps", OP_PLAIN, 24, 0, .size = -25,
	  .status = HYV_S_EMSGSIZE },
	{ "reserved", OP_PLAIN, 24, 0, .reserved = 1,
	  .status = HYV_S_EINVAL },
	{ "reserved2", OP_PLAIN, 24, 0, .reserved2 = 0x80000000,
	  .status = HYV_S_EINVAL },
	{ "lists not taken", OP_PLAIN, 24, 0, .nr_lists = 1,
	  .status = HYV_S_EINVAL },
	{ "too many lists", OP_LISTS, 24, 0, .nr_lists = 3,
	  .status = HYV_S_EINVAL },
	{ "far too many lists", OP_LISTS, 24, 0, .nr_lists = 0xffff,
	  .status = HYV_S_EINVAL },
	{ "lists missing", OP_LISTS, 24, 0, .nr_lists = 1,
	  .status = HYV_S_EMSGSIZE },
	{ "bytes instead of lists", OP_LISTS, 24, 0, .size = 8, .req_len = 8,
	  .status = HYV_S_EINVAL },
	{ "provider data", OP_PLAIN, 24, 9 },
	{ "most provider data", OP_PLAIN, 24, HYV_MAX_UDATA },
	{ "too much provider data", OP_PLAIN, 24, HYV_MAX_UDATA + 1,
	  .status = HYV_S_EINVAL },
	{ "padding missing is all right", OP_PLAIN, 24, 1 },
	{ "padding is all right", OP_PLAIN, 24, 1, .size = 7, .req_len = 7 },
	{ "half a padding is all right", OP_PLAIN, 24, 1, .size = 3,
	  .req_len = 3 },
	{ "more than padding", OP_PLAIN, 24, 1, .size = 8, .req_len = 8,
	  .status = HYV_S_EINVAL },
	{ "provider data wanted", OP_PLAIN, 24, 0,
	  .udata_out_len = HYV_MAX_UDATA },
	{ "too much of it wanted", OP_PLAIN, 24, 0,
	  .udata_out_len = HYV_MAX_UDATA + 1, .status = HYV_S_EINVAL },
	{ "very much of it wanted", OP_PLAIN, 24, 0,
	  .udata_out_len = U32_MAX, .status = HYV_S_EINVAL },
	{ "feature", OP_FEATURE, 24, 0 },
	{ "other feature missing", OP_FEATURE, 24, 0,
	  .features_off = BIT(HYV_F_INDIRECT_CHUNKS) },
	{ "feature missing", OP_FEATURE, 24, 0,
	  .features_off = BIT(HYV_F_DOORBELL_AREA),
	  .status = HYV_S_EOPNOTSUPP },
	{ "fixed part empty", OP_PLAIN, 0, 24, .status = HYV_S_EMSGSIZE },
	{ "fixed part shorter than header", OP_PLAIN, 16, 8,
	  .status = HYV_S_EMSGSIZE },
	{ "fixed part not aligned", OP_PLAIN, 28, 0, .status = HYV_S_EINVAL },
	{ "fixed part beyond the end", OP_PLAIN, 32, 0, .size = -8,
	  .req_len = -8, .status = HYV_S_EMSGSIZE },
	{ "largest fixed part beyond the end", OP_PLAIN, 0xfff8, 0,
	  .size = 24 - 0xfff8, .req_len = 24 - 0xfff8,
	  .status = HYV_S_EMSGSIZE },
	{ "provider data beyond the end", OP_PLAIN, 24, 8, .size = -1,
	  .req_len = -1, .status = HYV_S_EMSGSIZE },
	{ "first version", OP_GROWN, 32, 0 },
	{ "first version cut", OP_GROWN, 24, 8, .status = HYV_S_EMSGSIZE },
	{ "this version", OP_GROWN, 40, 0 },
	{ "newer version", OP_GROWN, 48, 0 },
	{ "newer version with provider data", OP_GROWN, 4096, 100 },
};

static void header_desc(const struct header_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(header, header_params, header_desc);

static void dispatch_header(struct kunit *test)
{
	const struct header_param *p = test->param_value;
	struct fixture *f = test->priv;
	struct hyv_req *hdr;
	u32 i;

	hdr = make_req(f, p->opcode, p->fixed_len, p->udata_len);
	le32_add_cpu(&hdr->size, p->size);
	hdr->nr_lists = cpu_to_le16(p->nr_lists);
	hdr->reserved = cpu_to_le16(p->reserved);
	hdr->reserved2 = cpu_to_le32(p->reserved2);
	hdr->udata_out_len = cpu_to_le32(p->udata_out_len);
	f->req_len += p->req_len;
	f->features &= ~p->features_off;
	for (i = 0; !p->status && i < p->udata_len; i++)
		f->req[p->fixed_len + i] = i + 1;

	expect_status(f, p->status);
	if (p->status)
		return;
	KUNIT_EXPECT_EQ(test, f->seen.op->opcode, p->opcode);
	KUNIT_EXPECT_EQ(test, f->seen.udata_in_len, p->udata_len);
	KUNIT_EXPECT_EQ(test, f->seen.udata_out_room, p->udata_out_len);
	KUNIT_EXPECT_EQ(test, f->seen.nr_lists, 0);
	KUNIT_EXPECT_TRUE(test, f->udata_out_was_zero);
	for (i = 0; i < p->udata_len; i++)
		KUNIT_ASSERT_EQ(test, f->seen_udata[i], (u8)(i + 1));
}

/* Every length of a fixed part, with the last byte set. */
static void dispatch_fixed_part_grows(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct grown_req *req = (struct grown_req *)f->req;

	make_req(f, OP_GROWN, 32, 0);
	req->a = cpu_to_le64(5);
	expect_status(f, HYV_OK);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(f->seen_req.a), 5);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(f->seen_req.b), 0);

	/* Provider data is not used for fields that were not sent. */
	make_req(f, OP_GROWN, 32, 8);
	memset(f->req + 32, 0xff, 8);
	expect_status(f, HYV_OK);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(f->seen_req.b), 0);

	make_req(f, OP_GROWN, 40, 0);
	req->b = cpu_to_le32(6);
	expect_status(f, HYV_OK);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(f->seen_req.b), 6);
	req->reserved = cpu_to_le32(0x01000000);
	expect_status(f, HYV_S_EINVAL);

	make_req(f, OP_GROWN, 64, 8);
	req->b = cpu_to_le32(7);
	memset(f->req + 64, 0xff, 8);
	expect_status(f, HYV_OK);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(f->seen_req.b), 7);
	f->req[63] = 1;
	expect_status(f, HYV_S_E2BIG);
	f->req[63] = 0;
	f->req[40] = 1;
	expect_status(f, HYV_S_E2BIG);
}

static void dispatch_padding_is_zero(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct hyv_req *hdr = make_req(f, OP_PLAIN, 24, 1);

	f->req_len += 7;
	hdr->size = cpu_to_le32(f->req_len);
	f->req[31] = 1;
	expect_status(f, HYV_S_EINVAL);
}

struct reply_param {
	u32 room;
	u32 udata_out_room;
	u32 udata_out_len;
	u32 status;
	u16 fixed_len;
};

static const struct reply_param reply_params[] = {
	/* A reply has at least its fields of the first version. */
	{ 16, 0, 0, HYV_S_EMSGSIZE },
	{ 23, 0, 0, HYV_S_EMSGSIZE },
	{ 24, 0, 0, HYV_OK, 24 },
	{ 31, 0, 0, HYV_OK, 24 },
	{ 32, 0, 0, HYV_OK, 32 },
	{ 40, 0, 0, HYV_OK, 40 },
	{ 4096, 0, 0, HYV_OK, 40 },
	/* Room for provider data is reserved even if unused. */
	{ 40, 8, 8, HYV_OK, 32 },
	{ 40, 8, 0, HYV_OK, 32 },
	{ 40, 16, 5, HYV_OK, 24 },
	{ 40, 17, 5, HYV_S_EMSGSIZE },
	{ 40, 40, 5, HYV_S_EMSGSIZE },
	{ 40, 41, 5, HYV_S_EMSGSIZE },
	{ 16, 2048, 5, HYV_S_EMSGSIZE },
	{ 4096, 2048, 2048, HYV_OK, 40 },
	{ 4096, 11, 11, HYV_OK, 40 },
};

static void reply_desc(const struct reply_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "room %u, of that %u, used %u",
		 p->room, p->udata_out_room, p->udata_out_len);
}

KUNIT_ARRAY_PARAM(reply, reply_params, reply_desc);

static void dispatch_reply_room(struct kunit *test)
{
	const struct reply_param *p = test->param_value;
	struct fixture *f = test->priv;
	struct hyv_req *hdr = make_req(f, OP_GROWN, 40, 0);
	const struct grown_rsp *rsp = (const struct grown_rsp *)f->rsp;

	hdr->udata_out_len = cpu_to_le32(p->udata_out_room);
	f->udata_out_len = p->udata_out_len;
	f->rsp_room = p->room;
	expect_status(f, p->status);
	if (p->status)
		return;
	KUNIT_EXPECT_EQ(test, le16_to_cpu(rsp->hdr.fixed_len), p->fixed_len);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->hdr.udata_len),
			p->udata_out_len);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(rsp->a), 1);
	if (p->fixed_len >= offsetofend(struct grown_rsp, b))
		KUNIT_EXPECT_EQ(test, le64_to_cpu(rsp->b), 2);
	if (p->fixed_len >= offsetofend(struct grown_rsp, c))
		KUNIT_EXPECT_EQ(test, le64_to_cpu(rsp->c), 3);
	KUNIT_EXPECT_NULL(test, memchr_inv(f->rsp + p->fixed_len, 0x55,
					   p->udata_out_len));
}

/* The reply for an error is only a header. */
static void dispatch_handler_fails(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct hyv_req *hdr = make_req(f, OP_GROWN, 40, 0);
	const struct hyv_rsp *rsp;

	hdr->udata_out_len = cpu_to_le32(100);
	f->udata_out_len = 100;
	f->ret = -EDQUOT;
	rsp = dispatch(f);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->status), HYV_S_EDQUOT);
	KUNIT_EXPECT_EQ(test, f->calls, 1);

	f->ret = -ENOTRECOVERABLE;
	rsp = dispatch(f);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->status), HYV_S_EIO);
}

static u32 add_list(struct fixture *f, u16 slot, u16 flags, u32 nr_chunks,
		    u32 nr_entries)
{
	struct hyv_req *hdr = (struct hyv_req *)f->req;
	u32 offset = ALIGN(f->req_len, 8);
	struct hyv_chunk_list *list = (void *)f->req + offset;

	list->slot = cpu_to_le16(slot);
	list->flags = cpu_to_le16(flags);
	list->nr_chunks = cpu_to_le32(nr_chunks);
	list->nr_entries = cpu_to_le32(nr_entries);
	list->addr = cpu_to_le64(PAGE_SIZE);
	list->length = cpu_to_le64(nr_chunks * PAGE_SIZE);
	le16_add_cpu(&hdr->nr_lists, 1);
	f->req_len = offset + struct_size(list, entry, nr_entries);
	hdr->size = cpu_to_le32(f->req_len);
	return offset;
}

static void dispatch_lists(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 first, second;

	make_req(f, OP_LISTS, 24, 5);
	first = add_list(f, 4, 0, 2, 2);
	second = add_list(f, 0, HYV_CHUNKS_INDIRECT, 9, 1);
	KUNIT_EXPECT_EQ(test, first, 32);
	expect_status(f, HYV_OK);
	KUNIT_EXPECT_EQ(test, f->seen.udata_in_len, 5);
	KUNIT_ASSERT_EQ(test, f->seen.nr_lists, 2);
	KUNIT_EXPECT_EQ(test, f->seen.lists[0].slot, 4);
	KUNIT_EXPECT_EQ(test, f->seen.lists[0].nr_entries, 2);
	KUNIT_EXPECT_PTR_EQ(test, (void *)f->seen.lists[0].entry,
			    (void *)f->req + first + 32);
	KUNIT_EXPECT_EQ(test, f->seen.lists[1].nr_chunks, 9);
	KUNIT_EXPECT_PTR_EQ(test, (void *)f->seen.lists[1].entry,
			    (void *)f->req + second + 32);

	f->features &= ~BIT_ULL(HYV_F_INDIRECT_CHUNKS);
	expect_status(f, HYV_S_EOPNOTSUPP);

	make_req(f, OP_LISTS, 24, 0);
	add_list(f, 4, 0, 1, 1);
	add_list(f, 4, 0, 1, 1);
	expect_status(f, HYV_S_EINVAL);
}

#define COMMAND(NAME, name, req, min_req, rsp, min_rsp, lists, bits)	\
	{ HYV_CMD_##NAME, sizeof(struct req), sizeof(struct rsp) },
#define RESERVED(NAME, req, member)					\
	{ HYV_CMD_##NAME, offsetof(struct req, member),			\
	  offsetofend(struct req, member) },

/* The tables of commands.h are consistent. */
static void dispatch_commands(struct kunit *test)
{
	static const struct {
		u16 opcode;
		u16 req_len;
		u16 rsp_len;
	} cmds[] = { HYV_FOR_EACH_COMMAND(COMMAND) };
	static const struct {
		u16 opcode;
		u16 start;
		u16 end;
	} fields[] = { HYV_FOR_EACH_RESERVED(RESERVED) };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		KUNIT_EXPECT_EQ(test, cmds[i].req_len % 8, 0);
		KUNIT_EXPECT_EQ(test, cmds[i].rsp_len % 8, 0);
		KUNIT_EXPECT_LE(test, cmds[i].rsp_len + HYV_MAX_UDATA,
				HYV_MAX_RSP_SIZE);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, cmds[i].opcode, cmds[j].opcode);
	}
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (j = 0; j < ARRAY_SIZE(cmds); j++)
			if (cmds[j].opcode == fields[i].opcode)
				break;
		KUNIT_ASSERT_LT(test, j, ARRAY_SIZE(cmds));
		KUNIT_EXPECT_GE(test, fields[i].start, sizeof(struct hyv_req));
		KUNIT_EXPECT_LE(test, fields[i].end, cmds[j].req_len);
	}
}

static struct kunit_case dispatch_cases[] = {
	KUNIT_CASE_PARAM(dispatch_header, header_gen_params),
	KUNIT_CASE(dispatch_fixed_part_grows),
	KUNIT_CASE(dispatch_padding_is_zero),
	KUNIT_CASE_PARAM(dispatch_reply_room, reply_gen_params),
	KUNIT_CASE(dispatch_handler_fails),
	KUNIT_CASE(dispatch_lists),
	KUNIT_CASE(dispatch_commands),
	{}
};

static struct kunit_suite dispatch_suite = {
	.name = "hyvh_dispatch",
	.init = dispatch_test_init,
	.test_cases = dispatch_cases,
};

kunit_test_suite(dispatch_suite);

MODULE_DESCRIPTION("Tests of HyV's dispatcher");
MODULE_LICENSE("GPL");
