/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An HCA with mlx5's user ABI, as libmlx5 drives it: queues and doorbell
 * records in guest memory, doorbell pages in the window.
 */
#ifndef DEVTEST_MLX5_H
#define DEVTEST_MLX5_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/mlx5-abi.h>

#include "cmd.h"
#include "rxe.h"

#define M5_UARS	    8
#define M5_MAPPINGS 256 /* of doorbell pages, in a context */
#define M5_SQ_WQES  64
#define M5_CQE	    63
#define M5_CQE_SIZE 64
#define M5_SRQ_WR   15

/* Slots of chunk lists. */
enum {
	M5_RING,
	M5_RECORD,
};

/**
 * struct m5_memory - memory of a queue
 * @ring: the queue
 * @page: a page with doorbell records; several queues may have the same
 * @at: place of the record in the page
 */
struct m5_memory {
	struct gbuf ring;
	struct gbuf *page;
	uint32_t at;
};

/**
 * struct m5_cq - a CQ
 * @mem: its memory
 * @handle: handle
 * @entries: of the ring
 * @ci: consumer index
 */
struct m5_cq {
	struct m5_memory mem;
	uint32_t handle;
	uint32_t entries;
	uint32_t ci;
};

/**
 * struct m5_qp - an RC QP, with a send queue only
 * @mem: its memory
 * @ep: handle and number, for ep_connect()
 * @pi: producer index
 */
struct m5_qp {
	struct m5_memory mem;
	struct ep ep;
	uint32_t pi;
};

/**
 * struct m5 - a context with a pair of connected QPs
 * @v: the vNIC
 * @context: handle
 * @uar: places of its doorbell pages in the window
 * @pd: handle
 * @page: doorbell records of all its queues
 * @cq: for both QPs
 * @qp: the QPs
 * @src: memory of @mr[0]
 * @dst: memory of @mr[1]
 * @mr: MRs
 */
struct m5 {
	struct vnic *v;
	uint32_t context;
	uint64_t uar[M5_UARS];
	uint32_t pd;
	struct gbuf page;
	struct m5_cq cq;
	struct m5_qp qp[2];
	struct gbuf src;
	struct gbuf dst;
	struct mr_info mr[2];
};

extern const struct mlx5_ib_alloc_ucontext_req_v2 m5_context_request;

int m5_alloc_context(struct vnic *v,
		     const struct mlx5_ib_alloc_ucontext_req_v2 *in,
		     uint32_t *handle, struct mlx5_ib_alloc_ucontext_resp *out);
int m5_mmap_all(struct vnic *v, uint32_t context, unsigned int nr,
		uint64_t *at);

/* Contexts that have mapped pages until the window is full. */
struct m5_fillers {
	uint32_t context[DT_WINDOW / DT_PAGE / M5_MAPPINGS + 1];
	unsigned int nr;
};

void m5_fill_window(struct m5_fillers *f, struct vnic *v);
void m5_empty_window(struct m5_fillers *f, struct vnic *v);

int m5_mmap(struct vnic *v, uint32_t context, uint64_t pgoff, uint64_t length,
	    uint32_t prot, uint64_t *offset);
void m5_memory_init(struct m5_memory *mem, struct gmem *gm, uint64_t length,
		    struct gbuf *page, uint32_t at);
struct hyv_chunk_list *m5_list(struct req *r, uint16_t slot,
			       const struct gbuf *buf, uint64_t length);
void m5_lists(struct req *r, const struct m5_memory *mem);

void m5_create_cq_head(struct req *r, uint32_t context, uint32_t cqe,
		       struct mlx5_ib_create_cq *in,
		       const struct m5_memory *mem);
void m5_create_qp_head(struct req *r, const struct m5 *m,
		       struct mlx5_ib_create_qp *in,
		       const struct m5_memory *mem);
void m5_create_srq_head(struct req *r, uint32_t pd,
			struct mlx5_ib_create_srq *in,
			const struct m5_memory *mem);
void m5_resize_cq_head(struct req *r, uint32_t cq, uint32_t cqe,
		       struct mlx5_ib_resize_cq *in, const struct gbuf *ring);
void m5_cq_clear(struct gbuf *ring);
int m5_create_cq(struct m5 *m, struct m5_cq *cq);
int m5_create_qp(struct m5 *m, struct m5_qp *qp);
int m5_create_qp_own(struct m5 *m, struct m5_qp *qp, uint32_t bfreg);

void m5_init(struct m5 *m, struct vnic *v);
void m5_destroy(struct m5 *m);
void m5_write(struct m5 *m, unsigned int from, uint32_t length);
int m5_poll(struct m5 *m);
void m5_expect_write(struct m5 *m, unsigned int from, uint64_t seed,
		     const char *when);

void kvm_doorbells(struct vnic *v);

#endif /* DEVTEST_MLX5_H */
