// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection domains.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "verbs/verbs.h"
#include "vnic.h"

static struct ib_pd *hyvh_ib_alloc_pd(struct hyvh_cmd *cmd,
				      struct hyvh_uctx *uctx)
{
	struct uverbs_attr_bundle bundle;
	struct ib_pd *pd;
	int ret;

	pd = rdma_zalloc_drv_obj_gfp(cmd->ibdev, ib_pd, GFP_KERNEL_ACCOUNT);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = cmd->ibdev;
	pd->uobject = hyvh_uctx_uobject(uctx);
	atomic_set(&pd->usecnt, 0);
	hyvh_restrack_own(&pd->res, RDMA_RESTRACK_PD, cmd->vnic->owner);

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		goto err_put;
	ret = cmd->ibdev->ops.alloc_pd(pd, &bundle.driver_udata);
	if (ret)
		goto err_put;
	rdma_restrack_add(&pd->res);
	return pd;

err_put:
	rdma_restrack_put(&pd->res);
	kfree(pd);
	return ERR_PTR(ret);
}

static int hyvh_pd_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *context)
{
	struct hyvh_pd *pd = hyvh_to_pd(obj);

	pd->context = hyvh_to_context(context);
	pd->ib = hyvh_ib_alloc_pd(cmd, &pd->context->uctx);
	return PTR_ERR_OR_ZERO(pd->ib);
}

static int hyvh_pd_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_pd *pd = hyvh_to_pd(obj);
	struct uverbs_attr_bundle bundle;

	hyvh_udata_none(&bundle, &pd->context->uctx);
	return ib_dealloc_pd_user(pd->ib, &bundle.driver_udata);
}

const struct hyvh_obj_ops hyvh_pd_ops = {
	.type = HYV_OBJ_PD,
	.name = "PD",
	.size = sizeof(struct hyvh_pd),
	.build = hyvh_pd_build,
	.destroy = hyvh_pd_destroy,
};

int hyvh_cmd_alloc_pd(struct hyvh_cmd *cmd)
{
	const struct hyv_alloc_pd_req *req = cmd->req;

	return hyvh_obj_create(cmd, &hyvh_pd_ops, HYV_OBJ_CONTEXT, req->context);
}
