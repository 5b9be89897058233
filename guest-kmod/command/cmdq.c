// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport of commands over the control virtqueue.
 *
 * A command that the device has taken stays on the heap, owned by the queue,
 * until the device returns it. So a caller may be killed at any time, and the
 * device never writes to memory that has a new use.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include "command/cmdq.h"
#include "dev.h"
#include "memory/mem.h"

/*
 * Fill @sg with @buf, which is contiguous unless vmalloc() made it. Returns the
 * entries that are needed; with a NULL @sg it only counts them.
 */
static unsigned int vhyv_sg_fill(struct scatterlist *sg, void *buf, size_t len)
{
	unsigned int i, nents;

	nents = is_vmalloc_addr(buf) ? DIV_ROUND_UP(len, PAGE_SIZE) : 1;
	if (!sg)
		return nents;

	sg_init_table(sg, nents);
	if (nents == 1 && !is_vmalloc_addr(buf)) {
		sg_set_buf(sg, buf, len);
		return nents;
	}
	for (i = 0; i < nents; i++, buf += PAGE_SIZE, len -= PAGE_SIZE)
		sg_set_page(&sg[i], vmalloc_to_page(buf),
			    min_t(size_t, len, PAGE_SIZE), 0);
	return nents;
}

static void vhyv_cmd_orphan_work(struct work_struct *work)
{
	struct vhyv_cmd *cmd = container_of(work, struct vhyv_cmd, work);
	atomic_t *orphans = cmd->orphans;

	if (cmd->orphan && !cmd->error)
		cmd->orphan(cmd);
	vhyv_cmd_free(cmd);
	if (orphans && atomic_dec_and_test(orphans))
		wake_up_var(orphans);
}

/**
 * vhyv_cmd_alloc() - allocate a command
 * @hdev: device
 * @req_len: bytes of the request
 * @rsp_size: room for the reply
 * @gfp: at least GFP_KERNEL
 *
 * Request and reply are zeroed.
 *
 * Context: may sleep.
 * Return: the command, or ERR_PTR(-ENOMEM).
 */
struct vhyv_cmd *vhyv_cmd_alloc(struct vhyv_dev *hdev, size_t req_len,
				size_t rsp_size, gfp_t gfp)
{
	struct vhyv_cmd *cmd;
	void *req, *rsp;

	req = kvzalloc(req_len, gfp);
	if (!req)
		return ERR_PTR(-ENOMEM);
	rsp = kzalloc(rsp_size, gfp);
	if (!rsp)
		goto err_free_req;
	cmd = kzalloc(struct_size(cmd, req_sg, vhyv_sg_fill(NULL, req, req_len)),
		      gfp);
	if (!cmd)
		goto err_free_rsp;

	cmd->hdev = hdev;
	cmd->req = req;
	cmd->req_len = req_len;
	cmd->rsp = rsp;
	cmd->rsp_size = rsp_size;
	init_completion(&cmd->done);
	INIT_WORK(&cmd->work, vhyv_cmd_orphan_work);
	vhyv_sg_fill(cmd->req_sg, req, req_len);
	sg_init_one(&cmd->rsp_sg, rsp, rsp_size);
	return cmd;

err_free_rsp:
	kfree(rsp);
err_free_req:
	kvfree(req);
	return ERR_PTR(-ENOMEM);
}

/**
 * vhyv_cmd_trim() - shorten a request that is not queued yet
 * @cmd: the command
 * @req_len: bytes of the request, at most what it was allocated with
 */
void vhyv_cmd_trim(struct vhyv_cmd *cmd, size_t req_len)
{
	cmd->req_len = req_len;
	vhyv_sg_fill(cmd->req_sg, cmd->req, req_len);
}

/**
 * vhyv_cmd_free() - free a command that the caller owns
 * @cmd: the command
 *
 * Memory that is still attached to it is released.
 *
 * Context: may sleep.
 */
void vhyv_cmd_free(struct vhyv_cmd *cmd)
{
	struct vhyv_mem *mem, *next;

	for (mem = cmd->udata_mem; mem; mem = next) {
		next = mem->next;
		vhyv_mem_free(mem);
	}
	vhyv_mem_free(cmd->mem);
	kvfree(cmd->req);
	kfree(cmd->rsp);
	kfree(cmd);
}

/**
 * vhyv_cmdq_init() - initialise the queue before its virtqueue exists
 * @q: the queue
 */
void vhyv_cmdq_init(struct vhyv_cmdq *q)
{
	spin_lock_init(&q->lock);
	q->vq = NULL;
	q->closed = false;
	init_waitqueue_head(&q->room);
	init_completion(&q->drained);
}

/* Hand a command back from the device to whoever cares for it now. */
static void vhyv_cmd_return(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	lockdep_assert_held(&q->lock);

	cmd->returned = true;
	if (cmd->abandoned)
		queue_work(cmd->hdev->wq, &cmd->work);
	else
		complete(&cmd->done);
}

/**
 * vhyv_cmdq_callback() - the device has returned commands
 * @vq: the control virtqueue
 *
 * Context: hard interrupt.
 */
void vhyv_cmdq_callback(struct virtqueue *vq)
{
	struct vhyv_dev *hdev = vq->vdev->priv;
	struct vhyv_cmdq *q = &hdev->cmdq;
	struct vhyv_cmd *cmd;
	unsigned long flags;
	unsigned int len;

	spin_lock_irqsave(&q->lock, flags);
	do {
		virtqueue_disable_cb(vq);
		while ((cmd = virtqueue_get_buf(vq, &len))) {
			cmd->rsp_len = min(len, cmd->rsp_size);
			vhyv_cmd_return(q, cmd);
		}
	} while (!virtqueue_enable_cb(vq));
	spin_unlock_irqrestore(&q->lock, flags);
	wake_up_all(&q->room);
}

/*
 * Queue a command if the virtqueue has room. Returns false if it has none now;
 * else @err is the outcome.
 */
static bool vhyv_cmdq_try_submit(struct vhyv_cmdq *q, struct vhyv_cmd *cmd,
				 int *err)
{
	struct scatterlist *sgs[] = { cmd->req_sg, &cmd->rsp_sg };
	bool notify = false;

	spin_lock_irq(&q->lock);
	if (q->closed) {
		*err = -ESHUTDOWN;
	} else {
		*err = virtqueue_add_sgs(q->vq, sgs, 1, 1, cmd, GFP_ATOMIC);
		if (!*err)
			notify = virtqueue_kick_prepare(q->vq);
	}
	spin_unlock_irq(&q->lock);

	if (notify)
		virtqueue_notify(q->vq);
	return *err != -ENOSPC;
}

/*
 * Queue a command, waiting for room. On error the device has not seen it, and
 * if the wait was not killable the device has failed.
 */
static int vhyv_cmdq_submit(struct vhyv_cmd *cmd, bool killable)
{
	struct vhyv_cmdq *q = &cmd->hdev->cmdq;
	long left;
	int err;

	if (killable)
		left = wait_event_killable_timeout(q->room,
						   vhyv_cmdq_try_submit(q, cmd,
									&err),
						   VHYV_CMD_TIMEOUT);
	else
		left = wait_event_timeout(q->room,
					  vhyv_cmdq_try_submit(q, cmd, &err),
					  VHYV_CMD_TIMEOUT);
	if (left < 0)
		return -EINTR;
	if (err == -ESHUTDOWN)
		return -EIO;
	if (err == -ENOSPC) {
		if (killable)
			return -ETIMEDOUT;
		vhyv_dev_fail(cmd->hdev, "control queue is stuck");
		return -EIO;
	}
	if (err) {
		vhyv_dev_fail(cmd->hdev, "control queue is broken");
		return -EIO;
	}
	return 0;
}

/* Leave a command to the queue. False if it has just been returned. */
static bool vhyv_cmdq_abandon(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	bool abandoned;

	spin_lock_irq(&q->lock);
	abandoned = !cmd->returned;
	if (abandoned) {
		cmd->abandoned = true;
		if (cmd->orphans)
			atomic_inc(cmd->orphans);
	}
	spin_unlock_irq(&q->lock);
	return abandoned;
}

/**
 * vhyv_cmdq_exec() - execute a command
 * @cmd: the command
 * @killable: give up when the caller is killed or after VHYV_CMD_TIMEOUT. If
 *	not, a host that does not answer in that time makes the device fail,
 *	which ends the wait.
 *
 * Context: may sleep, but not on vhyv_dev.wq with @killable set.
 * Return: 0 if the device has replied: the caller owns the command again. On
 * error the command is gone and its memory is, or will be, released as soon as
 * the host does not use it any more; -EINTR if the caller was killed,
 * -ETIMEDOUT, or -EIO if the device has failed.
 */
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable)
{
	struct vhyv_cmdq *q = &cmd->hdev->cmdq;
	long left;
	int ret;

	ret = vhyv_cmdq_submit(cmd, killable);
	if (ret)
		goto err_free;

	if (killable) {
		left = wait_for_completion_killable_timeout(&cmd->done,
							    VHYV_CMD_TIMEOUT);
		if (left <= 0 && vhyv_cmdq_abandon(q, cmd))
			return left ? -EINTR : -ETIMEDOUT;
	} else if (!wait_for_completion_timeout(&cmd->done, VHYV_CMD_TIMEOUT)) {
		vhyv_dev_fail(cmd->hdev, "host does not answer");
		wait_for_completion(&cmd->done);
	}

	ret = cmd->error;
	if (ret)
		goto err_free;
	return 0;

err_free:
	/* A destroy which has not taken place must not release memory. */
	if (!killable)
		vhyv_cmdq_wait_drained(q);
	vhyv_cmd_free(cmd);
	return ret;
}

/**
 * vhyv_cmdq_wait_drained() - wait for the end of a failed device
 * @q: its queue
 *
 * To be called after vhyv_dev_fail() only. When it returns the host uses no
 * memory of this guest any more.
 *
 * Context: may sleep.
 */
void vhyv_cmdq_wait_drained(struct vhyv_cmdq *q)
{
	wait_for_completion(&q->drained);
}

/**
 * vhyv_cmdq_drain_orphans() - wait until abandoned commands are over
 * @hdev: device
 * @orphans: their count, see struct vhyv_cmd
 *
 * Context: may sleep.
 */
void vhyv_cmdq_drain_orphans(struct vhyv_dev *hdev, atomic_t *orphans)
{
	if (wait_var_event_timeout(orphans, !atomic_read(orphans),
				   VHYV_CMD_TIMEOUT))
		return;
	vhyv_dev_fail(hdev, "host does not answer");
	wait_var_event(orphans, !atomic_read(orphans));
}

/**
 * vhyv_cmdq_close() - accept no more commands
 * @q: the queue
 *
 * Context: may sleep.
 */
void vhyv_cmdq_close(struct vhyv_cmdq *q)
{
	spin_lock_irq(&q->lock);
	q->closed = true;
	spin_unlock_irq(&q->lock);
	wake_up_all(&q->room);
}

/**
 * vhyv_cmdq_drain() - end all commands with -EIO
 * @q: a closed queue, whose device has been reset
 *
 * Context: may sleep.
 */
void vhyv_cmdq_drain(struct vhyv_cmdq *q)
{
	struct vhyv_cmd *cmd;

	spin_lock_irq(&q->lock);
	while (q->vq && (cmd = virtqueue_detach_unused_buf(q->vq))) {
		cmd->error = -EIO;
		vhyv_cmd_return(q, cmd);
	}
	spin_unlock_irq(&q->lock);
	complete_all(&q->drained);
}
