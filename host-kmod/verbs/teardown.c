// SPDX-License-Identifier: GPL-2.0-only
/*
 * Destroying objects, on request of the guest or with their context.
 */
#include <linux/kref.h>
#include <linux/module.h>
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
} hyvh_obj_ops[] = {
	{ HYV_OBJ_MW, "MW", hyvh_mw_destroy },
	{ HYV_OBJ_QP, "QP", hyvh_qp_destroy },
	{ HYV_OBJ_SRQ, "SRQ", hyvh_srq_destroy },
	{ HYV_OBJ_CQ, "CQ", hyvh_cq_destroy },
	{ HYV_OBJ_AH, "AH", hyvh_ah_destroy },
	{ HYV_OBJ_MR, "MR", hyvh_mr_destroy },
	{ HYV_OBJ_PD, "PD", hyvh_pd_destroy },
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
	kfree(obj);
	return 0;
}

/* Returns false if the HCA's driver failed to destroy an object. */
static bool hyvh_context_destroy_objs(struct hyvh_vnic *vnic,
				      struct hyvh_context *context)
{
	const struct hyvh_obj_ops *ops = hyvh_obj_ops;
	struct hyvh_obj *obj;
	bool done = true;

	for (; ops < hyvh_obj_ops + ARRAY_SIZE(hyvh_obj_ops); ops++) {
		while ((obj = hyvh_objs_take(&vnic->objs, ops->type,
					     &context->obj))) {
			/* The object is unused, so this should not fail. */
			if (!hyvh_obj_destroy(vnic, obj, ops))
				continue;
			pr_warn_ratelimited("%s: driver failed to destroy an object of type %s; leaking it\n",
					    vnic->hca_name, ops->name);
			hyvh_obj_erase(&vnic->objs, obj);
			done = false;
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
		 * The HCA may still call back for the leaked object. Keep its
		 * context, the vNIC and this module.
		 */
		kref_get(&vnic->ref);
		__module_get(THIS_MODULE);
		return;
	}
	hyvh_uctx_close(&context->uctx);
	kfree(context);
}

/*
 * Destroy all objects of a guest. Runs in the worker, while the holder of
 * teardown_rwsem (for writing) waits.
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
