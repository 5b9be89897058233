// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings in the window and their undo.
 */
#include <endian.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <sys/mman.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"

static struct fixture fix;

/* Write to every page of the window. A hole would end the group by a signal. */
static void touch_all(struct vnic *v, const char *when)
{
	volatile uint8_t *at;

	for (at = v->window; at < v->window + v->window_size; at += DT_PAGE)
		*at += 0;
	tap_ok(true, "the window has no hole %s", when);
}

static bool is_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

/* Pages of the window that have memory of queues of @bytes in all. */
static void expect_used(struct vnic *v, size_t bytes, const char *when)
{
	tap_is(vnic_window_used(v), bytes / DT_PAGE,
	       "%zu bytes of queues are seen %s", bytes, when);
}

static void test_map(void)
{
	struct vnic *v = &fix.v;
	size_t own = fix.cq.mi.size;
	struct cq_info cq;
	uint64_t at, twice;
	uint32_t len;

	touch_all(v, "with mappings");
	expect_used(v, own, "with the fixture's CQ");
	REQUIRE_EQ(cmd_create_cq(v, fix.context, 500, 0, &cq), 0, "CREATE_CQ");
	len = cq.mi.size;
	REQUIRE_EQ(cmd_mmap(v, fix.context, &cq.mi, &at), 0, "MMAP");
	expect_used(v, own + len, "with another CQ");
	tap_ok(at + len <= v->window_size &&
		       (at >= fix.cq_offset + fix.cq.mi.size ||
			at + len <= fix.cq_offset),
	       "mappings do not overlap");
	tap_ok(!is_zero(v->window + at, 128), "a queue has a header");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &twice), HYV_S_EINVAL,
	       "MMAP of rxe's queue twice");
	expect_used(v, own + len, "after a refused MMAP");
	touch_all(v, "after a refused MMAP");

	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");
	expect_used(v, own, "after MUNMAP");
	touch_all(v, "after MUNMAP");
	memset(v->window + at, 0x5a, len);
	tap_is(v->window[at + len - 1], 0x5a,
	       "an unmapped page can be written");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &twice), HYV_S_EINVAL,
	       "MMAP of rxe's queue after MUNMAP");
	tap_is(cmd_munmap(v, fix.context, at), HYV_S_ENOENT, "MUNMAP twice");
	tap_is(cmd_munmap(v, fix.context, at + DT_PAGE), HYV_S_ENOENT,
	       "MUNMAP of nothing");
	tap_is(cmd_munmap(v, fix.context, fix.cq_offset + 8), HYV_S_ENOENT,
	       "MUNMAP inside of a mapping");
	tap_is(cmd_munmap(v, fix.context, ~0ULL), HYV_S_ENOENT,
	       "MUNMAP outside of the window");
}

static int mmap_with(uint32_t prot, uint64_t offset, uint64_t length,
		     uint64_t *at)
{
	struct hyv_mmap_req *req;
	struct rsp rsp;
	struct req r;
	int ret;

	req_mmap(&r, fix.context, offset, length);
	req = (void *)r.data;
	req->prot = htole32(prot);
	ret = vnic_exec(&fix.v, &r, &rsp);
	if (!ret) {
		*at = le64toh(rsp.mmap.window_offset);
		tap_is(rsp.mmap.cache, HYV_CACHE_WB,
		       "a queue in memory is cached");
	}
	return ret;
}

static void test_fields(void)
{
	const uint64_t offset = fix.cq2.mi.offset, size = fix.cq2.mi.size;
	const uint32_t rw = HYV_MMAP_READ | HYV_MMAP_WRITE;
	const struct {
		const char *what;
		uint32_t prot;
		uint64_t offset, length;
		int status;
	} cases[] = {
		{"unknown protection", 4, offset, size, HYV_S_EINVAL},
		{"no protection", 0, offset, size, HYV_S_EINVAL},
		{"no length", rw, offset, 0, HYV_S_EINVAL},
		{"odd length", rw, offset, size - 8, HYV_S_EINVAL},
		{"odd offset", rw, offset + 8, size, HYV_S_EINVAL},
		{"length that wraps", rw, offset, -DT_PAGE, HYV_S_EINVAL},
		{"offset that wraps", rw, -DT_PAGE, size, HYV_S_EINVAL},
		{"unknown offset", rw, 1ULL << 40, size, HYV_S_EINVAL},
		{"too long for the queue", rw, offset, size + DT_PAGE,
		 HYV_S_EINVAL},
		{"longer than the window", rw, offset, 2 * DT_WINDOW,
		 HYV_S_EINVAL},
		{"far longer than the window", rw, offset, 1ULL << 62,
		 HYV_S_EINVAL},
		{"as long as the address space", rw, 0, -DT_PAGE, HYV_S_EINVAL},
		{"as it should be", rw, offset, size, 0},
	};
	uint64_t at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(mmap_with(cases[i].prot, cases[i].offset,
				 cases[i].length, &at),
		       cases[i].status, "MMAP with %s", cases[i].what);
	touch_all(&fix.v, "after refused MMAPs");
	tap_is(cmd_munmap(&fix.v, fix.context, at), 0, "MUNMAP");
}

/* Only what the driver has said can be mapped, and only as a whole. */
static void test_regions(void)
{
	const uint32_t rw = HYV_MMAP_READ | HYV_MMAP_WRITE;
	struct vnic *v = &fix.v;
	struct cq_info cq, old;
	struct srq_info srq;
	uint32_t other;
	uint64_t at;

	REQUIRE_EQ(cmd_create_cq(v, fix.context, 500, 0, &cq), 0, "CREATE_CQ");
	tap_is(mmap_with(rw, cq.mi.offset, DT_PAGE, &at), HYV_S_EINVAL,
	       "MMAP of a part of a queue");
	tap_is(mmap_with(rw, cq.mi.offset + DT_PAGE, cq.mi.size - DT_PAGE, &at),
	       HYV_S_EINVAL, "MMAP of the end of a queue");

	REQUIRE_EQ(cmd_alloc_context(v, &other), 0, "ALLOC_CONTEXT");
	tap_is(cmd_mmap(v, other, &cq.mi, &at), HYV_S_EINVAL,
	       "MMAP of a queue of another context");
	REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CONTEXT, other), 0, "DESTROY");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &at), 0,
	       "MMAP of the whole queue after refusals");
	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");

	old = cq;
	REQUIRE_EQ(cmd_resize_cq(v, 1000, &cq), 0, "RESIZE_CQ");
	tap_is(cmd_mmap(v, fix.context, &old.mi, &at), HYV_S_EINVAL,
	       "MMAP of a queue that was replaced");
	old = cq;
	REQUIRE_EQ(cmd_resize_cq(v, 2000, &cq), 0, "RESIZE_CQ");
	tap_is(cmd_mmap(v, fix.context, &old.mi, &at), HYV_S_EINVAL,
	       "MMAP of a queue that was replaced and not mapped");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &at), 0,
	       "MMAP of the queue that replaced it");
	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");
	tap_is(cmd_destroy(v, HYV_OBJ_CQ, cq.handle), 0, "DESTROY");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &at), HYV_S_EINVAL,
	       "MMAP of a queue that was destroyed");

	REQUIRE_EQ(cmd_create_srq(v, fix.pd, 15, &srq), 0, "CREATE_SRQ");
	tap_is(cmd_mmap(v, fix.context, &srq.mi, &at), 0, "MMAP of an SRQ");
	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");
	REQUIRE_EQ(cmd_modify_srq(v, srq.handle, SRQ_MAX_WR, 1000, 0, &fix.mi),
		   0, "MODIFY_SRQ");
	gbuf_read(&fix.mi, 0, &srq.mi, sizeof(srq.mi));
	tap_is(cmd_mmap(v, fix.context, &srq.mi, &at), 0,
	       "MMAP of an SRQ that was resized");
	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");
	tap_is(cmd_destroy(v, HYV_OBJ_SRQ, srq.handle), 0, "DESTROY");
}

static void test_read_only(void)
{
	volatile uint8_t *page;
	struct cq_info cq;
	uint64_t at;

	REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 500, 0, &cq), 0,
		   "CREATE_CQ");
	tap_is(mmap_with(HYV_MMAP_READ, cq.mi.offset, cq.mi.size, &at), 0,
	       "MMAP for reading");
	page = fix.v.window + at;
	tap_ok(!is_zero(fix.v.window + at, 128),
	       "a read-only mapping can be read");
	page[DT_PAGE - 9] = 0x77;
	tap_is(page[DT_PAGE - 9], 0x77, "a write to it is not an error");
	/* It goes to the empty page, which is now seen. */
	expect_used(&fix.v, fix.cq.mi.size, "after the write");
	tap_is(cmd_munmap(&fix.v, fix.context, at), 0, "MUNMAP");
	touch_all(&fix.v, "after a read-only mapping");
}

static long vmalloc_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *f;

	f = fopen("/proc/meminfo", "r");
	REQUIRE(f, "/proc/meminfo");
	while (fgets(line, sizeof(line), f) &&
	       sscanf(line, "VmallocUsed: %ld", &kib) != 1)
		;
	fclose(f);
	REQUIRE(kib >= 0, "VmallocUsed");
	return kib;
}

static int map_lines(void)
{
	int c, n = 0;
	FILE *f;

	f = fopen("/proc/self/maps", "r");
	REQUIRE(f, "/proc/self/maps");
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

/*
 * A queue counts until it is destroyed and unmapped. Create, map and destroy
 * queues of 1 MiB; returns the status that ends it.
 */
static int keep_mappings(uint64_t *at, int max, int *n)
{
	struct cq_info cq;
	int ret;

	for (*n = 0; *n < max; (*n)++) {
		ret = cmd_create_cq(&fix.v, fix.context, 8191, 0, &cq);
		if (ret)
			return ret;
		REQUIRE_EQ(mmap_with(3, cq.mi.offset, DT_PAGE, at),
			   HYV_S_EINVAL, "MMAP of the first page");
		REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &cq.mi, &at[*n]), 0,
			   "MMAP");
		REQUIRE_EQ(cmd_destroy(&fix.v, HYV_OBJ_CQ, cq.handle), 0,
			   "DESTROY");
	}
	return 0;
}

static void test_charge(void)
{
	struct hyv_set_limits limits = {.max_queue_bytes = 8 << 20};
	static uint64_t at[100];
	long before;
	int n, again;

	fixture_renew(&fix);
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	before = vmalloc_kib();
	tap_is(keep_mappings(at, ARRAY_SIZE(at), &n), HYV_S_EDQUOT,
	       "queues that are destroyed but mapped reach the limit");
	tap_ok(n >= 4 && n <= 8, "%d queues of 1 MiB fit into 8 MiB", n);
	tap_ok(vmalloc_kib() - before < 16 << 10, "memory is bounded");

	tap_is(cmd_munmap(&fix.v, fix.context, at[0]), 0, "MUNMAP");
	tap_is(keep_mappings(at, ARRAY_SIZE(at), &again), HYV_S_EDQUOT,
	       "the limit is reached again after MUNMAP");
	tap_is(again, 1, "queues that fit after one MUNMAP");
	fixture_renew(&fix);
	tap_is(keep_mappings(at, ARRAY_SIZE(at), &again), HYV_S_EDQUOT,
	       "the limit is reached again after a reset");
	tap_is(again, n, "queues that fit after a reset");
	limits.max_queue_bytes = 1 << 30;
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	fixture_renew(&fix);
}

/* Each size of a CQ is other memory, and a mapping of the old one stays. */
static void test_resized(void)
{
	struct hyv_set_limits limits = {.max_queue_bytes = 1 << 20};
	struct cq_info cq;
	int lines, ret, n;
	uint64_t at;

	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 15, 0, &cq), 0,
		   "CREATE_CQ");
	lines = map_lines();
	for (n = 0; n < 1000; n++) {
		ret = cmd_resize_cq(&fix.v, 15, &cq);
		if (ret)
			break;
		REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &cq.mi, &at), 0,
			   "MMAP");
	}
	tap_is(ret, HYV_S_EDQUOT, "RESIZE_CQ and MMAP reach a limit");
	tap_ok(n > 50, "after %d times", n);
	tap_ok(map_lines() <= lines + 2,
	       "mappings of the guest are no mappings of the VMM");
	limits.max_queue_bytes = 1 << 30;
	REQUIRE_EQ(vnic_set_limits(&fix.v, &limits), 0, "SET_LIMITS");
	fixture_renew(&fix);
}

static void test_full(void)
{
	const uint32_t size = 8 << 20;
	struct cq_info cq[16];
	uint64_t at[16];
	int ret, i, n;

	/* Entries of 64 or 128 bytes: 2 or 4 MiB each. */
	for (n = 0; n < 16; n++) {
		REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 32767, 0, &cq[n]),
			   0, "CREATE_CQ");
		ret = cmd_mmap(&fix.v, fix.context, &cq[n].mi, &at[n]);
		if (ret)
			break;
	}
	tap_is(ret, HYV_S_ENOSPC, "MMAP into a full window, after %d", n);
	tap_ok(n > 2 && cq[0].mi.size <= size, "%d queues of %u bytes", n,
	       cq[0].mi.size);
	touch_all(&fix.v, "when it is full");
	tap_is(cmd_munmap(&fix.v, fix.context, at[1]), 0, "MUNMAP");
	tap_is(cmd_mmap(&fix.v, fix.context, &cq[n].mi, &at[n]), 0,
	       "MMAP after MUNMAP");
	tap_is(at[n], at[1], "the place is used again");
	for (i = 0; i < n; i++)
		tap_is(cmd_destroy(&fix.v, HYV_OBJ_CQ, cq[i].handle), 0,
		       "DESTROY of a CQ that is mapped");
	tap_ok(!is_zero(fix.v.window + at[0], 128),
	       "a mapping stays when its CQ is gone");
}

static void test_end(void)
{
	tap_ok(vnic_window_used(&fix.v) > 3, "there are mappings");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, fix.context), 0,
	       "DESTROY of a context with mappings");
	expect_used(&fix.v, 0, "after DESTROY");
	touch_all(&fix.v, "after DESTROY");

	fixture_renew(&fix);
	expect_used(&fix.v, fix.cq.mi.size, "with a new fixture");
	tap_is(vnic_reset(&fix.v), 0, "RESET");
	expect_used(&fix.v, 0, "after a reset");
	touch_all(&fix.v, "after a reset");
	fixture_renew(&fix);
	close(fix.v.fd);
	expect_used(&fix.v, 0, "after the file is closed");
	touch_all(&fix.v, "after the file is closed");
	munmap(fix.v.window, fix.v.window_size);
}

static void test_no_window(void)
{
	struct cq_info cq;
	uint32_t context;
	struct vnic v;
	uint64_t at;

	vnic_attach(&v, &fix.gm);
	REQUIRE_EQ(vnic_set_features(&v, 1ULL << 32), 0, "SET_FEATURES");
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_create_cq(&v, context, 15, 0, &cq), 0, "CREATE_CQ");
	tap_is(cmd_mmap(&v, context, &cq.mi, &at), HYV_S_ENOSPC,
	       "MMAP without a window");
	tap_is(cmd_munmap(&v, context, 0), HYV_S_ENOENT,
	       "MUNMAP without a window");
	vnic_close(&v);
}

static atomic_bool stop;

/* Map and unmap all the time. */
static void *map_thread(void *arg)
{
	struct cq_info cq;
	uint32_t context;
	uint64_t at;
	int n = 0;

	(void)arg;
	while (!atomic_load(&stop)) {
		REQUIRE_EQ(cmd_alloc_context(&fix.v, &context), 0,
			   "ALLOC_CONTEXT");
		REQUIRE_EQ(cmd_create_cq(&fix.v, context, 100, 0, &cq), 0,
			   "CREATE_CQ");
		REQUIRE_EQ(cmd_mmap(&fix.v, context, &cq.mi, &at), 0, "MMAP");
		REQUIRE(!is_zero(fix.v.window + at, 128), "the queue is there");
		if (n++ % 2)
			REQUIRE_EQ(cmd_munmap(&fix.v, context, at), 0,
				   "MUNMAP");
		REQUIRE_EQ(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, context), 0,
			   "DESTROY");
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t thread[3];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(thread); i++)
		REQUIRE(!pthread_create(&thread[i], NULL, map_thread, NULL),
			"pthread_create");
	dt_sleep_us(1500000);
	atomic_store(&stop, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	expect_used(&fix.v, fix.cq.mi.size, "after threads map and unmap");
	touch_all(&fix.v, "after threads have mapped and unmapped");
}

void suite_window(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_map();
	test_fields();
	test_regions();
	test_read_only();
	test_threads();
	test_charge();
	test_resized();
	test_full();
	test_end();
	test_no_window();
	dt_expect_counts(&before, "after all mappings");
}
