// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest may ask of the HCA as a whole.
 */
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "command/convert.h"
#include "command/dispatch.h"
#include "hca/uctx.h"
#include "verbs/verbs.h"
#include "vnic.h"

/**
 * hyvh_cmd_query_device() - handle HYV_CMD_QUERY_DEVICE
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Without private data the answer is what ib_core knows; with it the driver is
 * asked, as natively.
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_device(void *arg, struct hyvh_call *call)
{
	struct hyvh_request *r = arg;
	struct ib_device_attr attr = {};
	struct ib_udata udata = {};
	int ret;

	if (!call->udata_in_len && !call->udata_out_room) {
		hyvh_device_attr_to_wire(r->ibdev, &r->ibdev->attrs, call->rsp);
		return 0;
	}

	if (call->udata_in_len) {
		udata.inbuf = r->scratch + HYVH_SCRATCH_UDATA_IN;
		udata.inlen = call->udata_in_len;
		if (copy_to_user((void __user *)udata.inbuf, call->udata_in,
				 call->udata_in_len))
			return -EFAULT;
	}
	if (call->udata_out_room) {
		udata.outbuf = r->scratch + HYVH_SCRATCH_UDATA_OUT;
		udata.outlen = call->udata_out_room;
		if (clear_user(udata.outbuf, udata.outlen))
			return -EFAULT;
	}
	ret = r->ibdev->ops.query_device(r->ibdev, &attr, &udata);
	if (ret)
		return ret;
	if (call->udata_out_room) {
		if (copy_from_user(call->udata_out,
				   r->scratch + HYVH_SCRATCH_UDATA_OUT,
				   call->udata_out_room))
			return -EFAULT;
		call->udata_out_len = call->udata_out_room;
	}
	hyvh_device_attr_to_wire(r->ibdev, &attr, call->rsp);
	return 0;
}

/**
 * hyvh_cmd_query_port() - handle HYV_CMD_QUERY_PORT
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_port(void *arg, struct hyvh_call *call)
{
	const struct hyv_query_port_req *req = call->req;
	struct hyvh_request *r = arg;
	u32 port = le32_to_cpu(req->port);
	struct ib_port_attr attr = {};
	int ret;

	if (!rdma_is_port_valid(r->ibdev, port))
		return -EINVAL;
	ret = ib_query_port(r->ibdev, port, &attr);
	if (ret)
		return ret;
	if (r->vnic->gids.tenant)
		attr.gid_tbl_len = HYV_MAX_GIDS;
	hyvh_port_attr_to_wire(r->ibdev, port, &attr,
			       rdma_port_get_link_layer(r->ibdev, port),
			       call->rsp);
	return 0;
}

static void hyvh_gid_to_wire(const union ib_gid *gid, u32 index, u8 type,
			     struct hyv_gid *out)
{
	memcpy(out->raw, gid->raw, sizeof(out->raw));
	out->index = cpu_to_le16(index);
	out->type = type;
}

/* A guest with addresses of its own gets to know one of the HCA's only. */
static u32 hyvh_query_gid_of_hca(struct hyvh_request *r, u32 port, u32 first,
				 struct hyv_query_gids_rsp *rsp)
{
	union ib_gid gid;

	if (first || hyvh_vgids_hca_gid(r, port, &gid))
		return 0;
	hyvh_gid_to_wire(&gid, 0, HYV_GID_TYPE_ROCE_V2, &rsp->gid[0]);
	return 1;
}

/**
 * hyvh_cmd_query_gids() - handle HYV_CMD_QUERY_GIDS
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_gids(void *arg, struct hyvh_call *call)
{
	const struct hyv_query_gids_req *req = call->req;
	struct hyv_query_gids_rsp *rsp = call->rsp;
	const struct ib_gid_attr *gid;
	struct hyvh_request *r = arg;
	u32 port = le32_to_cpu(req->port);
	u32 index = le32_to_cpu(req->first);
	u32 len, count = 0;

	if (!rdma_is_port_valid(r->ibdev, port))
		return -EINVAL;
	if (r->vnic->gids.tenant) {
		rsp->count = cpu_to_le32(hyvh_query_gid_of_hca(r, port, index,
							       rsp));
		return 0;
	}
	len = r->ibdev->port_data[port].immutable.gid_tbl_len;

	for (; index < len && count < HYV_QUERY_GIDS_MAX; index++) {
		gid = rdma_get_gid_attr(r->ibdev, port, index);
		if (IS_ERR(gid))
			continue;
		hyvh_gid_to_wire(&gid->gid, index,
				 gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
				 HYV_GID_TYPE_ROCE_V2 : HYV_GID_TYPE_IB,
				 &rsp->gid[count++]);
		rdma_put_gid_attr(gid);
	}
	rsp->count = cpu_to_le32(count);
	rsp->next = cpu_to_le32(index < len ? index : 0);
	return 0;
}

/**
 * hyvh_cmd_query_pkeys() - handle HYV_CMD_QUERY_PKEYS
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_pkeys(void *arg, struct hyvh_call *call)
{
	const struct hyv_query_pkeys_req *req = call->req;
	struct hyv_query_pkeys_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	u32 port = le32_to_cpu(req->port);
	u32 index = le32_to_cpu(req->first);
	u32 len, count;
	u16 pkey;
	int ret;

	if (!rdma_is_port_valid(r->ibdev, port))
		return -EINVAL;
	len = r->ibdev->port_data[port].immutable.pkey_tbl_len;

	for (count = 0; index < len && count < HYV_QUERY_PKEYS_MAX; index++) {
		ret = ib_query_pkey(r->ibdev, port, index, &pkey);
		if (ret)
			return ret;
		rsp->pkey[count++] = cpu_to_le16(pkey);
	}
	rsp->count = cpu_to_le32(count);
	rsp->next = cpu_to_le32(index < len ? index : 0);
	return 0;
}
