// SPDX-License-Identifier: GPL-2.0-only
/* Commands of memory regions and memory windows. */
#include <linux/virtio_config.h>

#include "command/cmd_priv.h"
#include "dev.h"
#include "memory/mem.h"

/*
 * Make a command that describes @mem, unless that is NULL, and owns it. On
 * error the memory is still the caller's.
 */
static struct vhyv_cmd *vhyv_mr_cmd_new(struct vhyv_dev *hdev,
					struct vhyv_layout layout,
					struct vhyv_mem *mem,
					struct ib_udata *udata)
{
	struct vhyv_cmd *cmd;
	ssize_t len;

	if (mem) {
		len = vhyv_mem_list_prepare(mem,
					    vhyv_cmd_list_room(hdev, &layout,
							       udata),
					    virtio_has_feature(hdev->vdev,
							       HYV_F_INDIRECT_CHUNKS));
		if (len < 0)
			return ERR_PTR(len);
		layout.lists_len = len;
	}

	cmd = vhyv_cmd_new(hdev, layout, udata);
	if (mem && !IS_ERR(cmd)) {
		vhyv_mem_list_write(mem, vhyv_cmd_lists(cmd));
		cmd->mem = mem;
	}
	return cmd;
}

/**
 * vhyv_cmd_reg_mr() - register memory
 * @uctx: owner of the MR
 * @pd: handle of the PD
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @mem: the memory; on error it is, or will be, released
 * @udata: provider data
 * @mr: what was created
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_reg_mr(struct vhyv_ucontext *uctx, u32 pd, u64 iova, int access,
		    struct vhyv_mem *mem, struct ib_udata *udata,
		    struct vhyv_new_mr *mr)
{
	struct hyv_reg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_mr_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			      VHYV_LAYOUT(REG_MR, *req, rsp), mem, udata);
	if (IS_ERR(cmd)) {
		vhyv_mem_free(mem);
		return PTR_ERR(cmd);
	}

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->access = cpu_to_le32(access);
	req->iova = cpu_to_le64(iova);
	ret = vhyv_create(cmd, HYV_OBJ_MR, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	vhyv_mem_list_done(mem);
	mr->handle = le32_to_cpu(rsp.handle);
	mr->lkey = le32_to_cpu(rsp.lkey);
	mr->rkey = le32_to_cpu(rsp.rkey);
	return 0;
}

/* The host has changed @mr: let go of what it does not use any more. */
static void vhyv_mr_changed(struct vhyv_mr *mr, const struct vhyv_rereg *change,
			    const struct hyv_reg_mr_rsp *rsp)
{
	mr->handle = le32_to_cpu(rsp->handle);
	mr->ibmr.lkey = le32_to_cpu(rsp->lkey);
	mr->ibmr.rkey = le32_to_cpu(rsp->rkey);
	if (change->flags & IB_MR_REREG_ACCESS)
		mr->access = change->access;
	if (change->flags & IB_MR_REREG_TRANS) {
		vhyv_mem_free(mr->mem);
		mr->mem = change->mem;
		vhyv_mem_list_done(mr->mem);
	}
}

/**
 * vhyv_cmd_rereg_mr() - change a memory region
 * @mr: the MR; on return, with or without an error, it is what the host's is
 * @change: what to change; its memory is the MR's or is released
 * @udata: provider data
 *
 * The wait is not killable: one must know which memory the HCA may access.
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_rereg_mr(struct vhyv_mr *mr, const struct vhyv_rereg *change,
		      struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(mr->uctx->ibuc.device);
	struct hyv_rereg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_mr_cmd_new(hdev, VHYV_LAYOUT(REREG_MR, *req, rsp),
			      change->mem, udata);
	if (IS_ERR(cmd)) {
		vhyv_mem_free(change->mem);
		return PTR_ERR(cmd);
	}

	req = cmd->req;
	req->mr = cpu_to_le32(mr->handle);
	req->flags = cpu_to_le32(change->flags);
	req->pd = cpu_to_le32(change->pd);
	req->access = cpu_to_le32(change->access);
	req->iova = cpu_to_le64(change->iova);
	ret = vhyv_cmdq_exec(cmd, false);
	if (ret)
		return ret;

	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	if (ret)
		goto out_free;
	cmd->mem = NULL;
	vhyv_mr_changed(mr, change, &rsp);
	ret = vhyv_cmd_reply_udata(cmd, udata);
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}

/**
 * vhyv_cmd_destroy_mr() - destroy a memory region and unpin its memory
 * @uctx: its owner
 * @handle: of the MR
 * @mem: the memory; still the caller's if the function fails
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_mr(struct vhyv_ucontext *uctx, u32 handle,
			struct vhyv_mem *mem)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_MR, handle, mem);
}

/**
 * vhyv_cmd_alloc_mw() - create a memory window
 * @uctx: its owner
 * @pd: handle of the PD
 * @type: of the MW
 * @udata: provider data
 * @handle: of the MW
 * @rkey: its remote key
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_alloc_mw(struct vhyv_ucontext *uctx, u32 pd, enum ib_mw_type type,
		      struct ib_udata *udata, u32 *handle, u32 *rkey)
{
	struct hyv_alloc_mw_req *req;
	struct hyv_alloc_mw_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(ALLOC_MW, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->mw_type = type;
	ret = vhyv_create(cmd, HYV_OBJ_MW, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	*handle = le32_to_cpu(rsp.handle);
	*rkey = le32_to_cpu(rsp.rkey);
	return 0;
}

/**
 * vhyv_cmd_dealloc_mw() - destroy a memory window
 * @uctx: its owner
 * @handle: of the MW
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_dealloc_mw(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_MW, handle, NULL);
}
