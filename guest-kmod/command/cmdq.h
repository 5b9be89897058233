/* SPDX-License-Identifier: GPL-2.0-only */
/* Transport of commands over the control virtqueue. */
#ifndef VHYV_CMDQ_H
#define VHYV_CMDQ_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "command/admission.h"
#include "command/client.h"

struct vhyv_dev;
struct vhyv_mem;
struct virtqueue;

/*
 * Waits that cannot be interrupted are made of parts shorter than the 120 s after
 * which the kernel reports a task as hung: the host may take longer than that.
 */
#define VHYV_WAIT_PART		(60 * HZ)

/* Time between two looks at a host that returns no command. */
#ifdef HYV_TEST
#define VHYV_WATCH_PERIOD	msecs_to_jiffies(READ_ONCE(vhyv_watch_ms))
extern unsigned int vhyv_watch_ms;
#else
#define VHYV_WATCH_PERIOD	(30 * HZ)
#endif

/**
 * struct vhyv_cmdq - the control queue
 * @lock: protects all fields before @drained, and the state of commands
 * @vq: virtqueue; its buffers are struct vhyv_cmd
 * @closed: no command is accepted any longer
 * @queued: commands that the device has
 * @returns: commands that the device has returned so far
 * @seen_returns: @returns when @watch last ran
 * @querying: there is a query of @watch
 * @silent: how often in a row @watch has found no new return despite a query
 * @suspect: look at the host although it has no command
 * @pool: credits for each class of commands
 * @stalled: commands with a credit for which the virtqueue has no descriptors
 * @kept: descriptors that commands of VHYV_CMD_ORDINARY leave free
 * @clients: struct vhyv_client by vhyv_client.tgid
 * @users: struct vhyv_user by vhyv_user.uid
 * @drained: the device has been reset; it no longer accesses any command, nor
 *	memory that a command has handed over
 * @watch: finds out if the host is alive, see watchdog.c
 */
struct vhyv_cmdq {
	spinlock_t lock;	/* protects the fields up to users */
	struct virtqueue *vq;
	bool closed;
	unsigned int queued;
	u64 returns;
	u64 seen_returns;
	bool querying;
	unsigned int silent;
	bool suspect;
	struct vhyv_pool pool[VHYV_CMD_CLASSES];
	struct list_head stalled;
	unsigned int kept;
	DECLARE_HASHTABLE(clients, VHYV_CLIENT_HASH_BITS);
	DECLARE_HASHTABLE(users, VHYV_CLIENT_HASH_BITS);

	struct completion drained;
	struct delayed_work watch;
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
 * struct vhyv_orphans - abandoned commands of a context
 * @refs: that of the context, and one for each command until it has been undone
 * @last: called when there is none of these any longer; may sleep
 */
struct vhyv_orphans {
	refcount_t refs;
	void (*last)(struct vhyv_orphans *orphans);
};

/* Where a command is. */
enum vhyv_cmd_state {
	VHYV_CMD_OWNED,		/* by the caller */
	VHYV_CMD_WAITING,	/* for a credit */
	VHYV_CMD_STALLED,	/* in vhyv_cmdq.stalled */
	VHYV_CMD_QUEUED,	/* in the virtqueue */
};

/**
 * struct vhyv_cmd - a command
 * @hdev: device
 * @layout: opcode and sizes
 * @class: kind of credit that it needs
 * @client: who has built it
 * @req: request, device readable
 * @rsp: reply, device writable
 * @req_len: length of @req
 * @rsp_size: room at @rsp
 * @mem: pinned memory that the host may access until it returns the command, and, if
 *	it succeeds, as long as the object; list linked by vhyv_mem.next; freed with
 *	the command
 * @udata_mem: the same for memory that it does not access after the command
 * @undo: undoes what the command did if it succeeds after the caller has given
 *	up, or NULL; runs on vhyv_dev.undo_wq
 * @undo_arg: argument of @undo
 * @orphans: where the command is counted if it is abandoned, until @undo has run;
 *	or NULL
 * @error: 0 if the device has replied; -EIO if the device has failed before,
 *	-ENOMEM if the command does not fit into the virtqueue
 * @rsp_len: bytes that the device has written to @rsp
 * @submit_ns: time of submission
 * @done: the command is over
 * @work: runs @undo and frees the command
 * @ticket: claim to a credit; protected by vhyv_cmdq.lock
 * @state: where the command is; protected by vhyv_cmdq.lock
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
	enum vhyv_cmd_class class;
	struct vhyv_client *client;
	void *req;
	void *rsp;
	u32 req_len;
	u32 rsp_size;
	struct vhyv_mem *mem;
	struct vhyv_mem *udata_mem;
	void (*undo)(struct vhyv_cmd *cmd);
	u32 undo_arg;
	struct vhyv_orphans *orphans;

	int error;
	u32 rsp_len;
	u64 submit_ns;
	struct completion done;
	struct work_struct work;

	struct vhyv_ticket ticket;
	enum vhyv_cmd_state state;
	bool abandoned;

	struct scatterlist rsp_sg;
	struct scatterlist req_sg[];
};

struct vhyv_cmd *vhyv_cmd_alloc(struct vhyv_dev *hdev,
				const struct vhyv_cmd_layout *layout,
				size_t req_len, size_t rsp_size, gfp_t gfp);
void vhyv_cmd_set_class(struct vhyv_cmd *cmd, enum vhyv_cmd_class class);
void vhyv_cmd_count_for(struct vhyv_cmd *cmd, struct vhyv_client *client);
void vhyv_cmd_reuse(struct vhyv_cmd *cmd);
void vhyv_cmd_free(struct vhyv_cmd *cmd);

struct vhyv_cmdq *vhyv_cmdq_alloc(void);
int vhyv_cmdq_start(struct vhyv_cmdq *q, struct virtqueue *vq);
void vhyv_cmdq_callback(struct virtqueue *vq);
int vhyv_cmdq_exec(struct vhyv_cmd *cmd, bool killable);
void vhyv_cmdq_send_query(struct vhyv_cmd *cmd);
void vhyv_cmdq_suspect(struct vhyv_cmdq *q);
void vhyv_cmdq_wait_drained(struct vhyv_dev *hdev);
void vhyv_orphans_wait(struct vhyv_orphans *orphans);
void vhyv_orphans_put(struct vhyv_orphans *orphans);
void vhyv_cmdq_close(struct vhyv_cmdq *q);
void vhyv_cmdq_drain(struct vhyv_cmdq *q);

static inline void vhyv_orphans_init(struct vhyv_orphans *orphans,
				     void (*last)(struct vhyv_orphans *orphans))
{
	refcount_set(&orphans->refs, 1);
	orphans->last = last;
}

static inline bool vhyv_orphans_any(const struct vhyv_orphans *orphans)
{
	return refcount_read(&orphans->refs) > 1;
}

#endif /* VHYV_CMDQ_H */
