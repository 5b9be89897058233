// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the conversions between the wire protocol and ib_core.
 */
#include <linux/slab.h>

#include <compat/ib_verbs.h>
#include <compat/kunit.h>

#include "command/convert.h"

/* Port 1 is RoCE v2, port 2 is InfiniBand. */
#define NR_PORTS	2

static int convert_test_init(struct kunit *test)
{
	struct ib_port_data *ports;
	struct ib_device *dev;

	dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	ports = kunit_kcalloc(test, NR_PORTS + 1, sizeof(*ports), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dev);
	KUNIT_ASSERT_NOT_NULL(test, ports);
	ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	ports[2].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	dev->phys_port_cnt = NR_PORTS;
	dev->port_data = ports;
	dev->node_guid = cpu_to_be64(0x0102030405060708ULL);
	dev->attrs.max_qp_wr = 1000;
	dev->attrs.max_send_sge = 30;
	dev->attrs.max_recv_sge = 20;
	dev->attrs.max_qp_rd_atom = 16;
	dev->attrs.max_qp_init_rd_atom = 8;
	dev->attrs.max_srq_wr = 500;
	dev->attrs.max_srq_sge = 10;
	test->priv = dev;
	return 0;
}

struct status_param {
	int err;
	enum hyv_status status;
};

static const struct status_param status_params[] = {
	{ 0, HYV_OK },
	{ -EPERM, HYV_S_EPERM },
	{ -ENOENT, HYV_S_ENOENT },
	{ -EINTR, HYV_S_EINTR },
	{ -ERESTARTSYS, HYV_S_EINTR },
	{ -EIO, HYV_S_EIO },
	{ -E2BIG, HYV_S_E2BIG },
	{ -EAGAIN, HYV_S_EAGAIN },
	{ -ENOMEM, HYV_S_ENOMEM },
	{ -EACCES, HYV_S_EACCES },
	{ -EFAULT, HYV_S_EFAULT },
	{ -EBUSY, HYV_S_EBUSY },
	{ -EEXIST, HYV_S_EEXIST },
	{ -ENODEV, HYV_S_ENODEV },
	{ -EINVAL, HYV_S_EINVAL },
	{ -ENOSPC, HYV_S_ENOSPC },
	{ -ERANGE, HYV_S_ERANGE },
	{ -EMSGSIZE, HYV_S_EMSGSIZE },
	{ -EPROTONOSUPPORT, HYV_S_EPROTONOSUPPORT },
	{ -EOPNOTSUPP, HYV_S_EOPNOTSUPP },
	{ -ENOTSUPP, HYV_S_EOPNOTSUPP },
	{ -ENETUNREACH, HYV_S_ENETUNREACH },
	{ -ETIMEDOUT, HYV_S_ETIMEDOUT },
	{ -EHOSTUNREACH, HYV_S_EHOSTUNREACH },
	{ -EDQUOT, HYV_S_EDQUOT },
	/* An error is never converted to success. */
	{ -EBADF, HYV_S_EIO },
	{ -MAX_ERRNO, HYV_S_EIO },
	{ 1, HYV_S_EIO },
	{ INT_MIN, HYV_S_EIO },
};

static void status_desc(const struct status_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%d", p->err);
}

KUNIT_ARRAY_PARAM(status, status_params, status_desc);

static void convert_status(struct kunit *test)
{
	const struct status_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_status_from_errno(p->err), p->status);
}

struct access_param {
	u32 access;
	int ret;
};

static const struct access_param access_params[] = {
	{ 0, 0 },
	{ IB_ACCESS_LOCAL_WRITE, 0 },
	{ IB_ACCESS_REMOTE_READ, 0 },
	{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, 0 },
	{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
	  IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC, 0 },
	{ IB_ACCESS_RELAXED_ORDERING, 0 },
	{ BIT(20), 0 },
	{ BIT(29), 0 },
	{ IB_ACCESS_REMOTE_WRITE, -EINVAL },
	{ IB_ACCESS_REMOTE_ATOMIC, -EINVAL },
	{ IB_ACCESS_MW_BIND, 0 },
	{ IB_ACCESS_MW_BIND | IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	  0 },
	{ IB_ACCESS_MW_BIND | IB_ACCESS_REMOTE_WRITE, -EINVAL },
	{ IB_ZERO_BASED, 0 },
	{ IB_ACCESS_HUGETLB, 0 },
	{ COMPAT_ACCESS_FLUSH, 0 },
	{ IB_ACCESS_SUPPORTED & ~IB_ACCESS_ON_DEMAND, 0 },
	{ IB_ACCESS_SUPPORTED, -EOPNOTSUPP },
	{ IB_ACCESS_ON_DEMAND, -EOPNOTSUPP },
	{ IB_ACCESS_ON_DEMAND | IB_ACCESS_REMOTE_WRITE, -EOPNOTSUPP },
	{ IB_ACCESS_ON_DEMAND | BIT(10), -EINVAL },
	{ BIT(10), -EINVAL },
	{ BIT(19), -EINVAL },
	{ BIT(30), -EINVAL },
	{ BIT(31), -EINVAL },
	{ U32_MAX, -EINVAL },
};

static void access_desc(const struct access_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%#x", p->access);
}

KUNIT_ARRAY_PARAM(access, access_params, access_desc);

static void convert_access(struct kunit *test)
{
	const struct access_param *p = test->param_value;

	KUNIT_EXPECT_EQ(test, hyvh_access_check(p->access), p->ret);
}

/* Attributes that are all allowed. */
static void good_qp_attr(struct hyv_qp_attr *attr)
{
	struct hyv_ah_attr *ah = &attr->ah;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = cpu_to_le32(IB_QPS_RTR);
	attr->cur_qp_state = cpu_to_le32(IB_QPS_INIT);
	attr->path_mtu = cpu_to_le32(IB_MTU_4096);
	attr->path_mig_state = cpu_to_le32(IB_MIG_ARMED);
	attr->qkey = cpu_to_le32(0x7fffffff);
	attr->rq_psn = cpu_to_le32(0x123456);
	attr->sq_psn = cpu_to_le32(0x654321);
	attr->dest_qp_num = cpu_to_le32(0xffffff);
	attr->qp_access_flags = cpu_to_le32(0xf);
	attr->rate_limit = cpu_to_le32(0x11223344);
	attr->pkey_index = cpu_to_le16(0xfedc);
	attr->alt_pkey_index = cpu_to_le16(0xba98);
	memset(ah->dgid, 0x42, sizeof(ah->dgid));
	ah->flow_label = cpu_to_le32(0xabcde);
	ah->dlid = cpu_to_le16(0x1357);
	ah->sgid_index = 3;
	ah->hop_limit = 64;
	ah->traffic_class = 0x99;
	ah->sl = 15;
	ah->src_path_bits = 0x7f;
	ah->static_rate = 5;
	ah->is_global = 1;
	ah->port_num = 1;
	attr->alt_ah = *ah;
	attr->alt_ah.port_num = 2;
	attr->alt_ah.is_global = 0;
	attr->en_sqd_async_notify = 1;
	attr->max_rd_atomic = 8;
	attr->max_dest_rd_atomic = 16;
	attr->min_rnr_timer = 31;
	attr->port_num = 2;
	attr->timeout = 30;
	attr->retry_cnt = 7;
	attr->rnr_retry = 6;
	attr->alt_port_num = 2;
	attr->alt_timeout = 29;
}

#define ALL_ATTRS \
	((GENMASK(20, 0) & ~(u32)IB_QP_CAP) | IB_QP_RATE_LIMIT)

static void convert_qp_attr(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	const struct ib_global_route *grh;
	struct hyv_qp_attr in;
	struct ib_qp_attr out;

	good_qp_attr(&in);
	memset(&out, 0xee, sizeof(out));
	KUNIT_ASSERT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, ALL_ATTRS, &out),
			0);
	KUNIT_EXPECT_EQ(test, out.qp_state, IB_QPS_RTR);
	KUNIT_EXPECT_EQ(test, out.cur_qp_state, IB_QPS_INIT);
	KUNIT_EXPECT_EQ(test, out.path_mtu, IB_MTU_4096);
	KUNIT_EXPECT_EQ(test, out.path_mig_state, IB_MIG_ARMED);
	KUNIT_EXPECT_EQ(test, out.qkey, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, out.rq_psn, 0x123456);
	KUNIT_EXPECT_EQ(test, out.sq_psn, 0x654321);
	KUNIT_EXPECT_EQ(test, out.dest_qp_num, 0xffffff);
	KUNIT_EXPECT_EQ(test, out.qp_access_flags, 0xf);
	KUNIT_EXPECT_EQ(test, out.rate_limit, 0x11223344);
	KUNIT_EXPECT_EQ(test, out.pkey_index, 0xfedc);
	KUNIT_EXPECT_EQ(test, out.alt_pkey_index, 0xba98);
	KUNIT_EXPECT_EQ(test, out.en_sqd_async_notify, 1);
	KUNIT_EXPECT_EQ(test, out.max_rd_atomic, 8);
	KUNIT_EXPECT_EQ(test, out.max_dest_rd_atomic, 16);
	KUNIT_EXPECT_EQ(test, out.min_rnr_timer, 31);
	KUNIT_EXPECT_EQ(test, out.port_num, 2);
	KUNIT_EXPECT_EQ(test, out.timeout, 30);
	KUNIT_EXPECT_EQ(test, out.retry_cnt, 7);
	KUNIT_EXPECT_EQ(test, out.rnr_retry, 6);
	KUNIT_EXPECT_EQ(test, out.alt_port_num, 2);
	KUNIT_EXPECT_EQ(test, out.alt_timeout, 29);
	KUNIT_EXPECT_NULL(test, out.xmit_slave);

	KUNIT_EXPECT_EQ(test, out.ah_attr.type, RDMA_AH_ATTR_TYPE_ROCE);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_port_num(&out.ah_attr), 1);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_sl(&out.ah_attr), 15);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_static_rate(&out.ah_attr), 5);
	KUNIT_ASSERT_EQ(test, rdma_ah_get_ah_flags(&out.ah_attr), IB_AH_GRH);
	grh = rdma_ah_read_grh(&out.ah_attr);
	KUNIT_EXPECT_NULL(test, grh->sgid_attr);
	KUNIT_EXPECT_MEMEQ(test, grh->dgid.raw, in.ah.dgid, 16);
	KUNIT_EXPECT_EQ(test, grh->flow_label, 0xabcde);
	KUNIT_EXPECT_EQ(test, grh->sgid_index, 3);
	KUNIT_EXPECT_EQ(test, grh->hop_limit, 64);
	KUNIT_EXPECT_EQ(test, grh->traffic_class, 0x99);

	KUNIT_EXPECT_EQ(test, out.alt_ah_attr.type, RDMA_AH_ATTR_TYPE_IB);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_ah_flags(&out.alt_ah_attr), 0);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&out.alt_ah_attr), 0x1357);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_path_bits(&out.alt_ah_attr), 0x7f);
}

static void convert_qp_attr_there_and_back(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	struct hyv_qp_attr in, back;
	struct ib_qp_attr attr;

	good_qp_attr(&in);
	/* Fields that the type of address does not have. */
	in.ah.dlid = 0;
	in.ah.src_path_bits = 0;
	in.alt_ah.flow_label = 0;
	in.alt_ah.sgid_index = 0;
	in.alt_ah.hop_limit = 0;
	in.alt_ah.traffic_class = 0;
	memset(in.alt_ah.dgid, 0, sizeof(in.alt_ah.dgid));
	KUNIT_ASSERT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, ALL_ATTRS, &attr),
			0);

	/* Guests may only read these. */
	attr.sq_draining = 1;
	in.sq_draining = 1;
	attr.cap.max_send_wr = 100;
	attr.cap.max_recv_wr = 200;
	attr.cap.max_send_sge = 3;
	attr.cap.max_recv_sge = 4;
	attr.cap.max_inline_data = 0x12345;
	in.cap.max_send_wr = cpu_to_le32(100);
	in.cap.max_recv_wr = cpu_to_le32(200);
	in.cap.max_send_sge = cpu_to_le32(3);
	in.cap.max_recv_sge = cpu_to_le32(4);
	in.cap.max_inline_data = cpu_to_le32(0x12345);
	memset(&back, 0xee, sizeof(back));
	hyvh_qp_attr_to_wire(&attr, &back);
	KUNIT_EXPECT_MEMEQ(test, &back, &in, sizeof(in));
}

/* Each attribute has an effect with its bit in the mask and only with that. */
static void convert_qp_attr_mask(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	struct ib_qp_attr zero = {}, one, sum;
	u8 *from = (u8 *)&one, *to = (u8 *)&sum;
	struct hyv_qp_attr in;
	unsigned int bit, i;

	good_qp_attr(&in);
	memset(&sum, 0, sizeof(sum));
	for (bit = 0; bit < 32; bit++) {
		u32 mask = BIT(bit);
		int ret = hyvh_qp_attr_from_wire(dev, &in, mask, &one);

		KUNIT_EXPECT_EQ(test, ret, mask & ALL_ATTRS ? 0 : -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, hyvh_qp_query_mask(mask),
				mask & (ALL_ATTRS | IB_QP_CAP));
		if (ret)
			continue;
		KUNIT_EXPECT_NE(test, memcmp(&one, &zero, sizeof(one)), 0);
		for (i = 0; i < sizeof(one); i++) {
			KUNIT_EXPECT_FALSE(test, from[i] && to[i]);
			to[i] |= from[i];
		}
	}
	KUNIT_ASSERT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, ALL_ATTRS, &one),
			0);
	KUNIT_EXPECT_MEMEQ(test, &one, &sum, sizeof(one));
	KUNIT_EXPECT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, U32_MAX, &one),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, 0, &one), 0);
	KUNIT_EXPECT_MEMEQ(test, &one, &zero, sizeof(one));
}

struct range_param {
	const char *name;
	u32 mask;
	u16 offset;
	u16 size;
	u32 val;
	int ret;
	bool always;		/* even without the mask */
};

#define RANGE(bits, field, val, ret)					\
	{ #field " " #val, bits, offsetof(struct hyv_qp_attr, field),	\
	  sizeof_field(struct hyv_qp_attr, field), val, ret, !(bits) }

static const struct range_param range_params[] = {
	RANGE(IB_QP_STATE, qp_state, 0, 0),
	RANGE(IB_QP_STATE, qp_state, 6, 0),
	RANGE(IB_QP_STATE, qp_state, 7, -EINVAL),
	RANGE(IB_QP_STATE, qp_state, 0x80000000, -EINVAL),
	RANGE(IB_QP_CUR_STATE, cur_qp_state, 6, 0),
	RANGE(IB_QP_CUR_STATE, cur_qp_state, 7, -EINVAL),
	RANGE(IB_QP_CUR_STATE, cur_qp_state, U32_MAX, -EINVAL),
	RANGE(IB_QP_PATH_MTU, path_mtu, 0, -EINVAL),
	RANGE(IB_QP_PATH_MTU, path_mtu, 1, 0),
	RANGE(IB_QP_PATH_MTU, path_mtu, 5, 0),
	RANGE(IB_QP_PATH_MTU, path_mtu, 6, -EINVAL),
	RANGE(IB_QP_PATH_MIG_STATE, path_mig_state, 2, 0),
	RANGE(IB_QP_PATH_MIG_STATE, path_mig_state, 3, -EINVAL),
	RANGE(IB_QP_QKEY, qkey, 0x80000000, -EPERM),
	RANGE(IB_QP_RQ_PSN, rq_psn, U32_MAX, 0),
	RANGE(IB_QP_SQ_PSN, sq_psn, U32_MAX, 0),
	RANGE(IB_QP_DEST_QPN, dest_qp_num, 0x1000000, -EINVAL),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0xe, 0),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x10, 0),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x2f, 0),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x100000, 0),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x40, -EINVAL),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x4f, -EINVAL),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x400, -EINVAL),
	RANGE(IB_QP_ACCESS_FLAGS, qp_access_flags, 0x80000000, -EINVAL),
	RANGE(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify, 2, -EINVAL),
	RANGE(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 9, -EINVAL),
	RANGE(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 255, -EINVAL),
	RANGE(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 17, -EINVAL),
	RANGE(IB_QP_MIN_RNR_TIMER, min_rnr_timer, 32, -EINVAL),
	RANGE(IB_QP_TIMEOUT, timeout, 31, 0),
	RANGE(IB_QP_TIMEOUT, timeout, 32, -EINVAL),
	RANGE(IB_QP_RETRY_CNT, retry_cnt, 8, -EINVAL),
	RANGE(IB_QP_RNR_RETRY, rnr_retry, 7, 0),
	RANGE(IB_QP_RNR_RETRY, rnr_retry, 8, -EINVAL),
	RANGE(IB_QP_PORT, port_num, 0, -EINVAL),
	RANGE(IB_QP_PORT, port_num, 1, 0),
	RANGE(IB_QP_PORT, port_num, 3, -EINVAL),
	RANGE(IB_QP_ALT_PATH, alt_port_num, 0, -EINVAL),
	RANGE(IB_QP_ALT_PATH, alt_port_num, 1, -EINVAL),
	RANGE(IB_QP_ALT_PATH, alt_timeout, 32, -EINVAL),
	RANGE(IB_QP_ALT_PATH, alt_ah.port_num, 3, -EINVAL),
	RANGE(IB_QP_ALT_PATH, alt_ah.reserved, 1, -EINVAL),
	RANGE(IB_QP_AV, ah.port_num, 0, -EINVAL),
	RANGE(IB_QP_AV, ah.port_num, 3, -EINVAL),
	RANGE(IB_QP_AV, ah.is_global, 2, -EINVAL),
	RANGE(IB_QP_AV, ah.sl, 16, -EINVAL),
	RANGE(IB_QP_AV, ah.flow_label, U32_MAX, 0),
	RANGE(IB_QP_AV, ah.reserved, 0x100, -EINVAL),
	RANGE(0, reserved, 1, -EINVAL),
};

static void range_desc(const struct range_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(range, range_params, range_desc);

static void convert_qp_attr_range(struct kunit *test)
{
	const struct range_param *p = test->param_value;
	struct ib_device *dev = test->priv;
	__le32 val = cpu_to_le32(p->val);
	struct hyv_qp_attr in;
	struct ib_qp_attr out;

	good_qp_attr(&in);
	memset((u8 *)&in + p->offset, 0, p->size);
	memcpy((u8 *)&in + p->offset, &val, min_t(u16, p->size, 4));
	KUNIT_EXPECT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, p->mask, &out),
			p->ret);
	KUNIT_EXPECT_EQ(test, hyvh_qp_attr_from_wire(dev, &in, ALL_ATTRS, &out),
			p->ret);
	if (!p->ret) {
		KUNIT_EXPECT_LE(test, out.rq_psn, 0xffffff);
		KUNIT_EXPECT_LE(test, out.sq_psn, 0xffffff);
		KUNIT_EXPECT_LE(test, rdma_ah_read_grh(&out.ah_attr)->flow_label,
				0xfffff);
	}
	/* Attributes outside of the mask are ignored. */
	KUNIT_EXPECT_EQ(test,
			hyvh_qp_attr_from_wire(dev, &in, ALL_ATTRS & ~p->mask,
					       &out),
			p->always ? p->ret : 0);
}

struct cap_param {
	const char *name;
	u32 cap[5];
	int ret;
};

static const struct cap_param cap_params[] = {
	{ "nothing", { 0, 0, 0, 0, 0 }, 0 },
	{ "all", { 1000, 1000, 30, 20, 64 }, 0 },
	{ "send queue", { 1001, 1, 1, 1, 0 }, -EINVAL },
	{ "receive queue", { 1, 1001, 1, 1, 0 }, -EINVAL },
	{ "send entries", { 1, 1, 31, 1, 0 }, -EINVAL },
	{ "receive entries", { 1, 1, 1, 21, 0 }, -EINVAL },
	{ "negative", { 0x80000000, 1, 1, 1, 0 }, -EINVAL },
	{ "largest", { U32_MAX, U32_MAX, U32_MAX, U32_MAX, 0 }, -EINVAL },
};

static void cap_desc(const struct cap_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cap, cap_params, cap_desc);

static void convert_qp_cap(struct kunit *test)
{
	const struct cap_param *p = test->param_value;
	struct ib_device *dev = test->priv;
	struct hyv_qp_cap in, back;
	struct ib_qp_cap out;

	in.max_send_wr = cpu_to_le32(p->cap[0]);
	in.max_recv_wr = cpu_to_le32(p->cap[1]);
	in.max_send_sge = cpu_to_le32(p->cap[2]);
	in.max_recv_sge = cpu_to_le32(p->cap[3]);
	in.max_inline_data = cpu_to_le32(p->cap[4]);
	memset(&out, 0xee, sizeof(out));
	KUNIT_EXPECT_EQ(test, hyvh_qp_cap_from_wire(&in, &dev->attrs, &out),
			p->ret);
	if (p->ret)
		return;
	KUNIT_EXPECT_EQ(test, out.max_send_wr, p->cap[0]);
	KUNIT_EXPECT_EQ(test, out.max_recv_wr, p->cap[1]);
	KUNIT_EXPECT_EQ(test, out.max_send_sge, p->cap[2]);
	KUNIT_EXPECT_EQ(test, out.max_recv_sge, p->cap[3]);
	KUNIT_EXPECT_EQ(test, out.max_inline_data, p->cap[4]);
	KUNIT_EXPECT_EQ(test, out.max_rdma_ctxs, 0);
	hyvh_qp_cap_to_wire(&out, &back);
	KUNIT_EXPECT_MEMEQ(test, &back, &in, sizeof(in));
}

struct srq_param {
	const char *name;
	u32 max_wr;
	u32 max_sge;
	u32 limit;
	int ret;
};

static const struct srq_param srq_params[] = {
	{ "no elements", 0, 1, 0, -EINVAL },
	{ "no entries", 1, 0, 0, 0 },
	{ "some", 100, 2, 3, 0 },
	{ "all", 500, 10, 500, 0 },
	{ "elements", 501, 1, 0, -EINVAL },
	{ "entries", 1, 11, 0, -EINVAL },
	{ "negative elements", 0x80000000, 1, 0, -EINVAL },
	{ "negative entries", 1, 0x80000000, 0, -EINVAL },
	{ "largest", U32_MAX, U32_MAX, 0, -EINVAL },
	/* The driver checks that the limit fits the queue. */
	{ "limit", 1, 1, U32_MAX, 0 },
};

static void srq_desc(const struct srq_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(srq, srq_params, srq_desc);

static void convert_srq_attr(struct kunit *test)
{
	const struct srq_param *p = test->param_value;
	struct ib_device *dev = test->priv;
	struct hyv_create_srq_req in = {
		.max_wr = cpu_to_le32(p->max_wr),
		.max_sge = cpu_to_le32(p->max_sge),
		.srq_limit = cpu_to_le32(p->limit),
	};
	struct ib_srq_attr out;

	memset(&out, 0xee, sizeof(out));
	KUNIT_EXPECT_EQ(test, hyvh_srq_attr_from_wire(&in, &dev->attrs, &out),
			p->ret);
	if (p->ret)
		return;
	KUNIT_EXPECT_EQ(test, out.max_wr, p->max_wr);
	KUNIT_EXPECT_EQ(test, out.max_sge, p->max_sge);
	KUNIT_EXPECT_EQ(test, out.srq_limit, p->limit);
}

static void convert_device_attr(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	struct ib_device_attr *attr = &dev->attrs;
	struct hyv_query_device_rsp out;
	u8 *raw = (u8 *)&out;

	attr->fw_ver = 0x1122334455667788ULL;
	attr->sys_image_guid = cpu_to_be64(0x99);
	attr->max_mr_size = U64_MAX;
	attr->device_cap_flags = BIT_ULL(40) | 5;
	attr->max_cq = 77;
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->max_pkeys = 64;
	attr->local_ca_ack_delay = 15;
	attr->timestamp_mask = 0x55;
	attr->raw_packet_caps = 0xabcdef01;
	attr->max_ah = 11;
	attr->max_srq = 22;
	attr->max_mw = 33;
	attr->max_mcast_grp = 44;
	attr->cq_caps.max_cq_moderation_count = 0x1234;
	attr->cq_caps.max_cq_moderation_period = 0x5678;
	memset(&out, 0xee, sizeof(out));
	hyvh_device_attr_to_wire(dev, attr, &out);

	/* The dispatcher writes the header. */
	KUNIT_EXPECT_NULL(test, memchr_inv(&out.hdr, 0xee, sizeof(out.hdr)));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out.fw_ver), attr->fw_ver);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(out.node_guid), 0x0102030405060708ULL);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(out.sys_image_guid), 0x99);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out.max_mr_size), U64_MAX);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out.device_cap_flags),
			attr->device_cap_flags);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_qp_wr), 1000);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_send_sge), 30);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_recv_sge), 20);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_qp_rd_atom), 16);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_qp_init_rd_atom), 8);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_cq), 77);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.atomic_cap), 2);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(out.max_pkeys), 64);
	KUNIT_EXPECT_EQ(test, out.local_ca_ack_delay, 15);
	KUNIT_EXPECT_EQ(test, le64_to_cpu(out.timestamp_mask), 0x55);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.raw_packet_caps), 0xabcdef01);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_ah), 11);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_srq), 22);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_srq_wr), 500);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_srq_sge), 10);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_mw), 33);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_mcast_grp), 44);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(out.max_cq_moderation_count), 0x1234);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(out.max_cq_moderation_period),
			0x5678);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.reserved), 0);
	KUNIT_EXPECT_EQ(test, out.reserved2, 0);
	/* No byte keeps its old value. */
	KUNIT_EXPECT_NULL(test, memchr(raw + sizeof(out.hdr), 0xee,
				       sizeof(out) - sizeof(out.hdr)));
}

struct verb_param {
	const char *name;
	u16 offset;		/* in struct ib_device */
	u32 verb;
};

#define VERB(op, verb) { #op, offsetof(struct ib_device, ops.op), verb }

static const struct verb_param verb_params[] = {
	VERB(create_user_ah, HYV_VERB_AH),
	VERB(create_srq, HYV_VERB_SRQ),
	VERB(modify_srq, HYV_VERB_MODIFY_SRQ),
	VERB(resize_user_cq, HYV_VERB_RESIZE_CQ),
	VERB(modify_cq, HYV_VERB_MODIFY_CQ),
	VERB(rereg_user_mr, HYV_VERB_REREG_MR),
	VERB(alloc_mw, HYV_VERB_MW),
	VERB(attach_mcast, HYV_VERB_MCAST),
	VERB(alloc_xrcd, HYV_VERB_XRC),
	/* Every HCA has these. */
	VERB(reg_user_mr, 0),
	/* For the kernel only. */
	VERB(create_ah, 0),
};

static void verb_desc(const struct verb_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(verb, verb_params, verb_desc);

static u32 convert_verbs_of(const struct ib_device *dev)
{
	struct hyv_query_device_rsp out;

	hyvh_device_attr_to_wire(dev, &dev->attrs, &out);
	return le32_to_cpu(out.verbs);
}

/* An operation that exists but is never called. */
static void set_op(struct ib_device *dev, const struct verb_param *p)
{
	unsigned long op = 1;

	memcpy((u8 *)dev + p->offset, &op, sizeof(op));
}

static void convert_verb(struct kunit *test)
{
	const struct verb_param *p = test->param_value;
	struct ib_device *dev = test->priv;

	KUNIT_EXPECT_EQ(test, convert_verbs_of(dev), 0);
	set_op(dev, p);
	KUNIT_EXPECT_EQ(test, convert_verbs_of(dev), p->verb);
}

static void convert_all_verbs(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	u32 verbs = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(verb_params); i++) {
		set_op(dev, &verb_params[i]);
		verbs |= verb_params[i].verb;
		KUNIT_EXPECT_EQ(test, convert_verbs_of(dev), verbs);
	}
	KUNIT_EXPECT_EQ(test, verbs, 0x1ff);
}

static void convert_port_attr(struct kunit *test)
{
	struct ib_device *dev = test->priv;
	struct ib_port_attr attr = {
		.state = IB_PORT_ACTIVE,
		.max_mtu = IB_MTU_4096,
		.active_mtu = IB_MTU_1024,
		.gid_tbl_len = 1024,
		.ip_gids = 1,
		.port_cap_flags = 0x00890000,
		.port_cap_flags2 = 0x1234,
		.max_msg_sz = 0x800000,
		.bad_pkey_cntr = 1,
		.qkey_viol_cntr = 2,
		.pkey_tbl_len = 64,
		.lid = 0x1111,
		.sm_lid = 0x2222,
		.active_speed = 256,
		.active_width = 2,
		.lmc = 3,
		.max_vl_num = 4,
		.sm_sl = 5,
		.subnet_timeout = 6,
		.init_type_reply = 7,
		.phys_state = 5,
	};
	struct hyv_query_port_rsp out;

	dev->port_data[1].immutable.core_cap_flags =
		RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP | RDMA_CORE_CAP_IB_GRH_REQUIRED;
	memset(&out, 0xee, sizeof(out));
	hyvh_port_attr_to_wire(dev, 1, &attr, IB_LINK_LAYER_ETHERNET, &out);
	KUNIT_EXPECT_NULL(test, memchr_inv(&out.hdr, 0xee, sizeof(out.hdr)));
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.port_cap_flags), 0x04890000);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.port_cap_flags2), 0x1234);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.max_msg_sz), 0x800000);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.bad_pkey_cntr), 1);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.qkey_viol_cntr), 2);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.gid_tbl_len), 1024);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.pkey_tbl_len), 64);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.lid), 0x1111);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.sm_lid), 0x2222);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.active_speed), 256);
	KUNIT_EXPECT_EQ(test, out.state, 4);
	KUNIT_EXPECT_EQ(test, out.max_mtu, 5);
	KUNIT_EXPECT_EQ(test, out.active_mtu, 3);
	KUNIT_EXPECT_EQ(test, out.lmc, 3);
	KUNIT_EXPECT_EQ(test, out.max_vl_num, 4);
	KUNIT_EXPECT_EQ(test, out.sm_sl, 5);
	KUNIT_EXPECT_EQ(test, out.subnet_timeout, 6);
	KUNIT_EXPECT_EQ(test, out.init_type_reply, 7);
	KUNIT_EXPECT_EQ(test, out.active_width, 2);
	KUNIT_EXPECT_EQ(test, out.phys_state, 5);
	KUNIT_EXPECT_EQ(test, out.link_layer, 2);
	KUNIT_EXPECT_EQ(test, out.grh_required, 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(out.reserved, 0,
					   sizeof(out.reserved)));

	/* Bit 26 of the IBTA differs from that of user space. */
	attr.ip_gids = 0;
	attr.port_cap_flags = U32_MAX;
	hyvh_port_attr_to_wire(dev, 2, &attr, IB_LINK_LAYER_INFINIBAND, &out);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.port_cap_flags), 0xfbffffff);
	KUNIT_EXPECT_EQ(test, out.link_layer, 1);
	KUNIT_EXPECT_EQ(test, out.grh_required, 0);
}

static struct kunit_case convert_cases[] = {
	KUNIT_CASE_PARAM(convert_status, status_gen_params),
	KUNIT_CASE_PARAM(convert_access, access_gen_params),
	KUNIT_CASE(convert_qp_attr),
	KUNIT_CASE(convert_qp_attr_there_and_back),
	KUNIT_CASE(convert_qp_attr_mask),
	KUNIT_CASE_PARAM(convert_qp_attr_range, range_gen_params),
	KUNIT_CASE_PARAM(convert_qp_cap, cap_gen_params),
	KUNIT_CASE_PARAM(convert_srq_attr, srq_gen_params),
	KUNIT_CASE(convert_device_attr),
	KUNIT_CASE_PARAM(convert_verb, verb_gen_params),
	KUNIT_CASE(convert_all_verbs),
	KUNIT_CASE(convert_port_attr),
	{}
};

static struct kunit_suite convert_suite = {
	.name = "hyvh_convert",
	.init = convert_test_init,
	.test_cases = convert_cases,
};

kunit_test_suite(convert_suite);

MODULE_DESCRIPTION("Tests of HyV's converters");
MODULE_LICENSE("GPL");
