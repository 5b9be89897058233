/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One function per command of the host, in terms of the verbs layer.
 *
 * Unless said otherwise they may sleep, and return 0 or a negative errno: what
 * the host answered, -EINTR if the caller was killed, -ETIMEDOUT, or -EIO if
 * the device has failed. A caller that is killed while an object is being
 * created leaves no object behind.
 */
#ifndef VHYV_CMD_H
#define VHYV_CMD_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "command/cmdq.h"

struct vhyv_ucontext;
struct vhyv_mem;
struct vhyv_mr;

/**
 * struct vhyv_mapping - answer to vhyv_cmd_mmap()
 * @window_offset: where the mapping is in the window
 * @prot: page protection that gives the right cache attribute
 */
struct vhyv_mapping {
	u64 window_offset;
	pgprot_t prot;
};

/**
 * struct vhyv_new_cq - answer to vhyv_cmd_create_cq()
 * @handle: of the CQ
 * @slot: arming slot in the doorbell area
 * @cqe: entries
 */
struct vhyv_new_cq {
	u32 handle;
	u32 slot;
	u32 cqe;
};

/**
 * struct vhyv_new_qp - answer to vhyv_cmd_create_qp()
 * @handle: of the QP
 * @slot: doorbell slot in the doorbell area
 * @qpn: QP number
 * @cap: what the QP can do
 */
struct vhyv_new_qp {
	u32 handle;
	u32 slot;
	u32 qpn;
	struct ib_qp_cap cap;
};

/**
 * struct vhyv_new_mr - answer to vhyv_cmd_reg_mr()
 * @handle: of the MR
 * @lkey: its local key
 * @rkey: its remote key
 */
struct vhyv_new_mr {
	u32 handle;
	u32 lkey;
	u32 rkey;
};

/**
 * struct vhyv_rereg - what vhyv_cmd_rereg_mr() is to change
 * @flags: IB_MR_REREG_*; the fields below which they do not ask for are 0
 * @pd: handle of the new PD
 * @access: new enum ib_access_flags
 * @iova: new address of the first byte in work requests
 * @mem: new memory
 */
struct vhyv_rereg {
	u32 flags;
	u32 pd;
	int access;
	u64 iova;
	struct vhyv_mem *mem;
};

/**
 * struct vhyv_new_srq - answer to vhyv_cmd_create_srq()
 * @handle: of the SRQ
 * @max_wr: work requests that it holds
 * @max_sge: pieces of memory that each of them may have
 */
struct vhyv_new_srq {
	u32 handle;
	u32 max_wr;
	u32 max_sge;
};

/* cmd_device.c */
int vhyv_cmd_query_device(struct vhyv_dev *hdev, struct ib_device_attr *attr,
			  __be64 *node_guid, u32 *verbs, struct ib_udata *udata);
int vhyv_cmd_query_port(struct vhyv_dev *hdev, u32 port,
			struct ib_port_attr *attr,
			enum rdma_link_layer *link_layer, bool *grh_required);
int vhyv_cmd_query_gids(struct vhyv_dev *hdev, u32 port, union ib_gid *gids,
			u32 len);
int vhyv_cmd_add_gid(struct vhyv_dev *hdev, u32 port, u16 index,
		     const union ib_gid *gid, u16 vlan_id);
void vhyv_cmd_del_gid(struct vhyv_dev *hdev, u32 port, u16 index);
int vhyv_cmd_query_pkeys(struct vhyv_dev *hdev, u32 port, u16 *pkeys, u32 len);
int vhyv_cmd_setup_doorbells(struct vhyv_dev *hdev, phys_addr_t addr,
			     size_t size);

/* cmd.c */
int vhyv_cmd_alloc_context(struct vhyv_dev *hdev, struct ib_udata *udata,
			   u32 *handle);
int vhyv_cmd_mmap(struct vhyv_ucontext *uctx, u64 offset, u64 length,
		  vm_flags_t vm_flags, pgprot_t prot,
		  struct vhyv_mapping *mapping);
int vhyv_cmd_munmap(struct vhyv_ucontext *uctx, u64 window_offset);
int vhyv_cmd_alloc_pd(struct vhyv_ucontext *uctx, struct ib_udata *udata,
		      u32 *handle);
int vhyv_cmd_create_cq(struct vhyv_ucontext *uctx,
		       const struct ib_cq_init_attr *attr,
		       struct ib_udata *udata, struct vhyv_new_cq *cq);
int vhyv_cmd_resize_cq(struct vhyv_ucontext *uctx, u32 cq, u32 cqe,
		       struct ib_udata *udata, u32 *new_cqe);
int vhyv_cmd_modify_cq(struct vhyv_ucontext *uctx, u32 cq, u16 count, u16 period);
int vhyv_cmd_destroy_context(struct vhyv_ucontext *uctx);
int vhyv_cmd_destroy_pd(struct vhyv_ucontext *uctx, u32 handle);
int vhyv_cmd_destroy_cq(struct vhyv_ucontext *uctx, u32 handle);

/* cmd_qp.c */
int vhyv_cmd_create_qp(struct vhyv_ucontext *uctx, u32 pd, u32 send_cq,
		       u32 recv_cq, u32 srq, const struct ib_qp_init_attr *attr,
		       struct ib_udata *udata, struct vhyv_new_qp *qp);
int vhyv_cmd_modify_qp(struct vhyv_ucontext *uctx, u32 qp,
		       const struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata);
int vhyv_cmd_query_qp(struct vhyv_dev *hdev, u32 qp, int mask,
		      struct ib_qp_attr *attr,
		      struct ib_qp_init_attr *init_attr);
int vhyv_cmd_destroy_qp(struct vhyv_ucontext *uctx, u32 handle);

/* cmd_mr.c */
int vhyv_cmd_reg_mr(struct vhyv_ucontext *uctx, u32 pd, u64 iova, int access,
		    struct vhyv_mem *mem, struct ib_udata *udata,
		    struct vhyv_new_mr *mr);
int vhyv_cmd_rereg_mr(struct vhyv_mr *mr, const struct vhyv_rereg *change,
		      struct ib_udata *udata);
int vhyv_cmd_destroy_mr(struct vhyv_ucontext *uctx, u32 handle,
			struct vhyv_mem *mem);
int vhyv_cmd_alloc_mw(struct vhyv_ucontext *uctx, u32 pd, enum ib_mw_type type,
		      struct ib_udata *udata, u32 *handle, u32 *rkey);
int vhyv_cmd_dealloc_mw(struct vhyv_ucontext *uctx, u32 handle);

/* cmd_ah.c */
int vhyv_cmd_create_ah(struct vhyv_ucontext *uctx, u32 pd,
		       const struct rdma_ah_attr *ah, struct ib_udata *udata,
		       u32 *handle);
int vhyv_cmd_destroy_ah(struct vhyv_ucontext *uctx, u32 handle);
int vhyv_cmd_attach_mcast(struct vhyv_ucontext *uctx, u32 qp,
			  const union ib_gid *gid, u16 lid);
void vhyv_cmd_detach_mcast(struct vhyv_ucontext *uctx, u32 qp,
			   const union ib_gid *gid, u16 lid);

/* cmd_srq.c */
int vhyv_cmd_create_srq(struct vhyv_ucontext *uctx, u32 pd,
			const struct ib_srq_init_attr *attr,
			struct ib_udata *udata, struct vhyv_new_srq *srq);
int vhyv_cmd_modify_srq(struct vhyv_ucontext *uctx, u32 srq,
			const struct ib_srq_attr *attr, u32 mask,
			struct ib_udata *udata);
int vhyv_cmd_query_srq(struct vhyv_dev *hdev, u32 srq, struct ib_srq_attr *attr);
int vhyv_cmd_destroy_srq(struct vhyv_ucontext *uctx, u32 handle);

#endif /* VHYV_CMD_H */
