// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creating and destroying objects. A caller that is killed while its object is
 * being created leaves no object: the abandoned command destroys it.
 */
#include <linux/atomic.h>
#include <linux/err.h>

#include "command/cmd.h"
#include "dev.h"
#include "memory/mem.h"
#include "verbs/verbs.h"

/*
 * Destroy an object, and free the memory that the host used for it. On -EBUSY,
 * and on -EINVAL, with which HCAs refuse to deregister an MR that a memory
 * window (MW) is bound to, the object still exists and the memory is kept.
 * After all other errors the object does not exist, or the device has been
 * reset. On -EBUSY of a context it does not exist, but the HCA keeps objects of it.
 */
static int vhyv_destroy(struct vhyv_dev *hdev, enum hyv_obj_type type,
			u32 handle, struct vhyv_mem *mem)
{
	struct hyv_destroy_req *req;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new_nofail(hdev, VHYV_CMD_DESTROY);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	req = cmd->req;
	req->type = cpu_to_le32(type);
	req->handle = cpu_to_le32(handle);
	cmd->mem = mem;
	if (vhyv_cmd_exec_retry(cmd, &ret))
		return 0;
	switch (ret) {
	case 0:
	case -ENOENT:
		break;
	case -EBUSY:
	case -EINVAL:
		cmd->mem = NULL;
		vhyv_cmd_free(cmd);
		return ret;
	default:
		vhyv_dev_lost(hdev, "host cannot destroy an object");
		vhyv_cmdq_wait_drained(hdev);
		break;
	}
	vhyv_cmd_free(cmd);
	return 0;
}

/*
 * The HCA accesses memory of an object that could not be destroyed until its
 * context is destroyed.
 */
void vhyv_keep_mem(struct vhyv_ucontext *uctx, struct vhyv_mem *mem)
{
	mem->next = READ_ONCE(uctx->kept);
	while (!try_cmpxchg(&uctx->kept, &mem->next, mem))
		;
}

/*
 * The host refuses to destroy what nothing uses, as far as the RDMA core knows.
 * It may be used by an object that was abandoned and could not be destroyed, or
 * the HCA's driver fails.
 */
static void vhyv_object_refused(struct vhyv_ucontext *uctx,
				enum hyv_obj_type type, struct vhyv_mem *mem)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);

	ibdev_dbg(&hdev->ibdev, "object of type %u stays with its context\n",
		  type);
	if (mem)
		vhyv_keep_mem(uctx, mem);
}

/**
 * vhyv_object_destroy() - destroy an object on behalf of its owner
 * @uctx: owner
 * @type: object type, not that of contexts
 * @handle: handle
 * @mem: memory that the host uses for the object, or NULL; freed on success
 *
 * The RDMA core destroys what uses an object before the object. What it does not
 * know is with the HCA: MWs that are bound to MRs, and multicast groups of QPs.
 * Only MRs and QPs can be refused. Of all other types, an object that the host
 * refuses to destroy is gone for the guest, but stays on the host until the
 * context is destroyed.
 *
 * Return: 0; or, of MRs and QPs, -EBUSY or -EINVAL, and the object still exists.
 */
int vhyv_object_destroy(struct vhyv_ucontext *uctx, enum hyv_obj_type type,
			u32 handle, struct vhyv_mem *mem)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	int ret;

	/* An object whose creator was killed may still use this one. */
	vhyv_cmdq_wait_abandoned(hdev, &uctx->nr_abandoned);
	ret = vhyv_destroy(hdev, type, handle, mem);
	if (!ret || type == HYV_OBJ_MR || type == HYV_OBJ_QP)
		return ret;
	vhyv_object_refused(uctx, type, mem);
	return 0;
}

/*
 * The HCA may go on to access this memory until it is removed from the host, also
 * when the vNIC has been reset. So it stays pinned.
 */
static void vhyv_leave_mem(struct vhyv_ucontext *uctx)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct vhyv_mem *mem;
	u64 length = 0;

	while ((mem = uctx->kept)) {
		uctx->kept = mem->next;
		length += vhyv_mem_leave(mem);
	}
	dev_warn_ratelimited(&hdev->vdev->dev,
			     "HCA keeps objects of a process that has ended; %llu bytes of its memory stay pinned\n",
			     length);
}

/**
 * vhyv_context_destroy() - destroy a context and all that is left of it
 * @uctx: context
 */
void vhyv_context_destroy(struct vhyv_ucontext *uctx)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct vhyv_mem *mem;
	int ret;

	vhyv_cmdq_wait_abandoned(hdev, &uctx->nr_abandoned);
	ret = vhyv_destroy(hdev, HYV_OBJ_CONTEXT, uctx->handle, NULL);
	if (ret == -EBUSY) {
		vhyv_leave_mem(uctx);
		return;
	}
	if (ret) {
		/* A process that exits could never be rid of it. */
		vhyv_dev_lost(hdev, "host refuses to destroy a context");
		vhyv_cmdq_wait_drained(hdev);
	}
	/* The host no longer uses any of this memory. */
	while ((mem = uctx->kept)) {
		uctx->kept = mem->next;
		vhyv_mem_free(mem);
	}
}

/* vhyv_cmd.undo of commands that create an object of type undo_arg. */
static void vhyv_create_undo(struct vhyv_cmd *cmd)
{
	struct vhyv_mem *mem = cmd->mem;
	struct vhyv_ucontext *uctx;
	struct hyv_create_rsp rsp;

	if (vhyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	cmd->mem = NULL;
	if (!vhyv_destroy(cmd->hdev, cmd->undo_arg, le32_to_cpu(rsp.handle),
			  mem) || !mem)
		return;
	uctx = container_of(cmd->nr_abandoned, struct vhyv_ucontext,
			    nr_abandoned);
	vhyv_keep_mem(uctx, mem);
}

/**
 * vhyv_object_create() - execute and free a command that creates an object
 * @cmd: command, whose reply starts like struct hyv_create_rsp; the caller owns
 *	its memory on success only
 * @type: type of the new object
 * @uctx: owner, or NULL for a context
 * @rsp: buffer for the fixed part of the reply, of layout.rsp_len
 * @udata: provider data, takes that of the reply
 *
 * Return: as all functions that send a command.
 */
int vhyv_object_create(struct vhyv_cmd *cmd, enum hyv_obj_type type,
		       struct vhyv_ucontext *uctx, void *rsp,
		       struct ib_udata *udata)
{
	int ret;

	cmd->undo = vhyv_create_undo;
	cmd->undo_arg = type;
	cmd->nr_abandoned = uctx ? &uctx->nr_abandoned : NULL;
	ret = vhyv_cmdq_exec(cmd, true);
	if (ret)
		return ret;

	ret = vhyv_cmd_reply(cmd, rsp, cmd->layout->rsp_len);
	if (ret)
		goto out_free;
	ret = vhyv_cmd_reply_udata(cmd, udata);
	if (ret)
		vhyv_create_undo(cmd);
	else
		cmd->mem = NULL;
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}
