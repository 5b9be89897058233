// SPDX-License-Identifier: GPL-2.0-only
/*
 * An HCA with mlx5's user ABI, as libmlx5 drives it.
 */
#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mlx5.h"

#define WQE_SIZE	64
#define OPCODE_WRITE	8
#define FLAG_COMPLETION 8
#define CQE_INVALID	0xf0
#define CQE_ERROR	13
#define DB_RING		0x800
/* Bytes for a record in its page */
#define RECORD_SIZE 64

const struct mlx5_ib_alloc_ucontext_req_v2 m5_context_request = {
	.total_num_bfregs = 2 * M5_UARS,
	.num_low_latency_bfregs = 4,
	.max_cqe_version = 1,
	.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
};

int m5_alloc_context(struct vnic *v,
		     const struct mlx5_ib_alloc_ucontext_req_v2 *in,
		     uint32_t *handle, struct mlx5_ib_alloc_ucontext_resp *out)
{
	struct rsp rsp;
	struct req r;
	int ret;

	req_alloc_context(&r);
	req_udata(&r, in, sizeof(*in), sizeof(*out));
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	*handle = le32toh(rsp.create.handle);
	if (out)
		memcpy(out, rsp.data + le16toh(rsp.hdr.fixed_len),
		       sizeof(*out));
	return 0;
}

int m5_mmap(struct vnic *v, uint32_t context, uint64_t pgoff, uint64_t length,
	    uint32_t prot, uint64_t *offset)
{
	struct hyv_mmap_req *req;
	struct rsp rsp;
	struct req r;
	int ret;

	req_mmap(&r, context, pgoff * DT_PAGE, length);
	req = (void *)r.data;
	req->prot = htole32(prot);
	ret = vnic_exec(v, &r, &rsp);
	if (!ret)
		*offset = le64toh(rsp.mmap.window_offset);
	return ret;
}

void m5_memory_init(struct m5_memory *mem, struct gmem *gm, uint64_t length,
		    struct gbuf *page, uint32_t at)
{
	static const uint8_t zero[8];

	gbuf_init(&mem->ring, gm, length, 0, GBUF_SCATTERED);
	mem->page = page;
	mem->at = at;
	gbuf_write(page, at, zero, sizeof(zero));
}

struct hyv_chunk_list *m5_list(struct req *r, uint16_t slot,
			       const struct gbuf *buf, uint64_t length)
{
	struct hyv_chunk *chunk = calloc(buf->nr_pages, sizeof(*chunk));
	struct hyv_chunk_list *list;
	uint32_t nr;

	REQUIRE(chunk, "memory for chunks");
	nr = gbuf_chunks(buf, 0, length, chunk);
	list = req_list(r, slot, buf->va, length, chunk, nr);
	free(chunk);
	return list;
}

void m5_lists(struct req *r, const struct m5_memory *mem)
{
	m5_list(r, M5_RING, &mem->ring, mem->ring.length);
	m5_list(r, M5_RECORD, mem->page, DT_PAGE);
}

/* Requests without lists. Addresses are set. */
void m5_create_cq_head(struct req *r, uint32_t context, uint32_t cqe,
		       struct mlx5_ib_create_cq *in,
		       const struct m5_memory *mem)
{
	in->buf_addr = mem->ring.va;
	in->db_addr = mem->page->va + mem->at;
	if (!in->cqe_size)
		in->cqe_size = M5_CQE_SIZE;
	req_create_cq(r, context, cqe, 0);
	req_udata(r, in, sizeof(*in), sizeof(struct mlx5_ib_create_cq_resp));
}

void m5_create_qp_head(struct req *r, const struct m5 *m,
		       struct mlx5_ib_create_qp *in,
		       const struct m5_memory *mem)
{
	struct hyv_create_qp_req *req;

	in->buf_addr = mem->ring.va;
	in->db_addr = mem->page->va + mem->at;
	if (!in->sq_wqe_count)
		in->sq_wqe_count = M5_SQ_WQES;
	req_create_qp(r, m->pd, m->cq.handle, m->cq.handle, M5_SQ_WQES);
	req = (void *)r->data;
	req->cap.max_recv_wr = 0;
	req->cap.max_recv_sge = 0;
	req_udata(r, in, sizeof(*in), sizeof(struct mlx5_ib_create_qp_resp));
}

void m5_create_srq_head(struct req *r, uint32_t pd,
			struct mlx5_ib_create_srq *in,
			const struct m5_memory *mem)
{
	in->buf_addr = mem->ring.va;
	in->db_addr = mem->page->va + mem->at;
	req_create_srq(r, pd, M5_SRQ_WR, 1);
	req_udata(r, in, sizeof(*in), sizeof(struct mlx5_ib_create_srq_resp));
}

void m5_resize_cq_head(struct req *r, uint32_t cq, uint32_t cqe,
		       struct mlx5_ib_resize_cq *in, const struct gbuf *ring)
{
	in->buf_addr = ring->va;
	if (!in->cqe_size)
		in->cqe_size = M5_CQE_SIZE;
	req_resize_cq(r, cq, cqe);
	req_udata(r, in, sizeof(*in), 0);
}

/* No entry of the ring has been written by the HCA. */
void m5_cq_clear(struct gbuf *ring)
{
	const uint8_t invalid = CQE_INVALID;
	uint64_t at;

	for (at = M5_CQE_SIZE - 1; at < ring->length; at += M5_CQE_SIZE)
		gbuf_write(ring, at, &invalid, 1);
}

int m5_create_cq(struct m5 *m, struct m5_cq *cq)
{
	struct mlx5_ib_create_cq in = {};
	struct rsp rsp;
	struct req r;
	int ret;

	m5_cq_clear(&cq->mem.ring);
	m5_create_cq_head(&r, m->context, M5_CQE, &in, &cq->mem);
	m5_lists(&r, &cq->mem);
	ret = vnic_exec(m->v, &r, &rsp);
	if (ret)
		return ret;
	cq->handle = le32toh(rsp.create_cq.handle);
	cq->entries = M5_CQE + 1;
	cq->ci = 0;
	return 0;
}

static int m5_create_qp_of(struct m5 *m, struct m5_qp *qp,
			   struct mlx5_ib_create_qp *in)
{
	struct rsp rsp;
	struct req r;
	int ret;

	m5_create_qp_head(&r, m, in, &qp->mem);
	m5_lists(&r, &qp->mem);
	ret = vnic_exec(m->v, &r, &rsp);
	if (ret)
		return ret;
	qp->ep.v = m->v;
	qp->ep.type = QPT_RC;
	qp->ep.qp.handle = le32toh(rsp.create_qp.handle);
	qp->ep.qp.qpn = le32toh(rsp.create_qp.qpn);
	qp->pi = 0;
	return 0;
}

int m5_create_qp(struct m5 *m, struct m5_qp *qp)
{
	struct mlx5_ib_create_qp in = {};

	return m5_create_qp_of(m, qp, &in);
}

/* A QP of a thread domain, whose doorbell is @bfreg of the context's own. */
int m5_create_qp_own(struct m5 *m, struct m5_qp *qp, uint32_t bfreg)
{
	struct mlx5_ib_create_qp in = {
		.flags = MLX5_QP_FLAG_BFREG_INDEX,
		.bfreg_index = bfreg,
	};

	return m5_create_qp_of(m, qp, &in);
}

/*
 * Map a page until that is refused, at most until a context that has @nr
 * mappings has as many as it may have. Sets @at to the last place. Returns the
 * status.
 */
int m5_mmap_all(struct vnic *v, uint32_t context, unsigned int nr, uint64_t *at)
{
	int ret;

	do {
		ret = m5_mmap(v, context, 0, DT_PAGE, HYV_MMAP_WRITE, at);
	} while (!ret && ++nr <= M5_MAPPINGS);
	REQUIRE(ret != HYV_S_EDQUOT || nr == M5_MAPPINGS,
		"a context has %u mappings", M5_MAPPINGS);
	return ret;
}

void m5_fill_window(struct m5_fillers *f, struct vnic *v)
{
	uint64_t at;
	int ret;

	f->nr = 0;
	do {
		REQUIRE_EQ(m5_alloc_context(v, &m5_context_request,
					    &f->context[f->nr], NULL),
			   0, "ALLOC_CONTEXT");
		ret = m5_mmap_all(v, f->context[f->nr++], 0, &at);
	} while (ret == HYV_S_EDQUOT && f->nr < ARRAY_SIZE(f->context));
	tap_is(ret, HYV_S_ENOSPC, "MMAP until the window is full");
}

void m5_empty_window(struct m5_fillers *f, struct vnic *v)
{
	while (f->nr)
		REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, f->context[--f->nr]),
			   0, "DESTROY of a context");
}

/*
 * The first QP has no record at offset 0, where a wrong page would show
 * nothing.
 */
void m5_init(struct m5 *m, struct vnic *v)
{
	const uint32_t rw = HYV_MMAP_WRITE;
	uint32_t i;

	memset(m, 0, sizeof(*m));
	m->v = v;
	REQUIRE_EQ(m5_alloc_context(v, &m5_context_request, &m->context, NULL),
		   0, "ALLOC_CONTEXT");
	for (i = 0; i < M5_UARS; i++)
		REQUIRE_EQ(m5_mmap(v, m->context, i, DT_PAGE, rw, &m->uar[i]),
			   0, "MMAP of doorbell page %u", i);
	REQUIRE_EQ(cmd_alloc_pd(v, m->context, &m->pd), 0, "ALLOC_PD");
	gbuf_init(&m->page, v->gm, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&m->cq.mem, v->gm, (M5_CQE + 1) * M5_CQE_SIZE, &m->page,
		       0);
	REQUIRE_EQ(m5_create_cq(m, &m->cq), 0, "CREATE_CQ");
	for (i = 0; i < 2; i++) {
		m5_memory_init(&m->qp[i].mem, v->gm, M5_SQ_WQES * WQE_SIZE,
			       &m->page, (i + 1) * RECORD_SIZE);
		REQUIRE_EQ(m5_create_qp(m, &m->qp[i]), 0, "CREATE_QP");
	}
	ep_connect(&m->qp[0].ep, &m->qp[1].ep);
	gbuf_init(&m->src, v->gm, 4 * DT_PAGE, 100, GBUF_SCATTERED);
	gbuf_init(&m->dst, v->gm, 4 * DT_PAGE, 300, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_reg_mr(v, m->pd, &m->src, ACCESS_REMOTE, &m->mr[0]), 0,
		   "REG_MR");
	REQUIRE_EQ(cmd_reg_mr(v, m->pd, &m->dst, ACCESS_REMOTE, &m->mr[1]), 0,
		   "REG_MR");
}

void m5_destroy(struct m5 *m)
{
	REQUIRE_EQ(cmd_destroy(m->v, HYV_OBJ_CONTEXT, m->context), 0,
		   "DESTROY of the context");
	gbuf_free(&m->cq.mem.ring);
	gbuf_free(&m->qp[0].mem.ring);
	gbuf_free(&m->qp[1].mem.ring);
	gbuf_free(&m->page);
	gbuf_free(&m->src);
	gbuf_free(&m->dst);
}

static void m5_record(const struct m5_memory *mem, uint32_t index,
		      uint32_t value)
{
	uint64_t at = mem->at + 4 * index;
	uint8_t *page = gmem_at(mem->page->gm, mem->page->gpa[0]);

	atomic_thread_fence(memory_order_release);
	*(volatile uint32_t *)(page + at) = htobe32(value);
	atomic_thread_fence(memory_order_seq_cst);
}

/* Write @length bytes of @src to @dst, from QP @from. */
void m5_write(struct m5 *m, unsigned int from, uint32_t length)
{
	struct m5_qp *qp = &m->qp[from];
	struct {
		uint32_t op, qpn, flags, imm;
		uint64_t raddr;
		uint32_t rkey, reserved;
		uint32_t length, lkey;
		uint64_t addr;
	} wqe = {
		.op = htobe32((qp->pi & 0xffff) << 8 | OPCODE_WRITE),
		.qpn = htobe32(qp->ep.qp.qpn << 8 | 3),
		.flags = htobe32(FLAG_COMPLETION),
		.raddr = htobe64(m->dst.va),
		.rkey = htobe32(m->mr[1].rkey),
		.length = htobe32(length),
		.lkey = htobe32(m->mr[0].lkey),
		.addr = htobe64(m->src.va),
	};
	uint8_t *uar = m->v->window + m->uar[0];
	uint64_t word;

	gbuf_write(&qp->mem.ring, qp->pi % M5_SQ_WQES * WQE_SIZE, &wqe,
		   sizeof(wqe));
	qp->pi++;
	m5_record(&qp->mem, 1, qp->pi & 0xffff);
	memcpy(&word, &wqe, sizeof(word));
	*(volatile uint64_t *)(uar + DB_RING) = word;
}

/* Wait for a completion. Returns 0, the syndrome of an error, or -1. */
int m5_poll(struct m5 *m)
{
	uint64_t end = dt_now_ms() + dt_hang_ms();
	struct m5_cq *cq = &m->cq;
	uint64_t at = (cq->ci & (cq->entries - 1)) * (uint64_t)M5_CQE_SIZE;
	uint8_t cqe[M5_CQE_SIZE];

	do {
		gbuf_read(&cq->mem.ring, at, cqe, sizeof(cqe));
		if ((cqe[63] & 0xf0) != CQE_INVALID &&
		    (cqe[63] & 1) == !!(cq->ci & cq->entries)) {
			atomic_thread_fence(memory_order_acquire);
			gbuf_read(&cq->mem.ring, at, cqe, sizeof(cqe));
			m5_record(&cq->mem, 0, ++cq->ci & 0xffffff);
			return cqe[63] >> 4 == CQE_ERROR ? cqe[55] : 0;
		}
	} while (dt_now_ms() < end);
	return -1;
}

/* Write, and check that it arrives. Reports a test point only if it does not.
 */
void m5_expect_write(struct m5 *m, unsigned int from, uint64_t seed,
		     const char *when)
{
	uint32_t length = m->src.length;
	int ret;

	gbuf_fill(&m->src, seed);
	gbuf_fill(&m->dst, seed + 1);
	m5_write(m, from, length);
	ret = m5_poll(m);
	REQUIRE_EQ(ret, 0, "a write %s completes", when);
	REQUIRE(gbuf_differs(&m->dst, 0, length, seed, 0) < 0,
		"a write %s has its data", when);
}
