/* SPDX-License-Identifier: GPL-2.0-only */
/* Building requests and reading replies; for cmd.c and cmd_*.c only. */
#ifndef VHYV_CMD_PRIV_H
#define VHYV_CMD_PRIV_H

#include <hyv/wire.h>

#include "command/cmd.h"

/**
 * struct vhyv_layout - sizes of a command
 * @opcode: enum hyv_opcode
 * @req_len: bytes of the request's fixed part
 * @rsp_len: bytes of the reply's fixed part that the driver knows
 * @rsp_min: bytes of it that every host sends, those of the opcode's first
 *	version
 * @lists_len: bytes of the command's own chunk list, 0 if it has none
 * @gfp: how to allocate, 0 for GFP_KERNEL
 */
struct vhyv_layout {
	u16 opcode;
	u16 req_len;
	u16 rsp_len;
	u16 rsp_min;
	u32 lists_len;
	gfp_t gfp;
};

#define VHYV_LAYOUT(op, req_type, rsp_type)				\
	((struct vhyv_layout){ .opcode = HYV_CMD_##op,			\
			      .req_len = sizeof(req_type),		\
			      .rsp_len = sizeof(rsp_type),		\
			      .rsp_min = sizeof(rsp_type) })

struct vhyv_cmd *vhyv_cmd_new(struct vhyv_dev *hdev, struct vhyv_layout layout,
			      struct ib_udata *udata);
void *vhyv_cmd_lists(struct vhyv_cmd *cmd);
size_t vhyv_cmd_list_room(struct vhyv_dev *hdev, const struct vhyv_layout *layout,
			  struct ib_udata *udata);
int vhyv_cmd_reply(struct vhyv_cmd *cmd, void *rsp, size_t len);
int vhyv_cmd_reply_udata(struct vhyv_cmd *cmd, struct ib_udata *udata);
int vhyv_cmd_simple(struct vhyv_cmd *cmd, bool killable, void *rsp, size_t len,
		    struct ib_udata *udata);
int vhyv_create(struct vhyv_cmd *cmd, enum hyv_obj_type type,
		struct vhyv_ucontext *uctx, void *rsp, size_t len,
		struct ib_udata *udata);
int vhyv_destroy_owned(struct vhyv_ucontext *uctx, enum hyv_obj_type type,
		       u32 handle, struct vhyv_mem *mem);

/* cmd_udata.c */
size_t vhyv_udata_lists_max(const struct vhyv_dev *hdev, u16 opcode,
			    size_t udata_len);
void *vhyv_udata_lists_add(struct vhyv_cmd *cmd, void *pos);

/* cmd_ah.c */
void vhyv_ah_to_wire(struct hyv_ah_attr *wire, const struct rdma_ah_attr *ah);
void vhyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		       const struct hyv_ah_attr *wire);

#endif /* VHYV_CMD_PRIV_H */
