// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings in the window and their undo.
 */
#include <endian.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>

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

/* Lines of /proc/self/maps in the window that are not anonymous memory. */
static int mappings(struct vnic *v)
{
	unsigned long start, end, inode, from = (uintptr_t)v->window;
	char line[512];
	int n = 0;
	FILE *f;

	f = fopen("/proc/self/maps", "r");
	REQUIRE(f, "/proc/self/maps");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %*x %*x:%*x %lu", &start, &end,
			   &inode) == 3 &&
		    inode && start < from + v->window_size && end > from)
			n++;
	fclose(f);
	return n;
}

static void test_map(void)
{
	struct vnic *v = &fix.v;
	struct cq_info cq;
	uint64_t at;
	uint32_t len;

	touch_all(v, "with mappings");
	tap_is(mappings(v), 1, "the fixture's CQ is mapped");
	REQUIRE_EQ(cmd_create_cq(v, fix.context, 500, 0, &cq), 0, "CREATE_CQ");
	len = cq.mi.size;
	REQUIRE_EQ(cmd_mmap(v, fix.context, &cq.mi, &at), 0, "MMAP");
	tap_is(mappings(v), 2, "two mappings");
	tap_ok(at + len <= v->window_size &&
		       (at >= fix.cq_offset + fix.cq.mi.size ||
			at + len <= fix.cq_offset),
	       "mappings do not overlap");
	tap_ok(!is_zero(v->window + at, 128), "a queue has a header");
	tap_is(cmd_mmap(v, fix.context, &cq.mi, &at), HYV_S_EINVAL,
	       "MMAP of rxe's queue twice");
	tap_is(mappings(v), 2, "a refused MMAP leaves nothing");
	touch_all(v, "after a refused MMAP");

	tap_is(cmd_munmap(v, fix.context, at), 0, "MUNMAP");
	tap_is(mappings(v), 1, "one mapping");
	touch_all(v, "after MUNMAP");
	tap_ok(is_zero(v->window + at, len), "unmapped pages read as zeroes");
	memset(v->window + at, 0x5a, len);
	tap_is(v->window[at + len - 1], 0x5a,
	       "an unmapped page can be written");
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
		{"no length", rw, offset, 0, HYV_S_EINVAL},
		{"odd length", rw, offset, size - 8, HYV_S_EINVAL},
		{"odd offset", rw, offset + 8, size, HYV_S_EINVAL},
		{"length that wraps", rw, offset, -DT_PAGE, HYV_S_EINVAL},
		{"offset that wraps", rw, -DT_PAGE, size, HYV_S_EINVAL},
		{"unknown offset", rw, 1ULL << 40, size, HYV_S_EINVAL},
		{"too long for the queue", rw, offset, size + DT_PAGE,
		 HYV_S_EINVAL},
		{"longer than the window", rw, offset, 2 * DT_WINDOW,
		 HYV_S_ENOSPC},
		{"far longer than the window", rw, 0, 1ULL << 62, HYV_S_ENOSPC},
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

static sigjmp_buf fault;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(fault, 1);
}

static bool can_write(volatile uint8_t *at)
{
	static const struct sigaction catch = {.sa_handler = on_fault};
	struct sigaction old;
	bool ok = false;

	sigaction(SIGSEGV, &catch, &old);
	if (!sigsetjmp(fault, 1)) {
		*at = 0x77;
		ok = true;
	}
	sigaction(SIGSEGV, &old, NULL);
	return ok;
}

static void test_read_only(void)
{
	struct cq_info cq;
	uint64_t at;

	REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 15, 0, &cq), 0,
		   "CREATE_CQ");
	tap_is(mmap_with(HYV_MMAP_READ, cq.mi.offset, cq.mi.size, &at), 0,
	       "MMAP for reading");
	tap_ok(!is_zero(fix.v.window + at, 128),
	       "a read-only mapping can be read");
	tap_ok(!can_write(fix.v.window + at),
	       "a read-only mapping cannot be written");
	tap_is(cmd_munmap(&fix.v, fix.context, at), 0, "MUNMAP");
	tap_ok(can_write(fix.v.window + at), "after MUNMAP it can");
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
	uint64_t at = fix.cq_offset;

	tap_ok(mappings(&fix.v) > 3, "there are mappings");
	tap_is(cmd_destroy(&fix.v, HYV_OBJ_CONTEXT, fix.context), 0,
	       "DESTROY of a context with mappings");
	tap_is(mappings(&fix.v), 0, "no mappings are left");
	touch_all(&fix.v, "after DESTROY");
	tap_ok(is_zero(fix.v.window + at, DT_PAGE),
	       "an unmapped page reads as zeroes");

	fixture_renew(&fix);
	tap_is(mappings(&fix.v), 1, "the new fixture has one mapping");
	tap_is(vnic_reset(&fix.v), 0, "RESET");
	tap_is(mappings(&fix.v), 0, "there are none after a reset");
	touch_all(&fix.v, "after a reset");
	fixture_renew(&fix);
	close(fix.v.fd);
	tap_is(mappings(&fix.v), 0, "there are none after the file is closed");
	touch_all(&fix.v, "after the file is closed");
}

static void test_no_window(void)
{
	struct cq_info cq;
	uint32_t context;
	struct vnic v;
	uint64_t at;

	vnic_attach(&v, &fix.gm);
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
	tap_is(mappings(&fix.v), 1, "threads that map and unmap leave nothing");
	touch_all(&fix.v, "after threads have mapped and unmapped");
}

void suite_window(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	test_map();
	test_fields();
	test_read_only();
	test_threads();
	test_full();
	test_end();
	test_no_window();
	dt_expect_counts(&before, "after all mappings");
}
