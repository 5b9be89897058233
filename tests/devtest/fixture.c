// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vNIC with one object of each type, and a valid request of each opcode.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "driver.h"
#include "fixture.h"
#include "harness.h"
#include "rxe.h"

#define ENTRY(op, req, rsp, first, lists, changes, verb)                   \
	{                                                                  \
		HYV_CMD_##op, #op, sizeof(struct req), sizeof(struct rsp), \
			first, lists, changes, verb                        \
	}

#define OPCODE(op, req, rsp, lists, changes) \
	ENTRY(op, req, rsp, sizeof(struct rsp), lists, changes, 0)

#define VERB(op, req, rsp, lists, changes, verb) \
	ENTRY(op, req, rsp, sizeof(struct rsp), lists, changes, HYV_VERB_##verb)

const struct opcode opcodes[NR_OPCODES] = {
	ENTRY(QUERY_DEVICE, hyv_query_device_req, hyv_query_device_rsp,
	      offsetof(struct hyv_query_device_rsp, verbs), 0, 0, 0),
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
	VERB(RESIZE_CQ, hyv_resize_cq_req, hyv_resize_cq_rsp, 0, 1, RESIZE_CQ),
	VERB(MODIFY_CQ, hyv_modify_cq_req, hyv_rsp, 0, 1, MODIFY_CQ),
	VERB(REREG_MR, hyv_rereg_mr_req, hyv_reg_mr_rsp, 1, 1, REREG_MR),
	VERB(CREATE_AH, hyv_create_ah_req, hyv_create_rsp, 0, 1, AH),
	VERB(CREATE_SRQ, hyv_create_srq_req, hyv_create_srq_rsp, 0, 1, SRQ),
	VERB(MODIFY_SRQ, hyv_modify_srq_req, hyv_rsp, HYV_MAX_LISTS, 1,
	     MODIFY_SRQ),
	VERB(QUERY_SRQ, hyv_query_srq_req, hyv_query_srq_rsp, 0, 0, SRQ),
	VERB(ALLOC_MW, hyv_alloc_mw_req, hyv_alloc_mw_rsp, 0, 1, MW),
	VERB(ATTACH_MCAST, hyv_mcast_req, hyv_rsp, 0, 1, MCAST),
	VERB(DETACH_MCAST, hyv_mcast_req, hyv_rsp, 0, 1, MCAST),
};

const uint8_t fixture_group[16] = {0xff, 0x0e, [14] = 0x12, [15] = 0x34};
const uint8_t fixture_other_group[16] = {0xff, 0x0e, [14] = 0x56, [15] = 0x78};

/* The HCA of these tests, rxe, has all of these. */
static void fixture_verbs(struct fixture *f)
{
	struct vnic *v = &f->v;

	REQUIRE_EQ(cmd_create_qp_type(v, QPT_UD, f->pd, f->cq2.handle, 0, 7,
				      &f->ud),
		   0, "CREATE_QP of type UD");
	REQUIRE_EQ(cmd_mcast(v, HYV_CMD_ATTACH_MCAST, f->ud.handle, 0,
			     fixture_group),
		   0, "ATTACH_MCAST");
	REQUIRE_EQ(cmd_create_srq(v, f->pd, 15, &f->srq), 0, "CREATE_SRQ");
	REQUIRE_EQ(cmd_create_ah(v, f->pd, &f->gid, &f->ah), 0, "CREATE_AH");
	REQUIRE_EQ(cmd_alloc_mw(v, f->pd, 1, &f->mw), 0, "ALLOC_MW");
}

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
	fixture_verbs(f);
}

/**
 * fixture_init() - make a fixture
 * @f: the fixture
 */
void fixture_init(struct fixture *f)
{
	struct hyv_query_device_rsp device;

	gmem_init(&f->gm, GMEM_MEMFD);
	gbuf_init(&f->buf, &f->gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&f->db, &f->gm, DB_PAGES * DT_PAGE, 0, GBUF_SCATTERED);
	/* Two chunks. */
	gbuf_init(&f->mi, &f->gm, sizeof(struct mminfo), DT_PAGE - 8,
		  GBUF_SCATTERED);
	vnic_open(&f->v, &f->gm);
	REQUIRE_EQ(cmd_query_device(&f->v, &device), 0, "QUERY_DEVICE");
	f->verbs = le32toh(device.verbs);
	REQUIRE_EQ(cmd_query_gid(&f->v, &f->gid), 0, "there is a RoCE v2 GID");
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
	gbuf_free(&f->mi);
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

/* The opcodes of fixture_verbs(). */
static void fixture_verb_request(struct fixture *f, uint16_t opcode,
				 struct req *r)
{
	switch (opcode) {
	case HYV_CMD_RESIZE_CQ:
		req_resize_cq(r, f->cq.handle, 31);
		break;
	case HYV_CMD_MODIFY_CQ:
		req_modify_cq(r, f->cq.handle, 1, 1);
		break;
	case HYV_CMD_REREG_MR:
		req_rereg_mr(r, f->mr.handle, HYV_REREG_PD | HYV_REREG_ACCESS,
			     f->pd, ACCESS_LOCAL, 0);
		break;
	case HYV_CMD_CREATE_AH:
		req_create_ah(r, f->pd, &f->gid);
		break;
	case HYV_CMD_CREATE_SRQ:
		req_create_srq(r, f->pd, 15, 2);
		break;
	case HYV_CMD_MODIFY_SRQ:
		req_modify_srq(r, f->srq.handle, SRQ_MAX_WR, 31, 0, &f->mi);
		break;
	case HYV_CMD_QUERY_SRQ:
		req_query_srq(r, f->srq.handle);
		break;
	case HYV_CMD_ALLOC_MW:
		req_alloc_mw(r, f->pd, 2);
		break;
	case HYV_CMD_ATTACH_MCAST:
		req_mcast(r, opcode, f->ud.handle, 0, fixture_other_group);
		break;
	case HYV_CMD_DETACH_MCAST:
		req_mcast(r, opcode, f->ud.handle, 0, fixture_group);
		break;
	default:
		REQUIRE(false, "opcode %#x is known", opcode);
	}
}

/**
 * fixture_status() - status of the fixture's request of an opcode
 * @f: the fixture
 * @opcode: HYV_CMD_*
 *
 * Return: 0, or HYV_S_EOPNOTSUPP if the HCA has no such verb.
 */
int fixture_status(const struct fixture *f, uint16_t opcode)
{
	size_t i;

	for (i = 0; i < NR_OPCODES; i++)
		if (opcodes[i].opcode == opcode && opcodes[i].verb & ~f->verbs)
			return HYV_S_EOPNOTSUPP;
	return 0;
}

/**
 * fixture_request() - a request that succeeds on the fixture as it was made
 * @f: the fixture
 * @opcode: HYV_CMD_*
 * @r: the request
 *
 * The HCA may have no such verb, see fixture_status().
 */
void fixture_request(struct fixture *f, uint16_t opcode, struct req *r)
{
	switch (opcode) {
	case HYV_CMD_QUERY_DEVICE:
		req_query_device(r);
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
		fixture_verb_request(f, opcode, r);
	}
}
