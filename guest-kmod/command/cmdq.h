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
 * How long the host may take: less than the 120 s after which the kernel
 * reports tasks in an uninterruptible wait as hung.
 */
#define VHYV_CMD_TIMEOUT	(60 * HZ)

/**
 * struct vhyv_cmdq - the control queue
 * @lock: protects @vq, @closed, and vhyv_cmd.returned and .abandoned
 * @vq: virtqueue; its buffers are struct vhyv_cmd
 * @closed: no command is accepted any longer
 * @room: waiters for free descriptors
 * @drained: the device has been reset; it no longer accesses any command, nor
 *	memory that a command has handed over
 */
struct vhyv_cmdq {
	spinlock_t lock;	/* protects the next two, and commands */
	struct virtqueue *vq;
	bool closed;

	wait_queue_head_t room;
	struct completion drained;
};

/**
 * struct vhyv_cmd_layout - opcode and sizes of a command
 * @name: name, for the log and traces
 * @opcode: enum hyv_opcode
 * @req_len: length of the request's fixed part
 * @rsp_len: length of the reply's fixed part in this driver's version
 * @rsp_min: the same in the first version, which every host sends
 */
struct vhyv_cmd_layout {
	const char *name;
	u16 opcode;
	u16 req_len;
	u16 rsp_len;
	u16 rsp_min;
};

/**
 * struct vhyv_cmd - a command
 * @hdev: device
 * @layout: opcode and sizes
 * @req: request, device readable
 * @rsp: reply, device writable
 * @req_len: length of @req
 * @rsp_size: room at @rsp
 * @mem: pinned memory that the host may access until it returns the command, or
 *	NULL; freed with the command
 * @udata_mem: memory that the provider data points to, handled as @mem; list
 *	linked by vhyv_mem.next
 * @undo: undoes what the command did if it succeeds after the caller has given
 *	up, or NULL; runs on vhyv_dev.wq
 * @undo_arg: argument of @undo
 * @nr_abandoned: counter of abandoned commands, or NULL; includes this command
 *	until @undo has run
 * @error: -EIO if the device was reset before it replied
 * @rsp_len: bytes that the device has written to @rsp
 * @submit_ns: time of submission
 * @done: the command has been returned
 * @work: runs @undo and frees the command
 * @returned: the command has been returned; protected by vhyv_cmdq.lock
 * @abandoned: the caller has given up; protected by vhyv_cmdq.lock
 * @rsp_sg: scatterlist of @rsp
 * @req_sg: scatterlist of @req
 *
 * The caller owns a command until it is queued, and again once it has been
 * returned. In between it belongs to the queue, even if the caller is killed.
 */
struct vhyv_cmd {
	struct vhyv_dev *hdev;
	const struct vhyv_cmd_layout *layout;
	void *req;
	void *rsp;
	u32 req_len;
	u32 rsp_size;
	struct vhyv_mem *mem;
	struct vhyv_mem *udata_mem;
	void (*undo)(struct vhyv_cmd *cmd);
	u32 undo_arg;
	atomic_t *nr_abandoned;

	int error;
	u32 rsp_len;
	u64 submit_ns;
	struct completion done;
	struct work_struct work;

	bool returned;
	bool abandoned;

	struct scatterlist rsp_sg;
	struct scatterlist req_sg[];
};

struct vhyv_cmd *vhyv_cmd_alloc(struct vhyv_dev *hdev,
				const struct vhyv_cmd_layout *layout,
				size_t req_len, size_t rsp_size, gfp_t gfp);
void vhyv_cmd_trim(struct vhyv_cmd *cmd, size_t req_len);
void vhyv_cmd_free(struct vhyv_cmd *cmd);

struct vhyv_cmdq *vhyv_cmdq_alloc(void);
void vhyv_cmdq_callback(struct virtqueue *vq);
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable);
void vhyv_cmdq_wait_drained(struct vhyv_dev *hdev);
void vhyv_cmdq_wait_abandoned(struct vhyv_dev *hdev, atomic_t *nr_abandoned);
void vhyv_cmdq_close(struct vhyv_cmdq *q);
void vhyv_cmdq_drain(struct vhyv_cmdq *q);

#endif /* VHYV_CMDQ_H */
