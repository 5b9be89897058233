// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles, what refers to what, the fields of the commands, and limits.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"
#include "rxe.h"

static struct fixture fix;

#define HANDLE(op, type, member, obj)                                       \
	{HYV_CMD_##op, #op "." #member, offsetof(struct type, member), obj, \
	 false}

static const struct {
	uint16_t opcode;
	const char *name;
	uint16_t offset;
	uint32_t type;
	bool optional; /* 0 is none */
} handle_fields[] = {
	HANDLE(MMAP, hyv_mmap_req, context, HYV_OBJ_CONTEXT),
	HANDLE(MUNMAP, hyv_munmap_req, context, HYV_OBJ_CONTEXT),
	HANDLE(ALLOC_PD, hyv_alloc_pd_req, context, HYV_OBJ_CONTEXT),
	HANDLE(CREATE_CQ, hyv_create_cq_req, context, HYV_OBJ_CONTEXT),
	HANDLE(CREATE_QP, hyv_create_qp_req, pd, HYV_OBJ_PD),
	HANDLE(CREATE_QP, hyv_create_qp_req, send_cq, HYV_OBJ_CQ),
	HANDLE(CREATE_QP, hyv_create_qp_req, recv_cq, HYV_OBJ_CQ),
	HANDLE(MODIFY_QP, hyv_modify_qp_req, qp, HYV_OBJ_QP),
	HANDLE(QUERY_QP, hyv_query_qp_req, qp, HYV_OBJ_QP),
	HANDLE(REG_MR, hyv_reg_mr_req, pd, HYV_OBJ_PD),
	HANDLE(RESIZE_CQ, hyv_resize_cq_req, cq, HYV_OBJ_CQ),
	HANDLE(MODIFY_CQ, hyv_modify_cq_req, cq, HYV_OBJ_CQ),
	HANDLE(REREG_MR, hyv_rereg_mr_req, mr, HYV_OBJ_MR),
	HANDLE(REREG_MR, hyv_rereg_mr_req, pd, HYV_OBJ_PD),
	HANDLE(CREATE_AH, hyv_create_ah_req, pd, HYV_OBJ_PD),
	HANDLE(CREATE_SRQ, hyv_create_srq_req, pd, HYV_OBJ_PD),
	HANDLE(MODIFY_SRQ, hyv_modify_srq_req, srq, HYV_OBJ_SRQ),
	HANDLE(QUERY_SRQ, hyv_query_srq_req, srq, HYV_OBJ_SRQ),
	HANDLE(ALLOC_MW, hyv_alloc_mw_req, pd, HYV_OBJ_PD),
	HANDLE(ATTACH_MCAST, hyv_mcast_req, qp, HYV_OBJ_QP),
	HANDLE(DETACH_MCAST, hyv_mcast_req, qp, HYV_OBJ_QP),
	{HYV_CMD_CREATE_QP, "CREATE_QP.srq",
	 offsetof(struct hyv_create_qp_req, srq), HYV_OBJ_SRQ, true},
};

static uint32_t handle_of(uint32_t type)
{
	switch (type) {
	case HYV_OBJ_CONTEXT:
		return fix.context;
	case HYV_OBJ_PD:
		return fix.pd;
	case HYV_OBJ_CQ:
		return fix.cq.handle;
	case HYV_OBJ_QP:
		return fix.qp.handle;
	case HYV_OBJ_AH:
	case HYV_OBJ_XRCD: /* rxe has none */
		return fix.ah.handle;
	case HYV_OBJ_SRQ:
		return fix.srq.handle;
	case HYV_OBJ_MW:
		return fix.mw.handle;
	default:
		return fix.mr.handle;
	}
}

/* Make an object of a type and destroy it. */
static uint32_t destroyed_handle(uint32_t type)
{
	uint32_t context, pd, handle;
	struct qp_info qp;
	struct cq_info cq;
	struct mr_info mr;
	struct srq_info srq;
	struct ah_info ah;
	struct mw_info mw;

	REQUIRE_EQ(cmd_alloc_context(&fix.v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&fix.v, context, &pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_srq(&fix.v, pd, 7, &srq), 0, "CREATE_SRQ");
	REQUIRE_EQ(cmd_create_ah(&fix.v, pd, &fix.gid, &ah), 0, "CREATE_AH");
	REQUIRE_EQ(cmd_alloc_mw(&fix.v, pd, 1, &mw), 0, "ALLOC_MW");
	REQUIRE_EQ(cmd_create_cq(&fix.v, context, 15, 0, &cq), 0, "CREATE_CQ");
	REQUIRE_EQ(cmd_create_qp(&fix.v, pd, cq.handle, cq.handle, 7, &qp), 0,
		   "CREATE_QP");
	REQUIRE_EQ(cmd_reg_mr(&fix.v, pd, &fix.buf, ACCESS_REMOTE, &mr), 0,
		   "REG_MR");
	handle = type == HYV_OBJ_CONTEXT ? context
		 : type == HYV_OBJ_PD	 ? pd
		 : type == HYV_OBJ_CQ	 ? cq.handle
		 : type == HYV_OBJ_QP	 ? qp.handle
		 : type == HYV_OBJ_AH	 ? ah.handle
		 : type == HYV_OBJ_SRQ	 ? srq.handle
		 : type == HYV_OBJ_MW	 ? mw.handle
					 : mr.handle;
	REQUIRE_EQ(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, context), 0,
		   "DESTROY of a context with all its objects");
	return handle;
}

static void expect_no_handle(size_t i, struct vnic *v, uint32_t handle,
			     const char *what)
{
	uint16_t opcode = handle_fields[i].opcode;
	int status = HYV_S_ENOENT;
	struct rsp rsp;
	struct req r;

	/* Which of the two reasons for a refusal comes first differs. */
	if (opcode == HYV_CMD_REREG_MR && fixture_status(&fix, opcode))
		status = fixture_status(&fix, opcode);

	fixture_request(&fix, handle_fields[i].opcode, &r);
	handle = htole32(handle);
	memcpy(r.data + handle_fields[i].offset, &handle, sizeof(handle));
	tap_is(vnic_exec(v, &r, &rsp), status, "%s: %s", handle_fields[i].name,
	       what);
}

static void test_handles(void)
{
	static const uint32_t none[] = {0, ~0U, 0x7fffffff, 0x80000000};
	struct vnic other;
	size_t i, j;
	uint32_t type;

	vnic_open(&other, &fix.gm);
	for (i = 0; i < ARRAY_SIZE(handle_fields); i++) {
		for (j = 0; j < ARRAY_SIZE(none); j++)
			if (none[j] || !handle_fields[i].optional)
				expect_no_handle(i, &fix.v, none[j],
						 "no handle");
		for (type = 1; type < HYV_OBJ_TYPES; type++)
			if (type != handle_fields[i].type)
				expect_no_handle(i, &fix.v, handle_of(type),
						 "of another type");
		expect_no_handle(i, &fix.v,
				 destroyed_handle(handle_fields[i].type),
				 "destroyed");
		expect_no_handle(i, &other, handle_of(handle_fields[i].type),
				 "of another vNIC");
	}
	for (type = 1; type < HYV_OBJ_TYPES; type++)
		tap_is(cmd_destroy(&other, type, handle_of(type)), HYV_S_ENOENT,
		       "DESTROY of another vNIC's, type %u", type);
	vnic_close(&other);
}

static void test_destroy(void)
{
	static const uint32_t types[] = {0, HYV_OBJ_TYPES, 255, ~0U};
	static const uint32_t others[] = {HYV_OBJ_QP, HYV_OBJ_AH, HYV_OBJ_SRQ,
					  HYV_OBJ_MW};
	struct mr_info mr;
	size_t i;
	uint32_t type, pd;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		tap_is(cmd_destroy(&fix.v, types[i], fix.mr.handle),
		       HYV_S_ENOENT, "DESTROY of type %u", types[i]);
	for (type = 1; type < HYV_OBJ_TYPES; type++)
		if (type != HYV_OBJ_MR)
			tap_is(cmd_destroy(&fix.v, type, fix.mr.handle),
			       HYV_S_ENOENT, "DESTROY of an MR as type %u",
			       type);

	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, fix.cq.handle), HYV_S_EBUSY,
	       "DESTROY of a CQ that a QP uses");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, fix.pd), HYV_S_EBUSY,
	       "DESTROY of a PD that a QP and an MR use");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_QP, fix.qp.handle), 0,
	       "DESTROY of a QP");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_QP, fix.qp.handle), HYV_S_ENOENT,
	       "DESTROY of a QP twice");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, fix.cq.handle), 0,
	       "DESTROY of a CQ that was in use");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, fix.cq.handle), HYV_S_ENOENT,
	       "DESTROY of a CQ twice");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, fix.pd), HYV_S_EBUSY,
	       "DESTROY of a PD that an MR uses");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_MR, fix.mr.handle), 0,
	       "DESTROY of an MR");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_MR, fix.mr.handle), HYV_S_ENOENT,
	       "DESTROY of an MR twice");
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		uint32_t handle = others[i] == HYV_OBJ_QP
					  ? fix.ud.handle
					  : handle_of(others[i]);

		tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, fix.pd), HYV_S_EBUSY,
		       "DESTROY of a PD that an object of type %u uses",
		       others[i]);
		tap_is(cmd_destroy(&fix.v, others[i], handle), 0,
		       "DESTROY of an object of type %u", others[i]);
		tap_is(cmd_destroy(&fix.v, others[i], handle), HYV_S_ENOENT,
		       "DESTROY of an object of type %u twice", others[i]);
	}
	pd = fix.pd;
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, pd), 0,
	       "DESTROY of a PD that was in use");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, pd), HYV_S_ENOENT,
	       "DESTROY of a PD twice");
	tap_is(cmd_reg_mr(&fix.v, pd, &fix.buf, ACCESS_REMOTE, &mr),
	       HYV_S_ENOENT, "REG_MR in a destroyed PD");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, fix.context), 0,
	       "DESTROY of a context");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, fix.context), HYV_S_ENOENT,
	       "DESTROY of a context twice");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, fix.cq2.handle), HYV_S_ENOENT,
	       "DESTROY of an object of a destroyed context");
	fixture_renew(&fix);
}

static void test_contexts(void)
{
	struct cq_info cq;
	struct qp_info qp;
	uint32_t context, pd;
	uint64_t offset;

	REQUIRE_EQ(cmd_alloc_context(&fix.v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&fix.v, context, &pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(&fix.v, context, 15, 0, &cq), 0, "CREATE_CQ");
	tap_is(cmd_create_qp(&fix.v, pd, fix.cq.handle, cq.handle, 7, &qp),
	       HYV_S_EINVAL, "CREATE_QP with another context's send CQ");
	tap_is(cmd_create_qp(&fix.v, pd, cq.handle, fix.cq.handle, 7, &qp),
	       HYV_S_EINVAL, "CREATE_QP with another context's receive CQ");
	tap_is(cmd_create_qp(&fix.v, fix.pd, cq.handle, cq.handle, 7, &qp),
	       HYV_S_EINVAL, "CREATE_QP with another context's PD");
	tap_is(cmd_mmap(&fix.v, context, &fix.cq2.mi, &offset), HYV_S_EINVAL,
	       "MMAP of another context's queue");
	tap_is(cmd_munmap(&fix.v, context, fix.cq_offset), HYV_S_ENOENT,
	       "MUNMAP of another context's mapping");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, cq.handle), 0,
	       "a refused CREATE_QP does not keep its CQ in use");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_PD, pd), 0,
	       "a refused CREATE_QP does not keep its PD in use");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, context), 0,
	       "DESTROY of a context");
}

static void test_cq_fields(void)
{
	static const struct {
		const char *what;
		uint32_t cqe, vector, flags;
		int status;
	} cases[] = {
		{"no entry", 0, 0, 0, HYV_S_EINVAL},
		{"too many entries", 1 << 24, 0, 0, HYV_S_EINVAL},
		{"a huge number of entries", ~0U, 0, 0, HYV_S_EINVAL},
		{"no such vector", 15, 1000000, 0, HYV_S_EINVAL},
		{"a huge vector", 15, ~0U, 0, HYV_S_EINVAL},
		{"flags", 15, 0, 1, HYV_S_EOPNOTSUPP},
		{"one entry", 1, 0, 0, 0},
	};
	struct hyv_create_cq_req *req;
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		req_create_cq(&r, fix.context, cases[i].cqe, cases[i].vector);
		req = (void *)r.data;
		req->flags = htole32(cases[i].flags);
		tap_is(vnic_exec(&fix.v, &r, &rsp), cases[i].status,
		       "CREATE_CQ with %s", cases[i].what);
	}
}

static void spoil_type_smi(struct hyv_create_qp_req *req)
{
	req->qp_type = 0;
}

static void spoil_type_raw(struct hyv_create_qp_req *req)
{
	req->qp_type = 8;
}

static void spoil_type_xrc_ini(struct hyv_create_qp_req *req)
{
	req->qp_type = 9;
}

static void spoil_type_xrc_tgt(struct hyv_create_qp_req *req)
{
	req->qp_type = 10;
}

static void spoil_type_gsi(struct hyv_create_qp_req *req)
{
	req->qp_type = 1;
}

static void spoil_type_high(struct hyv_create_qp_req *req)
{
	req->qp_type = 0xff;
}

static void spoil_flags(struct hyv_create_qp_req *req)
{
	req->create_flags = htole32(1);
}

static void spoil_sig(struct hyv_create_qp_req *req)
{
	req->sq_sig_all = 2;
}

static void spoil_send_wr(struct hyv_create_qp_req *req)
{
	req->cap.max_send_wr = htole32(~0U);
}

static void spoil_recv_wr(struct hyv_create_qp_req *req)
{
	req->cap.max_recv_wr = htole32(1 << 30);
}

static void spoil_send_sge(struct hyv_create_qp_req *req)
{
	req->cap.max_send_sge = htole32(33);
}

static void spoil_recv_sge(struct hyv_create_qp_req *req)
{
	req->cap.max_recv_sge = htole32(~0U);
}

static void spoil_inline(struct hyv_create_qp_req *req)
{
	req->cap.max_inline_data = htole32(~0U);
}

static void test_qp_fields(void)
{
	static const struct {
		const char *what;
		void (*spoil)(struct hyv_create_qp_req *req);
		int status;
		uint32_t verb; /* without it, the type is unknown */
	} cases[] = {
		{"type SMI", spoil_type_smi, HYV_S_EOPNOTSUPP},
		{"type RAW_PACKET", spoil_type_raw, HYV_S_EOPNOTSUPP},
		{"type XRC_INI", spoil_type_xrc_ini, HYV_S_EINVAL,
		 HYV_VERB_XRC},
		{"type XRC_TGT", spoil_type_xrc_tgt, HYV_S_EINVAL,
		 HYV_VERB_XRC},
		{"type GSI", spoil_type_gsi, HYV_S_EOPNOTSUPP},
		{"type 255", spoil_type_high, HYV_S_EOPNOTSUPP},
		{"flags", spoil_flags, HYV_S_EOPNOTSUPP},
		{"sq_sig_all 2", spoil_sig, HYV_S_EINVAL},
		{"too many send requests", spoil_send_wr, HYV_S_EINVAL},
		{"too many receive requests", spoil_recv_wr, HYV_S_EINVAL},
		{"too many send SGEs", spoil_send_sge, HYV_S_EINVAL},
		{"too many receive SGEs", spoil_recv_sge, HYV_S_EINVAL},
		{"too much inline data", spoil_inline, HYV_S_EINVAL},
	};
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_request(&fix, HYV_CMD_CREATE_QP, &r);
		cases[i].spoil((void *)r.data);
		tap_is(vnic_exec(&fix.v, &r, &rsp),
		       cases[i].verb & ~fix.verbs ? HYV_S_EOPNOTSUPP
						  : cases[i].status,
		       "CREATE_QP with %s", cases[i].what);
	}
}

/* enum ibv_qp_attr_mask */
#define M_STATE	     (1 << 0)
#define M_CUR_STATE  (1 << 1)
#define M_ACCESS     (1 << 3)
#define M_PKEY_INDEX (1 << 4)
#define M_PORT	     (1 << 5)
#define M_QKEY	     (1 << 6)
#define M_AV	     (1 << 7)
#define M_PATH_MTU   (1 << 8)
#define M_TIMEOUT    (1 << 9)
#define M_CAP	     (1 << 19)
#define M_DEST_QPN   (1 << 20)
#define M_INIT	     (M_STATE | M_ACCESS | M_PKEY_INDEX | M_PORT)

static void test_modify_fields(void)
{
	static const struct {
		const char *what;
		uint32_t mask;
		struct hyv_qp_attr attr;
		int status;
	} cases[] = {
		{"unknown attribute", 1U << 31, {}, HYV_S_EOPNOTSUPP},
		{"capacities", M_STATE | M_CAP, {}, HYV_S_EOPNOTSUPP},
		{"state 7", M_STATE, {.qp_state = 7}, HYV_S_EINVAL},
		{"a huge state", M_STATE, {.qp_state = ~0U}, HYV_S_EINVAL},
		{"RTR from RESET",
		 M_STATE,
		 {.qp_state = QPS_RTR},
		 HYV_S_EINVAL},
		{"RTS from RESET",
		 M_STATE,
		 {.qp_state = QPS_RTS},
		 HYV_S_EINVAL},
		{"INIT without its attributes",
		 M_STATE,
		 {.qp_state = QPS_INIT},
		 HYV_S_EINVAL},
		{"INIT with port 0",
		 M_INIT,
		 {.qp_state = QPS_INIT},
		 HYV_S_EINVAL},
		{"INIT with port 2",
		 M_INIT,
		 {.qp_state = QPS_INIT, .port_num = 2},
		 HYV_S_EINVAL},
		{"INIT with odd rights",
		 M_INIT,
		 {.qp_state = QPS_INIT,
		  .port_num = 1,
		  .qp_access_flags = 1 << 6},
		 HYV_S_EINVAL},
		{"a wrong current state",
		 M_INIT | M_CUR_STATE,
		 {.qp_state = QPS_INIT, .cur_qp_state = 9, .port_num = 1},
		 HYV_S_EINVAL},
		{"MTU 0", M_STATE | M_PATH_MTU, {.path_mtu = 0}, HYV_S_EINVAL},
		{"MTU 6", M_STATE | M_PATH_MTU, {.path_mtu = 6}, HYV_S_EINVAL},
		{"timeout 32",
		 M_STATE | M_TIMEOUT,
		 {.timeout = 32},
		 HYV_S_EINVAL},
		{"a QPN of 25 bits",
		 M_STATE | M_DEST_QPN,
		 {.dest_qp_num = 1 << 24},
		 HYV_S_EINVAL},
		{"a privileged Q_Key",
		 M_STATE | M_QKEY,
		 {.qkey = 0x80000001},
		 HYV_S_EPERM},
		{"an address with port 0", M_STATE | M_AV, {}, HYV_S_EINVAL},
		{"an address with an odd flag",
		 M_STATE | M_AV,
		 {.ah = {.port_num = 1, .is_global = 2}},
		 HYV_S_EINVAL},
		{"an address with SL 16",
		 M_STATE | M_AV,
		 {.ah = {.port_num = 1, .sl = 16}},
		 HYV_S_EINVAL},
	};
	struct hyv_query_qp_rsp out;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(cmd_modify_qp(&fix.v, fix.qp.handle, cases[i].mask,
				     &cases[i].attr),
		       cases[i].status, "MODIFY_QP: %s", cases[i].what);
	tap_is(cmd_query_qp(&fix.v, fix.qp.handle, &out), 0, "QUERY_QP");
	tap_is(le32toh(out.attr.qp_state), QPS_RESET, "a new QP is in RESET");
	tap_ok(le32toh(out.init_cap.max_send_wr) >= 7, "its capacity: %u",
	       le32toh(out.init_cap.max_send_wr));
}

/* Attributes that cannot be set, and bits that are none, can be asked for. */
static void test_query_masks(void)
{
	struct rsp rsp;
	struct req r;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		struct hyv_query_qp_req *req = (void *)r.data;

		req_query_qp(&r, fix.qp.handle);
		req->attr_mask = htole32(1U << bit);
		tap_is(vnic_exec(&fix.v, &r, &rsp), 0,
		       "QUERY_QP with bit %d of the mask", bit);
	}
}

/* All states of an RC QP, and back to the first. */
static void test_modify_states(void)
{
	static const uint32_t states[] = {
		QPS_INIT,  QPS_INIT, QPS_RTR, QPS_RTS, QPS_SQD,	 QPS_ERR,
		QPS_RESET, QPS_INIT, QPS_RTR, QPS_ERR, QPS_RESET};
	struct hyv_gid gid, bad = {.index = 0};
	struct ep ep = {.v = &fix.v, .type = QPT_RC, .qp = fix.qp};
	size_t i;

	REQUIRE_EQ(cmd_query_gid(&fix.v, &gid), 0, "there is a GID");
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		tap_is(ep_modify(&ep, states[i], fix.qp.qpn, &gid), 0,
		       "MODIFY_QP step %zu to state %u", i, states[i]);
		tap_is(ep_state(&ep), states[i], "QUERY_QP shows the state");
	}
	REQUIRE_EQ(ep_modify(&ep, QPS_INIT, 0, &gid), 0, "MODIFY_QP to INIT");
	bad.index = htole16(200);
	memcpy(bad.raw, gid.raw, sizeof(bad.raw));
	tap_ok(ep_modify(&ep, QPS_RTR, fix.qp.qpn, &bad) > 0,
	       "MODIFY_QP with a GID index that is not in use");
	tap_is(ep_state(&ep), QPS_INIT, "the QP stays in INIT");
	fixture_renew(&fix);
}

static void test_mr_fields(void)
{
	static const struct {
		const char *what;
		uint32_t access;
		int64_t iova_add;
		uint64_t iova;
		int status;
	} cases[] = {
		{"local rights", 1, 0, 0, 0},
		{"no rights", 0, 0, 0, 0},
		{"all rights", 0xf, 0, 0, 0},
		{"relaxed ordering", 1 | 1 << 20, 0, 0, 0},
		{"remote write alone", 2, 0, 0, HYV_S_EINVAL},
		{"remote atomics alone", 8, 0, 0, HYV_S_EINVAL},
		{"memory windows", 1 | 1 << 4, 0, 0, 0},
		{"paging on demand", 1 | 1 << 6, 0, 0, HYV_S_EOPNOTSUPP},
		{"unknown rights", 1 | 1 << 12, 0, 0, HYV_S_EINVAL},
		{"all bits", ~0U, 0, 0, HYV_S_EINVAL},
		{"another page of addresses", 1, 0x123000, 0, 0},
		{"another offset in the page", 1, 1, 0, HYV_S_EINVAL},
		{"addresses that wrap", 1, 0, 0xfffffffffffff123ULL,
		 HYV_S_EINVAL},
	};
	struct hyv_reg_mr_req *req;
	struct rsp rsp;
	struct req r;
	uint64_t iova;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		req_reg_mr(&r, fix.pd, &fix.buf, cases[i].access);
		req = (void *)r.data;
		iova = cases[i].iova ? cases[i].iova
				     : fix.buf.va + cases[i].iova_add;
		req->iova = htole64(iova);
		if (tap_is(vnic_exec(&fix.v, &r, &rsp), cases[i].status,
			   "REG_MR with %s", cases[i].what) &&
		    !cases[i].status)
			REQUIRE_EQ(cmd_destroy(&fix.v, HYV_OBJ_MR,
					       le32toh(rsp.reg_mr.handle)),
				   0, "DESTROY");
	}
}

void suite_objects(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_handles();
	test_destroy();
	test_contexts();
	test_cq_fields();
	test_qp_fields();
	test_modify_fields();
	test_query_masks();
	test_modify_states();
	test_mr_fields();
	fixture_free(&fix);
	dt_expect_counts(&before, "after all objects");
}

static int make_one(uint16_t opcode)
{
	struct rsp rsp;
	struct req r;

	fixture_request(&fix, opcode, &r);
	return vnic_exec(&fix.v, &r, &rsp);
}

/* Objects that the fixture has of each type. */
static const struct {
	const char *name;
	uint16_t opcode;
	uint32_t have;
	size_t offset;
} limited[] = {
	{"contexts", HYV_CMD_ALLOC_CONTEXT, 1,
	 offsetof(struct hyv_set_limits, max_contexts)},
	{"PDs", HYV_CMD_ALLOC_PD, 1, offsetof(struct hyv_set_limits, max_pds)},
	{"CQs", HYV_CMD_CREATE_CQ, 2, offsetof(struct hyv_set_limits, max_cqs)},
	{"QPs", HYV_CMD_CREATE_QP, 2, offsetof(struct hyv_set_limits, max_qps)},
	{"MRs", HYV_CMD_REG_MR, 1, offsetof(struct hyv_set_limits, max_mrs)},
	{"AHs", HYV_CMD_CREATE_AH, 1, offsetof(struct hyv_set_limits, max_ahs)},
	{"SRQs", HYV_CMD_CREATE_SRQ, 1,
	 offsetof(struct hyv_set_limits, max_srqs)},
	{"MWs", HYV_CMD_ALLOC_MW, 1, offsetof(struct hyv_set_limits, max_mws)},
};

static int limit_to(size_t i, uint32_t max)
{
	struct hyv_set_limits limits = {};

	memcpy((uint8_t *)&limits + limited[i].offset, &max, sizeof(max));
	return vnic_set_limits(&fix.v, &limits);
}

/* The fixture's objects, and two more, are as many as the limit allows. */
static void expect_limit(size_t i, const char *when)
{
	int n;

	for (n = 0; n < 2; n++)
		tap_is(make_one(limited[i].opcode), 0, "%s below the limit%s",
		       limited[i].name, when);
	for (n = 0; n < 3; n++)
		tap_is(make_one(limited[i].opcode), HYV_S_EDQUOT,
		       "%s at the limit%s", limited[i].name, when);
}

static void test_object_limits(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limited); i++) {
		REQUIRE_EQ(limit_to(i, limited[i].have + 2), 0, "SET_LIMITS");
		expect_limit(i, "");
		fixture_renew(&fix);
		expect_limit(i, " after a reset");
		REQUIRE_EQ(limit_to(i, 1), 0, "SET_LIMITS below the use");
		tap_is(make_one(limited[i].opcode), HYV_S_EDQUOT,
		       "%s above the limit", limited[i].name);
		REQUIRE_EQ(limit_to(i, 16), 0, "SET_LIMITS");
		tap_is(make_one(limited[i].opcode), 0,
		       "%s after the limit is raised", limited[i].name);
		fixture_renew(&fix);
	}
}

/* The limits of the owner hold, too, and it needs no more rights than that. */
static void test_owner_limits(void)
{
	struct rlimit old, limit = {1 << 20, 1 << 20};
	struct mr_info mr;
	struct gbuf big;
	uint32_t context;

	fixture_renew(&fix);
	gbuf_init(&big, &fix.gm, 512 * DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE(!getrlimit(RLIMIT_MEMLOCK, &old) &&
			!setrlimit(RLIMIT_MEMLOCK, &limit),
		"setrlimit");
	REQUIRE(!seteuid(65534), "seteuid");
	tap_is(cmd_alloc_context(&fix.v, &context), 0,
	       "ALLOC_CONTEXT without permission for the HCA");
	tap_is(cmd_reg_mr(&fix.v, fix.pd, &big, ACCESS_REMOTE, &mr),
	       HYV_S_ENOMEM, "REG_MR beyond the owner's RLIMIT_MEMLOCK");
	tap_is(make_one(HYV_CMD_REG_MR), 0, "REG_MR within RLIMIT_MEMLOCK");
	REQUIRE(!seteuid(0) && !setrlimit(RLIMIT_MEMLOCK, &old), "seteuid");
	tap_is(cmd_reg_mr(&fix.v, fix.pd, &big, ACCESS_REMOTE, &mr), 0,
	       "REG_MR with RLIMIT_MEMLOCK restored");
	gbuf_free(&big);
}

/* The doorbell area counts as locked memory, like MRs. */
static void test_owner_doorbells(void)
{
	rlim_t need;
	struct rlimit old, limit;

	fixture_renew(&fix);
	need = 1024 * (dt_pinned_kib() + DB_KIB);
	REQUIRE(!getrlimit(RLIMIT_MEMLOCK, &old), "getrlimit");
	limit = (struct rlimit){need - 1, old.rlim_max};
	REQUIRE(!setrlimit(RLIMIT_MEMLOCK, &limit) && !seteuid(65534),
		"setrlimit");
	tap_is(make_one(HYV_CMD_SETUP_DOORBELLS), HYV_S_ENOMEM,
	       "SETUP_DOORBELLS beyond the owner's RLIMIT_MEMLOCK");
	limit.rlim_cur = need;
	REQUIRE(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	tap_is(make_one(HYV_CMD_SETUP_DOORBELLS), 0,
	       "SETUP_DOORBELLS within RLIMIT_MEMLOCK");
	REQUIRE(!seteuid(0) && !setrlimit(RLIMIT_MEMLOCK, &old), "setrlimit");
}

static void test_pinned_limit(void)
{
	/* The fixture's MR has 3 pages and a part: 4. */
	struct hyv_set_limits limits = {.max_pinned = 9 * DT_PAGE - 1};
	struct hyv_set_limits less = {
		.max_pinned = (4 + DB_PAGES) * DT_PAGE - 1,
	};
	struct mr_info mr;

	fixture_renew(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &less), 0, "SET_LIMITS");
	tap_is(make_one(HYV_CMD_SETUP_DOORBELLS), HYV_S_EDQUOT,
	       "SETUP_DOORBELLS beyond the limit of pinned bytes");
	less.max_pinned++;
	REQUIRE_EQ(vnic_set_limits(&fix.v, &less), 0, "SET_LIMITS");
	tap_is(make_one(HYV_CMD_SETUP_DOORBELLS), 0,
	       "SETUP_DOORBELLS within the limit of pinned bytes");
	tap_is(dt_pinned_kib(), 4 * 4 + DB_KIB,
	       "the doorbell area counts as locked memory");
	fixture_renew(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	tap_is(cmd_reg_mr(&fix.v, fix.pd, &fix.buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR below the limit of pinned bytes");
	tap_is(make_one(HYV_CMD_REG_MR), HYV_S_EDQUOT,
	       "REG_MR beyond the limit of pinned bytes");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_MR, mr.handle), 0, "DESTROY");
	tap_is(make_one(HYV_CMD_REG_MR), 0, "REG_MR after one was destroyed");
	fixture_renew(&fix);
	tap_is(make_one(HYV_CMD_REG_MR), 0, "REG_MR after a reset");
}

/* Twice the memory, whatever the table is, unless the owner sets a limit. */
static void test_pinned_default(void)
{
	struct hyv_set_limits limits = {.max_pinned = 8 * DT_PAGE};
	struct hyv_mem_region table = {
		.gpa = GMEM_GPA_LINEAR,
		.length = 8 * DT_PAGE,
		.addr = (uintptr_t)gmem_at(&fix.gm, GMEM_GPA_LINEAR),
	};
	struct mr_info mr;
	struct gbuf buf;
	struct vnic v;
	uint32_t context, pd;

	vnic_open(&v, &fix.gm);
	fix.gm.next_linear = 0;
	gbuf_init(&buf, &fix.gm, 8 * DT_PAGE, 0, GBUF_LINEAR);
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd), 0, "ALLOC_PD");
	REQUIRE_EQ(vnic_set_mem(&v, &table, 1), 0, "SET_MEM");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR of all memory");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR of all memory again");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), HYV_S_EDQUOT,
	       "REG_MR of all memory three times");
	table.length = 12 * DT_PAGE;
	REQUIRE_EQ(vnic_set_mem(&v, &table, 1), 0, "SET_MEM");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR after the guest has got more memory");
	REQUIRE_EQ(vnic_set_limits(&v, &limits), 0, "SET_LIMITS");
	table.length = 64 * DT_PAGE;
	REQUIRE_EQ(vnic_set_mem(&v, &table, 1), 0, "SET_MEM");
	REQUIRE_EQ(cmd_destroy(&v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd), 0, "ALLOC_PD");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR up to the owner's limit");
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), HYV_S_EDQUOT,
	       "REG_MR beyond the owner's limit after SET_MEM");
	vnic_close(&v);
	gbuf_free(&buf);
}

/* An MR takes 1 KiB and a 64th of what it pins: here 4 pages. */
static void test_mr_bytes_limit(void)
{
	struct hyv_set_limits limits = {
		.max_mr_bytes = 2 * (1024 + 4 * DT_PAGE / 64),
	};
	struct hyv_chunk chunk[8];
	struct mr_info mr;
	struct rsp rsp;
	struct req r;
	uint32_t nr;
	int i, ret = 0;

	fixture_renew(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	tap_is(cmd_reg_mr(&fix.v, fix.pd, &fix.buf, ACCESS_REMOTE, &mr), 0,
	       "REG_MR below the limit of memory for MRs");
	tap_is(make_one(HYV_CMD_REG_MR), HYV_S_EDQUOT,
	       "REG_MR beyond the limit of memory for MRs");
	nr = gbuf_chunks(&fix.buf, 0, fix.buf.length, chunk);
	req_rereg_mr(&r, fix.mr.handle, HYV_REREG_TRANS, 0, 0, fix.buf.va);
	req_list(&r, 0, fix.buf.va, fix.buf.length, chunk, nr);
	if (!fixture_status(&fix, HYV_CMD_REREG_MR))
		tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EDQUOT,
		       "REREG_MR beyond it, while both exist");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_MR, mr.handle), 0, "DESTROY");
	/* rxe refuses new memory, after it was charged. */
	for (i = 0; i < 10 && ret != HYV_S_EDQUOT; i++)
		ret = vnic_exec(&fix.v, &r, &rsp);
	tap_ok(!ret || ret == HYV_S_EOPNOTSUPP,
	       "REREG_MR ten times within it: status %d", ret);
	tap_is(make_one(HYV_CMD_REG_MR), 0, "REG_MR after that");
	tap_is(make_one(HYV_CMD_REG_MR), HYV_S_EDQUOT, "REG_MR beyond again");
	fixture_renew(&fix);
	tap_is(make_one(HYV_CMD_REG_MR), 0, "REG_MR after a reset");
}

static void test_queue_limit(void)
{
	struct hyv_set_limits limits = {.max_queue_bytes = 1};
	unsigned int made = 0;
	struct cq_info cq;
	int ret, i;

	fixture_renew(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	tap_is(make_one(HYV_CMD_CREATE_CQ), HYV_S_EDQUOT,
	       "CREATE_CQ beyond the limit of queues' memory");
	tap_is(make_one(HYV_CMD_CREATE_QP), HYV_S_EDQUOT,
	       "CREATE_QP beyond the limit of queues' memory");
	tap_is(make_one(HYV_CMD_CREATE_SRQ), HYV_S_EDQUOT,
	       "CREATE_SRQ beyond the limit of queues' memory");
	tap_is(make_one(HYV_CMD_RESIZE_CQ), HYV_S_EDQUOT,
	       "RESIZE_CQ beyond the limit of queues' memory");
	tap_is(make_one(HYV_CMD_MODIFY_SRQ), HYV_S_EDQUOT,
	       "MODIFY_SRQ beyond the limit of queues' memory");

	limits.max_queue_bytes = 4 << 20;
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	while (!(ret = cmd_create_cq(&fix.v, fix.context, 1000, 0, &cq)) &&
	       made < 1000)
		made++;
	tap_is(ret, HYV_S_EDQUOT, "CREATE_CQ until the limit is reached");
	tap_is(made >= 4 && made < 100, 1, "%u large CQs fit", made);
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, cq.handle), 0, "DESTROY");
	ret = cmd_create_cq(&fix.v, fix.context, 1000, 0, &cq);
	tap_is(ret, 0, "CREATE_CQ after one was destroyed");
	tap_is(cmd_create_cq(&fix.v, fix.context, 1000, 0, &cq), HYV_S_EDQUOT,
	       "CREATE_CQ at the limit again");
	fixture_renew(&fix);
	tap_is(make_one(HYV_CMD_CREATE_QP), 0, "CREATE_QP after a reset");
	for (i = 0; i < 100 && !ret; i++)
		ret = cmd_resize_cq(&fix.v, i % 2 ? 15 : 4000, &fix.cq)
			      ?: cmd_modify_srq(&fix.v, fix.srq.handle,
						SRQ_MAX_WR, i % 2 ? 15 : 4000,
						0, &fix.mi);
	tap_is(ret, 0, "100 times: a CQ and an SRQ grow or shrink");
}

void suite_limits(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_object_limits();
	test_owner_limits();
	test_owner_doorbells();
	test_pinned_limit();
	test_mr_bytes_limit();
	test_pinned_default();
	test_queue_limit();
	fixture_free(&fix);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after all limits");
}
