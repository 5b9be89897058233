// SPDX-License-Identifier: GPL-2.0-only
/* Verbs of memory regions and memory windows. */
#include <linux/err.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "command/cmd.h"
#include "dev.h"
#include "memory/mem.h"

/**
 * vhyv_get_dma_mr() - ib_device_ops.get_dma_mr
 * @ibpd: a PD of the kernel
 * @access: enum ib_access_flags
 *
 * The HCA cannot reach memory which the host has not been told of. QPs of the
 * kernel need no such MR: they take the device's local key.
 *
 * Return: an ERR_PTR.
 */
struct ib_mr *vhyv_get_dma_mr(struct ib_pd *ibpd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/**
 * vhyv_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: the PD
 * @start: first byte, in the address space of the caller
 * @length: bytes
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @udata: provider data; NULL for an MR of the kernel, which is not supported
 *
 * Return: the MR or an ERR_PTR.
 */
struct ib_mr *vhyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);
	struct vhyv_new_mr new;
	struct vhyv_mr *mr;
	int ret;

	if (!udata || access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->uctx = pd->uctx;
	mr->access = access;
	mr->mem = vhyv_mem_pin(ibpd->device, start, length, access);
	if (IS_ERR(mr->mem)) {
		ret = PTR_ERR(mr->mem);
		goto err_free;
	}

	/* From here on the memory is not this function's to unpin. */
	ret = vhyv_cmd_reg_mr(mr->uctx, pd->handle, iova, access, mr->mem,
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
 * vhyv_rereg_user_mr() - ib_device_ops.rereg_user_mr
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
struct ib_mr *vhyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_mr *mr = to_vhyv_mr(ibmr);
	struct vhyv_rereg change = { .flags = flags };
	int ret;

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	/* The core takes IB_MR_REREG_PD away if it is the same PD. */
	if (!flags)
		return NULL;

	if (flags & IB_MR_REREG_PD)
		change.pd = to_vhyv_pd(ibpd)->handle;
	if (flags & IB_MR_REREG_ACCESS)
		change.access = access;
	else
		access = mr->access;
	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	if (flags & IB_MR_REREG_TRANS) {
		change.iova = iova;
		change.mem = vhyv_mem_pin(ibmr->device, start, length, access);
		if (IS_ERR(change.mem))
			return ERR_CAST(change.mem);
	} else if (ib_access_writable(access) && !vhyv_mem_writable(mr->mem)) {
		/* The pages may be of a file that the process can only read. */
		return ERR_PTR(-EACCES);
	}

	/* From here on the memory is not this function's to unpin. */
	ret = vhyv_cmd_rereg_mr(mr, &change, udata);
	return ERR_PTR(ret);
}

/**
 * vhyv_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the MR
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct vhyv_mr *mr = to_vhyv_mr(ibmr);
	int ret;

	ret = vhyv_cmd_destroy_mr(mr->uctx, mr->handle, mr->mem);
	if (ret)
		return ret;
	kfree(mr);
	return 0;
}

/**
 * vhyv_alloc_mw() - ib_device_ops.alloc_mw
 * @ibmw: the MW; binding it is the provider's business
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibmw->pd);
	struct vhyv_mw *mw = to_vhyv_mw(ibmw);

	mw->uctx = pd->uctx;
	return vhyv_cmd_alloc_mw(mw->uctx, pd->handle, ibmw->type, udata,
				 &mw->handle, &ibmw->rkey);
}

/**
 * vhyv_dealloc_mw() - ib_device_ops.dealloc_mw
 * @ibmw: the MW
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_dealloc_mw(struct ib_mw *ibmw)
{
	struct vhyv_mw *mw = to_vhyv_mw(ibmw);

	return vhyv_cmd_dealloc_mw(mw->uctx, mw->handle);
}
