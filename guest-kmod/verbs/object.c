// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creating and destroying objects. A caller that is killed while its object is
 * being created leaves no object: the abandoned command destroys it.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

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
 * The command is of @class, and counts for @client, or the caller if that is NULL.
 */
static int vhyv_destroy_as(struct vhyv_dev *hdev, enum hyv_obj_type type,
			   u32 handle, struct vhyv_mem *mem,
			   enum vhyv_cmd_class class, struct vhyv_client *client)
{
	struct hyv_destroy_req *req;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new_nofail(hdev, VHYV_CMD_DESTROY);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	vhyv_cmd_set_class(cmd, class);
	if (client)
		vhyv_cmd_count_for(cmd, client);
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

static int vhyv_destroy(struct vhyv_dev *hdev, enum hyv_obj_type type,
			u32 handle, struct vhyv_mem *mem,
			struct vhyv_client *client)
{
	return vhyv_destroy_as(hdev, type, handle, mem, VHYV_CMD_RESERVED,
			       client);
}

static struct vhyv_host_context *vhyv_host_context(struct vhyv_orphans *orphans)
{
	return container_of(orphans, struct vhyv_host_context, orphans);
}

/*
 * The HCA accesses memory of an object that has not been destroyed until its
 * context is destroyed. @orphans is that of the context.
 */
static void vhyv_keep_mem(struct vhyv_orphans *orphans, struct vhyv_mem *mem)
{
	struct vhyv_host_context *host = vhyv_host_context(orphans);

	spin_lock(&host->lock);
	vhyv_mem_add(&host->kept, mem);
	spin_unlock(&host->lock);
}

/* Free what was kept so far. Not under @host's lock: unpinning memory takes time. */
static void vhyv_free_kept(struct vhyv_host_context *host)
{
	struct vhyv_mem *mem;

	spin_lock(&host->lock);
	mem = host->kept;
	host->kept = NULL;
	spin_unlock(&host->lock);
	vhyv_mem_free(mem);
}

/*
 * The HCA may go on to access this memory until it is removed from the host, also
 * when the vNIC has been reset. So it stays pinned.
 */
static void vhyv_leave_mem(struct vhyv_host_context *host)
{
	u64 length = vhyv_mem_leave(host->kept);

	host->kept = NULL;
	dev_warn_ratelimited(&host->hdev->vdev->dev,
			     "HCA keeps objects of a process that has ended; %llu bytes of its memory stay pinned\n",
			     length);
}

/* vhyv_orphans.last: destroy a context that nothing uses any longer. */
static void vhyv_host_context_end(struct vhyv_orphans *orphans)
{
	struct vhyv_host_context *host = vhyv_host_context(orphans);
	int ret;

	ret = vhyv_destroy(host->hdev, HYV_OBJ_CONTEXT, host->handle, NULL,
			   host->client);
	if (ret == -EBUSY) {
		vhyv_leave_mem(host);
	} else if (ret) {
		/* A process that exits could never be rid of it. */
		vhyv_dev_lost(host->hdev, "host refuses to destroy a context");
		vhyv_cmdq_wait_drained(host->hdev);
	}
	/* The host no longer uses any of this memory. */
	vhyv_mem_free(host->kept);
	atomic_dec(&host->hdev->nr_contexts);
	vhyv_client_put(host->hdev->cmdq, host->client);
	kfree(host);
}

/* vhyv_orphans.last of commands for XRC domains */
static void vhyv_host_context_unshared(struct vhyv_orphans *orphans)
{
	struct vhyv_host_context *host = container_of(orphans,
						      struct vhyv_host_context,
						      shared);

	vhyv_orphans_put(&host->orphans);
}

static void vhyv_context_end_work(struct work_struct *work)
{
	struct vhyv_host_context *host = container_of(work,
						      struct vhyv_host_context,
						      end_work);

	vhyv_orphans_put(&host->shared);
}

int vhyv_context_create(struct vhyv_ucontext *uctx, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct vhyv_host_context *host;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	host = kzalloc(sizeof(*host), GFP_KERNEL);
	if (!host)
		return -ENOMEM;
	host->client = vhyv_client_get(hdev->cmdq, GFP_KERNEL);
	if (!host->client) {
		ret = -ENOMEM;
		goto err_free;
	}
	cmd = vhyv_cmd_new(hdev, VHYV_CMD_ALLOC_CONTEXT, udata);
	if (IS_ERR(cmd)) {
		ret = PTR_ERR(cmd);
		goto err_put_client;
	}
	ret = vhyv_object_create(cmd, HYV_OBJ_CONTEXT, NULL, &rsp, udata);
	if (ret)
		goto err_put_client;

	host->hdev = hdev;
	host->handle = le32_to_cpu(rsp.handle);
	refcount_set(&host->users, 1);
	vhyv_orphans_init(&host->orphans, vhyv_host_context_end);
	vhyv_orphans_init(&host->shared, vhyv_host_context_unshared);
	INIT_WORK(&host->end_work, vhyv_context_end_work);
	spin_lock_init(&host->lock);
	uctx->host = host;
	atomic_inc(&hdev->nr_contexts);
	return 0;

err_put_client:
	vhyv_client_put(hdev->cmdq, host->client);
err_free:
	kfree(host);
	return ret;
}

/**
 * vhyv_context_settle() - wait until abandoned commands have been undone
 * @host: their context
 *
 * Objects of these commands may use others. But a process that exits must not wait
 * for slow commands of threads that were killed, nor must a kernel thread that closes
 * the file for it. As the file is being closed, nobody else uses the context: what is
 * left of it ends with the context. That of a process whose XRC domain is there may
 * not end soon, so that process waits.
 *
 * Return: true; or false if objects must be left to the end of the context.
 */
bool vhyv_context_settle(struct vhyv_host_context *host)
{
	if (current->flags & (PF_EXITING | PF_KTHREAD) &&
	    refcount_read(&host->users) == 1 &&
	    vhyv_orphans_any(&host->orphans))
		host->leaving = true;
	if (!host->leaving)
		vhyv_orphans_wait(&host->orphans);
	return !host->leaving;
}

/*
 * Without users, destroy a context and all that is left of it; later, if there are
 * abandoned commands which a process that exits has not waited for.
 */
static void vhyv_context_put(struct vhyv_host_context *host)
{
	if (refcount_dec_and_test(&host->users))
		vhyv_orphans_put(&host->shared);
}

/*
 * A process, all of whose objects have been destroyed, ends, and its context may stay
 * for an XRC domain. What was kept then was memory of these objects.
 */
void vhyv_context_release(struct vhyv_host_context *host)
{
	if (vhyv_context_settle(host) && !READ_ONCE(host->stuck))
		vhyv_free_kept(host);
	vhyv_context_put(host);
}

/*
 * As vhyv_context_put(), for a caller with a lock that other processes wait for: DESTROY
 * of the context may have to wait for slow commands of the process.
 */
void vhyv_context_put_later(struct vhyv_host_context *host)
{
	if (refcount_dec_and_test(&host->users))
		queue_work(host->hdev->undo_wq, &host->end_work);
}

/**
 * vhyv_object_destroy() - destroy an object on behalf of its owner
 * @host: owner
 * @type: object type, not that of contexts
 * @handle: handle
 * @mem: memory that the host uses for the object, or NULL; freed on success, or
 *	with the context
 *
 * The RDMA core destroys what uses an object before the object. What it does not
 * know is which MWs are bound to MRs. So only an MR can be refused, while there are
 * MWs. Any other object that the host refuses to destroy is gone for the guest, but
 * stays on the host until the context is destroyed: the RDMA core frees its part of
 * an object when the process has ended, whatever the driver says.
 *
 * Return: 0; or, of MRs, -EBUSY or -EINVAL, and the object still exists.
 */
int vhyv_object_destroy(struct vhyv_host_context *host, enum hyv_obj_type type,
			u32 handle, struct vhyv_mem *mem)
{
	if (vhyv_context_settle(host)) {
		/* Read before: the last one may go in the meantime. */
		bool bound = type == HYV_OBJ_MR && atomic_read(&host->nr_mws);
		int ret = vhyv_destroy(host->hdev, type, handle, mem, NULL);

		if (!ret)
			return 0;
		WRITE_ONCE(host->stuck, true);
		if (bound || (type == HYV_OBJ_MR && atomic_read(&host->nr_mws)))
			return ret;
		/*
		 * It may be used by an object that was abandoned and could not be
		 * destroyed, or the HCA's driver fails.
		 */
		ibdev_dbg(&host->hdev->ibdev,
			  "object of type %u stays with its context\n", type);
	}
	if (mem)
		vhyv_keep_mem(&host->orphans, mem);
	return 0;
}

/*
 * Destroy an XRC domain, or a QP that belongs to one, without memory. The caller may
 * be another process than the owner: it neither waits for abandoned commands of that
 * nor, when it exits, leaves the owner's objects to the end of the context. The RDMA
 * core holds locks that others wait for. What is refused stays with its context.
 */
void vhyv_shared_destroy(struct vhyv_host_context *host, enum hyv_obj_type type,
			 u32 handle)
{
	if (vhyv_destroy_as(host->hdev, type, handle, NULL, VHYV_CMD_LOCKED,
			    NULL))
		ibdev_dbg(&host->hdev->ibdev,
			  "shared object of type %u stays with its context\n",
			  type);
}

/**
 * vhyv_keep_mem_if_unclear() - keep memory of a command that failed
 * @cmd: command that names its context
 * @err: status of its reply; with -EIO the host may have executed the command
 */
void vhyv_keep_mem_if_unclear(struct vhyv_cmd *cmd, int err)
{
	if (err != -EIO || !cmd->mem)
		return;
	vhyv_keep_mem(cmd->orphans, cmd->mem);
	WRITE_ONCE(vhyv_host_context(cmd->orphans)->stuck, true);
	cmd->mem = NULL;
}

/*
 * vhyv_cmd.undo of commands that give an object other memory: the HCA can access the
 * new memory, and the object still has the old one.
 */
void vhyv_replace_undo(struct vhyv_cmd *cmd)
{
	int ret;

	ret = vhyv_cmd_reply(cmd, NULL, 0);
	if (ret) {
		vhyv_keep_mem_if_unclear(cmd, ret);
		return;
	}
	if (!cmd->mem)
		return;
	vhyv_keep_mem(cmd->orphans, cmd->mem);
	cmd->mem = NULL;
}

/* vhyv_cmd.undo of commands that create an object of type undo_arg. */
static void vhyv_create_undo(struct vhyv_cmd *cmd)
{
	struct vhyv_mem *mem = cmd->mem;
	struct hyv_create_rsp rsp;
	int ret;

	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	if (ret) {
		vhyv_keep_mem_if_unclear(cmd, ret);
		return;
	}
	cmd->mem = NULL;
	if (vhyv_destroy(cmd->hdev, cmd->undo_arg, le32_to_cpu(rsp.handle),
			 mem, cmd->client) && mem) {
		vhyv_keep_mem(cmd->orphans, mem);
		WRITE_ONCE(vhyv_host_context(cmd->orphans)->stuck, true);
	}
}

/*
 * Execute a command that creates an object. The memory of a queue counts until the host
 * has executed MUNMAP, and munmap(2) does not wait for that. So after -EDQUOT, wait for
 * the MUNMAPs of all processes, as the limit is that of the vNIC, and try once more.
 * Returns the same as vhyv_cmdq_exec(); if that is 0, @status is that of the reply.
 */
static int vhyv_create_exec(struct vhyv_cmd *cmd, void *rsp, int *status)
{
	int tries, ret;

	for (tries = 1; ; tries++) {
		ret = vhyv_cmdq_exec(cmd, true);
		if (ret)
			return ret;
		*status = vhyv_cmd_reply(cmd, rsp, cmd->layout->rsp_len);
		if (*status != -EDQUOT || tries == 2)
			return 0;
		flush_workqueue(cmd->hdev->munmap_wq);
		vhyv_cmd_reuse(cmd);
	}
}

/**
 * vhyv_object_create() - execute and free a command that creates an object
 * @cmd: command, whose reply starts like struct hyv_create_rsp; the caller owns
 *	its @mem on success only
 * @type: type of the new object
 * @host: owner, or NULL for a context
 * @rsp: buffer for the fixed part of the reply, of layout.rsp_len
 * @udata: provider data, takes that of the reply
 *
 * Return: as all functions that send a command.
 */
int vhyv_object_create(struct vhyv_cmd *cmd, enum hyv_obj_type type,
		       struct vhyv_host_context *host, void *rsp,
		       struct ib_udata *udata)
{
	int err, ret;

	cmd->undo = vhyv_create_undo;
	cmd->undo_arg = type;
	if (host && !cmd->orphans)
		cmd->orphans = &host->orphans;
	err = vhyv_create_exec(cmd, rsp, &ret);
	if (err)
		return err;
	if (ret) {
		vhyv_keep_mem_if_unclear(cmd, ret);
		goto out_free;
	}
	ret = vhyv_cmd_reply_udata(cmd, udata);
	if (ret) {
		vhyv_create_undo(cmd);
	} else {
		vhyv_mem_list_done(cmd->mem);
		cmd->mem = NULL;
	}
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}
