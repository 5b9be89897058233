// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains.
 *
 * Processes of a guest share them: one of them makes the domain, in its context, and
 * SRQs of any context of the vNIC can be in it. The guest's kernel decides which
 * process may use which domain.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/printk.h>
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
	kref_init(&xrc->ref);
	xrc->vnic = cmd->vnic;
	return xrc;

err_free:
	kfree(xrc);
	return ERR_PTR(ret);
}

/* Before the HCA goes: all that has a reference is an object of the vNIC. */
static void hyvh_xrc_free(struct kref *ref)
{
	struct hyvh_xrc *xrc = container_of(ref, struct hyvh_xrc, ref);
	struct hyvh_hca *hca = xrc->vnic->hca;
	int ret;

	ret = ib_dealloc_xrcd_user(xrc->ib, NULL);
	if (ret) {
		hyvh_hca_count_leak(hca);
		pr_warn_ratelimited("%s: driver failed to free an XRC domain: %pe\n",
				    xrc->vnic->hca_name, ERR_PTR(ret));
	}
	kfree(xrc);
}

void hyvh_xrc_put(struct hyvh_xrc *xrc)
{
	kref_put(&xrc->ref, hyvh_xrc_free);
}

/* Get a reference by the handle; or ERR_PTR(-ENOENT). */
struct hyvh_xrc *hyvh_xrc_get(struct hyvh_cmd *cmd, __le32 handle)
{
	struct hyvh_xrcd *xrcd = hyvh_xrcd_get(cmd, handle);
	struct hyvh_xrc *xrc;

	if (IS_ERR(xrcd))
		return ERR_CAST(xrcd);
	xrc = xrcd->xrc;
	kref_get(&xrc->ref);
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

static int hyvh_xrcd_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	hyvh_xrc_put(hyvh_to_xrcd(obj)->xrc);
	return 0;
}

const struct hyvh_obj_ops hyvh_xrcd_ops = {
	.type = HYV_OBJ_XRCD,
	.name = "XRC domain",
	.size = sizeof(struct hyvh_xrcd),
	.parent = HYV_OBJ_CONTEXT,
	.build = hyvh_xrcd_build,
	.destroy = hyvh_xrcd_destroy,
};

int hyvh_cmd_alloc_xrcd(struct hyvh_cmd *cmd)
{
	const struct hyv_alloc_xrcd_req *req = cmd->req;

	if (!cmd->ibdev->ops.alloc_xrcd)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	return hyvh_obj_create(cmd, &hyvh_xrcd_ops, req->context);
}
