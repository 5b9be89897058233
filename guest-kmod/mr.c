// SPDX-License-Identifier: GPL-2.0-only
/* Verbs of memory regions and memory windows. */
#include <linux/err.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "cmd.h"
#include "hyv_dev.h"
#include "mem.h"

/**
 * hyv_get_dma_mr() - ib_device_ops.get_dma_mr
 * @ibpd: a PD of the kernel
 * @access: enum ib_access_flags
 *
 * The HCA cannot reach memory which the host has not been told of. QPs of the
 * kernel need no such MR: they take the device's local key.
 *
 * Return: an ERR_PTR.
 */
struct ib_mr *hyv_get_dma_mr(struct ib_pd *ibpd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/**
 * hyv_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: the PD
 * @start: first byte, in the address space of the caller
 * @length: bytes
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @udata: provider data; NULL for an MR of the kernel, which is not supported
 *
 * Return: the MR or an ERR_PTR.
 */
struct ib_mr *hyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct hyv_pd *pd = to_hyv_pd(ibpd);
	struct hyv_new_mr new;
	struct hyv_mr *mr;
	int ret;

	if (!udata || access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->uctx = pd->uctx;
	mr->access = access;
	mr->mem = hyv_mem_pin(ibpd->device, start, length, access);
	if (IS_ERR(mr->mem)) {
		ret = PTR_ERR(mr->mem);
		goto err_free;
	}

	/* From here on the memory is not this function's to unpin. */
	ret = hyv_cmd_reg_mr(mr->uctx, pd->handle, iova, access, mr->mem,
			     udata, &new);
	if (ret)
		goto err_free;
	mr->handle = new.handle;
	mr->ibmr.lkey = new.lkey;
	mr->ibmr.rkey = new.rkey;
	return &mr->ibmr;

err_free:
	kfree(mr);
	return ERR_PTR(ret);
}

/**
 * hyv_rereg_user_mr() - ib_device_ops.rereg_user_mr
 * @ibmr: the MR
 * @flags: IB_MR_REREG_*, which of the following to change; what they do not
 *	ask for is not valid
 * @start: first byte, in the address space of the caller
 * @length: bytes
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @ibpd: the PD
 * @udata: provider data
 *
 * Return: NULL, as it is the same MR afterwards, or an ERR_PTR.
 */
struct ib_mr *hyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct hyv_mr *mr = to_hyv_mr(ibmr);
	struct hyv_rereg change = { .flags = flags };
	int ret;

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	/* The core takes IB_MR_REREG_PD away if it is the same PD. */
	if (!flags)
		return NULL;

	if (flags & IB_MR_REREG_PD)
		change.pd = to_hyv_pd(ibpd)->handle;
	if (flags & IB_MR_REREG_ACCESS)
		change.access = access;
	else
		access = mr->access;
	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	if (flags & IB_MR_REREG_TRANS) {
		change.iova = iova;
		change.mem = hyv_mem_pin(ibmr->device, start, length, access);
		if (IS_ERR(change.mem))
			return ERR_CAST(change.mem);
	} else if (ib_access_writable(access) && !hyv_mem_writable(mr->mem)) {
		/* The pages may be of a file that the process can only read. */
		return ERR_PTR(-EACCES);
	}

	/* From here on the memory is not this function's to unpin. */
	ret = hyv_cmd_rereg_mr(mr, &change, udata);
	return ERR_PTR(ret);
}

/**
 * hyv_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the MR
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int hyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct hyv_mr *mr = to_hyv_mr(ibmr);
	int ret;

	ret = hyv_cmd_destroy_mr(mr->uctx, mr->handle, mr->mem);
	if (ret)
		return ret;
	kfree(mr);
	return 0;
}

/**
 * hyv_alloc_mw() - ib_device_ops.alloc_mw
 * @ibmw: the MW; binding it is the provider's business
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int hyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct hyv_pd *pd = to_hyv_pd(ibmw->pd);
	struct hyv_mw *mw = to_hyv_mw(ibmw);

	mw->uctx = pd->uctx;
	return hyv_cmd_alloc_mw(mw->uctx, pd->handle, ibmw->type, udata,
				&mw->handle, &ibmw->rkey);
}

/**
 * hyv_dealloc_mw() - ib_device_ops.dealloc_mw
 * @ibmw: the MW
 *
 * Return: 0, or -EBUSY.
 */
int hyv_dealloc_mw(struct ib_mw *ibmw)
{
	struct hyv_mw *mw = to_hyv_mw(ibmw);

	return hyv_cmd_dealloc_mw(mw->uctx, mw->handle);
}
