// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations that take long: what ends them, what waits for them, and how
 * many mappings they take.
 *
 * Guest memory is slow here: a thread supplies each page when it is first used,
 * through userfaultfd.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd.h"
#include "harness.h"
#include "suites.h"

#define SLOW_PAGES 16384UL
#define SLOW_SIZE  (SLOW_PAGES * DT_PAGE)
#define SLOW_GPA   0x100000000ULL
/* As many as a request has room for. */
#define MANY_PAGES 4000
/* Time that a page takes. */
#define SLOW_US 1000

/**
 * struct slow - guest memory whose pages take a while
 * @base: the memory
 * @uffd: userfaultfd of @base
 * @thread: supplies the pages
 * @pages: how many were supplied
 * @stop: @thread is to end
 */
struct slow {
	uint8_t *base;
	int uffd;
	pthread_t thread;
	atomic_uint pages;
	atomic_bool stop;
};

static uint8_t *shared_memory(void)
{
	int fd = memfd_create("devtest-slow", MFD_CLOEXEC);
	uint8_t *base;

	REQUIRE(fd >= 0 && !ftruncate(fd, SLOW_SIZE), "memfd_create");
	base = mmap(NULL, SLOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(base != MAP_FAILED, "mmap");
	close(fd);
	return base;
}

static void slow_supply(struct slow *s, uint64_t addr)
{
	static const uint8_t page[DT_PAGE] __attribute__((aligned(DT_PAGE)));
	struct uffdio_copy copy = {
		.dst = addr & ~(DT_PAGE - 1),
		.src = (uintptr_t)page,
		.len = DT_PAGE,
	};

	dt_sleep_us(SLOW_US);
	if (!ioctl(s->uffd, UFFDIO_COPY, &copy))
		atomic_fetch_add(&s->pages, 1);
}

static void *slow_thread(void *arg)
{
	struct slow *s = arg;
	struct pollfd pfd = {.fd = s->uffd, .events = POLLIN};
	struct uffd_msg msg;

	while (!atomic_load(&s->stop)) {
		if (poll(&pfd, 1, 50) != 1)
			continue;
		if (read(s->uffd, &msg, sizeof(msg)) == sizeof(msg) &&
		    msg.event == UFFD_EVENT_PAGEFAULT)
			slow_supply(s, msg.arg.pagefault.address);
	}
	return NULL;
}

static void slow_init(struct slow *s)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	memset(s, 0, sizeof(*s));
	s->base = shared_memory();
	s->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	REQUIRE(s->uffd >= 0 && !ioctl(s->uffd, UFFDIO_API, &api),
		"userfaultfd");
	reg.range.start = (uintptr_t)s->base;
	reg.range.len = SLOW_SIZE;
	REQUIRE(!ioctl(s->uffd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER");
	REQUIRE(!pthread_create(&s->thread, NULL, slow_thread, s),
		"pthread_create");
}

static void slow_free(struct slow *s)
{
	atomic_store(&s->stop, true);
	pthread_join(s->thread, NULL);
	close(s->uffd);
	munmap(s->base, SLOW_SIZE);
}

static void slow_wait(struct slow *s, unsigned int pages)
{
	REQUIRE(dt_until(atomic_load(&s->pages) >= pages),
		"%u pages are faulted in", pages);
}

static int set_mem(struct vnic *v, const void *base, uint64_t pages)
{
	const struct hyv_mem_region region = {
		.gpa = SLOW_GPA,
		.length = pages * DT_PAGE,
		.addr = (uintptr_t)base,
	};

	return vnic_set_mem(v, &region, 1);
}

/**
 * struct reg - a REG_MR in a thread
 * @v: the vNIC
 * @pd: handle
 * @pages: how many pages, from the start of guest memory
 * @status: of the reply
 * @thread: runs it
 */
struct reg {
	struct vnic *v;
	uint32_t pd;
	uint64_t pages;
	int status;
	pthread_t thread;
};

static void *reg_thread(void *arg)
{
	struct reg *reg = arg;
	struct hyv_chunk chunk = {SLOW_GPA, reg->pages * DT_PAGE};
	struct rsp rsp;
	struct req r;

	req_reg_mr_head(&r, reg->pd, ACCESS_REMOTE, SLOW_GPA);
	req_list(&r, 0, SLOW_GPA, reg->pages * DT_PAGE, &chunk, 1);
	reg->status = vnic_exec(reg->v, &r, &rsp);
	return NULL;
}

static void reg_start(struct reg *reg, struct vnic *v, uint64_t pages)
{
	uint32_t context;

	memset(reg, 0, sizeof(*reg));
	reg->v = v;
	reg->pages = pages;
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &reg->pd), 0, "ALLOC_PD");
	REQUIRE(!pthread_create(&reg->thread, NULL, reg_thread, reg),
		"pthread_create");
}

static void test_reset(struct vnic *v)
{
	struct slow s;
	struct reg reg;

	slow_init(&s);
	REQUIRE_EQ(set_mem(v, s.base, SLOW_PAGES), 0, "SET_MEM");
	reg_start(&reg, v, SLOW_PAGES);
	slow_wait(&s, 10);
	tap_is(vnic_reset(v), 0, "RESET during a REG_MR that takes long");
	tap_ok(atomic_load(&s.pages) < SLOW_PAGES / 4,
	       "it has waited for %u of %lu pages", atomic_load(&s.pages),
	       SLOW_PAGES);
	pthread_join(reg.thread, NULL);
	tap_is(reg.status, HYV_S_EINTR, "the REG_MR is cancelled");
	REQUIRE_EQ(vnic_set_features(v, vnic_features(v)), 0, "SET_FEATURES");
	slow_free(&s);
}

/* Pages of a mapping that something has touched. */
static unsigned int resident(const uint8_t *base)
{
	static uint8_t vec[SLOW_PAGES];
	unsigned int i, n = 0;

	REQUIRE(!mincore((void *)base, SLOW_SIZE, vec), "mincore");
	for (i = 0; i < SLOW_PAGES; i++)
		n += vec[i] & 1;
	return n;
}

/*
 * When SET_MEM has returned, the owner may use the addresses for something
 * else: none of it becomes part of the MR.
 */
static void test_set_mem(struct vnic *v)
{
	uint8_t *other = shared_memory();
	unsigned int pages;
	struct slow s;
	struct reg reg;
	void *canary;

	slow_init(&s);
	REQUIRE_EQ(set_mem(v, s.base, SLOW_PAGES), 0, "SET_MEM");
	reg_start(&reg, v, SLOW_PAGES);
	slow_wait(&s, 10);
	tap_is(set_mem(v, other, SLOW_PAGES), 0,
	       "SET_MEM during a REG_MR that takes long");
	pages = atomic_load(&s.pages);
	dt_sleep_us(300 * SLOW_US);
	tap_is(atomic_load(&s.pages), pages, "the old memory is not used");
	canary = mmap(s.base, SLOW_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	REQUIRE(canary == s.base, "mmap in its place");
	pthread_join(reg.thread, NULL);
	tap_is(reg.status, 0, "the REG_MR goes on with the new memory");
	tap_is(resident(s.base), 0, "pages in place of the old memory in use");
	tap_is(resident(other), SLOW_PAGES, "pages of the new memory in use");
	tap_is(vnic_reset(v), 0, "RESET");
	REQUIRE_EQ(vnic_set_features(v, vnic_features(v)), 0, "SET_FEATURES");
	slow_free(&s);
	munmap(other, SLOW_SIZE);
}

/* So few pages are faulted in at once: SET_MEM waits for all of them. */
static void test_set_mem_short(struct vnic *v)
{
	uint8_t *other = shared_memory();
	struct slow s;
	struct reg reg;

	slow_init(&s);
	REQUIRE_EQ(set_mem(v, s.base, SLOW_PAGES), 0, "SET_MEM");
	reg_start(&reg, v, 500);
	slow_wait(&s, 10);
	tap_is(set_mem(v, other, SLOW_PAGES), 0, "SET_MEM during a REG_MR");
	tap_is(atomic_load(&s.pages), 500, "pages in use when it returns");
	pthread_join(reg.thread, NULL);
	tap_is(reg.status, 0, "the REG_MR goes on with the new memory");
	tap_is(resident(other), 500, "pages of the new memory in use");
	tap_is(vnic_reset(v), 0, "RESET");
	REQUIRE_EQ(vnic_set_features(v, vnic_features(v)), 0, "SET_FEATURES");
	slow_free(&s);
	munmap(other, SLOW_SIZE);
}

/**
 * struct stitcher - a thread that registers memory in many pieces
 * @v: the vNIC
 * @pd: handle
 * @bad: status of the first REG_MR that failed
 * @left: threads that run
 * @thread: runs it
 */
struct stitcher {
	struct vnic *v;
	uint32_t pd;
	int bad;
	atomic_uint *left;
	pthread_t thread;
};

/* Pages in the opposite order, so that no two adjoin. */
static void *stitch_thread(void *arg)
{
	struct stitcher *st = arg;
	struct hyv_chunk chunk[MANY_PAGES];
	struct rsp rsp;
	struct req r;
	int i;

	for (i = 0; i < MANY_PAGES; i++) {
		chunk[i].addr = SLOW_GPA + (MANY_PAGES - 1 - i) * DT_PAGE;
		chunk[i].len = DT_PAGE;
	}
	for (i = 0; i < 3 && !st->bad; i++) {
		req_reg_mr_head(&r, st->pd, ACCESS_REMOTE, SLOW_GPA);
		req_list(&r, 0, SLOW_GPA,
			 sizeof(chunk) / sizeof(*chunk) * DT_PAGE, chunk,
			 MANY_PAGES);
		st->bad = vnic_exec(st->v, &r, &rsp);
		if (!st->bad)
			st->bad = cmd_destroy(st->v, HYV_OBJ_MR,
					      le32toh(rsp.reg_mr.handle));
	}
	atomic_fetch_sub(st->left, 1);
	return NULL;
}

static void set_max_map_count(int count)
{
	REQUIRE(!dt_run("echo %d >/proc/sys/vm/max_map_count", count),
		"max_map_count");
}

static int count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	int c, n = 0;

	REQUIRE(f, "/proc/self/maps");
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

/*
 * More mappings than the owner may have, were they all made at once: @room so
 * many more, of which registrations take @max, or the default if it is 0.
 */
static void test_mappings(struct vnic *v, unsigned int max, int room)
{
	struct hyv_set_limits limits = {
		.max_pinned = 1 << 30,
		.max_stitch_vmas = max,
	};
	unsigned int maps = 0, failed = 0;
	struct stitcher st[8];
	uint8_t *base = shared_memory();
	uint32_t context, pd;
	atomic_uint left = ARRAY_SIZE(st);
	size_t i;
	void *p;

	REQUIRE_EQ(set_mem(v, base, SLOW_PAGES), 0, "SET_MEM");
	REQUIRE_EQ(vnic_set_limits(v, &limits), 0, "SET_LIMITS");
	if (max)
		tap_is(dt_quota("stitch_vmas", true), max,
		       "hyv show has the limit of mappings");
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pd), 0, "ALLOC_PD");
	/* Threads have a stack each. */
	set_max_map_count(count_mappings() + 3 * ARRAY_SIZE(st) + room);
	for (i = 0; i < ARRAY_SIZE(st); i++) {
		st[i] = (struct stitcher){.v = v, .pd = pd, .left = &left};
		REQUIRE(!pthread_create(&st[i].thread, NULL, stitch_thread,
					&st[i]),
			"pthread_create");
	}
	for (; atomic_load(&left); maps++) {
		p = mmap(NULL, DT_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
		if (p == MAP_FAILED)
			failed++;
		else
			munmap(p, DT_PAGE);
		dt_sleep_us(100);
	}
	for (i = 0; i < ARRAY_SIZE(st); i++) {
		pthread_join(st[i].thread, NULL);
		tap_is(st[i].bad, 0, "REG_MR of many pieces, thread %zu", i);
	}
	set_max_map_count(65530);
	tap_is(failed, 0, "of %u mmap() calls of the owner failed", maps);
	tap_is(vnic_reset(v), 0, "RESET");
	REQUIRE_EQ(vnic_set_features(v, vnic_features(v)), 0, "SET_FEATURES");
	munmap(base, SLOW_SIZE);
}

void suite_pins(void)
{
	struct dt_counts before = dt_counts();
	struct gmem gm;
	struct vnic v;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	test_reset(&v);
	test_set_mem(&v);
	test_set_mem_short(&v);
	test_mappings(&v, 0, 12000);
	test_mappings(&v, 100, 500);
	vnic_close(&v);
	gmem_free(&gm);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	dt_expect_counts(&before, "after registrations that take long");
}
