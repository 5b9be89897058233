// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a vNIC at any moment: close, kill, reset, removal of the HCA; and
 * its objects as administrators see them.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_config.h>

#include "fixture.h"
#include "suites.h"
#include "harness.h"
#include "rxe.h"

static struct gmem gm;

/* Threads that send requests until @stop is set. */
struct crowd {
	struct vnic v;
	struct doorbells db;
	struct gbuf small;
	struct gbuf big;
	atomic_bool stop;
	atomic_int done;
	atomic_int bad;
	pthread_t thread[4];
};

/* Statuses of requests that a reset or a close may interrupt. */
static bool expected(int ret)
{
	return !ret || ret == HYV_S_ENOENT || ret == HYV_S_EBUSY ||
	       ret == HYV_S_EIO || ret == HYV_S_EINTR || ret == -EBADF ||
	       ret == -EPROTO || ret == HYV_S_EOPNOTSUPP;
}

/*
 * A multicast group for each process: rxe loses a QP that joins a group while
 * the last one leaves it. The low bytes, which make the MAC address, stay the
 * same.
 */
static void live_group(uint8_t *gid, uint32_t context)
{
	pid_t pid = getpid();

	memcpy(gid, fixture_group, 16);
	memcpy(gid + 4, &pid, sizeof(pid));
	memcpy(gid + 8, &context, sizeof(context));
}

/* All objects of a guest process, a message through them, and their end. */
static int live(struct crowd *c, unsigned int n)
{
	struct cq_info cq;
	struct qp_info qp, ud;
	struct mr_info mr;
	struct srq_info srq;
	struct mw_info mw;
	uint32_t context = 0, pd;
	uint8_t gid[16];
	uint64_t at;
	int ret;

	ret = cmd_alloc_context(&c->v, &context);
	if (!ret)
		ret = cmd_alloc_pd(&c->v, context, &pd);
	if (!ret)
		ret = cmd_create_cq(&c->v, context, 15, 0, &cq);
	if (!ret)
		ret = cmd_mmap(&c->v, context, &cq.mi, &at);
	if (!ret)
		ret = cmd_create_qp(&c->v, pd, cq.handle, cq.handle, 7, &qp);
	if (!ret)
		ret = cmd_create_srq(&c->v, pd, 7, &srq);
	if (!ret)
		ret = cmd_create_qp_type(&c->v, QPT_UD, pd, cq.handle,
					 srq.handle, 7, &ud);
	live_group(gid, context);
	if (!ret)
		ret = cmd_mcast(&c->v, HYV_CMD_ATTACH_MCAST, ud.handle, 0, gid);
	if (!ret)
		ret = cmd_alloc_mw(&c->v, pd, 1 + n % 2, &mw);
	if (!ret)
		ret = cmd_reg_mr(&c->v, pd, n % 4 ? &c->small : &c->big,
				 ACCESS_REMOTE, &mr);
	if (!ret)
		db_ring(&c->db, qp.slot);
	if (!ret && n % 3 == 1)
		ret = cmd_destroy(&c->v, HYV_OBJ_QP, qp.handle);
	if (!ret && n % 3 == 2)
		ret = cmd_munmap(&c->v, context, at);
	if (!ret)
		ret = cmd_destroy(&c->v, HYV_OBJ_CONTEXT, context);
	return ret;
}

static void *live_thread(void *arg)
{
	struct crowd *c = arg;
	unsigned int n = (uintptr_t)&arg >> 12;
	int ret;

	while (!atomic_load(&c->stop)) {
		ret = live(c, n++);
		if (!expected(ret)) {
			atomic_fetch_add(&c->bad, 1);
			tap_diag("unexpected status %d", ret);
		}
		if (!ret)
			atomic_fetch_add(&c->done, 1);
	}
	return NULL;
}

static void crowd_start(struct crowd *c)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	gm.next = 0;
	gm.next_linear = 0;
	vnic_open(&c->v, &gm);
	db_init(&c->db, &c->v, 100);
	REQUIRE_EQ(db_setup(&c->db, &c->v), 0, "SETUP_DOORBELLS");
	gbuf_init(&c->small, &gm, 3 * DT_PAGE, 99, GBUF_SCATTERED);
	gbuf_init(&c->big, &gm, 600 * DT_PAGE, 5, GBUF_SCATTERED);
	for (i = 0; i < ARRAY_SIZE(c->thread); i++)
		REQUIRE(!pthread_create(&c->thread[i], NULL, live_thread, c),
			"pthread_create");
}

static void crowd_stop(struct crowd *c)
{
	size_t i;

	atomic_store(&c->stop, true);
	for (i = 0; i < ARRAY_SIZE(c->thread); i++)
		pthread_join(c->thread[i], NULL);
}

static void crowd_free(struct crowd *c)
{
	vnic_close(&c->v);
	db_free(&c->db);
	gbuf_free(&c->small);
	gbuf_free(&c->big);
}

void suite_close(void)
{
	struct dt_counts before = dt_counts();
	struct dt_rng rng = {1};
	struct crowd c;
	int i, bad = 0, done = 0;

	gmem_init(&gm, GMEM_MEMFD);
	for (i = 0; i < 15; i++) {
		crowd_start(&c);
		dt_sleep_us(dt_below(&rng, 300000 * dt_timeout_scale()));
		close(c.v.fd);
		crowd_stop(&c);
		bad += atomic_load(&c.bad);
		done += atomic_load(&c.done);
		/* The number may be another file's by now. */
		c.v.fd = -1;
		crowd_free(&c);
		if (dt_pinned_kib())
			bad++;
	}
	tap_is(bad, 0, "15 times: the file is closed during requests");
	tap_ok(done > 0, "%d threads ended", done);
	dt_expect_counts(&before, "after files were closed");
}

/* In a child: register and deregister until death comes. */
static void doomed(void)
{
	struct crowd c;

	gmem_init(&gm, GMEM_MEMFD);
	crowd_start(&c);
	for (;;)
		pause();
}

void suite_kill(void)
{
	struct dt_counts before = dt_counts();
	struct dt_rng rng = {2};
	int i, status, bad = 0;
	pid_t pid;

	for (i = 0; i < 30; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			doomed();
			_exit(0);
		}
		REQUIRE(pid > 0, "fork");
		dt_sleep_us(dt_below(&rng, 400000));
		kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) ||
		    WTERMSIG(status) != SIGKILL)
			bad++;
	}
	tap_is(bad, 0, "30 processes were killed amidst requests");
	dt_expect_counts(&before, "after owners were killed");
}

/* In a child: leave a process behind that has the file open. */
static void leave_heir(int ready)
{
	struct fixture f;
	pid_t heir;

	fixture_init(&f);
	heir = fork();
	while (!heir)
		pause();
	if (heir < 0 || write(ready, &heir, sizeof(heir)) != sizeof(heir))
		_exit(1);
	for (;;)
		pause();
}

/*
 * The objects and the pinned memory of a vNIC are gone soon after the owner,
 * whoever else has the file.
 */
void suite_orphan(void)
{
	struct dt_counts before = dt_counts(), now;
	int ready[2], status;
	pid_t owner, heir;
	uint64_t ended;

	REQUIRE(!pipe(ready), "pipe");
	fflush(stdout);
	owner = fork();
	REQUIRE(owner >= 0, "fork");
	if (!owner)
		leave_heir(ready[1]);
	REQUIRE_EQ(read(ready[0], &heir, sizeof(heir)), sizeof(heir),
		   "another process has the file");
	now = dt_counts();
	tap_ok(now.qp > before.qp && now.ctx > before.ctx,
	       "the owner has objects");
	kill(owner, SIGKILL);
	REQUIRE_EQ(waitpid(owner, &status, 0), owner, "the owner ends");

	ended = dt_now_ms();
	dt_expect_counts(&before, "after the owner has ended");
	ended = dt_now_ms() - ended;
	tap_ok(ended < 8000ULL * dt_timeout_scale(),
	       "its objects are gone after %llu ms", (unsigned long long)ended);
	tap_is(kill(heir, 0), 0, "the other process still has the file");
	kill(heir, SIGKILL);
}

void suite_reset(void)
{
	struct dt_counts before = dt_counts();
	struct dt_rng rng = {3};
	struct crowd c;
	int i, bad = 0;

	gmem_init(&gm, GMEM_MEMFD);
	crowd_start(&c);
	for (i = 0; i < 25; i++) {
		dt_sleep_us(dt_below(&rng, 150000));
		if (vnic_reset(&c.v) ||
		    vnic_set_features(&c.v, vnic_features(&c.v)) ||
		    vnic_set_mem(&c.v, gm.region, GMEM_REGIONS))
			bad++;
	}
	crowd_stop(&c);
	bad += atomic_load(&c.bad);
	tap_is(bad, 0, "25 resets during requests");
	tap_ok(atomic_load(&c.done) > 0, "%d threads ended",
	       atomic_load(&c.done));
	tap_is(vnic_reset(&c.v), 0, "RESET");
	tap_is(dt_pinned_kib(), 0, "a reset unpins memory");
	dt_expect_counts(&before, "after resets");
	crowd_free(&c);
	dt_expect_counts(&before, "after close");
}

/* Lines of "rdma resource show WHAT" of the device that name this process. */
static int shown(const char *what)
{
	char command[128], line[1024], pid[32];
	int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show %s", what);
	snprintf(pid, sizeof(pid), " pid %d ", getpid());
	f = popen(command, "r");
	REQUIRE(f, "%s", command);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = ' ';
		if (strstr(line, dt_ibdev()) && strstr(line, pid))
			n++;
	}
	if (pclose(f))
		n = -1;
	return n;
}

static const char *const kinds[] = {"pd", "cq", "qp", "mr", "srq", "ctx"};

/* As in a VMM with an I/O thread: not the thread that has attached. */
static void *make_thread(void *arg)
{
	struct ep *ep = arg;
	struct mr_info mr;
	struct gbuf buf;

	gbuf_init(&buf, &gm, DT_PAGE, 0, GBUF_SCATTERED);
	ep_init_type(ep, ep->v, ep->db, 15, QPT_RC, 7);
	REQUIRE_EQ(cmd_reg_mr(ep->v, ep->pd, &buf, ACCESS_REMOTE, &mr), 0,
		   "REG_MR");
	gbuf_free(&buf);
	return NULL;
}

static void test_shown(void)
{
	struct doorbells db;
	struct vnic v;
	struct ep ep = {.v = &v, .db = &db};
	pthread_t thread;
	size_t i;

	vnic_open(&v, &gm);
	db_init(&db, &v, 0);
	REQUIRE(!pthread_create(&thread, NULL, make_thread, &ep),
		"pthread_create");
	pthread_join(thread, NULL);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		tap_is(shown(kinds[i]), 1,
		       "rdma resource shows the %s under this process",
		       kinds[i]);
	ep_destroy(&ep);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		tap_is(shown(kinds[i]), 0, "the %s is no longer listed",
		       kinds[i]);
	vnic_close(&v);
	db_free(&db);
}

void suite_show(void)
{
	struct dt_counts before = dt_counts();
	int round, bad = 0, seen = 0, n;
	struct crowd c;
	size_t i;

	gmem_init(&gm, GMEM_MEMFD);
	test_shown();
	crowd_start(&c);
	for (round = 0; round < 6; round++) {
		for (i = 0; i < ARRAY_SIZE(kinds); i++) {
			n = shown(kinds[i]);
			if (n < 0)
				bad++;
			else
				seen += n;
		}
	}
	crowd_stop(&c);
	tap_is(bad, 0, "rdma resource works while objects come and go");
	tap_ok(seen > 0, "%d of them were listed", seen);
	tap_is(atomic_load(&c.bad), 0,
	       "requests of the crowd have expected statuses");
	crowd_free(&c);
	dt_expect_counts(&before, "after rdma resource");
}

static bool signalled(int event)
{
	uint64_t count;

	return read(event, &count, sizeof(count)) == sizeof(count);
}

/* The HCA is removed, by a command in the environment. */
void suite_unplug(void)
{
	const char *command = getenv("DEVTEST_UNPLUG");
	struct hyv_event ev = {};
	struct hyv_config config;
	struct mr_info mr;
	struct gbuf buf;
	struct crowd c;
	struct evq q;
	struct ep ep;
	uint32_t context;
	uint64_t began, offered;
	bool fatal = false;
	int event;

	REQUIRE(command, "DEVTEST_UNPLUG names a command");
	gmem_init(&gm, GMEM_MEMFD);
	crowd_start(&c);
	evq_init(&q, &c.v, 0, 8, false);
	evq_post_all(&q);
	REQUIRE_EQ(evq_start(&q, &c.v, 0), 0, "SET_EVENT_QUEUE");
	ep_init(&ep, &c.v, &c.db, 15, 0);
	ep_connect(&ep, &ep);
	gbuf_init(&buf, &gm, 9 * DT_PAGE, 0, GBUF_SCATTERED);
	REQUIRE_EQ(cmd_reg_mr(&c.v, ep.pd, &buf, ACCESS_REMOTE, &mr), 0,
		   "REG_MR");
	dt_sleep_us(200000);

	event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	REQUIRE_EQ(vnic_set_notify(&c.v, event, -1), 0, "SET_NOTIFY");
	tap_ok(!signalled(event), "the configuration has not changed yet");

	began = dt_now_ms();
	tap_is(dt_run("timeout %u %s", 60 * dt_timeout_scale(), command), 0,
	       "%s", command);
	tap_ok(dt_now_ms() - began < 20000ULL * dt_timeout_scale(),
	       "removal takes %llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	crowd_stop(&c);
	tap_is(atomic_load(&c.bad), 0,
	       "requests during the removal have expected statuses");
	while (!fatal && evq_get(&q, &ev, dt_hang_ms()))
		fatal = le16toh(ev.type) == HYV_EVENT_DEVICE &&
			le16toh(ev.code) == 8;
	tap_ok(fatal, "the removal raises an event");
	tap_is(cmd_alloc_context(&c.v, &context), HYV_S_EIO,
	       "ALLOC_CONTEXT without an HCA");
	tap_is(cmd_destroy(&c.v, HYV_OBJ_MR, mr.handle), HYV_S_EIO,
	       "DESTROY without an HCA");
	tap_ok(signalled(event), "config_fd is signalled");
	config = c.v.config;
	offered = c.v.offered;
	vnic_get_config(&c.v);
	tap_is(c.v.config.status, 0, "GET_CONFIG without an HCA says so");
	c.v.config.status = config.status;
	tap_ok(!memcmp(&config, &c.v.config, sizeof(config)) &&
		       offered == c.v.offered,
	       "everything else in the configuration stays");
	tap_is(vnic_set_notify(&c.v, event, -1), 0, "SET_NOTIFY");
	tap_ok(signalled(event), "a new config_fd is signalled at once");
	close(event);
	tap_is(vnic_set_features(&c.v, vnic_features(&c.v)), -ENODEV,
	       "SET_FEATURES without an HCA");
	tap_is(dt_pinned_kib(), DB_KIB, "only the doorbell area is pinned");
	memset(c.v.window, 1, c.v.window_size);
	tap_ok(true, "the window has no hole");
	tap_is(vnic_reset(&c.v), 0, "RESET without an HCA");
	/* No features are set now, but that is not what is wrong. */
	tap_is(cmd_alloc_context(&c.v, &context), -ENODEV,
	       "EXEC after RESET without an HCA");
	tap_is(evq_start(&q, &c.v, 0), -ENODEV,
	       "SET_EVENT_QUEUE after RESET without an HCA");
	tap_is(vnic_set_features(&c.v, vnic_features(&c.v)), -ENODEV,
	       "SET_FEATURES after RESET without an HCA");
	tap_is(vnic_set_addressing(&c.v, HYV_ADDRESSING_HOST, NULL, 0), -ENODEV,
	       "SET_ADDRESSING after RESET without an HCA");
	evq_free(&q);
	gbuf_free(&buf);
	crowd_free(&c);
}

/* In a child: attach and detach, whether there is an HCA or not. */
static void attach_loop(const char *path)
{
	struct vnic v = {};
	uint32_t context;
	int uverbs;

	for (;;) {
		uverbs = open(path, O_RDWR | O_CLOEXEC);
		v.fd = hyv_open();
		if (!hyv_attach_fd(v.fd, uverbs, "loop") &&
		    !vnic_set_features(&v, 1ULL << VIRTIO_F_VERSION_1))
			cmd_alloc_context(&v, &context);
		if (uverbs >= 0)
			close(uverbs);
		close(v.fd);
	}
}

/* In a child: tell that requests are under way, then wait for the end. */
static void doomed_with_notice(int ready)
{
	struct crowd c;

	gmem_init(&gm, GMEM_MEMFD);
	crowd_start(&c);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	return pid;
}

static bool killed(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGKILL;
}

/* The HCA is removed while an owner is killed and others attach and detach. */
static bool replug_once(struct dt_rng *rng, const char *unplug,
			const char *plug)
{
	const char *path = dt_uverbs();
	pid_t owner, loop, leave;
	int ready[2], status;
	bool ok = true;
	char byte;

	loop = child();
	if (!loop)
		attach_loop(path);
	REQUIRE(!pipe(ready), "pipe");
	owner = child();
	if (!owner)
		doomed_with_notice(ready[1]);
	close(ready[1]);
	ok &= read(ready[0], &byte, 1) == 1;
	close(ready[0]);

	leave = child();
	if (!leave)
		_exit(!!dt_run("timeout %u %s", 60 * dt_timeout_scale(),
			       unplug));
	dt_sleep_us(dt_below(rng, 1200000));
	ok &= killed(owner);
	ok &= waitpid(leave, &status, 0) == leave && !status;
	ok &= killed(loop);
	ok &= !dt_run("%s", plug);
	return ok;
}

void suite_replug(void)
{
	const char *unplug = getenv("DEVTEST_UNPLUG");
	const char *plug = getenv("DEVTEST_PLUG");
	struct dt_counts before = dt_counts();
	struct dt_rng rng = {4};
	int i, bad = 0;

	REQUIRE(unplug && plug,
		"DEVTEST_UNPLUG and DEVTEST_PLUG name commands");
	for (i = 0; i < 8; i++)
		bad += !replug_once(&rng, unplug, plug);
	tap_is(bad, 0, "8 times: removal while users attach and are killed");
	dt_expect_counts(&before, "after the HCA has returned");
}
