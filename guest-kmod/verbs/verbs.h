/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of struct ib_device_ops, and what they share. Each object has a
 * file with its operations and the commands that they send; provider data is
 * passed through.
 *
 * Operations may sleep unless stated otherwise. On kernel objects, which only
 * guest addressing has, they are implemented in gsi/.
 */
#ifndef VHYV_VERBS_H
#define VHYV_VERBS_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include <hyv/wire.h>

#include "objects.h"

struct vhyv_cmd;
struct vhyv_mem;

/* object.c */
int vhyv_object_create(struct vhyv_cmd *cmd, enum hyv_obj_type type,
		       struct vhyv_host_context *host, void *rsp,
		       struct ib_udata *udata);
int vhyv_object_destroy(struct vhyv_host_context *host, enum hyv_obj_type type,
			u32 handle, struct vhyv_mem *mem);
void vhyv_shared_destroy(struct vhyv_host_context *host, enum hyv_obj_type type,
			 u32 handle);
int vhyv_context_create(struct vhyv_ucontext *uctx, struct ib_udata *udata);
bool vhyv_context_settle(struct vhyv_host_context *host);
void vhyv_context_release(struct vhyv_host_context *host);
void vhyv_context_put_later(struct vhyv_host_context *host);
void vhyv_keep_mem_if_unclear(struct vhyv_cmd *cmd, int err);
void vhyv_replace_undo(struct vhyv_cmd *cmd);

static inline struct vhyv_host_context *
vhyv_udata_to_host(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct vhyv_ucontext,
					 ibuc)->host;
}

/* device.c */
int vhyv_device_query(struct vhyv_dev *hdev, struct ib_device_attr *attr,
		      __be64 *node_guid, u32 *verbs, struct ib_udata *udata);
int vhyv_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		      struct ib_udata *udata);

/* port.c */
int vhyv_ports_alloc(struct vhyv_dev *hdev, u32 nr_ports);
void vhyv_ports_free(struct vhyv_dev *hdev);
int vhyv_port_init(struct vhyv_dev *hdev, u32 port_num);
int vhyv_port_refresh_gids(struct vhyv_dev *hdev, u32 port_num);
int vhyv_port_refresh_pkeys(struct vhyv_dev *hdev, u32 port_num);
int vhyv_query_port(struct ib_device *ibdev, u32 port_num,
		    struct ib_port_attr *attr);
int vhyv_query_gid(struct ib_device *ibdev, u32 port_num, int index,
		   union ib_gid *gid);
int vhyv_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
		    u16 *pkey);
enum rdma_link_layer vhyv_get_link_layer(struct ib_device *ibdev, u32 port_num);
int vhyv_get_port_immutable(struct ib_device *ibdev, u32 port_num,
			    struct ib_port_immutable *immutable);

/* context.c */
int vhyv_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void vhyv_dealloc_ucontext(struct ib_ucontext *ibuc);
void vhyv_disassociate_ucontext(struct ib_ucontext *ibuc);
void vhyv_contexts_revoke(struct vhyv_dev *hdev);
int vhyv_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void vhyv_mmap_free(struct rdma_user_mmap_entry *rdma_entry);

/* pd.c */
int vhyv_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int vhyv_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/* cq.c */
int vhyv_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int vhyv_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int vhyv_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
int vhyv_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			struct ib_udata *udata);
int vhyv_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

/* qp.c */
int vhyv_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata);
int vhyv_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int vhyv_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init_attr);
int vhyv_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int vhyv_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr);

/* ah.c */
void vhyv_ah_to_wire(struct hyv_ah_attr *wire, const struct rdma_ah_attr *ah);
void vhyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		       const struct hyv_ah_attr *wire);
int vhyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata);
int vhyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata);
int vhyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int vhyv_destroy_ah(struct ib_ah *ibah, u32 flags);
int vhyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int vhyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* srq.c */
int vhyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata);
int vhyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int vhyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int vhyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* kernel.c */
extern const struct gsi_ops vhyv_gsi_ops;

int vhyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr);
int vhyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);
struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num);
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index);

/* mr.c */
struct ib_mr *vhyv_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *vhyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata);
struct ib_mr *vhyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *ibpd, struct ib_udata *udata);
int vhyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int vhyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int vhyv_dealloc_mw(struct ib_mw *ibmw);

/* xrcd.c */
int vhyv_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int vhyv_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

#endif /* VHYV_VERBS_H */
