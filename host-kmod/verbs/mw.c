// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows. Guests bind them by work requests, as natively.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "command/dispatch.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct ib_mw *hyvh_ib_alloc_mw(struct hyvh_request *r, struct hyvh_pd *pd,
				      enum ib_mw_type type,
				      struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mw *mw;
	int ret;

	mw = rdma_zalloc_drv_obj(r->ibdev, ib_mw);
	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = r->ibdev;
	mw->pd = pd->ib;
	mw->type = type;
	mw->uobject = hyvh_uctx_uobject(uctx);

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		goto err_free;
	ret = r->ibdev->ops.alloc_mw(mw, &bundle.driver_udata);
	if (ret)
		goto err_free;
	ret = hyvh_udata_end(&bundle, call);
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
 * hyvh_cmd_alloc_mw() - handle HYV_CMD_ALLOC_MW
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_alloc_mw(void *arg, struct hyvh_call *call)
{
	const struct hyv_alloc_mw_req *req = call->req;
	struct hyv_alloc_mw_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct hyvh_obj *pd;
	struct hyvh_mw *mw;
	int ret;

	if (!r->ibdev->ops.alloc_mw)
		return -EOPNOTSUPP;
	if (req->mw_type != IB_MW_TYPE_1 && req->mw_type != IB_MW_TYPE_2)
		return -EINVAL;
	pd = hyvh_obj_get(objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	mw = kzalloc(sizeof(*mw), GFP_KERNEL_ACCOUNT);
	if (!mw) {
		ret = -ENOMEM;
		goto err_put;
	}
	mw->pd = container_of(pd, struct hyvh_pd, obj);

	ret = hyvh_obj_reserve(objs, &mw->obj, HYV_OBJ_MW, pd->owner);
	if (ret)
		goto err_free;
	mw->ib = hyvh_ib_alloc_mw(r, mw->pd, req->mw_type, call);
	if (IS_ERR(mw->ib)) {
		ret = PTR_ERR(mw->ib);
		goto err_abort;
	}

	hyvh_obj_use(pd);
	rsp->handle = cpu_to_le32(mw->obj.handle);
	rsp->rkey = cpu_to_le32(mw->ib->rkey);
	hyvh_obj_publish(objs, &mw->obj);
	hyvh_obj_put(objs, pd);
	return 0;

err_abort:
	hyvh_obj_abort(objs, &mw->obj);
err_free:
	kfree(mw);
err_put:
	hyvh_obj_put(objs, pd);
	return ret;
}

/**
 * hyvh_mw_destroy() - free a memory window that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_mw_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_mw *mw = container_of(obj, struct hyvh_mw, obj);
	int ret;

	ret = mw->ib->device->ops.dealloc_mw(mw->ib);
	if (ret)
		return ret;
	kfree(mw->ib);
	atomic_dec(&mw->pd->ib->usecnt);
	hyvh_obj_unuse(&mw->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(mw);
	return 0;
}
