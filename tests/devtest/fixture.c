// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vNIC with one object of each type, and a valid request of each opcode.
 */
#include <endian.h>
#include <string.h>

#include "driver.h"
#include "fixture.h"
#include "harness.h"
#include "rxe.h"

#define OPCODE(op, req, rsp, lists, changes)                               \
	{                                                                  \
		HYV_CMD_##op, #op, sizeof(struct req), sizeof(struct rsp), \
			lists, changes                                     \
	}

const struct opcode opcodes[NR_OPCODES] = {
	OPCODE(QUERY_DEVICE, hyv_query_device_req, hyv_query_device_rsp, 0, 0),
	OPCODE(QUERY_PORT, hyv_query_port_req, hyv_query_port_rsp, 0, 0),
	OPCODE(QUERY_GIDS, hyv_query_gids_req, hyv_query_gids_rsp, 0, 0),
	OPCODE(QUERY_PKEYS, hyv_query_pkeys_req, hyv_query_pkeys_rsp, 0, 0),
	OPCODE(SETUP_DOORBELLS, hyv_setup_doorbells_req, hyv_rsp, 1, 1),
	OPCODE(ALLOC_CONTEXT, hyv_alloc_context_req, hyv_create_rsp, 0, 1),
	OPCODE(MMAP, hyv_mmap_req, hyv_mmap_rsp, 0, 1),
	OPCODE(MUNMAP, hyv_munmap_req, hyv_rsp, 0, 1),
	OPCODE(DESTROY, hyv_destroy_req, hyv_rsp, 0, 1),
	OPCODE(ALLOC_PD, hyv_alloc_pd_req, hyv_create_rsp, 0, 1),
	OPCODE(CREATE_CQ, hyv_create_cq_req, hyv_create_cq_rsp, 0, 1),
	OPCODE(CREATE_QP, hyv_create_qp_req, hyv_create_qp_rsp, 0, 1),
	OPCODE(MODIFY_QP, hyv_modify_qp_req, hyv_rsp, 0, 1),
	OPCODE(QUERY_QP, hyv_query_qp_req, hyv_query_qp_rsp, 0, 0),
	OPCODE(REG_MR, hyv_reg_mr_req, hyv_reg_mr_rsp, 1, 1),
};

static void fixture_objects(struct fixture *f)
{
	struct vnic *v = &f->v;

	REQUIRE_EQ(cmd_alloc_context(v, &f->context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, f->context, &f->pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(v, f->context, 15, 0, &f->cq), 0, "CREATE_CQ");
	REQUIRE_EQ(cmd_create_cq(v, f->context, 15, 0, &f->cq2), 0,
		   "CREATE_CQ");
	REQUIRE_EQ(cmd_mmap(v, f->context, &f->cq.mi, &f->cq_offset), 0,
		   "MMAP");
	REQUIRE_EQ(
		cmd_create_qp(v, f->pd, f->cq.handle, f->cq.handle, 7, &f->qp),
		0, "CREATE_QP");
	REQUIRE_EQ(cmd_reg_mr(v, f->pd, &f->buf, ACCESS_REMOTE, &f->mr), 0,
		   "REG_MR");
}

/**
 * fixture_init() - make a fixture
 * @f: the fixture
 */
void fixture_init(struct fixture *f)
{
	gmem_init(&f->gm, GMEM_MEMFD);
	gbuf_init(&f->buf, &f->gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&f->db, &f->gm, DB_PAGES * DT_PAGE, 0, GBUF_SCATTERED);
	vnic_open(&f->v, &f->gm);
	fixture_objects(f);
}

/**
 * fixture_renew() - reset the vNIC and make all objects anew
 * @f: the fixture
 */
void fixture_renew(struct fixture *f)
{
	REQUIRE_EQ(vnic_reset(&f->v), 0, "RESET");
	REQUIRE_EQ(vnic_set_features(&f->v, vnic_features(&f->v)), 0,
		   "SET_FEATURES");
	fixture_objects(f);
}

/**
 * fixture_free() - close the vNIC
 * @f: the fixture
 */
void fixture_free(struct fixture *f)
{
	vnic_close(&f->v);
	gbuf_free(&f->buf);
	gbuf_free(&f->db);
	gmem_free(&f->gm);
}

static void fixture_setup_doorbells(struct fixture *f, struct req *r)
{
	struct hyv_setup_doorbells_req req = {};
	struct hyv_chunk chunk[DB_PAGES];
	uint32_t nr;

	nr = gbuf_chunks(&f->db, 0, f->db.length, chunk);
	req_init(r, HYV_CMD_SETUP_DOORBELLS, &req, sizeof(req));
	req_list(r, 0, f->db.va, f->db.length, chunk, nr);
}

static void fixture_modify_qp(struct fixture *f, struct req *r)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(QPS_INIT),
		.port_num = 1,
		.qp_access_flags = htole32(ACCESS_REMOTE),
	};

	req_modify_qp(r, f->qp.handle, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 5,
		      &attr);
}

/**
 * fixture_request() - a request that succeeds on the fixture as it was made
 * @f: the fixture
 * @opcode: HYV_CMD_*
 * @r: the request
 */
void fixture_request(struct fixture *f, uint16_t opcode, struct req *r)
{
	struct hyv_query_device_req query = {};

	switch (opcode) {
	case HYV_CMD_QUERY_DEVICE:
		req_init(r, opcode, &query, sizeof(query));
		break;
	case HYV_CMD_QUERY_PORT:
	case HYV_CMD_QUERY_GIDS:
	case HYV_CMD_QUERY_PKEYS:
		req_query(r, opcode, 1, 0);
		break;
	case HYV_CMD_SETUP_DOORBELLS:
		fixture_setup_doorbells(f, r);
		break;
	case HYV_CMD_ALLOC_CONTEXT:
		req_alloc_context(r);
		break;
	case HYV_CMD_MMAP:
		req_mmap(r, f->context, f->cq2.mi.offset, f->cq2.mi.size);
		break;
	case HYV_CMD_MUNMAP:
		req_munmap(r, f->context, f->cq_offset);
		break;
	case HYV_CMD_DESTROY:
		req_destroy(r, HYV_OBJ_MR, f->mr.handle);
		break;
	case HYV_CMD_ALLOC_PD:
		req_alloc_pd(r, f->context);
		break;
	case HYV_CMD_CREATE_CQ:
		req_create_cq(r, f->context, 15, 0);
		break;
	case HYV_CMD_CREATE_QP:
		req_create_qp(r, f->pd, f->cq.handle, f->cq2.handle, 7);
		break;
	case HYV_CMD_MODIFY_QP:
		fixture_modify_qp(f, r);
		break;
	case HYV_CMD_QUERY_QP:
		req_query_qp(r, f->qp.handle);
		break;
	case HYV_CMD_REG_MR:
		req_reg_mr(r, f->pd, &f->buf, ACCESS_REMOTE);
		break;
	default:
		REQUIRE(false, "opcode %#x is known", opcode);
	}
}
