// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport of commands over the control virtqueue.
 *
 * A command that was queued stays allocated, owned by the queue, until the
 * device returns it. So a caller may be killed at any time, and the device
 * never writes to memory that has been reused.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include <hyv/wire.h>

#include "command/cmdq.h"
#include "dev.h"
#include "memory/mem.h"
#include "trace.h"

/*
 * Fill @sg with @buf, which may come from vmalloc(). Returns the number of
 * entries; with a NULL @sg it only counts them.
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

static void vhyv_cmd_abandoned_work(struct work_struct *work)
{
	struct vhyv_cmd *cmd = container_of(work, struct vhyv_cmd, work);
	atomic_t *nr_abandoned = cmd->nr_abandoned;

	if (cmd->undo && !cmd->error)
		cmd->undo(cmd);
	vhyv_cmd_free(cmd);
	if (nr_abandoned && atomic_dec_and_test(nr_abandoned))
		wake_up_var(nr_abandoned);
}

/**
 * vhyv_cmd_alloc() - allocate a command with a zeroed request and reply
 * @hdev: device
 * @layout: opcode and sizes
 * @req_len: length of the request
 * @rsp_size: room for the reply
 * @gfp: GFP_KERNEL, and more flags if needed
 *
 * Context: Process context. May sleep.
 * Return: the command, or ERR_PTR(-ENOMEM).
 */
struct vhyv_cmd *vhyv_cmd_alloc(struct vhyv_dev *hdev,
				const struct vhyv_cmd_layout *layout,
				size_t req_len, size_t rsp_size, gfp_t gfp)
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
	cmd->layout = layout;
	cmd->req = req;
	cmd->req_len = req_len;
	cmd->rsp = rsp;
	cmd->rsp_size = rsp_size;
	init_completion(&cmd->done);
	INIT_WORK(&cmd->work, vhyv_cmd_abandoned_work);
	vhyv_sg_fill(cmd->req_sg, req, req_len);
	sg_init_one(&cmd->rsp_sg, rsp, rsp_size);
	return cmd;

err_free_rsp:
	kfree(rsp);
err_free_req:
	kvfree(req);
	return ERR_PTR(-ENOMEM);
}

/* Shorten a request that has not been queued yet. */
void vhyv_cmd_trim(struct vhyv_cmd *cmd, size_t req_len)
{
	cmd->req_len = req_len;
	vhyv_sg_fill(cmd->req_sg, cmd->req, req_len);
}

/* Free a command that the caller owns, and the memory attached to it. */
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

/* Allocate the queue; its virtqueue is set later. */
struct vhyv_cmdq *vhyv_cmdq_alloc(void)
{
	struct vhyv_cmdq *q;

	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return NULL;
	spin_lock_init(&q->lock);
	init_waitqueue_head(&q->room);
	init_completion(&q->drained);
	return q;
}

/* For the trace only: vhyv_cmd_reply() checks the reply. */
static u32 vhyv_cmd_status(const struct vhyv_cmd *cmd)
{
	const struct hyv_rsp *hdr = cmd->rsp;

	if (cmd->error || cmd->rsp_len < sizeof(*hdr))
		return HYV_S_EIO;
	return le32_to_cpu(hdr->status);
}

/* Return a command to its caller, or clean up after one that has given up. */
static void vhyv_cmd_return(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	lockdep_assert_held(&q->lock);

	trace_vhyv_cmd_return(vhyv_dev_name(cmd->hdev), cmd->layout->opcode,
			      cmd->layout->name, vhyv_cmd_status(cmd),
			      ktime_get_ns() - cmd->submit_ns);
	cmd->returned = true;
	if (cmd->abandoned)
		queue_work(cmd->hdev->wq, &cmd->work);
	else
		complete(&cmd->done);
}

/* Callback of the control virtqueue, in hardirq context. */
void vhyv_cmdq_callback(struct virtqueue *vq)
{
	struct vhyv_dev *hdev = vq->vdev->priv;
	struct vhyv_cmdq *q = hdev->cmdq;
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
 * Queue a command if the virtqueue has room. Returns false if it is full;
 * otherwise @err is the result.
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
		cmd->submit_ns = ktime_get_ns();
		*err = virtqueue_add_sgs(q->vq, sgs, 1, 1, cmd, GFP_ATOMIC);
		if (!*err) {
			trace_vhyv_cmd_submit(vhyv_dev_name(cmd->hdev),
					      cmd->layout->opcode,
					      cmd->layout->name, cmd->req_len);
			notify = virtqueue_kick_prepare(q->vq);
		}
	}
	spin_unlock_irq(&q->lock);

	if (notify)
		virtqueue_notify(q->vq);
	return *err != -ENOSPC;
}

/*
 * Queue a command, waiting for room. On error the device has not seen it; if
 * the wait was not killable, the device has failed.
 */
static int vhyv_cmdq_submit(struct vhyv_cmd *cmd, bool killable)
{
	struct vhyv_cmdq *q = cmd->hdev->cmdq;
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

/* Give up waiting for a command. Returns false if it has just been returned. */
static bool vhyv_cmdq_abandon(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	bool abandoned;

	spin_lock_irq(&q->lock);
	abandoned = !cmd->returned;
	if (abandoned) {
		cmd->abandoned = true;
		if (cmd->nr_abandoned)
			atomic_inc(cmd->nr_abandoned);
	}
	spin_unlock_irq(&q->lock);
	return abandoned;
}

/**
 * vhyv_cmdq_exec() - execute a command
 * @cmd: command
 * @killable: give up when the caller is killed or after VHYV_CMD_TIMEOUT;
 *	otherwise a timeout makes the device fail, which ends the wait
 *
 * Context: Process context. May sleep. Not on vhyv_dev.wq if @killable.
 * Return: 0 if the device has replied; the caller owns the command again. On
 * error the queue owns it, and frees it and its memory when the host no longer
 * uses them: -EINTR if the caller was killed, -ETIMEDOUT, or -EIO if the device
 * has failed.
 */
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable)
{
	const struct vhyv_cmd_layout *layout = cmd->layout;
	struct vhyv_dev *hdev = cmd->hdev;
	long left;
	int ret;

	ret = vhyv_cmdq_submit(cmd, killable);
	if (ret)
		goto err_free;

	if (killable) {
		left = wait_for_completion_killable_timeout(&cmd->done,
							    VHYV_CMD_TIMEOUT);
		if (left <= 0 && vhyv_cmdq_abandon(hdev->cmdq, cmd)) {
			vhyv_dbg(hdev, "%s abandoned\n", layout->name);
			return left ? -EINTR : -ETIMEDOUT;
		}
	} else if (!wait_for_completion_timeout(&cmd->done, VHYV_CMD_TIMEOUT)) {
		vhyv_dev_fail(hdev, "host does not reply");
		wait_for_completion(&cmd->done);
	}

	ret = cmd->error;
	if (ret)
		goto err_free;
	return 0;

err_free:
	vhyv_dbg(hdev, "%s not executed: %pe\n", layout->name, ERR_PTR(ret));
	/* If this was a DESTROY, the host still uses the memory to be freed. */
	if (!killable)
		vhyv_cmdq_wait_drained(hdev);
	vhyv_cmd_free(cmd);
	return ret;
}

/*
 * Wait until a failed device, see vhyv_dev_fail(), has been reset and the host
 * no longer uses memory of this guest.
 */
void vhyv_cmdq_wait_drained(struct vhyv_dev *hdev)
{
	wait_for_completion(&hdev->cmdq->drained);
}

/**
 * vhyv_cmdq_wait_abandoned() - wait until abandoned commands have been undone
 * @hdev: device
 * @nr_abandoned: their counter, see struct vhyv_cmd
 *
 * Context: Process context. May sleep.
 */
void vhyv_cmdq_wait_abandoned(struct vhyv_dev *hdev, atomic_t *nr_abandoned)
{
	if (wait_var_event_timeout(nr_abandoned, !atomic_read(nr_abandoned),
				   VHYV_CMD_TIMEOUT))
		return;
	vhyv_dev_fail(hdev, "host does not reply");
	wait_var_event(nr_abandoned, !atomic_read(nr_abandoned));
}

/* Accept no more commands. */
void vhyv_cmdq_close(struct vhyv_cmdq *q)
{
	spin_lock_irq(&q->lock);
	q->closed = true;
	spin_unlock_irq(&q->lock);
	wake_up_all(&q->room);
}

/* Fail all commands of a closed queue, whose device has been reset. */
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
