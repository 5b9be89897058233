// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of chunk lists.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <compat/kunit.h>

#include "memory/chunk.h"

#define PG	((u64)PAGE_SIZE)

/* A list header in the CPU's byte order. */
struct parse_list {
	u16 slot;
	u16 flags;
	u32 nr_chunks;
	u32 nr_entries;
	u32 reserved;
	u64 addr;
	u64 length;
};

struct parse_param {
	const char *name;
	u16 nr_lists;
	struct parse_list list[HYV_MAX_LISTS];
	/* Bytes to add to the length of the lists. */
	int tail;
	int ret;
};

#define LIST(slot, n)	{ slot, 0, n, n, 0, 0x10000, n * PG }

static const struct parse_param parse_params[] = {
	{ "none", 0, {}, 0, 0 },
	{ "none, but bytes", 0, {}, 8, -EINVAL },
	{ "one", 1, { LIST(0, 1) }, 0, 0 },
	{ "four", 4, { LIST(3, 1), LIST(0, 7), LIST(9, 2), LIST(65535, 1) },
	  0, 0 },
	{ "same slot", 3, { LIST(3, 1), LIST(0, 1), LIST(3, 1) }, 0, -EINVAL },
	{ "bytes after the list", 1, { LIST(0, 1) }, 1, -EINVAL },
	{ "another list after it", 1, { LIST(0, 1) }, 48, -EINVAL },
	{ "last byte missing", 1, { LIST(0, 1) }, -1, -EMSGSIZE },
	{ "entry missing", 1, { LIST(0, 3) }, -16, -EMSGSIZE },
	{ "no entries", 1, { LIST(0, 3) }, -48, -EMSGSIZE },
	{ "header cut", 1, { LIST(0, 3) }, -49, -EMSGSIZE },
	{ "second list missing", 2, { LIST(0, 1), LIST(1, 1) }, -48,
	  -EMSGSIZE },
	{ "no chunks", 1, { LIST(0, 0) }, 0, -EINVAL },
	{ "reserved", 1, { { 0, 0, 1, 1, 1, 0x10000, PG } }, 0, -EINVAL },
	{ "unknown flag", 1, { { 0, 2, 1, 1, 0, 0x10000, PG } }, 0, -EINVAL },
	{ "more entries", 1, { { 0, 0, 1, 2, 0, 0x10000, PG } }, 0, -EINVAL },
	{ "fewer entries", 1, { { 0, 0, 2, 1, 0, 0x10000, PG } }, 0, -EINVAL },
	{ "zero length", 1, { { 0, 0, 1, 1, 0, 0x10000, 0 } }, 0, -EINVAL },
	{ "wraps", 1, { { 0, 0, 1, 1, 0, 0 - PG, PG } }, 0, -EINVAL },
	{ "up to the top", 1, { { 0, 0, 1, 1, 0, 0 - PG, PG - 1 } }, 0, 0 },
	{ "indirect", 1, { { 0, 1, 1000, 2, 0, 0x10000, 1000 * PG } }, 0, 0 },
	{ "indirect, no entries", 1, { { 0, 1, 1000, 0, 0, 0x10000, PG } }, 0,
	  -EINVAL },
	{ "indirect, too many entries", 1, { { 0, 1, 2, 3, 0, 0x10000, PG } },
	  0, -EINVAL },
};

static void parse_desc(const struct parse_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(parse, parse_params, parse_desc);

static void chunk_parse(struct kunit *test)
{
	const struct parse_param *p = test->param_value;
	struct hyvh_list_view view[HYV_MAX_LISTS];
	u32 offset[HYV_MAX_LISTS], len = 0;
	void *buf;
	int i;

	buf = kunit_kzalloc(test, 1024, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < p->nr_lists; i++) {
		const struct parse_list *in = &p->list[i];
		struct hyv_chunk_list *list = buf + len;

		list->slot = cpu_to_le16(in->slot);
		list->flags = cpu_to_le16(in->flags);
		list->nr_chunks = cpu_to_le32(in->nr_chunks);
		list->nr_entries = cpu_to_le32(in->nr_entries);
		list->reserved = cpu_to_le32(in->reserved);
		list->addr = cpu_to_le64(in->addr);
		list->length = cpu_to_le64(in->length);
		offset[i] = len;
		len += struct_size(list, entry, in->nr_entries);
	}

	KUNIT_EXPECT_EQ(test, hyvh_chunk_lists_parse(buf, len + p->tail,
						     p->nr_lists, view), p->ret);
	if (p->ret)
		return;
	for (i = 0; i < p->nr_lists; i++) {
		const struct parse_list *in = &p->list[i];

		KUNIT_EXPECT_EQ(test, view[i].slot, in->slot);
		KUNIT_EXPECT_EQ(test, view[i].flags, in->flags);
		KUNIT_EXPECT_EQ(test, view[i].nr_chunks, in->nr_chunks);
		KUNIT_EXPECT_EQ(test, view[i].nr_entries, in->nr_entries);
		KUNIT_EXPECT_EQ(test, view[i].addr, in->addr);
		KUNIT_EXPECT_EQ(test, view[i].length, in->length);
		KUNIT_EXPECT_PTR_EQ(test, (const void *)view[i].entry,
				    buf + offset[i] +
				    sizeof(struct hyv_chunk_list));
	}
}

static void chunk_parse_huge_counts(struct kunit *test)
{
	struct hyv_chunk_list list = {
		.addr = cpu_to_le64(PG),
		.length = cpu_to_le64(U64_MAX - PG),
	};
	/* Counts whose size in bytes wraps to a small value in 32 bits. */
	static const u32 counts[] = {
		U32_MAX, 0x10000000, 0x10000001, 0x0ffffffe, 0x80000000,
	};
	struct hyvh_list_view view;
	int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		list.nr_chunks = cpu_to_le32(counts[i]);
		list.nr_entries = cpu_to_le32(counts[i]);
		KUNIT_EXPECT_EQ(test, hyvh_chunk_lists_parse(&list, sizeof(list),
							     1, &view),
				-EMSGSIZE);
	}
}

struct check_param {
	const char *name;
	u64 addr;
	u64 length;
	u32 nr;
	struct hyvh_chunk chunk[3];
	int ret;
};

static const struct check_param check_params[] = {
	{ "page", PG, PG, 1, { { 9 * PG, PG } }, 0 },
	{ "byte", PG + 5, 1, 1, { { 9 * PG + 5, 1 } }, 0 },
	{ "off both ends", 5 * PG - 3, PG + 7, 3,
	  { { 9 * PG - 3, 3 }, { 20 * PG, PG }, { 3 * PG, 4 } }, 0 },
	{ "one chunk of several pages", 5 * PG - 3, PG + 7, 1,
	  { { 9 * PG - 3, PG + 7 } }, 0 },
	{ "same page twice", PG, 2 * PG, 2, { { PG, PG }, { PG, PG } }, 0 },
	{ "none", PG, PG, 0, {}, -EINVAL },
	{ "nothing", PG, 0, 1, { { PG, 0 } }, -EINVAL },
	{ "offset differs", PG + 8, PG, 1, { { 9 * PG, PG } }, -EINVAL },
	{ "too short", PG, 2 * PG, 2, { { PG, PG }, { 9 * PG, PG - 1 } },
	  -EINVAL },
	{ "too long", PG, 2 * PG, 2, { { PG, PG }, { 9 * PG, PG + 1 } },
	  -EINVAL },
	{ "chunk left over", PG, 2 * PG, 2, { { PG, 2 * PG }, { 9 * PG, PG } },
	  -EINVAL },
	{ "empty chunk first", PG, PG, 2, { { PG, 0 }, { 9 * PG, PG } },
	  -EINVAL },
	{ "empty chunk last", PG, 2 * PG, 2, { { PG, 2 * PG }, { 9 * PG, 0 } },
	  -EINVAL },
	{ "starts off a page", PG, 3 * PG, 3,
	  { { PG, PG }, { 9 * PG + 8, PG - 8 }, { PG, PG + 8 } }, -EINVAL },
	{ "ends off a page", PG, 3 * PG, 3,
	  { { PG, PG }, { 9 * PG, PG - 8 }, { PG, PG + 8 } }, -EINVAL },
	{ "first ends off a page", PG + 8, PG, 2,
	  { { PG + 8, 8 }, { 2 * PG, PG - 8 } }, -EINVAL },
	{ "last starts off a page", PG, 2 * PG, 2,
	  { { PG, PG }, { 9 * PG + 8, PG } }, -EINVAL },
	{ "more chunks than pages", PG, PG, 3,
	  { { PG, 8 }, { 2 * PG, 8 }, { 3 * PG, PG - 16 } }, -EINVAL },
	{ "region wraps", 0 - PG, 2 * PG, 1, { { PG, 2 * PG } }, -EINVAL },
	{ "chunk wraps", PG, 2 * PG, 1, { { 0 - PG, 2 * PG } }, -EINVAL },
	{ "sum wraps", PG, PG, 3,
	  { { PG, 0 - 8 * PG }, { PG, 4 * PG }, { PG, 5 * PG } }, -EINVAL },
	{ "all memory", 1, U64_MAX - 1, 1, { { 1, U64_MAX - 1 } }, 0 },
};

static void check_desc(const struct check_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(check, check_params, check_desc);

static void chunk_check(struct kunit *test)
{
	const struct check_param *p = test->param_value;
	struct hyvh_chunks chunks = {
		.addr = p->addr,
		.length = p->length,
		.nr = p->nr,
		.chunk = (struct hyvh_chunk *)p->chunk,
	};

	KUNIT_EXPECT_EQ(test, hyvh_chunks_check(&chunks), p->ret);
}

/* The same rules through hyvh_chunks_load(). */
static void chunk_load_checks(struct kunit *test)
{
	const struct check_param *p = test->param_value;
	struct hyv_chunk wire[3];
	struct hyvh_list_view view = {
		.slot = 77,
		.nr_chunks = p->nr,
		.nr_entries = p->nr,
		.addr = p->addr,
		.length = p->length,
		.entry = wire,
	};
	struct hyvh_chunks chunks;
	u32 i;

	/* hyvh_chunk_lists_parse() refuses these. */
	if (!p->nr || !p->length || p->addr + p->length < p->addr)
		return;
	for (i = 0; i < p->nr; i++) {
		wire[i].addr = cpu_to_le64(p->chunk[i].addr);
		wire[i].len = cpu_to_le64(p->chunk[i].len);
	}
	KUNIT_ASSERT_EQ(test, hyvh_chunks_load(&chunks, &view, 3, NULL, NULL),
			p->ret);
	if (p->ret)
		return;
	KUNIT_EXPECT_EQ(test, chunks.slot, 77);
	KUNIT_EXPECT_EQ(test, chunks.addr, p->addr);
	KUNIT_EXPECT_EQ(test, chunks.length, p->length);
	KUNIT_ASSERT_EQ(test, chunks.nr, p->nr);
	for (i = 0; i < p->nr; i++) {
		KUNIT_EXPECT_EQ(test, chunks.chunk[i].addr, p->chunk[i].addr);
		KUNIT_EXPECT_EQ(test, chunks.chunk[i].len, p->chunk[i].len);
	}
	hyvh_chunks_release(&chunks);
	hyvh_chunks_release(&chunks);
}

/* Guest memory for indirect lists: chunk i of the buffer is page 100 + 2 * i. */
#define TABLE_GPA	0x5000ULL
#define TABLE_CHUNKS	1000

struct fake_guest {
	struct kunit *test;
	struct hyv_chunk table[TABLE_CHUNKS];
	unsigned int reads;
	u64 bytes;
};

/* Guest memory for fake_read(). */
static struct fake_guest *fake_guest;

static int fake_read(const struct hyvh_mem_table *table, u64 gpa, void *dst,
		     u64 len)
{
	struct fake_guest *guest = fake_guest;

	guest->reads++;
	guest->bytes += len;
	KUNIT_EXPECT_LE(guest->test, guest->bytes, sizeof(guest->table));
	if (gpa < TABLE_GPA || len > sizeof(guest->table) ||
	    gpa - TABLE_GPA > sizeof(guest->table) - len)
		return -EFAULT;
	memcpy(dst, (void *)guest->table + (gpa - TABLE_GPA), len);
	return 0;
}

struct indirect_param {
	const char *name;
	u32 nr_chunks;
	u32 nr_entries;
	struct hyvh_chunk entry[3];
	u32 max_chunks;
	int ret;
};

static const struct indirect_param indirect_params[] = {
	{ "one segment", 1000, 1, { { TABLE_GPA, 16000 } }, 1000, 0 },
	{ "segments", 1000, 3,
	  { { TABLE_GPA, 16 }, { TABLE_GPA + 16, 8000 },
	    { TABLE_GPA + 8016, 7984 } }, 1000, 0 },
	{ "limit", 1000, 1, { { TABLE_GPA, 16000 } }, 999, -EINVAL },
	{ "too short", 1000, 1, { { TABLE_GPA, 15984 } }, 1000, -EINVAL },
	{ "too long", 999, 1, { { TABLE_GPA, 16000 } }, 1000, -EINVAL },
	{ "second too long", 1000, 2,
	  { { TABLE_GPA, 15984 }, { TABLE_GPA, 32 } }, 1000, -EINVAL },
	{ "not whole entries", 1000, 2,
	  { { TABLE_GPA, 8 }, { TABLE_GPA + 8, 15992 } }, 1000, -EINVAL },
	{ "empty segment", 1000, 2,
	  { { TABLE_GPA, 0 }, { TABLE_GPA, 16000 } }, 1000, -EINVAL },
	{ "huge segment", 1000, 1, { { TABLE_GPA, 0 - 16ULL } }, 1000,
	  -EINVAL },
	{ "segment wraps", 1000, 2,
	  { { TABLE_GPA, 15968 }, { 0 - 16ULL, 32 } }, 1000, -EINVAL },
	{ "not guest memory", 1000, 2,
	  { { TABLE_GPA, 8000 }, { TABLE_GPA + 8016, 8000 } }, 1000, -EFAULT },
};

static void indirect_desc(const struct indirect_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(indirect, indirect_params, indirect_desc);

static void chunk_load_indirect(struct kunit *test)
{
	const struct indirect_param *p = test->param_value;
	struct hyv_chunk entry[3];
	struct hyvh_list_view view = {
		.flags = HYV_CHUNKS_INDIRECT,
		.nr_chunks = p->nr_chunks,
		.nr_entries = p->nr_entries,
		.addr = PG,
		.length = (u64)p->nr_chunks * PG,
		.entry = entry,
	};
	struct hyvh_chunks chunks = {};
	struct fake_guest *guest;
	u32 i;

	guest = kunit_kzalloc(test, sizeof(*guest), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, guest);
	guest->test = test;
	fake_guest = guest;
	for (i = 0; i < TABLE_CHUNKS; i++) {
		guest->table[i].addr = cpu_to_le64((100 + 2 * i) * PG);
		guest->table[i].len = cpu_to_le64(PG);
	}
	for (i = 0; i < p->nr_entries; i++) {
		entry[i].addr = cpu_to_le64(p->entry[i].addr);
		entry[i].len = cpu_to_le64(p->entry[i].len);
	}

	KUNIT_ASSERT_EQ(test, hyvh_chunks_load(&chunks, &view, p->max_chunks,
					       fake_read, NULL), p->ret);
	if (p->ret) {
		KUNIT_EXPECT_NULL(test, chunks.chunk);
		return;
	}
	/* Each part is read once, so it cannot change after the check. */
	KUNIT_EXPECT_EQ(test, guest->reads, p->nr_entries);
	KUNIT_EXPECT_EQ(test, guest->bytes, sizeof(guest->table));
	KUNIT_ASSERT_EQ(test, chunks.nr, p->nr_chunks);
	for (i = 0; i < p->nr_chunks; i++) {
		KUNIT_EXPECT_EQ(test, chunks.chunk[i].addr, (100 + 2 * i) * PG);
		KUNIT_EXPECT_EQ(test, chunks.chunk[i].len, PG);
	}
	hyvh_chunks_release(&chunks);
}

/* The table is not larger than the buffer needs. */
static void chunk_load_bounds_memory(struct kunit *test)
{
	struct hyv_chunk entry = {
		.addr = cpu_to_le64(TABLE_GPA),
		.len = cpu_to_le64(16ULL * U32_MAX),
	};
	struct hyvh_list_view view = {
		.flags = HYV_CHUNKS_INDIRECT,
		.nr_chunks = U32_MAX,
		.nr_entries = 1,
		.addr = PG - 1,
		.length = 2 + 1000 * PG,
		.entry = &entry,
	};
	struct hyvh_chunks chunks = {};

	/* A call of fake_read() would crash. */
	fake_guest = NULL;
	KUNIT_EXPECT_EQ(test, hyvh_chunks_load(&chunks, &view, U32_MAX,
					       fake_read, NULL), -EINVAL);
	view.nr_chunks = 1003;
	KUNIT_EXPECT_EQ(test, hyvh_chunks_load(&chunks, &view, U32_MAX,
					       fake_read, NULL), -EINVAL);
}

static struct kunit_case chunk_cases[] = {
	KUNIT_CASE_PARAM(chunk_parse, parse_gen_params),
	KUNIT_CASE(chunk_parse_huge_counts),
	KUNIT_CASE_PARAM(chunk_check, check_gen_params),
	KUNIT_CASE_PARAM(chunk_load_checks, check_gen_params),
	KUNIT_CASE_PARAM(chunk_load_indirect, indirect_gen_params),
	KUNIT_CASE(chunk_load_bounds_memory),
	{}
};

static struct kunit_suite chunk_suite = {
	.name = "hyvh_chunk",
	.test_cases = chunk_cases,
};

kunit_test_suite(chunk_suite);

MODULE_DESCRIPTION("Tests of HyV's chunk lists");
MODULE_LICENSE("GPL");
