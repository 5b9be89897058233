// SPDX-License-Identifier: GPL-2.0-only
/*
 * An HCA with mlx5's user ABI: queues and doorbell records in guest memory,
 * what a provider may ask for, doorbell pages.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"
#include "hostile_vmm.h"
#include "mlx5.h"
#include "suites.h"

static struct gmem gm;
static struct vnic vnic;

static long pinned_bytes(void)
{
	return dt_pinned_kib() * 1024;
}

static int status_of(struct req *r)
{
	struct rsp rsp;

	return vnic_exec(&vnic, r, &rsp);
}

/* --- Use --- */

static void test_use(void)
{
	struct m5 m;
	int i;

	m5_init(&m, &vnic);
	for (i = 0; i < 200; i++)
		m5_expect_write(&m, i % 2, i, "in a row");
	tap_ok(true, "writes complete");
	/* The HCA takes its doorbell pages away, and the next store is a fault.
	 */
	for (i = 0; i < 100; i++) {
		dt_sleep_us(3000);
		m5_expect_write(&m, i % 2, i, "after a pause");
	}
	tap_ok(true, "writes complete after pauses");
	m5_destroy(&m);
}

/* --- Chunk lists --- */

enum spoil {
	GOOD,
	NO_RING,
	NO_RECORD,
	SHORT_RING,
	LONG_RING,
	OTHER_RING,
	OTHER_RECORD,
	SHORT_RECORD,
	INDIRECT_RECORD,
	SAME_SLOT,
	EXTRA,
	SPOILS,
};

static const char *const spoil_names[SPOILS] = {
	[GOOD] = "right lists",
	[NO_RING] = "no list of the queue",
	[NO_RECORD] = "no list of the record",
	[SHORT_RING] = "a list that is short",
	[LONG_RING] = "a list that is long",
	[OTHER_RING] = "a list of another address",
	[OTHER_RECORD] = "a record in another page",
	[SHORT_RECORD] = "a part of the record's page",
	[INDIRECT_RECORD] = "an indirect list of the record",
	[SAME_SLOT] = "two lists of one slot",
	[EXTRA] = "a list too many",
};

static void add_lists(struct req *r, const struct m5_memory *mem,
		      const struct gbuf *longer, enum spoil spoil)
{
	struct hyv_chunk_list *list;
	struct gbuf other = *mem->page;

	other.va += DT_PAGE;
	if (spoil == SHORT_RING)
		m5_list(r, M5_RING, &mem->ring, mem->ring.length - DT_PAGE);
	else if (spoil == LONG_RING)
		m5_list(r, M5_RING, longer, longer->length);
	else if (spoil != NO_RING)
		m5_list(r, M5_RING, &mem->ring, mem->ring.length);
	if (spoil == OTHER_RING) {
		list = (void *)(r->data + r->len - sizeof(*list) -
				mem->ring.nr_pages * sizeof(struct hyv_chunk));
		list->addr = htole64(mem->ring.va + (1ULL << 32));
	}
	switch (spoil) {
	case NO_RECORD:
		break;
	case OTHER_RECORD:
		m5_list(r, M5_RECORD, &other, DT_PAGE);
		break;
	case SHORT_RECORD:
		m5_list(r, M5_RECORD, mem->page, 2048);
		break;
	case SAME_SLOT:
		m5_list(r, M5_RING, mem->page, DT_PAGE);
		break;
	default:
		list = m5_list(r, M5_RECORD, mem->page, DT_PAGE);
		if (spoil == INDIRECT_RECORD)
			list->flags = htole16(HYV_CHUNKS_INDIRECT);
		break;
	}
	if (spoil == EXTRA)
		m5_list(r, 2, mem->page, DT_PAGE);
}

/* The length of LONG_RING is right; only its list is not. */
static void test_lists_of(const char *what,
			  void (*head)(struct req *r, const struct m5 *m,
				       const struct m5_memory *mem),
			  const struct m5 *m, uint64_t length, uint32_t type)
{
	struct m5_memory mem;
	struct gbuf page, longer;
	struct rsp rsp;
	struct req r;
	int i, ret;

	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&mem, &gm, length, &page, 8);
	gbuf_init(&longer, &gm, length + DT_PAGE, 0, GBUF_SCATTERED);
	longer.va = mem.ring.va;
	for (i = SPOILS - 1; i >= 0; i--) {
		head(&r, m, &mem);
		add_lists(&r, &mem, &longer, i);
		ret = vnic_exec(&vnic, &r, &rsp);
		tap_is(ret, i == GOOD ? 0 : HYV_S_EINVAL, "%s with %s", what,
		       spoil_names[i]);
	}
	if (!ret)
		tap_is(cmd_destroy(&vnic, type, le32toh(rsp.create.handle)), 0,
		       "DESTROY");
	gbuf_free(&mem.ring);
	gbuf_free(&longer);
	gbuf_free(&page);
}

static void head_cq(struct req *r, const struct m5 *m,
		    const struct m5_memory *mem)
{
	struct mlx5_ib_create_cq in = {};

	m5_create_cq_head(r, m->context, 127, &in, mem);
}

static void head_qp(struct req *r, const struct m5 *m,
		    const struct m5_memory *mem)
{
	struct mlx5_ib_create_qp in = {.sq_wqe_count = 128};

	m5_create_qp_head(r, m, &in, mem);
}

static void head_srq(struct req *r, const struct m5 *m,
		     const struct m5_memory *mem)
{
	struct mlx5_ib_create_srq in = {};
	struct hyv_create_srq_req *req;

	m5_create_srq_head(r, m->pd, &in, mem);
	req = (void *)r->data;
	req->max_wr = htole32(255);
}

static void test_lists(void)
{
	struct m5 m;

	m5_init(&m, &vnic);
	test_lists_of("CREATE_CQ", head_cq, &m, 128 * 64, HYV_OBJ_CQ);
	test_lists_of("CREATE_QP", head_qp, &m, 128 * 64, HYV_OBJ_QP);
	test_lists_of("CREATE_SRQ", head_srq, &m, 256 * 32, HYV_OBJ_SRQ);
	m5_expect_write(&m, 0, 1, "after refused requests");
	m5_destroy(&m);
}

/* --- What a provider may ask for --- */

static int try_context(size_t at, uint64_t value, size_t size)
{
	struct mlx5_ib_alloc_ucontext_req_v2 in = m5_context_request;
	struct mlx5_ib_alloc_ucontext_resp out = {};
	uint32_t context;
	int ret;

	memcpy((uint8_t *)&in + at, &value, size);
	ret = m5_alloc_context(&vnic, &in, &context, &out);
	if (!ret) {
		tap_ok(out.tot_bfregs && out.tot_bfregs <= 2 * M5_UARS,
		       "the context has doorbell pages of the usual kind");
		cmd_destroy(&vnic, HYV_OBJ_CONTEXT, context);
	}
	return ret;
}

#define CONTEXT_FIELD(name) offsetof(struct mlx5_ib_alloc_ucontext_req_v2, name)

static void test_context(void)
{
	tap_is(try_context(CONTEXT_FIELD(flags), MLX5_IB_ALLOC_UCTX_DEVX, 4),
	       HYV_S_EINVAL,
	       "firmware objects are refused as by a card without");
	tap_is(try_context(CONTEXT_FIELD(comp_mask), 1, 4), HYV_S_EINVAL,
	       "unknown parts of the request");
	tap_is(try_context(CONTEXT_FIELD(reserved2), 1, 4), HYV_S_EINVAL,
	       "reserved field");
	tap_is(try_context(CONTEXT_FIELD(lib_caps), ~0ULL, 8), 0,
	       "unknown capabilities of the library");
	tap_is(try_context(CONTEXT_FIELD(total_num_bfregs), 1000, 4), 0,
	       "too many doorbells");
}

/* Create a QP whose record is at @record in its page, with a changed field. */
static int try_qp(const struct m5 *m, uint32_t record, size_t at,
		  uint64_t value, size_t size)
{
	struct mlx5_ib_create_qp in = {.sq_wqe_count = M5_SQ_WQES};
	struct m5_memory mem;
	struct gbuf page;
	struct rsp rsp;
	struct req r;
	int ret;

	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&mem, &gm, M5_SQ_WQES * 64, &page, record);
	memcpy((uint8_t *)&in + at, &value, size);
	m5_create_qp_head(&r, m, &in, &mem);
	m5_lists(&r, &mem);
	ret = vnic_exec(&vnic, &r, &rsp);
	if (!ret)
		cmd_destroy(&vnic, HYV_OBJ_QP, le32toh(rsp.create.handle));
	gbuf_free(&mem.ring);
	gbuf_free(&page);
	return ret;
}

static int try_cq(const struct m5 *m, size_t at, uint64_t value, size_t size)
{
	struct mlx5_ib_create_cq in = {};
	struct m5_memory mem;
	struct gbuf page;
	struct rsp rsp;
	struct req r;
	int ret;

	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&mem, &gm, (M5_CQE + 1) * M5_CQE_SIZE, &page, 8);
	memcpy((uint8_t *)&in + at, &value, size);
	m5_create_cq_head(&r, m->context, M5_CQE, &in, &mem);
	m5_lists(&r, &mem);
	ret = vnic_exec(&vnic, &r, &rsp);
	if (!ret)
		cmd_destroy(&vnic, HYV_OBJ_CQ, le32toh(rsp.create.handle));
	gbuf_free(&mem.ring);
	gbuf_free(&page);
	return ret;
}

#define QP_FIELD(name) offsetof(struct mlx5_ib_create_qp, name)
#define CQ_FIELD(name) offsetof(struct mlx5_ib_create_cq, name)

static void test_fields(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint64_t value;
		size_t size;
		int status;
	} qp[] =
		{
			{"ignored flags", QP_FIELD(flags),
			 MLX5_QP_FLAG_SCATTER_CQE |
				 MLX5_QP_FLAG_ALLOW_SCATTER_CQE,
			 4, 0},
			{"type DCI", QP_FIELD(flags), MLX5_QP_FLAG_TYPE_DCI, 4,
			 HYV_S_EINVAL},
			{"type DCT", QP_FIELD(flags), MLX5_QP_FLAG_TYPE_DCT, 4,
			 HYV_S_EINVAL},
			{"a doorbell page by its index", QP_FIELD(flags),
			 MLX5_QP_FLAG_UAR_PAGE_INDEX, 4, HYV_S_EINVAL},
			{"an unknown flag", QP_FIELD(flags), 1ULL << 31, 4,
			 HYV_S_EINVAL},
			{"a queue of raw packets", QP_FIELD(sq_buf_addr),
			 DT_PAGE, 8, HYV_S_EINVAL},
			{"a size that is no power of two",
			 QP_FIELD(sq_wqe_count), 63, 4, HYV_S_EINVAL},
			{"a great size", QP_FIELD(sq_wqe_count), 1 << 20, 4,
			 HYV_S_EINVAL},
			{"a size that is not that of the list",
			 QP_FIELD(sq_wqe_count), 128, 4, HYV_S_EINVAL},
		},
	  cq[] = {
		  {"nothing special", CQ_FIELD(reserved1), 0, 4, 0},
		  {"a doorbell page by its index", CQ_FIELD(flags),
		   MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX, 2, HYV_S_EINVAL},
		  {"such an index", CQ_FIELD(uar_page_index), 1, 2,
		   HYV_S_EINVAL},
		  {"a reserved field", CQ_FIELD(reserved1), 1, 4, HYV_S_EINVAL},
		  {"entries of another size", CQ_FIELD(cqe_size), 128, 4,
		   HYV_S_EINVAL},
		  {"entries of a wrong size", CQ_FIELD(cqe_size), 32, 4,
		   HYV_S_EINVAL},
	  };
	struct m5 m;
	size_t i;

	m5_init(&m, &vnic);
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		tap_is(try_qp(&m, 8, qp[i].at, qp[i].value, qp[i].size),
		       qp[i].status, "CREATE_QP with %s", qp[i].what);
	tap_is(try_qp(&m, 12, QP_FIELD(sq_wqe_count), M5_SQ_WQES, 4),
	       HYV_S_EINVAL, "CREATE_QP with an odd record");
	for (i = 0; i < ARRAY_SIZE(cq); i++)
		tap_is(try_cq(&m, cq[i].at, cq[i].value, cq[i].size),
		       cq[i].status, "CREATE_CQ with %s", cq[i].what);
	m5_destroy(&m);
}

/* --- Mappings --- */

#define MMAP(command, index) \
	((uint64_t)(index) >> 8 << 16 | (command) << 8 | ((index) & 0xff))

static void test_mmap(void)
{
	const uint32_t w = HYV_MMAP_WRITE;
	const struct {
		const char *what;
		uint64_t pgoff, length;
	} cases[] = {
		{"page after the last", MMAP(0, M5_UARS), DT_PAGE},
		{"far page", MMAP(0, 1 << 20), DT_PAGE},
		{"two pages", MMAP(0, 0), 2 * DT_PAGE},
		{"nothing", MMAP(0, 0), 0},
		{"contiguous pages", MMAP(1, 0), DT_PAGE},
		{"unused command", MMAP(4, 0), DT_PAGE},
		{"clock for writing", MMAP(5, 0), DT_PAGE},
		{"doorbells of its own, too many", MMAP(6, M5_UARS), DT_PAGE},
		{"two pages of them", MMAP(6, 0), 2 * DT_PAGE},
		{"device memory", MMAP(8, 0), DT_PAGE},
		{"highest command", MMAP(255, 0), DT_PAGE},
	};
	uint64_t at, again;
	struct m5 m;
	size_t i;

	m5_init(&m, &vnic);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(m5_mmap(&vnic, m.context, cases[i].pgoff,
			       cases[i].length, w, &at),
		       HYV_S_EINVAL, "MMAP of %s", cases[i].what);
	tap_is(vnic_window_used(&vnic), M5_UARS, "pages of the window in use");
	tap_is(m5_mmap(&vnic, m.context, MMAP(0, 0), DT_PAGE, w, &again), 0,
	       "MMAP of doorbells once more");
	at = m.uar[0];
	m.uar[0] = again;
	m5_expect_write(&m, 0, 1, "with the second mapping");
	dt_sleep_us(3000);
	m5_expect_write(&m, 0, 2, "with the second mapping after a pause");
	tap_is(cmd_munmap(&vnic, m.context, again), 0, "MUNMAP");
	m.uar[0] = at;
	dt_sleep_us(3000);
	m5_expect_write(&m, 0, 3, "with the first mapping");
	tap_ok(true, "each mapping rings");
	/* Later stores there are no doorbells, and do no harm. */
	m5_destroy(&m);
	*(volatile uint64_t *)(vnic.window + at + 0x800) = 1;
	tap_is(vnic_window_used(&vnic), 0, "pages of the window in use");
}

/* --- Doorbells of thread domains --- */

#define DOORBELL_PAGES 4096 /* of a vNIC, by default */

static uint64_t doorbell_pages(void)
{
	return dt_quota("doorbell_pages", false);
}

static int create_own(struct m5 *m, struct m5_qp *qp, uint32_t bfreg)
{
	m5_memory_init(&qp->mem, &gm, M5_SQ_WQES * 64, &m->page,
		       64 * (4 + bfreg));
	return m5_create_qp_own(m, qp, bfreg);
}

/* As m5_mmap(), while the process may not have more mappings. */
static int mmap_without_room(uint32_t context, uint64_t offset, uint64_t *at)
{
	struct rlimit old, less;
	int ret;

	REQUIRE(!getrlimit(RLIMIT_AS, &old), "getrlimit");
	less = old;
	less.rlim_cur = DT_PAGE;
	REQUIRE(!setrlimit(RLIMIT_AS, &less), "setrlimit");
	ret = m5_mmap(&vnic, context, offset, DT_PAGE, HYV_MMAP_WRITE, at);
	REQUIRE(!setrlimit(RLIMIT_AS, &old), "setrlimit");
	return ret;
}

/* A page is made by mapping it. */
static void test_own_doorbells(void)
{
	struct hyv_set_limits limits = {.size = sizeof(limits)};
	const uint32_t w = HYV_MMAP_WRITE;
	struct m5_qp qp[2] = {};
	uint64_t used, at, usual;
	struct m5 m;
	int i;

	tap_is(dt_quota("doorbell_pages", true), DOORBELL_PAGES,
	       "limit of doorbell pages by default");
	m5_init(&m, &vnic);
	used = doorbell_pages();
	tap_is(used, M5_UARS, "doorbell pages of a context");
	tap_is(dt_quota("queue_bytes", false), 0, "they are no queues");
	tap_is(create_own(&m, &qp[0], 0), HYV_S_EINVAL,
	       "CREATE_QP with a doorbell that does not exist");
	gbuf_free(&qp[0].mem.ring);
	limits.max_doorbell_pages = used;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at),
	       HYV_S_EDQUOT, "doorbells of its own count");
	limits.max_doorbell_pages = used + 1;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(mmap_without_room(m.context, MMAP(6, 0), &at), HYV_S_ENOMEM,
	       "MMAP of them by a VMM without room");
	tap_is(doorbell_pages(), used, "no page is charged");
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at), 0,
	       "MMAP of them at the limit");
	tap_is(doorbell_pages() - used, 1, "a page is charged");
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 1), DT_PAGE, w, &usual),
	       HYV_S_EDQUOT, "MMAP of more");
	limits.max_doorbell_pages = DOORBELL_PAGES;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &usual),
	       HYV_S_EINVAL, "MMAP of the same");

	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(create_own(&m, &qp[i], i), 0, "CREATE_QP");
		gbuf_free(&m.qp[i].mem.ring);
		m.qp[i] = qp[i];
	}
	ep_connect(&m.qp[0].ep, &m.qp[1].ep);
	usual = m.uar[0];
	m.uar[0] = at;
	for (i = 0; i < 20; i++) {
		dt_sleep_us(i % 2 ? 3000 : 0);
		m5_expect_write(&m, i / 2 % 2, i, "by a doorbell of its own");
	}
	tap_ok(true, "doorbells of its own ring");
	tap_is(cmd_munmap(&vnic, m.context, at), 0, "MUNMAP");
	tap_is(doorbell_pages() - used, 1, "the page stays");
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at),
	       HYV_S_EINVAL, "MMAP of the same once more");
	for (i = 1; i < M5_UARS; i++)
		REQUIRE_EQ(
			m5_mmap(&vnic, m.context, MMAP(6, i), DT_PAGE, w, &at),
			0, "MMAP of page %d", i);
	m.uar[0] = usual;
	m5_destroy(&m);
	tap_is(doorbell_pages(), 0, "nothing is charged in the end");
}

/* The driver is not asked for a page that there is no room for. */
static void test_full_window(void)
{
	const uint32_t w = HYV_MMAP_WRITE;
	struct m5_fillers fillers;
	uint64_t used, at = 0;
	struct m5 m;

	m5_init(&m, &vnic);
	tap_is(m5_mmap_all(&vnic, m.context, M5_UARS, &at), HYV_S_EDQUOT,
	       "MMAP of a page until the context has no more");
	tap_is(cmd_munmap(&vnic, m.context, at), 0, "MUNMAP");
	m5_fill_window(&fillers, &vnic);
	used = doorbell_pages();
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at),
	       HYV_S_ENOSPC, "MMAP of doorbells of its own");
	tap_is(doorbell_pages(), used, "nothing is charged for it");
	m5_empty_window(&fillers, &vnic);
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at), 0,
	       "MMAP of doorbells of its own when there is room");
	m5_destroy(&m);
	tap_is(vnic_window_used(&vnic), 0, "pages of the window in use");
}

#define RACERS 3

/* Threads that ask for the same page, which cannot be made. */
struct own_race {
	uint32_t context;
	int expected;
	uint64_t end;
	atomic_uint tries, others;
};

static void *own_racer(void *arg)
{
	struct own_race *race = arg;
	uint64_t at;
	int ret;

	while (dt_now_ms() < race->end) {
		ret = m5_mmap(&vnic, race->context, MMAP(6, 0), DT_PAGE,
			      HYV_MMAP_WRITE, &at);
		atomic_fetch_add(&race->tries, 1);
		if (ret != race->expected)
			atomic_fetch_add(&race->others, 1);
	}
	return NULL;
}

static void race_own(uint32_t context, int expected, const char *what)
{
	struct own_race race = {
		.context = context,
		.expected = expected,
		.end = dt_now_ms() + 2000,
	};
	pthread_t thread[RACERS];
	int i;

	for (i = 0; i < RACERS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, own_racer, &race),
			"pthread_create");
	for (i = 0; i < RACERS; i++)
		pthread_join(thread[i], NULL);
	tap_ok(atomic_load(&race.tries) && !atomic_load(&race.others),
	       "%s: %u of %u requests have another status than %d", what,
	       atomic_load(&race.others), atomic_load(&race.tries), expected);
}

/* A page that another one has failed to make does not exist for any of them. */
static void test_own_race(void)
{
	struct hyv_set_limits limits = {.size = sizeof(limits)};
	const uint32_t w = HYV_MMAP_WRITE;
	struct m5_fillers fillers;
	uint64_t at;
	struct m5 m;

	m5_init(&m, &vnic);
	limits.max_doorbell_pages = doorbell_pages();
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	race_own(m.context, HYV_S_EDQUOT, "at the limit");
	limits.max_doorbell_pages = DOORBELL_PAGES;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	m5_fill_window(&fillers, &vnic);
	race_own(m.context, HYV_S_ENOSPC, "with a full window");
	m5_empty_window(&fillers, &vnic);
	tap_is(m5_mmap(&vnic, m.context, MMAP(6, 0), DT_PAGE, w, &at), 0,
	       "the page can be made after that");
	race_own(m.context, HYV_S_EINVAL, "once it exists");
	m5_destroy(&m);
	tap_is(doorbell_pages(), 0, "nothing is charged in the end");
}

/* --- Doorbell records --- */

static void test_records(void)
{
	long before, one, both;
	struct m5_cq cq[2];
	struct gbuf page;
	struct m5 m;
	int i;

	m5_init(&m, &vnic);
	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	for (i = 0; i < 2; i++)
		m5_memory_init(&cq[i].mem, &gm, (M5_CQE + 1) * M5_CQE_SIZE,
			       &page, 64 * i);
	before = pinned_bytes();
	REQUIRE_EQ(m5_create_cq(&m, &cq[0]), 0, "CREATE_CQ");
	one = pinned_bytes();
	REQUIRE_EQ(m5_create_cq(&m, &cq[1]), 0, "CREATE_CQ");
	both = pinned_bytes();
	tap_is(one - before, 2 * DT_PAGE, "a CQ pins its queue and its record");
	tap_is(both - one, DT_PAGE, "a second one shares the page");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CQ, cq[0].handle), 0, "DESTROY");
	tap_is(pinned_bytes() - before, 2 * DT_PAGE,
	       "the page stays for the other one");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CQ, cq[1].handle), 0, "DESTROY");
	tap_is(pinned_bytes(), before, "nothing is pinned then");
	gbuf_free(&page);
	gbuf_free(&cq[0].mem.ring);
	gbuf_free(&cq[1].mem.ring);
	m5_destroy(&m);
}

/*
 * Each time the records are in another page, at an address that was used
 * before.
 */
static void test_reuse(void)
{
	struct m5_qp spare[4];
	struct gbuf page[4];
	struct m5 m;
	int i;

	for (i = 0; i < 4; i++)
		gbuf_init(&page[i], &gm, DT_PAGE, 0, GBUF_SCATTERED);
	for (i = 0; i < 30; i++) {
		m5_init(&m, &vnic);
		memset(spare, 0, sizeof(spare));
		m5_memory_init(&spare[0].mem, &gm, M5_SQ_WQES * 64,
			       &page[i % 4], 128);
		REQUIRE_EQ(m5_create_qp(&m, &spare[0]), 0, "CREATE_QP");
		m5_memory_init(&spare[1].mem, &gm, M5_SQ_WQES * 64,
			       &page[(i + 1) % 4], 128);
		REQUIRE_EQ(m5_create_qp(&m, &spare[1]), 0, "CREATE_QP");
		REQUIRE_EQ(
			cmd_destroy(&vnic, HYV_OBJ_QP, spare[0].ep.qp.handle),
			0, "DESTROY");
		gbuf_free(&spare[0].mem.ring);
		m5_memory_init(&spare[2].mem, &gm, M5_SQ_WQES * 64,
			       &page[(i + 2) % 4], 128);
		REQUIRE_EQ(m5_create_qp(&m, &spare[2]), 0, "CREATE_QP");
		/* Its record shares no page with those of m. */
		ep_connect(&spare[1].ep, &spare[2].ep);
		gbuf_free(&m.qp[0].mem.ring);
		gbuf_free(&m.qp[1].mem.ring);
		m.qp[0] = spare[1];
		m.qp[1] = spare[2];
		m5_expect_write(&m, 0, i, "with a record in another page");
		m5_expect_write(&m, 1, i, "with a record at a used address");
		m5_destroy(&m);
	}
	tap_ok(true, "records at addresses that were used before");
	for (i = 0; i < 4; i++)
		gbuf_free(&page[i]);
}

/* --- Resize --- */

static int resize(struct m5 *m, uint32_t cqe, struct gbuf *ring,
		  uint64_t list_length)
{
	struct mlx5_ib_resize_cq in = {};
	struct req r;

	m5_resize_cq_head(&r, m->cq.handle, cqe, &in, ring);
	m5_list(&r, M5_RING, ring, list_length);
	return status_of(&r);
}

/*
 * The HCA has written an entry to the old ring that says where the new one
 * begins.
 */
static void resized(struct m5 *m, struct gbuf *ring)
{
	m->cq.mem.ring = *ring;
	m->cq.entries = ring->length / M5_CQE_SIZE;
	m->cq.ci++;
}

static void test_resize(void)
{
	struct mlx5_ib_resize_cq in = {.reserved0 = 1};
	struct gbuf bigger, same, old;
	struct req r;
	struct m5 m;
	long before;

	m5_init(&m, &vnic);
	gbuf_init(&bigger, &gm, 256 * M5_CQE_SIZE, 0, GBUF_SCATTERED);
	gbuf_init(&same, &gm, 256 * M5_CQE_SIZE, 0, GBUF_SCATTERED);
	m5_cq_clear(&bigger);
	m5_cq_clear(&same);
	tap_is(resize(&m, 255, &bigger, bigger.length - DT_PAGE), HYV_S_EINVAL,
	       "RESIZE_CQ with a short list");
	tap_is(resize(&m, 127, &bigger, bigger.length), HYV_S_EINVAL,
	       "RESIZE_CQ with a long list");
	m5_resize_cq_head(&r, m.cq.handle, 255, &in, &bigger);
	m5_list(&r, M5_RING, &bigger, bigger.length);
	tap_is(status_of(&r), HYV_S_EINVAL, "RESIZE_CQ with a reserved field");
	m5_expect_write(&m, 0, 1, "after refused RESIZE_CQs");

	before = pinned_bytes();
	old = m.cq.mem.ring;
	REQUIRE_EQ(resize(&m, 255, &bigger, bigger.length), 0, "RESIZE_CQ");
	tap_is(pinned_bytes() - before, (long)(bigger.length - old.length),
	       "the new queue is pinned");
	resized(&m, &bigger);
	m5_expect_write(&m, 0, 2, "into the new queue");
	before = pinned_bytes();
	tap_is(resize(&m, 255, &same, same.length), 0,
	       "RESIZE_CQ to the same size");
	tap_is(pinned_bytes(), before, "pins nothing");
	m5_expect_write(&m, 0, 3, "into the queue that stays");
	gbuf_free(&old);
	gbuf_free(&same);
	m5_destroy(&m);
}

/* --- Limits --- */

static void test_limits(void)
{
	struct hyv_set_limits limits = {.size = sizeof(limits)};
	struct m5_cq cq;
	uint32_t context;
	struct gbuf page;
	struct m5 m;
	long pinned;

	m5_init(&m, &vnic);
	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&cq.mem, &gm, (M5_CQE + 1) * M5_CQE_SIZE, &page, 0);
	pinned = pinned_bytes();
	limits.max_pinned = pinned + DT_PAGE;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_create_cq(&m, &cq), HYV_S_EDQUOT,
	       "CREATE_CQ with too much pinned");
	tap_is(pinned_bytes(), pinned, "and nothing charged");
	limits.max_pinned = pinned + 2 * DT_PAGE;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_create_cq(&m, &cq), 0, "CREATE_CQ at the limit");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CQ, cq.handle), 0, "DESTROY");

	limits.max_pinned = gm.size;
	limits.max_mr_bytes = dt_quota("mr_bytes", false) + DT_PAGE / 64 - 1;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_create_cq(&m, &cq), HYV_S_EDQUOT,
	       "what describes the pages of a queue counts");
	limits.max_mr_bytes++;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_create_cq(&m, &cq), 0, "CREATE_CQ at that limit");
	tap_is(dt_quota("mr_bytes", false), (long)limits.max_mr_bytes,
	       "its bytes are in use");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CQ, cq.handle), 0, "DESTROY");
	limits.max_mr_bytes = 1 << 30;
	limits.max_doorbell_pages = 2 * M5_UARS - 1;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_alloc_context(&vnic, &m5_context_request, &context, NULL),
	       HYV_S_EDQUOT, "doorbell pages count");
	limits.max_doorbell_pages = 2 * M5_UARS;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_alloc_context(&vnic, &m5_context_request, &context, NULL), 0,
	       "ALLOC_CONTEXT at the limit");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	limits.max_doorbell_pages = DOORBELL_PAGES;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	gbuf_free(&cq.mem.ring);
	gbuf_free(&page);
	m5_destroy(&m);
	tap_is(pinned_bytes(), 0, "nothing is pinned in the end");
	limits.max_doorbell_pages = M5_UARS;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	tap_is(m5_alloc_context(&vnic, &m5_context_request, &context, NULL), 0,
	       "no doorbell pages are left");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	limits.max_doorbell_pages = DOORBELL_PAGES;
	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
}

/* Limits of a user of hyvs: contexts, and half of the device's PDs. */
#define USER_CONTEXTS 1024
#define USER_PDS      32768

/* A guest that takes all it gets, in a VMM of its own. */
struct greedy {
	struct hostile_pipe full, end;
	atomic_uint *contexts, *pds;
};

static void greedy_vmm(void *arg)
{
	struct greedy *g = arg;
	uint32_t context, first, pd;
	struct gmem mem;
	struct vnic v;
	int ret;

	gmem_init(&mem, GMEM_MEMFD);
	vnic_open(&v, &mem);
	REQUIRE_EQ(m5_alloc_context(&v, &m5_context_request, &first, NULL), 0,
		   "ALLOC_CONTEXT");
	*g->contexts = 1;
	while (!(ret = m5_alloc_context(&v, &m5_context_request, &context,
					NULL)))
		++*g->contexts;
	REQUIRE_EQ(ret, HYV_S_EDQUOT, "the last ALLOC_CONTEXT");
	while (!(ret = cmd_alloc_pd(&v, first, &pd)))
		++*g->pds;
	REQUIRE_EQ(ret, HYV_S_EDQUOT, "the last ALLOC_PD");
	hostile_tell(&g->full);
	hostile_hear(&g->end, 600);
}

/* It leaves as much to a vNIC of another VMM of the same user, by default. */
static void test_neighbour(void)
{
	uint32_t context, pd;
	struct greedy g;
	struct vnic v;
	pid_t pid;

	g.contexts = mmap(NULL, DT_PAGE, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(g.contexts != MAP_FAILED, "mmap");
	g.pds = g.contexts + 1;
	hostile_pipe(&g.full);
	hostile_pipe(&g.end);
	pid = hostile_fork(greedy_vmm, &g);
	REQUIRE(hostile_hear(&g.full, 120), "a guest that takes all it gets");
	tap_ok(*g.contexts > USER_CONTEXTS / 4 &&
		       *g.contexts <= USER_CONTEXTS / 2,
	       "a guest has %u contexts", *g.contexts);
	tap_ok(*g.pds > USER_PDS / 4 && *g.pds <= USER_PDS / 2, "and %u PDs",
	       *g.pds);
	vnic_open(&v, &gm);
	tap_is(m5_alloc_context(&v, &m5_context_request, &context, NULL), 0,
	       "another VMM can attach, and its guest has a context");
	tap_is(cmd_alloc_pd(&v, context, &pd), 0, "and a PD");
	vnic_close(&v);
	hostile_tell(&g.end);
	hostile_expect_end(pid, "the greedy one");
	munmap(g.contexts, DT_PAGE);
}

#define CONTEXTS_PARAMETER "/sys/module/hyvs/parameters/max_contexts_per_user"

/* It is not for the limits of hyv.ko that this fails. */
static void test_no_context(void)
{
	int file = hyv_open(), uverbs = uverbs_open();

	REQUIRE(!dt_run("echo 0 >" CONTEXTS_PARAMETER), "a limit of hyvs");
	tap_is(hyv_attach_fd(file, uverbs, ""), -ENOSPC,
	       "ATTACH to an HCA that its user may not open again");
	REQUIRE(!dt_run("echo %u >" CONTEXTS_PARAMETER, USER_CONTEXTS),
		"a limit of hyvs");
	tap_is(hyv_attach_fd(file, uverbs, ""), 0, "ATTACH when it may");
	close(file);
	close(uverbs);
}

/* A slot that the VMM has moved; what it saw of it then. */
struct moved {
	int status;
	bool readable;
};

static bool readable(const void *at)
{
	int fd[2];
	bool ret;

	REQUIRE(!pipe2(fd, O_CLOEXEC), "pipe");
	ret = write(fd[1], at, 1) == 1;
	close(fd[0]);
	close(fd[1]);
	return ret;
}

static void moving_vmm(void *arg)
{
	struct moved *moved = arg;
	struct gbuf page;
	struct m5_cq cq;
	struct gmem mem;
	struct vnic v;
	struct m5 m;
	size_t len;
	char *at;

	gmem_init(&mem, GMEM_MEMFD);
	vnic_open(&v, &mem);
	m5_init(&m, &v);
	gbuf_init(&page, &mem, DT_PAGE, 0, GBUF_SCATTERED);
	m5_memory_init(&cq.mem, &mem, (M5_CQE + 1) * M5_CQE_SIZE, &page, 0);
	/* Slots are taken in order; m has the first one. */
	hostile_find_stitch(&at, &len);
	REQUIRE(mremap(at + 100 * DT_PAGE, DT_PAGE, DT_PAGE,
		       MREMAP_MAYMOVE | MREMAP_FIXED,
		       at + DT_PAGE) != MAP_FAILED,
		"mremap");
	moved->status = m5_create_cq(&m, &cq);
	moved->readable = readable(at + DT_PAGE);
}

/* A record is at the VMM's address for a call only, also if that was moved. */
static void test_moved_slot(void)
{
	struct moved *moved = mmap(NULL, DT_PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	REQUIRE(moved != MAP_FAILED, "mmap");
	moved->readable = true;
	hostile_expect_end(hostile_fork(moving_vmm, moved),
			   "a VMM that moves records");
	tap_is(moved->status, HYV_S_EFAULT, "CREATE_CQ with a moved slot");
	tap_ok(!moved->readable, "its record is seen nowhere after that");
	munmap(moved, DT_PAGE);
}

/* The VMM's own use of the addresses for records harms only itself. */
static void test_reset(void)
{
	struct m5 m;
	int i;

	for (i = 0; i < 3; i++) {
		m5_init(&m, &vnic);
		m5_expect_write(&m, 0, i, "before a reset");
		REQUIRE_EQ(vnic_reset(&vnic), 0, "RESET");
		REQUIRE_EQ(vnic_set_features(&vnic, vnic_features(&vnic)), 0,
			   "SET_FEATURES");
	}
	tap_is(pinned_bytes(), 0, "nothing is pinned after a reset");
	m5_init(&m, &vnic);
	m5_expect_write(&m, 0, 1, "after resets");
	m5_destroy(&m);
}

static void test_kvm_doorbells(void)
{
	kvm_doorbells(&vnic);
}

void suite_mlx5(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&vnic, &gm);
	tap_is(le32toh(vnic.config.driver_id), 1, "the driver is mlx5's");
	test_use();
	test_lists();
	test_context();
	test_fields();
	test_mmap();
	test_own_doorbells();
	test_full_window();
	test_own_race();
	test_records();
	test_reuse();
	test_resize();
	test_limits();
	test_neighbour();
	test_no_context();
	test_moved_slot();
	test_reset();
	test_kvm_doorbells();
	vnic_close(&vnic);
	gmem_free(&gm);
	dt_expect_counts(&before, "in the end");
}
