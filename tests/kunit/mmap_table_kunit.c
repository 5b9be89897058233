// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the table of memory that a context may map.
 */
#include <compat/kunit.h>
#include <linux/sizes.h>

#include "memory/charge.h"
#include "memory/mmap_table.h"

#define NR_OBJECTS	64

struct mmap_test {
	struct hyvh_mmap_table table;
	struct hyvh_quota quota;
	struct hyvh_charge *charge;	/* of 4 pages, for every object */
	struct hyvh_mmap_region object[NR_OBJECTS][HYVH_MAX_REGIONS];
};

static int mmap_test_init(struct kunit *test)
{
	struct mmap_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	test->priv = t;
	hyvh_mmap_table_init(&t->table);
	hyvh_quota_init(&t->quota, U64_MAX);
	t->charge = hyvh_charge_new(&t->quota, 4 * SZ_4K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->charge));
	for (i = 0; i < NR_OBJECTS; i++)
		hyvh_mmap_regions_init(t->object[i]);
	return 0;
}

/* Every test has dropped its references: the quota is empty. */
static void mmap_test_exit(struct kunit *test)
{
	struct mmap_test *t = test->priv;
	int i;

	if (!t || IS_ERR_OR_NULL(t->charge))
		return;
	for (i = 0; i < NR_OBJECTS; i++)
		hyvh_mmap_table_set(&t->table, t->object[i], NULL, 0, NULL);
	hyvh_charge_put(t->charge);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&t->quota), 0);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&t->table.regions));
}

static int set_one(struct mmap_test *t, int object, u64 offset, u64 length)
{
	struct hyvh_mmap_range range = { offset, length };

	return hyvh_mmap_table_set(&t->table, t->object[object], &range, 1,
				   t->charge);
}

static int set_two(struct mmap_test *t, int object, u64 offset, u64 length,
		   u64 offset2, u64 length2)
{
	struct hyvh_mmap_range ranges[] = {
		{ offset, length }, { offset2, length2 },
	};

	return hyvh_mmap_table_set(&t->table, t->object[object], ranges, 2,
				   t->charge);
}

/* Claim, and drop the reference to the charge. */
static int claim(struct mmap_test *t, u64 offset, u64 length)
{
	struct hyvh_mmap_range range = { offset, length };
	struct hyvh_charge *charge = NULL;
	int ret;

	ret = hyvh_mmap_table_claim(&t->table, &range, &charge);
	hyvh_charge_put(charge);
	return ret;
}

static void mmap_exact(struct kunit *test)
{
	struct mmap_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, claim(t, 0, SZ_4K), -EINVAL);
	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_64K, 2 * SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, 3 * SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K + SZ_4K, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K - SZ_4K, 2 * SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, U64_MAX, U64_MAX), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, 2 * SZ_4K), 0);
}

static void mmap_once(struct kunit *test)
{
	struct mmap_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_64K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), -EINVAL);
	hyvh_mmap_table_unclaim(&t->table, SZ_64K);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), 0);
	hyvh_mmap_table_unclaim(&t->table, 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), -EINVAL);
	/* A new queue at the same place is another one. */
	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_64K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), 0);
}

static void mmap_charge(struct kunit *test)
{
	struct hyvh_mmap_range range = { SZ_64K, SZ_4K };
	struct mmap_test *t = test->priv;
	struct hyvh_charge *charge = NULL;

	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_64K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&t->charge->refs), 1);
	KUNIT_ASSERT_EQ(test, hyvh_mmap_table_claim(&t->table, &range,
						    &charge), 0);
	KUNIT_EXPECT_PTR_EQ(test, charge, t->charge);
	KUNIT_EXPECT_EQ(test, refcount_read(&t->charge->refs), 2);
	hyvh_charge_put(charge);
}

static void mmap_no_charge(struct kunit *test)
{
	struct hyvh_mmap_range range = { SZ_64K, 1ULL << 40 };
	struct mmap_test *t = test->priv;
	struct hyvh_charge *charge = t->charge;

	KUNIT_ASSERT_EQ(test, hyvh_mmap_table_set(&t->table, t->object[0],
						  &range, 1, NULL), 0);
	KUNIT_EXPECT_EQ(test, hyvh_mmap_table_claim(&t->table, &range,
						    &charge), 0);
	KUNIT_EXPECT_NULL(test, charge);
}

static void mmap_replace(struct kunit *test)
{
	struct mmap_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, set_two(t, 0, 0, SZ_4K, SZ_64K, SZ_4K), 0);
	KUNIT_ASSERT_EQ(test, set_one(t, 1, SZ_1M, SZ_4K), 0);
	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_128K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, 0, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_128K, SZ_4K), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_1M, SZ_4K), 0);
	KUNIT_ASSERT_EQ(test, hyvh_mmap_table_set(&t->table, t->object[1],
						  NULL, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_1M, SZ_4K), -EINVAL);
	/* The region is gone. */
	hyvh_mmap_table_unclaim(&t->table, SZ_1M);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_1M, SZ_4K), -EINVAL);
}

static void mmap_contradictions(struct kunit *test)
{
	struct mmap_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, set_one(t, 0, SZ_64K, SZ_4K), 0);

	KUNIT_EXPECT_EQ(test, set_one(t, 1, 0, 5 * SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, 0, 5 * SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_one(t, 1, 0, U64_MAX), -EINVAL);
	/* Together more than is charged. */
	KUNIT_EXPECT_EQ(test, set_two(t, 1, 0, 3 * SZ_4K, SZ_1M, 2 * SZ_4K),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, 0, 3 * SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_two(t, 1, 0, 3 * SZ_4K, SZ_1M, SZ_4K), 0);

	KUNIT_EXPECT_EQ(test, set_one(t, 1, SZ_64K, SZ_4K), -EEXIST);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_1M, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_two(t, 1, 0, SZ_4K, 0, SZ_4K), -EEXIST);
	KUNIT_EXPECT_EQ(test, claim(t, 0, SZ_4K), -EINVAL);
	KUNIT_EXPECT_EQ(test, claim(t, SZ_64K, SZ_4K), 0);
}

static void mmap_many(struct kunit *test)
{
	struct mmap_test *t = test->priv;
	int i, bad = 0;

	/* 37 and 64 have no common factor: every order but a sorted one. */
	for (i = 0; i < NR_OBJECTS; i++)
		bad += !!set_two(t, i, (i * 37 % 64) * SZ_64K, SZ_4K,
				 (i * 37 % 64) * SZ_64K + SZ_8K, SZ_8K);
	for (i = 0; i < NR_OBJECTS; i += 2)
		hyvh_mmap_table_set(&t->table, t->object[i], NULL, 0, NULL);
	for (i = 0; i < NR_OBJECTS; i++) {
		int want = i % 2 ? 0 : -EINVAL;

		bad += claim(t, (i * 37 % 64) * SZ_64K, SZ_4K) != want;
		bad += claim(t, (i * 37 % 64) * SZ_64K + SZ_8K, SZ_8K) != want;
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
}

static struct kunit_case mmap_cases[] = {
	KUNIT_CASE(mmap_exact),
	KUNIT_CASE(mmap_once),
	KUNIT_CASE(mmap_charge),
	KUNIT_CASE(mmap_no_charge),
	KUNIT_CASE(mmap_replace),
	KUNIT_CASE(mmap_contradictions),
	KUNIT_CASE(mmap_many),
	{}
};

static struct kunit_suite mmap_suite = {
	.name = "hyvh_mmap_table",
	.init = mmap_test_init,
	.exit = mmap_test_exit,
	.test_cases = mmap_cases,
};

kunit_test_suite(mmap_suite);

MODULE_DESCRIPTION("Tests of what a context may map");
MODULE_LICENSE("GPL");
