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

#include "memory/chunk.h"
#include "command/convert.h"
#include "command/dispatch.h"
#include "memory/guest_map.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Most chunks of one region: 64 GiB of single 4 KiB pages. */
#define HYVH_MAX_CHUNKS	(16U << 20)

/* What uverbs does with an MR that a driver has made. */
static void hyvh_ib_mr_adopt(struct hyvh_request *r, struct hyvh_pd *pd,
			     struct ib_mr *mr)
{
	mr->device = r->ibdev;
	mr->pd = pd->ib;
	mr->type = IB_MR_TYPE_USER;
	mr->dm = NULL;
	mr->sig_attrs = NULL;
	mr->uobject = hyvh_uctx_uobject(&pd->context->uctx);
	atomic_inc(&pd->ib->usecnt);
	hyvh_restrack_own(&mr->res, RDMA_RESTRACK_MR, r->vnic->owner);
	rdma_restrack_add(&mr->res);
}

static struct ib_mr *hyvh_ib_reg_mr(struct hyvh_request *r, struct hyvh_pd *pd,
				    const struct hyv_reg_mr_req *req,
				    const struct hyvh_stitch *stitch, u64 length,
				    struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mr *mr;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ERR_PTR(ret);
	mr = r->ibdev->ops.reg_user_mr(pd->ib, stitch->addr, length,
				       le64_to_cpu(req->iova),
				       le32_to_cpu(req->access),
				       &bundle.driver_udata);
	if (IS_ERR(mr))
		return mr;

	hyvh_ib_mr_adopt(r, pd, mr);
	mr->iova = le64_to_cpu(req->iova);
	mr->length = length;

	ret = hyvh_udata_end(&bundle, call);
	if (ret) {
		hyvh_udata_none(&bundle, uctx);
		ib_dereg_mr_user(mr, &bundle.driver_udata);
		return ERR_PTR(ret);
	}
	return mr;
}

/*
 * What the driver's umem is going to refuse must not be pinned or described
 * first: a list of chunks may name the same page millions of times.
 */
static bool hyvh_mr_over_memlock(u64 bytes)
{
	u64 pinned = (u64)atomic64_read(&current->mm->pinned_vm) << PAGE_SHIFT;
	u64 limit = rlimit(RLIMIT_MEMLOCK);

	return (pinned > limit || bytes > limit - pinned) &&
	       !capable(CAP_IPC_LOCK);
}

/* Bytes that a region of this memory pins. */
static u64 hyvh_mr_pinned(const struct hyvh_list_view *list)
{
	return PAGE_ALIGN(offset_in_page(list->addr) + list->length);
}

/* Register guest memory; all that it needs besides the MR is gone after it. */
static int hyvh_mr_register(struct hyvh_request *r, struct hyvh_mr *mr,
			    const struct hyv_reg_mr_req *req,
			    struct hyvh_call *call)
{
	const struct hyvh_list_view *list = &call->lists[0];
	struct hyvh_stitch stitch;
	int ret;

	ret = hyvh_guest_map(r->vnic, list, HYVH_MAX_CHUNKS, &stitch);
	if (ret)
		return ret;
	mr->ib = hyvh_ib_reg_mr(r, mr->pd, req, &stitch, list->length, call);
	/* The HCA's pins outlive the range. */
	hyvh_stitch_unmap(&stitch);
	return PTR_ERR_OR_ZERO(mr->ib);
}

static int hyvh_mr_check_access(struct hyvh_request *r, u32 access)
{
	return hyvh_access_check(access) ?:
	       ib_check_mr_access(r->ibdev, access);
}

/* May the memory beside the request be at @iova? */
static int hyvh_mr_check_memory(const struct hyvh_call *call, u64 iova)
{
	const struct hyvh_list_view *list = &call->lists[0];

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
 * hyvh_cmd_reg_mr() - handle HYV_CMD_REG_MR
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers. Takes long for big regions.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_reg_mr(void *arg, struct hyvh_call *call)
{
	const struct hyv_reg_mr_req *req = call->req;
	struct hyv_reg_mr_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct hyvh_obj *pd;
	struct hyvh_mr *mr;
	int ret;

	ret = hyvh_mr_check_access(r, le32_to_cpu(req->access));
	if (ret)
		return ret;
	ret = hyvh_mr_check_memory(call, le64_to_cpu(req->iova));
	if (ret)
		return ret;
	pd = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr) {
		ret = -ENOMEM;
		goto err_put;
	}
	mr->pd = container_of(pd, struct hyvh_pd, obj);
	mr->pinned = hyvh_mr_pinned(&call->lists[0]);
	mutex_init(&mr->lock);

	ret = hyvh_obj_reserve(&vnic->objs, &mr->obj, HYV_OBJ_MR, pd->owner);
	if (ret)
		goto err_free;
	ret = hyvh_quota_charge(&vnic->pinned, mr->pinned);
	if (ret)
		goto err_abort;
	if (hyvh_mr_over_memlock(mr->pinned)) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	ret = hyvh_mr_register(r, mr, req, call);
	if (ret)
		goto err_uncharge;

	hyvh_obj_use(pd);
	rsp->handle = cpu_to_le32(mr->obj.handle);
	rsp->lkey = cpu_to_le32(mr->ib->lkey);
	rsp->rkey = cpu_to_le32(mr->ib->rkey);
	hyvh_obj_publish(&vnic->objs, &mr->obj);
	hyvh_obj_put(&vnic->objs, pd);
	return 0;

err_uncharge:
	hyvh_quota_uncharge(&vnic->pinned, mr->pinned);
err_abort:
	hyvh_obj_abort(&vnic->objs, &mr->obj);
err_free:
	mutex_destroy(&mr->lock);
	kfree(mr);
err_put:
	hyvh_obj_put(&vnic->objs, pd);
	return ret;
}

/**
 * struct hyvh_rereg - a re-registration
 * @flags: HYVH_REREG_*
 * @access: new rights
 * @iova: new address
 * @pd: new PD, or the old one
 * @length: bytes of new memory
 * @stitch: the new memory, with HYV_REREG_TRANS
 */
struct hyvh_rereg {
	u32 flags;
	u32 access;
	u64 iova;
	struct hyvh_pd *pd;
	u64 length;
	struct hyvh_stitch stitch;
};

static_assert(HYV_REREG_TRANS == IB_MR_REREG_TRANS);
static_assert(HYV_REREG_PD == IB_MR_REREG_PD);
static_assert(HYV_REREG_ACCESS == IB_MR_REREG_ACCESS);

/* The driver changes the MR, or makes another one that takes its place. */
static int hyvh_ib_rereg_mr(struct hyvh_request *r, struct hyvh_mr *mr,
			    const struct hyvh_rereg *rereg, struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &mr->pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mr *new, *old = mr->ib;
	struct ib_pd *old_pd = old->pd;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ret;
	new = r->ibdev->ops.rereg_user_mr(old, rereg->flags, rereg->stitch.addr,
					  rereg->length, rereg->iova,
					  rereg->access, rereg->pd->ib,
					  &bundle.driver_udata);
	if (IS_ERR(new))
		return PTR_ERR(new);

	if (new) {
		hyvh_ib_mr_adopt(r, rereg->pd, new);
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
		hyvh_udata_none(&bundle, uctx);
		if (ib_dereg_mr_user(old, &bundle.driver_udata))
			pr_warn_ratelimited("%s refused to deregister the old MR\n",
					    r->vnic->hca_name);
	}
	/* There is no way back: what is not told is lost. */
	hyvh_udata_end(&bundle, call);
	return 0;
}

static int hyvh_mr_rereg_locked(struct hyvh_request *r, struct hyvh_mr *mr,
				struct hyvh_rereg *rereg, struct hyvh_call *call)
{
	struct hyvh_quota *quota = &r->vnic->pinned;
	u64 pinned;
	int ret;

	lockdep_assert_held(&mr->lock);
	if (!(rereg->flags & HYV_REREG_TRANS))
		return hyvh_ib_rereg_mr(r, mr, rereg, call);

	/* The new memory is pinned before the old one is let go. */
	rereg->length = call->lists[0].length;
	pinned = hyvh_mr_pinned(&call->lists[0]);
	ret = hyvh_quota_charge(quota, pinned);
	if (ret)
		return ret;
	ret = -ENOMEM;
	if (hyvh_mr_over_memlock(pinned))
		goto out_uncharge;
	ret = hyvh_guest_map(r->vnic, &call->lists[0], HYVH_MAX_CHUNKS,
			     &rereg->stitch);
	if (ret)
		goto out_uncharge;
	ret = hyvh_ib_rereg_mr(r, mr, rereg, call);
	hyvh_stitch_unmap(&rereg->stitch);
	if (!ret)
		swap(mr->pinned, pinned);
out_uncharge:
	hyvh_quota_uncharge(quota, pinned);
	return ret;
}

static int hyvh_mr_rereg(struct hyvh_request *r, struct hyvh_mr *mr,
			 struct hyvh_rereg *rereg, struct hyvh_call *call)
{
	struct hyv_reg_mr_rsp *rsp = call->rsp;
	struct hyvh_pd *old;
	int ret;

	mutex_lock(&mr->lock);
	old = mr->pd;
	if (!rereg->pd)
		rereg->pd = old;
	ret = -EINVAL;
	if (rereg->pd->context != old->context)
		goto out_unlock;
	ret = hyvh_mr_rereg_locked(r, mr, rereg, call);
	if (!ret) {
		hyvh_obj_use(&rereg->pd->obj);
		mr->pd = rereg->pd;
		hyvh_obj_unuse(&old->obj);
		rsp->handle = cpu_to_le32(mr->obj.handle);
		rsp->lkey = cpu_to_le32(mr->ib->lkey);
		rsp->rkey = cpu_to_le32(mr->ib->rkey);
	}
out_unlock:
	mutex_unlock(&mr->lock);
	return ret;
}

static int hyvh_rereg_check(struct hyvh_request *r,
			    const struct hyv_rereg_mr_req *req,
			    const struct hyvh_call *call)
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
		ret = hyvh_mr_check_access(r, le32_to_cpu(req->access));
		if (ret)
			return ret;
	}
	if (flags & HYV_REREG_TRANS)
		return hyvh_mr_check_memory(call, le64_to_cpu(req->iova));
	return call->nr_lists || req->iova ? -EINVAL : 0;
}

/**
 * hyvh_cmd_rereg_mr() - handle HYV_CMD_REREG_MR
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers. Takes long for big regions.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_rereg_mr(void *arg, struct hyvh_call *call)
{
	const struct hyv_rereg_mr_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct hyvh_rereg rereg = {
		.flags = le32_to_cpu(req->flags),
		.access = le32_to_cpu(req->access),
		.iova = le64_to_cpu(req->iova),
	};
	struct hyvh_obj *obj, *pd = NULL;
	struct hyvh_mr *mr;
	int ret;

	ret = hyvh_rereg_check(r, req, call);
	if (ret)
		return ret;
	obj = hyvh_obj_get(objs, le32_to_cpu(req->mr), HYV_OBJ_MR);
	if (!obj)
		return -ENOENT;
	mr = container_of(obj, struct hyvh_mr, obj);
	if (rereg.flags & HYV_REREG_PD) {
		pd = hyvh_obj_get(objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
		if (!pd) {
			ret = -ENOENT;
			goto out_put;
		}
		rereg.pd = container_of(pd, struct hyvh_pd, obj);
	}

	ret = hyvh_mr_rereg(r, mr, &rereg, call);
	if (pd)
		hyvh_obj_put(objs, pd);
out_put:
	hyvh_obj_put(objs, obj);
	return ret;
}

/**
 * hyvh_mr_destroy() - deregister an MR that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_mr_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_mr *mr = container_of(obj, struct hyvh_mr, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &mr->pd->context->uctx);
	ret = ib_dereg_mr_user(mr->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_quota_uncharge(&vnic->pinned, mr->pinned);
	mutex_destroy(&mr->lock);
	hyvh_obj_unuse(&mr->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(mr);
	return 0;
}
