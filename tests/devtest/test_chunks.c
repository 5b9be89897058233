// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of chunk lists, and the kinds of memory below them.
 */
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "driver.h"
#include "fixture.h"
#include "suites.h"
#include "harness.h"

static struct fixture fix;

/*
 * A REG_MR of the fixture's buffer: three pages and a part, in four chunks.
 * Each function breaks one rule.
 */
static void slot_wrong(struct hyv_chunk_list *l)
{
	l->slot = htole16(1);
}

static void flag_unknown(struct hyv_chunk_list *l)
{
	l->flags = htole16(2);
}

static void list_reserved(struct hyv_chunk_list *l)
{
	l->reserved = htole32(1);
}

static void chunks_more(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(5);
}

static void chunks_fewer(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(3);
}

static void entries_fewer(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(3);
	l->nr_entries = htole32(3);
}

static void entries_more(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(5);
	l->nr_entries = htole32(5);
}

static void entries_huge(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(~0U);
	l->nr_entries = htole32(~0U);
}

static void entries_wrap(struct hyv_chunk_list *l)
{
	l->nr_chunks = htole32(0x10000004);
	l->nr_entries = htole32(0x10000004);
}

static void entries_none(struct hyv_chunk_list *l)
{
	l->nr_chunks = 0;
	l->nr_entries = 0;
}

static void length_zero(struct hyv_chunk_list *l)
{
	l->length = 0;
}

static void length_more(struct hyv_chunk_list *l)
{
	l->length = htole64(le64toh(l->length) + 1);
}

static void length_less(struct hyv_chunk_list *l)
{
	l->length = htole64(le64toh(l->length) - 1);
}

static void length_wraps(struct hyv_chunk_list *l)
{
	l->length = htole64(~0ULL);
}

static void addr_wraps(struct hyv_chunk_list *l)
{
	l->addr = htole64(0xfffffffffffff123ULL);
}

static void addr_offset(struct hyv_chunk_list *l)
{
	l->addr = htole64(le64toh(l->addr) + 8);
}

static void first_ends_early(struct hyv_chunk_list *l)
{
	l->entry[0].len = htole64(le64toh(l->entry[0].len) - 8);
	l->entry[3].len = htole64(le64toh(l->entry[3].len) + 8);
}

static void second_starts_late(struct hyv_chunk_list *l)
{
	l->entry[1].addr = htole64(le64toh(l->entry[1].addr) + 8);
	l->entry[1].len = htole64(le64toh(l->entry[1].len) - 8);
	l->entry[3].len = htole64(le64toh(l->entry[3].len) + 8);
}

static void last_starts_late(struct hyv_chunk_list *l)
{
	l->entry[3].addr = htole64(le64toh(l->entry[3].addr) + 8);
}

static void chunk_empty(struct hyv_chunk_list *l)
{
	l->entry[1].len = 0;
}

static void chunk_empty_extra(struct hyv_chunk_list *l)
{
	l->entry[1].len =
		htole64(le64toh(l->entry[1].len) + le64toh(l->entry[2].len));
	l->entry[2].len = 0;
}

static void chunk_wraps(struct hyv_chunk_list *l)
{
	l->entry[3].addr = htole64(-16ULL & ~4095ULL);
	l->entry[2].len = htole64(~0ULL - 4095);
}

static void chunk_outside(struct hyv_chunk_list *l)
{
	l->entry[2].addr = htole64(GMEM_GPA_HOLE);
}

static void chunk_runs_out(struct hyv_chunk_list *l)
{
	uint64_t end = GMEM_GPA_LINEAR + GMEM_LINEAR_PAGES * DT_PAGE;

	/* Two pages, of which one is guest memory. */
	l->entry[1].addr = htole64(end - DT_PAGE);
	l->entry[1].len = htole64(2 * DT_PAGE);
	l->entry[2] = l->entry[3];
	l->nr_chunks = htole32(3);
	l->nr_entries = htole32(3);
}

static void chunk_last_page(struct hyv_chunk_list *l)
{
	l->entry[3].addr = htole64(-DT_PAGE);
}

static const struct {
	const char *what;
	void (*spoil)(struct hyv_chunk_list *l);
	int status;
} list_rules[] = {
	{"wrong slot", slot_wrong, HYV_S_EINVAL},
	{"unknown flag", flag_unknown, HYV_S_EINVAL},
	{"reserved field", list_reserved, HYV_S_EINVAL},
	{"more chunks than entries", chunks_more, HYV_S_EINVAL},
	{"fewer chunks than entries", chunks_fewer, HYV_S_EINVAL},
	{"an entry left over", entries_fewer, HYV_S_EINVAL},
	{"truncated", entries_more, HYV_S_EMSGSIZE},
	{"very many entries", entries_huge, HYV_S_EMSGSIZE},
	{"entries whose size wraps", entries_wrap, HYV_S_EMSGSIZE},
	{"no entries", entries_none, HYV_S_EINVAL},
	{"no length", length_zero, HYV_S_EINVAL},
	{"sum too small", length_more, HYV_S_EINVAL},
	{"sum too large", length_less, HYV_S_EINVAL},
	{"length wraps", length_wraps, HYV_S_EINVAL},
	{"address wraps", addr_wraps, HYV_S_EINVAL},
	{"offset differs from the first chunk's", addr_offset, HYV_S_EINVAL},
	{"first chunk ends in a page", first_ends_early, HYV_S_EINVAL},
	{"second chunk starts in a page", second_starts_late, HYV_S_EINVAL},
	{"last chunk starts in a page", last_starts_late, HYV_S_EINVAL},
	{"empty chunk", chunk_empty, HYV_S_EINVAL},
	{"empty chunk, sum right", chunk_empty_extra, HYV_S_EINVAL},
	{"chunk wraps", chunk_wraps, HYV_S_EINVAL},
	{"chunk outside of guest memory", chunk_outside, HYV_S_EFAULT},
	{"chunk runs out of guest memory", chunk_runs_out, HYV_S_EFAULT},
	{"last page of all addresses", chunk_last_page, HYV_S_EFAULT},
};

static void test_list_rules(void)
{
	struct hyv_reg_mr_req *req;
	struct hyv_chunk_list *list;
	struct rsp rsp;
	struct req r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list_rules); i++) {
		list = req_reg_mr(&r, fix.pd, &fix.buf, ACCESS_REMOTE);
		REQUIRE_EQ(le32toh(list->nr_entries), 4, "four chunks");
		req = (void *)r.data;
		list_rules[i].spoil(list);
		/* Only its offset in the page has to fit. */
		req->iova = htole64(le64toh(list->addr) % DT_PAGE);
		if (list_rules[i].spoil == chunk_runs_out) {
			r.len -= sizeof(struct hyv_chunk);
			req_seal(&r);
		}
		tap_is(vnic_exec(&fix.v, &r, &rsp), list_rules[i].status,
		       "chunk list: %s", list_rules[i].what);
	}
}

static void test_number_of_lists(void)
{
	struct hyv_chunk chunk = {fix.buf.gpa[0], 64};
	struct rsp rsp;
	struct req r;
	uint32_t i;

	req_reg_mr_head(&r, fix.pd, ACCESS_REMOTE, fix.buf.va);
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
	       "REG_MR without a list");
	fixture_request(&fix, HYV_CMD_SETUP_DOORBELLS, &r);
	r.len = sizeof(struct hyv_setup_doorbells_req);
	r.hdr.nr_lists = 0;
	req_seal(&r);
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
	       "SETUP_DOORBELLS without a list");
	req_reg_mr(&r, fix.pd, &fix.buf, ACCESS_REMOTE);
	req_list(&r, 1, fix.buf.va & ~4095ULL, 64, &chunk, 1);
	tap_is(vnic_exec(&fix.v, &r, &rsp), HYV_S_EINVAL,
	       "REG_MR with two lists");
	for (i = 1; i < sizeof(struct hyv_chunk_list); i++) {
		req_reg_mr_head(&r, fix.pd, ACCESS_REMOTE, fix.buf.va);
		req_list(&r, 0, fix.buf.va, 64, &chunk, 1);
		r.len = sizeof(struct hyv_reg_mr_req) + i;
		req_seal(&r);
		REQUIRE_EQ(vnic_exec(&fix.v, &r, &rsp), HYV_S_EMSGSIZE,
			   "a list of %u bytes", i);
	}
	tap_ok(true, "lists shorter than their header");
}

/* Entries of an indirect list: the page they point to, and their length. */
struct indirect {
	const char *what;
	uint32_t nr_chunks;
	uint64_t first_len;
	uint64_t second_len;
	bool outside;
	int status;
};

static void test_indirect(void)
{
	static const struct indirect cases[] = {
		{"valid", 4, 32, 32, false, 0},
		{"in parts of different size", 4, 16, 48, false, 0},
		{"not of whole chunks", 4, 24, 40, false, HYV_S_EINVAL},
		{"too short", 4, 32, 16, false, HYV_S_EINVAL},
		{"too long", 4, 32, 48, false, HYV_S_EINVAL},
		{"with an empty entry", 4, 64, 0, false, HYV_S_EINVAL},
		{"with an entry that wraps", 4, 32, -16ULL, false,
		 HYV_S_EINVAL},
		{"with a table outside of guest memory", 4, 32, 32, true,
		 HYV_S_EFAULT},
		{"with fewer chunks than there are", 3, 16, 32, false,
		 HYV_S_EINVAL},
		{"with more chunks than pages", 5, 32, 48, false, HYV_S_EINVAL},
		{"with very many chunks", ~0U, 32, 32, false, HYV_S_EINVAL},
	};
	struct hyv_chunk chunk[8] = {}, entry[2];
	struct hyv_chunk_list *list;
	uint64_t table = gmem_page(&fix.gm);
	struct rsp rsp;
	struct req r;
	size_t i;

	REQUIRE_EQ(gbuf_chunks(&fix.buf, 0, fix.buf.length, chunk), 4,
		   "four chunks");
	memcpy(gmem_at(&fix.gm, table), chunk, sizeof(chunk));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		entry[0].addr = table;
		entry[0].len = cases[i].first_len;
		entry[1].addr = table + cases[i].first_len;
		entry[1].len = cases[i].second_len;
		if (cases[i].outside)
			entry[1].addr = GMEM_GPA_HOLE;
		req_reg_mr_head(&r, fix.pd, ACCESS_REMOTE, fix.buf.va);
		list = req_list(&r, 0, fix.buf.va, fix.buf.length, entry, 2);
		list->flags = htole16(HYV_CHUNKS_INDIRECT);
		list->nr_chunks = htole32(cases[i].nr_chunks);
		tap_is(vnic_exec(&fix.v, &r, &rsp), cases[i].status,
		       "indirect chunk list %s", cases[i].what);
	}
}

static int setup_doorbells(struct gbuf *buf, uint64_t va, uint64_t length,
			   uint16_t slot)
{
	struct hyv_setup_doorbells_req req = {};
	struct hyv_chunk *chunk = calloc(buf->nr_pages, sizeof(*chunk));
	struct rsp rsp;
	struct req r;
	uint32_t nr;

	nr = gbuf_chunks(buf, 0, length, chunk);
	req_init(&r, HYV_CMD_SETUP_DOORBELLS, &req, sizeof(req));
	req_list(&r, slot, va, length, chunk, nr);
	free(chunk);
	return vnic_exec(&fix.v, &r, &rsp);
}

static void test_doorbell_area(void)
{
	struct gbuf big, odd;

	gbuf_init(&big, &fix.gm, 16 * DT_PAGE, 0, GBUF_MIXED);
	gbuf_init(&odd, &fix.gm, 4 * DT_PAGE, 64, GBUF_SCATTERED);
	tap_is(setup_doorbells(&big, big.va, DT_PAGE, 0), HYV_S_EINVAL,
	       "SETUP_DOORBELLS with too small an area");
	tap_is(setup_doorbells(&odd, odd.va, 4 * DT_PAGE, 0), HYV_S_EINVAL,
	       "SETUP_DOORBELLS off a page boundary");
	tap_is(setup_doorbells(&big, big.va, 3 * DT_PAGE - 8, 0), HYV_S_EINVAL,
	       "SETUP_DOORBELLS with a part of a page");
	tap_is(setup_doorbells(&big, big.va, 16 * DT_PAGE, 1), HYV_S_EINVAL,
	       "SETUP_DOORBELLS with another slot");
	big.gpa[1] = GMEM_GPA_HOLE;
	tap_is(setup_doorbells(&big, big.va, 16 * DT_PAGE, 0), HYV_S_EFAULT,
	       "SETUP_DOORBELLS outside of guest memory");
	big.gpa[1] = big.gpa[0] + DT_PAGE;
	tap_is(setup_doorbells(&big, big.va, 16 * DT_PAGE, 0), 0,
	       "SETUP_DOORBELLS with a large area");
	tap_is(setup_doorbells(&big, big.va, 16 * DT_PAGE, 0), HYV_S_EEXIST,
	       "SETUP_DOORBELLS twice");
	fixture_renew(&fix);
	tap_is(setup_doorbells(&big, big.va, 16 * DT_PAGE, 0), 0,
	       "SETUP_DOORBELLS after a reset");
	gbuf_free(&odd);
	gbuf_free(&big);
}

void suite_chunks(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_list_rules();
	test_number_of_lists();
	test_indirect();
	test_doorbell_area();
	fixture_free(&fix);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after all chunk lists");
}

/* A vNIC with a PD over memory of some kind. */
static uint32_t memory_vnic(struct vnic *v, struct gmem *gm)
{
	uint32_t context, pd;

	vnic_open(v, gm);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	return pd;
}

/* Memory that is not a shared mapping of a file is refused, however it lies. */
static void test_anonymous(void)
{
	struct gbuf buf;
	struct mr_info mr;
	struct gmem gm;
	struct vnic v;
	uint32_t pd;

	gmem_init(&gm, GMEM_ANON);
	pd = memory_vnic(&v, &gm);
	gbuf_init(&buf, &gm, 8 * DT_PAGE, 0, GBUF_SCATTERED);
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), HYV_S_EOPNOTSUPP,
	       "REG_MR of anonymous memory, scattered");
	gbuf_free(&buf);
	gbuf_init(&buf, &gm, 8 * DT_PAGE, 0, GBUF_LINEAR);
	tap_is(cmd_reg_mr(&v, pd, &buf, ACCESS_REMOTE, &mr), HYV_S_EOPNOTSUPP,
	       "REG_MR of anonymous memory, contiguous");
	gbuf_free(&buf);
	gbuf_init(&buf, &gm, 4200 * DT_PAGE, 0, GBUF_SCATTERED);
	tap_is(cmd_reg_mr_indirect(&v, pd, &buf, ACCESS_REMOTE, &mr),
	       HYV_S_EOPNOTSUPP, "REG_MR of anonymous memory, in many pieces");
	gbuf_free(&buf);
	vnic_close(&v);
	gmem_free(&gm);
}

static int reg_layout(struct vnic *v, struct gmem *gm, uint32_t pd,
		      enum gbuf_layout layout, uint32_t pages)
{
	struct mr_info mr;
	struct gbuf buf;
	int ret;

	gbuf_init(&buf, gm, pages * DT_PAGE, 0, layout);
	ret = cmd_reg_mr_indirect(v, pd, &buf, ACCESS_REMOTE, &mr);
	gbuf_free(&buf);
	if (!ret)
		REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_MR, mr.handle), 0, "DESTROY");
	return ret;
}

/*
 * The owner may have split its mapping: memory that the table calls contiguous
 * is then several mappings of one file.
 */
static void test_split(void)
{
	struct gmem gm;
	struct vnic v;
	uint64_t i;
	uint32_t pd;

	gmem_init(&gm, GMEM_MEMFD);
	pd = memory_vnic(&v, &gm);
	for (i = 0; i < GMEM_PAGES; i += 2)
		if (i % GMEM_BLOCK_PAGES < 8 || i > GMEM_PAGES - 64)
			REQUIRE(!madvise(gm.base + i * DT_PAGE, DT_PAGE,
					 MADV_DONTDUMP),
				"madvise");
	tap_is(reg_layout(&v, &gm, pd, GBUF_SCATTERED, 64), 0,
	       "REG_MR of memory in many mappings, scattered");
	tap_is(reg_layout(&v, &gm, pd, GBUF_MIXED, 512), 0,
	       "REG_MR of memory in many mappings, mixed");
	tap_is(reg_layout(&v, &gm, pd, GBUF_LINEAR, GMEM_LINEAR_PAGES), 0,
	       "REG_MR of memory in many mappings, contiguous");
	vnic_close(&v);
	gmem_free(&gm);
}

/* Page i of the buffer is page i * @step of guest memory. */
static int reg_pages(struct vnic *v, uint32_t pd, struct gmem *gm,
		     const struct hyv_mem_region *region, uint32_t nr,
		     uint32_t pages, uint32_t step)
{
	struct gbuf buf = {
		.gm = gm,
		.va = 0x10000000,
		.length = pages * DT_PAGE,
		.nr_pages = pages,
	};
	struct mr_info mr;
	uint64_t gpa[8];
	uint32_t i;
	int ret;

	for (i = 0; i < pages; i++)
		gpa[i] = 0x1000000 + i * step * DT_PAGE;
	buf.gpa = gpa;
	REQUIRE_EQ(vnic_set_mem(v, region, nr), 0, "SET_MEM");
	ret = cmd_reg_mr(v, pd, &buf, ACCESS_REMOTE, &mr);
	if (!ret)
		REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_MR, mr.handle), 0, "DESTROY");
	return ret;
}

static int reg_table(struct vnic *v, uint32_t pd, struct gmem *gm,
		     const struct hyv_mem_region *region, uint32_t nr,
		     uint32_t pages)
{
	return reg_pages(v, pd, gm, region, nr, pages, 1);
}

/* One chunk over several regions, and regions whose memory is odd. */
static void test_table(void)
{
	uint64_t g = 0x1000000;
	struct hyv_mem_region two[2], one;
	struct gmem gm;
	struct vnic v;
	uint32_t pd;
	uint64_t at;

	gmem_init(&gm, GMEM_MEMFD);
	pd = memory_vnic(&v, &gm);
	at = (uintptr_t)gm.base;
	two[0] = (struct hyv_mem_region){g + DT_PAGE, DT_PAGE, at};
	two[1] = (struct hyv_mem_region){g, DT_PAGE, at + DT_PAGE};
	tap_is(reg_table(&v, pd, &gm, two, 2, 2), 0,
	       "REG_MR of one chunk in two regions");
	tap_is(reg_table(&v, pd, &gm, two, 2, 3), HYV_S_EFAULT,
	       "REG_MR of one chunk in two regions and none");

	tap_is(reg_pages(&v, pd, &gm, two, 2, 2, 0), 0,
	       "REG_MR of the same page twice");
	tap_is(reg_pages(&v, pd, &gm, two, 2, 3, 0), HYV_S_EFAULT,
	       "REG_MR of more than there is memory, by the same page");

	one = (struct hyv_mem_region){g, 8 * DT_PAGE, at};
	tap_is(reg_pages(&v, pd, &gm, &one, 1, 4, 0), 0,
	       "REG_MR of the same page four times");
	tap_is(reg_pages(&v, pd, &gm, &one, 1, 5, 0), HYV_S_EINVAL,
	       "REG_MR of the same page five times");

	/* Nor may any of it be pinned. */
	tap_is(reg_table(&v, pd, &gm, NULL, 0, 1), HYV_S_EDQUOT,
	       "REG_MR without guest memory");
	one = (struct hyv_mem_region){g, 4 * DT_PAGE, 1ULL << 46};
	tap_is(reg_table(&v, pd, &gm, &one, 1, 4), HYV_S_EFAULT,
	       "REG_MR of memory that is not mapped");
	one.addr = 1ULL << 63;
	tap_ok(reg_table(&v, pd, &gm, &one, 1, 4) > 0,
	       "REG_MR of memory of the kernel");
	one.addr = (uintptr_t)v.window;
	tap_is(reg_table(&v, pd, &gm, &one, 1, 4), HYV_S_EOPNOTSUPP,
	       "REG_MR of the window");
	vnic_close(&v);
	gmem_free(&gm);
}

#define SEALED_PAGES 100
#define SEALED_GPA   0x100000000ULL

/* Guest memory that cannot be mapped for writing again. */
static uint8_t *sealed_memory(void)
{
	int fd =
		memfd_create("devtest-sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint8_t *base;

	REQUIRE(fd >= 0 && !ftruncate(fd, SEALED_PAGES * DT_PAGE),
		"memfd_create");
	base = mmap(NULL, SEALED_PAGES * DT_PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	REQUIRE(base != MAP_FAILED, "mmap");
	REQUIRE(!fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), "F_ADD_SEALS");
	close(fd);
	return base;
}

/* Returns true if it is refused. */
static bool reg_sealed(struct vnic *v, uint32_t pd)
{
	struct hyv_chunk chunk[SEALED_PAGES];
	struct rsp rsp;
	struct req r;
	int i;

	for (i = 0; i < SEALED_PAGES; i++) {
		chunk[i].addr = SEALED_GPA + (SEALED_PAGES - 1 - i) * DT_PAGE;
		chunk[i].len = DT_PAGE;
	}
	req_reg_mr_head(&r, pd, ACCESS_REMOTE, SEALED_GPA);
	req_list(&r, 0, SEALED_GPA, SEALED_PAGES * DT_PAGE, chunk,
		 SEALED_PAGES);
	return vnic_exec(v, &r, &rsp) == HYV_S_EPERM;
}

/* Map a page for a moment. Does not touch it, because it may be lost. */
static bool page_stays(void)
{
	uint32_t canary = 0x5a5a5a5a, found = 0;
	struct iovec in = {&canary, sizeof(canary)};
	struct iovec out = {&found, sizeof(found)};
	struct iovec page = {.iov_len = sizeof(canary)};
	bool stays;

	page.iov_base = mmap(NULL, DT_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(page.iov_base != MAP_FAILED, "mmap");
	stays = process_vm_writev(getpid(), &in, 1, &page, 1, 0) > 0;
	sched_yield();
	stays = process_vm_readv(getpid(), &out, 1, &page, 1, 0) > 0 &&
		found == canary && stays;
	munmap(page.iov_base, DT_PAGE);
	return stays;
}

/* So many that one waits for the mmap lock most of the time. */
#define SEALED_MAPPERS 4

static atomic_bool sealed_stop;
static atomic_uint sealed_maps, sealed_lost;

static void *sealed_mapper(void *arg)
{
	(void)arg;
	while (!atomic_load(&sealed_stop)) {
		atomic_fetch_add(&sealed_lost, !page_stays());
		atomic_fetch_add(&sealed_maps, 1);
	}
	return NULL;
}

/*
 * When memory cannot be mapped once more, what the process maps at that time
 * stays.
 */
static void test_sealed(void)
{
	uint64_t end = dt_now_ms() + 5000;
	unsigned int tries = 0, refused = 0;
	struct hyv_mem_region region = {
		.gpa = SEALED_GPA,
		.length = SEALED_PAGES * DT_PAGE,
	};
	pthread_t thread[SEALED_MAPPERS];
	struct gmem gm;
	struct vnic v;
	uint32_t pd;
	void *base;
	size_t i;

	gmem_init(&gm, GMEM_MEMFD);
	pd = memory_vnic(&v, &gm);
	base = sealed_memory();
	region.addr = (uintptr_t)base;
	REQUIRE_EQ(vnic_set_mem(&v, &region, 1), 0, "SET_MEM");
	for (i = 0; i < SEALED_MAPPERS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, sealed_mapper, NULL),
			"pthread_create");
	for (; dt_now_ms() < end; tries++)
		refused += reg_sealed(&v, pd);
	atomic_store(&sealed_stop, true);
	for (i = 0; i < SEALED_MAPPERS; i++)
		pthread_join(thread[i], NULL);
	tap_is(refused, tries, "REG_MRs of sealed memory that are refused");
	tap_ok(tries && atomic_load(&sealed_maps),
	       "%u mappings of the process during them",
	       atomic_load(&sealed_maps));
	tap_is(atomic_load(&sealed_lost), 0, "of them are lost");
	vnic_close(&v);
	munmap(base, SEALED_PAGES * DT_PAGE);
	gmem_free(&gm);
}

void suite_memory(void)
{
	struct dt_counts before = dt_counts();

	test_anonymous();
	test_split();
	test_table();
	test_sealed();
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after all kinds of memory");
}
