// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of quotas.
 */
#include <compat/kunit.h>

#include "memory/quota.h"

struct quota_param {
	const char *name;
	u64 used;
	u64 max;
	u64 bytes;
	int ret;
};

static const struct quota_param quota_params[] = {
	{ "some", 0, 100, 50, 0 },
	{ "all at once", 0, 100, 100, 0 },
	{ "the rest", 60, 100, 40, 0 },
	{ "one too many", 60, 100, 41, -EDQUOT },
	{ "nothing", 100, 100, 0, 0 },
	{ "full", 100, 100, 1, -EDQUOT },
	{ "no quota", 0, 0, 1, -EDQUOT },
	{ "sum overflows", 60, U64_MAX, U64_MAX, -EDQUOT },
	{ "sum overflows to below", 60, 100, U64_MAX - 10, -EDQUOT },
	{ "unlimited", U64_MAX - 1, U64_MAX, 1, 0 },
	{ "limit was lowered", 60, 50, 1, -EDQUOT },
	{ "limit was lowered, nothing", 60, 50, 0, 0 },
};

static void quota_desc(const struct quota_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(quota, quota_params, quota_desc);

static void quota_charge(struct kunit *test)
{
	const struct quota_param *p = test->param_value;
	struct hyvh_quota quota;

	hyvh_quota_init(&quota, p->used);
	KUNIT_ASSERT_EQ(test, hyvh_quota_charge(&quota, p->used), 0);
	hyvh_quota_set_max(&quota, p->max);
	KUNIT_EXPECT_EQ(test, hyvh_quota_max(&quota), p->max);

	KUNIT_EXPECT_EQ(test, hyvh_quota_charge(&quota, p->bytes), p->ret);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota),
			p->ret ? p->used : p->used + p->bytes);
	if (!p->ret)
		hyvh_quota_uncharge(&quota, p->bytes);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), p->used);
	hyvh_quota_uncharge(&quota, p->used);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 0);
}

/* A limit set by the VMM overrides defaults, before and after. */
static void quota_default(struct kunit *test)
{
	struct hyvh_quota quota;

	hyvh_quota_init(&quota, 10);
	hyvh_quota_set_default(&quota, 20);
	KUNIT_EXPECT_EQ(test, hyvh_quota_max(&quota), 20);
	KUNIT_ASSERT_EQ(test, hyvh_quota_charge(&quota, 15), 0);
	hyvh_quota_set_default(&quota, 5);
	KUNIT_EXPECT_EQ(test, hyvh_quota_max(&quota), 5);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 15);
	KUNIT_EXPECT_EQ(test, hyvh_quota_charge(&quota, 1), -EDQUOT);
	hyvh_quota_set_max(&quota, 30);
	hyvh_quota_set_default(&quota, 40);
	KUNIT_EXPECT_EQ(test, hyvh_quota_max(&quota), 30);
	KUNIT_EXPECT_EQ(test, hyvh_quota_charge(&quota, 15), 0);
	KUNIT_EXPECT_EQ(test, hyvh_quota_charge(&quota, 1), -EDQUOT);
}

static void quota_resized(struct kunit *test)
{
	struct hyvh_quota quota;
	u64 charged = 40;

	hyvh_quota_init(&quota, 100);
	KUNIT_ASSERT_EQ(test, hyvh_quota_charge(&quota, charged), 0);
	KUNIT_ASSERT_EQ(test, hyvh_quota_charge(&quota, 50), 0);
	KUNIT_EXPECT_EQ(test, hyvh_quota_resized(&quota, &charged, 50, -EINVAL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, charged, 40);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 40);

	KUNIT_ASSERT_EQ(test, hyvh_quota_charge(&quota, 50), 0);
	KUNIT_EXPECT_EQ(test, hyvh_quota_resized(&quota, &charged, 50, 0), 0);
	KUNIT_EXPECT_EQ(test, charged, 50);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 50);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE_PARAM(quota_charge, quota_gen_params),
	KUNIT_CASE(quota_default),
	KUNIT_CASE(quota_resized),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "hyvh_quota",
	.test_cases = quota_cases,
};

kunit_test_suite(quota_suite);

MODULE_DESCRIPTION("Tests of HyV's quotas");
MODULE_LICENSE("GPL");
