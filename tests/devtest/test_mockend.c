// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of vNICs on an HCA that is slow, is removed while it is in use, or
 * refuses to destroy objects. Needs what test_mock.c needs, and the commands
 * DEVTEST_UNPLUG and DEVTEST_PLUG for the mock.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "harness.h"
#include "hostile_vmm.h"
#include "life.h"
#include "mockctl.h"
#include "suites.h"
#include "vnics.h"

/* enum ib_event_type */
#define EVENT_DEVICE_FATAL 8

static struct gmem gm;
static struct gbuf buf;
static struct gbuf mi;

/* A vNIC with an event queue and one object of each type. */
struct user {
	struct vnic v;
	struct evq q;
	struct life l;
};

static void user_init(struct user *u)
{
	vnic_open(&u->v, &gm);
	evq_init(&u->q, &u->v, 0, 16, false);
	evq_post_all(&u->q);
	REQUIRE_EQ(evq_start(&u->q, &u->v, 0), 0, "SET_EVENT_QUEUE");
	life_begin(&u->l, &u->v, &buf, &mi);
	REQUIRE_EQ(life_create(&u->l), 0, "all steps");
}

static void user_free(struct user *u)
{
	vnic_close(&u->v);
	evq_free(&u->q);
}

static void memory_begin(void)
{
	gmem_init(&gm, GMEM_MEMFD);
	gbuf_init(&buf, &gm, 3 * DT_PAGE, 0x123, GBUF_SCATTERED);
	gbuf_init(&mi, &gm, sizeof(struct mminfo), DT_PAGE - 8, GBUF_SCATTERED);
}

static void mockend_begin(void)
{
	REQUIRE(getenv("DEVTEST_UNPLUG") && getenv("DEVTEST_PLUG"),
		"DEVTEST_UNPLUG and DEVTEST_PLUG name commands");
	mock_clear();
	mock_set("disassociate", "1");
	memory_begin();
}

static void plug(void)
{
	REQUIRE_EQ(dt_run("%s", getenv("DEVTEST_PLUG")), 0, "the HCA returns");
}

/* Remove the HCA in a child. */
static pid_t unplug_start(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid)
		_exit(!!dt_run("timeout %u %s", 60 * dt_timeout_scale(),
			       getenv("DEVTEST_UNPLUG")));
	return pid;
}

static bool unplug_ended(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && !status;
}

static bool removal_raised(struct user *u, unsigned int timeout_ms)
{
	uint64_t end = dt_now_ms() + timeout_ms;
	struct hyv_event ev;

	while (dt_now_ms() < end)
		if (evq_get(&u->q, &ev, 50) &&
		    le16toh(ev.type) == HYV_EVENT_DEVICE &&
		    le16toh(ev.code) == EVENT_DEVICE_FATAL)
			return true;
	return false;
}

static void works_anew(const char *when)
{
	struct user u;

	user_init(&u);
	tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context), 0,
	       "%s: a new vNIC works", when);
	user_free(&u);
}

/* --- Slow HCAs --- */

static void *slow_thread(void *arg)
{
	struct user *u = arg;
	struct mr_info mr;

	return (void *)(intptr_t)cmd_reg_mr(&u->v, u->l.pd, &buf, ACCESS_REMOTE,
					    &mr);
}

static int get_config(struct user *u)
{
	struct hyv_config config;
	struct hyv_get_config arg = {
		.size = sizeof(arg),
		.config = (uintptr_t)&config,
		.config_len = sizeof(config),
	};

	return hyv_ioctl(u->v.fd, HYV_GET_CONFIG, &arg);
}

static int stop_doorbell(struct user *u)
{
	struct hyv_set_doorbell arg = {.size = sizeof(arg), .kick_fd = -1};

	return hyv_ioctl(u->v.fd, HYV_SET_DOORBELL, &arg);
}

/* A request of one vNIC takes long while the HCA is removed. */
static void test_slow_request(void)
{
	const unsigned int ms = 6000 * dt_timeout_scale();
	struct mock_held before;
	struct user slow, other;
	pthread_t thread;
	uint32_t context;
	uint16_t index;
	uint64_t began;
	void *status;
	pid_t pid;

	mock_held(&before);
	user_init(&slow);
	user_init(&other);
	mock_rule("reg_user_mr sleep=%u", ms);
	REQUIRE(!pthread_create(&thread, NULL, slow_thread, &slow),
		"pthread_create");
	REQUIRE(mock_wait("running.reg_user_mr", 1), "REG_MR is slow");

	pid = unplug_start();
	tap_ok(removal_raised(&other, ms / 2),
	       "others get the event while a request is slow");
	tap_is(cmd_alloc_context(&other.v, &context), HYV_S_EIO,
	       "others: ALLOC_CONTEXT without an HCA");
	began = dt_now_ms();
	get_config(&slow);
	tap_is(dt_run("timeout %u hyv list >/dev/null", ms / 2000), 0,
	       "hyv list does not wait for it");
	tap_ok(dt_now_ms() - began < ms / 3, "GET_CONFIG does not wait for it");
	began = dt_now_ms();
	tap_is(stop_doorbell(&slow), 0, "SET_DOORBELL meanwhile");
	tap_is(evq_stop(&slow.q, &slow.v, &index), 0, "a queue stops");
	tap_is(evq_start(&slow.q, &slow.v, index), 0, "it starts again");
	tap_ok(dt_now_ms() - began < ms / 3, "they do not wait for it either");
	tap_is(mock_counter("running.reg_user_mr"), 1, "it is still slow");
	mock_clear();
	pthread_join(thread, &status);
	tap_ok(!status || (intptr_t)status == HYV_S_EIO ||
		       (intptr_t)status == HYV_S_EINTR,
	       "the slow request ends: status %d", (int)(intptr_t)status);
	tap_ok(unplug_ended(pid), "the removal ends after it");
	tap_ok(removal_raised(&slow, dt_hang_ms()),
	       "its vNIC gets the event, too");
	user_free(&slow);
	user_free(&other);
	plug();
	mock_expect_held(&before, "after a slow request");
}

#define SLOW_USERS 4

/* The objects of several vNICs take long to destroy. */
static void test_slow_teardown(void)
{
	const unsigned int ms = 2000 * dt_timeout_scale();
	struct user u[SLOW_USERS];
	struct mock_held before;
	uint64_t took;
	int i, raised = 0;
	pid_t pid;

	mock_held(&before);
	for (i = 0; i < SLOW_USERS; i++)
		user_init(&u[i]);
	mock_rule("dereg_mr sleep=%u", ms);
	took = dt_now_ms();
	pid = unplug_start();
	tap_ok(unplug_ended(pid), "removal if all DESTROYs are slow");
	took = dt_now_ms() - took;
	tap_ok(took < ms * (SLOW_USERS - 1),
	       "%d vNICs end in parallel: %llu ms, of %u each", SLOW_USERS,
	       (unsigned long long)took, ms);
	mock_clear();
	for (i = 0; i < SLOW_USERS; i++) {
		raised += removal_raised(&u[i], dt_hang_ms());
		user_free(&u[i]);
	}
	tap_is(raised, SLOW_USERS, "all vNICs get the event");
	plug();
	mock_expect_held(&before, "after a slow teardown");
}

/* Much longer than any test. */
#define FOREVER_MS 3600000

/* Seconds after which the host reports that a removal takes long, and kills. */
static void set_removal_limits(unsigned int warn, unsigned int kill)
{
	REQUIRE(!dt_run("echo %u >/sys/module/hyv/parameters/removal_warn_s",
			warn) &&
			!dt_run("echo %u >/sys/module/hyv/parameters/removal_kill_s",
				kill),
		"the limits of a removal can be set");
}

/* A VMM with objects; with @busy, it has a request that does not end, too. */
struct vmm {
	bool busy;
	struct hostile_pipe ready;
};

static void vmm_run(void *arg)
{
	struct vmm *vmm = arg;
	static struct user u;
	pthread_t thread;

	memory_begin();
	user_init(&u);
	if (vmm->busy) {
		mock_rule("reg_user_mr sleep=%u", FOREVER_MS);
		REQUIRE(!pthread_create(&thread, NULL, slow_thread, &u),
			"pthread_create");
		REQUIRE(mock_wait("running.reg_user_mr", 1), "REG_MR is slow");
	}
	hostile_tell(&vmm->ready);
	for (;;)
		pause();
}

static pid_t vmm_start(bool busy)
{
	struct vmm vmm = {.busy = busy};
	pid_t pid;

	hostile_pipe(&vmm.ready);
	pid = hostile_fork(vmm_run, &vmm);
	REQUIRE(hostile_hear(&vmm.ready, DT_HANG_S), "a VMM runs");
	return pid;
}

#define SETUP_THREADS 4

static void *reset_thread(void *arg)
{
	struct user *u = arg;

	vnic_reset(&u->v);
	return NULL;
}

static void *setup_thread(void *arg)
{
	struct user *u = arg;
	uint16_t index;

	for (;;) {
		stop_doorbell(u);
		evq_stop(&u->q, &u->v, &index);
	}
	return NULL;
}

/* A VMM whose reset takes long, and whose other threads wait for its end. */
static void reset_run(void *arg)
{
	struct hostile_pipe *ready = arg;
	static struct user u;
	pthread_t thread;
	int i;

	memory_begin();
	user_init(&u);
	mock_rule("dereg_mr sleep=%u", FOREVER_MS);
	REQUIRE(!pthread_create(&thread, NULL, reset_thread, &u),
		"pthread_create");
	REQUIRE(mock_wait("running.dereg_mr", 1), "RESET is slow");
	for (i = 0; i < SETUP_THREADS; i++)
		REQUIRE(!pthread_create(&thread, NULL, setup_thread, &u),
			"pthread_create");
	dt_sleep_us(10000);
	hostile_tell(ready);
	for (;;)
		pause();
}

/*
 * A VMM is killed in a reset, which goes on. Its other threads must not do
 * anything meanwhile; if they do, only a debug kernel tells.
 */
static void test_killed_reset(void)
{
	struct hostile_pipe ready;
	struct mock_held before;
	pid_t pid;

	mock_held(&before);
	hostile_pipe(&ready);
	pid = hostile_fork(reset_run, &ready);
	REQUIRE(hostile_hear(&ready, DT_HANG_S), "a VMM runs");
	kill(pid, SIGKILL);
	tap_is(mock_counter("running.dereg_mr"), 1, "the reset goes on");
	mock_clear();
	hostile_expect_killed(pid, "a VMM in a reset");
	mock_expect_held(&before, "after a killed reset");
}

/*
 * A removal that takes long, because of a request of one vNIC, and because of
 * the driver for another one: only the owner of the first is killed.
 */
static void test_slow_removal(void)
{
	const char *kill_word[3] = {"hyv: ", "killing", NULL};
	const char *driver_word[3] = {"hyv: ", "driver of HCA", dt_ibdev()};
	pid_t busy, idle, admin;
	struct mock_held before;
	int klog, status = 0;
	char name[32];

	mock_held(&before);
	set_removal_limits(1, 4);
	idle = vmm_start(false);
	busy = vmm_start(true);
	snprintf(name, sizeof(name), "process %d ", busy);
	kill_word[2] = name;
	mock_rule("dereg_mr sleep=%u", FOREVER_MS);
	klog = dt_klog_open();
	admin = unplug_start();
	tap_ok(dt_klog_has(klog, driver_word, 15),
	       "the log names the HCA whose driver takes long");
	tap_ok(dt_klog_has(klog, kill_word, 15),
	       "the owner of a vNIC with a request is killed");
	tap_ok(dt_klog_has(klog, driver_word, 15), "the driver is named again");
	tap_ok(dt_klog_has(klog, kill_word, 15) &&
		       dt_klog_has(klog, driver_word, 15),
	       "and both are named as long as it takes");
	tap_is(waitpid(idle, &status, WNOHANG), 0,
	       "the owner of a vNIC without a request lives");
	mock_clear();
	tap_ok(unplug_ended(admin), "the removal ends");
	tap_ok(hostile_ends(busy, HOSTILE_END_S, &status) &&
		       WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	       "the owner that was killed ends");
	tap_is(waitpid(idle, &status, WNOHANG), 0,
	       "the other one lives after the removal");
	hostile_expect_killed(idle, "the other one");
	set_removal_limits(10, 60);
	close(klog);
	plug();
	mock_expect_held(&before, "after a slow removal");
}

/* The HCA is removed while the window shows memory of each kind. */
static void test_mapped_removal(void)
{
	struct user u[HYV_MOCK_PAGES];
	struct mock_held before;
	unsigned int kind, raised = 0;
	char text[4];

	mock_held(&before);
	for (kind = 0; kind < HYV_MOCK_PAGES; kind++) {
		/* A step maps for writing. */
		snprintf(text, sizeof(text), "%u",
			 kind == HYV_MOCK_PAGE_RO ? HYV_MOCK_PAGE_WB : kind);
		mock_set("page_kind", text);
		user_init(&u[kind]);
		*(volatile uint8_t *)(u[kind].v.window + u[kind].l.cq_offset);
	}
	mock_set("page_kind", "0");
	tap_ok(unplug_ended(unplug_start()), "removal with memory mapped");
	for (kind = 0; kind < HYV_MOCK_PAGES; kind++) {
		raised += removal_raised(&u[kind], dt_hang_ms());
		memset(u[kind].v.window, 1, u[kind].v.window_size);
	}
	tap_is(raised, HYV_MOCK_PAGES, "all windows are harmless then");
	/* The vNICs still exist. */
	mock_expect_held(&before, "removed with memory mapped");
	for (kind = 0; kind < HYV_MOCK_PAGES; kind++)
		user_free(&u[kind]);
	plug();
}

void suite_mockslow(void)
{
	mockend_begin();
	test_mapped_removal();
	test_slow_request();
	test_killed_reset();
	test_slow_teardown();
	test_slow_removal();
	works_anew("after slow calls");
	mock_check("slow calls");
}

/* --- Removal while others attach --- */

/* In a child: attach, do a little, close; whether there is an HCA or not. */
static void attach_loop(const char *path)
{
	struct vnic v = {};
	uint32_t context, pd;
	int uverbs;

	for (;;) {
		uverbs = open(path, O_RDWR | O_CLOEXEC);
		v.fd = hyv_open();
		if (!hyv_attach_fd(v.fd, uverbs, "loop")) {
			if (!vnic_set_features(&v, vnic_features(&v)) &&
			    !cmd_alloc_context(&v, &context))
				cmd_alloc_pd(&v, context, &pd);
		}
		if (uverbs >= 0)
			close(uverbs);
		close(v.fd);
	}
}

#define ATTACHERS 3

void suite_mockreplug(void)
{
	pid_t pid[ATTACHERS];
	struct dt_rng rng = {5};
	struct mock_held before;
	int i, bad = 0, status;
	const char *path;
	long contexts;

	mockend_begin();
	path = dt_uverbs();
	mock_held(&before);
	contexts = mock_counter("calls.alloc_ucontext");
	fflush(stdout);
	for (i = 0; i < ATTACHERS; i++) {
		pid[i] = fork();
		REQUIRE(pid[i] >= 0, "fork");
		if (!pid[i])
			attach_loop(path);
	}
	for (i = 0; i < 20; i++) {
		dt_sleep_us(dt_below(&rng, 100000 * dt_timeout_scale()));
		bad += !unplug_ended(unplug_start());
		dt_sleep_us(dt_below(&rng, 20000));
		plug();
	}
	for (i = 0; i < ATTACHERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &status, 0);
	}
	tap_is(bad, 0,
	       "an HCA that can leave while in use is removed 20 times");
	tap_ok(mock_counter("calls.alloc_ucontext") > contexts,
	       "%ld contexts were made meanwhile",
	       mock_counter("calls.alloc_ucontext") - contexts);
	mock_expect_held(&before, "after removals");
	works_anew("after removals");
	mock_check("removals");
}

/* --- HCAs that refuse to destroy --- */

enum end {
	END_CONTEXT,
	END_RESET,
	END_CLOSE,
	END_REMOVAL,
};

static const char *const end_names[] = {"DESTROY", "reset", "close", "removal"};

/* The driver calls back for all that it has, what was refused included. */
static void raise_all(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		mock_set("raise", "comp");
		mock_set("raise", "async");
	}
}

static void expect_listable(const char *what, const char *when)
{
	static const char *const kinds[] = {"pd", "cq",	 "qp",
					    "mr", "srq", "ctx"};
	size_t i;
	int bad = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		bad += !!dt_run("timeout %u rdma resource show %s >/dev/null",
				10 * dt_timeout_scale(), kinds[i]);
	bad += !!dt_run("timeout %u hyv show >/dev/null",
			10 * dt_timeout_scale());
	tap_is(bad, 0, "%s refused at %s: the rest can be listed", what, when);
}

/* A vNIC ends, and the driver refuses to destroy an object of it. */
static void test_refused(const struct life_end *what, enum end end)
{
	const char *name = end_names[end];
	struct user u, other;
	long held, callbacks;
	pid_t pid;

	held = mock_counter(what->held);
	user_init(&u);
	user_init(&other);
	mock_rule("%s error=%d calls=1", what->verb, EIO);
	switch (end) {
	case END_CONTEXT:
		tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context),
		       HYV_S_EBUSY,
		       "DESTROY of the context if the driver refuses %s",
		       what->name);
		tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context),
		       HYV_S_ENOENT, "the context is gone");
		break;
	case END_RESET:
		tap_is(vnic_reset(&u.v), 0, "RESET if the driver refuses %s",
		       what->name);
		break;
	case END_CLOSE:
		user_free(&u);
		break;
	case END_REMOVAL:
		pid = unplug_start();
		tap_ok(unplug_ended(pid), "removal if the driver refuses %s",
		       what->name);
		tap_ok(removal_raised(&other, dt_hang_ms()),
		       "the vNIC gets the event");
		break;
	}
	mock_clear();
	callbacks = mock_counter("callbacks");
	raise_all();
	dt_sleep_us(20000);
	expect_listable(what->name, name);
	if (end == END_RESET)
		tap_is(vnic_set_features(&u.v, vnic_features(&u.v)), 0,
		       "SET_FEATURES after a refusal");
	if (end == END_CONTEXT || end == END_RESET) {
		life_begin(&u.l, &u.v, &buf, &mi);
		tap_is(life_create(&u.l), 0, "the vNIC works after a refusal");
		tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context), 0,
		       "DESTROY of its context");
	}
	if (end != END_REMOVAL)
		tap_is(cmd_destroy(&other.v, HYV_OBJ_CONTEXT, other.l.context),
		       0, "the other vNIC is not affected");
	if (end != END_CLOSE)
		user_free(&u);
	user_free(&other);
	raise_all();
	if (end == END_REMOVAL)
		plug();
	tap_ok(mock_counter("callbacks") > callbacks || end == END_REMOVAL ||
		       what->type != HYV_OBJ_CQ,
	       "%s refused at %s: it has called back", what->name, name);
	tap_is(mock_counter(what->held), held + 1,
	       "%s refused at %s: only it is left of its type", what->name,
	       name);
	mock_check(name);
}

/*
 * The same with a driver like rdma_rxe, which cannot leave while a file is
 * open. The log warns not to remove the HCA.
 */
static void test_refused_for_good(enum end end)
{
	const char *const word[3] = {"hyv: ", dt_ibdev(), "would not end"};
	int klog = dt_klog_open();
	size_t i;

	mock_set("disassociate", "0");
	for (i = 0; i < life_nr_ends; i++)
		if (life_ends[i].type == HYV_OBJ_MR)
			test_refused(&life_ends[i], end);
	mock_set("disassociate", "1");
	tap_ok(dt_klog_has(klog, word, DT_HANG_S),
	       "the log says that the HCA cannot be removed");
	close(klog);
}

/* All destroys are refused: everything must stay. */
static void test_refused_all(enum end end)
{
	const char *name = end_names[end];
	struct mock_held before, after;
	struct user u;
	size_t i;

	mock_held(&before);
	user_init(&u);
	for (i = 0; i < life_nr_ends; i++)
		mock_rule("%s error=%d", life_ends[i].verb, EIO);
	if (end == END_REMOVAL)
		tap_ok(unplug_ended(unplug_start()),
		       "removal if the driver refuses everything");
	else if (end == END_RESET)
		tap_is(vnic_reset(&u.v), 0,
		       "RESET if the driver refuses everything");
	else if (end == END_CONTEXT)
		tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context),
		       HYV_S_EBUSY,
		       "DESTROY of a context if the driver refuses everything");
	user_free(&u);
	mock_clear();
	raise_all();
	expect_listable("all", name);
	mock_held(&after);
	tap_ok(after.pd == before.pd + 1 && after.qp == before.qp + 3 &&
		       after.cq == before.cq + 1 && after.mr == before.mr + 1 &&
		       after.xrcd == before.xrcd + 1,
	       "all refused at %s: PD, CQ, QPs, MR and XRC domain are left",
	       name);
	mock_check(name);
	if (end == END_REMOVAL)
		plug();
	works_anew(name);
}

/*
 * REREG_MR has a new MR, and the driver refuses to deregister the old one: the
 * request fails, and the old one stays until it is destroyed.
 */
static void test_refused_rereg(void)
{
	struct user u;
	long held, refused;
	int ret;

	held = mock_counter("held.mr");
	refused = mock_counter("refused.mr");
	user_init(&u);
	mock_set("rereg_new", "1");
	mock_rule("dereg_mr error=%d calls=1", EIO);
	ret = life_step("REREG_MR")->run(&u.l);
	tap_is(ret, HYV_S_EIO, "REREG_MR fails if the old MR is refused");
	mock_clear();
	mock_set("rereg_new", "0");
	tap_is(mock_counter("refused.mr"), refused + 1,
	       "the driver refused once");
	user_free(&u);
	expect_listable("the old MR of REREG_MR", "close");
	tap_is(mock_counter("held.mr"), held, "no MR is left");
	mock_check("REREG_MR");
	works_anew("after REREG_MR");
}

/*
 * An SRQ of another context is in a domain whose handle is gone. Its DESTROY
 * ends both, and the driver refuses the domain: the SRQ is gone, and the domain
 * is counted as leaked.
 */
static void test_refused_domain(void)
{
	struct life second;
	struct vnics vnics;
	struct srq_info srq;
	struct user u;
	long held;

	held = mock_counter("held.xrcd");
	user_init(&u);
	life_begin(&second, &u.v, &buf, &mi);
	REQUIRE_EQ(life_create(&second), 0, "all steps in a second context");
	REQUIRE_EQ(cmd_create_xrc_srq(&u.v, second.pd, u.l.xrcd,
				      second.cq.handle, 15, &srq),
		   0, "CREATE_SRQ in the domain of the first one");
	tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, u.l.context), 0,
	       "DESTROY of the context that made a domain");
	tap_is(mock_counter("held.xrcd"), held + 2, "an SRQ keeps the domain");
	mock_rule("dealloc_xrcd error=%d calls=1", EIO);
	tap_is(cmd_destroy(&u.v, HYV_OBJ_SRQ, srq.handle), 0,
	       "DESTROY of the last SRQ if the driver refuses the domain");
	mock_clear();
	tap_is(cmd_destroy(&u.v, HYV_OBJ_SRQ, srq.handle), HYV_S_ENOENT,
	       "the SRQ is gone");
	REQUIRE(vnics_get(&vnics), "the host lists vNICs");
	tap_is(vnics.leaked, 1, "the domain is counted as leaked");
	tap_is(cmd_destroy(&u.v, HYV_OBJ_CONTEXT, second.context), 0,
	       "DESTROY of the context of the SRQ");
	expect_listable("a domain", "DESTROY of an SRQ");
	tap_is(mock_counter("held.xrcd"), held + 1, "only the domain is left");
	user_free(&u);
	mock_check("DESTROY of an SRQ");
	works_anew("after the end of a domain");
}

/* Refused objects are never destroyed, so this suite comes last. */
void suite_mockrefuse(void)
{
	enum end end;
	size_t i;

	mockend_begin();
	/* Suites before have used up what the host may log in this time. */
	dt_sleep_us(5000000);
	test_refused_rereg();
	test_refused_domain();
	test_refused_for_good(END_RESET);
	test_refused_for_good(END_CLOSE);
	for (end = END_CONTEXT; end <= END_REMOVAL; end++) {
		for (i = 0; i < life_nr_ends; i++)
			test_refused(&life_ends[i], end);
		test_refused_all(end);
	}
	works_anew("after all refusals");
}
