// SPDX-License-Identifier: GPL-2.0-only
/*
 * Destroying objects, on request of the guest or with their context.
 */
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "verbs/verbs.h"
#include "vnic.h"

/*
 * All types, except that of the contexts. Leaves come before the objects that
 * they use. An MW may be bound to a QP and to an MR.
 */
static const struct hyvh_obj_ops *const hyvh_obj_order[] = {
	&hyvh_mw_ops,
	&hyvh_qp_ops,
	&hyvh_srq_ops,
	&hyvh_cq_ops,
	&hyvh_xrcd_ops,
	&hyvh_ah_ops,
	&hyvh_mr_ops,
	&hyvh_pd_ops,
};

static_assert(ARRAY_SIZE(hyvh_obj_order) == HYV_OBJ_TYPES - 2);

static int hyvh_obj_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
			    const struct hyvh_obj_ops *ops)
{
	int ret = ops->destroy(vnic, obj);

	if (ret)
		return ret;
	hyvh_obj_uncharge(vnic, obj);
	/*
	 * After the object's use counts were dropped, because a teardown of the
	 * context waits for this and then frees the parents.
	 */
	hyvh_obj_erase(&vnic->objs, obj);
	/*
	 * rdma_rxe of 6.1 calls completion handlers in a tasklet that it does
	 * not wait for. The event sources are cancelled, but still read.
	 */
	kfree_rcu(obj, rcu);
	return 0;
}

static void hyvh_context_destroy_type(struct hyvh_vnic *vnic,
				      struct hyvh_context *context,
				      const struct hyvh_obj_ops *ops)
{
	struct hyvh_obj *obj;
	int ret;

	while ((obj = hyvh_objs_take(&vnic->objs, ops->type, &context->obj))) {
		/* It may have a user that is left. */
		ret = hyvh_obj_used(obj) ? -EBUSY :
		      hyvh_obj_destroy(vnic, obj, ops);
		if (ret) {
			hyvh_obj_leak(vnic, obj, ops, ret);
			hyvh_obj_erase(&vnic->objs, obj);
		}
		cond_resched();
	}
}

/*
 * Destroy a context, which was removed from the table, and its objects. Returns
 * -EBUSY if some are left: the HCA may go on to access memory of its MRs.
 */
static int hyvh_context_destroy(struct hyvh_vnic *vnic,
				struct hyvh_context *context)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hyvh_obj_order); i++)
		hyvh_context_destroy_type(vnic, context, hyvh_obj_order[i]);
	hyvh_window_unmap_all(&vnic->window, &context->mappings);
	hyvh_obj_erase(&vnic->objs, &context->obj);
	if (context->leaked) {
		/*
		 * The objects that are left use the context, its open file, the
		 * vNIC and the code of this module.
		 */
		kref_get(&vnic->ref);
		__module_get(THIS_MODULE);
		return -EBUSY;
	}
	hyvh_context_ops.destroy(vnic, &context->obj);
	kfree(context);
	return 0;
}

/*
 * Destroy all objects of a guest. The caller holds teardown_rwsem for writing.
 */
void hyvh_destroy_all(struct hyvh_vnic *vnic)
{
	struct hyvh_obj *obj;

	while ((obj = hyvh_objs_take(&vnic->objs, HYV_OBJ_CONTEXT, NULL)))
		hyvh_context_destroy(vnic, hyvh_to_context(obj));
}

static const struct hyvh_obj_ops *hyvh_obj_ops_of(enum hyv_obj_type type)
{
	int i = 0;

	while (hyvh_obj_order[i]->type != type)
		i++;
	return hyvh_obj_order[i];
}

int hyvh_cmd_destroy(struct hyvh_cmd *cmd)
{
	const struct hyv_destroy_req *req = cmd->req;
	struct hyvh_objs *objs = &cmd->vnic->objs;
	struct hyvh_obj *obj;
	int ret;

	obj = hyvh_cmd_obj_get(cmd, req->handle, le32_to_cpu(req->type));
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = hyvh_obj_remove(objs, obj);
	if (ret) {
		hyvh_obj_put(objs, obj);
		return hyvh_cmd_refuse(cmd, ret, "object is in use");
	}

	/* An object was found, so its type is valid. */
	if (obj->type == HYV_OBJ_CONTEXT) {
		ret = hyvh_context_destroy(cmd->vnic, hyvh_to_context(obj));
		if (ret)
			hyvh_cmd_refuse(cmd, ret, "driver keeps objects of it");
		return ret;
	}
	ret = hyvh_obj_destroy(cmd->vnic, obj, hyvh_obj_ops_of(obj->type));
	if (ret)
		hyvh_obj_restore(objs, obj);
	return ret;
}
