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
#include <hyv/wire.h>

#include "command/cmdq.h"

struct ib_udata;

#define VHYV_CMD_ID(NAME, ...)	VHYV_CMD_##NAME,

/* A command of include/hyv/commands.h. */
enum vhyv_cmd_id {
	HYV_FOR_EACH_COMMAND(VHYV_CMD_ID)
	VHYV_NR_CMDS
};

#undef VHYV_CMD_ID

struct vhyv_cmd *vhyv_cmd_build(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				struct ib_udata *udata, u32 lists_len,
				gfp_t gfp);
struct vhyv_cmd *vhyv_cmd_new_mem(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				  struct vhyv_mem *mem, struct ib_udata *udata);
void *vhyv_cmd_lists(struct vhyv_cmd *cmd);
int vhyv_cmd_reply(struct vhyv_cmd *cmd, void *rsp, size_t len);
int vhyv_cmd_reply_udata(struct vhyv_cmd *cmd, struct ib_udata *udata);
int vhyv_cmd_exec_retry(struct vhyv_cmd *cmd, int *status);
int vhyv_cmd_run(struct vhyv_cmd *cmd, bool killable, void *rsp,
		 struct ib_udata *udata);

/* A command without chunk lists of its own; see vhyv_cmd_build(). */
static inline struct vhyv_cmd *vhyv_cmd_new(struct vhyv_dev *hdev,
					    enum vhyv_cmd_id id,
					    struct ib_udata *udata)
{
	return vhyv_cmd_build(hdev, id, udata, 0, GFP_KERNEL);
}

/* For callers that cannot report an error; the allocation does not fail. */
static inline struct vhyv_cmd *vhyv_cmd_new_nofail(struct vhyv_dev *hdev,
						   enum vhyv_cmd_id id)
{
	return vhyv_cmd_build(hdev, id, NULL, 0, GFP_KERNEL | __GFP_NOFAIL);
}

#endif /* VHYV_CMD_H */
