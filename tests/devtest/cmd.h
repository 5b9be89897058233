/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of a guest, one function each. All return the status of the
 * reply, or a negative errno of HYV_EXEC.
 */
#ifndef DEVTEST_CMD_H
#define DEVTEST_CMD_H

#include <stdint.h>
#include <rdma/rdma_user_rxe.h>
#include <hyv/commands.h>

#include "vnic.h"

#define ACCESS_LOCAL   1
#define ACCESS_REMOTE  7 /* local write, remote write, remote read */
#define ACCESS_MW_BIND (1 << 4)

/* Types of QPs. */
enum {
	QPT_RC = 2,
	QPT_UC = 3,
	QPT_UD = 4,
	QPT_XRC_INI = 9,
	QPT_XRC_TGT = 10,
};

/* enum ibv_srq_attr_mask */
enum {
	SRQ_MAX_WR = 1 << 0,
	SRQ_LIMIT = 1 << 1,
};

/* A created CQ, as the guest knows it. */
struct cq_info {
	uint32_t handle;
	uint32_t slot;
	uint32_t cqe;
	struct mminfo mi;
};

/* A created QP, as the guest knows it. */
struct qp_info {
	uint32_t handle;
	uint32_t slot;
	uint32_t qpn;
	struct mminfo sq_mi;
	struct mminfo rq_mi;
};

/* A registered MR, as the guest knows it. */
struct mr_info {
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
};

/* A created SRQ, as the guest knows it. */
struct srq_info {
	uint32_t handle;
	uint32_t max_wr;
	uint32_t max_sge;
	uint32_t number;
	struct mminfo mi;
};

/* A created AH, as the guest knows it. */
struct ah_info {
	uint32_t handle;
	uint32_t number;
};

/* A memory window, as the guest knows it. */
struct mw_info {
	uint32_t handle;
	uint32_t rkey;
};

int cmd_alloc_context(struct vnic *v, uint32_t *handle);
int cmd_alloc_pd(struct vnic *v, uint32_t context, uint32_t *handle);
int cmd_create_cq(struct vnic *v, uint32_t context, uint32_t cqe,
		  uint32_t vector, struct cq_info *cq);
int cmd_create_qp(struct vnic *v, uint32_t pd, uint32_t send_cq,
		  uint32_t recv_cq, uint32_t wr, struct qp_info *qp);
int cmd_create_qp_type(struct vnic *v, uint8_t type, uint32_t pd, uint32_t cq,
		       uint32_t srq, uint32_t wr, struct qp_info *qp);
int cmd_create_initiator(struct vnic *v, uint32_t pd, uint32_t cq, uint32_t wr,
			 struct qp_info *qp);
int cmd_create_target(struct vnic *v, uint32_t xrcd, uint32_t *handle);
int cmd_modify_qp(struct vnic *v, uint32_t qp, uint32_t mask,
		  const struct hyv_qp_attr *attr);
int cmd_query_qp(struct vnic *v, uint32_t qp, struct hyv_query_qp_rsp *out);
int cmd_reg_mr(struct vnic *v, uint32_t pd, const struct gbuf *buf,
	       uint32_t access, struct mr_info *mr);
int cmd_reg_mr_indirect(struct vnic *v, uint32_t pd, const struct gbuf *buf,
			uint32_t access, struct mr_info *mr);
int cmd_destroy(struct vnic *v, uint32_t type, uint32_t handle);
int cmd_mmap(struct vnic *v, uint32_t context, const struct mminfo *mi,
	     uint64_t *offset);
int cmd_munmap(struct vnic *v, uint32_t context, uint64_t offset);
int cmd_query_gid(struct vnic *v, struct hyv_gid *gid);
int cmd_query_device(struct vnic *v, struct hyv_query_device_rsp *out);
int cmd_resize_cq(struct vnic *v, uint32_t cqe, struct cq_info *cq);
int cmd_create_srq(struct vnic *v, uint32_t pd, uint32_t wr,
		   struct srq_info *srq);
int cmd_create_xrc_srq(struct vnic *v, uint32_t pd, uint32_t xrcd, uint32_t cq,
		       uint32_t wr, struct srq_info *srq);
int cmd_modify_srq(struct vnic *v, uint32_t srq, uint32_t mask, uint32_t wr,
		   uint32_t limit, struct gbuf *mi);
int cmd_query_srq(struct vnic *v, uint32_t srq, struct hyv_query_srq_rsp *out);
int cmd_create_ah(struct vnic *v, uint32_t pd, const struct hyv_gid *gid,
		  struct ah_info *ah);
int cmd_alloc_mw(struct vnic *v, uint32_t pd, uint8_t type, struct mw_info *mw);
int cmd_alloc_xrcd(struct vnic *v, uint32_t context, uint32_t *handle);
int cmd_mcast(struct vnic *v, uint16_t opcode, uint32_t qp, uint16_t mlid,
	      const uint8_t *gid);
int cmd_add_gid(struct vnic *v, uint16_t index, const uint8_t *gid);
int cmd_del_gid(struct vnic *v, uint32_t port, uint16_t index);

/* Requests whose status the caller wants to decide about. */
void req_setup_doorbells(struct req *r, const struct gbuf *area);
void req_alloc_context(struct req *r);
void req_alloc_pd(struct req *r, uint32_t context);
void req_create_cq(struct req *r, uint32_t context, uint32_t cqe,
		   uint32_t vector);
void req_create_qp(struct req *r, uint32_t pd, uint32_t send_cq,
		   uint32_t recv_cq, uint32_t wr);
void req_create_initiator(struct req *r, uint32_t pd, uint32_t cq, uint32_t wr);
void req_create_target(struct req *r, uint32_t xrcd);
void req_modify_qp(struct req *r, uint32_t qp, uint32_t mask,
		   const struct hyv_qp_attr *attr);
void req_query_qp(struct req *r, uint32_t qp);
void req_reg_mr_head(struct req *r, uint32_t pd, uint32_t access,
		     uint64_t iova);
struct hyv_chunk_list *req_reg_mr(struct req *r, uint32_t pd,
				  const struct gbuf *buf, uint32_t access);
void req_destroy(struct req *r, uint32_t type, uint32_t handle);
void req_mmap(struct req *r, uint32_t context, uint64_t offset,
	      uint64_t length);
void req_munmap(struct req *r, uint32_t context, uint64_t offset);
void req_query(struct req *r, uint16_t opcode, uint32_t port, uint32_t first);
void req_query_device(struct req *r);
void req_resize_cq(struct req *r, uint32_t cq, uint32_t cqe);
void req_modify_cq(struct req *r, uint32_t cq, uint16_t count, uint16_t period);
void req_rereg_mr(struct req *r, uint32_t mr, uint32_t flags, uint32_t pd,
		  uint32_t access, uint64_t iova);
void req_create_ah(struct req *r, uint32_t pd, const struct hyv_gid *gid);
void req_create_srq(struct req *r, uint32_t pd, uint32_t wr, uint32_t sge);
void req_create_xrc_srq(struct req *r, uint32_t pd, uint32_t xrcd, uint32_t cq,
			uint32_t wr);
void req_modify_srq_head(struct req *r, uint32_t srq, uint32_t mask,
			 uint32_t wr, uint32_t limit);
struct hyv_chunk_list *req_modify_srq(struct req *r, uint32_t srq,
				      uint32_t mask, uint32_t wr,
				      uint32_t limit, const struct gbuf *mi);
void req_query_srq(struct req *r, uint32_t srq);
void req_alloc_mw(struct req *r, uint32_t pd, uint8_t type);
void req_alloc_xrcd(struct req *r, uint32_t context);
void req_mcast(struct req *r, uint16_t opcode, uint32_t qp, uint16_t mlid,
	       const uint8_t *gid);
void req_add_gid(struct req *r, uint16_t index, const uint8_t *gid);
void req_del_gid(struct req *r, uint32_t port, uint16_t index);

#endif /* DEVTEST_CMD_H */
