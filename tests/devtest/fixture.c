// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vNIC with one object of each type, and a valid request of each command.
 */
#include <endian.h>
#include <string.h>

#include "driver.h"
#include "fixture.h"
#include "harness.h"
#include "rxe.h"

const uint8_t fixture_group[16] = {0xff, 0x0e, [14] = 0x12, [15] = 0x34};
const uint8_t fixture_other_group[16] = {0xff, 0x0e, [14] = 0x56, [15] = 0x78};

#define V4(a, b, c, d) {[10] = 0xff, [11] = 0xff, a, b, c, d}

/* GIDs of the guest, in guest addressing: by index, and one to be added. */
static const uint8_t guest_gids[][16] = {V4(10, 98, 0, 1), V4(10, 98, 0, 2)};
static const uint8_t new_gid[16] = V4(10, 98, 0, 3);

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

/* Find the GID of the HCA, or give the guest its own. */
static void fixture_gids(struct fixture *f)
{
	size_t i;

	if (f->addressing == HYV_ADDRESSING_HOST) {
		REQUIRE_EQ(cmd_query_gid(&f->v, &f->gid), 0,
			   "the HCA has a RoCE v2 GID");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(guest_gids); i++)
		REQUIRE_EQ(cmd_add_gid(&f->v, i, guest_gids[i]), 0, "ADD_GID");
	memset(&f->gid, 0, sizeof(f->gid));
	memcpy(f->gid.raw, guest_gids[0], sizeof(f->gid.raw));
}

static void fixture_objects(struct fixture *f)
{
	struct vnic *v = &f->v;

	fixture_gids(f);
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
 * fixture_init() - make a fixture in host addressing
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
	f->addressing = HYV_ADDRESSING_HOST;
	REQUIRE_EQ(cmd_query_device(&f->v, &device), 0, "QUERY_DEVICE");
	f->verbs = le32toh(device.verbs);
	fixture_objects(f);
}

/**
 * fixture_readdress() - reset the vNIC, and make all objects again in a mode
 * @f: the fixture
 * @addressing: HYV_ADDRESSING_*
 */
void fixture_readdress(struct fixture *f, uint32_t addressing)
{
	REQUIRE_EQ(vnic_reset(&f->v), 0, "RESET");
	if (f->addressing != addressing) {
		REQUIRE_EQ(vnic_set_addressing(&f->v, addressing, NULL, 0), 0,
			   "SET_ADDRESSING");
		vnic_get_config(&f->v);
		f->addressing = addressing;
	}
	REQUIRE_EQ(vnic_set_features(&f->v, vnic_features(&f->v)), 0,
		   "SET_FEATURES");
	fixture_objects(f);
}

/**
 * fixture_renew() - reset the vNIC and make all objects again
 * @f: the fixture
 */
void fixture_renew(struct fixture *f)
{
	fixture_readdress(f, f->addressing);
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

/*
 * A valid request of each command; what it changes, another one of it must not
 * depend on.
 */
#define VALID(name) static void valid_##name(struct fixture *f, struct req *r)

/* Commands on the device refer to no object. */
#define VALID_OF_DEVICE(name)                                               \
	static void valid_##name(struct fixture *f __attribute__((unused)), \
				 struct req *r)

VALID_OF_DEVICE(query_device)
{
	req_query_device(r);
}

VALID_OF_DEVICE(query_port)
{
	req_query(r, HYV_CMD_QUERY_PORT, 1, 0);
}

VALID_OF_DEVICE(query_gids)
{
	req_query(r, HYV_CMD_QUERY_GIDS, 1, 0);
}

VALID_OF_DEVICE(query_pkeys)
{
	req_query(r, HYV_CMD_QUERY_PKEYS, 1, 0);
}

VALID(setup_doorbells)
{
	req_setup_doorbells(r, &f->db);
}

VALID_OF_DEVICE(add_gid)
{
	req_add_gid(r, ARRAY_SIZE(guest_gids), new_gid);
}

/* Not the one that the AH and QPs are in need of. */
VALID_OF_DEVICE(del_gid)
{
	req_del_gid(r, 1, 1);
}

VALID_OF_DEVICE(alloc_context)
{
	req_alloc_context(r);
}

VALID(mmap)
{
	req_mmap(r, f->context, f->cq2.mi.offset, f->cq2.mi.size);
}

VALID(munmap)
{
	req_munmap(r, f->context, f->cq_offset);
}

VALID(destroy)
{
	req_destroy(r, HYV_OBJ_MR, f->mr.handle);
}

VALID(alloc_pd)
{
	req_alloc_pd(r, f->context);
}

VALID(create_cq)
{
	req_create_cq(r, f->context, 15, 0);
}

VALID(create_qp)
{
	req_create_qp(r, f->pd, f->cq.handle, f->cq2.handle, 7);
}

VALID(modify_qp)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(QPS_INIT),
		.port_num = 1,
		.qp_access_flags = htole32(ACCESS_REMOTE),
	};

	req_modify_qp(r, f->qp.handle, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 5,
		      &attr);
}

VALID(query_qp)
{
	req_query_qp(r, f->qp.handle);
}

VALID(reg_mr)
{
	req_reg_mr(r, f->pd, &f->buf, ACCESS_REMOTE);
}

VALID(resize_cq)
{
	req_resize_cq(r, f->cq.handle, 31);
}

VALID(modify_cq)
{
	req_modify_cq(r, f->cq.handle, 1, 1);
}

VALID(rereg_mr)
{
	req_rereg_mr(r, f->mr.handle, HYV_REREG_PD | HYV_REREG_ACCESS, f->pd,
		     ACCESS_LOCAL, 0);
}

VALID(create_ah)
{
	req_create_ah(r, f->pd, &f->gid);
}

VALID(create_srq)
{
	req_create_srq(r, f->pd, 15, 2);
}

VALID(modify_srq)
{
	req_modify_srq(r, f->srq.handle, SRQ_MAX_WR, 31, 0, &f->mi);
}

VALID(query_srq)
{
	req_query_srq(r, f->srq.handle);
}

VALID(alloc_mw)
{
	req_alloc_mw(r, f->pd, 2);
}

VALID(attach_mcast)
{
	req_mcast(r, HYV_CMD_ATTACH_MCAST, f->ud.handle, 0,
		  fixture_other_group);
}

VALID(detach_mcast)
{
	req_mcast(r, HYV_CMD_DETACH_MCAST, f->ud.handle, 0, fixture_group);
}

VALID(alloc_xrcd)
{
	req_alloc_xrcd(r, f->context);
}

/* A command without its VALID() does not build. */
const struct opcode opcodes[NR_OPCODES] = {
#define OPCODE(NAME, stem, req, min_req, rsp, min_rsp, nr_lists, mask) \
	{                                                              \
		.opcode = HYV_CMD_##NAME,                              \
		.name = #NAME,                                         \
		.fixed_len = sizeof(struct req),                       \
		.min_request = min_req,                                \
		.rsp_len = sizeof(struct rsp),                         \
		.min_reply = min_rsp,                                  \
		.lists = nr_lists,                                     \
		.features = mask,                                      \
		.valid = valid_##stem,                                 \
	},
	HYV_FOR_EACH_COMMAND(OPCODE)};

/* HYV_VERB_* without which a command is refused; every HCA has the others. */
static const uint32_t verb_of[NR_OPCODES] = {
	[OP_RESIZE_CQ] = HYV_VERB_RESIZE_CQ,
	[OP_MODIFY_CQ] = HYV_VERB_MODIFY_CQ,
	[OP_REREG_MR] = HYV_VERB_REREG_MR,
	[OP_CREATE_AH] = HYV_VERB_AH,
	[OP_CREATE_SRQ] = HYV_VERB_SRQ,
	[OP_MODIFY_SRQ] = HYV_VERB_MODIFY_SRQ,
	[OP_QUERY_SRQ] = HYV_VERB_SRQ,
	[OP_ALLOC_MW] = HYV_VERB_MW,
	[OP_ATTACH_MCAST] = HYV_VERB_MCAST,
	[OP_DETACH_MCAST] = HYV_VERB_MCAST,
	[OP_ALLOC_XRCD] = HYV_VERB_XRC,
};

/**
 * opcode_find() - look up a command
 * @opcode: HYV_CMD_*
 *
 * Return: the command, or NULL.
 */
const struct opcode *opcode_find(uint16_t opcode)
{
	size_t i;

	for (i = 0; i < NR_OPCODES; i++)
		if (opcodes[i].opcode == opcode)
			return &opcodes[i];
	return NULL;
}

/**
 * opcode_changes() - check whether a command's success changes the fixture
 * @op: the command
 *
 * Return: false if it is a query.
 */
bool opcode_changes(const struct opcode *op)
{
	return strncmp(op->name, "QUERY_", 6);
}

static const struct opcode *opcode_known(uint16_t opcode)
{
	const struct opcode *op = opcode_find(opcode);

	REQUIRE(op, "opcode %#x is known", opcode);
	return op;
}

/**
 * fixture_status() - status of the fixture's request of a command
 * @f: the fixture
 * @opcode: HYV_CMD_*
 *
 * Return: 0, or HYV_S_EOPNOTSUPP if the HCA lacks the verb or @f a feature.
 */
int fixture_status(const struct fixture *f, uint16_t opcode)
{
	const struct opcode *op = opcode_known(opcode);

	if (op->features & ~f->v.offered || verb_of[op - opcodes] & ~f->verbs)
		return HYV_S_EOPNOTSUPP;
	return 0;
}

/**
 * fixture_request() - make a request that succeeds on a new fixture
 * @f: the fixture
 * @opcode: HYV_CMD_*
 * @r: the request
 *
 * It may be unsupported, see fixture_status().
 */
void fixture_request(struct fixture *f, uint16_t opcode, struct req *r)
{
	opcode_known(opcode)->valid(f, r);
}
