// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions (MRs), and memory windows (MWs), which guests bind to them by
 * work requests.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <compat/ib_private.h>
#include <compat/ib_verbs.h>

#include "command/convert.h"
#include "memory/stitch.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Most chunks of an MR: 64 GiB of single 4 KiB pages. */
#define HYVH_MAX_CHUNKS	(16U << 20)

/* Initialise an MR from the HCA's driver like uverbs. */
static void hyvh_ib_mr_adopt(struct hyvh_cmd *cmd, struct hyvh_pd *pd,
			     struct ib_mr *mr)
{
	mr->device = cmd->ibdev;
	mr->pd = pd->ib;
	mr->type = IB_MR_TYPE_USER;
	mr->dm = NULL;
	mr->sig_attrs = NULL;
	compat_mr_set_dmah(mr, NULL);
	mr->uobject = hyvh_uctx_uobject(&pd->context->uctx);
	atomic_inc(&pd->ib->usecnt);
	hyvh_restrack_own(&mr->res, RDMA_RESTRACK_MR, cmd->vnic->owner);
	rdma_restrack_add(&mr->res);
}

static struct ib_mr *hyvh_ib_reg_mr(struct hyvh_cmd *cmd, struct hyvh_pd *pd,
				    unsigned long addr, u64 length)
{
	const struct hyv_reg_mr_req *req = cmd->req;
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mr *mr;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		return ERR_PTR(ret);
	mr = compat_reg_user_mr(pd->ib, addr, length, le64_to_cpu(req->iova),
				le32_to_cpu(req->access), NULL,
				&bundle.driver_udata);
	if (IS_ERR(mr))
		return mr;

	hyvh_ib_mr_adopt(cmd, pd, mr);
	mr->iova = le64_to_cpu(req->iova);
	mr->length = length;
	return mr;
}

/* Bytes that an MR of this memory pins, at most LONG_MAX + 2 pages. */
static u64 hyvh_mr_pinned(const struct hyvh_list_view *list)
{
	return PAGE_ALIGN(offset_in_page(list->addr) + list->length);
}

/*
 * Bytes of host memory that describe an MR: its structures, and what ib_core and
 * drivers keep for each page, which is 48 bytes at most for rdma_rxe.
 */
static u64 hyvh_mr_bytes(u64 pinned)
{
	return SZ_1K + hyvh_mr_page_bytes(pinned);
}

static int hyvh_mr_charge(struct hyvh_cmd *cmd, u64 pinned)
{
	return hyvh_cmd_charge_pins(cmd, 1, pinned, hyvh_mr_bytes(pinned));
}

static void hyvh_mr_uncharge(struct hyvh_vnic *vnic, u64 pinned)
{
	hyvh_uncharge_pins(vnic, 1, pinned, hyvh_mr_bytes(pinned));
}

static int hyvh_mr_stitch(struct hyvh_cmd *cmd, struct hyvh_stitch *stitch)
{
	const struct hyvh_list_view *list = &cmd->lists[0];
	struct hyvh_stitch_how how = { .max_chunks = HYVH_MAX_CHUNKS };
	int ret;

	ret = hyvh_cmd_check_memlock(cmd, hyvh_mr_pinned(list));
	if (ret)
		return ret;
	ret = hyvh_stitch_guest(stitch, &cmd->vnic->mem, list, &how);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "cannot stitch guest memory");
	return 0;
}

static int hyvh_mr_check_access(struct hyvh_cmd *cmd, u32 access)
{
	int ret;

	ret = hyvh_access_check(access) ?:
	      ib_check_mr_access(cmd->ibdev, access);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "invalid access flags 0x%x",
				       access);
	return 0;
}

/* Check that the memory of the request can be registered at @iova. */
static int hyvh_mr_check_memory(struct hyvh_cmd *cmd, u64 iova)
{
	const struct hyvh_list_view *list = &cmd->lists[0];

	if (cmd->nr_lists != 1 || list->slot)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "chunk list for slot 0 expected");
	/* The rule of uverbs, which drivers rely on. */
	if (offset_in_page(list->addr) != offset_in_page(iova))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "address and IOVA differ in their page offset");
	/* The length is not 0, and iova + length may be 2^64. */
	if (list->length > LONG_MAX || list->length - 1 > U64_MAX - iova)
		return hyvh_cmd_refuse(cmd, -EINVAL, "length 0x%llx too large",
				       list->length);
	return 0;
}

static int hyvh_mr_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *pd)
{
	struct hyv_reg_mr_rsp *rsp = cmd->rsp;
	struct hyvh_mr *mr = hyvh_to_mr(obj);
	struct hyvh_stitch stitch;
	int ret;

	mr->pd = hyvh_to_pd(pd);
	mr->pinned = hyvh_mr_pinned(&cmd->lists[0]);
	ret = hyvh_mr_charge(cmd, mr->pinned);
	if (ret)
		return ret;
	ret = hyvh_mr_stitch(cmd, &stitch);
	if (ret)
		goto err_uncharge;
	mr->ib = hyvh_ib_reg_mr(cmd, mr->pd, stitch.addr, cmd->lists[0].length);
	/* The HCA's pins outlive the range. */
	hyvh_stitch_unmap(&stitch);
	if (IS_ERR(mr->ib)) {
		ret = PTR_ERR(mr->ib);
		goto err_uncharge;
	}
	mutex_init(&mr->lock);
	rsp->lkey = cpu_to_le32(mr->ib->lkey);
	rsp->rkey = cpu_to_le32(mr->ib->rkey);
	return 0;

err_uncharge:
	hyvh_mr_uncharge(cmd->vnic, mr->pinned);
	return ret;
}

static int hyvh_ib_dereg_mr(struct hyvh_mr *mr, struct ib_mr *ib)
{
	struct uverbs_attr_bundle bundle;

	hyvh_udata_none(&bundle, &mr->pd->context->uctx);
	return ib_dereg_mr_user(ib, &bundle.driver_udata);
}

static int hyvh_mr_drop_stale(struct hyvh_vnic *vnic, struct hyvh_mr *mr)
{
	int ret;

	if (!mr->stale)
		return 0;
	ret = hyvh_ib_dereg_mr(mr, mr->stale);
	if (ret)
		return ret;
	mr->stale = NULL;
	if (mr->stale_pinned)
		hyvh_mr_uncharge(vnic, mr->stale_pinned);
	mr->stale_pinned = 0;
	hyvh_obj_unuse(&mr->stale_pd->obj);
	return 0;
}

static int hyvh_mr_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_mr *mr = hyvh_to_mr(obj);
	int ret;

	ret = hyvh_mr_drop_stale(vnic, mr) ?: hyvh_ib_dereg_mr(mr, mr->ib);
	if (ret)
		return ret;
	mutex_destroy(&mr->lock);
	hyvh_mr_uncharge(vnic, mr->pinned);
	hyvh_obj_unuse(&mr->pd->obj);
	return 0;
}

const struct hyvh_obj_ops hyvh_mr_ops = {
	.type = HYV_OBJ_MR,
	.name = "MR",
	.size = sizeof(struct hyvh_mr),
	.build = hyvh_mr_build,
	.destroy = hyvh_mr_destroy,
};

/* Takes long for large MRs. */
int hyvh_cmd_reg_mr(struct hyvh_cmd *cmd)
{
	const struct hyv_reg_mr_req *req = cmd->req;
	int ret;

	ret = hyvh_mr_check_access(cmd, le32_to_cpu(req->access));
	if (ret)
		return ret;
	ret = hyvh_mr_check_memory(cmd, le64_to_cpu(req->iova));
	if (ret)
		return ret;
	return hyvh_obj_create(cmd, &hyvh_mr_ops, HYV_OBJ_PD, req->pd);
}

static_assert(HYV_REREG_TRANS == IB_MR_REREG_TRANS);
static_assert(HYV_REREG_PD == IB_MR_REREG_PD);
static_assert(HYV_REREG_ACCESS == IB_MR_REREG_ACCESS);

/*
 * Put @new, an MR of @pd from the driver, in the place of the old one. If the
 * driver keeps the old one, its memory is still accessible: the guest must keep
 * it pinned, so the request fails, and the new MR is destroyed.
 */
static int hyvh_mr_replace(struct hyvh_mr *mr, struct hyvh_pd *pd,
			   struct ib_mr *new)
{
	int ret = hyvh_ib_dereg_mr(mr, mr->ib);

	if (!ret) {
		mr->ib = new;
		return 0;
	}
	if (hyvh_ib_dereg_mr(mr, new)) {
		mr->stale = new;
		mr->stale_pd = pd;
		hyvh_obj_use(&pd->obj);
	}
	return ret;
}

/* The driver has moved the MR to another PD, which some set themselves. */
static void hyvh_ib_mr_moved(struct ib_mr *mr, struct ib_pd *old_pd,
			     struct ib_pd *pd)
{
	WRITE_ONCE(mr->pd, pd);
	atomic_inc(&pd->usecnt);
	/* The resource tracker may still be reading the old PD. */
	compat_restrack_sync(&mr->res);
	atomic_dec(&old_pd->usecnt);
}

/*
 * The driver changes the MR or replaces it by another one. @pd is the new PD or
 * the old one; @addr is the new memory, if any. If the driver fails, the MR still
 * exists and pins its memory, but drivers may have made its keys invalid, and rxe has
 * moved it to the new PD if it does not like the access flags.
 */
static int hyvh_ib_rereg_mr(struct hyvh_cmd *cmd, struct hyvh_mr *mr,
			    struct hyvh_pd *pd, unsigned long addr)
{
	const struct hyv_rereg_mr_req *req = cmd->req;
	struct hyvh_uctx *uctx = &mr->pd->context->uctx;
	u32 flags = le32_to_cpu(req->flags);
	struct ib_mr *new, *old = mr->ib;
	struct ib_pd *old_pd = old->pd;
	struct uverbs_attr_bundle bundle;
	u64 length = 0;
	int ret;

	if (flags & HYV_REREG_TRANS)
		length = cmd->lists[0].length;
	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		return ret;
	new = cmd->ibdev->ops.rereg_user_mr(old, flags, addr, length,
					    le64_to_cpu(req->iova),
					    le32_to_cpu(req->access), pd->ib,
					    &bundle.driver_udata);
	if (IS_ERR(new)) {
		if (READ_ONCE(old->pd) != old_pd)
			hyvh_ib_mr_moved(old, old_pd, pd->ib);
		return PTR_ERR(new);
	}

	if (new) {
		hyvh_ib_mr_adopt(cmd, pd, new);
		new->iova = old->iova;
		new->length = old->length;
		ret = hyvh_mr_replace(mr, pd, new);
		if (ret)
			return hyvh_cmd_refuse(cmd, ret,
					       "driver keeps the old MR");
	} else if (flags & HYV_REREG_PD) {
		hyvh_ib_mr_moved(old, old_pd, pd->ib);
	}
	if (flags & HYV_REREG_TRANS) {
		mr->ib->iova = le64_to_cpu(req->iova);
		mr->ib->length = length;
	}
	/* Too late to fail, the old MR is gone: ignore a copy error. */
	hyvh_udata_out(cmd);
	return 0;
}

static int hyvh_mr_move(struct hyvh_cmd *cmd, struct hyvh_mr *mr,
			struct hyvh_pd *pd)
{
	struct hyvh_stitch stitch;
	int ret;

	ret = hyvh_mr_stitch(cmd, &stitch);
	if (ret)
		return ret;
	ret = hyvh_ib_rereg_mr(cmd, mr, pd, stitch.addr);
	hyvh_stitch_unmap(&stitch);
	return ret;
}

static int hyvh_mr_rereg(struct hyvh_cmd *cmd, struct hyvh_mr *mr,
			 struct hyvh_pd *pd)
{
	const struct hyv_rereg_mr_req *req = cmd->req;
	u64 pinned;
	int ret;

	lockdep_assert_held(&mr->lock);
	if (pd->context != mr->pd->context)
		return hyvh_cmd_refuse(cmd, -EINVAL, "PD of another context");
	ret = hyvh_mr_drop_stale(cmd->vnic, mr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "driver keeps another MR");
	if (!(req->flags & cpu_to_le32(HYV_REREG_TRANS)))
		return hyvh_ib_rereg_mr(cmd, mr, pd, 0);

	/* Both memories are pinned for a while. */
	pinned = hyvh_mr_pinned(&cmd->lists[0]);
	ret = hyvh_mr_charge(cmd, pinned);
	if (ret)
		return ret;
	ret = hyvh_mr_move(cmd, mr, pd);
	if (!ret)
		swap(mr->pinned, pinned);
	if (mr->stale)
		mr->stale_pinned = pinned;
	else
		hyvh_mr_uncharge(cmd->vnic, pinned);
	return ret;
}

static int hyvh_rereg_check(struct hyvh_cmd *cmd)
{
	const struct hyv_rereg_mr_req *req = cmd->req;
	u32 flags = le32_to_cpu(req->flags);
	int ret;

	if (!cmd->ibdev->ops.rereg_user_mr)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	if (!flags || flags & ~(u32)(HYV_REREG_TRANS | HYV_REREG_PD |
				     HYV_REREG_ACCESS))
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid flags 0x%x",
				       flags);
	if ((!(flags & HYV_REREG_PD) && req->pd) ||
	    (!(flags & HYV_REREG_ACCESS) && req->access))
		return hyvh_cmd_refuse(cmd, -EINVAL, "unused field not 0");
	if (flags & HYV_REREG_ACCESS) {
		ret = hyvh_mr_check_access(cmd, le32_to_cpu(req->access));
		if (ret)
			return ret;
	}
	if (flags & HYV_REREG_TRANS)
		return hyvh_mr_check_memory(cmd, le64_to_cpu(req->iova));
	if (cmd->nr_lists || req->iova)
		return hyvh_cmd_refuse(cmd, -EINVAL, "memory is not used");
	return 0;
}

/* Takes long for large MRs. */
int hyvh_cmd_rereg_mr(struct hyvh_cmd *cmd)
{
	const struct hyv_rereg_mr_req *req = cmd->req;
	struct hyv_reg_mr_rsp *rsp = cmd->rsp;
	struct hyvh_pd *old, *pd = NULL;
	struct hyvh_mr *mr;
	int ret;

	ret = hyvh_rereg_check(cmd);
	if (ret)
		return ret;
	mr = hyvh_mr_get(cmd, req->mr);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (req->flags & cpu_to_le32(HYV_REREG_PD)) {
		pd = hyvh_pd_get(cmd, req->pd);
		if (IS_ERR(pd)) {
			ret = PTR_ERR(pd);
			goto out_put;
		}
	}

	/* Its holder may be pinning memory, which can take minutes. */
	ret = mutex_lock_killable(&mr->lock);
	if (ret)
		goto out_put_pd;
	old = mr->pd;
	ret = hyvh_mr_rereg(cmd, mr, pd ?: old);
	if (pd && mr->ib->pd == pd->ib) {
		hyvh_obj_use(&pd->obj);
		mr->pd = pd;
		hyvh_obj_unuse(&old->obj);
	}
	if (!ret) {
		rsp->handle = cpu_to_le32(mr->obj.handle);
		rsp->lkey = cpu_to_le32(mr->ib->lkey);
		rsp->rkey = cpu_to_le32(mr->ib->rkey);
	}
	mutex_unlock(&mr->lock);
out_put_pd:
	if (pd)
		hyvh_pd_put(cmd, pd);
out_put:
	hyvh_mr_put(cmd, mr);
	return ret;
}

static struct ib_mw *hyvh_ib_alloc_mw(struct hyvh_cmd *cmd, struct hyvh_pd *pd,
				      enum ib_mw_type type)
{
	struct hyvh_uctx *uctx = &pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_mw *mw;
	int ret;

	mw = rdma_zalloc_drv_obj_gfp(cmd->ibdev, ib_mw, GFP_KERNEL_ACCOUNT);
	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = cmd->ibdev;
	mw->pd = pd->ib;
	mw->type = type;
	mw->uobject = hyvh_uctx_uobject(uctx);

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		goto err_free;
	ret = cmd->ibdev->ops.alloc_mw(mw, &bundle.driver_udata);
	if (ret)
		goto err_free;
	atomic_inc(&pd->ib->usecnt);
	return mw;

err_free:
	kfree(mw);
	return ERR_PTR(ret);
}

static int hyvh_mw_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *pd)
{
	const struct hyv_alloc_mw_req *req = cmd->req;
	struct hyv_alloc_mw_rsp *rsp = cmd->rsp;
	struct hyvh_mw *mw = hyvh_to_mw(obj);

	mw->pd = hyvh_to_pd(pd);
	mw->ib = hyvh_ib_alloc_mw(cmd, mw->pd, req->mw_type);
	if (IS_ERR(mw->ib))
		return PTR_ERR(mw->ib);
	rsp->rkey = cpu_to_le32(mw->ib->rkey);
	return 0;
}

static int hyvh_mw_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_mw *mw = hyvh_to_mw(obj);
	int ret;

	ret = mw->ib->device->ops.dealloc_mw(mw->ib);
	if (ret)
		return ret;
	kfree(mw->ib);
	atomic_dec(&mw->pd->ib->usecnt);
	hyvh_obj_unuse(&mw->pd->obj);
	return 0;
}

const struct hyvh_obj_ops hyvh_mw_ops = {
	.type = HYV_OBJ_MW,
	.name = "MW",
	.size = sizeof(struct hyvh_mw),
	.build = hyvh_mw_build,
	.destroy = hyvh_mw_destroy,
};

int hyvh_cmd_alloc_mw(struct hyvh_cmd *cmd)
{
	const struct hyv_alloc_mw_req *req = cmd->req;

	if (!cmd->ibdev->ops.alloc_mw)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	if (req->mw_type != IB_MW_TYPE_1 && req->mw_type != IB_MW_TYPE_2)
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid type %u",
				       req->mw_type);
	return hyvh_obj_create(cmd, &hyvh_mw_ops, HYV_OBJ_PD, req->pd);
}
