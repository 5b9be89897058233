// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of charges that several owners hold.
 */
#include <compat/kunit.h>

#include "memory/charge.h"

static void charge_last_owner(struct kunit *test)
{
	struct hyvh_charge *charge;
	struct hyvh_quota quota;

	hyvh_quota_init(&quota, 100);
	charge = hyvh_charge_new(&quota, 60);
	KUNIT_ASSERT_FALSE(test, IS_ERR(charge));
	KUNIT_EXPECT_EQ(test, charge->bytes, 60);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 60);

	KUNIT_EXPECT_PTR_EQ(test, hyvh_charge_get(charge), charge);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 60);
	hyvh_charge_put(charge);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 60);
	hyvh_charge_put(charge);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 0);
}

static void charge_limit(struct kunit *test)
{
	struct hyvh_charge *charge, *other;
	struct hyvh_quota quota;

	hyvh_quota_init(&quota, 100);
	charge = hyvh_charge_new(&quota, 60);
	KUNIT_ASSERT_FALSE(test, IS_ERR(charge));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(hyvh_charge_new(&quota, 41)),
			-EDQUOT);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 60);
	other = hyvh_charge_new(&quota, 40);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	hyvh_charge_put(charge);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 40);
	hyvh_charge_put(other);
	KUNIT_EXPECT_EQ(test, hyvh_quota_used(&quota), 0);
}

static void charge_none(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, hyvh_charge_get(NULL));
	hyvh_charge_put(NULL);
}

static struct kunit_case charge_cases[] = {
	KUNIT_CASE(charge_last_owner),
	KUNIT_CASE(charge_limit),
	KUNIT_CASE(charge_none),
	{}
};

static struct kunit_suite charge_suite = {
	.name = "hyvh_charge",
	.test_cases = charge_cases,
};

kunit_test_suite(charge_suite);

MODULE_DESCRIPTION("Tests of shared charges");
MODULE_LICENSE("GPL");
