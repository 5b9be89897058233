// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the memory that queues cost.
 */
#include <compat/kunit.h>
#include <linux/sizes.h>
#include <rdma/ib_verbs.h>

#include "memory/queue_cost.h"

/* A queue of @pages pages: 1 KiB of state, and 16 bytes for each page. */
#define QUEUE(pages)	(SZ_1K + (u64)(pages) * (SZ_4K + 16))

/* The same for elements of @bytes in all, which come after a header. */
#define QUEUE_OF(bytes)	QUEUE(((u64)(bytes) + 384 + SZ_4K - 1) / SZ_4K)

struct qmem_cq_param {
	const char *name;
	u32 cqe;
	u64 bytes;
};

static const struct qmem_cq_param qmem_cq_params[] = {
	{ "one", 1, SZ_1K + QUEUE(1) },
	{ "as many as fit in a page", 15, SZ_1K + QUEUE(1) },
	{ "one page without the header", 31, SZ_1K + QUEUE(2) },
	{ "up to a power of two", 33, SZ_1K + QUEUE(3) },
	{ "a power of two", 128, SZ_1K + QUEUE(9) },
	{ "many", SZ_1M, SZ_1K + QUEUE_OF(2ULL * SZ_1M * 128) },
	{ "more than 32 bits of bytes", 1U << 31,
	  SZ_1K + QUEUE_OF((1ULL << 32) * 128) },
};

struct qmem_srq_param {
	const char *name;
	u32 max_wr;
	u32 max_sge;
	u64 bytes;
};

static const struct qmem_srq_param qmem_srq_params[] = {
	{ "nothing", 0, 0, SZ_1K + QUEUE(1) },
	{ "elements without entries", 63, 0, SZ_1K + QUEUE(2) },
	{ "one each", 1, 1, SZ_1K + QUEUE(1) },
	{ "up to a power of two", 64, 4, SZ_1K + QUEUE_OF(128 * 128) },
	{ "a power of two", 128, 5, SZ_1K + QUEUE_OF(256 * 256) },
	{ "many", SZ_1M, 27, SZ_1K + QUEUE_OF(2ULL * SZ_1M * 512) },
	{ "more than 32 bits of bytes", U32_MAX, 12,
	  SZ_1K + QUEUE_OF((1ULL << 32) * 256) },
	{ "more than 32 bits of an element", 1, 1U << 28,
	  SZ_1K + QUEUE_OF(2 * (1ULL << 33)) },
};

struct qmem_qp_param {
	const char *name;
	struct ib_qp_cap cap;
	u64 bytes;
};

static const struct qmem_qp_param qmem_qp_params[] = {
	{ "nothing", {}, SZ_16K + 2 * QUEUE(1) },
	{ "some each", { .max_send_wr = 15, .max_send_sge = 1,
			 .max_recv_wr = 31, .max_recv_sge = 1 },
	  SZ_16K + QUEUE_OF(16 * 512) + QUEUE_OF(32 * 128) },
	{ "no receive queue, as with an SRQ", { .max_send_wr = 31 },
	  SZ_16K + QUEUE_OF(32 * 256) + QUEUE(1) },
	{ "inline data is larger", { .max_send_wr = 15, .max_send_sge = 1,
				     .max_inline_data = 257 },
	  SZ_16K + QUEUE_OF(16 * 1024) + QUEUE(1) },
	{ "scatter/gather list is larger", { .max_send_wr = 15,
					     .max_send_sge = 32,
					     .max_inline_data = 100 },
	  SZ_16K + QUEUE_OF(16 * 1024) + QUEUE(1) },
	{ "the most of everything", { .max_send_wr = U32_MAX,
				      .max_recv_wr = U32_MAX },
	  SZ_16K + QUEUE_OF((1ULL << 32) * 256) +
	  QUEUE_OF((1ULL << 32) * 64) },
};

static void qmem_cq_desc(const struct qmem_cq_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(qmem_cq, qmem_cq_params, qmem_cq_desc);

static void qmem_cq(struct kunit *test)
{
	const struct qmem_cq_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_queue_cost_cq(p->cqe), p->bytes);
}

static void qmem_srq_desc(const struct qmem_srq_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(qmem_srq, qmem_srq_params, qmem_srq_desc);

static void qmem_srq(struct kunit *test)
{
	const struct qmem_srq_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_queue_cost_srq(p->max_wr, p->max_sge), p->bytes);
}

static void qmem_qp_desc(const struct qmem_qp_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(qmem_qp, qmem_qp_params, qmem_qp_desc);

static void qmem_qp(struct kunit *test)
{
	const struct qmem_qp_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_queue_cost_qp(&p->cap), p->bytes);
}

static struct kunit_case qmem_cases[] = {
	KUNIT_CASE_PARAM(qmem_cq, qmem_cq_gen_params),
	KUNIT_CASE_PARAM(qmem_srq, qmem_srq_gen_params),
	KUNIT_CASE_PARAM(qmem_qp, qmem_qp_gen_params),
	{}
};

static struct kunit_suite qmem_suite = {
	.name = "hyvh_queue_cost",
	.test_cases = qmem_cases,
};

kunit_test_suite(qmem_suite);

MODULE_DESCRIPTION("Tests of the size of queues");
MODULE_LICENSE("GPL");
