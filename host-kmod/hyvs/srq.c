// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "hyvs/hyvs.h"

/* A request has a header of 16 bytes, and 16 bytes for each segment. */
#define SEGMENT		16
#define MIN_REQUEST	32

static int hyvs_srq_request(struct mlx5_ib_create_srq *req,
			    struct ib_udata *udata)
{
	int ret;

	ret = hyvs_request(udata, req, sizeof(*req),
			   offsetofend(struct mlx5_ib_create_srq, flags));
	if (ret)
		return ret;
	return req->flags || req->reserved0 || req->reserved1 ? -EINVAL : 0;
}

int hyvs_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct mlx5_ib_create_srq_resp rsp = {};
	struct hyvs_srq *srq = to_hyvs_srq(ib);
	struct mlx5_ib_create_srq req = {};
	struct eng_srq_attr eng_attr = {};
	struct hyvs_ucontext *uctx;
	u32 size;
	int ret;

	if (!udata ||
	    (attr->srq_type != IB_SRQT_BASIC && attr->srq_type != IB_SRQT_XRC))
		return -EOPNOTSUPP;
	if (!attr->attr.max_wr || attr->attr.max_wr >= HYVS_MAX_QUEUE ||
	    attr->attr.max_sge >= HYVS_MAX_SGE)
		return -EINVAL;
	ret = hyvs_srq_request(&req, udata);
	if (ret)
		return ret;
	uctx = hyvs_udata_ucontext(udata);

	size = max_t(u32, MIN_REQUEST,
		     roundup_pow_of_two(SEGMENT * (1 + attr->attr.max_sge)));
	eng_attr.entries = roundup_pow_of_two(attr->attr.max_wr + 1);
	eng_attr.entry_shift = ilog2(size);
	eng_attr.pdn = to_hyvs_pd(ib->pd)->id.id;
	ret = hyvs_mem_pin(ib->device, &srq->ring, req.buf_addr,
			   (u64)eng_attr.entries * size, IB_ACCESS_LOCAL_WRITE);
	if (ret)
		return ret;
	srq->record = hyvs_record_get(uctx, req.db_addr, &eng_attr.record);
	if (IS_ERR(srq->record)) {
		ret = PTR_ERR(srq->record);
		goto err_ring;
	}
	ret = hyvs_id_alloc(uctx, HYVS_SRQ, srq, &srq->id);
	if (ret)
		goto err_record;
	rsp.srqn = srq->id.id;
	ret = ib_copy_to_udata(udata, &rsp, min(udata->outlen, sizeof(rsp)));
	if (ret)
		goto err_id;
	eng_attr.ring = srq->ring.eng;
	if (attr->srq_type == IB_SRQT_XRC) {
		eng_attr.cq = &to_hyvs_cq(attr->ext.cq)->eng;
		eng_attr.srqn = srq->id.id;
		eng_attr.xrcdn = to_hyvs_xrcd(attr->ext.xrc.xrcd)->id.id;
		eng_attr.user_index = req.uidx & (ENG_MAX_IDS - 1);
		ib->ext.xrc.srq_num = srq->id.id;
	}
	ret = eng_srq_add(dev->eng, &srq->eng, &eng_attr);
	if (ret)
		goto err_id;
	attr->attr.max_wr = eng_attr.entries - 1;
	attr->attr.max_sge = size / SEGMENT - 1;
	srq->attr = attr->attr;
	return 0;

err_id:
	hyvs_id_free(dev, HYVS_SRQ, &srq->id);
err_record:
	hyvs_record_put(uctx, srq->record);
err_ring:
	hyvs_mem_unpin(&srq->ring);
	return ret;
}

int hyvs_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct hyvs_srq *srq = to_hyvs_srq(ib);

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->attr.max_wr)
		return -EINVAL;
	eng_srq_arm(&srq->eng, attr->srq_limit);
	return 0;
}

int hyvs_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	struct hyvs_srq *srq = to_hyvs_srq(ib);

	*attr = srq->attr;
	attr->srq_limit = eng_srq_limit(&srq->eng);
	return 0;
}

int hyvs_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_srq *srq = to_hyvs_srq(ib);

	eng_srq_del(&srq->eng);
	hyvs_retire(dev);
	hyvs_id_free(dev, HYVS_SRQ, &srq->id);
	hyvs_record_put(hyvs_udata_ucontext(udata), srq->record);
	hyvs_mem_unpin(&srq->ring);
	return 0;
}
