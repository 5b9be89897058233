// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address handles.
 */
#include <linux/err.h>

#include "address/vgid.h"
#include "command/convert.h"
#include "hca/hca.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct ib_ah *hyvh_ib_create_ah(struct hyvh_cmd *cmd, struct hyvh_pd *pd,
				       struct rdma_ah_attr *attr)
{
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_ah *ah;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		return ERR_PTR(ret);
	ah = rdma_create_user_ah(pd->ib, attr, &bundle.driver_udata);
	if (IS_ERR(ah))
		return ah;
	ah->uobject = hyvh_uctx_uobject(uctx);
	return ah;
}

/* Resolves an address, which may take seconds. */
static int hyvh_ah_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *pd)
{
	const struct hyv_create_ah_req *req = cmd->req;
	struct hyvh_ah *ah = hyvh_to_ah(obj);
	struct rdma_ah_attr attr;
	int ret;

	ret = hyvh_ah_attr_from_wire(cmd->ibdev, &req->attr, &attr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "invalid address");
	ret = hyvh_vgids_translate(&cmd->vnic->vgids, cmd->vnic->hca,
				   &req->attr, true, &attr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "cannot translate the address");
	ah->pd = hyvh_to_pd(pd);
	ah->ib = hyvh_ib_create_ah(cmd, ah->pd, &attr);
	return PTR_ERR_OR_ZERO(ah->ib);
}

static int hyvh_ah_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_ah *ah = hyvh_to_ah(obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &ah->pd->context->uctx);
	ret = rdma_destroy_ah_user(ah->ib, RDMA_DESTROY_AH_SLEEPABLE,
				   &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_obj_unuse(&ah->pd->obj);
	return 0;
}

const struct hyvh_obj_ops hyvh_ah_ops = {
	.type = HYV_OBJ_AH,
	.name = "AH",
	.size = sizeof(struct hyvh_ah),
	.build = hyvh_ah_build,
	.destroy = hyvh_ah_destroy,
};

/*
 * May the guest send datagrams? Not if it would put addresses into its work requests
 * that nobody on the host looks at.
 */
bool hyvh_cmd_has_ah(const struct hyvh_cmd *cmd)
{
	const struct hyvh_vgids *vgids = &cmd->vnic->vgids;

	return cmd->ibdev->ops.create_user_ah &&
	       (!cmd->driver->wqe_addresses || vgids->lease ||
		!hyvh_vgids_enabled(vgids));
}

int hyvh_cmd_create_ah(struct hyvh_cmd *cmd)
{
	const struct hyv_create_ah_req *req = cmd->req;

	if (!hyvh_cmd_has_ah(cmd))
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	return hyvh_obj_create(cmd, &hyvh_ah_ops, HYV_OBJ_PD, req->pd);
}
