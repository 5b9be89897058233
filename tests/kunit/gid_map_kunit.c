// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the GID map.
 */
#include <compat/kunit.h>

#include "address/gid_map.h"

#define V4(a, b, c, d) { .raw = { [10] = 0xff, [11] = 0xff, a, b, c, d } }

static const union ib_gid gid_a = V4(10, 0, 0, 1);
static const union ib_gid gid_b = V4(10, 0, 0, 2);
static const union ib_gid gid_c = { .raw = { 0xfd, [15] = 3 } };

static const struct hyvh_gid_owner vnic_1 = { .vnic_id = 1, .hca_index = 7 };
static const struct hyvh_gid_owner vnic_2 = { .vnic_id = 2, .hca_index = 8 };
static const struct hyvh_gid_owner host = { .via = V4(192, 168, 0, 9) };

#define MANY 10000

static int gidmap_init(struct kunit *test)
{
	struct hyvh_gid_map *map;

	map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, map);
	hyvh_gid_map_init(map, MANY);
	test->priv = map;
	return 0;
}

static void gidmap_exit(struct kunit *test)
{
	hyvh_gid_map_clear(test->priv);
}

static void gidmap_owners(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv;
	struct hyvh_gid_owner owner;

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), -ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_b, &vnic_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &host), 0);
	KUNIT_EXPECT_EQ(test, map->count, 3);

	KUNIT_ASSERT_EQ(test, hyvh_gid_map_find(map, &gid_b, &owner), 0);
	KUNIT_EXPECT_EQ(test, owner.vnic_id, 2);
	KUNIT_EXPECT_EQ(test, owner.hca_index, 8);
	KUNIT_ASSERT_EQ(test, hyvh_gid_map_find(map, &gid_c, &owner), 0);
	KUNIT_EXPECT_EQ(test, owner.vnic_id, HYVH_GID_STATIC);
	KUNIT_EXPECT_MEMEQ(test, owner.via.raw, host.via.raw, 16);
	KUNIT_EXPECT_TRUE(test, hyvh_gid_map_has_via(map, &host.via));
	/* The via GID of a vNIC's entry is ignored. */
	KUNIT_EXPECT_FALSE(test, hyvh_gid_map_has_via(map, &vnic_1.via));

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_2), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &host), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &vnic_1), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &host), -EEXIST);
	KUNIT_EXPECT_EQ(test, map->count, 3);

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_c, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), -ENOENT);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_2), 0);
	KUNIT_EXPECT_EQ(test, map->count, 3);
}

/* A GID that was refused to a vNIC is reported when it becomes free. */
static void gidmap_released(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv, batch;
	union ib_gid bad;

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_b, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &host), 0);

	/* Administrators get no notification. */
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_b, &host), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_b, 1), 0);
	KUNIT_EXPECT_FALSE(test, map->released);

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_2), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), 0);
	KUNIT_EXPECT_FALSE(test, map->released);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), 0);
	KUNIT_EXPECT_TRUE(test, map->released);

	map->released = false;
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &vnic_2), -EEXIST);
	hyvh_gid_map_init(&batch, MANY);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(&batch, &gid_c, &host), 0);
	/* A static entry that is replaced is not free. */
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, true, &bad), 0);
	KUNIT_EXPECT_FALSE(test, map->released);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_subtract(map, &batch, &bad), 0);
	KUNIT_EXPECT_TRUE(test, map->released);
	hyvh_gid_map_clear(&batch);
}

static void gidmap_twice(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv;
	struct hyvh_gid_owner owner;

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, map->count, 1);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_2), -EEXIST);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(map, &gid_a, 1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), -ENOENT);
	KUNIT_EXPECT_EQ(test, map->count, 0);
}

/* Added in random order, between two fixed entries. */
static union ib_gid gid_of(u32 i)
{
	union ib_gid gid = { .raw = { 0xfd } };
	__be32 number = cpu_to_be32(i * 2654435761U);

	memcpy(gid.raw + 12, &number, sizeof(number));
	return gid;
}

static void gidmap_many(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv;
	union ib_gid gid, last = {};
	struct hyvh_gid_owner owner;
	u32 i, wrong = 0, seen = 0;

	for (i = 0; i < MANY; i++) {
		gid = gid_of(i);
		wrong += !!hyvh_gid_map_add(map, &gid, &vnic_1);
	}
	KUNIT_EXPECT_EQ(test, map->count, MANY);

	memset(&gid, 0, sizeof(gid));
	while (!hyvh_gid_map_next(map, &gid, &owner)) {
		wrong += memcmp(gid.raw, last.raw, sizeof(gid.raw)) <= 0;
		last = gid;
		seen++;
		/* Entries may be deleted during a walk. */
		if (seen % 2)
			wrong += !!hyvh_gid_map_del(map, &gid, 1);
	}
	KUNIT_EXPECT_EQ(test, seen, MANY);
	KUNIT_EXPECT_EQ(test, map->count, MANY / 2);
	for (i = 0, seen = 0; i < MANY; i++) {
		gid = gid_of(i);
		seen += !hyvh_gid_map_find(map, &gid, &owner);
	}
	KUNIT_EXPECT_EQ(test, seen, MANY / 2);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* Add static entries @from to @to - 1 with a via GID. */
static u32 add_many(struct hyvh_gid_map *map, u32 from, u32 to,
		    const union ib_gid *via)
{
	struct hyvh_gid_owner owner = { .via = *via };
	union ib_gid gid;
	u32 i, wrong = 0;

	for (i = from; i < to; i++) {
		gid = gid_of(i);
		wrong += !!hyvh_gid_map_add(map, &gid, &owner);
	}
	return wrong;
}

/* Count the static entries @from to @to - 1 with this via GID. */
static u32 count_many(const struct hyvh_gid_map *map, u32 from, u32 to,
		      const union ib_gid *via)
{
	struct hyvh_gid_owner owner;
	union ib_gid gid;
	u32 i, seen = 0;

	for (i = from; i < to; i++) {
		gid = gid_of(i);
		seen += !hyvh_gid_map_find(map, &gid, &owner) &&
			owner.vnic_id == HYVH_GID_STATIC &&
			!memcmp(owner.via.raw, via->raw, sizeof(via->raw));
	}
	return seen;
}

static const union ib_gid via_1 = V4(192, 168, 0, 1);
static const union ib_gid via_2 = V4(192, 168, 0, 2);

static void expect_counts(struct kunit *test, const struct hyvh_gid_map *map,
			  u32 nr_static, u32 count)
{
	KUNIT_EXPECT_EQ(test, map->nr_static, nr_static);
	KUNIT_EXPECT_EQ(test, map->count, count);
}

static void gidmap_batch(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv, batch;
	union ib_gid bad, last = {}, gid = {};
	struct hyvh_gid_owner owner;
	u32 wrong = 0;

	hyvh_gid_map_init(&batch, MANY);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, add_many(&batch, 0, MANY, &via_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, false, &bad), 0);
	expect_counts(test, map, MANY, MANY + 1);
	expect_counts(test, &batch, 0, 0);
	KUNIT_EXPECT_EQ(test, count_many(map, 0, MANY, &via_1), MANY);
	while (!hyvh_gid_map_next(map, &gid, &owner)) {
		wrong += memcmp(gid.raw, last.raw, sizeof(gid.raw)) <= 0;
		last = gid;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_TRUE(test, hyvh_gid_map_has_via(map, &via_1));
	KUNIT_EXPECT_FALSE(test, hyvh_gid_map_has_via(map, &via_2));
	KUNIT_EXPECT_FALSE(test, hyvh_gid_map_has_via(&batch, &via_1));

	/* Replace half of the entries. */
	KUNIT_EXPECT_EQ(test, add_many(&batch, 0, MANY / 2, &via_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, true, &bad), 0);
	hyvh_gid_map_clear(&batch);
	expect_counts(test, map, MANY, MANY + 1);
	KUNIT_EXPECT_EQ(test, count_many(map, 0, MANY / 2, &via_2), MANY / 2);
	KUNIT_EXPECT_EQ(test, count_many(map, MANY / 2, MANY, &via_1),
			MANY / 2);
	KUNIT_EXPECT_TRUE(test, hyvh_gid_map_has_via(map, &via_1));
	KUNIT_EXPECT_TRUE(test, hyvh_gid_map_has_via(map, &via_2));
	KUNIT_EXPECT_EQ(test, add_many(&batch, MANY / 2, MANY, &via_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, true, &bad), 0);
	hyvh_gid_map_clear(&batch);
	KUNIT_EXPECT_FALSE(test, hyvh_gid_map_has_via(map, &via_1));

	/* Deletion ignores the via GIDs of the batch. */
	KUNIT_EXPECT_EQ(test, add_many(&batch, 0, MANY, &via_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_subtract(map, &batch, &bad), 0);
	expect_counts(test, &batch, MANY, MANY);
	hyvh_gid_map_clear(&batch);
	expect_counts(test, map, 0, 1);
	KUNIT_EXPECT_FALSE(test, hyvh_gid_map_has_via(map, &via_2));
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), 0);
}

/* Merging entries @from to @to - 1 and gid_x, if any, must fail. */
static void expect_no_merge(struct kunit *test, u32 from, u32 to,
			    const union ib_gid *gid_x, bool replace, int err)
{
	struct hyvh_gid_map *map = test->priv, before = *map, batch;
	u32 nr = to - from + !!gid_x;
	union ib_gid bad = {};

	hyvh_gid_map_init(&batch, MANY + 1);
	KUNIT_EXPECT_EQ(test, add_many(&batch, from, to, &via_2), 0);
	if (gid_x)
		KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(&batch, gid_x, &host), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, replace, &bad), err);
	if (gid_x)
		KUNIT_EXPECT_MEMEQ(test, bad.raw, gid_x->raw, sizeof(bad.raw));
	expect_counts(test, map, before.nr_static, before.count);
	expect_counts(test, &batch, nr, nr);
	hyvh_gid_map_clear(&batch);
}

static void gidmap_batch_fails(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv, batch;
	const u32 some = MANY / 2;
	struct hyvh_gid_owner owner;
	union ib_gid bad, first = gid_of(0);

	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	KUNIT_EXPECT_EQ(test, add_many(map, 0, some, &via_1), 0);

	/* An entry of a vNIC, with and without replace; an existing entry. */
	expect_no_merge(test, some, MANY - 1, &gid_a, false, -EEXIST);
	expect_no_merge(test, some, MANY - 1, &gid_a, true, -EEXIST);
	expect_no_merge(test, 0, some, &gid_a, true, -EEXIST);
	expect_no_merge(test, some, MANY - 1, &first, false, -EEXIST);
	/* One entry too many; replaced entries do not count. */
	expect_no_merge(test, some, MANY + 1, NULL, false, -ENOSPC);
	expect_no_merge(test, some - 1, MANY + 1, NULL, true, -ENOSPC);
	KUNIT_EXPECT_EQ(test, count_many(map, 0, some, &via_1), some);
	KUNIT_EXPECT_EQ(test, count_many(map, some, MANY + 1, &via_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_find(map, &gid_a, &owner), 0);
	KUNIT_EXPECT_EQ(test, owner.vnic_id, 1);

	hyvh_gid_map_init(&batch, MANY + 1);
	KUNIT_EXPECT_EQ(test, add_many(&batch, 0, MANY, &via_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_merge(map, &batch, true, &bad), 0);
	hyvh_gid_map_clear(&batch);
	expect_counts(test, map, MANY, MANY + 1);

	/* Nothing is deleted if one is missing or owned by a vNIC. */
	KUNIT_EXPECT_EQ(test, add_many(&batch, 0, MANY, &via_2), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(&batch, &gid_b, &host), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_subtract(map, &batch, &bad), -ENOENT);
	KUNIT_EXPECT_MEMEQ(test, bad.raw, gid_b.raw, sizeof(bad.raw));
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_del(&batch, &gid_b, HYVH_GID_STATIC), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(&batch, &gid_a, &host), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_subtract(map, &batch, &bad), -ENOENT);
	KUNIT_EXPECT_MEMEQ(test, bad.raw, gid_a.raw, sizeof(bad.raw));
	hyvh_gid_map_clear(&batch);
	expect_counts(test, map, MANY, MANY + 1);
	KUNIT_EXPECT_EQ(test, count_many(map, 0, MANY, &via_2), MANY);
}

static void gidmap_limit(struct kunit *test)
{
	struct hyvh_gid_map *map = test->priv;

	KUNIT_EXPECT_EQ(test, add_many(map, 0, MANY, &via_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &host), -ENOSPC);
	/* The limit ignores vNICs, and deleting makes room. */
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_a, &vnic_1), 0);
	expect_counts(test, map, MANY, MANY + 1);
	hyvh_gid_map_clear(map);
	expect_counts(test, map, 0, 0);
	KUNIT_EXPECT_EQ(test, add_many(map, 0, MANY, &via_1), 0);
	KUNIT_EXPECT_EQ(test, hyvh_gid_map_add(map, &gid_c, &host), -ENOSPC);
}

struct prefix_param {
	const char *name;
	union ib_gid prefix;
	unsigned int length;
	union ib_gid gid;
	bool is_prefix;
	bool in;
};

static const struct prefix_param prefix_params[] = {
	{ "all", {}, 0, V4(10, 0, 0, 1), true, true },
	{ "all bits", V4(10, 0, 0, 1), 128, V4(10, 0, 0, 1), true,
	  true },
	{ "last bit differs", V4(10, 0, 0, 1), 128, V4(10, 0, 0, 0), true,
	  false },
	{ "last bit does not count", V4(10, 0, 0, 0), 127, V4(10, 0, 0, 1), true,
	  true },
	{ "whole bytes", V4(10, 0, 0, 0), 104, V4(10, 9, 8, 7), true, true },
	{ "whole bytes differ", V4(10, 0, 0, 0), 104, V4(11, 9, 8, 7), true,
	  false },
	{ "bits", V4(10, 0, 0x80, 0), 113, V4(10, 0, 0xff, 0), true, true },
	{ "bits differ", V4(10, 0, 0x80, 0), 113, V4(10, 0, 0x7f, 0), true,
	  false },
	{ "bits past the length", V4(10, 0, 0xc0, 0), 113,
	  V4(10, 0, 0xc0, 0), false, true },
	{ "bytes past the length", V4(10, 0, 0, 1), 112, V4(10, 0, 0, 1),
	  false, true },
};

static void prefix_desc(const struct prefix_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(prefix, prefix_params, prefix_desc);

static void gidmap_prefix(struct kunit *test)
{
	const struct prefix_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_gid_is_prefix(&p->prefix, p->length),
			p->is_prefix);
	KUNIT_EXPECT_EQ(test,
			hyvh_gid_in_prefix(&p->gid, p->prefix.raw, p->length),
			p->in);
}

static struct kunit_case gidmap_cases[] = {
	KUNIT_CASE(gidmap_owners),
	KUNIT_CASE(gidmap_released),
	KUNIT_CASE(gidmap_twice),
	KUNIT_CASE(gidmap_many),
	KUNIT_CASE(gidmap_batch),
	KUNIT_CASE(gidmap_batch_fails),
	KUNIT_CASE(gidmap_limit),
	KUNIT_CASE_PARAM(gidmap_prefix, prefix_gen_params),
	{}
};

static struct kunit_suite gidmap_suite = {
	.name = "hyvh_gid_map",
	.init = gidmap_init,
	.exit = gidmap_exit,
	.test_cases = gidmap_cases,
};

kunit_test_suite(gidmap_suite);

MODULE_DESCRIPTION("Tests of HyV's GID map");
MODULE_LICENSE("GPL");
