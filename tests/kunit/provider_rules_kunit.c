// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what a provider in a guest may ask for, and of the length rules that guest
 * and host share.
 */
#include <compat/kunit.h>
#include <linux/sizes.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "hca/provider_rules.h"

#define MLX5	RDMA_DRIVER_MLX5

/* The structures are where the tables say. */
static_assert(sizeof(struct mlx5_ib_alloc_ucontext_req_v2) == 32);
static_assert(sizeof(struct mlx5_ib_create_cq) == 32);
static_assert(sizeof(struct mlx5_ib_resize_cq) == 16);
static_assert(sizeof(struct mlx5_ib_create_qp) == 56);
static_assert(sizeof(struct mlx5_ib_modify_qp) == 16);
static_assert(sizeof(struct mlx5_ib_create_srq) == 32);
static_assert(sizeof(struct mlx5_ib_alloc_mw) == 8);
static_assert(!offsetof(struct mlx5_ib_create_cq, buf_addr));
static_assert(offsetof(struct mlx5_ib_create_cq, db_addr) == 8);
static_assert(!offsetof(struct mlx5_ib_resize_cq, buf_addr));
static_assert(!offsetof(struct mlx5_ib_create_qp, buf_addr));
static_assert(offsetof(struct mlx5_ib_create_qp, db_addr) == 8);
static_assert(!offsetof(struct mlx5_ib_create_srq, buf_addr));
static_assert(offsetof(struct mlx5_ib_create_srq, db_addr) == 8);
static_assert(offsetof(struct mlx5_ib_alloc_ucontext_resp, tot_bfregs) == 8);

static const struct hyv_udata_addr addrs[] = {
	HYV_FOR_EACH_UDATA_ADDR(HYV_UDATA_ADDR)
};

static const struct hyv_udata_addr *find_addr(u16 opcode, u16 slot)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++)
		if (addrs[i].driver_id == MLX5 && addrs[i].opcode == opcode &&
		    addrs[i].slot == slot)
			return &addrs[i];
	return NULL;
}

/* --- Length rules --- */

struct length_param {
	const char *name;
	u16 opcode;
	u32 entries;
	u32 max_sge;
	/* of CQs: cqe_size; of QPs: sq_wqe_count, rq_wqe_count, rq_wqe_shift */
	u32 a, b, c;
	u64 length;		/* 0: refused */
};

static const struct length_param length_params[] = {
	{ "smallest CQ", HYV_CMD_CREATE_CQ, 1, 0, 64, 0, 0, 128 },
	{ "CQ, one below a power", HYV_CMD_CREATE_CQ, 63, 0, 64, 0, 0, 4096 },
	{ "CQ, a power", HYV_CMD_CREATE_CQ, 64, 0, 64, 0, 0, 8192 },
	{ "CQ of 128 B", HYV_CMD_CREATE_CQ, 63, 0, 128, 0, 0, 8192 },
	{ "CQ, no size", HYV_CMD_CREATE_CQ, 63, 0, 0, 0, 0, 0 },
	{ "CQ, odd size", HYV_CMD_CREATE_CQ, 63, 0, 96, 0, 0, 0 },
	{ "CQ, huge size", HYV_CMD_CREATE_CQ, 63, 0, 1U << 31, 0, 0, 0 },
	{ "greatest CQ", HYV_CMD_CREATE_CQ, U32_MAX, 0, 128, 0, 0, 1ULL << 39 },
	{ "resize", HYV_CMD_RESIZE_CQ, 64, 0, 64, 0, 0, 8192 },
	{ "resize, 128 B", HYV_CMD_RESIZE_CQ, 64, 0, 128, 0, 0, SZ_16K },
	{ "resize, high half", HYV_CMD_RESIZE_CQ, 64, 0, 64 << 16, 0, 0, 0 },
	{ "QP", HYV_CMD_CREATE_QP, 1, 0, 64, 16, 6, 4096 + 1024 },
	{ "QP without RQ", HYV_CMD_CREATE_QP, 0, 0, 64, 16, 6, 4096 },
	{ "QP without SQ", HYV_CMD_CREATE_QP, 1, 0, 0, 16, 6, 1024 },
	{ "QP, shift", HYV_CMD_CREATE_QP, 1, 0, 0, 1, 17, 0 },
	{ "QP, shift of 64", HYV_CMD_CREATE_QP, 1, 0, 1, 1, 64, 0 },
	{ "QP, shift without RQ", HYV_CMD_CREATE_QP, 0, 0, 1, 0, 64, 64 },
	{ "greatest QP", HYV_CMD_CREATE_QP, 1, 0, U32_MAX, U32_MAX, 16,
	  ((u64)U32_MAX << 6) + ((u64)U32_MAX << 16) },
	{ "SRQ", HYV_CMD_CREATE_SRQ, 15, 1, 0, 0, 0, 16 * 32 },
	{ "SRQ without entries", HYV_CMD_CREATE_SRQ, 15, 0, 0, 0, 0, 16 * 32 },
	{ "SRQ, two entries", HYV_CMD_CREATE_SRQ, 16, 2, 0, 0, 0, 32 * 64 },
	{ "SRQ, most entries", HYV_CMD_CREATE_SRQ, U32_MAX, HYV_RULE_MAX_SGE, 0,
	  0, 0, (1ULL << 32) * SZ_128K },
	{ "SRQ, too many entries", HYV_CMD_CREATE_SRQ, 1, HYV_RULE_MAX_SGE + 1,
	  0, 0, 0, 0 },
	{ "SRQ, overflow", HYV_CMD_CREATE_SRQ, U32_MAX, U32_MAX, 0, 0, 0, 0 },
};

static void length_desc(const struct length_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(length, length_params, length_desc);

static u32 length_fill(const struct length_param *p, u64 addr, void *data)
{
	struct mlx5_ib_create_cq cq = { .buf_addr = addr, .cqe_size = p->a };
	struct mlx5_ib_resize_cq resize = {
		.buf_addr = addr, .cqe_size = p->a, .reserved0 = p->a >> 16,
	};
	struct mlx5_ib_create_qp qp = {
		.buf_addr = addr, .sq_wqe_count = p->a, .rq_wqe_count = p->b,
		.rq_wqe_shift = p->c,
	};
	struct mlx5_ib_create_srq srq = { .buf_addr = addr };

	switch (p->opcode) {
	case HYV_CMD_CREATE_CQ:
		memcpy(data, &cq, sizeof(cq));
		return sizeof(cq);
	case HYV_CMD_RESIZE_CQ:
		memcpy(data, &resize, sizeof(resize));
		return sizeof(resize);
	case HYV_CMD_CREATE_QP:
		memcpy(data, &qp, sizeof(qp));
		return sizeof(qp);
	default:
		memcpy(data, &srq, sizeof(srq));
		return sizeof(srq);
	}
}

static void rules_length(struct kunit *test)
{
	const struct length_param *p = test->param_value;
	const struct hyv_queue_size size = { p->entries, p->max_sge };
	struct hyv_udata_range range = {};
	u8 data[64];
	u32 len = length_fill(p, 0x12345678, data);
	int ret;

	ret = hyv_udata_find(find_addr(p->opcode, 0), &size, data, len,
			     PAGE_SIZE, &range);
	KUNIT_ASSERT_EQ(test, ret, p->length ? 1 : -1);
	if (!p->length)
		return;
	KUNIT_EXPECT_EQ(test, range.addr, 0x12345678);
	KUNIT_EXPECT_EQ(test, range.length, p->length);

	/* Without an address there would be one that the VMM has. */
	len = length_fill(p, 0, data);
	ret = hyv_udata_find(find_addr(p->opcode, 0), &size, data, len,
			     PAGE_SIZE, &range);
	KUNIT_EXPECT_EQ(test, ret, -1);
}

static void rules_no_queue(struct kunit *test)
{
	const struct hyv_queue_size size = {};
	struct mlx5_ib_create_qp qp = {};
	struct hyv_udata_range range;

	KUNIT_EXPECT_EQ(test, hyv_udata_find(find_addr(HYV_CMD_CREATE_QP, 0),
					     &size, &qp, sizeof(qp), PAGE_SIZE,
					     &range), 0);
	qp.buf_addr = PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, hyv_udata_find(find_addr(HYV_CMD_CREATE_QP, 0),
					     &size, &qp, sizeof(qp), PAGE_SIZE,
					     &range), 0);
}

static void rules_record(struct kunit *test)
{
	static const u16 opcodes[] = {
		HYV_CMD_CREATE_CQ, HYV_CMD_CREATE_QP, HYV_CMD_CREATE_SRQ,
	};
	const struct hyv_queue_size size = { 1, 1 };
	struct hyv_udata_range range;
	u64 data[8] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		const struct hyv_udata_addr *where = find_addr(opcodes[i], 1);

		data[1] = 3 * PAGE_SIZE + 4088;
		KUNIT_ASSERT_EQ(test, hyv_udata_find(where, &size, data, 56,
						     PAGE_SIZE, &range), 1);
		KUNIT_EXPECT_EQ(test, range.addr, 3 * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, range.length, PAGE_SIZE);
		data[1] += 4;
		KUNIT_EXPECT_EQ(test, hyv_udata_find(where, &size, data, 56,
						     PAGE_SIZE, &range), -1);
		data[1] = 0;
		KUNIT_EXPECT_EQ(test, hyv_udata_find(where, &size, data, 56,
						     PAGE_SIZE, &range), -1);
		data[1] = PAGE_SIZE;
		KUNIT_EXPECT_EQ(test, hyv_udata_find(where, &size, data, 15,
						     PAGE_SIZE, &range), -1);
		KUNIT_EXPECT_EQ(test, hyv_udata_find(where, &size, data, 8,
						     PAGE_SIZE, &range), -1);
	}
}

/* --- Fields --- */

static const struct hyv_udata_field fields[] = {
	HYV_FOR_EACH_UDATA_FIELD(HYV_UDATA_FIELD)
};

static void put_field(u8 *data, const struct hyv_udata_field *field, u64 value)
{
	memcpy(data + field->offset, &value, field->size);
}

static u64 max_of(const struct hyv_udata_field *field)
{
	return U64_MAX >> (64 - 8 * field->size);
}

static int filter_with(u8 *data, const struct hyv_udata_field *field, u64 value)
{
	memset(data, 0, 64);
	put_field(data, field, value);
	return hyvh_provider_filter(field->driver_id, field->opcode, data,
				    field->offset + field->size);
}

static void check_bits(struct kunit *test, const struct hyv_udata_field *field)
{
	unsigned int bit;
	u8 data[64];

	for (bit = 0; bit < 8 * field->size; bit++)
		KUNIT_EXPECT_EQ_MSG(test,
				    filter_with(data, field, BIT_ULL(bit)),
				    field->value & BIT_ULL(bit) ? 0 : -EINVAL,
				    "opcode %x offset %u bit %u", field->opcode,
				    field->offset, bit);
}

static void check_max(struct kunit *test, const struct hyv_udata_field *field)
{
	u8 data[64];

	KUNIT_EXPECT_EQ(test, filter_with(data, field, field->value), 0);
	KUNIT_EXPECT_EQ(test, filter_with(data, field, field->value + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, filter_with(data, field, max_of(field)), -EINVAL);
}

static void check_edit(struct kunit *test, const struct hyv_udata_field *field)
{
	u64 got = 0;
	u8 data[64];

	KUNIT_EXPECT_EQ(test, filter_with(data, field, max_of(field)), 0);
	memcpy(&got, data + field->offset, field->size);
	KUNIT_EXPECT_EQ(test, got, field->value);
	KUNIT_EXPECT_EQ(test, filter_with(data, field, 1), 0);
	memcpy(&got, data + field->offset, field->size);
	KUNIT_EXPECT_EQ(test, got, 1);
}

/* Every bit of every field, alone. */
static void rules_fields(struct kunit *test)
{
	unsigned int i;
	u8 data[64];

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		KUNIT_EXPECT_EQ(test, filter_with(data, &fields[i], 0), 0);
		switch (fields[i].check) {
		case HYV_CHECK_BITS:
			check_bits(test, &fields[i]);
			break;
		case HYV_CHECK_POW2:
			KUNIT_EXPECT_EQ(test, filter_with(data, &fields[i], 3),
					-EINVAL);
			check_max(test, &fields[i]);
			break;
		case HYV_CHECK_MAX:
			check_max(test, &fields[i]);
			break;
		default:
			check_edit(test, &fields[i]);
			break;
		}
	}
}

/* Nobody knows what a driver does with a part of a field. */
static void rules_cut_field(struct kunit *test)
{
	u8 data[64] = {};

	KUNIT_EXPECT_EQ(test, hyvh_provider_filter(MLX5, HYV_CMD_CREATE_QP,
						   data, 30), -EINVAL);
	KUNIT_EXPECT_EQ(test, hyvh_provider_filter(MLX5, HYV_CMD_CREATE_QP,
						   data, 32), 0);
}

struct flag_param {
	const char *name;
	u16 opcode;
	u16 offset;
	u64 value;
	int ret;
};

/* By the names that the driver has for them. */
static const struct flag_param flag_params[] = {
#define QP(flag, error)							\
	{ #flag, HYV_CMD_CREATE_QP,					\
	  offsetof(struct mlx5_ib_create_qp, flags), flag, error }
	QP(MLX5_QP_FLAG_SIGNATURE, 0),
	QP(MLX5_QP_FLAG_SCATTER_CQE, 0),
	QP(MLX5_QP_FLAG_TUNNEL_OFFLOADS, -EINVAL),
	QP(MLX5_QP_FLAG_BFREG_INDEX, 0),
	QP(MLX5_QP_FLAG_TYPE_DCT, -EINVAL),
	QP(MLX5_QP_FLAG_TYPE_DCI, -EINVAL),
	QP(MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC, -EINVAL),
	QP(MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC, -EINVAL),
	QP(MLX5_QP_FLAG_ALLOW_SCATTER_CQE, 0),
	QP(MLX5_QP_FLAG_PACKET_BASED_CREDIT_MODE, 0),
	QP(MLX5_QP_FLAG_UAR_PAGE_INDEX, -EINVAL),
	QP(MLX5_QP_FLAG_DCI_STREAM, -EINVAL),
#define CQ(flag, error)							\
	{ #flag, HYV_CMD_CREATE_CQ,					\
	  offsetof(struct mlx5_ib_create_cq, flags), flag, error }
	CQ(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD, 0),
	CQ(MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX, -EINVAL),
	CQ(MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS, 0),
	{ "DEVX", HYV_CMD_ALLOC_CONTEXT,
	  offsetof(struct mlx5_ib_alloc_ucontext_req_v2, flags),
	  MLX5_IB_ALLOC_UCTX_DEVX, -EINVAL },
	{ "comp_mask", HYV_CMD_ALLOC_CONTEXT,
	  offsetof(struct mlx5_ib_alloc_ucontext_req_v2, comp_mask), 1,
	  -EINVAL },
	{ "4K_UAR", HYV_CMD_ALLOC_CONTEXT,
	  offsetof(struct mlx5_ib_alloc_ucontext_req_v2, lib_caps),
	  MLX5_LIB_CAP_4K_UAR, 0 },
};

static void flag_desc(const struct flag_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(flag, flag_params, flag_desc);

static void rules_flag(struct kunit *test)
{
	const struct flag_param *p = test->param_value;
	u8 data[64] = {};

	memcpy(data + p->offset, &p->value, 4);
	KUNIT_EXPECT_EQ(test, hyvh_provider_filter(MLX5, p->opcode, data, 32),
			p->ret);
}

static void rules_context(struct kunit *test)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {
		.total_num_bfregs = 1024,
		.num_low_latency_bfregs = 1000,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};

	KUNIT_EXPECT_EQ(test, hyvh_provider_filter(MLX5, HYV_CMD_ALLOC_CONTEXT,
						   &req, sizeof(req)), 0);
	KUNIT_EXPECT_EQ(test, req.total_num_bfregs, 2 * HYV_MLX5_MAX_UARS);
	KUNIT_EXPECT_LT(test, req.num_low_latency_bfregs, req.total_num_bfregs);
	KUNIT_EXPECT_EQ(test, req.max_cqe_version, 1);
	KUNIT_EXPECT_EQ(test, req.lib_caps, MLX5_LIB_CAP_4K_UAR);
}

/* --- What is behind a request --- */

static void rules_tail(struct kunit *test)
{
	static const struct hyv_udata_request requests[] = {
		HYV_FOR_EACH_UDATA_REQUEST(HYV_UDATA_REQUEST)
		{ MLX5, HYV_CMD_ALLOC_PD, 0 },
		{ MLX5, HYV_CMD_REG_MR, 0 },
		{ MLX5, HYV_CMD_CREATE_AH, 0 },
		{ MLX5, HYV_CMD_QUERY_DEVICE, 0 },
	};
	unsigned int i;
	u8 data[128];

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct hyv_udata_request *r = &requests[i];

		memset(data, 0, sizeof(data));
		KUNIT_EXPECT_EQ(test, hyvh_provider_filter(r->driver_id,
							   r->opcode, data,
							   sizeof(data)), 0);
		data[r->length] = 1;
		KUNIT_EXPECT_EQ(test, hyvh_provider_filter(r->driver_id,
							   r->opcode, data,
							   sizeof(data)),
				-EOPNOTSUPP);
		data[r->length] = 0;
		data[sizeof(data) - 1] = 1;
		KUNIT_EXPECT_EQ(test, hyvh_provider_filter(r->driver_id,
							   r->opcode, data,
							   sizeof(data)),
				-EOPNOTSUPP);
	}
}

/* A provider without rules gets everything through. */
static void rules_none(struct kunit *test)
{
	u8 data[128], copy[128];

	memset(data, 0xff, sizeof(data));
	memset(copy, 0xff, sizeof(copy));
	KUNIT_EXPECT_EQ(test, hyvh_provider_filter(RDMA_DRIVER_RXE,
						   HYV_CMD_CREATE_QP, data,
						   sizeof(data)), 0);
	KUNIT_EXPECT_FALSE(test, memcmp(data, copy, sizeof(data)));
}

/* --- Mappings --- */

struct mmap_param {
	const char *name;
	u32 driver_id;
	u64 pgoff;
	u64 length;
	bool writable;
	int ret;
	bool own;
};

#define MMAP(command, index)	((index) >> 8 << 16 | (command) << 8 | ((index) & 0xff))

static const struct mmap_param mmap_params[] = {
	{ "first doorbells", MLX5, MMAP(0, 0), SZ_4K, true, 1 },
	{ "last doorbells", MLX5, MMAP(0, 7), SZ_4K, true, 1 },
	{ "doorbells, too many", MLX5, MMAP(0, 8), SZ_4K, true, -EINVAL },
	{ "doorbells, high index", MLX5, MMAP(0, 256), SZ_4K, true, -EINVAL },
	{ "doorbells, huge index", MLX5, MMAP(0, 1ULL << 40), SZ_4K, true,
	  -EINVAL },
	{ "two pages", MLX5, MMAP(0, 0), SZ_8K, true, -EINVAL },
	{ "no page", MLX5, MMAP(0, 0), 0, true, -EINVAL },
	{ "contiguous pages", MLX5, MMAP(1, 0), SZ_4K, true, -EINVAL },
	{ "write-combining", MLX5, MMAP(2, 1), SZ_4K, true, 1 },
	{ "uncached", MLX5, MMAP(3, 1), SZ_4K, true, 1 },
	{ "unused command", MLX5, MMAP(4, 0), SZ_4K, false, -EINVAL },
	{ "clock", MLX5, MMAP(5, 0), SZ_4K, false, 1 },
	{ "clock for writing", MLX5, MMAP(5, 0), SZ_4K, true, -EINVAL },
	{ "another clock", MLX5, MMAP(5, 1), SZ_4K, false, -EINVAL },
	{ "own doorbells", MLX5, MMAP(6, 0), SZ_4K, true, 1, true },
	{ "last of them", MLX5, MMAP(6, 5), SZ_4K, true, 1, true },
	{ "own doorbells, too many", MLX5, MMAP(6, 6), SZ_4K, true, -EINVAL },
	{ "own doorbells, high index", MLX5, MMAP(6, 256), SZ_4K, true,
	  -EINVAL },
	{ "two own pages", MLX5, MMAP(6, 0), SZ_8K, true, -EINVAL },
	{ "clock information", MLX5, MMAP(7, 0), SZ_4K, false, 1 },
	{ "it for writing", MLX5, MMAP(7, 0), SZ_4K, true, -EINVAL },
	{ "device memory", MLX5, MMAP(8, 0), SZ_4K, true, -EINVAL },
	{ "highest command", MLX5, MMAP(255, 0), SZ_4K, false, -EINVAL },
	{ "another driver", RDMA_DRIVER_RXE, 0, SZ_4K, true, 0 },
};

static void mmap_desc(const struct mmap_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mmap, mmap_params, mmap_desc);

static void rules_mmap(struct kunit *test)
{
	const struct hyvh_doorbell_pages pages = { .nr = 8, .nr_own = 6 };
	const struct mmap_param *p = test->param_value;
	struct hyvh_mmap_range range = {
		.offset = p->pgoff << PAGE_SHIFT,
		.length = p->length,
	};
	int own;

	KUNIT_EXPECT_EQ(test, hyvh_provider_mmap(p->driver_id, &range,
						 p->writable, &pages, &own),
			p->ret);
	KUNIT_EXPECT_EQ(test, own, p->own ? (int)(p->pgoff & 0xff) : -1);
	range.offset++;
	KUNIT_EXPECT_NE(test, hyvh_provider_mmap(p->driver_id, &range,
						 p->writable, &pages, &own),
			1);
}

static void rules_doorbells(struct kunit *test)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {
		.tot_bfregs = 16,
		.num_dyn_bfregs = 10,
	};
	struct hyvh_doorbell_pages got;

	hyvh_provider_doorbells(MLX5, &resp, sizeof(resp), &got);
	KUNIT_EXPECT_EQ(test, got.nr, 8);
	KUNIT_EXPECT_EQ(test, got.nr_own, 5);
	resp.tot_bfregs = 2;
	hyvh_provider_doorbells(MLX5, &resp, 12, &got);
	KUNIT_EXPECT_EQ(test, got.nr, 1);
	KUNIT_EXPECT_EQ(test, got.nr_own, 0);
	hyvh_provider_doorbells(MLX5, &resp, 11, &got);
	KUNIT_EXPECT_EQ(test, got.nr, 0);
	resp.tot_bfregs = U32_MAX;
	resp.num_dyn_bfregs = U32_MAX;
	hyvh_provider_doorbells(MLX5, &resp, sizeof(resp), &got);
	KUNIT_EXPECT_EQ(test, got.nr, HYV_MLX5_MAX_UARS);
	KUNIT_EXPECT_EQ(test, got.nr_own, HYV_MLX5_MAX_UARS);
	hyvh_provider_doorbells(RDMA_DRIVER_RXE, &resp, sizeof(resp), &got);
	KUNIT_EXPECT_EQ(test, got.nr, 0);
	KUNIT_EXPECT_EQ(test, got.nr_own, 0);
}

static struct kunit_case rules_cases[] = {
	KUNIT_CASE_PARAM(rules_length, length_gen_params),
	KUNIT_CASE(rules_no_queue),
	KUNIT_CASE(rules_record),
	KUNIT_CASE(rules_fields),
	KUNIT_CASE(rules_cut_field),
	KUNIT_CASE_PARAM(rules_flag, flag_gen_params),
	KUNIT_CASE(rules_context),
	KUNIT_CASE(rules_tail),
	KUNIT_CASE(rules_none),
	KUNIT_CASE_PARAM(rules_mmap, mmap_gen_params),
	KUNIT_CASE(rules_doorbells),
	{}
};

static struct kunit_suite rules_suite = {
	.name = "hyvh_provider_rules",
	.test_cases = rules_cases,
};

kunit_test_suite(rules_suite);

MODULE_DESCRIPTION("Tests of what a provider in a guest may ask for");
MODULE_LICENSE("GPL");
