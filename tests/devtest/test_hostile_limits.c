// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM with very many vNICs, or at the limits of its user and its control
 * groups.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/userfaultfd.h>
#include <linux/virtio_config.h>

#include "driver.h"
#include "fixture.h"
#include "fuzz.h"
#include "hostile_vmm.h"
#include "suites.h"

#define MANY	 4000
#define NOBODY	 65534
#define PER_USER "/sys/module/hyv/parameters/max_vnics_per_user"
/* Enough to show the limit, and few enough for an emulated CPU. */
#define PER_USER_MAX 64

static long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long val = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &val) != 1)
		val = -1;
	fclose(f);
	return val;
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) >= 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_number(const char *path, long val)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", val);
	return write_text(path, text);
}

static void allow_files(rlim_t nr)
{
	struct rlimit limit = {nr, nr};

	REQUIRE(!setrlimit(RLIMIT_NOFILE, &limit), "RLIMIT_NOFILE");
}

/* Attach, and start what a vNIC needs to work. */
static int attach_and_start(int fd, int uverbs)
{
	struct hyv_set_doorbell arg = {.size = sizeof(arg), .kick_fd = -1};
	int ret = hyv_attach_fd(fd, uverbs, "many");

	return ret ? ret : hyv_ioctl(fd, HYV_SET_DOORBELL, &arg);
}

/* A file that is not attached costs little. */
static void test_open(void)
{
	static int file[MANY];
	uint64_t began = dt_now_ms();
	int i;

	allow_files(MANY + 64);
	for (i = 0; i < MANY; i++)
		file[i] = hyv_open();
	hostile_expect_answer("with thousands of open files");
	for (i = 0; i < MANY; i++)
		close(file[i]);
	tap_ok(dt_now_ms() - began < hostile_ms(30),
	       "%d files open and close in %llu ms", MANY,
	       (unsigned long long)(dt_now_ms() - began));
}

/* Attach up to the limit of the user: exactly so many, then EDQUOT. */
static void attach_all(int limit, const char *who)
{
	static int file[PER_USER_MAX + 2];
	int uverbs = uverbs_open(), i, ret = 0, nr = 0;

	for (i = 0; i < limit + 2; i++) {
		file[i] = hyv_open();
		ret = attach_and_start(file[i], uverbs);
		if (ret)
			break;
		nr++;
	}
	tap_is(nr, limit, "%s: vNICs up to max_vnics_per_user", who);
	tap_is(ret, -EDQUOT, "%s: one more", who);
	hostile_expect_answer("with all vNICs that a user may have");
	close(file[0]);
	tap_is(attach_and_start(file[nr], uverbs), 0,
	       "%s: another one when one was closed", who);
	for (i = 1; i <= nr; i++)
		close(file[i]);
	close(uverbs);
}

static void test_attach(void)
{
	long old = read_number(PER_USER);
	int limit;

	REQUIRE(old > 0, "%s", PER_USER);
	allow_files(MANY);
	limit = old < PER_USER_MAX ? old : PER_USER_MAX;
	REQUIRE(old == limit || write_number(PER_USER, limit), "%s can be set",
		PER_USER);
	attach_all(limit, "root");
	write_number(PER_USER, old);
}

/* Become a user without privileges, who has what was open. */
static void drop_privileges(void)
{
	REQUIRE(!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
			!setresuid(NOBODY, NOBODY, NOBODY),
		"setuid");
}

/* Without room for threads: those of vNICs have a limit of their own. */
static void start_some(const int *file, int nr, int uverbs, const char *where)
{
	int i, started = 0;

	for (i = 0; i < nr; i++)
		started += !attach_and_start(file[i], uverbs);
	tap_is(started, nr, "%s: vNICs start", where);
}

#define SOME 32

static void test_nproc(void)
{
	struct rlimit limit = {1, 1};
	int file[SOME], uverbs = uverbs_open(), i;

	for (i = 0; i < SOME; i++)
		file[i] = hyv_open();
	drop_privileges();
	REQUIRE(!setrlimit(RLIMIT_NPROC, &limit), "RLIMIT_NPROC");
	start_some(file, SOME, uverbs, "RLIMIT_NPROC of 1");
	for (i = 0; i < SOME; i++)
		close(file[i]);
}

/* --- Control groups, in a hierarchy that this process mounts. */

#define CG_MOUNT "/tmp/devtest-cgroup"
#define CG_DIR	 CG_MOUNT "/devtest"

/* Make a group with a controller; false if the kernel lacks it. */
static bool cg_make(const char *controller)
{
	char text[32];

	mkdir(CG_MOUNT, 0755);
	REQUIRE(!unshare(CLONE_NEWNS), "a mount namespace");
	REQUIRE(!mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL),
		"mounts are private");
	REQUIRE(!mount("devtest", CG_MOUNT, "cgroup2", 0, NULL),
		"mount of control groups (%s)", strerror(errno));
	snprintf(text, sizeof(text), "+%s", controller);
	if (!write_text(CG_MOUNT "/cgroup.subtree_control", text)) {
		tap_skip("the kernel has none", "controller %s", controller);
		return false;
	}
	REQUIRE(!mkdir(CG_DIR, 0755) || errno == EEXIST, "a control group");
	return true;
}

static void cg_enter(void)
{
	REQUIRE(write_text(CG_DIR "/cgroup.procs", "0"),
		"a process enters a control group");
}

/* Sum of the numbers behind a word, in a file of the control group. */
static long cg_count(const char *name, const char *word)
{
	char line[256], path[64], *at;
	long nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), CG_DIR "/%s", name);
	f = fopen(path, "re");
	REQUIRE(f, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		at = strstr(line, word);
		if (at)
			nr += atol(at + strlen(word));
	}
	fclose(f);
	return nr;
}

static void pids_child(void *arg)
{
	int file[SOME], uverbs, i;

	(void)arg;
	cg_enter();
	REQUIRE(write_text(CG_DIR "/pids.max", "1"), "pids.max");
	uverbs = uverbs_open();
	for (i = 0; i < SOME; i++)
		file[i] = hyv_open();
	start_some(file, SOME, uverbs, "pids.max of 1");
	for (i = 0; i < SOME; i++)
		close(file[i]);
}

static void test_pids(void)
{
	if (!cg_make("pids"))
		return;
	hostile_expect_end(hostile_fork(pids_child, NULL),
			   "at the limit of processes");
	write_text(CG_DIR "/pids.max", "max");
	rmdir(CG_DIR);
}

static long cg_memory(void)
{
	return read_number(CG_DIR "/memory.current");
}

/* The bitmap of the largest window, a bit for each page. */
#define BIG_WINDOW	 (1ULL << 40)
#define BIG_WINDOW_BYTES (BIG_WINDOW / DT_PAGE / 8)
/* A small part of the memory that the host keeps for them. */
#define CHARGED_PDS	  16384
#define CHARGED_PDS_BYTES (CHARGED_PDS * 128)

/*
 * Memory that the host keeps is charged. The kernel charges in advance, some
 * pages for each CPU: so both are far more than that.
 */
static void charged_child(void *arg)
{
	struct hyv_set_window window = {
		.size = sizeof(window),
		.length = BIG_WINDOW,
	};
	uint32_t context, pd, i;
	struct gmem gm;
	struct vnic v;
	long before;

	(void)arg;
	cg_enter();
	gmem_init(&gm, GMEM_MEMFD);
	vnic_attach(&v, &gm);
	before = cg_memory();
	REQUIRE_EQ(hyv_ioctl(v.fd, HYV_SET_WINDOW, &window), 0, "SET_WINDOW");
	tap_ok(cg_memory() - before > (long)BIG_WINDOW_BYTES * 3 / 4,
	       "%ld KiB are charged for a large window",
	       (cg_memory() - before) / 1024);
	vnic_close(&v);
	tap_ok(dt_until(cg_memory() - before < (long)BIG_WINDOW_BYTES / 4),
	       "they are uncharged when it is closed");

	vnic_open(&v, &gm);
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	before = cg_memory();
	for (i = 0; i < CHARGED_PDS; i++)
		REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd), 0, "ALLOC_PD");
	tap_ok(cg_memory() - before > CHARGED_PDS_BYTES,
	       "%ld KiB are charged for %d PDs", (cg_memory() - before) / 1024,
	       CHARGED_PDS);
	vnic_close(&v);
}

/* Nothing else is near, so all levels of page tables are for it. */
#define LONELY ((void *)0x600000000000)

static uint8_t *map_lonely(void)
{
	uint8_t *at =
		mmap(LONELY, 2 * DT_PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	REQUIRE(at == LONELY, "mmap");
	return at;
}

static long cg_page_tables(void)
{
	return cg_count("memory.stat", "pagetables ");
}

/* Page tables are charged, too, that the worker makes to reach a ring. */
static void tables_child(void *arg)
{
	struct hostile_ep h;
	struct evq q;
	long before;

	(void)arg;
	cg_enter();
	hostile_ep_init(&h);
	hostile_rings_at(&q, &h.v, map_lonely());
	REQUIRE_EQ(evq_start(&q, &h.v, 0), 0, "SET_EVENT_QUEUE");
	REQUIRE(!munmap(LONELY, 2 * DT_PAGE), "munmap");
	map_lonely();
	/* The kernel updates small changes every two seconds. */
	dt_sleep_us(5000000);
	before = cg_page_tables();
	hostile_ep_raise(&h);
	tap_ok(dt_until(cg_page_tables() - before >= (long)DT_PAGE),
	       "%ld KiB of page tables are charged for a ring",
	       (cg_page_tables() - before) / 1024);
	vnic_close(&h.v);
}

/* Use up a little memory by objects of all kinds, until it is refused. */
static void memory_child(void *arg)
{
	struct hyv_set_limits limits = {.max_queue_bytes = 1 << 30};
	static struct fixture f;
	uint32_t context;
	int i, done = 0, unknown = 0;
	struct rsp rsp;
	struct req r;
	size_t n;

	(void)arg;
	cg_enter();
	fixture_init(&f);
	vnic_set_limits(&f.v, &limits);
	REQUIRE(write_number(CG_DIR "/memory.max", cg_memory() + (2 << 20)),
		"memory.max");
	for (i = 0; i < 200; i++)
		for (n = 0; n < NR_OPCODES; n++) {
			if (opcodes[n].opcode == HYV_CMD_DESTROY)
				continue;
			fixture_request(&f, opcodes[n].opcode, &r);
			if (vnic_exec_raw(&f.v, r.data, r.len, rsp.data,
					  sizeof(rsp.data), &rsp.len))
				continue;
			done++;
			unknown += !fuzz_known_status(le32toh(rsp.hdr.status));
			cmd_alloc_context(&f.v, &context);
		}
	tap_ok(done > 0 && !unknown,
	       "%d requests at memory.max have a reply, %d an unknown status",
	       done, unknown);
	fixture_free(&f);
}

/* The kernel may kill the process; then that is its end. */
static void test_memory(void)
{
	struct dt_counts before = dt_counts();
	int status = -1;
	pid_t pid;

	if (!cg_make("memory"))
		return;
	write_text(CG_DIR "/memory.swap.max", "0");
	pid = hostile_fork(charged_child, NULL);
	tap_ok(hostile_ends(pid, 90, &status) && !status,
	       "a VMM without a limit of its memory ends with status %#x",
	       status);
	pid = hostile_fork(tables_child, NULL);
	tap_ok(hostile_ends(pid, 60, &status) && !status,
	       "a VMM with a ring without page tables ends with status %#x",
	       status);
	dt_expect_counts(&before, "without a limit of memory");
	pid = hostile_fork(memory_child, NULL);
	tap_ok(hostile_ends(pid, 60, &status) &&
		       (!status ||
			(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)),
	       "a VMM at the limit of its memory ends with status %#x", status);
	tap_ok(cg_count("memory.events", "max ") > 0, "the limit was reached");
	dt_expect_counts(&before, "at the limit of memory");
	write_text(CG_DIR "/memory.max", "max");
	rmdir(CG_DIR);
}

#define CG_OBJECTS 20
#define CG_HANDLES 4

static long cg_objects(void)
{
	return cg_count("rdma.current", "hca_object=");
}

/* Contexts, all but one of which are destroyed again. */
static uint32_t rdma_contexts(struct vnic *v)
{
	uint32_t context[CG_HANDLES + 1];
	int nr = 0;

	while (nr <= CG_HANDLES && !cmd_alloc_context(v, &context[nr]))
		nr++;
	tap_is(nr, CG_HANDLES, "contexts up to hca_handle of rdma.max");
	tap_is(cg_count("rdma.current", "hca_handle="), CG_HANDLES,
	       "hca_handle in rdma.current");
	tap_is(cmd_alloc_context(v, &context[CG_HANDLES]), HYV_S_EDQUOT,
	       "one more");
	while (--nr)
		tap_is(cmd_destroy(v, HYV_OBJ_CONTEXT, context[nr]), 0,
		       "DESTROY of one");
	tap_is(cg_count("rdma.current", "hca_handle="), 1,
	       "which are uncharged");
	return context[0];
}

static void rdma_child(void *arg)
{
	uint32_t context, pd[CG_OBJECTS + 1];
	struct gmem gm;
	struct vnic v;
	int nr = 0;

	(void)arg;
	cg_enter();
	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	context = rdma_contexts(&v);
	while (nr <= CG_OBJECTS && !cmd_alloc_pd(&v, context, &pd[nr]))
		nr++;
	tap_is(nr, CG_OBJECTS, "objects up to hca_object of rdma.max");
	tap_is(cg_objects(), CG_OBJECTS, "hca_object in rdma.current");
	tap_is(cmd_alloc_pd(&v, context, &pd[CG_OBJECTS]), HYV_S_EDQUOT,
	       "one more");
	tap_is(cg_objects(), CG_OBJECTS, "which is not charged");
	tap_is(cmd_destroy(&v, HYV_OBJ_PD, pd[0]), 0, "DESTROY of one");
	tap_is(cg_objects(), CG_OBJECTS - 1, "which is uncharged");
	tap_is(cmd_alloc_pd(&v, context, &pd[0]), 0, "another one");
	tap_is(vnic_reset(&v), 0, "RESET");
	tap_is(cg_objects(), 0, "objects that are charged after it");
	tap_is(cg_count("rdma.current", "hca_handle="), 0, "contexts that are");
	REQUIRE_EQ(vnic_set_features(&v, vnic_features(&v)), 0, "SET_FEATURES");
	REQUIRE_EQ(cmd_alloc_context(&v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(&v, context, &pd[0]), 0, "ALLOC_PD");
}

static void test_rdma_cgroup(void)
{
	char text[64];

	if (!cg_make("rdma"))
		return;
	snprintf(text, sizeof(text), "%s hca_handle=%d hca_object=%d",
		 dt_ibdev(), CG_HANDLES, CG_OBJECTS);
	REQUIRE(write_text(CG_DIR "/rdma.max", text), "rdma.max");
	hostile_expect_end(hostile_fork(rdma_child, NULL),
			   "at the limit of objects");
	tap_is(cg_objects() + cg_count("rdma.current", "hca_handle="), 0,
	       "objects and contexts that are charged after its end");
	snprintf(text, sizeof(text), "%s hca_handle=max hca_object=max",
		 dt_ibdev());
	write_text(CG_DIR "/rdma.max", text);
	rmdir(CG_DIR);
}

/* --- Requests that wait for their VMM, and resets that wait for them. */

/* More than the kernel's workers for all vNICs. */
#define NR_STUCK 600

/* A vNIC with a request that waits for its scratch memory, and a reset. */
struct stuck {
	int fd;
	const struct req *request;
	void *scratch;
	atomic_uint *resets;
};

static void *stuck_exec(void *arg)
{
	struct stuck *s = arg;
	static struct rsp rsp;
	struct hyv_exec exec = {
		.size = sizeof(exec),
		.request = (uintptr_t)s->request->data,
		.request_len = s->request->len,
		.reply = (uintptr_t)rsp.data,
		.reply_len = sizeof(rsp.data),
		.scratch = (uintptr_t)s->scratch,
		.scratch_len = DT_SCRATCH,
	};

	hyv_ioctl(s->fd, HYV_EXEC, &exec);
	return NULL;
}

static void *stuck_reset(void *arg)
{
	struct stuck *s = arg;
	struct hyv_reset reset = {.size = sizeof(reset)};

	atomic_fetch_add(s->resets, 1);
	hyv_ioctl(s->fd, HYV_RESET, &reset);
	return NULL;
}

static void stuck_thread(void *(*fn)(void *), struct stuck *s)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 19);
	REQUIRE_EQ(pthread_create(&thread, &attr, fn, s), 0, "pthread_create");
	pthread_attr_destroy(&attr);
}

/* Wait for page faults: as many requests wait for memory. */
static void wait_faults(int uffd, int nr)
{
	struct pollfd pfd = {.fd = uffd, .events = POLLIN};
	struct uffd_msg msg;

	while (nr) {
		REQUIRE(poll(&pfd, 1, dt_hang_ms()) == 1,
			"%d requests do not wait for memory", nr);
		while (read(uffd, &msg, sizeof(msg)) == sizeof(msg))
			nr--;
	}
}

static void stuck_vmm(void *arg)
{
	static struct stuck stuck[NR_STUCK];
	static struct req request;
	static atomic_uint resets;
	int uffd = hostile_uffd(0), uverbs = uverbs_open(), i;
	struct vnic v = {};
	void *scratch;

	allow_files(NR_STUCK + 64);
	req_alloc_context(&request);
	scratch = mmap(NULL, DT_SCRATCH, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(scratch != MAP_FAILED &&
			hostile_uffd_register(uffd, scratch, DT_SCRATCH),
		"UFFDIO_REGISTER");
	for (i = 0; i < NR_STUCK; i++) {
		v.fd = hyv_open();
		REQUIRE_EQ(hyv_attach_fd(v.fd, uverbs, "stuck"), 0, "ATTACH");
		REQUIRE_EQ(vnic_set_features(&v, 1ULL << VIRTIO_F_VERSION_1), 0,
			   "SET_FEATURES");
		stuck[i] = (struct stuck){
			.fd = v.fd,
			.request = &request,
			.scratch = scratch,
			.resets = &resets,
		};
		stuck_thread(stuck_exec, &stuck[i]);
	}
	wait_faults(uffd, NR_STUCK);
	for (i = 0; i < NR_STUCK; i++)
		stuck_thread(stuck_reset, &stuck[i]);
	while (atomic_load(&resets) < NR_STUCK)
		dt_sleep_us(10000);
	dt_sleep_us(500000);
	hostile_tell(arg);
	for (;;)
		pause();
}

static void neighbour(void *arg)
{
	int uverbs = uverbs_open(), i;
	struct vnic v = {};
	uint32_t context;

	(void)arg;
	for (i = 0; i < 3; i++) {
		v.fd = hyv_open();
		REQUIRE_EQ(hyv_attach_fd(v.fd, uverbs, "neighbour"), 0,
			   "a neighbour: ATTACH");
		REQUIRE_EQ(vnic_set_features(&v, 1ULL << VIRTIO_F_VERSION_1), 0,
			   "a neighbour: SET_FEATURES");
		REQUIRE_EQ(cmd_alloc_context(&v, &context), 0,
			   "a neighbour: ALLOC_CONTEXT");
		if (i)
			REQUIRE_EQ(vnic_reset(&v), 0, "a neighbour: RESET");
		close(v.fd);
	}
	close(uverbs);
}

/* Teardowns that wait for the requests of a VMM do not delay others. */
static void test_teardown_queue(void)
{
	struct hostile_pipe ready;
	int uffd, status;
	pid_t vmm;

	uffd = hostile_uffd(0);
	if (uffd < 0) {
		tap_skip("the kernel has no userfaultfd", "teardown queue");
		return;
	}
	close(uffd);
	hostile_pipe(&ready);
	vmm = hostile_fork(stuck_vmm, &ready);
	REQUIRE(hostile_hear(&ready, 90),
		"requests and resets of %d vNICs wait", NR_STUCK);
	hostile_expect_answer("while resets wait");
	hostile_expect_end(hostile_fork(neighbour, NULL),
			   "RESET and close of another VMM");
	/* It closes one file after the other. */
	kill(vmm, SIGKILL);
	tap_ok(hostile_ends(vmm, 90, &status), "the VMM can be killed");
	tap_ok(hostile_no_vnics(HOSTILE_END_S), "its vNICs have ended");
}

/* --- A worker that its VMM leaves no processor time. */

/* Without a rescue, the worker would run every 20 s. */
#define STARVED_MS  6000
#define STARVE_CPUS 64
#define AUTOGROUP   "/proc/sys/kernel/sched_autogroup_enabled"

struct starve {
	struct doorbells db;
	int fd;
	int cpu;
};

/* The worker always has something to do, and hardly ever a processor. */
static void starve(void *arg)
{
	struct starve *s = arg;
	cpu_set_t cpus;

	close(s->fd);
	CPU_ZERO(&cpus);
	CPU_SET(s->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (;;)
		db_ring(&s->db, 0);
}

static int close_starved(struct vnic *v)
{
	return close(v->fd);
}

static void expect_end_starved(struct vnic *v, int (*end)(struct vnic *v),
			       const char *what)
{
	int nr = sysconf(_SC_NPROCESSORS_ONLN), cpu, ret;
	struct starve s = {.fd = v->fd};
	pid_t pid[STARVE_CPUS];
	uint64_t ms;

	REQUIRE(nr > 0 && nr <= STARVE_CPUS, "%d processors", nr);
	REQUIRE(!setpriority(PRIO_PROCESS, 0, 19), "nice");
	db_init(&s.db, v, 0);
	REQUIRE_EQ(db_setup(&s.db, v), 0, "SETUP_DOORBELLS");
	REQUIRE(!setpriority(PRIO_PROCESS, 0, -20), "nice");
	for (cpu = 0; cpu < nr; cpu++) {
		s.cpu = cpu;
		pid[cpu] = hostile_fork(starve, &s);
	}
	dt_sleep_us(2000000);
	ms = dt_now_ms();
	ret = end(v);
	ms = dt_now_ms() - ms;
	for (cpu = 0; cpu < nr; cpu++) {
		kill(pid[cpu], SIGKILL);
		waitpid(pid[cpu], NULL, 0);
	}
	REQUIRE(!setpriority(PRIO_PROCESS, 0, 0), "nice");
	tap_is(ret, 0, "%s of a vNIC whose worker starves", what);
	tap_ok(ms < STARVED_MS, "%s takes %llu ms", what,
	       (unsigned long long)ms);
	db_free(&s.db);
}

static void test_starved(void)
{
	struct gmem gm;
	struct vnic v;

	/* A session that is a group gets no more than its share. */
	write_number(AUTOGROUP, 0);
	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	expect_end_starved(&v, vnic_reset, "RESET");
	REQUIRE_EQ(vnic_set_features(&v, vnic_features(&v)), 0, "SET_FEATURES");
	expect_end_starved(&v, close_starved, "close");
	gmem_free(&gm);
}

static const struct hostile_test tests[] = {
	{"thousands of open files", test_open, 90},
	{"as many vNICs as possible", test_attach, 120},
	{"RLIMIT_NPROC", test_nproc, 60},
	{"pids control group", test_pids, 60},
	{"memory control group", test_memory, 300},
	{"rdma control group", test_rdma_cgroup, 60},
	{"resets that wait", test_teardown_queue, 240},
	{"a worker that starves", test_starved, 120},
};

void suite_hostile_limits(void)
{
	long old = read_number(PER_USER), groups = read_number(AUTOGROUP);

	hostile_run(tests, ARRAY_SIZE(tests));
	if (old > 0)
		write_number(PER_USER, old);
	/* Not all kernels have it. */
	if (groups > 0)
		write_number(AUTOGROUP, groups);
	rmdir(CG_MOUNT);
}
