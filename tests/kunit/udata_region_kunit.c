// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of finding mmap offsets in provider data.
 */
#include <compat/kunit.h>
#include <linux/sizes.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "hca/udata_region.h"

/* The driver of rxe writes these at the places in the table. */
static_assert(!offsetof(struct rxe_create_cq_resp, mi));
static_assert(!offsetof(struct rxe_resize_cq_resp, mi));
static_assert(!offsetof(struct rxe_create_qp_resp, rq_mi));
static_assert(offsetof(struct rxe_create_qp_resp, sq_mi) == 16);
static_assert(!offsetof(struct rxe_create_srq_resp, mi));
static_assert(!offsetof(struct mminfo, offset));
static_assert(offsetof(struct mminfo, size) == 8);

static const struct mminfo good = { .offset = SZ_64K, .size = SZ_8K };

struct region_param {
	const char *name;
	u32 driver_id;
	u16 opcode;
	u16 source;
	u32 len;
	unsigned int nr;
	struct mminfo mi[2];
};

#define RXE	RDMA_DRIVER_RXE
#define REPLY	HYV_UDATA_REPLY
#define GOOD	{ { .offset = SZ_64K, .size = SZ_8K } }

static const struct region_param region_params[] = {
	{ "CREATE_CQ", RXE, HYV_CMD_CREATE_CQ, REPLY, 16, 1, GOOD },
	{ "RESIZE_CQ", RXE, HYV_CMD_RESIZE_CQ, REPLY, 16, 1, GOOD },
	{ "CREATE_SRQ", RXE, HYV_CMD_CREATE_SRQ, REPLY, 24, 1, GOOD },
	{ "MODIFY_SRQ", RXE, HYV_CMD_MODIFY_SRQ, 0, 16, 1, GOOD },
	{ "CREATE_QP", RXE, HYV_CMD_CREATE_QP, REPLY, 32, 2,
	  { { .offset = SZ_64K, .size = SZ_8K },
	    { .offset = SZ_128K, .size = SZ_4K } } },
	{ "receive queue only", RXE, HYV_CMD_CREATE_QP, REPLY, 32, 1, GOOD },
	{ "another driver", RDMA_DRIVER_SIW, HYV_CMD_CREATE_CQ, REPLY, 16, 0,
	  GOOD },
	{ "a command without queues", RXE, HYV_CMD_ALLOC_PD, REPLY, 16, 0,
	  GOOD },
	{ "the reply to MODIFY_SRQ", RXE, HYV_CMD_MODIFY_SRQ, REPLY, 16, 0,
	  GOOD },
	{ "another slot", RXE, HYV_CMD_MODIFY_SRQ, 1, 16, 0, GOOD },
	{ "a buffer of CREATE_CQ", RXE, HYV_CMD_CREATE_CQ, 0, 16, 0, GOOD },
	{ "no data", RXE, HYV_CMD_CREATE_CQ, REPLY, 0, 0, GOOD },
	{ "data that ends in the length", RXE, HYV_CMD_CREATE_CQ, REPLY, 11,
	  0, GOOD },
	{ "data that ends after the length", RXE, HYV_CMD_CREATE_CQ, REPLY,
	  12, 1, GOOD },
	{ "half of the data", RXE, HYV_CMD_CREATE_QP, REPLY, 16, 1,
	  { { .offset = SZ_64K, .size = SZ_8K },
	    { .offset = SZ_128K, .size = SZ_4K } } },
	{ "no length", RXE, HYV_CMD_CREATE_CQ, REPLY, 16, 0,
	  { { .offset = SZ_64K } } },
	{ "odd offset", RXE, HYV_CMD_CREATE_CQ, REPLY, 16, 0,
	  { { .offset = SZ_64K + 8, .size = SZ_8K } } },
	{ "offset that wraps", RXE, HYV_CMD_CREATE_CQ, REPLY, 16, 0,
	  { { .offset = -(u64)SZ_4K, .size = SZ_8K } } },
	{ "negative offset", RXE, HYV_CMD_CREATE_CQ, REPLY, 16, 0,
	  { { .offset = 1ULL << 63, .size = SZ_8K } } },
};

static void region_desc(const struct region_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(region, region_params, region_desc);

static void region_find(struct kunit *test)
{
	const struct region_param *p = test->param_value;
	struct hyvh_mmap_range ranges[HYVH_MAX_REGIONS];
	u8 data[sizeof(p->mi)] = {};
	unsigned int nr, i;

	memcpy(data, p->mi, min_t(size_t, p->len, sizeof(data)));
	nr = hyvh_udata_regions(p->driver_id, p->opcode, p->source, data,
				p->len, ranges);
	KUNIT_ASSERT_EQ(test, nr, p->nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, ranges[i].offset, p->mi[i].offset);
		KUNIT_EXPECT_EQ(test, ranges[i].length, p->mi[i].size);
	}
}

static void region_whole_pages(struct kunit *test)
{
	struct hyvh_mmap_range ranges[HYVH_MAX_REGIONS];
	struct mminfo mi = good;

	mi.size = SZ_4K + 1;
	KUNIT_ASSERT_EQ(test, hyvh_udata_regions(RXE, HYV_CMD_CREATE_CQ, REPLY,
						 &mi, sizeof(mi), ranges), 1);
	KUNIT_EXPECT_EQ(test, ranges[0].length, SZ_8K);
	mi.size = U32_MAX;
	KUNIT_ASSERT_EQ(test, hyvh_udata_regions(RXE, HYV_CMD_CREATE_CQ, REPLY,
						 &mi, sizeof(mi), ranges), 1);
	KUNIT_EXPECT_EQ(test, ranges[0].length, 1ULL << 32);
}

/* The send queue of a QP with an SRQ is at the second place. */
static void region_send_queue(struct kunit *test)
{
	struct hyvh_mmap_range ranges[HYVH_MAX_REGIONS];
	struct rxe_create_qp_resp resp = { .sq_mi = good };

	KUNIT_ASSERT_EQ(test, hyvh_udata_regions(RXE, HYV_CMD_CREATE_QP, REPLY,
						 &resp, sizeof(resp), ranges),
			1);
	KUNIT_EXPECT_EQ(test, ranges[0].offset, good.offset);
	KUNIT_EXPECT_EQ(test, ranges[0].length, good.size);
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE_PARAM(region_find, region_gen_params),
	KUNIT_CASE(region_whole_pages),
	KUNIT_CASE(region_send_queue),
	{}
};

static struct kunit_suite region_suite = {
	.name = "hyvh_udata_region",
	.test_cases = region_cases,
};

kunit_test_suite(region_suite);

MODULE_DESCRIPTION("Tests of mmap offsets in provider data");
MODULE_LICENSE("GPL");
