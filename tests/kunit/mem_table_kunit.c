// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the memory table.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/workqueue.h>

#include <compat/kunit.h>

#include "memory/mem_table.h"

#define PG	((u64)PAGE_SIZE)
#define TOP	(0 - PG)	/* last page of an address space */

struct create_param {
	const char *name;
	struct hyv_mem_region region[3];
	u32 nr;
	int ret;
};

static const struct create_param create_params[] = {
	{ "nothing", {}, 0, 0 },
	{ "one page", { { 0, PG, 0x7000000 } }, 1, 0 },
	{ "empty region", { { 0, 0, 0x7000000 } }, 1, -EINVAL },
	{ "gpa not aligned", { { 8, PG, 0x7000000 } }, 1, -EINVAL },
	{ "length not aligned", { { 0, PG + 8, 0x7000000 } }, 1, -EINVAL },
	{ "hva not aligned", { { 0, PG, 0x7000001 } }, 1, -EINVAL },
	{ "gpa wraps", { { TOP, 2 * PG, 0x7000000 } }, 1, -EINVAL },
	{ "gpa ends at the very top", { { TOP, PG, 0x7000000 } }, 1, -EINVAL },
	{ "gpa ends below the top", { { TOP - PG, PG, 0x7000000 } }, 1, 0 },
	{ "hva wraps", { { 0, 2 * PG, TOP } }, 1, -EINVAL },
	{ "length is huge", { { PG, TOP, 0 } }, 1, -EINVAL },
	{ "adjacent", { { 0, PG, 0x7000000 }, { PG, PG, 0x9000000 } }, 2, 0 },
	{ "same", { { 0, PG, 0x7000000 }, { 0, PG, 0x9000000 } }, 2, -EINVAL },
	{ "overlap by a page",
	  { { PG, 2 * PG, 0x7000000 }, { 0, 2 * PG, 0x9000000 } }, 2,
	  -EINVAL },
	{ "inside",
	  { { 0, 9 * PG, 0x7000000 }, { PG, PG, 0x9000000 } }, 2, -EINVAL },
	{ "overlap after merged ones",
	  { { 0, PG, 0x7000000 }, { PG, PG, 0x7000000 + PG },
	    { PG, PG, 0x9000000 } }, 3, -EINVAL },
	{ "one hva twice",
	  { { 0, PG, 0x7000000 }, { 5 * PG, PG, 0x7000000 } }, 2, 0 },
};

static void create_desc(const struct create_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(create, create_params, create_desc);

static void mem_table_create(struct kunit *test)
{
	const struct create_param *p = test->param_value;
	struct hyvh_mem_table *table;

	table = hyvh_mem_table_create(p->region, p->nr);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(table), p->ret);
	if (!IS_ERR(table))
		hyvh_mem_table_put(table);
}

/*
 * Not sorted:   gpa pages  2 3 | 4 5 | 6 | 10 11
 *               hva pages 50 51|52 53|70 | 71 72
 */
static const struct hyv_mem_region map_regions[] = {
	{ 10 * PG, 2 * PG, 71 * PG },
	{ 4 * PG, 2 * PG, 52 * PG },
	{ 6 * PG, 1 * PG, 70 * PG },
	{ 2 * PG, 2 * PG, 50 * PG },
};

struct translate_param {
	const char *name;
	u64 gpa;
	u64 len;
	int ret;
	u64 hva;
	u64 run;
};

static const struct translate_param translate_params[] = {
	{ "first byte", 2 * PG, 1, 0, 50 * PG, 1 },
	{ "inside a page", 3 * PG + 5, 7, 0, 51 * PG + 5, 7 },
	{ "across adjacent regions", 2 * PG, 4 * PG, 0, 50 * PG, 4 * PG },
	{ "to where hva jumps", 3 * PG, 9 * PG, 0, 51 * PG, 3 * PG },
	{ "after the jump", 6 * PG, 9 * PG, 0, 70 * PG, PG },
	{ "hva adjacent but not gpa", 6 * PG + 1, PG, 0, 70 * PG + 1, PG - 1 },
	{ "last byte", 12 * PG - 1, 5, 0, 73 * PG - 1, 1 },
	{ "all there is", 0, U64_MAX, -EFAULT },
	{ "wanted up to the top", 10 * PG, U64_MAX, 0, 71 * PG, 2 * PG },
	{ "before the first", 2 * PG - 1, 2, -EFAULT },
	{ "in the hole", 7 * PG, 1, -EFAULT },
	{ "end of the hole", 10 * PG - 1, 1, -EFAULT },
	{ "after the last", 12 * PG, 1, -EFAULT },
	{ "top", U64_MAX, 1, -EFAULT },
};

static void translate_desc(const struct translate_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(translate, translate_params, translate_desc);

static void mem_table_translate(struct kunit *test)
{
	const struct translate_param *p = test->param_value;
	struct hyvh_mem_table *table;
	u64 hva = 0, run = 0;

	table = hyvh_mem_table_create(map_regions, ARRAY_SIZE(map_regions));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
	KUNIT_EXPECT_EQ(test, hyvh_mem_table_translate(table, p->gpa, p->len,
						       &hva, &run), p->ret);
	KUNIT_EXPECT_EQ(test, hva, p->hva);
	KUNIT_EXPECT_EQ(test, run, p->run);
	hyvh_mem_table_put(table);
}

static void mem_table_empty(struct kunit *test)
{
	struct hyvh_mem_table *table = hyvh_mem_table_create(NULL, 0);
	u64 hva, run;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
	KUNIT_EXPECT_EQ(test, hyvh_mem_table_translate(table, 0, 1, &hva, &run),
			-EFAULT);
	hyvh_mem_table_put(table);
}

#define MODEL_PAGES	256

/* Random memory tables, compared with an array of guest pages. */
static void mem_table_against_model(struct kunit *test)
{
	struct hyv_mem_region *region;
	struct hyvh_mem_table *table;
	struct rnd_state rnd;
	u64 *model;
	int round;

	region = kunit_kcalloc(test, MODEL_PAGES, sizeof(*region), GFP_KERNEL);
	model = kunit_kcalloc(test, MODEL_PAGES + 1, sizeof(*model),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, region);
	KUNIT_ASSERT_NOT_NULL(test, model);
	prandom_seed_state(&rnd, 7);

	for (round = 0; round < 100; round++) {
		u64 gpa = 0, hva = 1000, got_hva, run;
		u32 nr = 0, i, j;

		memset(model, 0, (MODEL_PAGES + 1) * sizeof(*model));
		while (gpa < MODEL_PAGES) {
			u32 r = prandom_u32_state(&rnd);
			u64 n = min_t(u64, 1 + r % 8, MODEL_PAGES - gpa);

			if (r & 0x100)
				hva += 1 + (r >> 9) % 5;
			if (r & 0x10000) {
				gpa += n;	/* hole */
				continue;
			}
			region[nr].gpa = gpa * PG;
			region[nr].length = n * PG;
			region[nr].addr = hva * PG;
			nr++;
			for (i = 0; i < n; i++)
				model[gpa++] = hva++;
		}
		for (i = nr; i > 1; i--) {
			j = prandom_u32_state(&rnd) % i;
			swap(region[i - 1], region[j]);
		}

		table = hyvh_mem_table_create(region, nr);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
		for (i = 0; i < MODEL_PAGES; i++) {
			int ret = hyvh_mem_table_translate(table, i * PG + 3,
							   MODEL_PAGES * PG,
							   &got_hva, &run);

			KUNIT_ASSERT_EQ(test, ret, model[i] ? 0 : -EFAULT);
			if (ret)
				continue;
			KUNIT_ASSERT_EQ(test, got_hva, model[i] * PG + 3);
			for (j = i + 1; model[j] == model[i] + j - i; j++)
				;
			KUNIT_ASSERT_EQ(test, run, (j - i) * PG - 3);
		}
		hyvh_mem_table_put(table);
	}
}

struct retire {
	struct delayed_work work;
	struct hyvh_mem_table *table;
	bool put;
};

static void retire_work(struct work_struct *work)
{
	struct retire *retire = container_of(to_delayed_work(work),
					     struct retire, work);

	WRITE_ONCE(retire->put, true);
	hyvh_mem_table_put(retire->table);
}

/* Whoever replaces a table waits for its users, and for nothing without. */
static void mem_table_retire(struct kunit *test)
{
	struct retire retire = {};

	retire.table = hyvh_mem_table_create(NULL, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, retire.table);
	KUNIT_EXPECT_EQ(test, hyvh_mem_table_retire(retire.table), 0);

	retire.table = hyvh_mem_table_create(NULL, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, retire.table);
	hyvh_mem_table_get(retire.table);
	hyvh_mem_table_get(retire.table);
	hyvh_mem_table_put(retire.table);
	INIT_DELAYED_WORK_ONSTACK(&retire.work, retire_work);
	schedule_delayed_work(&retire.work, msecs_to_jiffies(100));
	KUNIT_EXPECT_EQ(test, hyvh_mem_table_retire(retire.table), 0);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(retire.put));
	flush_delayed_work(&retire.work);
	destroy_delayed_work_on_stack(&retire.work);
}

static struct kunit_case mem_table_cases[] = {
	KUNIT_CASE_PARAM(mem_table_create, create_gen_params),
	KUNIT_CASE_PARAM(mem_table_translate, translate_gen_params),
	KUNIT_CASE(mem_table_empty),
	KUNIT_CASE(mem_table_against_model),
	KUNIT_CASE(mem_table_retire),
	{}
};

static struct kunit_suite mem_table_suite = {
	.name = "hyvh_mem_table",
	.test_cases = mem_table_cases,
};

kunit_test_suite(mem_table_suite);

MODULE_DESCRIPTION("Tests of HyV's memory table");
MODULE_LICENSE("GPL");
