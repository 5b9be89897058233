// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address handles.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "command/convert.h"
#include "command/dispatch.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct ib_ah *hyvh_ib_create_ah(struct hyvh_request *r, struct hyvh_pd *pd,
				       struct rdma_ah_attr *attr,
				       struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_ah *ah;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ERR_PTR(ret);
	ah = rdma_create_user_ah(pd->ib, attr, &bundle.driver_udata);
	if (IS_ERR(ah))
		return ah;
	ah->uobject = hyvh_uctx_uobject(uctx);

	ret = hyvh_udata_end(&bundle, call);
	if (ret) {
		hyvh_udata_none(&bundle, uctx);
		rdma_destroy_ah_user(ah, RDMA_DESTROY_AH_SLEEPABLE,
				     &bundle.driver_udata);
		return ERR_PTR(ret);
	}
	return ah;
}

/**
 * hyvh_cmd_create_ah() - handle HYV_CMD_CREATE_AH
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers. Resolves an address, which may take seconds.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_create_ah(void *arg, struct hyvh_call *call)
{
	const struct hyv_create_ah_req *req = call->req;
	struct hyv_create_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct rdma_ah_attr attr;
	struct hyvh_obj *pd;
	struct hyvh_ah *ah;
	int ret;

	if (!r->ibdev->ops.create_user_ah)
		return -EOPNOTSUPP;
	ret = hyvh_ah_attr_from_wire(r->ibdev, &req->attr, &attr);
	if (ret)
		return ret;
	ret = hyvh_vgids_translate(r, &req->attr, true, &attr);
	if (ret)
		return ret;
	pd = hyvh_obj_get(objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	ah = kzalloc(sizeof(*ah), GFP_KERNEL_ACCOUNT);
	if (!ah) {
		ret = -ENOMEM;
		goto err_put;
	}
	ah->pd = container_of(pd, struct hyvh_pd, obj);

	ret = hyvh_obj_reserve(objs, &ah->obj, HYV_OBJ_AH, pd->owner);
	if (ret)
		goto err_free;
	ah->ib = hyvh_ib_create_ah(r, ah->pd, &attr, call);
	if (IS_ERR(ah->ib)) {
		ret = PTR_ERR(ah->ib);
		goto err_abort;
	}

	hyvh_obj_use(pd);
	rsp->handle = cpu_to_le32(ah->obj.handle);
	hyvh_obj_publish(objs, &ah->obj);
	hyvh_obj_put(objs, pd);
	return 0;

err_abort:
	hyvh_obj_abort(objs, &ah->obj);
err_free:
	kfree(ah);
err_put:
	hyvh_obj_put(objs, pd);
	return ret;
}

/**
 * hyvh_ah_destroy() - destroy an address handle that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_ah_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_ah *ah = container_of(obj, struct hyvh_ah, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &ah->pd->context->uctx);
	ret = rdma_destroy_ah_user(ah->ib, RDMA_DESTROY_AH_SLEEPABLE,
				   &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_obj_unuse(&ah->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(ah);
	return 0;
}
