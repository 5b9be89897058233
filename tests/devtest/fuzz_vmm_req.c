// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that are mostly valid, with handles of objects that probably exist.
 */
#include <endian.h>
#include <string.h>
#include <sys/eventfd.h>

#include "driver.h"
#include "fuzz_vmm.h"
#include "rxe.h"

void fuzz_recipe_new(struct dt_rng *rng, struct fuzz_recipe *recipe)
{
	memset(recipe, 0, sizeof(*recipe));
	recipe->op = dt_below(rng, NR_OPCODES);
	recipe->seed = dt_random(rng);
	if (!dt_below(rng, 3))
		fuzz_recipe_vary(rng, recipe);
}

static void edit_new(struct dt_rng *rng, struct fuzz_edit *edit)
{
	edit->size = 1u << dt_below(rng, 4);
	/* Beyond the header, most of the time: its errors end it too soon. */
	edit->at = dt_below(rng, 8)
			   ? sizeof(struct hyv_req) + dt_below(rng, 160)
			   : dt_below(rng, sizeof(struct hyv_req));
	edit->at &= ~(edit->size - 1u);
	edit->value = fuzz_odd_value(rng);
}

static void edit_apply(const struct fuzz_edit *edit, uint8_t *data,
		       uint32_t len)
{
	uint64_t value = htole64(edit->value);

	if (edit->at + edit->size <= len)
		memcpy(data + edit->at, &value, edit->size);
}

/* Change a field of a request. */
void fuzz_change(struct dt_rng *rng, uint8_t *data, uint32_t len)
{
	struct fuzz_edit edit;

	edit_new(rng, &edit);
	edit_apply(&edit, data, len);
}

/* Another one that differs by a field or a choice. */
void fuzz_recipe_vary(struct dt_rng *rng, struct fuzz_recipe *recipe)
{
	struct fuzz_edit *edit;

	if (!dt_below(rng, 4)) {
		recipe->seed = dt_random(rng);
		return;
	}
	if (recipe->nr_edits < FUZZ_EDITS)
		edit = &recipe->edit[recipe->nr_edits++];
	else
		edit = &recipe->edit[dt_below(rng, FUZZ_EDITS)];
	edit_new(rng, edit);
}

static uint32_t pick(struct fuzz_family *family, unsigned int type,
		     struct dt_rng *rng)
{
	uint32_t handle = 0, i;

	if (!dt_below(rng, 64))
		return dt_random(rng);
	for (i = 0; i < 4 && !handle; i++)
		handle =
			atomic_load(&family->handle[type][dt_below(rng, POOL)]);
	return handle;
}

static void learn_handle(struct fuzz_family *family, unsigned int type,
			 uint32_t handle)
{
	uint32_t i = atomic_fetch_add(&family->next[type], 1) % POOL;

	atomic_store(&family->handle[type][i], handle);
}

/* A new context replaces the one of a family, now and then. */
static void learn_context(struct fuzz_family *family, uint32_t handle)
{
	atomic_uint *slot = family->handle[HYV_OBJ_CONTEXT];
	uint32_t i;

	if (atomic_load(slot) && handle % 8)
		return;
	memset(family, 0, sizeof(*family));
	for (i = 0; i < POOL; i++)
		atomic_store(&slot[i], handle);
}

static void learn_queue(struct fuzz_family *family, const struct mminfo *mi)
{
	uint32_t i;

	if (!mi->size)
		return;
	i = atomic_fetch_add(&family->next_queue, 1) % POOL;
	atomic_store(&family->queue[i], mi->offset / DT_PAGE << 32 | mi->size);
}

/* Places of queues in the provider data of a reply. */
static void learn_queues(struct fuzz_family *family, const struct rsp *rsp)
{
	uint32_t at = le16toh(rsp->hdr.fixed_len), n;
	uint32_t len = le32toh(rsp->hdr.udata_len);
	struct mminfo mi;

	for (n = 0; n < 2 && (n + 1) * sizeof(mi) <= len; n++) {
		memcpy(&mi, rsp->data + at + n * sizeof(mi), sizeof(mi));
		learn_queue(family, &mi);
	}
}

/* The first choice of a recipe is the family. */
static struct fuzz_family *choose_family(struct fuzz_vnic *n,
					 struct dt_rng *rng)
{
	return &n->family[dt_below(rng, FAMILIES)];
}

/* Remember what a successful request has made. */
void fuzz_learn(struct fuzz_vnic *n, const struct fuzz_recipe *recipe,
		const struct req *r, const struct rsp *rsp)
{
	static const struct {
		uint16_t opcode;
		uint8_t type;
		bool queues;
	} made[] = {
		{HYV_CMD_ALLOC_PD, HYV_OBJ_PD, false},
		{HYV_CMD_CREATE_CQ, HYV_OBJ_CQ, true},
		{HYV_CMD_CREATE_QP, HYV_OBJ_QP, true},
		{HYV_CMD_REG_MR, HYV_OBJ_MR, false},
		{HYV_CMD_CREATE_AH, HYV_OBJ_AH, false},
		{HYV_CMD_CREATE_SRQ, HYV_OBJ_SRQ, true},
		{HYV_CMD_ALLOC_MW, HYV_OBJ_MW, false},
		{HYV_CMD_ALLOC_XRCD, HYV_OBJ_XRCD, false},
	};
	struct dt_rng rng = {recipe->seed};
	struct fuzz_family *family = choose_family(n, &rng);
	uint16_t opcode = le16toh(r->hdr.opcode);
	uint32_t i;

	if (opcode == HYV_CMD_ALLOC_CONTEXT)
		learn_context(family, le32toh(rsp->create.handle));
	if (opcode == HYV_CMD_RESIZE_CQ)
		learn_queues(family, rsp);
	if (opcode == HYV_CMD_MMAP) {
		i = atomic_fetch_add(&family->next_window, 1) % POOL;
		atomic_store(&family->window[i],
			     le64toh(rsp->mmap.window_offset));
	}
	for (i = 0; i < ARRAY_SIZE(made); i++) {
		if (made[i].opcode != opcode)
			continue;
		learn_handle(family, made[i].type, le32toh(rsp->create.handle));
		if (made[i].queues)
			learn_queues(family, rsp);
	}
}

/* Choose the handles for the requests of fixture.c. */
static void choose(struct fuzz_vnic *n, struct fuzz_family *family,
		   struct dt_rng *rng, struct fixture *f)
{
	uint64_t queue = atomic_load(&family->queue[dt_below(rng, POOL)]);

	memset(f, 0, sizeof(*f));
	f->v = n->v;
	f->buf = n->buf[dt_below(rng, FUZZ_BUFS)];
	f->db = n->db;
	f->mi = n->mi;
	f->context = pick(family, HYV_OBJ_CONTEXT, rng);
	f->pd = pick(family, HYV_OBJ_PD, rng);
	f->cq.handle = pick(family, HYV_OBJ_CQ, rng);
	f->cq2.handle = pick(family, HYV_OBJ_CQ, rng);
	f->cq2.mi.offset = (queue >> 32) * DT_PAGE;
	f->cq2.mi.size = queue;
	f->cq_offset = atomic_load(&family->window[dt_below(rng, POOL)]);
	f->qp.handle = pick(family, HYV_OBJ_QP, rng);
	f->ud.handle = pick(family, HYV_OBJ_QP, rng);
	f->mr.handle = pick(family, HYV_OBJ_MR, rng);
	f->srq.handle = pick(family, HYV_OBJ_SRQ, rng);
	f->ah.handle = pick(family, HYV_OBJ_AH, rng);
	f->mw.handle = pick(family, HYV_OBJ_MW, rng);
	f->xrcd = pick(family, HYV_OBJ_XRCD, rng);
	f->gid = n->gid;
}

/* Chunks in guest memory, which another thread changes meanwhile. */
static void reg_mr_indirect(struct fuzz_vnic *n, struct fixture *f,
			    struct dt_rng *rng, struct req *r)
{
	struct hyv_chunk *chunk = (void *)gmem_at(&n->gm, n->list);
	uint32_t nr = 1 + dt_below(rng, 128), i;
	struct hyv_chunk_list *list;
	struct hyv_chunk where = {
		.addr = n->list,
		.len = nr * sizeof(*chunk),
	};

	for (i = 0; i < nr; i++) {
		chunk[i].addr = htole64(n->buf[0].gpa[0] + i * DT_PAGE);
		chunk[i].len = htole64(DT_PAGE);
	}
	req_reg_mr_head(r, f->pd, ACCESS_REMOTE, f->buf.va & -DT_PAGE);
	list = req_list(r, 0, f->buf.va & -DT_PAGE, nr * DT_PAGE, &where, 1);
	list->flags = htole16(HYV_CHUNKS_INDIRECT);
	list->nr_chunks = htole32(nr);
}

static void modify_qp(struct fixture *f, struct dt_rng *rng, struct req *r)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(dt_below(rng, 7)),
		.path_mtu = htole32(1 + dt_below(rng, 5)),
		.dest_qp_num = htole32(dt_below(rng, 64)),
		.qp_access_flags = htole32(dt_below(rng, 32)),
		.max_dest_rd_atomic = dt_below(rng, 8),
		.max_rd_atomic = dt_below(rng, 8),
		.min_rnr_timer = dt_below(rng, 32),
		.port_num = 1,
		.timeout = dt_below(rng, 32),
		.retry_cnt = dt_below(rng, 8),
		.rnr_retry = dt_below(rng, 8),
	};
	/* Masks of the changes of state of RC and UD QPs. */
	static const uint32_t masks[] = {
		0x1, 0x39, 0x71, 0x121381, 0x129181, 0x12e01, 0x10001, 0x1, 0x9,
	};

	memcpy(attr.ah.dgid, f->gid.raw, sizeof(attr.ah.dgid));
	attr.ah.sgid_index = le16toh(f->gid.index);
	attr.ah.hop_limit = 64;
	attr.ah.is_global = 1;
	attr.ah.port_num = 1;
	req_modify_qp(r, f->qp.handle, masks[dt_below(rng, ARRAY_SIZE(masks))],
		      &attr);
}

static void create_qp(struct fixture *f, struct dt_rng *rng, struct req *r)
{
	struct hyv_create_qp_req *req = (void *)r->data;
	uint32_t wr = dt_below(rng, 64);

	switch (dt_below(rng, 5)) {
	case 0:
		req_create_target(r, f->xrcd);
		return;
	case 1:
		req_create_initiator(r, f->pd, f->cq.handle, wr);
		return;
	}
	req_create_qp(r, f->pd, f->cq.handle, f->cq2.handle, wr);
	req->qp_type = QPT_RC + dt_below(rng, 3);
	if (!dt_below(rng, 3))
		req->srq = htole32(f->srq.handle);
}

static void destroy(struct fuzz_family *family, struct dt_rng *rng,
		    struct req *r)
{
	static const uint8_t types[] = {
		HYV_OBJ_MR, HYV_OBJ_QP,	 HYV_OBJ_AH, HYV_OBJ_MW, HYV_OBJ_MR,
		HYV_OBJ_QP, HYV_OBJ_SRQ, HYV_OBJ_CQ, HYV_OBJ_PD, HYV_OBJ_XRCD,
	};
	uint32_t type = types[dt_below(rng, ARRAY_SIZE(types))];

	/* Contexts rarely: all that is in them goes, too. */
	if (!dt_below(rng, 64))
		type = dt_below(rng, 2) ? HYV_OBJ_CONTEXT : dt_random(rng);
	req_destroy(r, type,
		    pick(family, type < HYV_OBJ_TYPES ? type : 0, rng));
}

/* Make the request of a recipe. */
void fuzz_request(struct fuzz_vnic *n, const struct fuzz_recipe *recipe,
		  struct req *r)
{
	const struct opcode *op = &opcodes[recipe->op % NR_OPCODES];
	struct dt_rng rng = {recipe->seed};
	struct fuzz_family *family = choose_family(n, &rng);
	struct fixture f;
	uint32_t i;

	choose(n, family, &rng, &f);
	switch (op->opcode) {
	case HYV_CMD_DESTROY:
		destroy(family, &rng, r);
		break;
	case HYV_CMD_MODIFY_QP:
		modify_qp(&f, &rng, r);
		break;
	case HYV_CMD_CREATE_QP:
		create_qp(&f, &rng, r);
		break;
	case HYV_CMD_CREATE_SRQ:
		if (dt_below(&rng, 2))
			req_create_xrc_srq(r, f.pd, f.xrcd, f.cq.handle, 15);
		else
			op->valid(&f, r);
		break;
	case HYV_CMD_CREATE_CQ:
		req_create_cq(r, f.context, 1 + dt_below(&rng, 1000),
			      dt_below(&rng, 3));
		break;
	case HYV_CMD_RESIZE_CQ:
		req_resize_cq(r, f.cq.handle, 1 + dt_below(&rng, 1000));
		break;
	case HYV_CMD_REG_MR:
		if (!dt_below(&rng, 3))
			reg_mr_indirect(n, &f, &rng, r);
		else
			op->valid(&f, r);
		break;
	default:
		op->valid(&f, r);
	}
	for (i = 0; i < recipe->nr_edits; i++)
		edit_apply(&recipe->edit[i], r->data, r->len);
	if (op->opcode == HYV_CMD_CREATE_AH && dt_below(&rng, 64))
		memcpy(((struct hyv_create_ah_req *)r->data)->attr.dgid,
		       n->gid.raw, sizeof(n->gid.raw));
	if (!dt_below(&rng, 16))
		fuzz_spoil_length(&rng, r);
}

static void restock(struct fuzz_vnic *n, struct fuzz_family *family)
{
	uint32_t context, pd, xrcd;
	struct srq_info srq;
	struct cq_info cq;
	struct qp_info qp;
	struct mr_info mr;

	if (cmd_alloc_context(&n->v, &context))
		return;
	learn_context(family, context);
	if (cmd_alloc_pd(&n->v, context, &pd))
		return;
	learn_handle(family, HYV_OBJ_PD, pd);
	if (!cmd_create_cq(&n->v, context, 15, 0, &cq)) {
		learn_handle(family, HYV_OBJ_CQ, cq.handle);
		learn_queue(family, &cq.mi);
		if (!cmd_create_qp(&n->v, pd, cq.handle, cq.handle, 7, &qp))
			learn_handle(family, HYV_OBJ_QP, qp.handle);
	}
	if (!cmd_alloc_xrcd(&n->v, context, &xrcd))
		learn_handle(family, HYV_OBJ_XRCD, xrcd);
	if (!cmd_create_srq(&n->v, pd, 15, &srq))
		learn_handle(family, HYV_OBJ_SRQ, srq.handle);
	if (!cmd_reg_mr(&n->v, pd, &n->buf[0], ACCESS_REMOTE, &mr))
		learn_handle(family, HYV_OBJ_MR, mr.handle);
}

/*
 * Make an object of each type that others need, as far as the host lets us; in
 * guest addressing, the GIDs that fixture.c deletes and n->gid.
 */
void fuzz_vnic_restock(struct fuzz_vnic *n)
{
	uint8_t gid[16] = {[10] = 0xff, [11] = 0xff,	   10,
			   97,		n->rings[0] >> 12, 1};
	int i;

	if (n->v.offered & 1 << HYV_F_GUEST_GIDS) {
		memset(&n->gid, 0, sizeof(n->gid));
		memcpy(n->gid.raw, gid, sizeof(gid));
		cmd_add_gid(&n->v, 0, gid);
		gid[15]++;
		cmd_add_gid(&n->v, 1, gid);
	} else {
		cmd_query_gid(&n->v, &n->gid);
	}
	for (i = 0; i < FAMILIES; i++)
		restock(n, &n->family[i]);
}

/* Make a vNIC with limits that keep the host's memory free. */
void fuzz_vnic_init(struct fuzz_vnic *n)
{
	static const struct {
		uint64_t length;
		uint32_t offset;
		enum gbuf_layout layout;
	} bufs[FUZZ_BUFS] = {
		{4 * DT_PAGE, 0, GBUF_LINEAR},
		{3 * DT_PAGE, 0x123, GBUF_SCATTERED},
		{40 * DT_PAGE, 7, GBUF_SCATTERED},
		{100 * DT_PAGE, 0, GBUF_MIXED},
		{5000 * DT_PAGE, 0, GBUF_LINEAR},
		{1, 4095, GBUF_SCATTERED},
	};
	struct hyv_set_limits limits = {
		.max_pinned = 128 << 20,
		.max_queue_bytes = 64 << 20,
		.max_contexts = 32,
	};
	uint32_t i;

	memset(n, 0, sizeof(*n));
	gmem_init(&n->gm, GMEM_MEMFD);
	for (i = 0; i < FUZZ_BUFS; i++)
		gbuf_init(&n->buf[i], &n->gm, bufs[i].length, bufs[i].offset,
			  bufs[i].layout);
	gbuf_init(&n->db, &n->gm, DB_PAGES * DT_PAGE, 0, GBUF_SCATTERED);
	gbuf_init(&n->mi, &n->gm, sizeof(struct mminfo), DT_PAGE - 8,
		  GBUF_SCATTERED);
	n->list = gmem_page(&n->gm);
	for (i = 0; i < ARRAY_SIZE(n->rings); i++)
		n->rings[i] = gmem_page(&n->gm);
	n->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	vnic_open(&n->v, &n->gm);
	REQUIRE_EQ(vnic_set_limits(&n->v, &limits), 0, "SET_LIMITS");
	REQUIRE_EQ(cmd_query_gid(&n->v, &n->gid), 0, "QUERY_GIDS");
	fuzz_vnic_restock(n);
}
