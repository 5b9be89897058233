// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows. Guests bind them by work requests, as natively.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "dispatch.h"
#include "verbs.h"
#include "vnic.h"

static struct ib_mw *hyv_ib_alloc_mw(struct hyv_request *r, struct hyv_pd *pd,
				     enum ib_mw_type type,
				     struct hyv_call *call)
{
	struct hyv_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mw *mw;
	int ret;

	mw = rdma_zalloc_drv_obj(r->ibdev, ib_mw);
	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = r->ibdev;
	mw->pd = pd->ib;
	mw->type = type;
	mw->uobject = hyv_uctx_uobject(uctx);

	ret = hyv_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		goto err_free;
	ret = r->ibdev->ops.alloc_mw(mw, &bundle.driver_udata);
	if (ret)
		goto err_free;
	ret = hyv_udata_end(&bundle, call);
	if (ret)
		goto err_dealloc;
	atomic_inc(&pd->ib->usecnt);
	return mw;

err_dealloc:
	r->ibdev->ops.dealloc_mw(mw);
err_free:
	kfree(mw);
	return ERR_PTR(ret);
}

/**
 * hyv_cmd_alloc_mw() - handle HYV_CMD_ALLOC_MW
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_alloc_mw(void *arg, struct hyv_call *call)
{
	const struct hyv_alloc_mw_req *req = call->req;
	struct hyv_alloc_mw_rsp *rsp = call->rsp;
	struct hyv_request *r = arg;
	struct hyv_objs *objs = &r->vnic->objs;
	struct hyv_obj *pd;
	struct hyv_mw *mw;
	int ret;

	if (!r->ibdev->ops.alloc_mw)
		return -EOPNOTSUPP;
	if (req->mw_type != IB_MW_TYPE_1 && req->mw_type != IB_MW_TYPE_2)
		return -EINVAL;
	pd = hyv_obj_get(objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	mw = kzalloc(sizeof(*mw), GFP_KERNEL_ACCOUNT);
	if (!mw) {
		ret = -ENOMEM;
		goto err_put;
	}
	mw->pd = container_of(pd, struct hyv_pd, obj);

	ret = hyv_obj_reserve(objs, &mw->obj, HYV_OBJ_MW, pd->owner);
	if (ret)
		goto err_free;
	mw->ib = hyv_ib_alloc_mw(r, mw->pd, req->mw_type, call);
	if (IS_ERR(mw->ib)) {
		ret = PTR_ERR(mw->ib);
		goto err_abort;
	}

	hyv_obj_use(pd);
	rsp->handle = cpu_to_le32(mw->obj.handle);
	rsp->rkey = cpu_to_le32(mw->ib->rkey);
	hyv_obj_publish(objs, &mw->obj);
	hyv_obj_put(objs, pd);
	return 0;

err_abort:
	hyv_obj_abort(objs, &mw->obj);
err_free:
	kfree(mw);
err_put:
	hyv_obj_put(objs, pd);
	return ret;
}

/**
 * hyv_mw_destroy() - free a memory window that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyv_mw_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj)
{
	struct hyv_mw *mw = container_of(obj, struct hyv_mw, obj);
	int ret;

	ret = mw->ib->device->ops.dealloc_mw(mw->ib);
	if (ret)
		return ret;
	kfree(mw->ib);
	atomic_dec(&mw->pd->ib->usecnt);
	hyv_obj_unuse(&mw->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyv_obj_erase(&vnic->objs, obj);
	kfree(mw);
	return 0;
}
