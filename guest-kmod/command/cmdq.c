// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport of commands over the control virtqueue.
 *
 * A command that was queued stays allocated, owned by the queue, until the
 * device returns it. So a caller may be killed at any time, and the device
 * never writes to memory that has been reused.
 *
 * A command waits until it gets a credit (admission.c). So the device never has
 * more commands than a host executes at once, and a quick command is executed
 * without waiting for slow ones of other processes. Quick commands that release
 * something have credits of their own, and so have those whose callers hold
 * locks that others need. There is no limit on the time that a command may take:
 * watchdog.c ends all waits if the host no longer responds.
 */
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include <hyv/wire.h>

#include "command/admission.h"
#include "command/client.h"
#include "command/cmdq.h"
#include "dev.h"
#include "memory/mem.h"
#include "trace.h"

/*
 * Commands that the device gets at once: as many as QEMU executes at the same
 * time. One of them is for the watchdog.
 */
#define VHYV_MAX_QUEUED		64U
/* Descriptors of a command whose request is in one piece, as short ones are. */
#define VHYV_MIN_DESCS		2

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
	struct vhyv_orphans *orphans = cmd->orphans;

	if (cmd->undo && !cmd->error)
		cmd->undo(cmd);
	vhyv_cmd_free(cmd);
	if (orphans)
		vhyv_orphans_put(orphans);
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
	cmd->client = vhyv_client_get(hdev->cmdq, gfp);
	if (!cmd->client)
		goto err_free_cmd;

	cmd->hdev = hdev;
	cmd->layout = layout;
	vhyv_cmd_set_class(cmd, vhyv_cmd_class(layout->opcode));
	cmd->req = req;
	cmd->req_len = req_len;
	cmd->rsp = rsp;
	cmd->rsp_size = rsp_size;
	init_completion(&cmd->done);
	INIT_WORK(&cmd->work, vhyv_cmd_abandoned_work);
	vhyv_sg_fill(cmd->req_sg, req, req_len);
	sg_init_one(&cmd->rsp_sg, rsp, rsp_size);
	return cmd;

err_free_cmd:
	kfree(cmd);
err_free_rsp:
	kfree(rsp);
err_free_req:
	kvfree(req);
	return ERR_PTR(-ENOMEM);
}

/* Let a command that was not submitted take its credit from the pool of @class. */
void vhyv_cmd_set_class(struct vhyv_cmd *cmd, enum vhyv_cmd_class class)
{
	cmd->class = class;
	cmd->ticket.share = &cmd->client->share[class];
}

/*
 * Let a command that was not submitted count for @client instead of the caller: a
 * kernel thread must not wait for one process when it cleans up after another.
 */
void vhyv_cmd_count_for(struct vhyv_cmd *cmd, struct vhyv_client *client)
{
	struct vhyv_cmdq *q = cmd->hdev->cmdq;
	struct vhyv_client *caller = cmd->client;

	vhyv_client_hold(q, client);
	cmd->client = client;
	vhyv_cmd_set_class(cmd, cmd->class);
	vhyv_client_put(q, caller);
}

/* Let a command that the device has returned be executed again. */
void vhyv_cmd_reuse(struct vhyv_cmd *cmd)
{
	reinit_completion(&cmd->done);
	memset(cmd->rsp, 0, cmd->rsp_size);
	cmd->rsp_len = 0;
}

/* Free a command that the caller owns, and the memory attached to it. */
void vhyv_cmd_free(struct vhyv_cmd *cmd)
{
	vhyv_mem_free(cmd->udata_mem);
	vhyv_mem_free(cmd->mem);
	vhyv_client_put(cmd->hdev->cmdq, cmd->client);
	kvfree(cmd->req);
	kfree(cmd->rsp);
	kfree(cmd);
}

/* Allocate the queue, which vhyv_cmdq_start() starts. */
struct vhyv_cmdq *vhyv_cmdq_alloc(void)
{
	struct vhyv_cmdq *q;
	size_t i;

	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return NULL;
	spin_lock_init(&q->lock);
	hash_init(q->clients);
	hash_init(q->users);
	for (i = 0; i < ARRAY_SIZE(q->pool); i++)
		vhyv_pool_init(&q->pool[i], 0);
	INIT_LIST_HEAD(&q->stalled);
	init_completion(&q->drained);
	return q;
}

static bool vhyv_vq_indirect(const struct virtqueue *vq)
{
	return virtio_has_feature(vq->vdev, VIRTIO_RING_F_INDIRECT_DESC);
}

/*
 * Set the virtqueue, before the device is ready. Returns 0, or -EINVAL if it has no
 * room for a command without memory for an indirect list: DESTROY must not fail.
 */
int vhyv_cmdq_start(struct vhyv_cmdq *q, struct virtqueue *vq)
{
	unsigned int ring = virtqueue_get_vring_size(vq);
	unsigned int descs = vhyv_vq_indirect(vq) ? 1 : VHYV_MIN_DESCS;
	unsigned int others, ordinary;

	if (ring < VHYV_MIN_DESCS)
		return -EINVAL;
	vhyv_pools_init(q->pool, clamp(ring / descs, 2U, VHYV_MAX_QUEUED) - 1);
	others = q->pool[VHYV_CMD_RESERVED].credits +
		 q->pool[VHYV_CMD_LOCKED].credits;
	ordinary = q->pool[VHYV_CMD_ORDINARY].credits;
	q->vq = vq;
	/* For other classes and the watchdog; less in the smallest rings. */
	q->kept = min(descs * (others + 1), ring - min(ring, descs * ordinary));
	return 0;
}

/* For the trace only: vhyv_cmd_reply() checks the reply. */
static u32 vhyv_cmd_status(const struct vhyv_cmd *cmd)
{
	const struct hyv_rsp *hdr = cmd->rsp;

	if (cmd->error || cmd->rsp_len < sizeof(*hdr))
		return HYV_S_EIO;
	return le32_to_cpu(hdr->status);
}

/* Hand a command back to its caller, or clean up after one that gave up. */
static void vhyv_cmd_finish(struct vhyv_cmd *cmd, int error)
{
	cmd->error = error;
	cmd->state = VHYV_CMD_OWNED;
	if (cmd->class == VHYV_CMD_NO_CREDIT)
		cmd->hdev->cmdq->querying = false;
	if (cmd->abandoned)
		queue_work(cmd->hdev->undo_wq, &cmd->work);
	else
		complete(&cmd->done);
}

static void vhyv_cmdq_leave(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	if (cmd->class != VHYV_CMD_NO_CREDIT)
		vhyv_pool_leave(&q->pool[cmd->class], &cmd->ticket);
}

/* The device no longer has the command. */
static void vhyv_cmd_return(struct vhyv_cmdq *q, struct vhyv_cmd *cmd, int error)
{
	lockdep_assert_held(&q->lock);

	cmd->error = error;
	trace_vhyv_cmd_return(vhyv_dev_name(cmd->hdev), cmd->layout->opcode,
			      cmd->layout->name, vhyv_cmd_status(cmd),
			      ktime_get_ns() - cmd->submit_ns);
	q->queued--;
	vhyv_cmdq_leave(q, cmd);
	vhyv_cmd_finish(cmd, error);
}

/* Ordinary commands may be long and many, and must not fill the virtqueue. */
static bool vhyv_cmdq_has_room(const struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	unsigned int descs = 1;

	if (cmd->class != VHYV_CMD_ORDINARY)
		return true;
	if (!vhyv_vq_indirect(q->vq))
		descs += sg_nents(cmd->req_sg);
	return q->vq->num_free >= q->kept + descs;
}

/*
 * Put a command with a credit into the virtqueue. Returns false if it has to wait
 * for descriptors.
 */
static bool vhyv_cmdq_add(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	struct scatterlist *sgs[] = { cmd->req_sg, &cmd->rsp_sg };
	int err;

	lockdep_assert_held(&q->lock);
	cmd->submit_ns = ktime_get_ns();
	err = -ENOSPC;
	if (vhyv_cmdq_has_room(q, cmd))
		err = virtqueue_add_sgs(q->vq, sgs, 1, 1, cmd, GFP_ATOMIC);
	if (!err) {
		trace_vhyv_cmd_submit(vhyv_dev_name(cmd->hdev),
				      cmd->layout->opcode, cmd->layout->name,
				      cmd->req_len);
		cmd->state = VHYV_CMD_QUEUED;
		if (!q->queued++)
			queue_delayed_work(system_percpu_wq, &q->watch,
					   VHYV_WATCH_PERIOD);
		return true;
	}
	if (err != -ENOSPC && err != -ENOMEM)
		vhyv_dev_fail(cmd->hdev, "control queue is broken");
	else if (q->queued)
		return false;
	/* Nothing to wait for. */
	vhyv_cmdq_leave(q, cmd);
	vhyv_cmd_finish(cmd, err == -ENOSPC ? -ENOMEM : err);
	return true;
}

/*
 * Pass a command with a credit on to the device: an ordinary one after older ones,
 * others before them.
 */
static void vhyv_cmdq_admit(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	bool ordinary = cmd->class == VHYV_CMD_ORDINARY;

	if ((!ordinary || list_empty(&q->stalled)) && vhyv_cmdq_add(q, cmd))
		return;
	cmd->state = VHYV_CMD_STALLED;
	if (ordinary)
		list_add_tail(&cmd->ticket.link, &q->stalled);
	else
		list_add(&cmd->ticket.link, &q->stalled);
}

/* Pass on as many commands as possible. Returns true if the device needs a kick. */
static bool vhyv_cmdq_refill(struct vhyv_cmdq *q)
{
	struct vhyv_ticket *ticket;
	struct vhyv_cmd *cmd;
	size_t i;

	if (q->closed)
		return false;
	while ((cmd = list_first_entry_or_null(&q->stalled, struct vhyv_cmd,
					       ticket.link))) {
		list_del(&cmd->ticket.link);
		if (!vhyv_cmdq_add(q, cmd)) {
			list_add(&cmd->ticket.link, &q->stalled);
			break;
		}
	}
	for (i = 0; i < ARRAY_SIZE(q->pool); i++) {
		while ((ticket = vhyv_pool_next(&q->pool[i])))
			vhyv_cmdq_admit(q, container_of(ticket, struct vhyv_cmd,
							ticket));
	}
	return virtqueue_kick_prepare(q->vq);
}

/* Callback of the control virtqueue, in hardirq context. */
void vhyv_cmdq_callback(struct virtqueue *vq)
{
	struct vhyv_dev *hdev = vq->vdev->priv;
	struct vhyv_cmdq *q = hdev->cmdq;
	struct vhyv_cmd *cmd;
	unsigned long flags;
	unsigned int len;
	bool notify;

	spin_lock_irqsave(&q->lock, flags);
	do {
		virtqueue_disable_cb(vq);
		while ((cmd = virtqueue_get_buf(vq, &len))) {
			cmd->rsp_len = min(len, cmd->rsp_size);
			q->returns++;
			vhyv_cmd_return(q, cmd, 0);
		}
	} while (!virtqueue_enable_cb(vq));
	notify = vhyv_cmdq_refill(q);
	spin_unlock_irqrestore(&q->lock, flags);
	if (notify)
		virtqueue_notify(vq);
}

/* Hand a command over to the queue. */
static void vhyv_cmdq_submit(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	bool notify = false;

	spin_lock_irq(&q->lock);
	if (q->closed) {
		vhyv_cmd_finish(cmd, -EIO);
	} else if (cmd->class != VHYV_CMD_NO_CREDIT &&
		   !vhyv_pool_enter(&q->pool[cmd->class], &cmd->ticket)) {
		cmd->state = VHYV_CMD_WAITING;
	} else {
		vhyv_cmdq_admit(q, cmd);
		notify = virtqueue_kick_prepare(q->vq);
	}
	spin_unlock_irq(&q->lock);
	if (notify)
		virtqueue_notify(q->vq);
}

/* Send a query of the watchdog, which nobody waits for. There is no other. */
void vhyv_cmdq_send_query(struct vhyv_cmd *cmd)
{
	struct vhyv_cmdq *q = cmd->hdev->cmdq;

	cmd->class = VHYV_CMD_NO_CREDIT;
	cmd->abandoned = true;
	spin_lock_irq(&q->lock);
	q->querying = true;
	spin_unlock_irq(&q->lock);
	vhyv_cmdq_submit(q, cmd);
}

/*
 * Give up waiting for a command. Returns 0 if it is over, -EINTR if the caller
 * owns it because the device has not seen it, or -EINPROGRESS if the queue
 * keeps it.
 */
static int vhyv_cmdq_give_up(struct vhyv_cmdq *q, struct vhyv_cmd *cmd)
{
	bool notify = false;
	int ret = -EINTR;

	spin_lock_irq(&q->lock);
	switch (cmd->state) {
	case VHYV_CMD_OWNED:
		ret = 0;
		break;
	case VHYV_CMD_WAITING:
		vhyv_pool_cancel(&cmd->ticket);
		cmd->state = VHYV_CMD_OWNED;
		break;
	case VHYV_CMD_STALLED:
		list_del(&cmd->ticket.link);
		vhyv_cmdq_leave(q, cmd);
		cmd->state = VHYV_CMD_OWNED;
		notify = vhyv_cmdq_refill(q);
		break;
	case VHYV_CMD_QUEUED:
		cmd->abandoned = true;
		if (cmd->orphans)
			refcount_inc(&cmd->orphans->refs);
		ret = -EINPROGRESS;
		break;
	}
	spin_unlock_irq(&q->lock);
	if (notify)
		virtqueue_notify(q->vq);
	return ret;
}

static void vhyv_wait_for_completion(struct completion *done)
{
	while (!wait_for_completion_timeout(done, VHYV_WAIT_PART))
		;
}

/**
 * vhyv_cmdq_exec() - execute a command
 * @cmd: command
 * @killable: give up when the caller is killed
 *
 * Waits for as long as the host takes. The failure of the device ends the wait.
 *
 * Context: Process context. May sleep. Not on vhyv_dev.wq if @killable.
 * Return: 0 if the device has replied; the caller owns the command again. On
 * error the queue owns it, and frees it and its memory when the host no longer
 * uses them: -EINTR if the caller was killed, -EIO if the device has failed, or
 * -ENOMEM.
 */
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable)
{
	const struct vhyv_cmd_layout *layout = cmd->layout;
	struct vhyv_dev *hdev = cmd->hdev;
	int ret = 0;

	vhyv_cmdq_submit(hdev->cmdq, cmd);
	if (!killable)
		vhyv_wait_for_completion(&cmd->done);
	else if (wait_for_completion_killable(&cmd->done))
		ret = vhyv_cmdq_give_up(hdev->cmdq, cmd);
	if (ret == -EINPROGRESS) {
		vhyv_dbg(hdev, "%s abandoned\n", layout->name);
		return -EINTR;
	}
	if (!ret)
		ret = cmd->error;
	if (!ret)
		return 0;

	vhyv_dbg(hdev, "%s not executed: %pe\n", layout->name, ERR_PTR(ret));
	/* If this was a DESTROY, the host still uses the memory to be freed. */
	if (!killable && ret == -EIO)
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
	vhyv_wait_for_completion(&hdev->cmdq->drained);
}

/**
 * vhyv_orphans_wait() - wait until abandoned commands have been undone
 * @orphans: commands of a context, which the caller has
 *
 * Context: Process context. May sleep.
 */
void vhyv_orphans_wait(struct vhyv_orphans *orphans)
{
	while (!wait_var_event_timeout(orphans, !vhyv_orphans_any(orphans),
				       VHYV_WAIT_PART))
		;
}

/* Drop a reference, that of the context or of a command. May sleep. */
void vhyv_orphans_put(struct vhyv_orphans *orphans)
{
	if (refcount_dec_and_test(&orphans->refs)) {
		orphans->last(orphans);
		return;
	}
	/* Pairs with that of waiting. Others may free @orphans by now. */
	smp_mb();
	wake_up_var(orphans);
}

/* Let the watchdog look at the host although it may have no command. */
void vhyv_cmdq_suspect(struct vhyv_cmdq *q)
{
	spin_lock_irq(&q->lock);
	q->suspect = true;
	if (!q->closed)
		queue_delayed_work(system_percpu_wq, &q->watch, VHYV_WATCH_PERIOD);
	spin_unlock_irq(&q->lock);
}

/* Accept no more commands, and fail those that the device has not seen. */
void vhyv_cmdq_close(struct vhyv_cmdq *q)
{
	struct vhyv_cmd *cmd, *next;
	struct vhyv_ticket *ticket;
	size_t i;

	spin_lock_irq(&q->lock);
	q->closed = true;
	list_for_each_entry_safe(cmd, next, &q->stalled, ticket.link) {
		list_del(&cmd->ticket.link);
		vhyv_cmdq_leave(q, cmd);
		vhyv_cmd_finish(cmd, -EIO);
	}
	for (i = 0; i < ARRAY_SIZE(q->pool); i++) {
		while ((ticket = vhyv_pool_first(&q->pool[i]))) {
			vhyv_pool_cancel(ticket);
			cmd = container_of(ticket, struct vhyv_cmd, ticket);
			vhyv_cmd_finish(cmd, -EIO);
		}
	}
	spin_unlock_irq(&q->lock);
}

/* Fail all commands of a closed queue, whose device has been reset. */
void vhyv_cmdq_drain(struct vhyv_cmdq *q)
{
	struct vhyv_cmd *cmd;

	spin_lock_irq(&q->lock);
	while (q->vq && (cmd = virtqueue_detach_unused_buf(q->vq)))
		vhyv_cmd_return(q, cmd, -EIO);
	spin_unlock_irq(&q->lock);
	complete_all(&q->drained);
}
