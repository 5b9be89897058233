// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking up and creating objects of a guest.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "hca/hca.h"
#include "hca/uctx.h"
#include "memory/memlock.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Replies of all creating commands begin like struct hyv_create_rsp. */
#define HYVH_ASSERT_REPLY(type)						\
	static_assert(offsetof(struct type, handle) ==			\
		      offsetof(struct hyv_create_rsp, handle))
HYVH_ASSERT_REPLY(hyv_create_cq_rsp);
HYVH_ASSERT_REPLY(hyv_create_qp_rsp);
HYVH_ASSERT_REPLY(hyv_create_srq_rsp);
HYVH_ASSERT_REPLY(hyv_reg_mr_rsp);
HYVH_ASSERT_REPLY(hyv_alloc_mw_rsp);

struct hyvh_obj *hyvh_cmd_obj_get(struct hyvh_cmd *cmd, __le32 handle,
				  enum hyv_obj_type type)
{
	u32 h = le32_to_cpu(handle);
	struct hyvh_obj *obj = hyvh_obj_get(&cmd->vnic->objs, h, type);

	if (obj)
		return obj;
	return ERR_PTR(hyvh_cmd_refuse(cmd, -ENOENT,
				       "no object %u of type %u", h, type));
}

void hyvh_cmd_obj_put(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	hyvh_obj_put(&cmd->vnic->objs, obj);
}

static int hyvh_cmd_charge(struct hyvh_cmd *cmd, struct hyvh_quota *quota,
			   u64 bytes)
{
	int ret = hyvh_quota_charge(quota, bytes);

	if (ret)
		hyvh_cmd_refuse(cmd, ret, "%llu bytes exceed the quota", bytes);
	return ret;
}

/*
 * Charge @nr pins of @bytes bytes of guest memory, MRs and queues alike, and @described
 * bytes of host memory that describe them. Returns 0 or -EDQUOT.
 */
int hyvh_cmd_charge_pins(struct hyvh_cmd *cmd, u64 nr, u64 bytes, u64 described)
{
	struct hyvh_vnic *vnic = cmd->vnic;
	int ret;

	ret = hyvh_quota_charge(vnic->vmm_mrs, nr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret,
				       "too many MRs and queues of the VMM");
	ret = hyvh_cmd_charge(cmd, &vnic->quota[HYV_NL_QUOTA_PINNED], bytes);
	if (ret)
		goto err_number;
	ret = hyvh_cmd_charge(cmd, &vnic->quota[HYV_NL_QUOTA_MR_BYTES],
			      described);
	if (ret)
		goto err_pinned;
	return 0;

err_pinned:
	hyvh_quota_uncharge(&vnic->quota[HYV_NL_QUOTA_PINNED], bytes);
err_number:
	hyvh_quota_uncharge(vnic->vmm_mrs, nr);
	return ret;
}

void hyvh_uncharge_pins(struct hyvh_vnic *vnic, u64 nr, u64 bytes, u64 described)
{
	hyvh_quota_uncharge(&vnic->quota[HYV_NL_QUOTA_MR_BYTES], described);
	hyvh_quota_uncharge(&vnic->quota[HYV_NL_QUOTA_PINNED], bytes);
	hyvh_quota_uncharge(vnic->vmm_mrs, nr);
}

/*
 * Check RLIMIT_MEMLOCK before memory is stitched: the HCA's driver would refuse it
 * later, but a chunk list may repeat one page millions of times, and stitching would
 * pin all of them.
 */
int hyvh_cmd_check_memlock(struct hyvh_cmd *cmd, u64 bytes)
{
	u64 pinned = atomic64_read(&current->mm->pinned_vm);

	if (bytes && !hyvh_may_lock(pinned + (bytes >> PAGE_SHIFT)))
		return hyvh_cmd_refuse(cmd, -ENOMEM,
				       "RLIMIT_MEMLOCK of the VMM exceeded");
	return 0;
}

/*
 * Charge an object to the rdma cgroup of the VMM, which the caller belongs to.
 * Uverbs does so for objects of processes.
 */
static int hyvh_obj_charge(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	int ret;

	if (obj->type == HYV_OBJ_CONTEXT)
		return 0;
	ret = ib_rdmacg_try_charge(&obj->cg, cmd->ibdev,
				   RDMACG_RESOURCE_HCA_OBJECT);
	/* To the guest this is a limit like others. */
	if (ret == -EAGAIN)
		ret = -EDQUOT;
	if (ret)
		hyvh_cmd_refuse(cmd, ret, "limit of the rdma cgroup");
	return ret;
}

/* Undo hyvh_obj_charge(), once the HCA's object is destroyed, or outlives @obj. */
void hyvh_obj_uncharge(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	if (obj->type != HYV_OBJ_CONTEXT && !obj->counts_on)
		ib_rdmacg_uncharge(&obj->cg, hyvh_hca_ibdev(vnic->hca),
				   RDMACG_RESOURCE_HCA_OBJECT);
}

/* Undo @build of an object that was not published, and its reservation. */
static void hyvh_obj_unbuild(struct hyvh_vnic *vnic, struct hyvh_obj *obj,
			     const struct hyvh_obj_ops *ops)
{
	int ret = ops->destroy(vnic, obj);

	if (ret)
		hyvh_obj_leak(vnic, obj, ops, ret);
	else
		hyvh_obj_uncharge(vnic, obj);
	hyvh_obj_abort(&vnic->objs, obj);
	/* The HCA may already have called back. */
	if (!ret)
		kfree_rcu(obj, rcu);
}

static int hyvh_obj_build(struct hyvh_cmd *cmd, const struct hyvh_obj_ops *ops,
			  struct hyvh_obj *parent)
{
	struct hyvh_objs *objs = &cmd->vnic->objs;
	struct hyv_create_rsp *rsp = cmd->rsp;
	struct hyvh_obj *obj, *owner;
	int ret;

	/* Objects belong to a context, which has no owner itself. */
	owner = parent && parent->owner ? parent->owner : parent;
	obj = kzalloc(ops->size, GFP_KERNEL_ACCOUNT);
	if (!obj)
		return -ENOMEM;
	ret = hyvh_obj_reserve(objs, obj, ops->type, owner);
	if (ret) {
		hyvh_cmd_refuse(cmd, ret, "cannot reserve a handle");
		goto err_free;
	}
	ret = hyvh_obj_charge(cmd, obj);
	if (ret)
		goto err_abort;
	ret = ops->build(cmd, obj, parent);
	if (ret)
		goto err_uncharge;
	if (parent != owner)
		hyvh_obj_use(parent);

	ret = hyvh_udata_out(cmd);
	if (ret) {
		hyvh_obj_unbuild(cmd->vnic, obj, ops);
		return ret;
	}
	if (ops->replied)
		ops->replied(cmd, obj);
	rsp->handle = cpu_to_le32(obj->handle);
	hyvh_obj_publish(objs, obj);
	return 0;

err_uncharge:
	hyvh_obj_uncharge(cmd->vnic, obj);
err_abort:
	hyvh_obj_abort(objs, obj);
err_free:
	kfree(obj);
	return ret;
}

/**
 * hyvh_obj_create() - create an object
 * @cmd: the command; the handle and provider data are written to its reply
 * @ops: type of the object
 * @parent_type: type of the object in which it is created, or 0
 * @parent: handle of that
 *
 * Return: 0; -ENOENT if there is no such parent; -EDQUOT if the guest has too
 * many objects of the type; or another negative errno.
 */
int hyvh_obj_create(struct hyvh_cmd *cmd, const struct hyvh_obj_ops *ops,
		    enum hyv_obj_type parent_type, __le32 parent)
{
	struct hyvh_obj *obj;
	int ret;

	if (!parent_type)
		return hyvh_obj_build(cmd, ops, NULL);

	obj = hyvh_cmd_obj_get(cmd, parent, parent_type);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = hyvh_obj_build(cmd, ops, obj);
	hyvh_cmd_obj_put(cmd, obj);
	return ret;
}
