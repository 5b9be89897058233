// SPDX-License-Identifier: GPL-2.0-only
/*
 * HCAs whose driver fails, has unusual memory, or calls back late. Needs the
 * mock HCA and the build of hyv.ko that knows it (tests/mock).
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"
#include "harness.h"
#include "life.h"
#include "mockctl.h"
#include "suites.h"

static struct gmem gm;
static struct gbuf buf;
static struct gbuf mi;

static void mock_begin(void)
{
	mock_clear();
	mock_set("disassociate", "1");
	gmem_init(&gm, GMEM_MEMFD);
	gbuf_init(&buf, &gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&mi, &gm, sizeof(struct mminfo), DT_PAGE - 8, GBUF_SCATTERED);
}

/* All objects of a process, and their end. */
static void mock_works(struct vnic *v, const char *when)
{
	struct life l;

	life_begin(&l, v, &buf, &mi);
	tap_is(life_create(&l), 0, "%s: all commands work", when);
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, l.context), 0,
	       "%s: DESTROY of the context", when);
}

/* A new vNIC on the HCA works. */
static void mock_works_anew(const char *when)
{
	struct vnic v;

	vnic_open(&v, &gm);
	mock_works(&v, when);
	vnic_close(&v);
}

/* --- Calls that fail --- */

static const struct {
	int error;
	int status;
} failures[] = {
	{ENOMEM, HYV_S_ENOMEM},
	{EAGAIN, HYV_S_EAGAIN},
	{EIO, HYV_S_EIO},
	/* An errno without a number in the protocol. */
	{EREMOTEIO, HYV_S_EIO},
};

/* A step fails in the middle of a life, which then goes on. */
static void test_failing_step(struct vnic *v, size_t n, int error, int status)
{
	const struct life_step *step = &life_steps[n];
	struct mock_held before;
	char counter[64];
	long failed;
	struct life l;
	size_t i;
	int bad = 0;

	snprintf(counter, sizeof(counter), "failed.%s", step->verb);
	failed = mock_counter(counter);
	mock_held(&before);
	life_begin(&l, v, &buf, &mi);
	for (i = 0; i < n; i++)
		bad += !!life_steps[i].run(&l);
	REQUIRE_EQ(bad, 0, "%s: all steps before it", step->name);

	mock_rule("%s error=%d", step->verb, error);
	tap_is(step->run(&l), status, "%s if the driver's %s fails with %d",
	       step->name, step->verb, error);
	tap_ok(mock_counter(counter) > failed, "%s was called", step->verb);
	mock_clear();
	for (; i < life_nr_steps; i++)
		bad += !!life_steps[i].run(&l);
	tap_is(bad, 0, "%s: it and all steps after it work again", step->name);
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, l.context), 0,
	       "%s: DESTROY of the context", step->name);
	mock_expect_held(&before, step->name);
}

static void test_failing_steps(struct vnic *v)
{
	size_t i, j;

	for (i = 0; i < life_nr_steps; i++)
		for (j = 0; j < ARRAY_SIZE(failures); j++)
			test_failing_step(v, i, failures[j].error,
					  failures[j].status);
}

/* A DESTROY fails, and succeeds when it is sent again. */
static void test_failing_destroys(struct vnic *v)
{
	const struct life_end *end;
	struct mock_held before;
	struct life l;
	size_t i;

	mock_held(&before);
	life_begin(&l, v, &buf, &mi);
	REQUIRE_EQ(life_create(&l), 0, "all steps");
	for (i = 0; i < life_nr_ends; i++) {
		end = &life_ends[i];
		/* A refusal that is hidden cannot be repaired. */
		if (!end->hidden) {
			mock_rule("%s error=%d calls=1", end->verb, EIO);
			tap_is(life_destroy(&l, i), HYV_S_EIO,
			       "DESTROY of %s that the driver refuses",
			       end->name);
		}
		if (!end->again)
			tap_is(life_destroy(&l, i), 0, "DESTROY of %s",
			       end->name);
	}
	mock_clear();
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, l.context), 0,
	       "DESTROY of the context");
	mock_expect_held(&before, "after refused commands");
}

static void test_failing_attach(void)
{
	int uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	int fd = hyv_open(), ret;
	struct mock_held before;

	REQUIRE(uverbs >= 0, "%s opens", dt_uverbs());
	mock_held(&before);
	mock_rule("alloc_ucontext error=%d", ENOMEM);
	ret = hyv_attach_fd(fd, uverbs, "mock");
	tap_ok(!ret || ret == -ENOMEM, "ATTACH if contexts cannot be made: %d",
	       ret);
	mock_clear();
	if (ret)
		tap_is(hyv_attach_fd(fd, uverbs, "mock"), 0, "ATTACH again");
	close(uverbs);
	close(fd);
	mock_expect_held(&before, "after ATTACH");
}

static void test_rereg_new(struct vnic *v)
{
	struct mock_held before;
	struct life l;

	mock_held(&before);
	life_begin(&l, v, &buf, &mi);
	mock_set("rereg_new", "1");
	tap_is(life_create(&l), 0, "all steps, if REREG_MR makes a new MR");
	tap_is(mock_counter("held.mr"), before.mr + 1, "the old MR is gone");
	mock_set("rereg_new", "0");
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, l.context), 0,
	       "DESTROY of the context");
	mock_expect_held(&before, "after a new MR");
}

/*
 * The old PD may end before an MR that was moved to another PD, also if the
 * driver fails after it has moved it.
 */
static void test_rereg_pd(struct vnic *v, const char *moves, int status)
{
	uint32_t context, pd[2];
	struct mock_held before;
	struct mr_info mr;
	struct rsp rsp;
	struct req r;

	mock_held(&before);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd[0]), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd[1]), 0, "ALLOC_PD");
	REQUIRE_EQ(cmd_reg_mr(v, pd[0], &buf, ACCESS_LOCAL, &mr), 0, "REG_MR");
	req_rereg_mr(&r, mr.handle, HYV_REREG_PD, pd[1], 0, 0);
	mock_set("rereg_moves", moves);
	tap_is(vnic_exec(v, &r, &rsp), status, "REREG_MR to another PD");
	mock_set("rereg_moves", "0");
	tap_is(cmd_destroy(v, HYV_OBJ_PD, pd[1]), HYV_S_EBUSY,
	       "the MR uses the new PD");
	tap_is(cmd_destroy(v, HYV_OBJ_PD, pd[0]), 0,
	       "the MR does not use the old PD");
	tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0,
	       "DESTROY of the context");
	mock_expect_held(&before, "after a change of PD");
}

/* --- Memory of queues --- */

static int map_queue(struct vnic *v, uint32_t context, const struct mminfo *q,
		     uint32_t prot, struct hyv_mmap_rsp *out)
{
	struct hyv_mmap_req req = {
		.context = htole32(context),
		.prot = htole32(prot),
		.offset = htole64(q->offset),
		.length = htole64(q->size),
	};
	struct rsp rsp;
	struct req r;
	int ret;

	req_init(&r, HYV_CMD_MMAP, &req, sizeof(req));
	ret = vnic_exec(v, &r, &rsp);
	*out = rsp.mmap;
	return ret;
}

static uint64_t window_word(struct vnic *v, const struct hyv_mmap_rsp *rsp)
{
	return *(volatile uint64_t *)(v->window + le64toh(rsp->window_offset));
}

/* A queue of one kind of memory: mapped, outliving its CQ, unmapped. */
static void test_page_kind(struct vnic *v, unsigned int kind, uint8_t cache)
{
	bool memory = kind == HYV_MOCK_PAGE_WB || kind == HYV_MOCK_PAGE_RO;
	struct hyv_mmap_rsp rsp;
	struct mock_held before;
	uint32_t prot = HYV_MMAP_READ | HYV_MMAP_WRITE;
	struct cq_info cq;
	uint32_t context;
	char text[4];

	mock_held(&before);
	snprintf(text, sizeof(text), "%u", kind);
	mock_set("page_kind", text);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_create_cq(v, context, 15, 0, &cq), 0, "CREATE_CQ");
	if (kind == HYV_MOCK_PAGE_RO) {
		tap_is(map_queue(v, context, &cq.mi, prot, &rsp), HYV_S_EPERM,
		       "MMAP for writing of memory that is read-only");
		prot = HYV_MMAP_READ;
	}
	tap_is(map_queue(v, context, &cq.mi, prot, &rsp), 0,
	       "MMAP of memory of kind %u", kind);
	tap_is(rsp.cache, cache, "kind %u: its cache attribute", kind);
	if (memory)
		tap_ok(window_word(v, &rsp) == HYV_MOCK_MAGIC,
		       "kind %u: it is the driver's memory", kind);
	else
		window_word(v, &rsp);
	tap_is(cmd_destroy(v, HYV_OBJ_CQ, cq.handle), 0, "DESTROY of the CQ");
	tap_is(mock_counter("held.page"), before.page + 1,
	       "kind %u: the memory stays while it is mapped", kind);
	if (memory)
		tap_ok(window_word(v, &rsp) == HYV_MOCK_MAGIC,
		       "kind %u: it is still the driver's memory", kind);
	tap_is(cmd_munmap(v, context, le64toh(rsp.window_offset)), 0, "MUNMAP");
	tap_is(mock_counter("held.page"), before.page,
	       "kind %u: unmapped memory is freed", kind);
	tap_ok(window_word(v, &rsp) != HYV_MOCK_MAGIC,
	       "kind %u: it has left the window", kind);
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	mock_set("page_kind", "0");
	mock_expect_held(&before, "after a mapping");
}

/* The end of a process, and of a vNIC, with a queue of several pages mapped. */
static void test_mapped_end(unsigned int kind, bool close)
{
	uint32_t prot = kind == HYV_MOCK_PAGE_RO
				? HYV_MMAP_READ
				: HYV_MMAP_READ | HYV_MMAP_WRITE;
	struct hyv_mmap_rsp rsp;
	struct mock_held before;
	struct cq_info cq;
	struct vnic v;
	uint32_t context;
	size_t page;
	char text[4];

	mock_held(&before);
	snprintf(text, sizeof(text), "%u", kind);
	mock_set("page_kind", text);
	vnic_open(&v, &gm);
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	/* An element has 64 bytes. */
	REQUIRE_EQ(cmd_create_cq(&v, context, HYV_MOCK_IO_PAGES * 64, 0, &cq),
		   0, "CREATE_CQ");
	tap_is(cq.mi.size, HYV_MOCK_IO_PAGES * DT_PAGE, "kind %u: %u pages",
	       kind, HYV_MOCK_IO_PAGES);
	tap_is(map_queue(&v, context, &cq.mi, prot, &rsp), 0,
	       "kind %u: MMAP of several pages", kind);
	for (page = 0; page < HYV_MOCK_IO_PAGES; page++)
		*(volatile uint8_t *)(v.window + le64toh(rsp.window_offset) +
				      page * DT_PAGE);
	if (!close)
		tap_is(cmd_destroy(&v, HYV_OBJ_CONTEXT, context), 0,
		       "kind %u: DESTROY of a context with a mapping", kind);
	if (!close)
		memset(v.window, 1, v.window_size);
	vnic_close(&v);
	mock_set("page_kind", "0");
	mock_expect_held(&before, close ? "closed with a mapping"
					: "a context ends with a mapping");
}

/* Like hardware: the driver pins a queue in memory of the caller. */
static void test_user_queue(struct vnic *v)
{
	struct hyv_mock_create_req in = {
		.addr = (uintptr_t)gm.base,
		.length = 4 * DT_PAGE,
	};
	struct hyv_create_cq_req req = {.cqe = htole32(15)};
	long pinned = dt_pinned_kib();
	struct mock_held before;
	uint32_t context;
	struct rsp rsp;
	struct req r;

	mock_held(&before);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	req.context = htole32(context);
	req_init(&r, HYV_CMD_CREATE_CQ, &req, sizeof(req));
	req_udata(&r, &in, sizeof(in), sizeof(struct rxe_create_cq_resp));
	tap_is(vnic_exec(v, &r, &rsp), 0, "CREATE_CQ with user memory");
	tap_is(mock_counter("held.umem"), before.umem + 1,
	       "the driver has pinned it");
	tap_is(dt_pinned_kib(), pinned + 16, "the process is charged for it");
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	tap_is(dt_pinned_kib(), pinned, "nothing is pinned after the end");
	mock_expect_held(&before, "after a queue in user memory");
}

/* --- Behind memory that is stitched --- */

#define NEIGHBOURS 64

/*
 * Memory of the VMM, directly below which a mapping of a page will be: these
 * take all room above.
 */
static void neighbours_map(void *neighbour[NEIGHBOURS])
{
	int i;

	for (i = 0; i < NEIGHBOURS; i++) {
		neighbour[i] =
			mmap(NULL, DT_PAGE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		REQUIRE(neighbour[i] != MAP_FAILED, "memory of the VMM");
	}
}

static void neighbours_unmap(void *neighbour[NEIGHBOURS])
{
	int i;

	for (i = 0; i < NEIGHBOURS; i++)
		munmap(neighbour[i], DT_PAGE);
}

/* The guest describes a page, and the driver pins @length bytes. */
static int create_srq_in(struct vnic *v, uint32_t pd, const struct gbuf *page,
			 uint64_t length, uint32_t *srq)
{
	struct hyv_mock_create_req in = {.addr = page->va, .length = length};
	struct hyv_chunk chunk;
	struct rsp rsp;
	struct req r;
	int ret;

	REQUIRE_EQ(gbuf_chunks(page, 0, DT_PAGE, &chunk), 1, "one chunk");
	req_create_srq(&r, pd, 15, 1);
	req_udata(&r, &in, sizeof(in), sizeof(struct rxe_create_srq_resp));
	req_list(&r, 0, page->va, DT_PAGE, &chunk, 1);
	ret = vnic_exec(v, &r, &rsp);
	if (!ret)
		*srq = le32toh(rsp.create_srq.handle);
	return ret;
}

/*
 * A driver that takes a queue to be longer than its range finds no memory
 * there. With few mappings at once, pages are inserted into a single one.
 */
static void test_guard(struct vnic *v, uint64_t mappings, const char *how)
{
	struct hyv_set_limits limits = {
		.size = sizeof(limits),
		.max_stitch_vmas = mappings,
	};
	void *neighbour[NEIGHBOURS];
	struct mock_held before;
	uint32_t context, pd, srq;
	struct gbuf page;

	REQUIRE_EQ(vnic_set_limits(v, &limits), 0, "SET_LIMITS");
	gbuf_init(&page, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	mock_held(&before);
	neighbours_map(neighbour);
	tap_is(create_srq_in(v, pd, &page, DT_PAGE + 1, &srq), HYV_S_EFAULT,
	       "%s: a driver finds no memory behind a queue", how);
	neighbours_unmap(neighbour);
	mock_expect_held(&before, "after memory that is not there");
	tap_is(create_srq_in(v, pd, &page, DT_PAGE, &srq), 0,
	       "%s: CREATE_SRQ in guest memory", how);
	tap_is(mock_counter("held.umem"), before.umem + 1,
	       "%s: the driver has pinned it", how);
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, context), 0, "DESTROY");
	gbuf_free(&page);
}

void suite_mock(void)
{
	struct mock_held before;
	unsigned int kind;
	struct vnic v;

	mock_begin();
	mock_held(&before);
	test_failing_attach();
	vnic_open(&v, &gm);
	mock_works(&v, "the mock");
	test_failing_steps(&v);
	test_failing_destroys(&v);
	test_rereg_new(&v);
	test_rereg_pd(&v, "0", 0);
	test_rereg_pd(&v, "1", HYV_S_EOPNOTSUPP);
	test_page_kind(&v, HYV_MOCK_PAGE_WB, HYV_CACHE_WB);
	test_page_kind(&v, HYV_MOCK_PAGE_RO, HYV_CACHE_WB);
	test_page_kind(&v, HYV_MOCK_PAGE_UC, HYV_CACHE_UC);
	test_page_kind(&v, HYV_MOCK_PAGE_WC, HYV_CACHE_WC);
	test_user_queue(&v);
	test_guard(&v, 8192, "piece by piece");
	test_guard(&v, 1, "page by page");
	vnic_close(&v);
	for (kind = 0; kind < HYV_MOCK_PAGES; kind++) {
		test_mapped_end(kind, false);
		test_mapped_end(kind, true);
	}
	mock_expect_held(&before, "after all");
	mock_check("failures");
}

/* hyv.ko as it is shipped does not know the mock. */
void suite_nomock(void)
{
	int uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	int fd = hyv_open();

	REQUIRE(uverbs >= 0, "%s opens", dt_uverbs());
	tap_is(hyv_attach_fd(fd, uverbs, "mock"), -EOPNOTSUPP,
	       "ATTACH to the mock with the product's hyv.ko");
	close(uverbs);
	close(fd);
}

/* --- Late callbacks --- */

/* No event of an object comes after the reply to its DESTROY. */
static bool silent(struct evq *q, uint32_t handle, unsigned int ms)
{
	uint64_t end = dt_now_ms() + ms;
	struct hyv_event ev;
	bool quiet = true;

	while (dt_now_ms() < end)
		if (evq_get(q, &ev, 5) && le32toh(ev.handle) == handle &&
		    (le16toh(ev.type) == HYV_EVENT_COMP ||
		     le16toh(ev.type) == HYV_EVENT_CQ))
			quiet = false;
	return quiet;
}

static void drain(struct evq *q)
{
	struct hyv_event ev;

	while (evq_get(q, &ev, 50))
		;
}

static void evq_run(struct evq *q, struct vnic *v)
{
	evq_init(q, v, 0, 16, false);
	evq_post_all(q);
	REQUIRE_EQ(evq_start(q, v, 0), 0, "SET_EVENT_QUEUE");
}

/* The driver's callbacks run on when the objects are destroyed. */
static void test_late_destroy(void)
{
	uint64_t calls;
	struct evq q;
	struct vnic v;
	struct life l;
	size_t i;

	vnic_open(&v, &gm);
	evq_run(&q, &v);
	/* Longer than the others and drain() take, on a slow machine, too. */
	mock_rule("destroy_cq late=1000");
	mock_rule("destroy_qp late=20");
	mock_rule("destroy_srq late=20");
	life_begin(&l, &v, &buf, &mi);
	REQUIRE_EQ(life_create(&l), 0, "all steps");
	drain(&q);
	calls = mock_counter("callbacks");
	/* The CQ's users come before it, and others do not matter. */
	for (i = 0; i < life_nr_ends; i++)
		if (life_has_end(i))
			REQUIRE_EQ(life_destroy(&l, i), 0, "DESTROY of %s",
				   life_ends[i].name);
	drain(&q);
	tap_ok(mock_wait("late", 1), "a callback is still to come");
	tap_ok(silent(&q, l.cq.handle, 1300),
	       "no event of a CQ comes after its end");
	tap_ok(mock_wait("late", 0), "late callbacks return");
	tap_ok(mock_counter("callbacks") >= (long)calls + 3,
	       "there were late callbacks");
	evq_free(&q);
	vnic_close(&v);
	mock_clear();
}

/* The same, but the vNIC is reset or closed at once. */
static void test_late_end(bool reset)
{
	struct evq q;
	struct vnic v;
	struct life l;
	int i;

	mock_rule("destroy_cq late=%d", 20);
	mock_rule("destroy_qp late=%d", 20);
	mock_rule("destroy_srq late=%d", 20);
	for (i = 0; i < 8; i++) {
		vnic_open(&v, &gm);
		evq_run(&q, &v);
		life_begin(&l, &v, &buf, &mi);
		REQUIRE_EQ(life_create(&l), 0, "all steps");
		mock_set("raise", "comp");
		mock_set("raise", "async");
		if (reset)
			REQUIRE_EQ(vnic_reset(&v), 0, "RESET");
		vnic_close(&v);
		evq_free(&q);
	}
	tap_ok(mock_wait("late", 0), "late callbacks return after %s",
	       reset ? "reset" : "close");
	mock_clear();
}

/* Interrupts raise events of all objects while these come and go. */
static void test_storm(void)
{
	struct evq q;
	struct vnic v;
	struct life l;
	int i, bad = 0;
	long calls;

	calls = mock_counter("callbacks");
	vnic_open(&v, &gm);
	mock_set("period", "1");
	for (i = 0; i < 40; i++) {
		if (!(i % 4))
			evq_run(&q, &v);
		life_begin(&l, &v, &buf, &mi);
		bad += !!life_create(&l);
		mock_set("raise", i % 2 ? "port" : "comp");
		if (i % 2)
			bad += !!cmd_destroy(&v, HYV_OBJ_CONTEXT, l.context);
		if (i % 4 != 3)
			continue;
		bad += !!vnic_reset(&v);
		bad += !!vnic_set_features(&v, vnic_features(&v));
		evq_free(&q);
	}
	vnic_close(&v);
	mock_set("period", "0");
	tap_is(bad, 0, "all commands and resets work in a storm of events");
	tap_ok(mock_counter("callbacks") > calls + 40, "%ld events were raised",
	       mock_counter("callbacks") - calls);
}

void suite_mocklate(void)
{
	struct mock_held before;

	mock_begin();
	mock_held(&before);
	test_late_destroy();
	test_late_end(false);
	test_late_end(true);
	test_storm();
	mock_works_anew("after late callbacks");
	mock_expect_held(&before, "after late callbacks");
	mock_check("late callbacks");
}
