// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "chunk.h"
#include "convert.h"
#include "dispatch.h"
#include "stitch.h"
#include "stitch_plan.h"
#include "verbs.h"
#include "vnic.h"

/* Most chunks of one region: 64 GiB of single 4 KiB pages. */
#define HYV_MAX_CHUNKS	(16U << 20)

static struct ib_mr *hyv_ib_reg_mr(struct hyv_request *r, struct hyv_pd *pd,
				   const struct hyv_reg_mr_req *req,
				   const struct hyv_stitch *stitch, u64 length,
				   struct hyv_call *call)
{
	struct hyv_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mr *mr;
	int ret;

	ret = hyv_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ERR_PTR(ret);
	mr = r->ibdev->ops.reg_user_mr(pd->ib, stitch->addr, length,
				       le64_to_cpu(req->iova),
				       le32_to_cpu(req->access),
				       &bundle.driver_udata);
	if (IS_ERR(mr))
		return mr;

	mr->device = r->ibdev;
	mr->pd = pd->ib;
	mr->type = IB_MR_TYPE_USER;
	mr->dm = NULL;
	mr->sig_attrs = NULL;
	mr->uobject = hyv_uctx_uobject(uctx);
	mr->iova = le64_to_cpu(req->iova);
	mr->length = length;
	atomic_inc(&pd->ib->usecnt);
	hyv_restrack_own(&mr->res, RDMA_RESTRACK_MR, r->vnic->owner);
	rdma_restrack_add(&mr->res);

	ret = hyv_udata_end(&bundle, call);
	if (ret) {
		hyv_udata_none(&bundle, uctx);
		ib_dereg_mr_user(mr, &bundle.driver_udata);
		return ERR_PTR(ret);
	}
	return mr;
}

/*
 * What the driver's umem is going to refuse must not be pinned or described
 * first: a list of chunks may name the same page millions of times.
 */
static bool hyv_mr_over_memlock(u64 bytes)
{
	u64 pinned = (u64)atomic64_read(&current->mm->pinned_vm) << PAGE_SHIFT;
	u64 limit = rlimit(RLIMIT_MEMLOCK);

	return (pinned > limit || bytes > limit - pinned) &&
	       !capable(CAP_IPC_LOCK);
}

/* Register guest memory; all that it needs besides the MR is gone after it. */
static int hyv_mr_register(struct hyv_request *r, struct hyv_mr *mr,
			   const struct hyv_reg_mr_req *req,
			   struct hyv_call *call)
{
	const struct hyv_list_view *list = &call->lists[0];
	struct hyv_stitch_plan plan;
	struct hyv_stitch stitch;
	struct hyv_guest_mem *mem;
	struct hyv_chunks chunks;
	int ret;

	mem = hyv_vnic_get_mem(r->vnic);
	if (!mem)
		return -EFAULT;
	/*
	 * What describes a region takes memory while it is registered. No
	 * honest guest has a region larger than its memory, but a list of
	 * chunks can name the same page for ever.
	 */
	ret = -EFAULT;
	if (list->length > hyv_memmap_bytes(mem->map))
		goto out_mem;
	ret = hyv_chunks_load(&chunks, list, HYV_MAX_CHUNKS, hyv_guest_read,
			      mem);
	if (ret)
		goto out_mem;
	ret = hyv_stitch_plan_make(&plan, mem->map, &chunks,
				   HYV_STITCH_MAX_VMAS);
	if (ret)
		goto out_chunks;
	ret = hyv_stitch_map(&stitch, &plan);
	if (ret)
		goto out_plan;

	mr->ib = hyv_ib_reg_mr(r, mr->pd, req, &stitch, chunks.length, call);
	ret = PTR_ERR_OR_ZERO(mr->ib);
	/* The HCA's pins outlive the range. */
	hyv_stitch_unmap(&stitch);
out_plan:
	hyv_stitch_plan_release(&plan);
out_chunks:
	hyv_chunks_release(&chunks);
out_mem:
	hyv_guest_mem_put(mem);
	return ret;
}

static int hyv_mr_check(struct hyv_request *r, const struct hyv_reg_mr_req *req,
			struct hyv_call *call)
{
	const struct hyv_list_view *list = &call->lists[0];
	u32 access = le32_to_cpu(req->access);
	u64 iova = le64_to_cpu(req->iova);
	int ret;

	if (call->nr_lists != 1 || list->slot)
		return -EINVAL;
	ret = hyv_access_check(access);
	if (ret)
		return ret;
	ret = ib_check_mr_access(r->ibdev, access);
	if (ret)
		return ret;
	/* The rule of uverbs, which drivers rely on. */
	if (offset_in_page(list->addr) != offset_in_page(iova))
		return -EINVAL;
	if (list->length > U64_MAX - iova || list->length > LONG_MAX)
		return -EINVAL;
	return 0;
}

/**
 * hyv_cmd_reg_mr() - handle HYV_CMD_REG_MR
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers. Takes long for big regions.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_reg_mr(void *arg, struct hyv_call *call)
{
	const struct hyv_reg_mr_req *req = call->req;
	struct hyv_reg_mr_rsp *rsp = call->rsp;
	struct hyv_request *r = arg;
	struct hyv_vnic *vnic = r->vnic;
	struct hyv_obj *pd;
	struct hyv_mr *mr;
	int ret;

	ret = hyv_mr_check(r, req, call);
	if (ret)
		return ret;
	pd = hyv_obj_get(&vnic->objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr) {
		ret = -ENOMEM;
		goto err_put;
	}
	mr->pd = container_of(pd, struct hyv_pd, obj);
	mr->pinned = PAGE_ALIGN(offset_in_page(call->lists[0].addr) +
				call->lists[0].length);

	ret = hyv_obj_reserve(&vnic->objs, &mr->obj, HYV_OBJ_MR, pd->owner);
	if (ret)
		goto err_free;
	ret = hyv_quota_charge(&vnic->pinned, mr->pinned);
	if (ret)
		goto err_abort;
	if (hyv_mr_over_memlock(mr->pinned)) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	ret = hyv_mr_register(r, mr, req, call);
	if (ret)
		goto err_uncharge;

	hyv_obj_use(pd);
	rsp->handle = cpu_to_le32(mr->obj.handle);
	rsp->lkey = cpu_to_le32(mr->ib->lkey);
	rsp->rkey = cpu_to_le32(mr->ib->rkey);
	hyv_obj_publish(&vnic->objs, &mr->obj);
	hyv_obj_put(&vnic->objs, pd);
	return 0;

err_uncharge:
	hyv_quota_uncharge(&vnic->pinned, mr->pinned);
err_abort:
	hyv_obj_abort(&vnic->objs, &mr->obj);
err_free:
	kfree(mr);
err_put:
	hyv_obj_put(&vnic->objs, pd);
	return ret;
}

/**
 * hyv_mr_destroy() - deregister an MR that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyv_mr_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj)
{
	struct hyv_mr *mr = container_of(obj, struct hyv_mr, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyv_udata_none(&bundle, &mr->pd->context->uctx);
	ret = ib_dereg_mr_user(mr->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	hyv_quota_uncharge(&vnic->pinned, mr->pinned);
	hyv_obj_unuse(&mr->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyv_obj_erase(&vnic->objs, obj);
	kfree(mr);
	return 0;
}
