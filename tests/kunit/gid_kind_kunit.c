// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the kinds of GIDs.
 */
#include <compat/kunit.h>
#include <rdma/ib_verbs.h>

#include "hca/gid_kind.h"

#define V4(a, b, c, d) { .raw = { [10] = 0xff, [11] = 0xff, a, b, c, d } }

struct kind_param {
	const char *name;
	union ib_gid gid;
	enum hyvh_gid_kind kind;
};

static const struct kind_param kind_params[] = {
	{ "zero", {}, HYVH_GID_UNUSABLE },
	{ "loopback", { .raw = { [15] = 1 } }, HYVH_GID_UNUSABLE },
	{ "IPv4 0.0.0.0", V4(0, 0, 0, 0), HYVH_GID_UNUSABLE },
	{ "IPv4 loopback", V4(127, 0, 0, 1), HYVH_GID_UNUSABLE },
	{ "IPv4 broadcast", V4(255, 255, 255, 255), HYVH_GID_UNUSABLE },
	{ "IPv4 multicast", V4(239, 1, 2, 3), HYVH_GID_MULTICAST4 },
	{ "IPv4", V4(10, 0, 0, 1), HYVH_GID_IPV4 },
	{ "multicast", { .raw = { 0xff, 0x0e, [15] = 1 } },
	  HYVH_GID_MULTICAST6 },
	{ "link-local", { .raw = { 0xfe, 0x80, [15] = 1 } },
	  HYVH_GID_LINK_LOCAL },
	{ "end of link-local", { .raw = { 0xfe, 0xbf, [15] = 1 } },
	  HYVH_GID_LINK_LOCAL },
	{ "past link-local", { .raw = { 0xfe, 0xc0, [15] = 1 } },
	  HYVH_GID_IPV6 },
	{ "unique local", { .raw = { 0xfd, [15] = 1 } }, HYVH_GID_IPV6 },
	{ "like loopback", { .raw = { [14] = 1, [15] = 1 } }, HYVH_GID_IPV6 },
};

static void kind_desc(const struct kind_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kind_params, kind_desc);

static void gid_kind(struct kunit *test)
{
	const struct kind_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_gid_kind(&p->gid), p->kind);
	KUNIT_EXPECT_EQ(test, hyvh_gid_is_unicast(&p->gid),
			p->kind >= HYVH_GID_LINK_LOCAL);
}

static struct kunit_case gid_kind_cases[] = {
	KUNIT_CASE_PARAM(gid_kind, kind_gen_params),
	{}
};

static struct kunit_suite gid_kind_suite = {
	.name = "hyvh_gid_kind",
	.test_cases = gid_kind_cases,
};

kunit_test_suite(gid_kind_suite);

MODULE_DESCRIPTION("Tests of HyV's kinds of GIDs");
MODULE_LICENSE("GPL");
