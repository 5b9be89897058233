// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of guest processes, their mappings, and the end of all objects.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "dispatch.h"
#include "verbs.h"
#include "vnic.h"

static struct hyv_context *hyv_context_get(struct hyv_vnic *vnic, __le32 handle)
{
	struct hyv_obj *obj = hyv_obj_get(&vnic->objs, le32_to_cpu(handle),
					  HYV_OBJ_CONTEXT);

	return obj ? container_of(obj, struct hyv_context, obj) : NULL;
}

/**
 * hyv_cmd_alloc_context() - handle HYV_CMD_ALLOC_CONTEXT
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_alloc_context(void *arg, struct hyv_call *call)
{
	struct hyv_create_rsp *rsp = call->rsp;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_context *context;
	int ret;

	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return -ENOMEM;
	INIT_LIST_HEAD(&context->mappings);

	ret = hyv_obj_reserve(&vnic->objs, &context->obj, HYV_OBJ_CONTEXT,
			      NULL);
	if (ret)
		goto err_free;
	ret = hyv_uctx_open(&context->uctx, &vnic->hca_path, vnic->hca_cred,
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
	hyv_obj_publish(&vnic->objs, &context->obj);
	return 0;

err_close:
	hyv_uctx_close(&context->uctx);
err_abort:
	hyv_obj_abort(&vnic->objs, &context->obj);
err_free:
	kfree(context);
	return ret;
}

/**
 * hyv_cmd_mmap() - handle HYV_CMD_MMAP
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_mmap(void *arg, struct hyv_call *call)
{
	const struct hyv_mmap_req *req = call->req;
	struct hyv_mmap_rsp *rsp = call->rsp;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	u32 prot = le32_to_cpu(req->prot);
	struct hyv_context *context;
	u64 offset;
	int ret;

	if (prot & ~(HYV_MMAP_READ | HYV_MMAP_WRITE))
		return -EINVAL;
	context = hyv_context_get(vnic, req->context);
	if (!context)
		return -ENOENT;

	ret = hyv_window_map(&vnic->window, &context->mappings,
			     context->uctx.file, le64_to_cpu(req->offset),
			     le64_to_cpu(req->length), prot & HYV_MMAP_WRITE,
			     &offset, &rsp->cache);
	if (!ret)
		rsp->window_offset = cpu_to_le64(offset);
	hyv_obj_put(&vnic->objs, &context->obj);
	return ret;
}

/**
 * hyv_cmd_munmap() - handle HYV_CMD_MUNMAP
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or -ENOENT.
 */
int hyv_cmd_munmap(void *arg, struct hyv_call *call)
{
	const struct hyv_munmap_req *req = call->req;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_context *context;
	int ret;

	context = hyv_context_get(vnic, req->context);
	if (!context)
		return -ENOENT;
	ret = hyv_window_unmap(&vnic->window, &context->mappings,
			       le64_to_cpu(req->window_offset));
	hyv_obj_put(&vnic->objs, &context->obj);
	return ret;
}

/*
 * How to destroy what has been removed from the table, by type. On success the
 * object is erased and freed; on failure it is as before the call. Leaves come
 * before what they use; a memory window may be bound to a QP and to an MR.
 */
static const struct {
	enum hyv_obj_type type;
	int (*destroy)(struct hyv_vnic *vnic, struct hyv_obj *obj);
} hyv_destroyers[] = {
	{ HYV_OBJ_MW, hyv_mw_destroy },
	{ HYV_OBJ_QP, hyv_qp_destroy },
	{ HYV_OBJ_SRQ, hyv_srq_destroy },
	{ HYV_OBJ_CQ, hyv_cq_destroy },
	{ HYV_OBJ_AH, hyv_ah_destroy },
	{ HYV_OBJ_MR, hyv_mr_destroy },
	{ HYV_OBJ_PD, hyv_pd_destroy },
};

/* Destroy all that @context owns, and then itself; it is removed already. */
static void hyv_context_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj)
{
	struct hyv_context *context = container_of(obj, struct hyv_context,
						   obj);
	struct hyv_obj *child;
	bool leaked = false;
	int i;

	for (i = 0; i < ARRAY_SIZE(hyv_destroyers); i++) {
		while ((child = hyv_objs_take(&vnic->objs,
					      hyv_destroyers[i].type, obj))) {
			/*
			 * With nothing left that uses it the HCA has no ground
			 * to refuse. If it does all the same the object, its
			 * context, the vNIC and this module stay: the HCA may
			 * still call back.
			 */
			if (hyv_destroyers[i].destroy(vnic, child)) {
				pr_warn_ratelimited("%s refused to destroy an object of type %u\n",
						    vnic->hca_name,
						    child->type);
				hyv_obj_erase(&vnic->objs, child);
				leaked = true;
			}
		}
	}
	hyv_window_unmap_all(&vnic->window, &context->mappings);
	hyv_obj_erase(&vnic->objs, obj);
	if (leaked) {
		kref_get(&vnic->ref);
		__module_get(THIS_MODULE);
		return;
	}
	hyv_uctx_close(&context->uctx);
	kfree(context);
}

/**
 * hyv_destroy_all() - destroy all objects of a guest
 * @vnic: a vNIC that executes no requests
 *
 * Context: The worker. May sleep.
 */
void hyv_destroy_all(struct hyv_vnic *vnic)
{
	struct hyv_obj *obj;

	while ((obj = hyv_objs_take(&vnic->objs, HYV_OBJ_CONTEXT, NULL)))
		hyv_context_destroy(vnic, obj);
}

/**
 * hyv_cmd_destroy() - handle HYV_CMD_DESTROY
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_destroy(void *arg, struct hyv_call *call)
{
	const struct hyv_destroy_req *req = call->req;
	u32 type = le32_to_cpu(req->type);
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_obj *obj;
	int i, ret;

	obj = hyv_obj_get(&vnic->objs, le32_to_cpu(req->handle), type);
	if (!obj)
		return -ENOENT;
	ret = hyv_obj_remove(&vnic->objs, obj);
	if (ret) {
		hyv_obj_put(&vnic->objs, obj);
		return ret;
	}

	if (type == HYV_OBJ_CONTEXT) {
		hyv_context_destroy(vnic, obj);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(hyv_destroyers); i++)
		if (hyv_destroyers[i].type == type)
			ret = hyv_destroyers[i].destroy(vnic, obj);
	if (ret)
		hyv_obj_restore(&vnic->objs, obj);
	return ret;
}
