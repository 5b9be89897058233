/* SPDX-License-Identifier: GPL-2.0-only */
/* Transport of commands over the control virtqueue. */
#ifndef VHYV_CMDQ_H
#define VHYV_CMDQ_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct vhyv_dev;
struct vhyv_mem;
struct virtqueue;

/*
 * How long the host may take. Less than the 120 s after which the kernel
 * complains about tasks that cannot be killed.
 */
#define VHYV_CMD_TIMEOUT		(60 * HZ)

/**
 * struct vhyv_cmdq - the control queue
 * @lock: protects @vq, @closed and the like-marked fields of each command
 * @vq: the virtqueue; its buffers are struct vhyv_cmd
 * @closed: no command is accepted any more
 * @room: waiters for free descriptors
 * @drained: the device has been reset; it uses no command's memory, and no
 *	memory that was handed to it by a command
 */
struct vhyv_cmdq {
	spinlock_t lock;	/* protects the next two, and commands */
	struct virtqueue *vq;
	bool closed;

	wait_queue_head_t room;
	struct completion drained;
};

/**
 * struct vhyv_cmd - a command
 * @hdev: the device
 * @req: request, device readable
 * @rsp: reply, device writable
 * @req_len: bytes of @req
 * @rsp_size: room at @rsp
 * @rsp_min: bytes which the fixed part of a reply must have
 * @mem: pinned memory that the host may use until this command is over, or
 *	NULL; released with the command
 * @udata_mem: likewise, what the provider data points to; linked by
 *	vhyv_mem.next
 * @orphan: called from a workqueue in place of the caller when the reply comes
 *	after the caller has given up, to undo what the command did. Or NULL.
 * @orphan_arg: for @orphan
 * @orphans: count that includes the command while nobody waits for it and it
 *	is not over, or NULL
 * @error: -EIO if the device was reset before it replied
 * @rsp_len: bytes that the device has written to @rsp
 * @done: the command has been returned
 * @returned: the same, protected by vhyv_cmdq.lock
 * @abandoned: nobody waits for @done, protected by vhyv_cmdq.lock
 * @work: runs the orphan handler and frees the command
 * @rsp_sg: scatterlist of @rsp
 * @req_sg: scatterlist of @req
 *
 * Its submitter owns a command before it is queued and after it has been
 * returned. In between it belongs to the device, whatever becomes of the
 * submitter.
 */
struct vhyv_cmd {
	struct vhyv_dev *hdev;
	void *req;
	void *rsp;
	u32 req_len;
	u32 rsp_size;
	u32 rsp_min;
	struct vhyv_mem *mem;
	struct vhyv_mem *udata_mem;
	void (*orphan)(struct vhyv_cmd *cmd);
	u32 orphan_arg;
	atomic_t *orphans;

	int error;
	u32 rsp_len;
	struct completion done;

	bool returned;
	bool abandoned;

	struct work_struct work;
	struct scatterlist rsp_sg;
	struct scatterlist req_sg[];
};

struct vhyv_cmd *vhyv_cmd_alloc(struct vhyv_dev *hdev, size_t req_len,
				size_t rsp_size, gfp_t gfp);
void vhyv_cmd_trim(struct vhyv_cmd *cmd, size_t req_len);
void vhyv_cmd_free(struct vhyv_cmd *cmd);

void vhyv_cmdq_init(struct vhyv_cmdq *q);
void vhyv_cmdq_callback(struct virtqueue *vq);
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable);
void vhyv_cmdq_wait_drained(struct vhyv_cmdq *q);
void vhyv_cmdq_drain_orphans(struct vhyv_dev *hdev, atomic_t *orphans);
void vhyv_cmdq_close(struct vhyv_cmdq *q);
void vhyv_cmdq_drain(struct vhyv_cmdq *q);

#endif /* VHYV_CMDQ_H */
