// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the tables of GIDs of a software HCA.
 */
#include <linux/errno.h>
#include <linux/slab.h>

#include <compat/kunit.h>

#include "hyvs/gids.h"

static const union ib_gid one = { .raw = { 0xfe, 0x80, [15] = 1 } };
static const union ib_gid other = { .raw = { 0xfe, 0x80, [15] = 2 } };

static struct hyvs_gids *create_of(struct kunit *test,
				   struct hyvs_gid_hash *hash, u32 net,
				   u32 owner)
{
	struct hyvs_gids *gids = kunit_kzalloc(test, sizeof(*gids), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gids);
	hyvs_gids_init(gids, hash, net, owner);
	return gids;
}

static struct hyvs_gid_hash *create_hash(struct kunit *test, u32 seed)
{
	struct hyvs_gid_hash *hash = kunit_kzalloc(test, sizeof(*hash),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hash);
	hyvs_gid_hash_init(hash, seed);
	return hash;
}

static struct hyvs_gids *create(struct kunit *test, u32 seed)
{
	return create_of(test, create_hash(test, seed), 0, 0);
}

static void set(struct kunit *test, struct hyvs_gids *gids, unsigned int index,
		const union ib_gid *gid)
{
	KUNIT_EXPECT_EQ(test, hyvs_gids_set(gids, index, gid), 0);
}

static void expect_at(struct kunit *test, struct hyvs_gids *gids,
		      unsigned int index, const union ib_gid *gid)
{
	union ib_gid got;

	KUNIT_EXPECT_EQ(test, hyvs_gids_get(gids, index, &got), !!gid);
	if (gid)
		KUNIT_EXPECT_EQ(test, memcmp(&got, gid, sizeof(got)), 0);
}

static void gids_empty(struct kunit *test)
{
	struct hyvs_gids *gids = create(test, 1);

	expect_at(test, gids, 0, NULL);
	expect_at(test, gids, HYVS_MAX_GIDS - 1, NULL);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &one, NULL));
	set(test, gids, 0, NULL);
}

static void gids_range(struct kunit *test)
{
	struct hyvs_gids *gids = create(test, 1);
	const unsigned int last = HYVS_MAX_GIDS - 1;

	set(test, gids, last, &one);
	expect_at(test, gids, last, &one);
	KUNIT_EXPECT_EQ(test, hyvs_gids_set(gids, last + 1, &other), -EINVAL);
	expect_at(test, gids, last + 1, NULL);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &other, NULL));
	set(test, gids, last, NULL);
}

static void gids_several_entries(struct kunit *test)
{
	struct hyvs_gids *gids = create(test, 1);

	set(test, gids, 0, &one);
	set(test, gids, 1, &one);
	set(test, gids, 7, &one);
	set(test, gids, 1, NULL);
	KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, &one, NULL));
	set(test, gids, 0, &other);
	KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, &one, NULL));
	KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, &other, NULL));
	set(test, gids, 7, NULL);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &one, NULL));
	expect_at(test, gids, 0, &other);
	expect_at(test, gids, 1, NULL);
	set(test, gids, 0, NULL);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &other, NULL));
}

static void gids_replaced(struct kunit *test)
{
	struct hyvs_gids *gids = create(test, 1);

	set(test, gids, 3, &one);
	set(test, gids, 3, &one);
	KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, &one, NULL));
	set(test, gids, 3, &other);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &one, NULL));
	expect_at(test, gids, 3, &other);
	set(test, gids, 3, NULL);
}

/* The lists have all entries and no others, whatever the seed. */
static void gids_full(struct kunit *test)
{
	struct hyvs_gids *gids;
	union ib_gid gid = one;
	unsigned int seed, i;

	for (seed = 0; seed < 8; seed++) {
		gids = create(test, seed);
		for (i = 0; i < HYVS_MAX_GIDS; i++) {
			gid.raw[14] = i;
			set(test, gids, i, &gid);
		}
		for (i = 0; i < HYVS_MAX_GIDS; i++) {
			gid.raw[14] = i;
			KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, &gid, NULL));
			gid.raw[13] = 1;
			KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &gid, NULL));
			gid.raw[13] = 0;
			set(test, gids, i, NULL);
			KUNIT_EXPECT_FALSE(test, hyvs_gids_find(gids, &gid, NULL));
		}
	}
}

static void expect_owner(struct kunit *test, const struct hyvs_gids *gids,
			 const union ib_gid *gid, u32 owner)
{
	u32 got = 0;

	KUNIT_EXPECT_TRUE(test, hyvs_gids_find(gids, gid, &got));
	KUNIT_EXPECT_EQ(test, got, owner);
}

/* The tables of a network find what others of it have, and nothing else. */
static void gids_networks(struct kunit *test)
{
	struct hyvs_gid_hash *hash = create_hash(test, 1);
	struct hyvs_gids *host = create_of(test, hash, 0, 0);
	struct hyvs_gids *a = create_of(test, hash, 1, 7);
	struct hyvs_gids *b = create_of(test, hash, 1, 8);

	set(test, host, 0, &one);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(a, &one, NULL));
	set(test, a, 0, &one);
	set(test, b, 5, &other);
	expect_owner(test, host, &one, 0);
	expect_owner(test, a, &one, 7);
	expect_owner(test, b, &one, 7);
	expect_owner(test, a, &other, 8);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(host, &other, NULL));
	expect_at(test, a, 5, NULL);
	hyvs_gids_clear(a);
	KUNIT_EXPECT_FALSE(test, hyvs_gids_find(b, &one, NULL));
	expect_owner(test, host, &one, 0);
	expect_owner(test, b, &other, 8);
	hyvs_gids_clear(b);
	hyvs_gids_clear(host);
}

static struct kunit_case gids_cases[] = {
	KUNIT_CASE(gids_empty),
	KUNIT_CASE(gids_range),
	KUNIT_CASE(gids_several_entries),
	KUNIT_CASE(gids_replaced),
	KUNIT_CASE(gids_full),
	KUNIT_CASE(gids_networks),
	{}
};

static struct kunit_suite gids_suite = {
	.name = "hyvs_gids",
	.test_cases = gids_cases,
};

kunit_test_suite(gids_suite);
