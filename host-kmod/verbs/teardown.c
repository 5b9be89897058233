// SPDX-License-Identifier: GPL-2.0-only
/*
 * Destroying objects, on request of the guest or with their context.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "verbs/verbs.h"
#include "vnic.h"

/*
 * Leaves come before the objects that they use. An MW may be bound to a QP and
 * to an MR.
 */
static const struct hyvh_obj_ops {
	enum hyv_obj_type type;
	const char *name;
	int (*destroy)(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
	/* Drop the events of an object that stays; NULL if it has none. */
	void (*silence)(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
} hyvh_obj_ops[] = {
	{ HYV_OBJ_MW, "MW", hyvh_mw_destroy, NULL },
	{ HYV_OBJ_QP, "QP", hyvh_qp_destroy, hyvh_qp_silence },
	{ HYV_OBJ_SRQ, "SRQ", hyvh_srq_destroy, hyvh_srq_silence },
	{ HYV_OBJ_CQ, "CQ", hyvh_cq_destroy, hyvh_cq_silence },
	{ HYV_OBJ_AH, "AH", hyvh_ah_destroy, NULL },
	{ HYV_OBJ_MR, "MR", hyvh_mr_destroy, NULL },
	{ HYV_OBJ_PD, "PD", hyvh_pd_destroy, NULL },
};

/* All types, except that of the contexts. */
static_assert(ARRAY_SIZE(hyvh_obj_ops) == HYV_OBJ_TYPES - 2);

static int hyvh_obj_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
			    const struct hyvh_obj_ops *ops)
{
	int ret = ops->destroy(vnic, obj);

	if (ret)
		return ret;
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

/*
 * Give up an object that the HCA's driver does not destroy. The HCA may still
 * use its memory and call back for it, so the object stays until the host
 * restarts, with the use counts and quotas that it holds, but without a handle.
 */
static void hyvh_obj_leak(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
			  const struct hyvh_obj_ops *ops, int err)
{
	if (ops->silence)
		ops->silence(vnic, obj);
	if (atomic_inc_return(&vnic->nr_leaked) == 1)
		pr_warn_ratelimited("%s: driver failed to destroy a %s of vNIC %u: %pe; it stays until the host restarts, and so does what it uses\n",
				    vnic->hca_name, ops->name, vnic->id,
				    ERR_PTR(err));
	hyvh_obj_erase(&vnic->objs, obj);
}

/* Returns false if an object is left. */
static bool hyvh_context_destroy_objs(struct hyvh_vnic *vnic,
				      struct hyvh_context *context)
{
	const struct hyvh_obj_ops *ops = hyvh_obj_ops;
	struct hyvh_obj *obj;
	bool done = true;
	int ret;

	for (; ops < hyvh_obj_ops + ARRAY_SIZE(hyvh_obj_ops); ops++) {
		while ((obj = hyvh_objs_take(&vnic->objs, ops->type,
					     &context->obj))) {
			/* It may have a user that is left. */
			ret = hyvh_obj_used(obj) ? -EBUSY :
			      hyvh_obj_destroy(vnic, obj, ops);
			if (ret) {
				hyvh_obj_leak(vnic, obj, ops, ret);
				done = false;
			}
			cond_resched();
		}
	}
	return done;
}

/* Destroy a context, which was removed from the table, and its objects. */
static void hyvh_context_destroy(struct hyvh_vnic *vnic,
				 struct hyvh_context *context)
{
	bool done = hyvh_context_destroy_objs(vnic, context);

	hyvh_window_unmap_all(&vnic->window, &context->mappings);
	hyvh_obj_erase(&vnic->objs, &context->obj);
	if (!done) {
		/*
		 * The objects that are left use the context, its open file, the
		 * vNIC and the code of this module.
		 */
		kref_get(&vnic->ref);
		__module_get(THIS_MODULE);
		return;
	}
	hyvh_uctx_close(&context->uctx);
	kfree(context);
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
	const struct hyvh_obj_ops *ops = hyvh_obj_ops;

	while (ops->type != type)
		ops++;
	return ops;
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
		hyvh_context_destroy(cmd->vnic, hyvh_to_context(obj));
		return 0;
	}
	ret = hyvh_obj_destroy(cmd->vnic, obj, hyvh_obj_ops_of(obj->type));
	if (ret)
		hyvh_obj_restore(objs, obj);
	return ret;
}
