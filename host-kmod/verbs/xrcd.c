// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains.
 *
 * Processes of a guest share them: one of them makes the domain, in its context, and
 * SRQs of any context of the vNIC can be in it. The guest's kernel decides which
 * process may use which domain.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "hca/hca.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct hyvh_xrc *hyvh_xrc_alloc(struct hyvh_cmd *cmd,
				       struct hyvh_uctx *uctx)
{
	struct uverbs_attr_bundle bundle;
	struct hyvh_xrc *xrc;
	int ret;

	xrc = kzalloc(sizeof(*xrc), GFP_KERNEL_ACCOUNT);
	if (!xrc)
		return ERR_PTR(-ENOMEM);
	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		goto err_free;
	xrc->ib = ib_alloc_xrcd_user(cmd->ibdev, NULL, &bundle.driver_udata);
	if (IS_ERR(xrc->ib)) {
		ret = PTR_ERR(xrc->ib);
		goto err_free;
	}
	refcount_set(&xrc->ref, 1);
	xrc->vnic = cmd->vnic;
	return xrc;

err_free:
	kfree(xrc);
	return ERR_PTR(ret);
}

/*
 * Drop the reference of an SRQ. Before the HCA goes: all that has a reference is an
 * object of the vNIC.
 */
void hyvh_xrc_put(struct hyvh_xrc *xrc)
{
	struct hyvh_vnic *vnic = xrc->vnic;
	int ret;

	if (!refcount_dec_and_test(&xrc->ref))
		return;
	/* The handle had a reference, so it is gone. */
	ret = ib_dealloc_xrcd_user(xrc->ib, NULL);
	if (ret)
		hyvh_leak_count(vnic, hyvh_xrcd_ops.name, ret, false);
	else
		ib_rdmacg_uncharge(&xrc->cg, hyvh_hca_ibdev(vnic->hca),
				   RDMACG_RESOURCE_HCA_OBJECT);
	hyvh_objs_uncount(&vnic->objs, HYV_OBJ_XRCD);
	kfree(xrc);
}

/* Get a reference by the handle; or ERR_PTR(-ENOENT). */
struct hyvh_xrc *hyvh_xrc_get(struct hyvh_cmd *cmd, __le32 handle)
{
	struct hyvh_xrcd *xrcd = hyvh_xrcd_get(cmd, handle);
	struct hyvh_xrc *xrc;

	if (IS_ERR(xrcd))
		return ERR_CAST(xrcd);
	xrc = xrcd->xrc;
	refcount_inc(&xrc->ref);
	hyvh_xrcd_put(cmd, xrcd);
	return xrc;
}

static int hyvh_xrcd_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			   struct hyvh_obj *context)
{
	struct hyvh_xrcd *xrcd = hyvh_to_xrcd(obj);

	xrcd->context = hyvh_to_context(context);
	xrcd->xrc = hyvh_xrc_alloc(cmd, &xrcd->context->uctx);
	return PTR_ERR_OR_ZERO(xrcd->xrc);
}

/*
 * The caller has removed the handle, so that no reference is added: a last one stays the
 * last, and is kept if the driver refuses, for another DESTROY.
 */
static int hyvh_xrcd_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_xrc *xrc = hyvh_to_xrcd(obj)->xrc;
	int ret;

	/* Whoever drops the last reference has it then. */
	xrc->cg = obj->cg;
	if (refcount_dec_not_one(&xrc->ref)) {
		obj->counts_on = true;
		return 0;
	}
	ret = ib_dealloc_xrcd_user(xrc->ib, NULL);
	if (ret)
		return ret;
	kfree(xrc);
	return 0;
}

const struct hyvh_obj_ops hyvh_xrcd_ops = {
	.type = HYV_OBJ_XRCD,
	.name = "XRC domain",
	.size = sizeof(struct hyvh_xrcd),
	.build = hyvh_xrcd_build,
	.destroy = hyvh_xrcd_destroy,
};

int hyvh_cmd_alloc_xrcd(struct hyvh_cmd *cmd)
{
	const struct hyv_alloc_xrcd_req *req = cmd->req;

	if (!cmd->ibdev->ops.alloc_xrcd)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	return hyvh_obj_create(cmd, &hyvh_xrcd_ops, HYV_OBJ_CONTEXT, req->context);
}
