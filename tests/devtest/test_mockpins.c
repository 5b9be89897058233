// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory that goes away while it is registered page by page, and how many
 * mappings registrations take. The mock HCA is slow then. Needs what
 * test_mock.c needs.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "harness.h"
#include "hostile_vmm.h"
#include "mockctl.h"
#include "suites.h"

/* More pieces than are mapped one by one. */
#define MANY_PAGES 4200
/* So few that they are, unless too many mappings exist. */
#define FEW_PAGES 4000
/* Mappings that all registrations of a VMM may make. */
#define MAX_MAPPINGS 8192
/* TAINT_BAD_PAGE */
#define BAD_PAGE (1 << 5)

/**
 * struct reg - a REG_MR in a thread
 * @gm: guest memory
 * @buf: memory to register
 * @v: the vNIC
 * @pd: handle
 * @unprivileged: the request is from somebody who may not lock memory
 * @status: of the reply
 * @thread: runs it
 */
struct reg {
	struct gmem gm;
	struct gbuf buf;
	struct vnic v;
	uint32_t pd;
	bool unprivileged;
	int status;
	pthread_t thread;
};

static void *reg_thread(void *arg)
{
	struct reg *reg = arg;
	struct mr_info mr;

	/* The system call, unlike the function, is for this thread only. */
	REQUIRE(!reg->unprivileged || !syscall(SYS_setresuid, -1, 65534, -1),
		"setresuid");
	reg->status = cmd_reg_mr_indirect(&reg->v, reg->pd, &reg->buf,
					  ACCESS_REMOTE, &mr);
	return NULL;
}

static void reg_init(struct reg *reg, unsigned int pages)
{
	uint32_t context;

	gmem_init(&reg->gm, GMEM_MEMFD);
	gbuf_init(&reg->buf, &reg->gm, pages * DT_PAGE, 0, GBUF_SCATTERED);
	vnic_open(&reg->v, &reg->gm);
	REQUIRE_EQ(cmd_alloc_context(&reg->v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&reg->v, context, &reg->pd), 0, "ALLOC_PD");
}

static void reg_begin(struct reg *reg)
{
	REQUIRE(!pthread_create(&reg->thread, NULL, reg_thread, reg),
		"pthread_create");
}

/*
 * Returns when the driver has been called by @nr threads; it waits for
 * reg_go_on().
 */
static void reg_begin_slow(struct reg *reg, unsigned int nr)
{
	mock_rule("reg_user_mr sleep=%u calls=1", 20000 * dt_timeout_scale());
	reg_begin(reg);
	REQUIRE(mock_wait("running.reg_user_mr", nr), "REG_MR is slow");
}

static void reg_start(struct reg *reg)
{
	reg_init(reg, MANY_PAGES);
	reg_begin_slow(reg, 1);
}

static int reg_wait(struct reg *reg)
{
	pthread_join(reg->thread, NULL);
	return reg->status;
}

static int reg_go_on(struct reg *reg)
{
	mock_clear();
	return reg_wait(reg);
}

static void reg_end(struct reg *reg)
{
	vnic_close(&reg->v);
	gbuf_free(&reg->buf);
	gmem_free(&reg->gm);
}

/* The kernel finds a page that is still mapped when its file drops it. */
static void expect_no_bad_page(const char *when)
{
	FILE *f = fopen("/proc/sys/kernel/tainted", "r");
	long tainted;

	REQUIRE(f && fscanf(f, "%ld", &tainted) == 1, "the kernel's taint");
	fclose(f);
	tap_is(tainted & BAD_PAGE, 0, "%s: no page is mapped without its file",
	       when);
}

static int punch(struct gmem *gm)
{
	return madvise(gm->base, gm->size, MADV_REMOVE);
}

static void *punch_thread(void *arg)
{
	return (void *)(intptr_t)punch(arg);
}

static void test_punched(void)
{
	static struct reg reg;
	pthread_t thread;
	void *ret;

	reg_start(&reg);
	REQUIRE(!pthread_create(&thread, NULL, punch_thread, &reg.gm),
		"pthread_create");
	dt_sleep_us(500000 * dt_timeout_scale());
	tap_is(reg_go_on(&reg), 0, "REG_MR of a file that gets a hole");
	pthread_join(thread, &ret);
	tap_is((intptr_t)ret, 0, "the hole is made");
	expect_no_bad_page("a hole");
	reg_end(&reg);
}

/* The last mapping of the file, which nobody has open. */
static void test_unmapped(void)
{
	static struct reg reg;

	reg_start(&reg);
	REQUIRE(!munmap(reg.gm.base, reg.gm.size), "munmap");
	tap_is(reg_go_on(&reg), 0, "REG_MR of memory that is unmapped");
	vnic_close(&reg.v);
	gbuf_free(&reg.buf);
	expect_no_bad_page("unmapped memory");
}

/* The VMM keeps the pages mapped, elsewhere. */
static void test_moved(void)
{
	static struct reg reg;
	size_t len;
	char *at;

	reg_start(&reg);
	hostile_find_stitch(&at, &len);
	tap_ok(mremap(at, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		      mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0)) != MAP_FAILED,
	       "the mapping of the pages can be moved");
	tap_is(reg_go_on(&reg), HYV_S_EFAULT, "REG_MR of moved pages");
	REQUIRE(!punch(&reg.gm), "MADV_REMOVE");
	expect_no_bad_page("moved pages");
	reg_end(&reg);
}

/* Another process keeps them mapped. */
static void test_forked(void)
{
	static struct reg reg;
	size_t len;
	pid_t pid;
	char *at;

	reg_start(&reg);
	hostile_find_stitch(&at, &len);
	if (madvise(at, len, MADV_DOFORK)) {
		/* 7.3 refuses it for this mapping, 6.12 does not. */
		tap_is(errno, EINVAL, "no child can inherit the pages");
		tap_is(reg_go_on(&reg), 0, "REG_MR of pages that stay here");
		reg_end(&reg);
		return;
	}
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid)
		for (;;)
			pause();
	tap_is(reg_go_on(&reg), 0, "REG_MR of pages that a child inherits");
	REQUIRE(!punch(&reg.gm), "MADV_REMOVE");
	expect_no_bad_page("inherited pages");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	reg_end(&reg);
}

static unsigned int count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int nr = 0;
	char line[256];

	REQUIRE(f, "/proc/self/maps");
	while (fgets(line, sizeof(line), f))
		nr += !!strchr(line, '\n');
	fclose(f);
	return nr;
}

/* Each vNIC alone could make all of its mappings. */
static void test_mappings(void)
{
	static struct reg reg[4];
	unsigned int before = count_mappings(), nr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reg); i++) {
		reg_init(&reg[i], FEW_PAGES);
		reg_begin_slow(&reg[i], i + 1);
	}
	nr = count_mappings() - before;
	tap_ok(nr > FEW_PAGES, "%u mappings for registrations at once", nr);
	/* Some more for the vNICs, their memory, and threads. */
	tap_ok(nr < MAX_MAPPINGS + 1000, "that are limited for all vNICs");
	for (i = 0; i < ARRAY_SIZE(reg); i++)
		tap_is(reg_go_on(&reg[i]), 0, "REG_MR of vNIC %zu", i);
	tap_ok(count_mappings() < before + 1000, "none of them is left");
	for (i = 0; i < ARRAY_SIZE(reg); i++)
		reg_end(&reg[i]);
}

/* Each request alone could pin what the VMM may lock. */
static void test_locked(void)
{
	static struct reg reg[2];
	const rlim_t max = (MANY_PAGES + FEW_PAGES) * DT_PAGE;
	struct rlimit old, limit = {max, max};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reg); i++) {
		reg_init(&reg[i], MANY_PAGES);
		reg[i].unprivileged = true;
	}
	REQUIRE(!getrlimit(RLIMIT_MEMLOCK, &old) &&
			!setrlimit(RLIMIT_MEMLOCK, &limit),
		"setrlimit");
	reg_begin_slow(&reg[0], 1);
	reg_begin(&reg[1]);
	tap_is(reg_wait(&reg[1]), HYV_S_ENOMEM,
	       "REG_MR beyond RLIMIT_MEMLOCK with what another one pins");
	tap_is(reg_go_on(&reg[0]), 0, "the other one");
	reg_end(&reg[0]);
	reg_begin(&reg[1]);
	tap_is(reg_wait(&reg[1]), 0, "the same REG_MR alone");
	reg_end(&reg[1]);
	REQUIRE(!setrlimit(RLIMIT_MEMLOCK, &old), "setrlimit");
}

void suite_mockpins(void)
{
	struct mock_held before;

	mock_clear();
	mock_held(&before);
	expect_no_bad_page("before");
	test_punched();
	test_unmapped();
	test_moved();
	test_forked();
	test_mappings();
	test_locked();
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	mock_expect_held(&before, "after memory that went away");
	mock_check("memory that went away");
}
