// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pseudo-random requests of a malicious guest, the same in each run, through
 * the dispatcher, chunk lists, the memory table and stitch plans.
 *
 * A request ends at the end of a page, and the next page is not mapped, so a
 * read beyond the request crashes.
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <compat/kunit.h>

#include <hyv/commands.h>

#include "command/dispatch.h"
#include "memory/stitch_plan.h"

#define ROUNDS		20000
#define REQ_PAGES	2
#define REQ_MAX		(REQ_PAGES * PAGE_SIZE)
#define RSP_MAX		4096
#define MAX_CHUNKS	256

/* Made-up commands, in addition to the real ones. */
#define FUZZ_CMDS	16

struct fuzz {
	struct hyvh_cmd cmd;
	struct kunit *test;
	struct rnd_state rnd;
	struct hyvh_mem_table *table;
	const void *req;
	u32 req_len;
	u64 features;

	unsigned int handled;
	unsigned int loaded;
	unsigned int planned;
	unsigned int statuses;	/* mask of the statuses seen, modulo 32 */
};

static u32 rnd(struct fuzz *fuzz)
{
	return prandom_u32_state(&fuzz->rnd);
}

/* Values that tend to break arithmetic. */
static u64 rnd_nasty(struct fuzz *fuzz)
{
	static const u64 base[] = {
		0, 1, 8, 16, 24, 32, PAGE_SIZE, 0x10000, S32_MAX, U32_MAX,
		1ULL << 32, S64_MAX, U64_MAX, U64_MAX - PAGE_SIZE,
		0xfffffffff0000000ULL, 0xffff800000000000ULL,
	};
	u64 val = base[rnd(fuzz) % ARRAY_SIZE(base)];

	switch (rnd(fuzz) % 4) {
	case 0:
		return val + rnd(fuzz) % 17 - 8;
	case 1:
		return (u64)rnd(fuzz) << 32 | rnd(fuzz);
	default:
		return val;
	}
}

/* For fuzz_read_guest(). */
static struct fuzz *fuzz_guest;

static int fuzz_read_guest(const struct hyvh_mem_table *table, u64 gpa,
			   void *dst, u64 len)
{
	struct fuzz *fuzz = fuzz_guest;
	struct hyv_chunk *chunk = dst;
	u64 i;

	/* The limit of chunks also limits the memory. */
	KUNIT_EXPECT_LE(fuzz->test, len, MAX_CHUNKS * sizeof(*chunk));
	KUNIT_EXPECT_EQ(fuzz->test, len % sizeof(*chunk), 0);
	if (rnd(fuzz) % 16 == 0)
		return -EFAULT;
	for (i = 0; i < len / sizeof(*chunk); i++) {
		chunk[i].addr = cpu_to_le64(rnd(fuzz) % 64 * PAGE_SIZE);
		chunk[i].len = cpu_to_le64(PAGE_SIZE);
		if (rnd(fuzz) % 256 == 0)
			chunk[i].addr = cpu_to_le64(rnd_nasty(fuzz));
		if (rnd(fuzz) % 256 == 0)
			chunk[i].len = cpu_to_le64(rnd_nasty(fuzz));
	}
	return 0;
}

static void expect_inside(struct fuzz *fuzz, const void *p, u64 len)
{
	KUNIT_EXPECT_GE(fuzz->test, (unsigned long)p, (unsigned long)fuzz->req);
	KUNIT_EXPECT_LE(fuzz->test, (unsigned long)p + len,
			(unsigned long)fuzz->req + fuzz->req_len);
}

/* Provider data is a copy, which the host may edit. */
static void expect_udata(struct fuzz *fuzz, const struct hyvh_cmd *cmd)
{
	const struct hyv_req *hdr = (const void *)fuzz->req;
	const void *udata = (const void *)fuzz->req + le16_to_cpu(hdr->fixed_len);

	expect_inside(fuzz, udata, cmd->udata_in_len);
	KUNIT_EXPECT_EQ(fuzz->test,
			memcmp(cmd->udata_in, udata, cmd->udata_in_len), 0);
}

static int fuzz_plan(struct fuzz *fuzz, const struct hyvh_chunks *chunks)
{
	static const bool go_on;
	struct hyvh_stitch_plan plan;
	u64 bytes = 0;
	u32 i;
	int ret;

	ret = hyvh_stitch_plan_make(&plan, fuzz->table, chunks, 8, &go_on);
	if (ret)
		return ret;
	fuzz->planned++;
	for (i = 0; i < plan.nr_pieces; i++)
		bytes += plan.piece[i].len;
	KUNIT_EXPECT_GT(fuzz->test, plan.nr_pieces, 0);
	KUNIT_EXPECT_EQ(fuzz->test, bytes, plan.nr_pages * PAGE_SIZE);
	KUNIT_EXPECT_GE(fuzz->test, bytes, plan.offset + plan.length);
	KUNIT_EXPECT_LT(fuzz->test, bytes - plan.offset - plan.length,
			PAGE_SIZE);
	hyvh_stitch_plan_release(&plan);
	return 0;
}

static int fuzz_handler(struct hyvh_cmd *cmd)
{
	struct fuzz *fuzz = container_of(cmd, struct fuzz, cmd);
	u16 i;
	int ret = 0;

	fuzz->handled++;
	KUNIT_EXPECT_EQ(fuzz->test, cmd->op->features & ~fuzz->features, 0);
	KUNIT_EXPECT_LE(fuzz->test, cmd->udata_in_len, HYV_MAX_UDATA);
	KUNIT_EXPECT_LE(fuzz->test, cmd->udata_out_room, HYV_MAX_UDATA);
	KUNIT_EXPECT_LE(fuzz->test, cmd->nr_lists, cmd->op->max_lists);
	if (cmd->udata_in_len)
		expect_udata(fuzz, cmd);
	/* Write everything that a handler may write. */
	memset(cmd->rsp, 0x5a, cmd->op->rsp_len);
	memset(cmd->udata_out, 0x5a, cmd->udata_out_room);
	if (cmd->udata_out_room)
		cmd->udata_out_len = rnd(fuzz) % (cmd->udata_out_room + 1);

	for (i = 0; i < cmd->nr_lists; i++) {
		const struct hyvh_list_view *view = &cmd->lists[i];
		struct hyvh_chunks chunks;

		expect_inside(fuzz, view->entry,
			      (u64)view->nr_entries * sizeof(*view->entry));
		ret = hyvh_chunks_load(&chunks, view, MAX_CHUNKS,
				       fuzz_read_guest, fuzz->table);
		if (ret)
			return ret;
		fuzz->loaded++;
		KUNIT_EXPECT_LE(fuzz->test, chunks.nr, MAX_CHUNKS);
		KUNIT_EXPECT_EQ(fuzz->test, hyvh_chunks_check(&chunks), 0);
		ret = fuzz_plan(fuzz, &chunks);
		hyvh_chunks_release(&chunks);
		if (ret)
			return ret;
	}
	return rnd(fuzz) % 8 ? 0 : -(int)(rnd(fuzz) % 200);
}

#define FUZZ_OP(NAME, name, req, min_req, rsp, min_rsp, lists, bits)	\
	HYVH_CMD_OP(NAME, req, min_req, rsp, min_rsp, lists, bits,	\
		    fuzz_handler)

static const struct hyvh_cmd_op real_ops[] = {
	HYV_FOR_EACH_COMMAND(FUZZ_OP)
};

#define OPCODES		(ARRAY_SIZE(real_ops) + FUZZ_CMDS)

static const struct hyvh_cmd_reserved real_reserved[] = {
	HYV_FOR_EACH_RESERVED(HYVH_CMD_RESERVED)
};

static void fuzz_make_ops(struct fuzz *fuzz, struct hyvh_cmd_op *ops)
{
	int i;

	memcpy(ops, real_ops, sizeof(real_ops));
	for (i = 0; i < FUZZ_CMDS; i++) {
		struct hyvh_cmd_op *op = &ops[ARRAY_SIZE(real_ops) + i];

		op->opcode = 0x7000 + i;
		op->min_req = sizeof(struct hyv_req) + rnd(fuzz) % 3 * 8;
		op->req_len = op->min_req + rnd(fuzz) % 4 * 8;
		op->min_rsp = sizeof(struct hyv_rsp) + rnd(fuzz) % 3 * 8;
		op->rsp_len = op->min_rsp + rnd(fuzz) % 64 * 8;
		op->max_lists = rnd(fuzz) % (HYV_MAX_LISTS + 1);
		op->features = i % 8 ? 0 : BIT(HYV_F_DOORBELL_AREA);
		op->name = "fuzz";
		op->handler = fuzz_handler;
	}
}

/* Write a list that is mostly valid to @buf; returns its length. */
static u32 fuzz_list(struct fuzz *fuzz, void *buf, u32 room, u16 slot)
{
	struct hyv_chunk_list *list = buf;
	bool indirect = rnd(fuzz) % 4 == 0;
	u32 nr_chunks = 1 + rnd(fuzz) % 8, nr_entries = nr_chunks, i;
	u32 offset = rnd(fuzz) % 2 ? rnd(fuzz) % PAGE_SIZE : 0;

	if (indirect) {
		nr_chunks = 1 + rnd(fuzz) % MAX_CHUNKS;
		nr_entries = 1;
		offset = 0;
	}
	if (room < struct_size(list, entry, nr_entries))
		return 0;
	list->slot = cpu_to_le16(slot);
	list->flags = cpu_to_le16(indirect ? HYV_CHUNKS_INDIRECT : 0);
	list->nr_chunks = cpu_to_le32(nr_chunks);
	list->nr_entries = cpu_to_le32(nr_entries);
	list->addr = cpu_to_le64(rnd(fuzz) * PAGE_SIZE + offset);
	list->length = cpu_to_le64(nr_chunks * PAGE_SIZE - offset);
	for (i = 0; i < nr_entries; i++) {
		u64 addr = rnd(fuzz) % 64 * PAGE_SIZE;
		u64 len = PAGE_SIZE;

		if (indirect) {
			len = 16 * nr_chunks;
		} else if (!i) {
			addr += offset;
			len -= offset;
		}
		list->entry[i].addr = cpu_to_le64(addr);
		list->entry[i].len = cpu_to_le64(len);
	}
	return struct_size(list, entry, nr_entries);
}

/* Write a request that is mostly valid; returns its length. */
static u32 fuzz_request(struct fuzz *fuzz, const struct hyvh_cmd_op *op,
			void *buf)
{
	struct hyv_req *hdr = buf;
	u16 fixed_len = op->min_req + rnd(fuzz) % 6 * 8;
	u32 udata_len = rnd(fuzz) % 2 ? rnd(fuzz) % 100 : 0;
	u16 nr_lists = rnd(fuzz) % (op->max_lists + 1), i;
	u32 len = fixed_len + udata_len;

	memset(buf, 0, REQ_MAX);
	prandom_bytes_state(&fuzz->rnd, buf + sizeof(*hdr),
			    min(fixed_len, op->req_len) - sizeof(*hdr));
	prandom_bytes_state(&fuzz->rnd, buf + fixed_len, udata_len);
	for (i = 0; i < nr_lists; i++) {
		len = ALIGN(len, 8);
		len += fuzz_list(fuzz, buf + len, REQ_MAX - len, i);
	}
	hdr->opcode = cpu_to_le16(op->opcode);
	hdr->nr_lists = cpu_to_le16(nr_lists);
	hdr->size = cpu_to_le32(len);
	hdr->fixed_len = cpu_to_le16(fixed_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	hdr->udata_out_len = cpu_to_le32(rnd(fuzz) % 2 ? rnd(fuzz) % 100 : 0);
	return len;
}

/* Corrupt some fields, and sometimes the length. */
static u32 fuzz_spoil(struct fuzz *fuzz, void *buf, u32 len)
{
	u32 n = rnd(fuzz) % 4;

	while (n--) {
		u64 val = rnd_nasty(fuzz);
		u32 width = 1 << rnd(fuzz) % 4;
		u32 limit = rnd(fuzz) % 2 ? sizeof(struct hyv_req) : len;
		u32 at = rnd(fuzz) % limit & ~(width - 1);

		memcpy(buf + at, &val, min(width, len - at));
	}
	switch (rnd(fuzz) % 8) {
	case 0:
		return rnd(fuzz) % (len + 1);
	case 1:
		return min_t(u32, len + rnd(fuzz) % 64, REQ_MAX);
	default:
		return len;
	}
}

static void fuzz_check_reply(struct fuzz *fuzz, const void *rsp, u32 len,
			     u32 room)
{
	const struct hyv_rsp *hdr = rsp;

	KUNIT_ASSERT_GE(fuzz->test, len, sizeof(*hdr));
	KUNIT_ASSERT_LE(fuzz->test, len, room);
	KUNIT_EXPECT_EQ(fuzz->test, le32_to_cpu(hdr->size), len);
	KUNIT_EXPECT_EQ(fuzz->test, le16_to_cpu(hdr->fixed_len) +
			le32_to_cpu(hdr->udata_len), len);
	if (hdr->status)
		KUNIT_EXPECT_EQ(fuzz->test, len, sizeof(*hdr));
	KUNIT_EXPECT_NULL(fuzz->test, memchr_inv(rsp + len, 0xaa,
						 RSP_MAX - len));
	fuzz->statuses |= BIT(le32_to_cpu(hdr->status) % 32);
}

/* Guest pages 0..59 in four regions, so that a few chunks miss. */
static struct hyvh_mem_table *fuzz_table(void)
{
	struct hyv_mem_region region[4];
	int i;

	for (i = 0; i < 4; i++) {
		region[i].gpa = i * 15 * PAGE_SIZE;
		region[i].length = 15 * PAGE_SIZE;
		region[i].addr = 0x7f0000000000 + i * 15 * PAGE_SIZE +
				 i / 2 * 0x100000;
	}
	return hyvh_mem_table_create(region, ARRAY_SIZE(region));
}

static void fuzz_requests(struct kunit *test)
{
	struct hyvh_cmd_table cmds = {
		.nr_ops = OPCODES,
		.reserved = real_reserved,
		.nr_reserved = ARRAY_SIZE(real_reserved),
	};
	struct hyvh_cmd_op *ops;
	struct fuzz *fuzz;
	void *area, *buf, *rsp;
	int i;

	fuzz = kunit_kzalloc(test, sizeof(*fuzz), GFP_KERNEL);
	ops = kunit_kcalloc(test, OPCODES, sizeof(*ops), GFP_KERNEL);
	buf = kunit_kzalloc(test, REQ_MAX, GFP_KERNEL);
	rsp = kunit_kzalloc(test, RSP_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fuzz);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_NOT_NULL(test, rsp);
	fuzz->test = test;
	prandom_seed_state(&fuzz->rnd, 20260131);
	fuzz_make_ops(fuzz, ops);
	cmds.ops = ops;
	fuzz_guest = fuzz;
	fuzz->table = fuzz_table();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fuzz->table);
	area = vmalloc(REQ_MAX);
	if (!area) {
		hyvh_mem_table_put(fuzz->table);
		KUNIT_ASSERT_NOT_NULL(test, area);
	}

	for (i = 0; i < ROUNDS; i++) {
		u32 len = fuzz_request(fuzz, &ops[rnd(fuzz) % OPCODES], buf);
		u32 room = rnd(fuzz) % 4 ? RSP_MAX :
			   sizeof(struct hyv_rsp) + rnd(fuzz) % 256;
		void *req;

		if (rnd(fuzz) % 4)
			len = fuzz_spoil(fuzz, buf, len);
		/* The dispatcher requires alignment. */
		req = area + REQ_MAX - ALIGN(len, 8);
		memcpy(req, buf, len);
		memset(rsp, 0xaa, RSP_MAX);
		fuzz->req = req;
		fuzz->req_len = len;
		fuzz->features = rnd(fuzz) % 8 ? HYV_FEATURES_ALL : 0;
		fuzz_check_reply(fuzz, rsp,
				 hyvh_dispatch(&cmds, fuzz->features,
					       &fuzz->cmd, req, len, rsp, room),
				 room);
		/* The dispatcher does not change the request. */
		KUNIT_ASSERT_EQ(test, memcmp(req, buf, len), 0);
		cond_resched();
	}

	/* Enough requests reach the handlers. */
	kunit_info(test, "%d requests: %u handled, %u lists loaded, %u planned",
		   ROUNDS, fuzz->handled, fuzz->loaded, fuzz->planned);
	KUNIT_EXPECT_GT(test, fuzz->handled, ROUNDS / 10);
	KUNIT_EXPECT_GT(test, fuzz->loaded, ROUNDS / 50);
	KUNIT_EXPECT_GT(test, fuzz->planned, ROUNDS / 100);
	KUNIT_EXPECT_GT(test, hweight32(fuzz->statuses), 8);
	vfree(area);
	hyvh_mem_table_put(fuzz->table);
}

/* Random bytes. */
static void fuzz_noise(struct kunit *test)
{
	struct hyvh_list_view views[HYV_MAX_LISTS];
	struct hyvh_chunks chunks = {};
	struct rnd_state state;
	struct fuzz *fuzz;
	void *area;
	u16 i, j;

	fuzz = kunit_kzalloc(test, sizeof(*fuzz), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fuzz);
	area = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, area);
	fuzz->test = test;
	fuzz_guest = fuzz;
	prandom_seed_state(&fuzz->rnd, 4711);
	prandom_seed_state(&state, 4712);
	for (i = 0; i < 5000; i++) {
		u32 len = prandom_u32_state(&state) % 512;
		void *buf = area + PAGE_SIZE - ALIGN(len, 8);
		u16 nr = i % (HYV_MAX_LISTS + 1);

		prandom_bytes_state(&state, buf, len);
		if (hyvh_chunk_lists_parse(buf, len, nr, views))
			continue;
		for (j = 0; j < nr; j++)
			if (!hyvh_chunks_load(&chunks, &views[j], MAX_CHUNKS,
					      fuzz_read_guest, NULL))
				hyvh_chunks_release(&chunks);
	}
	KUNIT_EXPECT_NULL(test, chunks.chunk);
	vfree(area);
}

static struct kunit_case fuzz_cases[] = {
	KUNIT_CASE_SLOW(fuzz_requests),
	KUNIT_CASE(fuzz_noise),
	{}
};

static struct kunit_suite fuzz_suite = {
	.name = "hyvh_fuzz",
	.test_cases = fuzz_cases,
};

kunit_test_suite(fuzz_suite);

MODULE_DESCRIPTION("Fuzzer for HyV's pure units");
MODULE_LICENSE("GPL");
