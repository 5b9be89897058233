// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules that hold for every request: its header, sizes, reserved fields,
 * provider data, the room for its reply.
 */
#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "groups.h"
#include "harness.h"

static struct fixture fix;

/* Insert bytes at the end of the fixed part; @last is the last one of them. */
static void grow_fixed(struct req *r, uint16_t bytes, uint8_t last)
{
	uint16_t at = le16toh(r->hdr.fixed_len);

	memmove(r->data + at + bytes, r->data + at, r->len - at);
	memset(r->data + at, 0, bytes);
	r->data[at + bytes - 1] = last;
	r->hdr.fixed_len = htole16(at + bytes);
	r->len += bytes;
	req_seal(r);
}

static void add_bytes(struct req *r, uint32_t bytes)
{
	memset(r->data + r->len, 0, bytes);
	r->len += bytes;
	req_seal(r);
}

static void short_by_one(const struct opcode *op, struct req *r)
{
	(void)op;
	r->len--;
	req_seal(r);
}

static void cut_off(const struct opcode *op, struct req *r)
{
	(void)op;
	r->len--;
}

static void size_small(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.size = htole32(r->len - 1);
}

static void size_zero(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.size = 0;
}

static void size_big(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.size = htole32(~0U);
}

static void fixed_small(const struct opcode *op, struct req *r)
{
	r->hdr.fixed_len = htole16(op->fixed_len - 8);
}

static void fixed_zero(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.fixed_len = 0;
}

static void fixed_unaligned(const struct opcode *op, struct req *r)
{
	(void)op;
	grow_fixed(r, 4, 0);
}

static void fixed_past_end(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.fixed_len = htole16(0xfff8);
}

static void fixed_tail(const struct opcode *op, struct req *r)
{
	(void)op;
	grow_fixed(r, 8, 1);
}

static void fixed_far_tail(const struct opcode *op, struct req *r)
{
	(void)op;
	grow_fixed(r, 4096, 0x80);
}

static void header_reserved(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.reserved = htole16(1);
}

static void header_reserved2(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.reserved2 = htole32(0x80000000);
}

static void lists_one_more(const struct opcode *op, struct req *r)
{
	r->hdr.nr_lists = htole16(op->lists + 1);
}

static void lists_too_many(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.nr_lists = htole16(HYV_MAX_LISTS + 1);
}

static void lists_most(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.nr_lists = htole16(0xffff);
}

static void udata_past_end(const struct opcode *op, struct req *r)
{
	r->hdr.udata_len = htole32(r->len - op->fixed_len + 1);
}

static void udata_too_long(const struct opcode *op, struct req *r)
{
	(void)op;
	add_bytes(r, HYV_MAX_UDATA + 8);
	r->hdr.udata_len = htole32(HYV_MAX_UDATA + 1);
}

static void udata_wraps(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.udata_len = htole32(~0U);
}

static void udata_out_too_long(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.udata_out_len = htole32(HYV_MAX_UDATA + 1);
}

static void udata_out_wraps(const struct opcode *op, struct req *r)
{
	(void)op;
	r->hdr.udata_out_len = htole32(~0U);
}

static void trailing_bytes(const struct opcode *op, struct req *r)
{
	(void)op;
	add_bytes(r, 8);
}

static const struct {
	const char *what;
	void (*spoil)(const struct opcode *op, struct req *r);
	int status;
} header_rules[] = {
	{"one byte short", short_by_one, HYV_S_EMSGSIZE},
	{"shorter than it says", cut_off, HYV_S_EMSGSIZE},
	{"longer than it says", size_small, HYV_S_EINVAL},
	{"says that it has no bytes", size_zero, HYV_S_EINVAL},
	{"says that it is huge", size_big, HYV_S_EMSGSIZE},
	{"fixed part too small", fixed_small, HYV_S_EMSGSIZE},
	{"no fixed part", fixed_zero, HYV_S_EMSGSIZE},
	{"fixed part not aligned", fixed_unaligned, HYV_S_EINVAL},
	{"fixed part past the end", fixed_past_end, HYV_S_EMSGSIZE},
	{"unknown tail", fixed_tail, HYV_S_E2BIG},
	{"long unknown tail", fixed_far_tail, HYV_S_E2BIG},
	{"reserved field of the header", header_reserved, HYV_S_EINVAL},
	{"second reserved field", header_reserved2, HYV_S_EINVAL},
	{"one list too many", lists_one_more, HYV_S_EINVAL},
	{"five lists", lists_too_many, HYV_S_EINVAL},
	{"65535 lists", lists_most, HYV_S_EINVAL},
	{"provider data past the end", udata_past_end, HYV_S_EMSGSIZE},
	{"too much provider data", udata_too_long, HYV_S_EINVAL},
	{"provider data that wraps", udata_wraps, HYV_S_EINVAL},
	{"too much room for provider data", udata_out_too_long, HYV_S_EINVAL},
	{"room for provider data that wraps", udata_out_wraps, HYV_S_EINVAL},
	{"trailing bytes", trailing_bytes, HYV_S_EINVAL},
};

static void test_header(const struct opcode *op)
{
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(header_rules); i++) {
		fixture_request(&fix, op->opcode, &r);
		header_rules[i].spoil(op, &r);
		EXPECT(vnic_exec(&fix.v, &r, &rsp), header_rules[i].status,
		       "%s: %s", op->name, header_rules[i].what);
	}
}

/* A success that the fixture recovers from. */
static void test_success(const struct opcode *op, struct req *r, uint32_t room,
			 const char *what)
{
	int status = fixture_status(&fix, op->opcode);
	struct rsp rsp;

	if (EXPECT(vnic_exec_room(&fix.v, r, &rsp, room), status, "%s: %s",
		   op->name, what) &&
	    !status)
		EXPECT(le16toh(rsp.hdr.fixed_len), op->rsp_len,
		       "%s: %s: fixed part of the reply", op->name, what);
	if (op->changes)
		fixture_renew(&fix);
}

static void test_room(const struct opcode *op)
{
	uint32_t least, out;
	struct rsp rsp;
	struct req r;

	fixture_request(&fix, op->opcode, &r);
	out = le32toh(r.hdr.udata_out_len);
	least = op->first_rsp + out;
	if (least > sizeof(struct hyv_rsp)) {
		EXPECT(vnic_exec_room(&fix.v, &r, &rsp, least - 1),
		       HYV_S_EMSGSIZE, "%s: no room for the reply", op->name);
		EXPECT(vnic_exec_room(&fix.v, &r, &rsp, sizeof(struct hyv_rsp)),
		       HYV_S_EMSGSIZE, "%s: room for a status only", op->name);
	}
	if (op->first_rsp < op->rsp_len) {
		EXPECT(vnic_exec_room(&fix.v, &r, &rsp, least), 0,
		       "%s: room for the first version", op->name);
		EXPECT(le16toh(rsp.hdr.fixed_len), op->first_rsp,
		       "%s: reply of the first version", op->name);
	}
	test_success(op, &r, op->rsp_len + out, "just room for the reply");

	fixture_request(&fix, op->opcode, &r);
	grow_fixed(&r, 8, 0);
	test_success(op, &r, HYV_MAX_RSP_SIZE, "zero tail");
	fixture_request(&fix, op->opcode, &r);
	grow_fixed(&r, 4096, 0);
	test_success(op, &r, HYV_MAX_RSP_SIZE, "long zero tail");
}

#define FIELD(op, type, member)                                               \
	{                                                                     \
		HYV_CMD_##op, #op "." #member, offsetof(struct type, member), \
			sizeof(((struct type *)0)->member)                    \
	}

static const struct {
	uint16_t opcode;
	const char *name;
	uint16_t offset;
	uint16_t len;
} reserved_fields[] = {
	FIELD(QUERY_PORT, hyv_query_port_req, reserved),
	FIELD(MUNMAP, hyv_munmap_req, reserved),
	FIELD(ALLOC_PD, hyv_alloc_pd_req, reserved),
	FIELD(CREATE_QP, hyv_create_qp_req, reserved),
	FIELD(CREATE_QP, hyv_create_qp_req, reserved2),
	FIELD(MODIFY_QP, hyv_modify_qp_req, attr.reserved),
	FIELD(MODIFY_QP, hyv_modify_qp_req, attr.ah.reserved),
	FIELD(MODIFY_QP, hyv_modify_qp_req, attr.alt_ah.reserved),
	FIELD(CREATE_AH, hyv_create_ah_req, reserved),
	FIELD(CREATE_AH, hyv_create_ah_req, attr.reserved),
	FIELD(CREATE_SRQ, hyv_create_srq_req, reserved),
	FIELD(QUERY_SRQ, hyv_query_srq_req, reserved),
	FIELD(ALLOC_MW, hyv_alloc_mw_req, reserved),
	FIELD(ATTACH_MCAST, hyv_mcast_req, reserved),
	FIELD(DETACH_MCAST, hyv_mcast_req, reserved),
};

static void test_reserved(void)
{
	struct rsp rsp;
	struct req r;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(reserved_fields); i++) {
		for (j = 0; j < reserved_fields[i].len; j++) {
			fixture_request(&fix, reserved_fields[i].opcode, &r);
			r.data[reserved_fields[i].offset + j] = 0x40;
			EXPECT(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
			       "%s, byte %zu", reserved_fields[i].name, j);
		}
	}
}

static void test_unknown(void)
{
	static const uint16_t unknown[] = {0,	   0x0100, 0x0108,
					   0x0200, 0x0204, 0x0300,
					   0x0312, 0x0401, 0xffff};
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		fixture_request(&fix, HYV_CMD_QUERY_DEVICE, &r);
		r.hdr.opcode = htole16(unknown[i]);
		EXPECT(vnic_exec(&fix.v, &r, &rsp), HYV_S_ENOSYS,
		       "opcode %#x is unknown", unknown[i]);
	}
	for (i = 0; i < sizeof(struct hyv_req); i++) {
		r.len = i;
		REQUIRE_EQ(vnic_exec(&fix.v, &r, &rsp), HYV_S_EMSGSIZE,
			   "a request of %zu bytes", i);
	}
	CHECK(true, "requests shorter than a header");
}

static void test_udata(void)
{
	static const struct {
		uint16_t opcode;
		const char *what;
		uint32_t in;
		uint32_t out;
		int status;
	} cases[] = {
		{HYV_CMD_QUERY_DEVICE, "QUERY_DEVICE with some", 8, 0,
		 HYV_S_EINVAL},
		{HYV_CMD_QUERY_DEVICE, "QUERY_DEVICE that wants some", 0, 8,
		 HYV_S_EINVAL},
		{HYV_CMD_CREATE_CQ, "CREATE_CQ with too little room", 0, 8,
		 HYV_S_EINVAL},
		{HYV_CMD_CREATE_CQ, "CREATE_CQ with no room", 0, 0,
		 HYV_S_EINVAL},
		{HYV_CMD_CREATE_CQ, "CREATE_CQ with much room", 0, 2048, 0},
		{HYV_CMD_CREATE_CQ, "CREATE_CQ with unaligned room", 0, 17, 0},
		{HYV_CMD_CREATE_QP, "CREATE_QP with too little room", 0, 31,
		 HYV_S_EINVAL},
		{HYV_CMD_CREATE_QP, "CREATE_QP with some", 3, 32, HYV_S_EINVAL},
		{HYV_CMD_RESIZE_CQ, "RESIZE_CQ with too little room", 0, 15,
		 HYV_S_EINVAL},
		{HYV_CMD_RESIZE_CQ, "RESIZE_CQ with no room", 0, 0,
		 HYV_S_EINVAL},
		{HYV_CMD_RESIZE_CQ, "RESIZE_CQ with much room", 0, 2048, 0},
		{HYV_CMD_CREATE_SRQ, "CREATE_SRQ with too little room", 0, 23,
		 HYV_S_EINVAL},
		{HYV_CMD_CREATE_SRQ, "CREATE_SRQ with much room", 0, 2048, 0},
		{HYV_CMD_CREATE_AH, "CREATE_AH with no room", 0, 0, 0},
		{HYV_CMD_CREATE_AH, "CREATE_AH with little room", 0, 7, 0},
		{HYV_CMD_ALLOC_MW, "ALLOC_MW that wants some", 0, 100, 0},
		{HYV_CMD_ALLOC_PD, "ALLOC_PD with some", 5, 0, 0},
		{HYV_CMD_ALLOC_PD, "ALLOC_PD that wants some", 0, 100, 0},
		{HYV_CMD_ALLOC_PD, "ALLOC_PD with much", 2048, 2048, 0},
		{HYV_CMD_ALLOC_CONTEXT, "ALLOC_CONTEXT with 4 bytes", 4, 0, 0},
		{HYV_CMD_ALLOC_CONTEXT, "ALLOC_CONTEXT with 12 bytes", 12, 4,
		 0},
	};
	uint8_t in[HYV_MAX_UDATA] = {};
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_request(&fix, cases[i].opcode, &r);
		req_udata(&r, in, cases[i].in, cases[i].out);
		EXPECT(vnic_exec(&fix.v, &r, &rsp), cases[i].status,
		       "provider data: %s", cases[i].what);
	}
	/* What is between provider data and lists must be zero. */
	fixture_request(&fix, HYV_CMD_ALLOC_PD, &r);
	req_udata(&r, in, 3, 0);
	add_bytes(&r, 5);
	EXPECT(vnic_exec(&fix.v, &r, &rsp), 0, "provider data: padded");
	r.data[r.len - 1] = 1;
	EXPECT(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
	       "provider data: padding is not zero");
	fixture_renew(&fix);
}

static void test_features(void)
{
	static const uint64_t v1 = 1ULL << 32;
	struct hyv_chunk chunk = {.len = htole64(16)};
	struct hyv_chunk_list *list;
	struct rsp rsp;
	struct req r;

	REQUIRE_EQ(vnic_set_features(&fix.v, v1), 0, "SET_FEATURES");
	fixture_request(&fix, HYV_CMD_SETUP_DOORBELLS, &r);
	EXPECT(vnic_exec(&fix.v, &r, &rsp), HYV_S_EOPNOTSUPP,
	       "SETUP_DOORBELLS without the feature");
	req_reg_mr_head(&r, fix.pd, ACCESS_REMOTE, fix.buf.va);
	chunk.addr = fix.buf.gpa[0];
	list = req_list(&r, 0, fix.buf.va, 16, &chunk, 1);
	list->flags = htole16(HYV_CHUNKS_INDIRECT);
	EXPECT(vnic_exec(&fix.v, &r, &rsp), HYV_S_EOPNOTSUPP,
	       "indirect chunk list without the feature");
	fixture_renew(&fix);
}

void group_wire(void)
{
	struct dt_counts before = dt_counts();
	size_t i;

	fixture_init(&fix);
	for (i = 0; i < NR_OPCODES; i++) {
		test_header(&opcodes[i]);
		test_room(&opcodes[i]);
	}
	test_reserved();
	test_unknown();
	test_udata();
	test_features();
	fixture_free(&fix);
	dt_expect_counts(&before, "after all requests");
}
