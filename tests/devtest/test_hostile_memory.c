// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM whose memory does not answer: the window, event rings, buffers and
 * memory regions under userfaultfd or in a FUSE file. Nothing but the VMM's own
 * threads may wait for it.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

#include "hostile_vmm.h"
#include "suites.h"

/* How a VMM ends. */
enum end {
	END_CLOSE,
	END_EXIT,
	END_KILL,
	NR_ENDS,
};

static const char *const end_name[] = {"close", "exit", "kill"};

/*
 * The task of a VMM, and how its parent knows that it is done. @process:
 * a process that shares its memory sends the request, not a thread.
 */
struct victim {
	enum end end;
	bool ufd_first;
	bool process;
	bool scattered;
	struct hostile_pipe ready;
};

static bool no_userfaultfd(void)
{
	int fd = hostile_uffd(0);

	if (fd < 0) {
		tap_skip("the kernel has none", "userfaultfd");
		return true;
	}
	close(fd);
	return false;
}

/* End in the way that was chosen; a close must not take long. */
static void end(struct victim *victim, struct vnic *v)
{
	uint64_t began;

	switch (victim->end) {
	case END_CLOSE:
		began = dt_now_ms();
		close(v->fd);
		tap_ok(dt_now_ms() - began < hostile_ms(HOSTILE_END_S),
		       "close takes %llu ms",
		       (unsigned long long)(dt_now_ms() - began));
		hostile_tell(&victim->ready);
		return;
	case END_EXIT:
		hostile_tell(&victim->ready);
		return;
	default:
		hostile_tell(&victim->ready);
		for (;;)
			pause();
	}
}

static void run_victim(void (*fn)(void *), struct victim *victim,
		       const char *what)
{
	char name[128];
	pid_t pid;

	snprintf(name, sizeof(name), "%s, %s%s", what, end_name[victim->end],
		 victim->ufd_first ? ", userfaultfd has the lower number" : "");
	hostile_pipe(&victim->ready);
	pid = hostile_fork(fn, victim);
	tap_ok(hostile_hear(&victim->ready, DT_HANG_S), "%s: ready", name);
	hostile_expect_answer(name);
	if (victim->end == END_KILL)
		hostile_expect_killed(pid, name);
	else
		hostile_expect_end(pid, name);
	tap_ok(hostile_no_vnics(HOSTILE_END_S), "%s: the vNIC has ended", name);
}

/* In all ways; userfaultfd is released before or after the vNIC. */
static void run_victims(void (*fn)(void *), const char *what)
{
	struct victim victim = {};
	int i;

	for (i = 0; i < 2 * NR_ENDS; i++) {
		victim.end = i / 2;
		victim.ufd_first = i % 2;
		run_victim(fn, &victim, what);
	}
}

/* No part of the window can be replaced; all of it can, but that is the VMM's.
 */
static void window_replaced(void *arg)
{
	struct victim *victim = arg;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	int uffd = -1;
	struct hostile_ep h;
	uint8_t *at;

	if (victim->ufd_first)
		uffd = hostile_uffd(UFFD_FEATURE_EVENT_UNMAP);
	hostile_ep_init(&h);
	if (!victim->ufd_first)
		uffd = hostile_uffd(UFFD_FEATURE_EVENT_UNMAP);
	tap_ok(!hostile_uffd_register(uffd, h.v.window, h.v.window_size),
	       "the window takes no userfaultfd");
	at = h.v.window + h.ep.cq_map.offset;
	tap_ok(mmap(at, DT_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) ==
		       MAP_FAILED,
	       "a page of the window cannot be replaced");
	REQUIRE(mmap(h.v.window, h.v.window_size, PROT_READ | PROT_WRITE, flags,
		     -1, 0) == h.v.window,
		"all of the window can");
	REQUIRE(hostile_uffd_register(uffd, h.v.window, h.v.window_size),
		"UFFDIO_REGISTER");
	end(victim, &h.v);
}

static void test_window_replaced(void)
{
	if (!no_userfaultfd())
		run_victims(window_replaced, "the window is under userfaultfd");
}

static uint8_t *anonymous(size_t len)
{
	uint8_t *at = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(at != MAP_FAILED, "mmap");
	return at;
}

/* A queue that runs, then its rings are gone and userfaultfd has the faults. */
struct missing {
	struct hostile_ep h;
	struct evq q;
	uint8_t *rings;
	uint8_t saved[2 * DT_PAGE];
	int uffd;
};

static void missing_init(struct missing *m, bool ufd_first)
{
	if (ufd_first)
		m->uffd = hostile_uffd(0);
	hostile_ep_init(&m->h);
	if (!ufd_first)
		m->uffd = hostile_uffd(0);
	m->rings = anonymous(2 * DT_PAGE);
	hostile_rings_at(&m->q, &m->h.v, m->rings);
	REQUIRE_EQ(evq_start(&m->q, &m->h.v, 0), 0, "SET_EVENT_QUEUE");
	memcpy(m->saved, m->rings, sizeof(m->saved));
	REQUIRE(hostile_uffd_register(m->uffd, m->rings, 2 * DT_PAGE),
		"UFFDIO_REGISTER");
	REQUIRE(!madvise(m->rings, 2 * DT_PAGE, MADV_DONTNEED), "madvise");
	hostile_ep_raise(&m->h);
	/* The worker meets the missing ring. */
	dt_sleep_us(200000);
}

static void ring_missing(void *arg)
{
	struct victim *victim = arg;
	static struct missing m;

	missing_init(&m, victim->ufd_first);
	end(victim, &m.h.v);
}

/* The event arrives once the pages are there. */
static void test_ring_provided(void)
{
	static struct missing m;
	struct hyv_event ev = {};

	if (no_userfaultfd())
		return;
	missing_init(&m, false);
	hostile_expect_answer("while a ring is missing");
	REQUIRE(hostile_uffd_copy(m.uffd, m.rings, m.saved, sizeof(m.saved)),
		"UFFDIO_COPY");
	tap_ok(evq_get(&m.q, &ev, hostile_ms(HOSTILE_END_S)) &&
		       le16toh(ev.type) == HYV_EVENT_COMP,
	       "the event comes when its ring is there");
	hostile_ep_raise(&m.h);
	tap_ok(evq_get(&m.q, &ev, hostile_ms(HOSTILE_END_S)),
	       "and so does the next one");
	vnic_close(&m.h.v);
}

/* Stopping the queue, and a reset, need not the ring. */
static void test_ring_stopped(void)
{
	static struct missing m;
	uint64_t began;
	uint16_t index;

	if (no_userfaultfd())
		return;
	missing_init(&m, false);
	began = dt_now_ms();
	tap_is(evq_stop(&m.q, &m.h.v, &index), 0, "stop a queue without ring");
	tap_is(vnic_reset(&m.h.v), 0, "reset");
	tap_ok(dt_now_ms() - began < hostile_ms(HOSTILE_END_S),
	       "both take %llu ms", (unsigned long long)(dt_now_ms() - began));
	vnic_close(&m.h.v);
}

static void test_ring_missing(void)
{
	if (!no_userfaultfd())
		run_victims(ring_missing, "an event ring is missing");
}

static int error_fd(struct vnic *v)
{
	struct hyv_set_notify arg = {
		.size = sizeof(arg),
		.config_fd = -1,
		.error_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};

	REQUIRE(arg.error_fd >= 0, "eventfd");
	REQUIRE_EQ(hyv_ioctl(v->fd, HYV_SET_NOTIFY, &arg), 0, "SET_NOTIFY");
	return arg.error_fd;
}

static bool signalled(int fd, unsigned int seconds)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, hostile_ms(seconds)) == 1;
}

static uint8_t *map_file(int file, void *at, size_t len)
{
	uint8_t *got = mmap(at, len, PROT_READ | PROT_WRITE,
			    MAP_SHARED | (at ? MAP_FIXED : 0), file, 0);

	REQUIRE(got != MAP_FAILED, "mmap of the FUSE file");
	return got;
}

/* Rings in a file that does not answer are refused, and break if they move. */
static void ring_fuse(void *arg)
{
	struct victim *victim = arg;
	int file = hostile_fuse(), error;
	struct hyv_set_event_queue set = {
		.size = sizeof(set),
		.num = 8,
		.call_fd = -1,
		.kick_fd = -1,
	};
	struct hostile_ep h;
	uint8_t *at, *rings;
	struct evq q;

	hostile_ep_init(&h);
	error = error_fd(&h.v);
	at = map_file(file, NULL, 2 * DT_PAGE);
	set.desc = (uintptr_t)at;
	set.avail = (uintptr_t)at + 2048;
	set.used = (uintptr_t)at + DT_PAGE;
	tap_is(hyv_ioctl(h.v.fd, HYV_SET_EVENT_QUEUE, &set), -EOPNOTSUPP,
	       "a ring in a FUSE file");
	tap_ok(!signalled(error, 0), "a queue that is refused is not broken");

	rings = anonymous(2 * DT_PAGE);
	hostile_rings_at(&q, &h.v, rings);
	REQUIRE_EQ(evq_start(&q, &h.v, 0), 0, "SET_EVENT_QUEUE");
	map_file(file, rings + DT_PAGE, DT_PAGE);
	hostile_ep_raise(&h);
	tap_ok(signalled(error, HOSTILE_END_S),
	       "a used ring that becomes a FUSE file breaks the queue");
	end(victim, &h.v);
}

static bool no_fuse(void)
{
	if (!access("/dev/fuse", R_OK | W_OK))
		return false;
	tap_skip("the kernel has none", "FUSE");
	return true;
}

static void test_ring_fuse(void)
{
	struct victim victim = {};

	if (no_fuse())
		return;
	for (; victim.end < NR_ENDS; victim.end++)
		run_victim(ring_fuse, &victim, "event rings in a FUSE file");
}

/* A region of guest memory for a mapping, in place of all others. */
static void region_at(struct vnic *v, const uint8_t *at, size_t len)
{
	struct hyv_mem_region region = {
		.gpa = GMEM_GPA_BASE,
		.length = len,
		.addr = (uintptr_t)at,
	};

	REQUIRE_EQ(vnic_set_mem(v, &region, 1), 0, "SET_MEM");
}

/* Event buffers in a file that does not answer break the queue. */
static void buffer_fuse(void *arg)
{
	struct victim *victim = arg;
	int file = hostile_fuse(), error;
	struct hostile_ep h;
	struct evq q;

	hostile_ep_init(&h);
	error = error_fd(&h.v);
	hostile_rings_at(&q, &h.v, anonymous(2 * DT_PAGE));
	q.desc[0].addr = htole64(GMEM_GPA_BASE);
	REQUIRE_EQ(evq_start(&q, &h.v, 0), 0, "SET_EVENT_QUEUE");
	region_at(&h.v, map_file(file, NULL, HOSTILE_FUSE_LEN),
		  HOSTILE_FUSE_LEN);
	hostile_ep_raise(&h);
	tap_ok(signalled(error, HOSTILE_END_S),
	       "an event buffer in a FUSE file breaks the queue");
	end(victim, &h.v);
}

static void test_buffer_fuse(void)
{
	struct victim victim = {};

	if (no_fuse())
		return;
	for (; victim.end < NR_ENDS; victim.end++)
		run_victim(buffer_fuse, &victim,
			   "event buffers in a FUSE file");
}

/* A thread that registers memory which is not there. */
struct pin {
	struct vnic *v;
	struct gbuf buf;
	uint32_t pd;
	atomic_bool done;
	int ret;
};

static void *pin_thread(void *arg)
{
	struct pin *pin = arg;
	struct mr_info mr;

	pin->ret = cmd_reg_mr(pin->v, pin->pd, &pin->buf, ACCESS_REMOTE, &mr);
	atomic_store(&pin->done, true);
	return NULL;
}

static int pin_process(void *arg)
{
	prctl(PR_SET_PDEATHSIG, 0);
	pin_thread(arg);
	return 0;
}

static pthread_t pin_start(struct pin *pin, struct vnic *v, bool process)
{
	static uint8_t stack[1 << 18];
	uint32_t context;
	pthread_t thread = 0;

	pin->v = v;
	REQUIRE_EQ(cmd_alloc_context(v, &context), 0, "ALLOC_CONTEXT");
	REQUIRE_EQ(cmd_alloc_pd(v, context, &pin->pd), 0, "ALLOC_PD");
	if (process)
		REQUIRE(clone(pin_process, stack + sizeof(stack),
			      CLONE_VM | CLONE_FILES | SIGCHLD, pin) > 0,
			"clone");
	else
		REQUIRE(!pthread_create(&thread, NULL, pin_thread, pin),
			"pthread_create");
	dt_sleep_us(500000);
	return thread;
}

/* Guest memory that is contiguous is pinned where it is. */
static void linear_missing(struct gmem *gm, int uffd)
{
	uint8_t *at = gmem_at(gm, GMEM_GPA_LINEAR);

	REQUIRE(hostile_uffd_register(uffd, at, GMEM_LINEAR_PAGES * DT_PAGE),
		"UFFDIO_REGISTER of guest memory");
}

/* Memory that is not contiguous is mapped again, where no userfaultfd is. */
static void pin_missing(void *arg)
{
	struct victim *victim = arg;
	struct hyv_get_config get = {.size = sizeof(get)};
	int uffd = hostile_uffd(0);
	static struct pin pin;
	struct gmem gm;
	struct vnic v;
	uint32_t i;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	gbuf_init(&pin.buf, &gm, 16 * DT_PAGE, 0,
		  victim->scattered ? GBUF_SCATTERED : GBUF_LINEAR);
	for (i = 0; i < pin.buf.nr_pages; i++)
		REQUIRE(hostile_uffd_register(
				uffd, gmem_at(&gm, pin.buf.gpa[i]), DT_PAGE),
			"UFFDIO_REGISTER of guest memory");
	pin_start(&pin, &v, victim->process);
	if (victim->process)
		tap_ok(atomic_load(&pin.done) && pin.ret == -EPERM,
		       "REG_MR by another process is refused: %d", pin.ret);
	else
		tap_ok(!atomic_load(&pin.done), "REG_MR waits for its memory");
	tap_is(hyv_ioctl(v.fd, HYV_GET_CONFIG, &get), 0,
	       "GET_CONFIG does not wait for it");
	end(victim, &v);
}

static void *doorbells_thread(void *arg)
{
	struct pin *pin = arg;
	struct rsp rsp;
	struct req r;

	req_setup_doorbells(&r, &pin->buf);
	pin->ret = vnic_exec(pin->v, &r, &rsp);
	atomic_store(&pin->done, true);
	return NULL;
}

static bool refused(const struct pin *pin)
{
	uint64_t until = dt_now_ms() + hostile_ms(HOSTILE_END_S);

	while (!atomic_load(&pin->done) && dt_now_ms() < until)
		dt_sleep_us(1000);
	return atomic_load(&pin->done) && pin->ret == HYV_S_EOPNOTSUPP;
}

/*
 * The server of a file can keep its pages locked, and who unpins them would
 * wait. So they are never pinned.
 */
static void pin_fuse(void *arg)
{
	struct victim *victim = arg;
	int file = hostile_fuse();
	static uint64_t gpa[DB_PAGES];
	static struct pin pin, db;
	pthread_t thread;
	struct gmem gm;
	struct vnic v;
	int i;

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	region_at(&v, map_file(file, NULL, HOSTILE_FUSE_LEN), HOSTILE_FUSE_LEN);
	for (i = 0; i < DB_PAGES; i++)
		gpa[i] = GMEM_GPA_BASE + i * DT_PAGE;
	pin.buf = (struct gbuf){
		.gm = &gm,
		.va = 0x7f0000000000,
		.length = sizeof(gpa) / sizeof(gpa[0]) * DT_PAGE,
		.nr_pages = sizeof(gpa) / sizeof(gpa[0]),
		.gpa = gpa,
	};
	db.v = &v;
	db.buf = pin.buf;
	db.buf.va = 0;
	pin_start(&pin, &v, false);
	tap_ok(refused(&pin), "REG_MR of a FUSE file is refused");
	REQUIRE(!pthread_create(&thread, NULL, doorbells_thread, &db),
		"pthread_create");
	tap_ok(refused(&db), "and so is SETUP_DOORBELLS");
	end(victim, &v);
}

/* Closing does not count as an end: the request holds the file. */
static void test_pin(void)
{
	struct victim victim = {.end = END_EXIT};
	struct victim scattered = {.end = END_EXIT, .scattered = true};

	if (!no_userfaultfd())
		run_victim(pin_missing, &scattered,
			   "REG_MR of missing memory that is scattered");
	for (; victim.end < NR_ENDS; victim.end++) {
		if (!no_userfaultfd())
			run_victim(pin_missing, &victim,
				   "REG_MR of missing memory");
		if (!no_fuse())
			run_victim(pin_fuse, &victim, "REG_MR of a FUSE file");
	}
}

/* Provide a page now and then, until the test ends. */
struct provider {
	int uffd;
	uint8_t *zero;
	atomic_uint pages;
};

static void *provide_thread(void *arg)
{
	struct provider *p = arg;
	struct pollfd pfd = {.fd = p->uffd, .events = POLLIN};
	struct uffd_msg msg;
	uintptr_t at;

	for (;;) {
		poll(&pfd, 1, -1);
		if (read(p->uffd, &msg, sizeof(msg)) != sizeof(msg))
			continue;
		dt_sleep_us(2000);
		at = msg.arg.pagefault.address & ~(DT_PAGE - 1);
		hostile_uffd_copy(p->uffd, (void *)at, p->zero, DT_PAGE);
		atomic_fetch_add(&p->pages, 1);
	}
	return NULL;
}

/* Pages come one by one, which would take long; a reset does not wait. */
static void test_pin_reset(void)
{
	struct provider provider = {};
	static struct pin pin;
	pthread_t thread, server;
	unsigned int pages;
	struct gmem gm;
	struct vnic v;
	uint64_t began;

	if (no_userfaultfd())
		return;
	gmem_init(&gm, GMEM_MEMFD);
	provider.uffd = hostile_uffd(0);
	provider.zero = anonymous(DT_PAGE);
	linear_missing(&gm, provider.uffd);
	REQUIRE(!pthread_create(&server, NULL, provide_thread, &provider),
		"pthread_create");
	vnic_open(&v, &gm);
	gbuf_init(&pin.buf, &gm, GMEM_LINEAR_PAGES * DT_PAGE, 0, GBUF_LINEAR);
	thread = pin_start(&pin, &v, false);
	began = dt_now_ms();
	tap_is(vnic_reset(&v), 0, "RESET");
	tap_ok(dt_now_ms() - began < hostile_ms(HOSTILE_END_S),
	       "a reset during a long REG_MR takes %llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	pthread_join(thread, NULL);
	pages = atomic_load(&provider.pages);
	tap_is(pin.ret, HYV_S_EINTR, "the REG_MR was cancelled");
	tap_ok(pages && pages < GMEM_LINEAR_PAGES,
	       "it had pinned %u of %lu pages", pages,
	       (unsigned long)GMEM_LINEAR_PAGES);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
	vnic_close(&v);
}

static const struct hostile_test tests[] = {
	{"window under userfaultfd", test_window_replaced, 120},
	{"ring that is missing", test_ring_missing, 120},
	{"ring that is missing for a while", test_ring_provided, 60},
	{"ring that is missing when it is stopped", test_ring_stopped, 60},
	{"ring in a FUSE file", test_ring_fuse, 120},
	{"event buffers in a FUSE file", test_buffer_fuse, 120},
	{"memory region that is missing", test_pin, 120},
	{"reset while memory is pinned", test_pin_reset, 90},
};

void suite_hostile_memory(void)
{
	hostile_run(tests, ARRAY_SIZE(tests));
}

/* --- Removal of the HCA, which waits for such a request up to a limit. */

static void unplug(void *arg)
{
	_exit(!!dt_run("timeout %u %s", 180 * dt_timeout_scale(),
		       (const char *)arg));
}

/*
 * The limits of hyv.h: the module names the vNIC after 10 seconds, and kills
 * its owner after 60.
 */
static void pin_unplug(void)
{
	char *command = getenv("DEVTEST_UNPLUG");
	struct victim victim = {.end = END_KILL};
	const char *word[3] = {"hyv: ", "devtest", NULL};
	int klog = dt_klog_open(), status;
	pid_t vmm, admin;
	uint64_t began;
	char pid[16];

	REQUIRE(command, "DEVTEST_UNPLUG names a command");
	if (no_userfaultfd())
		return;
	hostile_pipe(&victim.ready);
	vmm = hostile_fork(pin_missing, &victim);
	REQUIRE(hostile_hear(&victim.ready, DT_HANG_S),
		"REG_MR waits for its memory");
	snprintf(pid, sizeof(pid), "%d", vmm);
	word[2] = pid;
	began = dt_now_ms();
	admin = hostile_fork(unplug, command);
	tap_ok(dt_klog_has(klog, word, 20),
	       "the log names the vNIC that is waited for");
	tap_ok(dt_now_ms() - began >= 9000, "after %llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	hostile_expect_answer("while the HCA is removed");
	tap_ok(hostile_ends(vmm, 75, &status) && WIFSIGNALED(status) &&
		       WTERMSIG(status) == SIGKILL,
	       "the owner is killed after %llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	tap_ok(dt_now_ms() - began >= 55000, "but not too soon");
	tap_ok(hostile_ends(admin, HOSTILE_END_S, &status) && !status,
	       "the HCA has been removed");
}

/* Bring the HCA back; its GIDs come a little later. */
static void plug(void)
{
	const char *command = getenv("DEVTEST_PLUG");

	REQUIRE(command && !dt_run("%s", command),
		"DEVTEST_PLUG brings the HCA back");
	dt_sleep_us(1000 * hostile_ms(1));
}

/* The same for what needs no waiting: rings and the window. */
static void unplug_quickly(void (*fn)(void *), const char *what)
{
	struct victim victim = {.end = END_KILL};
	pid_t vmm, admin;
	uint64_t began;
	int status;

	hostile_pipe(&victim.ready);
	vmm = hostile_fork(fn, &victim);
	REQUIRE(hostile_hear(&victim.ready, DT_HANG_S), "%s", what);
	began = dt_now_ms();
	admin = hostile_fork(unplug, getenv("DEVTEST_UNPLUG"));
	tap_ok(hostile_ends(admin, HOSTILE_END_S, &status) && !status,
	       "%s: removal takes %llu ms", what,
	       (unsigned long long)(dt_now_ms() - began));
	hostile_expect_killed(vmm, what);
	plug();
}

static void test_unplug(void)
{
	REQUIRE(getenv("DEVTEST_UNPLUG") && getenv("DEVTEST_PLUG"),
		"DEVTEST_UNPLUG and DEVTEST_PLUG name commands");
	if (!no_userfaultfd()) {
		unplug_quickly(window_replaced,
			       "HCA removal, window under userfaultfd");
		unplug_quickly(ring_missing, "HCA removal, missing ring");
	}
	if (!no_fuse()) {
		unplug_quickly(ring_fuse, "HCA removal, rings in FUSE");
		unplug_quickly(buffer_fuse, "HCA removal, buffers in FUSE");
	}
}

static void test_pin_unplug(void)
{
	pin_unplug();
	plug();
}

/* A process that shares the owner's memory would survive the owner's end. */
static void test_other_process(void)
{
	struct victim victim = {.end = END_KILL, .process = true};
	pid_t vmm;

	if (no_userfaultfd())
		return;
	hostile_pipe(&victim.ready);
	vmm = hostile_fork(pin_missing, &victim);
	REQUIRE(hostile_hear(&victim.ready, DT_HANG_S),
		"a process that shares the owner's memory sends a request");
	hostile_expect_killed(vmm, "a process that shares memory");
}

void suite_hostile_unplug(void)
{
	static const struct hostile_test unplug_tests[] = {
		{"HCA removal with memory that does not answer", test_unplug,
		 180},
		{"HCA removal during a request that waits", test_pin_unplug,
		 240},
		{"a request of another process", test_other_process, 60},
	};

	hostile_run(unplug_tests, ARRAY_SIZE(unplug_tests));
}
