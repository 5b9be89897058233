/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building requests and reading replies.
 *
 * Functions that send a command may sleep. Unless stated otherwise they return
 * 0 or a negative errno: the status of the reply, -EINTR if the caller was
 * killed, or -EIO if the device has failed.
 */
#ifndef VHYV_CMD_H
#define VHYV_CMD_H

#include <linux/gfp.h>
#include <linux/types.h>

#include <hyv/commands.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "command/cmdq.h"

struct ib_udata;
struct vhyv_mem;

#define VHYV_CMD_ID(NAME, ...)	VHYV_CMD_##NAME,

/* A command of include/hyv/commands.h. */
enum vhyv_cmd_id {
	HYV_FOR_EACH_COMMAND(VHYV_CMD_ID)
	VHYV_NR_CMDS
};

#undef VHYV_CMD_ID

struct vhyv_cmd *vhyv_cmd_build(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				struct ib_udata *udata, struct vhyv_mem *own,
				const struct hyv_queue_size *size, gfp_t gfp);
struct vhyv_cmd *vhyv_cmd_new_area(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				   void *area, size_t size);
int vhyv_cmd_reply(struct vhyv_cmd *cmd, void *rsp, size_t len);
int vhyv_cmd_reply_udata(struct vhyv_cmd *cmd, struct ib_udata *udata);
int vhyv_cmd_exec_retry(struct vhyv_cmd *cmd, int *status);
int vhyv_cmd_run(struct vhyv_cmd *cmd, bool killable, void *rsp,
		 struct ib_udata *udata);

/* A command without chunk lists; see vhyv_cmd_build(). */
static inline struct vhyv_cmd *vhyv_cmd_new(struct vhyv_dev *hdev,
					    enum vhyv_cmd_id id,
					    struct ib_udata *udata)
{
	return vhyv_cmd_build(hdev, id, udata, NULL, NULL, GFP_KERNEL);
}

/* A command that describes memory; see vhyv_cmd_build(). */
static inline struct vhyv_cmd *vhyv_cmd_new_mem(struct vhyv_dev *hdev,
						enum vhyv_cmd_id id,
						struct vhyv_mem *mem,
						struct ib_udata *udata)
{
	return vhyv_cmd_build(hdev, id, udata, mem, NULL, GFP_KERNEL);
}

/* A command whose provider data may point to queues; see vhyv_cmd_build(). */
static inline struct vhyv_cmd *
vhyv_cmd_new_queue(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
		   const struct hyv_queue_size *size, struct ib_udata *udata)
{
	return vhyv_cmd_build(hdev, id, udata, NULL, size, GFP_KERNEL);
}

/* For callers that cannot report an error; the allocation does not fail. */
static inline struct vhyv_cmd *vhyv_cmd_new_nofail(struct vhyv_dev *hdev,
						   enum vhyv_cmd_id id)
{
	return vhyv_cmd_build(hdev, id, NULL, NULL, NULL,
			      GFP_KERNEL | __GFP_NOFAIL);
}

#endif /* VHYV_CMD_H */
