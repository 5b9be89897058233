// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "gsi/gsi_cq.h"
#include "hyvs/hyvs.h"

static bool hyvs_cqe_size_ok(u32 size)
{
	return size == 64 || size == 128;
}

static int hyvs_cq_ring(struct ib_device *ib, struct hyvs_mem *ring,
			u64 address, u32 entries, u32 size)
{
	if (!hyvs_cqe_size_ok(size) || !IS_ALIGNED(address, size))
		return -EINVAL;
	return hyvs_mem_pin(ib, ring, address, (u64)entries * size,
			    IB_ACCESS_LOCAL_WRITE);
}

static int hyvs_cq_request(struct mlx5_ib_create_cq *req,
			   struct ib_udata *udata)
{
	int ret;

	ret = hyvs_request(udata, req, sizeof(*req),
			   offsetofend(struct mlx5_ib_create_cq, flags));
	if (ret)
		return ret;
	if (req->cqe_comp_en || req->flags || req->reserved0 || req->reserved1)
		return -EINVAL;
	return 0;
}

int hyvs_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct mlx5_ib_create_cq_resp rsp = {};
	struct hyvs_cq *cq = to_hyvs_cq(ib);
	struct eng_cq_attr eng_attr = {};
	struct mlx5_ib_create_cq req = {};
	struct hyvs_ucontext *uctx;
	struct ib_udata *udata;
	int ret;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attrs)
		return hyvs_create_kernel_cq(cq, attr);
	if (!attr->cqe || attr->cqe > HYVS_MAX_CQE)
		return -EINVAL;
	udata = &attrs->driver_udata;
	uctx = hyvs_udata_ucontext(udata);
	ret = hyvs_cq_request(&req, udata);
	if (ret)
		return ret;

	eng_attr.entries = roundup_pow_of_two(attr->cqe + 1);
	ret = hyvs_cq_ring(ib->device, &cq->ring, req.buf_addr,
			   eng_attr.entries, req.cqe_size);
	if (ret)
		return ret;
	cq->record = hyvs_record_get(uctx, req.db_addr, &eng_attr.record);
	if (IS_ERR(cq->record)) {
		ret = PTR_ERR(cq->record);
		goto err_ring;
	}
	ret = hyvs_id_alloc(uctx, HYVS_CQ, cq, &cq->id);
	if (ret)
		goto err_record;
	rsp.cqn = cq->id.id;
	ret = ib_copy_to_udata(udata, &rsp, min(udata->outlen, sizeof(rsp)));
	if (ret)
		goto err_id;
	eng_attr.ring = cq->ring.eng;
	eng_attr.entry_shift = ilog2(req.cqe_size);
	/* Without a channel there is nobody to have an event. */
	eng_attr.events = ib->cq_context;
	eng_cq_add(&uctx->worker, &cq->eng, &eng_attr);
	ib->cqe = eng_attr.entries - 1;
	mutex_init(&cq->resize_lock);
	return 0;

err_id:
	hyvs_id_free(dev, HYVS_CQ, &cq->id);
err_record:
	hyvs_record_put(uctx, cq->record);
err_ring:
	hyvs_mem_unpin(&cq->ring);
	return ret;
}

static int hyvs_resize_cq_locked(struct ib_cq *ib, u32 entries,
				 struct ib_udata *udata)
{
	struct hyvs_cq *cq = to_hyvs_cq(ib);
	struct mlx5_ib_resize_cq req = {};
	struct hyvs_mem ring = {};
	int ret;

	lockdep_assert_held(&cq->resize_lock);
	if (entries == ib->cqe + 1)
		return 0;
	ret = hyvs_request(udata, &req, sizeof(req),
			   offsetofend(struct mlx5_ib_resize_cq, cqe_size));
	if (ret)
		return ret;
	if (req.reserved0 || req.reserved1)
		return -EINVAL;
	ret = hyvs_cq_ring(ib->device, &ring, req.buf_addr, entries,
			   req.cqe_size);
	if (ret)
		return ret;
	ret = eng_cq_resize(&cq->eng, &ring.eng, entries,
			    ilog2(req.cqe_size));
	if (!ret) {
		/* The lock of the CQ keeps all others from the old ring. */
		swap(cq->ring, ring);
		ib->cqe = entries - 1;
	}
	hyvs_mem_unpin(&ring);
	return ret;
}

/* Threads of a process may resize the same CQ. */
int hyvs_resize_user_cq(struct ib_cq *ib, unsigned int cqe,
			struct ib_udata *udata)
{
	struct hyvs_cq *cq = to_hyvs_cq(ib);
	int ret;

	if (cq->gsi)
		return -EOPNOTSUPP;
	if (cqe < 1 || cqe > HYVS_MAX_CQE)
		return -EINVAL;
	mutex_lock(&cq->resize_lock);
	ret = hyvs_resize_cq_locked(ib, roundup_pow_of_two(cqe + 1), udata);
	mutex_unlock(&cq->resize_lock);
	return ret;
}

int hyvs_modify_cq(struct ib_cq *ib, u16 count, u16 period)
{
	struct hyvs_cq *cq = to_hyvs_cq(ib);

	if (cq->gsi)
		return -EOPNOTSUPP;
	eng_cq_moderate(&cq->eng, count, period * NSEC_PER_USEC);
	return 0;
}

int hyvs_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_cq *cq = to_hyvs_cq(ib);

	if (cq->gsi) {
		gsi_cq_destroy(cq->gsi);
		return 0;
	}
	eng_cq_del(&cq->eng);
	hyvs_retire(dev);
	hyvs_id_free(dev, HYVS_CQ, &cq->id);
	hyvs_record_put(hyvs_udata_ucontext(udata), cq->record);
	hyvs_mem_unpin(&cq->ring);
	mutex_destroy(&cq->resize_lock);
	return 0;
}
