// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of every request: header, sizes, reserved fields, provider data, room
 * for the reply.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"

#define GUEST_GIDS (1ULL << HYV_F_GUEST_GIDS)

/* Opcodes below this one that no command has are tried, too. */
#define MAX_OPCODE 0x500

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

static void short_by_one(struct req *r)
{
	r->len--;
	req_seal(r);
}

static void cut_off(struct req *r)
{
	r->len--;
}

static void size_small(struct req *r)
{
	r->hdr.size = htole32(r->len - 1);
}

static void fixed_small(struct req *r)
{
	const struct opcode *op = opcode_find(le16toh(r->hdr.opcode));

	r->hdr.fixed_len = htole16(op->min_request - 8);
}

static void fixed_unaligned(struct req *r)
{
	grow_fixed(r, 4, 0);
}

static void fixed_tail(struct req *r)
{
	grow_fixed(r, 8, 1);
}

static void fixed_far_tail(struct req *r)
{
	grow_fixed(r, 4096, 0x80);
}

static void lists_one_more(struct req *r)
{
	const struct opcode *op = opcode_find(le16toh(r->hdr.opcode));

	r->hdr.nr_lists = htole16(op->lists + 1);
}

static void udata_past_end(struct req *r)
{
	uint16_t fixed_len = le16toh(r->hdr.fixed_len);

	r->hdr.udata_len = htole32(r->len - fixed_len + 1);
}

static void udata_too_long(struct req *r)
{
	add_bytes(r, HYV_MAX_UDATA + 8);
	r->hdr.udata_len = htole32(HYV_MAX_UDATA + 1);
}

static void trailing_bytes(struct req *r)
{
	add_bytes(r, 8);
}

/* How a request is malformed, and its status. */
static const struct {
	const char *what;
	void (*spoil)(struct req *r);
	int status;
} layout_rules[] = {
	{"one byte short", short_by_one, HYV_S_EMSGSIZE},
	{"shorter than its size field", cut_off, HYV_S_EMSGSIZE},
	{"longer than its size field", size_small, HYV_S_EINVAL},
	{"fixed part too small", fixed_small, HYV_S_EMSGSIZE},
	{"fixed part not aligned", fixed_unaligned, HYV_S_EINVAL},
	{"unknown tail", fixed_tail, HYV_S_E2BIG},
	{"long unknown tail", fixed_far_tail, HYV_S_E2BIG},
	{"one list too many", lists_one_more, HYV_S_EINVAL},
	{"provider data past the end", udata_past_end, HYV_S_EMSGSIZE},
	{"too much provider data", udata_too_long, HYV_S_EINVAL},
	{"trailing bytes", trailing_bytes, HYV_S_EINVAL},
};

/* The same for a field of the header. */
#define HEADER(member, value, status)                          \
	{#member " " #value, offsetof(struct hyv_req, member), \
	 sizeof(((struct hyv_req *)0)->member), value, status}

static const struct {
	const char *what;
	size_t offset;
	size_t size;
	uint32_t value;
	int status;
} header_rules[] = {
	HEADER(size, 0, HYV_S_EINVAL),
	HEADER(size, 0xffffffff, HYV_S_EMSGSIZE),
	HEADER(fixed_len, 0, HYV_S_EMSGSIZE),
	HEADER(fixed_len, 0xfff8, HYV_S_EMSGSIZE),
	HEADER(reserved, 1, HYV_S_EINVAL),
	HEADER(reserved2, 0x80000000, HYV_S_EINVAL),
	HEADER(nr_lists, HYV_MAX_LISTS + 1, HYV_S_EINVAL),
	HEADER(nr_lists, 0xffff, HYV_S_EINVAL),
	HEADER(udata_len, 0xffffffff, HYV_S_EINVAL),
	HEADER(udata_out_len, HYV_MAX_UDATA + 1, HYV_S_EINVAL),
	HEADER(udata_out_len, 0xffffffff, HYV_S_EINVAL),
};

static void test_header(const struct opcode *op)
{
	struct rsp rsp;
	struct req r;
	uint32_t value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layout_rules); i++) {
		fixture_request(&fix, op->opcode, &r);
		layout_rules[i].spoil(&r);
		tap_is(vnic_exec(&fix.v, &r, &rsp), layout_rules[i].status,
		       "%s: %s", op->name, layout_rules[i].what);
	}
	for (i = 0; i < ARRAY_SIZE(header_rules); i++) {
		fixture_request(&fix, op->opcode, &r);
		value = htole32(header_rules[i].value);
		memcpy(r.data + header_rules[i].offset, &value,
		       header_rules[i].size);
		tap_is(vnic_exec(&fix.v, &r, &rsp), header_rules[i].status,
		       "%s: %s", op->name, header_rules[i].what);
	}
}

/* A success that the fixture recovers from. */
static void test_success(const struct opcode *op, struct req *r, uint32_t room,
			 const char *what)
{
	int status = fixture_status(&fix, op->opcode);
	struct rsp rsp;

	if (tap_is(vnic_exec_room(&fix.v, r, &rsp, room), status, "%s: %s",
		   op->name, what) &&
	    !status)
		tap_is(le16toh(rsp.hdr.fixed_len), op->rsp_len,
		       "%s: %s: fixed part of the reply", op->name, what);
	if (opcode_changes(op))
		fixture_renew(&fix);
}

static void test_room(const struct opcode *op)
{
	uint32_t least, out;
	struct rsp rsp;
	struct req r;

	fixture_request(&fix, op->opcode, &r);
	out = le32toh(r.hdr.udata_out_len);
	least = op->min_reply + out;
	if (least > sizeof(struct hyv_rsp)) {
		tap_is(vnic_exec_room(&fix.v, &r, &rsp, least - 1),
		       HYV_S_EMSGSIZE, "%s: no room for the reply", op->name);
		tap_is(vnic_exec_room(&fix.v, &r, &rsp, sizeof(struct hyv_rsp)),
		       HYV_S_EMSGSIZE, "%s: room for a status only", op->name);
	}
	if (op->min_reply < op->rsp_len) {
		tap_is(vnic_exec_room(&fix.v, &r, &rsp, least), 0,
		       "%s: room for the first version", op->name);
		tap_is(le16toh(rsp.hdr.fixed_len), op->min_reply,
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

static const struct reserved {
	uint16_t opcode;
	const char *name;
	uint16_t offset;
	uint16_t len;
} reserved_fields[] = {
#define RESERVED(NAME, type, member)                                       \
	{HYV_CMD_##NAME, #NAME "." #member, offsetof(struct type, member), \
	 sizeof(((struct type *)0)->member)},
	HYV_FOR_EACH_RESERVED(RESERVED)};

static void test_reserved(const struct opcode *op)
{
	const struct reserved *field;
	struct rsp rsp;
	struct req r;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(reserved_fields); i++) {
		field = &reserved_fields[i];
		for (j = 0; field->opcode == op->opcode && j < field->len;
		     j++) {
			fixture_request(&fix, op->opcode, &r);
			r.data[field->offset + j] = 0x40;
			tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
			       "%s, byte %zu", field->name, j);
		}
	}
}

/* The rules of all commands for those with certain features, in a mode. */
static void test_mode(uint32_t addressing, uint64_t features)
{
	size_t i;

	fixture_readdress(&fix, addressing);
	for (i = 0; i < NR_OPCODES; i++) {
		if ((opcodes[i].features & GUEST_GIDS) != features)
			continue;
		test_header(&opcodes[i]);
		test_room(&opcodes[i]);
		test_reserved(&opcodes[i]);
	}
}

static void test_unknown(void)
{
	struct rsp rsp;
	struct req r;
	uint32_t i;

	fixture_request(&fix, HYV_CMD_QUERY_DEVICE, &r);
	for (i = 0; i <= MAX_OPCODE; i++) {
		r.hdr.opcode = htole16(i);
		if (!opcode_find(i))
			REQUIRE_EQ(vnic_exec(&fix.v, &r, &rsp), HYV_S_ENOSYS,
				   "opcode %#x is unknown", i);
	}
	tap_ok(i > opcodes[NR_OPCODES - 1].opcode, "unknown opcodes");
	r.hdr.opcode = htole16(0xffff);
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_ENOSYS,
	       "opcode 0xffff is unknown");
	for (i = 0; i < sizeof(struct hyv_req); i++) {
		r.len = i;
		REQUIRE_EQ(vnic_exec(&fix.v, &r, &rsp), HYV_S_EMSGSIZE,
			   "a request of %u bytes", i);
	}
	tap_ok(true, "requests shorter than a header");
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
	int status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_request(&fix, cases[i].opcode, &r);
		req_udata(&r, in, cases[i].in, cases[i].out);
		status = vnic_exec(&fix.v, &r, &rsp);
		tap_is(status, cases[i].status, "provider data: %s",
		       cases[i].what);
	}
	/* Padding between provider data and lists must be zero. */
	fixture_request(&fix, HYV_CMD_ALLOC_PD, &r);
	req_udata(&r, in, 3, 0);
	add_bytes(&r, 5);
	tap_is(vnic_exec(&fix.v, &r, &rsp), 0, "provider data: padded");
	r.data[r.len - 1] = 1;
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
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
	size_t i;

	REQUIRE_EQ(vnic_reset(&fix.v), 0, "RESET");
	REQUIRE_EQ(vnic_set_features(&fix.v, v1), 0, "SET_FEATURES");
	for (i = 0; i < NR_OPCODES; i++) {
		if (!opcodes[i].features)
			continue;
		fixture_request(&fix, opcodes[i].opcode, &r);
		tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EOPNOTSUPP,
		       "%s without the feature", opcodes[i].name);
	}
	req_reg_mr_head(&r, fix.pd, ACCESS_REMOTE, fix.buf.va);
	chunk.addr = fix.buf.gpa[0];
	list = req_list(&r, 0, fix.buf.va, 16, &chunk, 1);
	list->flags = htole16(HYV_CHUNKS_INDIRECT);
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EOPNOTSUPP,
	       "indirect chunk list without the feature");
	fixture_renew(&fix);
}

void suite_wire(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_unknown();
	test_udata();
	test_features();
	test_mode(HYV_ADDRESSING_HOST, 0);
	test_mode(HYV_ADDRESSING_GUEST, GUEST_GIDS);
	fixture_free(&fix);
	dt_expect_counts(&before, "after all requests");
}
