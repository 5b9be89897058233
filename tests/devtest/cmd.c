// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of a guest, one function each.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "harness.h"

/* Start the request NAME with the members of its fixed part that follow. */
#define REQUEST(r, NAME, stem, ...)                                          \
	req_init(r, HYV_CMD_##NAME, &(struct hyv_##stem##_req){__VA_ARGS__}, \
		 sizeof(struct hyv_##stem##_req))

void req_alloc_context(struct req *r)
{
	REQUEST(r, ALLOC_CONTEXT, alloc_context);
}

void req_alloc_pd(struct req *r, uint32_t context)
{
	REQUEST(r, ALLOC_PD, alloc_pd, .context = htole32(context));
}

void req_create_cq(struct req *r, uint32_t context, uint32_t cqe,
		   uint32_t vector)
{
	REQUEST(r, CREATE_CQ, create_cq, .context = htole32(context),
		.cqe = htole32(cqe), .comp_vector = htole32(vector));
	req_udata(r, NULL, 0, sizeof(struct rxe_create_cq_resp));
}

static void req_create_qp_type(struct req *r, uint8_t type, uint32_t pd,
			       uint32_t send_cq, uint32_t recv_cq, uint32_t srq,
			       uint32_t wr)
{
	struct hyv_qp_cap cap = {
		.max_send_wr = htole32(wr),
		.max_recv_wr = htole32(wr),
		.max_send_sge = htole32(2),
		.max_recv_sge = htole32(2),
		.max_inline_data = htole32(64),
	};

	REQUEST(r, CREATE_QP, create_qp, .pd = htole32(pd),
		.send_cq = htole32(send_cq), .recv_cq = htole32(recv_cq),
		.srq = htole32(srq), .qp_type = type, .cap = cap);
	req_udata(r, NULL, 0, sizeof(struct rxe_create_qp_resp));
}

void req_create_qp(struct req *r, uint32_t pd, uint32_t send_cq,
		   uint32_t recv_cq, uint32_t wr)
{
	req_create_qp_type(r, QPT_RC, pd, send_cq, recv_cq, 0, wr);
}

void req_create_initiator(struct req *r, uint32_t pd, uint32_t cq, uint32_t wr)
{
	struct hyv_create_qp_req *req;

	req_create_qp_type(r, QPT_XRC_INI, pd, cq, 0, 0, wr);
	req = (void *)r->data;
	req->cap.max_recv_wr = 0;
	req->cap.max_recv_sge = 0;
}

/* Without provider data: the host calls ib_core as a kernel user does. */
void req_create_target(struct req *r, uint32_t xrcd)
{
	struct hyv_create_qp_req *req;

	req_create_qp(r, 0, 0, 0, 0);
	req = (void *)r->data;
	req->qp_type = QPT_XRC_TGT;
	req->xrcd = htole32(xrcd);
	memset(&req->cap, 0, sizeof(req->cap));
	req_udata(r, NULL, 0, 0);
}

void req_modify_qp(struct req *r, uint32_t qp, uint32_t mask,
		   const struct hyv_qp_attr *attr)
{
	REQUEST(r, MODIFY_QP, modify_qp, .qp = htole32(qp),
		.attr_mask = htole32(mask), .attr = *attr);
}

void req_query_qp(struct req *r, uint32_t qp)
{
	REQUEST(r, QUERY_QP, query_qp, .qp = htole32(qp),
		.attr_mask = htole32(1));
}

void req_reg_mr_head(struct req *r, uint32_t pd, uint32_t access, uint64_t iova)
{
	REQUEST(r, REG_MR, reg_mr, .pd = htole32(pd), .access = htole32(access),
		.iova = htole64(iova));
}

static struct hyv_chunk *cmd_chunks(const struct gbuf *buf, uint32_t *nr)
{
	struct hyv_chunk *chunk = calloc(buf->nr_pages, sizeof(*chunk));

	REQUIRE(chunk, "memory for chunks");
	*nr = gbuf_chunks(buf, 0, buf->length, chunk);
	return chunk;
}

void req_setup_doorbells(struct req *r, const struct gbuf *area)
{
	struct hyv_chunk *chunk;
	uint32_t nr;

	REQUEST(r, SETUP_DOORBELLS, setup_doorbells);
	chunk = cmd_chunks(area, &nr);
	req_list(r, 0, area->va, area->length, chunk, nr);
	free(chunk);
}

struct hyv_chunk_list *req_reg_mr(struct req *r, uint32_t pd,
				  const struct gbuf *buf, uint32_t access)
{
	struct hyv_chunk_list *list;
	struct hyv_chunk *chunk;
	uint32_t nr;

	chunk = cmd_chunks(buf, &nr);
	req_reg_mr_head(r, pd, access, buf->va);
	list = req_list(r, 0, buf->va, buf->length, chunk, nr);
	free(chunk);
	return list;
}

void req_destroy(struct req *r, uint32_t type, uint32_t handle)
{
	REQUEST(r, DESTROY, destroy, .type = htole32(type),
		.handle = htole32(handle));
}

void req_mmap(struct req *r, uint32_t context, uint64_t offset, uint64_t length)
{
	REQUEST(r, MMAP, mmap, .context = htole32(context),
		.prot = htole32(HYV_MMAP_READ | HYV_MMAP_WRITE),
		.offset = htole64(offset), .length = htole64(length));
}

void req_munmap(struct req *r, uint32_t context, uint64_t offset)
{
	REQUEST(r, MUNMAP, munmap, .context = htole32(context),
		.window_offset = htole64(offset));
}

/* QUERY_PORT, QUERY_GIDS and QUERY_PKEYS have the same form. */
void req_query(struct req *r, uint16_t opcode, uint32_t port, uint32_t first)
{
	struct hyv_query_gids_req req = {
		.port = htole32(port),
		.first = htole32(first),
	};

	req_init(r, opcode, &req, sizeof(req));
}

void req_query_device(struct req *r)
{
	REQUEST(r, QUERY_DEVICE, query_device);
}

void req_resize_cq(struct req *r, uint32_t cq, uint32_t cqe)
{
	REQUEST(r, RESIZE_CQ, resize_cq, .cq = htole32(cq),
		.cqe = htole32(cqe));
	req_udata(r, NULL, 0, sizeof(struct rxe_resize_cq_resp));
}

void req_modify_cq(struct req *r, uint32_t cq, uint16_t count, uint16_t period)
{
	REQUEST(r, MODIFY_CQ, modify_cq, .cq = htole32(cq),
		.cq_count = htole16(count), .cq_period = htole16(period));
}

void req_rereg_mr(struct req *r, uint32_t mr, uint32_t flags, uint32_t pd,
		  uint32_t access, uint64_t iova)
{
	REQUEST(r, REREG_MR, rereg_mr, .mr = htole32(mr),
		.flags = htole32(flags), .pd = htole32(pd),
		.access = htole32(access), .iova = htole64(iova));
}

void req_create_ah(struct req *r, uint32_t pd, const struct hyv_gid *gid)
{
	struct hyv_ah_attr attr = {
		.sgid_index = le16toh(gid->index),
		.hop_limit = 64,
		.is_global = 1,
		.port_num = 1,
	};

	memcpy(attr.dgid, gid->raw, sizeof(attr.dgid));
	REQUEST(r, CREATE_AH, create_ah, .pd = htole32(pd), .attr = attr);
	req_udata(r, NULL, 0, sizeof(struct rxe_create_ah_resp));
}

void req_create_srq(struct req *r, uint32_t pd, uint32_t wr, uint32_t sge)
{
	REQUEST(r, CREATE_SRQ, create_srq, .pd = htole32(pd),
		.max_wr = htole32(wr), .max_sge = htole32(sge));
	req_udata(r, NULL, 0, sizeof(struct rxe_create_srq_resp));
}

void req_create_xrc_srq(struct req *r, uint32_t pd, uint32_t xrcd, uint32_t cq,
			uint32_t wr)
{
	struct hyv_create_srq_req *req;

	req_create_srq(r, pd, wr, 2);
	req = (void *)r->data;
	req->srq_type = 1;
	req->xrcd = htole32(xrcd);
	req->cq = htole32(cq);
}

/* Without provider data. */
void req_modify_srq_head(struct req *r, uint32_t srq, uint32_t mask,
			 uint32_t wr, uint32_t limit)
{
	REQUEST(r, MODIFY_SRQ, modify_srq, .srq = htole32(srq),
		.attr_mask = htole32(mask), .max_wr = htole32(wr),
		.srq_limit = htole32(limit));
}

/* rxe writes the place of the new queue to @mi. */
struct hyv_chunk_list *req_modify_srq(struct req *r, uint32_t srq,
				      uint32_t mask, uint32_t wr,
				      uint32_t limit, const struct gbuf *mi)
{
	struct rxe_modify_srq_cmd cmd = {.mmap_info_addr = mi->va};
	struct hyv_chunk_list *list;
	struct hyv_chunk *chunk;
	uint32_t nr;

	req_modify_srq_head(r, srq, mask, wr, limit);
	req_udata(r, &cmd, sizeof(cmd), 0);
	chunk = cmd_chunks(mi, &nr);
	list = req_list(r, 0, mi->va, mi->length, chunk, nr);
	free(chunk);
	return list;
}

void req_query_srq(struct req *r, uint32_t srq)
{
	REQUEST(r, QUERY_SRQ, query_srq, .srq = htole32(srq));
}

void req_alloc_mw(struct req *r, uint32_t pd, uint8_t type)
{
	REQUEST(r, ALLOC_MW, alloc_mw, .pd = htole32(pd), .mw_type = type);
}

void req_alloc_xrcd(struct req *r, uint32_t context)
{
	REQUEST(r, ALLOC_XRCD, alloc_xrcd, .context = htole32(context));
}

void req_add_gid(struct req *r, uint16_t index, const uint8_t *gid)
{
	struct hyv_add_gid_req req = {
		.port = htole32(1),
		.index = htole16(index),
		.vlan_id = htole16(HYV_NO_VLAN),
		.type = HYV_GID_TYPE_ROCE_V2,
	};

	memcpy(req.gid, gid, sizeof(req.gid));
	req_init(r, HYV_CMD_ADD_GID, &req, sizeof(req));
}

void req_del_gid(struct req *r, uint32_t port, uint16_t index)
{
	REQUEST(r, DEL_GID, del_gid, .port = htole32(port),
		.index = htole16(index));
}

/* ATTACH_MCAST and DETACH_MCAST have the same form. */
void req_mcast(struct req *r, uint16_t opcode, uint32_t qp, uint16_t mlid,
	       const uint8_t *gid)
{
	struct hyv_mcast_req req = {
		.qp = htole32(qp),
		.mlid = htole16(mlid),
	};

	memcpy(req.gid, gid, sizeof(req.gid));
	req_init(r, opcode, &req, sizeof(req));
}

/* Execute a request for its status only. */
static int exec_status(struct vnic *v, struct req *r)
{
	struct rsp rsp;

	return vnic_exec(v, r, &rsp);
}

/* Execute a request and copy the first @len bytes of its reply. */
static int exec_reply(struct vnic *v, struct req *r, void *out, size_t len)
{
	struct rsp rsp;
	int ret = vnic_exec(v, r, &rsp);

	if (!ret)
		memcpy(out, rsp.data, len);
	return ret;
}

static int exec_create(struct vnic *v, struct req *r, uint32_t *handle)
{
	struct hyv_create_rsp out;
	int ret = exec_reply(v, r, &out, sizeof(out));

	if (!ret)
		*handle = le32toh(out.handle);
	return ret;
}

int cmd_alloc_context(struct vnic *v, uint32_t *handle)
{
	struct req r;

	req_alloc_context(&r);
	return exec_create(v, &r, handle);
}

int cmd_alloc_pd(struct vnic *v, uint32_t context, uint32_t *handle)
{
	struct req r;

	req_alloc_pd(&r, context);
	return exec_create(v, &r, handle);
}

/* Provider data of a reply that has @len bytes of it. */
static const void *rsp_udata(const struct rsp *rsp, uint32_t len)
{
	REQUIRE_EQ(le32toh(rsp->hdr.udata_len), len,
		   "reply has the provider's data");
	return rsp->data + le16toh(rsp->hdr.fixed_len);
}

int cmd_create_cq(struct vnic *v, uint32_t context, uint32_t cqe,
		  uint32_t vector, struct cq_info *cq)
{
	struct req r;
	struct rsp rsp;
	int ret;

	req_create_cq(&r, context, cqe, vector);
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	cq->handle = le32toh(rsp.create_cq.handle);
	cq->slot = le32toh(rsp.create_cq.slot);
	cq->cqe = le32toh(rsp.create_cq.cqe);
	memcpy(&cq->mi, rsp_udata(&rsp, sizeof(cq->mi)), sizeof(cq->mi));
	return 0;
}

static int cmd_create_qp_exec(struct vnic *v, struct req *r, struct qp_info *qp)
{
	struct rxe_create_qp_resp udata;
	struct rsp rsp;
	int ret;

	ret = vnic_exec(v, r, &rsp);
	if (ret)
		return ret;
	qp->handle = le32toh(rsp.create_qp.handle);
	qp->slot = le32toh(rsp.create_qp.slot);
	qp->qpn = le32toh(rsp.create_qp.qpn);
	memcpy(&udata, rsp_udata(&rsp, sizeof(udata)), sizeof(udata));
	qp->sq_mi = udata.sq_mi;
	qp->rq_mi = udata.rq_mi;
	return 0;
}

int cmd_create_qp(struct vnic *v, uint32_t pd, uint32_t send_cq,
		  uint32_t recv_cq, uint32_t wr, struct qp_info *qp)
{
	struct req r;

	req_create_qp(&r, pd, send_cq, recv_cq, wr);
	return cmd_create_qp_exec(v, &r, qp);
}

/* @srq is 0 for a QP with a receive queue of its own. */
int cmd_create_qp_type(struct vnic *v, uint8_t type, uint32_t pd, uint32_t cq,
		       uint32_t srq, uint32_t wr, struct qp_info *qp)
{
	struct req r;

	req_create_qp_type(&r, type, pd, cq, cq, srq, wr);
	return cmd_create_qp_exec(v, &r, qp);
}

int cmd_create_initiator(struct vnic *v, uint32_t pd, uint32_t cq, uint32_t wr,
			 struct qp_info *qp)
{
	struct req r;

	req_create_initiator(&r, pd, cq, wr);
	return cmd_create_qp_exec(v, &r, qp);
}

int cmd_create_target(struct vnic *v, uint32_t xrcd, uint32_t *handle)
{
	struct rsp rsp;
	struct req r;
	int ret;

	req_create_target(&r, xrcd);
	ret = vnic_exec(v, &r, &rsp);
	if (!ret)
		*handle = le32toh(rsp.create_qp.handle);
	return ret;
}

int cmd_modify_qp(struct vnic *v, uint32_t qp, uint32_t mask,
		  const struct hyv_qp_attr *attr)
{
	struct req r;

	req_modify_qp(&r, qp, mask, attr);
	return exec_status(v, &r);
}

int cmd_query_qp(struct vnic *v, uint32_t qp, struct hyv_query_qp_rsp *out)
{
	struct req r;

	req_query_qp(&r, qp);
	return exec_reply(v, &r, out, sizeof(*out));
}

static int cmd_reg_mr_exec(struct vnic *v, struct req *r, struct mr_info *mr)
{
	struct rsp rsp;
	int ret;

	ret = vnic_exec(v, r, &rsp);
	if (ret)
		return ret;
	mr->handle = le32toh(rsp.reg_mr.handle);
	mr->lkey = le32toh(rsp.reg_mr.lkey);
	mr->rkey = le32toh(rsp.reg_mr.rkey);
	return 0;
}

int cmd_reg_mr(struct vnic *v, uint32_t pd, const struct gbuf *buf,
	       uint32_t access, struct mr_info *mr)
{
	struct req r;

	req_reg_mr(&r, pd, buf, access);
	return cmd_reg_mr_exec(v, &r, mr);
}

/* The table of chunks goes to guest memory that is itself scattered. */
int cmd_reg_mr_indirect(struct vnic *v, uint32_t pd, const struct gbuf *buf,
			uint32_t access, struct mr_info *mr)
{
	struct hyv_chunk_list *list;
	struct hyv_chunk *chunk, *entry;
	struct gbuf table;
	uint32_t nr, i;
	struct req r;
	int ret;

	chunk = cmd_chunks(buf, &nr);
	gbuf_init(&table, buf->gm, nr * sizeof(*chunk), 16, GBUF_SCATTERED);
	for (i = 0; i < nr; i++) {
		chunk[i].addr = htole64(chunk[i].addr);
		chunk[i].len = htole64(chunk[i].len);
	}
	gbuf_write(&table, 0, chunk, nr * sizeof(*chunk));
	entry = cmd_chunks(&table, &i);

	req_reg_mr_head(&r, pd, access, buf->va);
	list = req_list(&r, 0, buf->va, buf->length, entry, i);
	list->flags = htole16(HYV_CHUNKS_INDIRECT);
	list->nr_chunks = htole32(nr);
	ret = cmd_reg_mr_exec(v, &r, mr);
	free(entry);
	gbuf_free(&table);
	free(chunk);
	return ret;
}

int cmd_destroy(struct vnic *v, uint32_t type, uint32_t handle)
{
	struct req r;

	req_destroy(&r, type, handle);
	return exec_status(v, &r);
}

int cmd_mmap(struct vnic *v, uint32_t context, const struct mminfo *mi,
	     uint64_t *offset)
{
	struct req r;
	struct rsp rsp;
	int ret;

	req_mmap(&r, context, mi->offset, mi->size);
	ret = vnic_exec(v, &r, &rsp);
	if (!ret)
		*offset = le64toh(rsp.mmap.window_offset);
	return ret;
}

int cmd_munmap(struct vnic *v, uint32_t context, uint64_t offset)
{
	struct req r;

	req_munmap(&r, context, offset);
	return exec_status(v, &r);
}

/* The first RoCE v2 GID of port 1 that is not link-local. */
int cmd_query_gid(struct vnic *v, struct hyv_gid *gid)
{
	uint32_t i, count;
	struct rsp rsp;
	struct req r;
	int ret;

	req_query(&r, HYV_CMD_QUERY_GIDS, 1, 0);
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	count = le32toh(rsp.gids.count);
	REQUIRE(count <= HYV_QUERY_GIDS_MAX, "count of GIDs is in range");
	for (i = 0; i < count; i++) {
		*gid = rsp.gids.gid[i];
		if (gid->type == HYV_GID_TYPE_ROCE_V2 && gid->raw[0] != 0xfe)
			return 0;
	}
	return HYV_S_ENOENT;
}

int cmd_query_device(struct vnic *v, struct hyv_query_device_rsp *out)
{
	struct req r;

	req_query_device(&r);
	return exec_reply(v, &r, out, sizeof(*out));
}

/* @cq has the new queue after a success. */
int cmd_resize_cq(struct vnic *v, uint32_t cqe, struct cq_info *cq)
{
	struct req r;
	struct rsp rsp;
	int ret;

	req_resize_cq(&r, cq->handle, cqe);
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	cq->cqe = le32toh(rsp.resize_cq.cqe);
	memcpy(&cq->mi, rsp_udata(&rsp, sizeof(cq->mi)), sizeof(cq->mi));
	return 0;
}

static int cmd_create_srq_exec(struct vnic *v, struct req *r,
			       struct srq_info *srq)
{
	struct rxe_create_srq_resp udata;
	struct rsp rsp;
	int ret;

	ret = vnic_exec(v, r, &rsp);
	if (ret)
		return ret;
	srq->handle = le32toh(rsp.create_srq.handle);
	srq->max_wr = le32toh(rsp.create_srq.max_wr);
	srq->max_sge = le32toh(rsp.create_srq.max_sge);
	memcpy(&udata, rsp_udata(&rsp, sizeof(udata)), sizeof(udata));
	srq->number = udata.srq_num;
	srq->mi = udata.mi;
	return 0;
}

int cmd_create_srq(struct vnic *v, uint32_t pd, uint32_t wr,
		   struct srq_info *srq)
{
	struct req r;

	req_create_srq(&r, pd, wr, 2);
	return cmd_create_srq_exec(v, &r, srq);
}

int cmd_create_xrc_srq(struct vnic *v, uint32_t pd, uint32_t xrcd, uint32_t cq,
		       uint32_t wr, struct srq_info *srq)
{
	struct req r;

	req_create_xrc_srq(&r, pd, xrcd, cq, wr);
	return cmd_create_srq_exec(v, &r, srq);
}

int cmd_modify_srq(struct vnic *v, uint32_t srq, uint32_t mask, uint32_t wr,
		   uint32_t limit, struct gbuf *mi)
{
	struct req r;

	req_modify_srq(&r, srq, mask, wr, limit, mi);
	return exec_status(v, &r);
}

int cmd_query_srq(struct vnic *v, uint32_t srq, struct hyv_query_srq_rsp *out)
{
	struct req r;

	req_query_srq(&r, srq);
	return exec_reply(v, &r, out, sizeof(*out));
}

int cmd_create_ah(struct vnic *v, uint32_t pd, const struct hyv_gid *gid,
		  struct ah_info *ah)
{
	struct rxe_create_ah_resp udata;
	struct req r;
	struct rsp rsp;
	int ret;

	req_create_ah(&r, pd, gid);
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	ah->handle = le32toh(rsp.create.handle);
	memcpy(&udata, rsp_udata(&rsp, sizeof(udata)), sizeof(udata));
	ah->number = udata.ah_num;
	return 0;
}

int cmd_alloc_mw(struct vnic *v, uint32_t pd, uint8_t type, struct mw_info *mw)
{
	struct req r;
	struct rsp rsp;
	int ret;

	req_alloc_mw(&r, pd, type);
	ret = vnic_exec(v, &r, &rsp);
	if (ret)
		return ret;
	mw->handle = le32toh(rsp.alloc_mw.handle);
	mw->rkey = le32toh(rsp.alloc_mw.rkey);
	return 0;
}

int cmd_alloc_xrcd(struct vnic *v, uint32_t context, uint32_t *handle)
{
	struct req r;

	req_alloc_xrcd(&r, context);
	return exec_create(v, &r, handle);
}

int cmd_mcast(struct vnic *v, uint16_t opcode, uint32_t qp, uint16_t mlid,
	      const uint8_t *gid)
{
	struct req r;

	req_mcast(&r, opcode, qp, mlid, gid);
	return exec_status(v, &r);
}

int cmd_add_gid(struct vnic *v, uint16_t index, const uint8_t *gid)
{
	struct req r;

	req_add_gid(&r, index, gid);
	return exec_status(v, &r);
}

int cmd_del_gid(struct vnic *v, uint32_t port, uint16_t index)
{
	struct req r;

	req_del_gid(&r, port, index);
	return exec_status(v, &r);
}
