// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of guest processes, their mappings, and the end of all objects.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "command/dispatch.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct hyvh_context *hyvh_context_get(struct hyvh_vnic *vnic, __le32 handle)
{
	struct hyvh_obj *obj = hyvh_obj_get(&vnic->objs, le32_to_cpu(handle),
					    HYV_OBJ_CONTEXT);

	return obj ? container_of(obj, struct hyvh_context, obj) : NULL;
}

/**
 * hyvh_cmd_alloc_context() - handle HYV_CMD_ALLOC_CONTEXT
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_alloc_context(void *arg, struct hyvh_call *call)
{
	struct hyv_create_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_context *context;
	int ret;

	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return -ENOMEM;
	INIT_LIST_HEAD(&context->mappings);

	ret = hyvh_obj_reserve(&vnic->objs, &context->obj, HYV_OBJ_CONTEXT,
			       NULL);
	if (ret)
		goto err_free;
	ret = hyvh_uctx_open(&context->uctx, &vnic->hca_path, vnic->hca_cred,
			     r->ibdev->ops.driver_id, vnic->owner, r->scratch,
			     call);
	if (ret)
		goto err_abort;
	/* The device's node may lead to another HCA by now. */
	if (context->uctx.ib->device != r->ibdev) {
		ret = -ENODEV;
		goto err_close;
	}

	rsp->handle = cpu_to_le32(context->obj.handle);
	hyvh_obj_publish(&vnic->objs, &context->obj);
	return 0;

err_close:
	hyvh_uctx_close(&context->uctx);
err_abort:
	hyvh_obj_abort(&vnic->objs, &context->obj);
err_free:
	kfree(context);
	return ret;
}

/**
 * hyvh_cmd_mmap() - handle HYV_CMD_MMAP
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_mmap(void *arg, struct hyvh_call *call)
{
	const struct hyv_mmap_req *req = call->req;
	struct hyv_mmap_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	u32 prot = le32_to_cpu(req->prot);
	struct hyvh_context *context;
	u64 offset;
	int ret;

	if (prot & ~(HYV_MMAP_READ | HYV_MMAP_WRITE))
		return -EINVAL;
	context = hyvh_context_get(vnic, req->context);
	if (!context)
		return -ENOENT;

	ret = hyvh_window_map(&vnic->window, &context->mappings,
			      context->uctx.file, le64_to_cpu(req->offset),
			      le64_to_cpu(req->length), prot & HYV_MMAP_WRITE,
			      &offset, &rsp->cache);
	if (!ret)
		rsp->window_offset = cpu_to_le64(offset);
	hyvh_obj_put(&vnic->objs, &context->obj);
	return ret;
}

/**
 * hyvh_cmd_munmap() - handle HYV_CMD_MUNMAP
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or -ENOENT.
 */
int hyvh_cmd_munmap(void *arg, struct hyvh_call *call)
{
	const struct hyv_munmap_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_context *context;
	int ret;

	context = hyvh_context_get(vnic, req->context);
	if (!context)
		return -ENOENT;
	ret = hyvh_window_unmap(&vnic->window, &context->mappings,
				le64_to_cpu(req->window_offset));
	hyvh_obj_put(&vnic->objs, &context->obj);
	return ret;
}

/*
 * How to destroy what has been removed from the table, by type. On success the
 * object is erased and freed; on failure it is as before the call. Leaves come
 * before what they use; a memory window may be bound to a QP and to an MR.
 */
static const struct {
	enum hyv_obj_type type;
	int (*destroy)(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
} hyvh_destroyers[] = {
	{ HYV_OBJ_MW, hyvh_mw_destroy },
	{ HYV_OBJ_QP, hyvh_qp_destroy },
	{ HYV_OBJ_SRQ, hyvh_srq_destroy },
	{ HYV_OBJ_CQ, hyvh_cq_destroy },
	{ HYV_OBJ_AH, hyvh_ah_destroy },
	{ HYV_OBJ_MR, hyvh_mr_destroy },
	{ HYV_OBJ_PD, hyvh_pd_destroy },
};

/* Destroy all that @context owns, and then itself; it is removed already. */
static void hyvh_context_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_context *context = container_of(obj, struct hyvh_context,
						    obj);
	struct hyvh_obj *child;
	bool leaked = false;
	int i;

	for (i = 0; i < ARRAY_SIZE(hyvh_destroyers); i++) {
		while ((child = hyvh_objs_take(&vnic->objs,
					       hyvh_destroyers[i].type, obj))) {
			/*
			 * With nothing left that uses it the HCA has no ground
			 * to refuse. If it does all the same the object, its
			 * context, the vNIC and this module stay: the HCA may
			 * still call back.
			 */
			if (hyvh_destroyers[i].destroy(vnic, child)) {
				pr_warn_ratelimited("%s refused to destroy an object of type %u\n",
						    vnic->hca_name,
						    child->type);
				hyvh_obj_erase(&vnic->objs, child);
				leaked = true;
			}
		}
	}
	hyvh_window_unmap_all(&vnic->window, &context->mappings);
	hyvh_obj_erase(&vnic->objs, obj);
	if (leaked) {
		kref_get(&vnic->ref);
		__module_get(THIS_MODULE);
		return;
	}
	hyvh_uctx_close(&context->uctx);
	kfree(context);
}

/**
 * hyvh_destroy_all() - destroy all objects of a guest
 * @vnic: a vNIC that executes no requests
 *
 * Context: The worker. May sleep.
 */
void hyvh_destroy_all(struct hyvh_vnic *vnic)
{
	struct hyvh_obj *obj;

	while ((obj = hyvh_objs_take(&vnic->objs, HYV_OBJ_CONTEXT, NULL)))
		hyvh_context_destroy(vnic, obj);
}

/**
 * hyvh_cmd_destroy() - handle HYV_CMD_DESTROY
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_destroy(void *arg, struct hyvh_call *call)
{
	const struct hyv_destroy_req *req = call->req;
	u32 type = le32_to_cpu(req->type);
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_obj *obj;
	int i, ret;

	obj = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->handle), type);
	if (!obj)
		return -ENOENT;
	ret = hyvh_obj_remove(&vnic->objs, obj);
	if (ret) {
		hyvh_obj_put(&vnic->objs, obj);
		return ret;
	}

	if (type == HYV_OBJ_CONTEXT) {
		hyvh_context_destroy(vnic, obj);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(hyvh_destroyers); i++)
		if (hyvh_destroyers[i].type == type)
			ret = hyvh_destroyers[i].destroy(vnic, obj);
	if (ret)
		hyvh_obj_restore(&vnic->objs, obj);
	return ret;
}
