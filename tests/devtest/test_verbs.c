// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs that few guests use: SRQs, address handles, memory windows, multicast,
 * other types of QPs, and changes of what exists.
 */
#include <endian.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"
#include "rxe.h"

#define ACCESS_ON_DEMAND (1 << 6)

static struct fixture fix;

/* All children of a PD and of an SRQ, each alone. */
static void test_parents(void)
{
	static const struct {
		uint32_t type;
		const char *name;
	} children[] = {
		{HYV_OBJ_AH, "an AH"},
		{HYV_OBJ_SRQ, "an SRQ"},
		{HYV_OBJ_MW, "an MW"},
	};
	struct vnic *v = &fix.v;
	uint32_t context, pd, handle;
	struct srq_info srq;
	struct cq_info cq;
	struct qp_info qp;
	struct ah_info ah;
	struct mw_info mw;
	size_t i;

	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_create_cq(v, context, 15, 0, &cq), 0, "CREATE_CQ");
	for (i = 0; i < ARRAY_SIZE(children); i++) {
		switch (children[i].type) {
		case HYV_OBJ_AH:
			REQUIRE_EQ(cmd_create_ah(v, pd, &fix.gid, &ah), 0,
				   "CREATE_AH");
			handle = ah.handle;
			break;
		case HYV_OBJ_SRQ:
			REQUIRE_EQ(cmd_create_srq(v, pd, 7, &srq), 0,
				   "CREATE_SRQ");
			handle = srq.handle;
			break;
		default:
			REQUIRE_EQ(cmd_alloc_mw(v, pd, 2, &mw), 0, "ALLOC_MW");
			handle = mw.handle;
		}
		tap_is(cmd_destroy(v, HYV_OBJ_PD, pd), HYV_S_EBUSY,
		       "DESTROY of a PD that %s uses", children[i].name);
		tap_is(cmd_destroy(v, children[i].type, handle), 0,
		       "DESTROY of %s", children[i].name);
		tap_is(cmd_destroy(v, HYV_OBJ_PD, pd), 0,
		       "DESTROY of a PD that %s used", children[i].name);
		REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	}

	REQUIRE_EQ(cmd_create_srq(v, pd, 7, &srq), 0, "CREATE_SRQ");
	tap_is(cmd_create_qp_type(v, QPT_RC, fix.pd, fix.cq.handle, srq.handle,
				  7, &qp),
	       HYV_S_EINVAL, "CREATE_QP with another context's SRQ");
	tap_is(cmd_create_qp_type(v, QPT_RC, pd, cq.handle, fix.srq.handle, 7,
				  &qp),
	       HYV_S_EINVAL, "CREATE_QP with an SRQ, in another context");
	REQUIRE_EQ(cmd_create_qp_type(v, QPT_RC, pd, cq.handle, srq.handle, 7,
				      &qp),
		   0, "CREATE_QP");
	tap_is(cmd_destroy(v, HYV_OBJ_SRQ, srq.handle), HYV_S_EBUSY,
	       "DESTROY of an SRQ that a QP uses");
	tap_is(cmd_destroy(v, HYV_OBJ_QP, qp.handle), 0, "DESTROY of the QP");
	tap_is(cmd_destroy(v, HYV_OBJ_SRQ, srq.handle), 0,
	       "DESTROY of an SRQ that was in use");
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0,
	       "DESTROY of a context");
}

static void test_qp_types(void)
{
	static const uint8_t types[] = {QPT_RC, QPT_UC, QPT_UD};
	struct qp_info qp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		tap_is(cmd_create_qp_type(&fix.v, types[i], fix.pd,
					  fix.cq.handle, fix.srq.handle, 7,
					  &qp),
		       0, "CREATE_QP of type %u with an SRQ", types[i]);
		tap_is(cmd_destroy(&fix.v, HYV_OBJ_QP, qp.handle), 0,
		       "DESTROY of a QP of type %u", types[i]);
	}
}

static void test_srq_create(uint32_t max_wr, uint32_t max_sge)
{
	const struct {
		const char *what;
		uint32_t wr, sge;
		uint8_t type;
		int status;
	} cases[] = {
		{"one element", 1, 1, 0, 0},
		{"the most entries", 7, max_sge, 0, 0},
		{"no element", 0, 1, 0, HYV_S_EINVAL},
		{"too many elements", max_wr + 1, 1, 0, HYV_S_EINVAL},
		{"a huge number of elements", ~0U, 1, 0, HYV_S_EINVAL},
		{"a negative number of elements", 1U << 31, 1, 0, HYV_S_EINVAL},
		{"too many entries", 7, max_sge + 1, 0, HYV_S_EINVAL},
		{"a huge number of entries", 7, ~0U, 0, HYV_S_EINVAL},
		{"type XRC", 7, 1, 1, HYV_S_EOPNOTSUPP},
		{"type TM", 7, 1, 2, HYV_S_EOPNOTSUPP},
		{"type 255", 7, 1, 255, HYV_S_EOPNOTSUPP},
	};
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		req_create_srq(&r, fix.pd, cases[i].wr, cases[i].sge);
		((struct hyv_create_srq_req *)r.data)->srq_type = cases[i].type;
		tap_is(vnic_exec(&fix.v, &r, &rsp), cases[i].status,
		       "CREATE_SRQ with %s", cases[i].what);
	}
	fixture_renew(&fix);
}

static void expect_srq(uint32_t wr, uint32_t limit, const char *when)
{
	struct hyv_query_srq_rsp out;

	tap_is(cmd_query_srq(&fix.v, fix.srq.handle, &out), 0, "QUERY_SRQ %s",
	       when);
	tap_ok(le32toh(out.max_wr) == wr && le32toh(out.max_sge) >= 2 &&
		       le32toh(out.srq_limit) == limit,
	       "QUERY_SRQ shows %u elements of %u entries, limit %u",
	       le32toh(out.max_wr), le32toh(out.max_sge),
	       le32toh(out.srq_limit));
}

static void test_srq_attrs(void)
{
	static const struct {
		const char *what;
		uint32_t mask, wr, limit;
		int status;
	} cases[] = {
		{"an unknown attribute", 4, 31, 0, HYV_S_EINVAL},
		{"all attributes there may be", ~0U, 31, 0, HYV_S_EINVAL},
		{"no element", SRQ_MAX_WR, 0, 0, HYV_S_EINVAL},
		{"a huge number of elements", SRQ_MAX_WR, ~0U, 0, HYV_S_EINVAL},
		{"a limit above the size", SRQ_LIMIT, 0, 1000, HYV_S_EINVAL},
		{"a huge limit", SRQ_LIMIT, 0, ~0U, HYV_S_EINVAL},
		{"a limit", SRQ_LIMIT, 0, 9, 0},
		{"fewer elements than the limit", SRQ_MAX_WR, 8, 0,
		 HYV_S_EINVAL},
		{"nothing", 0, 0, 0, 0},
	};
	size_t i;

	expect_srq(15, 0, "of a new one");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(cmd_modify_srq(&fix.v, fix.srq.handle, cases[i].mask,
				      cases[i].wr, cases[i].limit, &fix.mi),
		       cases[i].status, "MODIFY_SRQ: %s", cases[i].what);
	expect_srq(15, 9, "after a limit was set");
	tap_is(cmd_modify_srq(&fix.v, fix.srq.handle, SRQ_MAX_WR, 31, 0,
			      &fix.mi),
	       0, "MODIFY_SRQ: more elements");
	expect_srq(31, 9, "after it has grown");
	fixture_renew(&fix);
}

/* Lines of /proc/self/maps: what is put in place for a call has to go. */
static int nr_mappings(void)
{
	char line[512];
	int n = 0;
	FILE *f;

	f = fopen("/proc/self/maps", "r");
	REQUIRE(f, "/proc/self/maps");
	while (fgets(line, sizeof(line), f))
		n++;
	fclose(f);
	return n;
}

/* Where in a page of guest memory rxe is to write to. */
#define PLACE_AT 0x240

/*
 * MODIFY_SRQ with an address in its provider data and a chunk list for it, one
 * of which is wrong.
 */
struct place_case {
	const char *what;
	uint32_t udata_len;
	uint64_t addr_add; /* to the address in the provider data */
	uint64_t list_add; /* to the one of the list */
	uint64_t length;   /* of the list */
	uint64_t gpa;	   /* instead of the page's */
	unsigned int nr_lists;
	uint16_t slot;
	bool no_addr;
	int status;
};

static int modify_in_place(const struct place_case *c, struct gbuf *page)
{
	uint64_t addr = c->no_addr ? 0 : page->va + PLACE_AT + c->addr_add;
	uint8_t udata[16] = {};
	struct hyv_chunk chunk = {
		.addr = (c->gpa ? c->gpa : page->gpa[0]) + PLACE_AT,
		.len = c->length,
	};
	struct rsp rsp;
	unsigned int i;
	struct req r;

	memcpy(udata, &addr, sizeof(addr));
	req_modify_srq_head(&r, fix.srq.handle, SRQ_MAX_WR, 31, 0);
	req_udata(&r, udata, c->udata_len, 0);
	for (i = 0; i < c->nr_lists; i++)
		req_list(&r, c->slot + i, page->va + PLACE_AT + c->list_add,
			 c->length, &chunk, 1);
	return vnic_exec(&fix.v, &r, &rsp);
}

static void test_srq_place(void)
{
	static const struct place_case cases[] = {
		{"address and memory", 8, .length = 16, .nr_lists = 1},
		{"more data behind the address", 16, .length = 16,
		 .nr_lists = 1},
		{"no address and no memory", 8, .no_addr = true},
		{"no data and no memory", 0, .status = HYV_S_EINVAL},
		{"half an address", 4, .length = 16, .nr_lists = 1,
		 .status = HYV_S_EINVAL},
		{"half an address without memory", 4, .status = HYV_S_EINVAL},
		{"memory without an address", 8, .no_addr = true, .length = 16,
		 .nr_lists = 1, .status = HYV_S_EINVAL},
		{"memory without data", 0, .length = 16, .nr_lists = 1,
		 .status = HYV_S_EINVAL},
		{"an address without memory", 8, .status = HYV_S_EINVAL},
		{"an address past the memory's", 8, .addr_add = 8, .length = 16,
		 .nr_lists = 1, .status = HYV_S_EINVAL},
		{"an address in another page", 8, .addr_add = DT_PAGE,
		 .length = 16, .nr_lists = 1, .status = HYV_S_EINVAL},
		{"memory in another page", 8, .list_add = -DT_PAGE,
		 .length = 16, .nr_lists = 1, .status = HYV_S_EINVAL},
		{"too little memory", 8, .length = 8, .nr_lists = 1,
		 .status = HYV_S_EINVAL},
		{"too much memory", 8, .length = 24, .nr_lists = 1,
		 .status = HYV_S_EINVAL},
		{"memory of another slot", 8, .length = 16, .nr_lists = 1,
		 .slot = 1, .status = HYV_S_EINVAL},
		{"memory of one more slot", 8, .length = 16, .nr_lists = 2,
		 .status = HYV_S_EINVAL},
		{"memory of four slots", 8, .length = 16, .nr_lists = 4,
		 .status = HYV_S_EINVAL},
		{"memory that the guest has not", 8, .length = 16,
		 .gpa = GMEM_GPA_HOLE, .nr_lists = 1, .status = HYV_S_EFAULT},
		{"memory at the end of the world", 8, .length = 16,
		 .gpa = 0x7ffffffffffff000ULL, .nr_lists = 1,
		 .status = HYV_S_EFAULT},
	};
	long pinned = dt_pinned_kib();
	uint8_t *at, want[DT_PAGE];
	struct mminfo mi;
	struct gbuf page;
	uint64_t where;
	int before;
	size_t i;

	gbuf_init(&page, &fix.gm, DT_PAGE, 0, GBUF_SCATTERED);
	at = gmem_at(&fix.gm, page.gpa[0]);
	memset(want, 0x5a, sizeof(want));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool written = !cases[i].status && cases[i].nr_lists;

		memset(at, 0x5a, DT_PAGE);
		before = nr_mappings();
		tap_is(modify_in_place(&cases[i], &page), cases[i].status,
		       "MODIFY_SRQ with %s", cases[i].what);
		tap_is(nr_mappings(), before, "MODIFY_SRQ leaves no mapping");
		memcpy(&mi, at + PLACE_AT, sizeof(mi));
		if (written)
			memset(at + PLACE_AT, 0x5a, sizeof(mi));
		tap_ok(!memcmp(at, want, DT_PAGE), "rxe writes nowhere else");
		if (!written)
			continue;
		tap_ok(mi.size >= 32 * 64 && !(mi.offset % DT_PAGE),
		       "rxe writes the queue's place: %u bytes", mi.size);
		tap_is(cmd_mmap(&fix.v, fix.context, &mi, &where), 0,
		       "MMAP of the new queue");
		tap_is(cmd_munmap(&fix.v, fix.context, where), 0, "MUNMAP");
	}
	tap_is(cmd_modify_srq(&fix.v, fix.srq.handle, SRQ_LIMIT, 0, 3, &fix.mi),
	       0, "MODIFY_SRQ that needs no memory, with memory");
	tap_is(dt_pinned_kib(), pinned, "as much is pinned as before");
	gbuf_free(&page);
	fixture_renew(&fix);
}

static void test_resize_fields(void)
{
	static const struct {
		const char *what;
		uint32_t cqe;
		int status;
	} cases[] = {
		{"no entry", 0, HYV_S_EINVAL},
		{"too many entries", 1 << 24, HYV_S_EINVAL},
		{"a negative number of entries", 1U << 31, HYV_S_EINVAL},
		{"a huge number of entries", ~0U, HYV_S_EINVAL},
		{"one entry", 1, 0},
		{"many entries", 2000, 0},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (tap_is(cmd_resize_cq(&fix.v, cases[i].cqe, &fix.cq2),
			   cases[i].status, "RESIZE_CQ to %s", cases[i].what) &&
		    !cases[i].status)
			tap_ok(fix.cq2.cqe >= cases[i].cqe,
			       "the CQ has %u entries", fix.cq2.cqe);
	fixture_renew(&fix);
}

static void test_ah_fields(void)
{
	static const struct {
		const char *what;
		uint16_t offset;
		uint8_t value;
		int status; /* -1 = any but success */
	} cases[] = {
		{"port 0", offsetof(struct hyv_ah_attr, port_num), 0,
		 HYV_S_EINVAL},
		{"port 2", offsetof(struct hyv_ah_attr, port_num), 2,
		 HYV_S_EINVAL},
		{"no GRH", offsetof(struct hyv_ah_attr, is_global), 0,
		 HYV_S_EINVAL},
		{"is_global 2", offsetof(struct hyv_ah_attr, is_global), 2,
		 HYV_S_EINVAL},
		{"SL 16", offsetof(struct hyv_ah_attr, sl), 16, HYV_S_EINVAL},
		{"SL 15", offsetof(struct hyv_ah_attr, sl), 15, 0},
		{"a GID index that is not in use",
		 offsetof(struct hyv_ah_attr, sgid_index), 200, -1},
	};
	struct ah_info ah[2];
	struct rsp rsp;
	struct req r;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_request(&fix, HYV_CMD_CREATE_AH, &r);
		r.data[offsetof(struct hyv_create_ah_req, attr) +
		       cases[i].offset] = cases[i].value;
		ret = vnic_exec(&fix.v, &r, &rsp);
		if (cases[i].status < 0)
			tap_ok(ret > 0, "CREATE_AH with %s: %d", cases[i].what,
			       ret);
		else
			tap_is(ret, cases[i].status, "CREATE_AH with %s",
			       cases[i].what);
	}
	for (i = 0; i < ARRAY_SIZE(ah); i++)
		REQUIRE_EQ(cmd_create_ah(&fix.v, fix.pd, &fix.gid, &ah[i]), 0,
			   "CREATE_AH");
	tap_ok(ah[0].number && ah[1].number && ah[0].number != ah[1].number,
	       "AHs have numbers: %u, %u", ah[0].number, ah[1].number);
}

static void test_mw_fields(void)
{
	static const struct {
		uint8_t type;
		int status;
	} cases[] = {
		{0, HYV_S_EINVAL},   {1, 0}, {2, 0}, {3, HYV_S_EINVAL},
		{255, HYV_S_EINVAL},
	};
	struct mw_info mw;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		mw.rkey = 0;
		tap_is(cmd_alloc_mw(&fix.v, fix.pd, cases[i].type, &mw),
		       cases[i].status, "ALLOC_MW of type %u", cases[i].type);
		if (!cases[i].status)
			tap_ok(mw.rkey && mw.rkey != fix.mw.rkey,
			       "the MW has a new key: %#x", mw.rkey);
	}
}

static int group(bool join, uint32_t qp, uint16_t mlid, const uint8_t *gid)
{
	return cmd_mcast(&fix.v,
			 join ? HYV_CMD_ATTACH_MCAST : HYV_CMD_DETACH_MCAST, qp,
			 mlid, gid);
}

static void test_mcast(void)
{
	const uint8_t *other = fixture_other_group;
	uint32_t ud = fix.ud.handle, rc = fix.qp.handle;

	tap_is(group(true, ud, 0, fix.gid.raw), HYV_S_EINVAL,
	       "ATTACH_MCAST rejects a GID that is not a multicast group");
	tap_is(group(true, rc, 0, other), HYV_S_EINVAL,
	       "ATTACH_MCAST of an RC QP");
	tap_is(group(false, rc, 0, fixture_group), HYV_S_EINVAL,
	       "DETACH_MCAST of an RC QP");
	tap_is(group(false, ud, 0, other), HYV_S_EINVAL,
	       "DETACH_MCAST from a group that the QP is not in");
	tap_is(group(true, ud, 0, other), 0, "ATTACH_MCAST");
	tap_is(group(true, ud, 0, other), 0, "ATTACH_MCAST to the same group");
	tap_is(group(true, ud, 0xc001, other), 0,
	       "ATTACH_MCAST to the same group with another LID");
	tap_is(group(false, ud, 0, other), 0, "DETACH_MCAST");
	tap_is(group(false, ud, 0, other), HYV_S_EINVAL, "DETACH_MCAST twice");
	tap_is(group(false, ud, 0xc001, other), HYV_S_EINVAL,
	       "DETACH_MCAST with another LID fails after the QP has left");
	tap_is(group(true, ud, 0, other), 0, "ATTACH_MCAST once more");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_QP, ud), 0,
	       "DESTROY of a QP in two groups");
	fixture_renew(&fix);
}

/* A request to re-register the fixture's MR, with its memory or without. */
static int rereg(uint32_t flags, uint32_t pd, uint32_t access, uint64_t iova,
		 int slot)
{
	struct hyv_chunk chunk[4];
	struct rsp rsp;
	struct req r;
	uint32_t nr;

	req_rereg_mr(&r, fix.mr.handle, flags, pd, access, iova);
	if (slot >= 0) {
		nr = gbuf_chunks(&fix.buf, 0, fix.buf.length, chunk);
		req_list(&r, slot, fix.buf.va, fix.buf.length, chunk, nr);
	}
	return vnic_exec(&fix.v, &r, &rsp);
}

static void test_rereg_fields(void)
{
	const uint64_t va = fix.buf.va;
	const uint32_t pd = fix.pd;
	const struct {
		const char *what;
		uint32_t flags, pd, access;
		uint64_t iova;
		int slot;
		int status;
	} cases[] = {
		{"nothing to change", 0, 0, 0, 0, -1, HYV_S_EINVAL},
		{"an unknown flag", 8, 0, 0, 0, -1, HYV_S_EINVAL},
		{"a high flag", 1U << 31 | HYV_REREG_PD, pd, 0, 0, -1,
		 HYV_S_EINVAL},
		{"a PD without its flag", HYV_REREG_ACCESS, pd, 1, 0, -1,
		 HYV_S_EINVAL},
		{"rights without their flag", HYV_REREG_PD, pd, 1, 0, -1,
		 HYV_S_EINVAL},
		{"unknown rights", HYV_REREG_ACCESS, 0, 1 << 12, 0, -1,
		 HYV_S_EINVAL},
		{"remote write alone", HYV_REREG_ACCESS, 0, 2, 0, -1,
		 HYV_S_EINVAL},
		{"paging on demand", HYV_REREG_ACCESS, 0, ACCESS_ON_DEMAND, 0,
		 -1, HYV_S_EOPNOTSUPP},
		{"an address without its flag", HYV_REREG_PD, pd, 0, va, -1,
		 HYV_S_EINVAL},
		{"memory without its flag", HYV_REREG_PD, pd, 0, 0, 0,
		 HYV_S_EINVAL},
		{"no memory", HYV_REREG_TRANS, 0, 0, va, -1, HYV_S_EINVAL},
		{"memory of another slot", HYV_REREG_TRANS, 0, 0, va, 1,
		 HYV_S_EINVAL},
		{"another offset in the page", HYV_REREG_TRANS, 0, 0, va + 8, 0,
		 HYV_S_EINVAL},
		{"addresses that wrap", HYV_REREG_TRANS, 0, 0,
		 -DT_PAGE + va % DT_PAGE, 0, HYV_S_EINVAL},
		/* rxe cannot do it, and says so when the memory is in place. */
		{"new memory", HYV_REREG_TRANS, 0, 0, va, 0, HYV_S_EOPNOTSUPP},
		{"new rights", HYV_REREG_ACCESS, 0, ACCESS_LOCAL, 0, -1, 0},
		{"the same PD", HYV_REREG_PD, pd, 0, 0, -1, 0},
	};
	int missing = fixture_status(&fix, HYV_CMD_REREG_MR);
	long pinned = dt_pinned_kib();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(rereg(cases[i].flags, cases[i].pd, cases[i].access,
			     cases[i].iova, cases[i].slot),
		       missing ? missing : cases[i].status, "REREG_MR with %s",
		       cases[i].what);
	tap_is(dt_pinned_kib(), pinned, "as much is pinned as before");
}

static void test_rereg_pd(void)
{
	struct vnic *v = &fix.v;
	uint32_t context, pd, foreign;

	if (fixture_status(&fix, HYV_CMD_REREG_MR)) {
		tap_diag("the HCA does not support re-registration");
		return;
	}
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &foreign), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_alloc_pd(v, fix.context, &pd), 0, "ALLOC_PD");
	tap_is(rereg(HYV_REREG_PD, foreign, 0, 0, -1), HYV_S_EINVAL,
	       "REREG_MR with another context's PD");
	tap_is(cmd_destroy(v, HYV_OBJ_PD, foreign), 0,
	       "a refused REREG_MR does not keep the PD in use");
	tap_is(rereg(HYV_REREG_PD, pd, 0, 0, -1), 0, "REREG_MR with a new PD");
	tap_is(cmd_destroy(v, HYV_OBJ_PD, pd), HYV_S_EBUSY,
	       "the MR uses the new PD");
	tap_is(rereg(HYV_REREG_PD, fix.pd, 0, 0, -1), 0,
	       "REREG_MR with the old PD");
	tap_is(cmd_destroy(v, HYV_OBJ_PD, pd), 0, "the new PD is free again");
	tap_is(cmd_destroy(v, HYV_OBJ_MR, fix.mr.handle), 0,
	       "DESTROY of an MR that was re-registered");
	fixture_renew(&fix);
}

static void test_moderation(void)
{
	struct rsp rsp;
	struct req r;

	fixture_request(&fix, HYV_CMD_MODIFY_CQ, &r);
	tap_is(vnic_exec(&fix.v, &r, &rsp),
	       fixture_status(&fix, HYV_CMD_MODIFY_CQ), "MODIFY_CQ");
}

void suite_verbs(void)
{
	struct dt_counts before = dt_counts();
	struct hyv_query_device_rsp dev;

	fixture_init(&fix);
	tap_diag("verbs %#x", fix.verbs);
	test_parents();
	test_qp_types();
	REQUIRE_EQ(cmd_query_device(&fix.v, &dev), 0, "QUERY_DEVICE");
	test_srq_create(le32toh(dev.max_srq_wr), le32toh(dev.max_srq_sge));
	test_srq_attrs();
	test_srq_place();
	test_resize_fields();
	test_moderation();
	test_ah_fields();
	test_mw_fields();
	test_mcast();
	test_rereg_fields();
	test_rereg_pd();
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, fix.context), 0,
	       "DESTROY of a context with objects of all types");
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after their context");
	fixture_free(&fix);
	dt_expect_counts(&before, "after all verbs");
}
