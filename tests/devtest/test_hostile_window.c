// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM that changes its mappings while the guest maps and unmaps, or has too
 * many of them; and guests whose refused mappings must not move anything.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile_vmm.h"
#include "suites.h"

static struct {
	struct vnic v;
	struct gmem gm;
	atomic_bool stop;
	atomic_uint maps, calls, forks, moved;
} win;

/* MMAP and MUNMAP of new queues, which are read and written. */
static void *guest_thread(void *arg)
{
	struct cq_info cq;
	uint32_t context, n = (uintptr_t)arg;
	uint64_t at;

	while (!atomic_load(&win.stop)) {
		REQUIRE_EQ(cmd_alloc_context(&win.v, &context), 0,
			   "ALLOC_CONTEXT");
		REQUIRE_EQ(
			cmd_create_cq(&win.v, context, 100 + n++ % 500, 0, &cq),
			0, "CREATE_CQ");
		if (!cmd_mmap(&win.v, context, &cq.mi, &at)) {
			volatile uint8_t *p = win.v.window + at;

			p[cq.mi.size - 1] += 0;
			atomic_fetch_add(&win.maps, 1);
			if (n % 2)
				REQUIRE_EQ(cmd_munmap(&win.v, context, at), 0,
					   "MUNMAP");
		}
		REQUIRE_EQ(cmd_destroy(&win.v, HYV_OBJ_CONTEXT, context), 0,
			   "DESTROY");
	}
	return NULL;
}

/* All pages, all the time: an access never fails. */
static void *touch_thread(void *arg)
{
	volatile uint8_t *at;

	(void)arg;
	while (!atomic_load(&win.stop))
		for (at = win.v.window; at < win.v.window + win.v.window_size;
		     at += DT_PAGE)
			*at += 0;
	return NULL;
}

/* MADV_HWPOISON and MADV_SOFT_OFFLINE are for the administrator. */
#define MADV_LAST 25

/* Calls that must fail, or change nothing that the window promises. */
static void call_once(struct dt_rng *rng)
{
	uint32_t pages = win.v.window_size / DT_PAGE;
	uint32_t page = dt_below(rng, pages);
	size_t len = (1 + dt_below(rng, pages - page)) * DT_PAGE;
	uint8_t *at = win.v.window + page * DT_PAGE;
	void *got;

	if (len == win.v.window_size)
		len -= DT_PAGE;
	switch (dt_below(rng, 6)) {
	case 0:
		if (!munmap(at, len))
			atomic_fetch_add(&win.moved, 1);
		break;
	case 1:
		got = mremap(at, len, len + DT_PAGE, MREMAP_MAYMOVE);
		if (got != MAP_FAILED)
			atomic_fetch_add(&win.moved, 1);
		break;
	case 2:
		got = mmap(at, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		if (got != MAP_FAILED)
			atomic_fetch_add(&win.moved, 1);
		break;
	case 3:
		if (!mprotect(at, len, PROT_READ | PROT_WRITE | PROT_EXEC))
			atomic_fetch_add(&win.moved, 1);
		break;
	case 4:
		msync(at, len, MS_SYNC);
		mlock(at, len);
		munlock(at, len);
		break;
	default:
		madvise(at, len, dt_below(rng, MADV_LAST + 1));
	}
	atomic_fetch_add(&win.calls, 1);
}

static void *call_thread(void *arg)
{
	struct dt_rng rng = {(uintptr_t)arg};

	while (!atomic_load(&win.stop))
		call_once(&rng);
	return NULL;
}

/* Handled, or the kernel would log it. */
static void on_segv(int sig)
{
	(void)sig;
	_exit(7);
}

/* The window is not inherited: a child cannot touch it. */
static void *fork_thread(void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	while (!atomic_load(&win.stop)) {
		pid = fork();
		if (!pid) {
			signal(SIGSEGV, on_segv);
			*(volatile uint8_t *)win.v.window;
			_exit(0);
		}
		if (pid < 0)
			continue;
		if (waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) != 7)
			atomic_fetch_add(&win.moved, 1);
		atomic_fetch_add(&win.forks, 1);
	}
	return NULL;
}

static void win_start(pthread_t thread[6])
{
	static void *(*const fn[])(void *) = {
		guest_thread, guest_thread, touch_thread,
		call_thread,  call_thread,  fork_thread,
	};
	size_t i;

	gmem_init(&win.gm, GMEM_MEMFD);
	vnic_open(&win.v, &win.gm);
	for (i = 0; i < ARRAY_SIZE(fn); i++)
		REQUIRE(!pthread_create(&thread[i], NULL, fn[i],
					(void *)(i + 1)),
			"pthread_create");
}

static void test_calls(void)
{
	pthread_t thread[6];
	size_t i;

	win_start(thread);
	dt_sleep_us(4000000);
	atomic_store(&win.stop, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	tap_ok(win.maps && win.calls && win.forks,
	       "%u mappings, %u calls of the VMM and %u forks at once",
	       win.maps, win.calls, win.forks);
	tap_is(win.moved, 0, "nothing splits, moves or inherits the window");
	vnic_close(&win.v);
}

static void win_doomed(void *arg)
{
	pthread_t thread[6];

	win_start(thread);
	hostile_tell(arg);
	for (;;)
		pause();
}

static void test_calls_killed(void)
{
	struct hostile_pipe ready;
	struct dt_rng rng = {5};
	int i, status, bad = 0;
	pid_t pid;

	for (i = 0; i < 12; i++) {
		hostile_pipe(&ready);
		pid = hostile_fork(win_doomed, &ready);
		bad += !hostile_hear(&ready, DT_HANG_S);
		dt_sleep_us(dt_below(&rng, 200000));
		kill(pid, SIGKILL);
		bad += !hostile_ends(pid, HOSTILE_END_S, &status);
		close(ready.fd[0]);
		close(ready.fd[1]);
	}
	tap_is(bad, 0, "12 times: killed during such calls");
}

/* Unmapping all of it is allowed; the guest's mappings stay, and come back. */
static void test_remap(void)
{
	struct vnic *v = &win.v;
	uint32_t context;
	struct cq_info cq;
	uint64_t at;
	int i, bad = 0;

	gmem_init(&win.gm, GMEM_MEMFD);
	vnic_open(v, &win.gm);
	tap_ok(mremap(v->window, v->window_size, v->window_size,
		      MREMAP_MAYMOVE | MREMAP_FIXED,
		      v->window - 2 * v->window_size) == MAP_FAILED,
	       "the window cannot be moved as a whole");
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	for (i = 0; i < 50; i++) {
		REQUIRE_EQ(cmd_create_cq(v, context, 100, 0, &cq), 0,
			   "CREATE_CQ");
		munmap(v->window, v->window_size);
		REQUIRE_EQ(cmd_mmap(v, context, &cq.mi, &at), 0,
			   "MMAP without the VMM's mapping");
		v->window = mmap(NULL, v->window_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED, v->fd, 0);
		REQUIRE(v->window != MAP_FAILED, "mmap of the window again");
		/* The header of a queue of rxe has its size. */
		bad += !*(volatile uint32_t *)(v->window + at);
		REQUIRE_EQ(cmd_munmap(v, context, at), 0, "MUNMAP");
		bad += !!*(volatile uint32_t *)(v->window + at);
		REQUIRE_EQ(cmd_destroy(v, HYV_OBJ_CQ, cq.handle), 0, "DESTROY");
	}
	tap_is(bad, 0, "50 times: what the guest maps is in a new mapping");
	vnic_close(v);
}

/* --- Mappings of the VMM are few, whatever the guest asks for. */

static int nr_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int c, n = 0;

	REQUIRE(f, "/proc/self/maps");
	while ((c = fgetc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static long sysctl_map_count(long val)
{
	static const char path[] = "/proc/sys/vm/max_map_count";
	FILE *f = fopen(path, val ? "w" : "r");
	long old = val;

	REQUIRE(f && (val ? fprintf(f, "%ld", val) > 0
			  : fscanf(f, "%ld", &old) == 1),
		"%s", path);
	REQUIRE(!fclose(f), "%s takes %ld", path, old);
	return old;
}

static void *nothing_thread(void *arg)
{
	return arg;
}

/* As a VMM does all the time, and ends if it fails. */
static bool vmm_lives(void)
{
	pthread_t thread;
	void *at = malloc(1 << 20);

	free(at);
	return at && !pthread_create(&thread, NULL, nothing_thread, NULL) &&
	       !pthread_join(thread, NULL);
}

/* A new queue each time, while the old ones stay mapped. */
static void test_resize(void)
{
	struct vnic *v = &win.v;
	int before, i, ret = 0;
	struct cq_info cq;
	uint32_t context;
	uint64_t at;

	gmem_init(&win.gm, GMEM_MEMFD);
	vnic_open(v, &win.gm);
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_create_cq(v, context, 15, 0, &cq), 0, "CREATE_CQ");
	before = nr_maps();
	for (i = 0; i < 3000 && !ret; i++) {
		ret = cmd_resize_cq(v, 15 + i % 2 * 16, &cq);
		if (!ret)
			ret = cmd_mmap(v, context, &cq.mi, &at);
	}
	tap_ok(!ret || ret == HYV_S_EDQUOT || ret == HYV_S_ENOSPC,
	       "RESIZE_CQ and MMAP %d times, then status %d", i, ret);
	tap_ok(nr_maps() - before < 64, "the VMM has %d mappings, %d before",
	       nr_maps(), before);
	tap_ok(vmm_lives(), "the VMM can go on");
	vnic_close(v);
}

/* The threads of test_map_count() have all memory that they need. */
static pthread_barrier_t map_count_ready;

/* Registrations of scattered memory by a VMM at the limit of its mappings. */
static void *reg_thread(void *arg)
{
	struct gbuf *buf = arg;
	struct mr_info mr;
	uint32_t context, pd;
	int i, ret;

	hyv_scratch();
	/* Main lowers the limit between these. */
	pthread_barrier_wait(&map_count_ready);
	pthread_barrier_wait(&map_count_ready);
	for (i = 0; i < 20; i++) {
		if (cmd_alloc_context(&win.v, &context))
			continue;
		ret = cmd_alloc_pd(&win.v, context, &pd);
		if (!ret)
			ret = cmd_reg_mr(&win.v, pd, buf, ACCESS_LOCAL, &mr);
		if (ret && ret != HYV_S_ENOMEM && ret != HYV_S_EDQUOT) {
			tap_diag("REG_MR: status %d", ret);
			atomic_fetch_add(&win.moved, 1);
		}
		atomic_fetch_add(ret ? &win.calls : &win.maps, 1);
		cmd_destroy(&win.v, HYV_OBJ_CONTEXT, context);
	}
	return NULL;
}

static void test_map_count(void)
{
	struct gbuf buf[4];
	pthread_t thread[4];
	long old;
	size_t i;

	gmem_init(&win.gm, GMEM_MEMFD);
	vnic_open(&win.v, &win.gm);
	for (i = 0; i < ARRAY_SIZE(buf); i++)
		gbuf_init(&buf[i], &win.gm, 600 * DT_PAGE, 0, GBUF_SCATTERED);
	old = sysctl_map_count(0);
	pthread_barrier_init(&map_count_ready, NULL, ARRAY_SIZE(thread) + 1);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		REQUIRE(!pthread_create(&thread[i], NULL, reg_thread, &buf[i]),
			"pthread_create");
	pthread_barrier_wait(&map_count_ready);
	sysctl_map_count(nr_maps() + 64);
	pthread_barrier_wait(&map_count_ready);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	sysctl_map_count(old);
	tap_is(win.moved, 0,
	       "REG_MR at vm.max_map_count: %u succeed, %u are refused",
	       win.maps, win.calls);
	tap_ok(vmm_lives(), "the VMM can go on");
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	vnic_close(&win.v);
}

/* --- Refused mappings, and what other threads of the VMM have mapped. */

#define FOREIGN_LEN (8UL << 20)

static void *refused_thread(void *arg)
{
	struct mminfo mi = {.offset = 0x123456000, .size = 8 << 20};
	uint32_t context;
	uint64_t at;

	(void)arg;
	REQUIRE_EQ(cmd_alloc_context(&win.v, &context), 0, "ALLOC_CONTEXT");
	while (!atomic_load(&win.stop)) {
		if (!cmd_mmap(&win.v, context, &mi, &at))
			tap_ok(false, "MMAP of an offset that is nobody's");
		atomic_fetch_add(&win.calls, 1);
	}
	return NULL;
}

/* Memory of this thread is never in the window, and nobody else writes it. */
static void *foreign_thread(void *arg)
{
	int bad = 0;
	uint32_t n = 0;

	(void)arg;
	while (!atomic_load(&win.stop)) {
		uint8_t *at = mmap(NULL, FOREIGN_LEN, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			continue;
		bad += at < win.v.window + win.v.window_size &&
		       at + FOREIGN_LEN > win.v.window;
		*at = 0x5a;
		if (!(n++ % 16))
			dt_sleep_us(200);
		bad += *at != 0x5a;
		munmap(at, FOREIGN_LEN);
		atomic_fetch_add(&win.maps, 1);
	}
	atomic_fetch_add(&win.moved, bad);
	return NULL;
}

/* Scattered memory that is registered at the same time is not disturbed. */
static void *victim_thread(void *arg)
{
	struct mr_info mr;
	uint32_t context, pd;
	struct gbuf buf;
	int bad = 0;

	(void)arg;
	gbuf_init(&buf, &win.gm, 100 * DT_PAGE, 0, GBUF_SCATTERED);
	while (!atomic_load(&win.stop)) {
		REQUIRE_EQ(cmd_alloc_context(&win.v, &context), 0,
			   "ALLOC_CONTEXT");
		REQUIRE_EQ(cmd_alloc_pd(&win.v, context, &pd), 0, "ALLOC_PD");
		bad += !!cmd_reg_mr(&win.v, pd, &buf, ACCESS_LOCAL, &mr);
		cmd_destroy(&win.v, HYV_OBJ_CONTEXT, context);
		atomic_fetch_add(&win.forks, 1);
	}
	atomic_fetch_add(&win.moved, bad);
	gbuf_free(&buf);
	return NULL;
}

static void test_refused(void)
{
	static void *(*const fn[])(void *) = {
		refused_thread,
		refused_thread,
		foreign_thread,
		victim_thread,
	};
	pthread_t thread[ARRAY_SIZE(fn)];
	size_t i;

	gmem_init(&win.gm, GMEM_MEMFD);
	vnic_open(&win.v, &win.gm);
	for (i = 0; i < ARRAY_SIZE(fn); i++)
		REQUIRE(!pthread_create(&thread[i], NULL, fn[i], NULL),
			"pthread_create");
	dt_sleep_us(5000000);
	atomic_store(&win.stop, true);
	for (i = 0; i < ARRAY_SIZE(fn); i++)
		pthread_join(thread[i], NULL);
	tap_ok(win.calls && win.maps && win.forks,
	       "%u refused MMAPs, %u mappings of others, %u registrations",
	       win.calls, win.maps, win.forks);
	tap_is(win.moved, 0, "no mapping of others is touched, none fails");
	vnic_close(&win.v);
}

static const struct hostile_test tests[] = {
	{"calls on the window", test_calls, 60},
	{"killed during calls on the window", test_calls_killed, 180},
	{"the window unmapped and mapped", test_remap, 60},
	{"refused mappings", test_refused, 60},
	{"queues resized and mapped", test_resize, 120},
};

static const struct hostile_test map_count[] = {
	{"vm.max_map_count", test_map_count, 90},
};

void suite_hostile_window(void)
{
	long old = sysctl_map_count(0);

	hostile_run(tests, ARRAY_SIZE(tests));
	hostile_run(map_count, ARRAY_SIZE(map_count));
	sysctl_map_count(old);
}
