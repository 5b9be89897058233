// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of stitch plans.
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include <compat/kunit.h>

#include "memory/stitch_plan.h"

#define PG	((u64)PAGE_SIZE)
#define MAX_VMAS	3

/*
 * gpa pages   0..9 | 10..19 | 20..29 | (hole) | 40..49
 * hva pages 100..  | 110..  | 200..           | 120..
 */
static const struct hyv_mem_region map_regions[] = {
	{ 0 * PG, 10 * PG, 100 * PG },
	{ 10 * PG, 10 * PG, 110 * PG },
	{ 20 * PG, 10 * PG, 200 * PG },
	{ 40 * PG, 10 * PG, 120 * PG },
};

struct plan_param {
	const char *name;
	u64 addr;
	u64 length;
	u32 nr;
	struct hyvh_chunk chunk[5];
	int ret;
	enum hyvh_stitch_way way;
	u32 nr_pieces;
	struct hyvh_piece piece[5];
};

static const struct plan_param plan_params[] = {
	{ "page", PG, PG, 1, { { 5 * PG, PG } }, 0, HYVH_STITCH_DIRECT, 1,
	  { { 105 * PG, PG } } },
	{ "byte", PG + 9, 1, 1, { { 5 * PG + 9, 1 } }, 0, HYVH_STITCH_DIRECT, 1,
	  { { 105 * PG, PG } } },
	{ "two bytes in two pages", 2 * PG - 1, 2, 1, { { 6 * PG - 1, 2 } }, 0,
	  HYVH_STITCH_DIRECT, 1, { { 105 * PG, 2 * PG } } },
	{ "across regions", PG, 20 * PG, 1, { { 0, 20 * PG } }, 0,
	  HYVH_STITCH_DIRECT, 1, { { 100 * PG, 20 * PG } } },
	{ "chunks that adjoin", PG, 3 * PG, 3,
	  { { 3 * PG, PG }, { 4 * PG, PG }, { 5 * PG, PG } }, 0,
	  HYVH_STITCH_DIRECT, 1, { { 103 * PG, 3 * PG } } },
	{ "chunks that adjoin in hva only", PG, 2 * PG, 2,
	  { { 19 * PG, PG }, { 40 * PG, PG } }, 0, HYVH_STITCH_DIRECT, 1,
	  { { 119 * PG, 2 * PG } } },
	{ "adjoin in gpa only", PG, 2 * PG, 2,
	  { { 19 * PG, PG }, { 20 * PG, PG } }, 0, HYVH_STITCH_VMAS, 2,
	  { { 119 * PG, PG }, { 200 * PG, PG } } },
	{ "one chunk, two pieces", PG, 2 * PG, 1, { { 19 * PG, 2 * PG } }, 0,
	  HYVH_STITCH_VMAS, 2, { { 119 * PG, PG }, { 200 * PG, PG } } },
	{ "as many as allowed", PG - 3, 2 * PG, 3,
	  { { 5 * PG - 3, 3 }, { 1 * PG, PG }, { 9 * PG, PG - 3 } }, 0,
	  HYVH_STITCH_VMAS, 3,
	  { { 104 * PG, PG }, { 101 * PG, PG }, { 109 * PG, PG } } },
	{ "too many", PG, 4 * PG, 4,
	  { { 8 * PG, PG }, { 6 * PG, PG }, { 4 * PG, PG }, { 2 * PG, PG } },
	  0, HYVH_STITCH_PAGES, 4,
	  { { 108 * PG, PG }, { 106 * PG, PG }, { 104 * PG, PG },
	    { 102 * PG, PG } } },
	{ "merged again to not too many", PG, 5 * PG, 5,
	  { { 8 * PG, PG }, { 9 * PG, PG }, { 4 * PG, PG }, { 5 * PG, PG },
	    { 1 * PG, PG } }, 0, HYVH_STITCH_VMAS, 3,
	  { { 108 * PG, 2 * PG }, { 104 * PG, 2 * PG }, { 101 * PG, PG } } },
	{ "same page twice", PG, 2 * PG, 2, { { PG, PG }, { PG, PG } }, 0,
	  HYVH_STITCH_VMAS, 2, { { 101 * PG, PG }, { 101 * PG, PG } } },
	{ "same page as often as allowed", PG, 4 * PG, 4,
	  { { 1 * PG, PG }, { 1 * PG, PG }, { 1 * PG, PG }, { 1 * PG, PG } },
	  0, HYVH_STITCH_PAGES, 4,
	  { { 101 * PG, PG }, { 101 * PG, PG }, { 101 * PG, PG },
	    { 101 * PG, PG } } },
	{ "same page too often", PG, 5 * PG, 5,
	  { { 1 * PG, PG }, { 1 * PG, PG }, { 1 * PG, PG }, { 1 * PG, PG },
	    { 1 * PG, PG } }, -EINVAL },
	{ "one page of long pieces too often", PG, 18 * PG, 5,
	  { { 4 * PG, 2 * PG }, { 1 * PG, 4 * PG }, { 4 * PG, 5 * PG },
	    { 0 * PG, 5 * PG }, { 3 * PG, 2 * PG } }, -EINVAL },
	{ "long pieces that meet but do not overlap", PG, 16 * PG, 5,
	  { { 4 * PG, 2 * PG }, { 4 * PG, 5 * PG }, { 0 * PG, 4 * PG },
	    { 1 * PG, 3 * PG }, { 2 * PG, 2 * PG } }, 0, HYVH_STITCH_PAGES, 5,
	  { { 104 * PG, 2 * PG }, { 104 * PG, 5 * PG }, { 100 * PG, 4 * PG },
	    { 101 * PG, 3 * PG }, { 102 * PG, 2 * PG } } },
	{ "in the hole", PG, PG, 1, { { 30 * PG, PG } }, -EFAULT },
	{ "into the hole", PG, 2 * PG, 1, { { 29 * PG, 2 * PG } }, -EFAULT },
	{ "second in the hole", PG, 2 * PG, 2, { { PG, PG }, { 39 * PG, PG } },
	  -EFAULT },
	{ "beyond all", PG, PG, 1, { { 50 * PG, PG } }, -EFAULT },
	{ "top page", PG, PG - 1, 1, { { 0 - PG, PG - 1 } }, -EFAULT },
	{ "all memory", 1, U64_MAX - 1, 1, { { 1, U64_MAX - 1 } }, -EFAULT },
};

static const bool go_on;

static void plan_desc(const struct plan_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(plan, plan_params, plan_desc);

static void stitch_plan(struct kunit *test)
{
	const struct plan_param *p = test->param_value;
	struct hyvh_chunks chunks = {
		.addr = p->addr,
		.length = p->length,
		.nr = p->nr,
		.chunk = (struct hyvh_chunk *)p->chunk,
	};
	struct hyvh_stitch_plan plan;
	struct hyvh_mem_table *table;
	u64 pages = 0;
	u32 i;

	KUNIT_ASSERT_EQ(test, hyvh_chunks_check(&chunks), 0);
	table = hyvh_mem_table_create(map_regions, ARRAY_SIZE(map_regions));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);

	KUNIT_ASSERT_EQ(test, hyvh_stitch_plan_make(&plan, table, &chunks,
						    MAX_VMAS, &go_on), p->ret);
	if (p->ret)
		goto out;
	KUNIT_EXPECT_EQ(test, plan.way, p->way);
	KUNIT_EXPECT_EQ(test, plan.offset, p->addr % PG);
	KUNIT_EXPECT_EQ(test, plan.length, p->length);
	KUNIT_EXPECT_EQ(test, plan.addr, p->way == HYVH_STITCH_DIRECT ?
			p->piece[0].hva + p->addr % PG : 0);
	KUNIT_ASSERT_EQ(test, plan.nr_pieces, p->nr_pieces);
	for (i = 0; i < p->nr_pieces; i++) {
		KUNIT_EXPECT_EQ(test, plan.piece[i].hva, p->piece[i].hva);
		KUNIT_EXPECT_EQ(test, plan.piece[i].len, p->piece[i].len);
		pages += p->piece[i].len / PG;
	}
	KUNIT_EXPECT_EQ(test, plan.nr_pages, pages);
	hyvh_stitch_plan_release(&plan);
	hyvh_stitch_plan_release(&plan);
out:
	hyvh_mem_table_put(table);
}

#define RANDOM_CHUNKS	64

/* The page of the map above that occurs most often in @chunks. */
static unsigned int most_repeats(const struct hyvh_chunks *chunks)
{
	unsigned int count[50] = {}, most = 0;
	u64 page, end;
	u32 i;

	for (i = 0; i < chunks->nr; i++) {
		page = chunks->chunk[i].addr / PG;
		end = (chunks->chunk[i].addr + chunks->chunk[i].len) / PG;
		for (; page < end; page++)
			most = max(most, ++count[page]);
	}
	return most;
}

/*
 * Random lists: pieces never adjoin, each page of a piece is the same as that of
 * the chunks, and those with a page too often are refused.
 */
static void stitch_plan_against_map(struct kunit *test)
{
	unsigned int refused = 0;
	struct hyvh_chunk *chunk;
	struct hyvh_chunks chunks;
	struct hyvh_stitch_plan plan;
	struct hyvh_mem_table *table;
	struct rnd_state rnd;
	int round;

	chunk = kunit_kcalloc(test, RANDOM_CHUNKS, sizeof(*chunk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chunk);
	table = hyvh_mem_table_create(map_regions, ARRAY_SIZE(map_regions));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
	prandom_seed_state(&rnd, 99);

	for (round = 0; round < 3000; round++) {
		u32 nr = 1 + prandom_u32_state(&rnd) %
			 (round % 3 ? 16 : RANDOM_CHUNKS);
		u32 offset = prandom_u32_state(&rnd) % PAGE_SIZE;
		u32 max_vmas = prandom_u32_state(&rnd) % RANDOM_CHUNKS;
		u32 i, piece = 0;
		u64 done = 0;
		int ret;

		chunks = (struct hyvh_chunks) {
			.addr = 0x10000000 + offset,
			.nr = nr,
			.chunk = chunk,
		};
		for (i = 0; i < nr; i++) {
			u32 r = prandom_u32_state(&rnd);

			chunk[i].addr = (r % 27) * PG;
			chunk[i].len = (1 + (r >> 8) % 3) * PG;
			if (!i) {
				chunk[i].addr += offset;
				chunk[i].len -= offset;
			}
			chunks.length += chunk[i].len;
		}
		KUNIT_ASSERT_EQ(test, hyvh_chunks_check(&chunks), 0);
		ret = hyvh_stitch_plan_make(&plan, table, &chunks, max_vmas,
					    &go_on);
		if (most_repeats(&chunks) > HYVH_STITCH_MAX_REPEATS) {
			KUNIT_ASSERT_EQ(test, ret, -EINVAL);
			refused++;
			continue;
		}
		KUNIT_ASSERT_EQ(test, ret, 0);
		KUNIT_ASSERT_EQ(test, plan.way, plan.nr_pieces == 1 ?
				HYVH_STITCH_DIRECT : plan.nr_pieces <= max_vmas ?
				HYVH_STITCH_VMAS : HYVH_STITCH_PAGES);
		for (i = 1; i < plan.nr_pieces; i++)
			KUNIT_ASSERT_NE(test, plan.piece[i].hva,
					plan.piece[i - 1].hva +
					plan.piece[i - 1].len);
		for (i = 0; i < nr; i++) {
			u64 gpa = chunk[i].addr & PAGE_MASK;
			u64 end = chunk[i].addr + chunk[i].len;
			u64 hva, run;

			for (; gpa < end; gpa += PG) {
				ret = hyvh_mem_table_translate(table, gpa, PG,
							       &hva, &run);
				KUNIT_ASSERT_LT(test, piece, plan.nr_pieces);
				KUNIT_ASSERT_EQ(test, ret, 0);
				KUNIT_ASSERT_EQ(test, hva,
						plan.piece[piece].hva + done);
				done += PG;
				if (done == plan.piece[piece].len) {
					piece++;
					done = 0;
				}
			}
		}
		KUNIT_ASSERT_EQ(test, piece, plan.nr_pieces);
		hyvh_stitch_plan_release(&plan);
	}
	KUNIT_EXPECT_GT(test, refused, 100);
	KUNIT_EXPECT_LT(test, refused, 2000);
	hyvh_mem_table_put(table);
}

#define MANY_CHUNKS	20000

/* As many pieces as only a merge of several runs sorts, in a random order. */
static void stitch_plan_many(struct kunit *test)
{
	struct hyv_mem_region region = { 0, MANY_CHUNKS * 2 * PG, 8 * PG };
	struct hyvh_chunks chunks = {
		.addr = PG,
		.length = MANY_CHUNKS * PG,
		.nr = MANY_CHUNKS,
	};
	static const bool cancel = true;
	struct hyvh_stitch_plan plan;
	struct hyvh_mem_table *table;
	struct rnd_state rnd;
	u32 i, j;

	chunks.chunk = kunit_kcalloc(test, MANY_CHUNKS, sizeof(*chunks.chunk),
				     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chunks.chunk);
	table = hyvh_mem_table_create(&region, 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
	prandom_seed_state(&rnd, 7);
	for (i = 0; i < MANY_CHUNKS; i++) {
		chunks.chunk[i].addr = i / 4 * 2 * PG;
		chunks.chunk[i].len = PG;
	}
	for (i = MANY_CHUNKS - 1; i; i--) {
		j = prandom_u32_state(&rnd) % (i + 1);
		swap(chunks.chunk[i], chunks.chunk[j]);
	}

	KUNIT_EXPECT_EQ(test, hyvh_stitch_plan_make(&plan, table, &chunks, 1,
						    &cancel), -EINTR);
	KUNIT_ASSERT_EQ(test, hyvh_stitch_plan_make(&plan, table, &chunks, 1,
						    &go_on), 0);
	KUNIT_EXPECT_EQ(test, plan.nr_pieces, MANY_CHUNKS);
	hyvh_stitch_plan_release(&plan);
	/* One page once more. */
	i = MANY_CHUNKS / 2;
	chunks.chunk[i].addr = chunks.chunk[i].addr ? 0 : 2 * PG;
	KUNIT_EXPECT_EQ(test, hyvh_stitch_plan_make(&plan, table, &chunks, 1,
						    &go_on), -EINVAL);
	hyvh_mem_table_put(table);
}

static struct kunit_case stitch_plan_cases[] = {
	KUNIT_CASE_PARAM(stitch_plan, plan_gen_params),
	KUNIT_CASE(stitch_plan_against_map),
	KUNIT_CASE(stitch_plan_many),
	{}
};

static struct kunit_suite stitch_plan_suite = {
	.name = "hyvh_stitch_plan",
	.test_cases = stitch_plan_cases,
};

kunit_test_suite(stitch_plan_suite);

MODULE_DESCRIPTION("Tests of HyV's stitching plans");
MODULE_LICENSE("GPL");
