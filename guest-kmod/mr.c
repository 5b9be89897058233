// SPDX-License-Identifier: GPL-2.0-only
/* Verbs of memory regions. */
#include <linux/err.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "cmd.h"
#include "hyv_dev.h"
#include "mem.h"

/**
 * hyv_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: the PD
 * @start: first byte, in the address space of the caller
 * @length: bytes
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @udata: provider data
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

	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->uctx = pd->uctx;
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
