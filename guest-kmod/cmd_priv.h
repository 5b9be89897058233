/* SPDX-License-Identifier: GPL-2.0-only */
/* Building requests and reading replies; for cmd.c and cmd_*.c only. */
#ifndef HYV_CMD_PRIV_H
#define HYV_CMD_PRIV_H

#include <hyv/wire.h>

#include "cmd.h"

/**
 * struct hyv_layout - sizes of a command
 * @opcode: enum hyv_opcode
 * @req_len: bytes of the request's fixed part
 * @rsp_len: bytes of the reply's fixed part that the driver knows
 * @rsp_min: bytes of it that every host sends, those of the opcode's first
 *	version
 * @lists_len: bytes of the command's own chunk list, 0 if it has none
 * @gfp: how to allocate, 0 for GFP_KERNEL
 */
struct hyv_layout {
	u16 opcode;
	u16 req_len;
	u16 rsp_len;
	u16 rsp_min;
	u32 lists_len;
	gfp_t gfp;
};

#define HYV_LAYOUT(op, req_type, rsp_type)				\
	((struct hyv_layout){ .opcode = HYV_CMD_##op,			\
			      .req_len = sizeof(req_type),		\
			      .rsp_len = sizeof(rsp_type),		\
			      .rsp_min = sizeof(rsp_type) })

struct hyv_cmd *hyv_cmd_new(struct hyv_dev *hdev, struct hyv_layout layout,
			    struct ib_udata *udata);
void *hyv_cmd_lists(struct hyv_cmd *cmd);
size_t hyv_cmd_list_room(struct hyv_dev *hdev, const struct hyv_layout *layout,
			 struct ib_udata *udata);
int hyv_cmd_reply(struct hyv_cmd *cmd, void *rsp, size_t len);
int hyv_cmd_reply_udata(struct hyv_cmd *cmd, struct ib_udata *udata);
int hyv_cmd_simple(struct hyv_cmd *cmd, bool killable, void *rsp, size_t len,
		   struct ib_udata *udata);
int hyv_create(struct hyv_cmd *cmd, enum hyv_obj_type type,
	       struct hyv_ucontext *uctx, void *rsp, size_t len,
	       struct ib_udata *udata);
int hyv_destroy_owned(struct hyv_ucontext *uctx, enum hyv_obj_type type,
		      u32 handle, struct hyv_mem *mem);

/* cmd_udata.c */
size_t hyv_udata_lists_max(const struct hyv_dev *hdev, u16 opcode,
			   size_t udata_len);
void *hyv_udata_lists_add(struct hyv_cmd *cmd, void *pos);

/* cmd_ah.c */
void hyv_ah_to_wire(struct hyv_ah_attr *wire, const struct rdma_ah_attr *ah);
void hyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		      const struct hyv_ah_attr *wire);

#endif /* HYV_CMD_PRIV_H */
