// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversions of attributes: what is accepted is in range, and is the same
 * after a conversion to the wire and back.
 */
#include "command/convert.c"

#include "fuzz.h"

static void check_qp_attr(struct ib_device *dev, struct fuzz_in *in)
{
	struct hyv_qp_attr wire, back;
	struct ib_qp_attr attr, again;
	u32 mask = fuzz_take(in, 4);

	if (fuzz_flag(in))
		mask &= HYVH_QP_ATTRS;
	if (fuzz_flag(in))
		mask &= ~(u32)(IB_QP_AV | IB_QP_ALT_PATH);
	fuzz_bytes(in, &wire, sizeof(wire));
	if (fuzz_below(in, 8)) {
		memset(wire.reserved, 0, sizeof(wire.reserved));
		memset(wire.ah.reserved, 0, sizeof(wire.ah.reserved));
		memset(wire.alt_ah.reserved, 0, sizeof(wire.alt_ah.reserved));
	}
	if (hyvh_qp_attr_from_wire(dev, &wire, mask, &attr))
		return;
	FUZZ_CHECK(!(mask & ~(u32)HYVH_QP_ATTRS));
	FUZZ_CHECK(attr.qp_state <= IB_QPS_ERR && attr.path_mtu <= IB_MTU_4096);
	FUZZ_CHECK(!(attr.qkey & IB_QP_SET_QKEY));
	FUZZ_CHECK(attr.rq_psn <= 0xffffff && attr.sq_psn <= 0xffffff &&
		   attr.dest_qp_num <= 0xffffff);
	FUZZ_CHECK(attr.ah_attr.grh.flow_label <= 0xfffff);
	FUZZ_CHECK(!(mask & IB_QP_PORT) ||
		   rdma_is_port_valid(dev, attr.port_num));
	FUZZ_CHECK(!(attr.qp_access_flags & IB_ACCESS_ON_DEMAND));
	hyvh_qp_attr_to_wire(&attr, &back);
	/* A state that was not set is reset, and the MTU 0, which is none. */
	if (mask & IB_QP_PATH_MTU || !attr.path_mtu)
		FUZZ_CHECK(!hyvh_qp_attr_from_wire(dev, &back, mask, &again) &&
			   !memcmp(&attr, &again, sizeof(attr)));
}

static void check_ah_attr(struct ib_device *dev, struct fuzz_in *in)
{
	struct hyv_ah_attr wire, back;
	struct rdma_ah_attr attr;

	fuzz_bytes(in, &wire, sizeof(wire));
	if (hyvh_ah_attr_from_wire(dev, &wire, &attr))
		return;
	FUZZ_CHECK(attr.sl <= 15 && rdma_is_port_valid(dev, attr.port_num));
	hyvh_ah_attr_to_wire(&attr, &back);
	FUZZ_CHECK(back.sl == wire.sl && back.port_num == wire.port_num &&
		   back.is_global == wire.is_global);
	FUZZ_CHECK(!wire.is_global ||
		   !memcmp(back.dgid, wire.dgid, sizeof(back.dgid)));
}

static void check_cap(struct ib_device *dev, struct fuzz_in *in)
{
	struct hyv_create_srq_req req;
	struct ib_srq_attr srq;
	struct hyv_qp_cap cap, back;
	struct ib_qp_cap out;

	fuzz_bytes(in, &cap, sizeof(cap));
	if (!hyvh_qp_cap_from_wire(&cap, &dev->attrs, &out)) {
		FUZZ_CHECK(out.max_send_wr <= (u32)dev->attrs.max_qp_wr &&
			   out.max_recv_sge <= (u32)dev->attrs.max_recv_sge);
		memset(&back, 0, sizeof(back));
		hyvh_qp_cap_to_wire(&out, &back);
		FUZZ_CHECK(back.max_send_wr == cap.max_send_wr &&
			   back.max_inline_data == cap.max_inline_data);
	}
	fuzz_bytes(in, &req, sizeof(req));
	if (!hyvh_srq_attr_from_wire(&req, &dev->attrs, &srq))
		FUZZ_CHECK(srq.max_wr &&
			   srq.max_wr <= (u32)dev->attrs.max_srq_wr &&
			   srq.max_sge <= (u32)dev->attrs.max_srq_sge);
}

static void check_replies(struct ib_device *dev, struct fuzz_in *in)
{
	struct hyv_query_device_rsp device;
	struct hyv_query_port_rsp port;
	struct ib_port_attr attr;

	memset(&device.hdr, 0x77, sizeof(device.hdr));
	hyvh_device_attr_to_wire(dev, &dev->attrs, &device);
	FUZZ_CHECK(!device.reserved && !device.reserved2);
	FUZZ_CHECK(device.hdr.status == 0x77777777);
	fuzz_bytes(in, &attr, sizeof(attr));
	hyvh_port_attr_to_wire(dev, fuzz_take(in, 1), &attr,
			       IB_LINK_LAYER_ETHERNET, &port);
	FUZZ_CHECK(port.link_layer == 2 && !port.reserved[0]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	struct ib_device dev = {};
	enum hyv_status status;
	u32 access;

	dev.phys_port_cnt = fuzz_below(&in, 4);
	switch (fuzz_below(&in, 6)) {
	case 0:
		fuzz_bytes(&in, &dev.attrs, sizeof(dev.attrs));
		fuzz_bytes(&in, &dev.ops, sizeof(dev.ops));
		check_replies(&dev, &in);
		break;
	case 1:
		dev.attrs.max_qp_wr = fuzz_take(&in, 2);
		dev.attrs.max_recv_sge = fuzz_take(&in, 1);
		dev.attrs.max_srq_wr = fuzz_take(&in, 3);
		check_cap(&dev, &in);
		break;
	case 2:
		check_ah_attr(&dev, &in);
		break;
	case 3:
		access = fuzz_take(&in, 4);
		if (!hyvh_access_check(access))
			FUZZ_CHECK(!(access & ~(u32)IB_ACCESS_SUPPORTED) &&
				   !(access & IB_ACCESS_ON_DEMAND));
		status = hyvh_status_from_errno(-(int)fuzz_take(&in, 2));
		FUZZ_CHECK(status != HYV_S_ENOSYS);
		break;
	default:
		dev.attrs.max_qp_rd_atom = fuzz_take(&in, 1);
		dev.attrs.max_qp_init_rd_atom = fuzz_take(&in, 1);
		check_qp_attr(&dev, &in);
	}
	return 0;
}
