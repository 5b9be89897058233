// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window as a mapping of the VMM: what it refuses, and that nothing makes a
 * hole in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <sched.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"

#define RW (PROT_READ | PROT_WRITE)

static struct fixture fix;

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

/* Returns true if /proc/self/maps has the window as one shared mapping. */
static bool is_whole(struct vnic *v)
{
	unsigned long start, end, from = (uintptr_t)v->window;
	char line[512], perms[8];
	bool found = false;
	FILE *f;

	f = fopen("/proc/self/maps", "r");
	REQUIRE(f, "/proc/self/maps");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%lx-%lx %7s", &start, &end, perms) == 3 &&
			start == from && end == from + v->window_size &&
			!strcmp(perms, "rw-s");
	fclose(f);
	return found;
}

/* The window is as it was: one mapping, in which the fixture's CQ is seen. */
static void expect_whole(const char *when)
{
	volatile uint8_t *at = fix.v.window;

	tap_ok(is_whole(&fix.v), "the window is one mapping: %s", when);
	for (; at < fix.v.window + fix.v.window_size; at += DT_PAGE)
		*at += 0;
	tap_is(vnic_window_used(&fix.v), fix.cq.mi.size / DT_PAGE,
	       "the window has its pages: %s", when);
}

/* Returns the errno of mmap(2), or 0. */
static int try_mmap(int fd, size_t length, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, length, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, length);
	return 0;
}

static int try_in_child(int fd)
{
	int status;
	pid_t pid;

	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid)
		_exit(try_mmap(fd, DT_WINDOW, RW, MAP_SHARED, 0));
	REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status),
		"the child exits");
	return WEXITSTATUS(status);
}

static void test_mmap(void)
{
	static const struct {
		const char *what;
		size_t length;
		int prot, flags;
		off_t offset;
		int error;
	} cases[] = {
		{"private", DT_WINDOW, RW, MAP_PRIVATE, 0, EINVAL},
		{"of a part", DT_WINDOW - DT_PAGE, RW, MAP_SHARED, 0, EINVAL},
		{"of too much", DT_WINDOW + DT_PAGE, RW, MAP_SHARED, 0, EINVAL},
		{"of its end", DT_WINDOW - DT_PAGE, RW, MAP_SHARED, DT_PAGE,
		 EINVAL},
		{"at an offset", DT_WINDOW, RW, MAP_SHARED, DT_PAGE, EINVAL},
		{"as it should be", DT_WINDOW, RW, MAP_SHARED, 0, 0},
	};
	struct hyv_set_window arg = {
		.size = sizeof(arg),
		.length = DT_WINDOW,
	};
	struct vnic v;
	int fd, error;
	size_t i;

	fd = hyv_open();
	tap_is(try_mmap(fd, DT_WINDOW, RW, MAP_SHARED, 0), ENOTCONN,
	       "mmap without a vNIC");
	close(fd);

	vnic_attach(&v, &fix.gm);
	tap_is(try_mmap(v.fd, DT_WINDOW, RW, MAP_SHARED, 0), EINVAL,
	       "mmap without a window");
	REQUIRE_EQ(hyv_ioctl(v.fd, HYV_SET_WINDOW, &arg), 0, "SET_WINDOW");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(try_mmap(v.fd, cases[i].length, cases[i].prot,
				cases[i].flags, cases[i].offset),
		       cases[i].error, "mmap of the window: %s", cases[i].what);
	/* EPERM if /dev is mounted with noexec. */
	error = try_mmap(v.fd, DT_WINDOW, RW | PROT_EXEC, MAP_SHARED, 0);
	tap_ok(error == EINVAL || error == EPERM,
	       "mmap of the window: executable");
	tap_is(try_in_child(v.fd), EPERM, "mmap by another process");
	vnic_close(&v);
}

/* Returns the errno of mremap(2), or 0. */
static int try_mremap(size_t from, size_t to, int flags, void *where)
{
	void *at = mremap(fix.v.window, from, to, flags, where);

	return at == MAP_FAILED ? errno : 0;
}

static void test_mremap(void)
{
	void *where = mmap(NULL, 2 * DT_WINDOW, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(where != MAP_FAILED, "mmap of room");
	tap_is(try_mremap(DT_WINDOW, 2 * DT_WINDOW, MREMAP_MAYMOVE, NULL),
	       EFAULT, "mremap to grow");
	tap_is(try_mremap(DT_WINDOW, DT_WINDOW / 2, 0, NULL), EINVAL,
	       "mremap to shrink");
	tap_is(try_mremap(0, DT_WINDOW, MREMAP_MAYMOVE, NULL), EFAULT,
	       "mremap to duplicate");
	tap_is(try_mremap(DT_PAGE, DT_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			  where),
	       EINVAL, "mremap of a page");
	tap_is(try_mremap(DT_WINDOW, DT_WINDOW, MREMAP_MAYMOVE | MREMAP_FIXED,
			  where),
	       EINVAL, "mremap to another address");
	munmap(where, 2 * DT_WINDOW);
	expect_whole("after mremap");
}

static void test_split(void)
{
	uint8_t *middle = fix.v.window + DT_WINDOW / 2;

	tap_is(munmap(middle, DT_PAGE) ? errno : 0, EINVAL,
	       "munmap of a page in the middle");
	tap_is(munmap(fix.v.window, DT_PAGE) ? errno : 0, EINVAL,
	       "munmap of the first page");
	tap_ok(mmap(middle, DT_PAGE, RW,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == MAP_FAILED,
	       "mmap over a page is refused");
	tap_is(mprotect(middle, DT_PAGE, PROT_NONE) ? errno : 0, EINVAL,
	       "mprotect of a page");
	expect_whole("after calls that would split it");

	tap_is(mprotect(fix.v.window, DT_WINDOW, RW | PROT_EXEC) ? errno : 0,
	       EACCES, "mprotect to executable");
	tap_is(mprotect(fix.v.window, DT_WINDOW, PROT_READ), 0,
	       "mprotect to read-only");
	tap_ok(!can_write(middle) && !can_write(fix.v.window + fix.cq_offset),
	       "then it cannot be written");
	tap_is(mprotect(fix.v.window, DT_WINDOW, RW), 0,
	       "mprotect to what it was");
	expect_whole("after mprotect");
}

static void test_advice(void)
{
	static const int refused[] = {
		MADV_DONTNEED, MADV_DOFORK, MADV_DODUMP,  MADV_REMOVE,
		MADV_FREE,     MADV_COLD,   MADV_PAGEOUT,
	};
	uint8_t *middle = fix.v.window + DT_WINDOW / 2;
	size_t i;
	int advice;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		tap_is(madvise(fix.v.window, DT_WINDOW, refused[i]), -1,
		       "madvise %d", refused[i]);
	/* Others may be taken, but not for a part. 100 is for tests. */
	for (advice = 0; advice < 100; advice++)
		madvise(middle, DT_PAGE, advice);
	expect_whole("after madvise");
	tap_is(mlock(fix.v.window, DT_WINDOW), 0, "mlock");
	munlock(fix.v.window, DT_WINDOW);
	expect_whole("after mlock");
}

/* Nobody can pin the pages, or get at them by another process. */
static void test_access(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {
		.range = {(uintptr_t)fix.v.window, DT_WINDOW},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	uint8_t *window = fix.v.window;
	struct iovec to, from;
	int status, uffd;
	uint64_t word;
	pid_t pid;

	to = (struct iovec){&word, sizeof(word)};
	from = (struct iovec){window + fix.cq_offset, sizeof(word)};
	tap_is(process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 ? errno : 0,
	       EFAULT, "process_vm_readv of a queue");
	from.iov_base = window + DT_WINDOW / 2;
	tap_is(process_vm_writev(getpid(), &to, 1, &from, 1, 0) < 0 ? errno : 0,
	       EFAULT, "process_vm_writev of an empty page");

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	REQUIRE(uffd >= 0 && !ioctl(uffd, UFFDIO_API, &api), "userfaultfd");
	tap_is(ioctl(uffd, UFFDIO_REGISTER, &reg) ? errno : 0, EINVAL,
	       "registration with userfaultfd");
	close(uffd);

	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid)
		_exit(can_write(window) || can_write(window + fix.cq_offset));
	REQUIRE(waitpid(pid, &status, 0) == pid, "waitpid");
	tap_ok(WIFEXITED(status) && !WEXITSTATUS(status),
	       "a child does not inherit the window");
	expect_whole("after all that");
}

/* A second mapping shows the same, at any time. */
static void test_second(void)
{
	struct vnic second = fix.v;
	struct cq_info cq;
	uint64_t at;

	second.window = mmap(NULL, DT_WINDOW, RW, MAP_SHARED, fix.v.fd, 0);
	REQUIRE(second.window != MAP_FAILED, "mmap of the window again");
	tap_is(vnic_window_used(&second), fix.cq.mi.size / DT_PAGE,
	       "a second mapping has the same pages");
	REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 500, 0, &cq), 0,
		   "CREATE_CQ");
	REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &cq.mi, &at), 0, "MMAP");
	tap_ok(!memcmp(second.window + at, fix.v.window + at, cq.mi.size),
	       "it has a new queue");
	tap_is(vnic_window_used(&second),
	       (fix.cq.mi.size + cq.mi.size) / DT_PAGE, "and only that");
	tap_is(cmd_munmap(&fix.v, fix.context, at), 0, "MUNMAP");
	tap_is(vnic_window_used(&second), fix.cq.mi.size / DT_PAGE,
	       "after MUNMAP it has the same pages");
	munmap(second.window, DT_WINDOW);
	expect_whole("after a second mapping");
}

/*
 * Refusals in one thread, mappings of the process in another: none may land in
 * the window, nor be lost.
 */
#define HOLE (8UL << 20)

static atomic_bool stop;
static atomic_uint refusals;

static void *refuse_thread(void *arg)
{
	struct mminfo mi = {.offset = 1ULL << 40, .size = HOLE};
	struct mminfo part = fix.cq2.mi;
	uint64_t at;

	(void)arg;
	part.size = HOLE;
	while (!atomic_load(&stop)) {
		REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &mi, &at),
			   HYV_S_EINVAL, "MMAP of an unknown offset");
		REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &part, &at),
			   HYV_S_EINVAL, "MMAP of too much");
		atomic_fetch_add(&refusals, 2);
	}
	return NULL;
}

/* The same for mappings that succeed. */
static void *change_thread(void *arg)
{
	struct cq_info cq;
	uint64_t at;

	(void)arg;
	while (!atomic_load(&stop)) {
		REQUIRE_EQ(cmd_create_cq(&fix.v, fix.context, 8191, 0, &cq), 0,
			   "CREATE_CQ");
		REQUIRE_EQ(cmd_mmap(&fix.v, fix.context, &cq.mi, &at), 0,
			   "MMAP");
		REQUIRE_EQ(cmd_munmap(&fix.v, fix.context, at), 0, "MUNMAP");
		REQUIRE_EQ(cmd_destroy(&fix.v, HYV_OBJ_CQ, cq.handle), 0,
			   "DESTROY");
	}
	return NULL;
}

/* Any page of the window can be touched at any time. */
static void *touch_thread(void *arg)
{
	volatile uint8_t *at;

	(void)arg;
	while (!atomic_load(&stop))
		for (at = fix.v.window; at < fix.v.window + DT_WINDOW;
		     at += DT_PAGE)
			*at += 0;
	return NULL;
}

/* Map memory of the process while the threads run. */
static void map_while(void *(*const *fn)(void *), size_t nr, const char *what)
{
	unsigned int maps = 0, inside = 0, lost = 0;
	uint64_t end = dt_now_ms() + 2000;
	pthread_t thread[2];
	uint8_t *p;
	size_t i;

	atomic_store(&stop, false);
	for (i = 0; i < nr; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, fn[i], NULL),
			"pthread_create");
	while (dt_now_ms() < end) {
		p = mmap(NULL, HOLE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		REQUIRE(p != MAP_FAILED, "mmap");
		maps++;
		inside +=
			p < fix.v.window + DT_WINDOW && p + HOLE > fix.v.window;
		*p = 0x5a;
		sched_yield();
		lost += *(volatile uint8_t *)p != 0x5a;
		munmap(p, HOLE);
	}
	atomic_store(&stop, true);
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	tap_ok(maps, "%u mappings of the process during %s", maps, what);
	tap_is(inside, 0, "none of them is in the window");
	tap_is(lost, 0, "none of them is replaced");
	expect_whole(what);
}

static void test_holes(void)
{
	void *(*const refuse[])(void *) = {refuse_thread};
	void *(*const change[])(void *) = {change_thread, touch_thread};

	map_while(refuse, ARRAY_SIZE(refuse), "refused MMAPs");
	tap_ok(atomic_load(&refusals), "%u refused MMAPs",
	       atomic_load(&refusals));
	map_while(change, ARRAY_SIZE(change), "MMAP and MUNMAP");
}

void suite_mapping(void)
{
	struct dt_counts before = dt_counts();

	fixture_init(&fix);
	expect_whole("at first");
	test_mmap();
	test_mremap();
	test_split();
	test_advice();
	test_access();
	test_second();
	test_holes();
	fixture_free(&fix);
	dt_expect_counts(&before, "after all calls");
}
