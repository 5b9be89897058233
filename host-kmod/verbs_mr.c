// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "chunk.h"
#include "convert.h"
#include "dispatch.h"
#include "guest_map.h"
#include "verbs.h"
#include "vnic.h"

/* Most chunks of one region: 64 GiB of single 4 KiB pages. */
#define HYV_MAX_CHUNKS	(16U << 20)

/* What uverbs does with an MR that a driver has made. */
static void hyv_ib_mr_adopt(struct hyv_request *r, struct hyv_pd *pd,
			    struct ib_mr *mr)
{
	mr->device = r->ibdev;
	mr->pd = pd->ib;
	mr->type = IB_MR_TYPE_USER;
	mr->dm = NULL;
	mr->sig_attrs = NULL;
	mr->uobject = hyv_uctx_uobject(&pd->context->uctx);
	atomic_inc(&pd->ib->usecnt);
	hyv_restrack_own(&mr->res, RDMA_RESTRACK_MR, r->vnic->owner);
	rdma_restrack_add(&mr->res);
}

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

	hyv_ib_mr_adopt(r, pd, mr);
	mr->iova = le64_to_cpu(req->iova);
	mr->length = length;

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

/* Bytes that a region of this memory pins. */
static u64 hyv_mr_pinned(const struct hyv_list_view *list)
{
	return PAGE_ALIGN(offset_in_page(list->addr) + list->length);
}

/* Register guest memory; all that it needs besides the MR is gone after it. */
static int hyv_mr_register(struct hyv_request *r, struct hyv_mr *mr,
			   const struct hyv_reg_mr_req *req,
			   struct hyv_call *call)
{
	const struct hyv_list_view *list = &call->lists[0];
	struct hyv_stitch stitch;
	int ret;

	ret = hyv_guest_map(r->vnic, list, HYV_MAX_CHUNKS, &stitch);
	if (ret)
		return ret;
	mr->ib = hyv_ib_reg_mr(r, mr->pd, req, &stitch, list->length, call);
	/* The HCA's pins outlive the range. */
	hyv_stitch_unmap(&stitch);
	return PTR_ERR_OR_ZERO(mr->ib);
}

static int hyv_mr_check_access(struct hyv_request *r, u32 access)
{
	return hyv_access_check(access) ?:
	       ib_check_mr_access(r->ibdev, access);
}

/* May the memory beside the request be at @iova? */
static int hyv_mr_check_memory(const struct hyv_call *call, u64 iova)
{
	const struct hyv_list_view *list = &call->lists[0];

	if (call->nr_lists != 1 || list->slot)
		return -EINVAL;
	/* The rule of uverbs, which drivers rely on. */
	if (offset_in_page(list->addr) != offset_in_page(iova))
		return -EINVAL;
	/* It is not empty, and may end where all addresses do. */
	if (list->length > LONG_MAX || list->length - 1 > U64_MAX - iova)
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

	ret = hyv_mr_check_access(r, le32_to_cpu(req->access));
	if (ret)
		return ret;
	ret = hyv_mr_check_memory(call, le64_to_cpu(req->iova));
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
	mr->pinned = hyv_mr_pinned(&call->lists[0]);
	mutex_init(&mr->lock);

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
	mutex_destroy(&mr->lock);
	kfree(mr);
err_put:
	hyv_obj_put(&vnic->objs, pd);
	return ret;
}

/**
 * struct hyv_rereg - a re-registration
 * @flags: HYV_REREG_*
 * @access: new rights
 * @iova: new address
 * @pd: new PD, or the old one
 * @length: bytes of new memory
 * @stitch: the new memory, with HYV_REREG_TRANS
 */
struct hyv_rereg {
	u32 flags;
	u32 access;
	u64 iova;
	struct hyv_pd *pd;
	u64 length;
	struct hyv_stitch stitch;
};

static_assert(HYV_REREG_TRANS == IB_MR_REREG_TRANS);
static_assert(HYV_REREG_PD == IB_MR_REREG_PD);
static_assert(HYV_REREG_ACCESS == IB_MR_REREG_ACCESS);

/* The driver changes the MR, or makes another one that takes its place. */
static int hyv_ib_rereg_mr(struct hyv_request *r, struct hyv_mr *mr,
			   const struct hyv_rereg *rereg, struct hyv_call *call)
{
	struct hyv_uctx *uctx = &mr->pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mr *new, *old = mr->ib;
	struct ib_pd *old_pd = old->pd;
	int ret;

	ret = hyv_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ret;
	new = r->ibdev->ops.rereg_user_mr(old, rereg->flags, rereg->stitch.addr,
					  rereg->length, rereg->iova,
					  rereg->access, rereg->pd->ib,
					  &bundle.driver_udata);
	if (IS_ERR(new))
		return PTR_ERR(new);

	if (new) {
		hyv_ib_mr_adopt(r, rereg->pd, new);
		new->iova = old->iova;
		new->length = old->length;
		mr->ib = new;
	} else if (rereg->flags & HYV_REREG_PD) {
		/* Some drivers have set it already. */
		WRITE_ONCE(old->pd, rereg->pd->ib);
		atomic_inc(&old->pd->usecnt);
		/* The resource tracker may still look at the old one. */
		rdma_restrack_sync(&old->res);
		atomic_dec(&old_pd->usecnt);
	}
	if (rereg->flags & HYV_REREG_TRANS) {
		mr->ib->iova = rereg->iova;
		mr->ib->length = rereg->length;
	}
	if (new) {
		hyv_udata_none(&bundle, uctx);
		if (ib_dereg_mr_user(old, &bundle.driver_udata))
			pr_warn_ratelimited("%s refused to deregister the old MR\n",
					    r->vnic->hca_name);
	}
	/* There is no way back: what is not told is lost. */
	hyv_udata_end(&bundle, call);
	return 0;
}

static int hyv_mr_rereg_locked(struct hyv_request *r, struct hyv_mr *mr,
			       struct hyv_rereg *rereg, struct hyv_call *call)
{
	struct hyv_quota *quota = &r->vnic->pinned;
	u64 pinned;
	int ret;

	lockdep_assert_held(&mr->lock);
	if (!(rereg->flags & HYV_REREG_TRANS))
		return hyv_ib_rereg_mr(r, mr, rereg, call);

	/* The new memory is pinned before the old one is let go. */
	rereg->length = call->lists[0].length;
	pinned = hyv_mr_pinned(&call->lists[0]);
	ret = hyv_quota_charge(quota, pinned);
	if (ret)
		return ret;
	ret = -ENOMEM;
	if (hyv_mr_over_memlock(pinned))
		goto out_uncharge;
	ret = hyv_guest_map(r->vnic, &call->lists[0], HYV_MAX_CHUNKS,
			    &rereg->stitch);
	if (ret)
		goto out_uncharge;
	ret = hyv_ib_rereg_mr(r, mr, rereg, call);
	hyv_stitch_unmap(&rereg->stitch);
	if (!ret)
		swap(mr->pinned, pinned);
out_uncharge:
	hyv_quota_uncharge(quota, pinned);
	return ret;
}

static int hyv_mr_rereg(struct hyv_request *r, struct hyv_mr *mr,
			struct hyv_rereg *rereg, struct hyv_call *call)
{
	struct hyv_reg_mr_rsp *rsp = call->rsp;
	struct hyv_pd *old;
	int ret;

	mutex_lock(&mr->lock);
	old = mr->pd;
	if (!rereg->pd)
		rereg->pd = old;
	ret = -EINVAL;
	if (rereg->pd->context != old->context)
		goto out_unlock;
	ret = hyv_mr_rereg_locked(r, mr, rereg, call);
	if (!ret) {
		hyv_obj_use(&rereg->pd->obj);
		mr->pd = rereg->pd;
		hyv_obj_unuse(&old->obj);
		rsp->handle = cpu_to_le32(mr->obj.handle);
		rsp->lkey = cpu_to_le32(mr->ib->lkey);
		rsp->rkey = cpu_to_le32(mr->ib->rkey);
	}
out_unlock:
	mutex_unlock(&mr->lock);
	return ret;
}

static int hyv_rereg_check(struct hyv_request *r,
			   const struct hyv_rereg_mr_req *req,
			   const struct hyv_call *call)
{
	u32 flags = le32_to_cpu(req->flags);
	int ret;

	if (!r->ibdev->ops.rereg_user_mr)
		return -EOPNOTSUPP;
	if (!flags || flags & ~(u32)(HYV_REREG_TRANS | HYV_REREG_PD |
				     HYV_REREG_ACCESS) ||
	    (!(flags & HYV_REREG_PD) && req->pd) ||
	    (!(flags & HYV_REREG_ACCESS) && req->access))
		return -EINVAL;
	if (flags & HYV_REREG_ACCESS) {
		ret = hyv_mr_check_access(r, le32_to_cpu(req->access));
		if (ret)
			return ret;
	}
	if (flags & HYV_REREG_TRANS)
		return hyv_mr_check_memory(call, le64_to_cpu(req->iova));
	return call->nr_lists || req->iova ? -EINVAL : 0;
}

/**
 * hyv_cmd_rereg_mr() - handle HYV_CMD_REREG_MR
 * @arg: struct hyv_request
 * @call: the request
 *
 * Context: As all handlers. Takes long for big regions.
 * Return: 0 or a negative errno.
 */
int hyv_cmd_rereg_mr(void *arg, struct hyv_call *call)
{
	const struct hyv_rereg_mr_req *req = call->req;
	struct hyv_request *r = arg;
	struct hyv_objs *objs = &r->vnic->objs;
	struct hyv_rereg rereg = {
		.flags = le32_to_cpu(req->flags),
		.access = le32_to_cpu(req->access),
		.iova = le64_to_cpu(req->iova),
	};
	struct hyv_obj *obj, *pd = NULL;
	struct hyv_mr *mr;
	int ret;

	ret = hyv_rereg_check(r, req, call);
	if (ret)
		return ret;
	obj = hyv_obj_get(objs, le32_to_cpu(req->mr), HYV_OBJ_MR);
	if (!obj)
		return -ENOENT;
	mr = container_of(obj, struct hyv_mr, obj);
	if (rereg.flags & HYV_REREG_PD) {
		pd = hyv_obj_get(objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
		if (!pd) {
			ret = -ENOENT;
			goto out_put;
		}
		rereg.pd = container_of(pd, struct hyv_pd, obj);
	}

	ret = hyv_mr_rereg(r, mr, &rereg, call);
	if (pd)
		hyv_obj_put(objs, pd);
out_put:
	hyv_obj_put(objs, obj);
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
	mutex_destroy(&mr->lock);
	hyv_obj_unuse(&mr->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyv_obj_erase(&vnic->objs, obj);
	kfree(mr);
	return 0;
}
