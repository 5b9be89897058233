// SPDX-License-Identifier: GPL-2.0-only
/* Commands of memory regions. */
#include <linux/virtio_config.h>

#include "cmd_priv.h"
#include "hyv_dev.h"
#include "mem.h"

/**
 * hyv_cmd_reg_mr() - register memory
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
int hyv_cmd_reg_mr(struct hyv_ucontext *uctx, u32 pd, u64 iova, int access,
		   struct hyv_mem *mem, struct ib_udata *udata,
		   struct hyv_new_mr *mr)
{
	struct hyv_dev *hdev = to_hyv_dev(uctx->ibuc.device);
	struct hyv_reg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct hyv_layout layout = HYV_LAYOUT(REG_MR, *req, rsp);
	struct hyv_cmd *cmd;
	ssize_t len;
	int ret;

	len = hyv_mem_list_prepare(mem,
				   hyv_cmd_list_room(hdev, &layout, udata),
				   virtio_has_feature(hdev->vdev,
						      HYV_F_INDIRECT_CHUNKS));
	if (len < 0) {
		ret = len;
		goto err_free_mem;
	}
	layout.lists_len = len;

	cmd = hyv_cmd_new(hdev, layout, udata);
	if (IS_ERR(cmd)) {
		ret = PTR_ERR(cmd);
		goto err_free_mem;
	}

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->access = cpu_to_le32(access);
	req->iova = cpu_to_le64(iova);
	hyv_mem_list_write(mem, hyv_cmd_lists(cmd));
	cmd->mem = mem;
	ret = hyv_create(cmd, HYV_OBJ_MR, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	hyv_mem_list_done(mem);
	mr->handle = le32_to_cpu(rsp.handle);
	mr->lkey = le32_to_cpu(rsp.lkey);
	mr->rkey = le32_to_cpu(rsp.rkey);
	return 0;

err_free_mem:
	hyv_mem_free(mem);
	return ret;
}

/**
 * hyv_cmd_destroy_mr() - destroy a memory region and unpin its memory
 * @uctx: its owner
 * @handle: of the MR
 * @mem: the memory; still the caller's if the function fails
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int hyv_cmd_destroy_mr(struct hyv_ucontext *uctx, u32 handle,
		       struct hyv_mem *mem)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_MR, handle, mem);
}
