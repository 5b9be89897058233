// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every verb of the guest, and the ends of processes, driver, device and HCA.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "suites.h"
#include "vmm.h"

#define KILL_ROUNDS 40
/* Events of a flood, many times what one interrupt may handle. */
#define FLOOD_EVENTS 10000

/* Objects of the HCA without a vNIC, and with an idle one. */
struct mock_held idle;
struct mock_held started;

/* So that lists of chunks are indirect early. */
#define MAX_REQUEST 4096

void loop_start_with(const struct vmm_options *options)
{
	char ibdev[64], path[300];

	mock_clear();
	mock_held(&idle);
	vmm_start(options);
	REQUIRE(uv_find(ibdev, sizeof(ibdev), path, sizeof(path)),
		"the guest has an RDMA device");
	mock_held(&started);
}

void loop_start(void)
{
	const struct vmm_options options = {.max_request = MAX_REQUEST};

	loop_start_with(&options);
}

/* The guest's GIDs are those of LOOP_NETDEV. */
void loop_start_guest(void)
{
	const char *netdev = getenv("LOOP_NETDEV");
	char path[128], text[18] = "";
	uint8_t mac[6];
	const struct vmm_options options = {
		.mac = mac,
		.max_request = MAX_REQUEST,
	};
	int fd;

	REQUIRE(netdev, "LOOP_NETDEV is set");
	snprintf(path, sizeof(path), "/sys/class/net/%s/address", netdev);
	fd = open(path, O_RDONLY);
	REQUIRE(fd >= 0 && read(fd, text, 17) == 17, "%s is readable", path);
	close(fd);
	REQUIRE(sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1],
		       &mac[2], &mac[3], &mac[4], &mac[5]) == 6,
		"%s is a MAC address", text);
	loop_start_with(&options);
}

/* Kill the VMM; nothing of the vNIC is left. */
void loop_stop(void)
{
	mock_clear();
	vmm_kill();
	mock_expect_held(&idle, "after the VMM's end");
	mock_check("after the VMM's end");
}

void loop_expect_idle(const char *when)
{
	mock_expect_held(&started, when);
}

/* Pages that are pinned for DMA. */
long loop_pinned(void)
{
	long acquired = -1, released = -1, value;
	char line[128], name[64];
	FILE *file;

	REQUIRE(!dt_run("cat /proc/sys/vm/stat_refresh"), "counters are fresh");
	file = fopen("/proc/vmstat", "re");
	REQUIRE(file, "/proc/vmstat opens");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %ld", name, &value) != 2)
			continue;
		if (!strcmp(name, "nr_foll_pin_acquired"))
			acquired = value;
		else if (!strcmp(name, "nr_foll_pin_released"))
			released = value;
	}
	fclose(file);
	REQUIRE(acquired >= 0 && released >= 0, "the kernel counts pins");
	return acquired - released;
}

/* "bind" or "unbind"; false if the driver refuses. */
bool loop_driver(const char *what)
{
	char path[128], name[32];
	int fd, len;
	bool done;

	snprintf(path, sizeof(path), "/sys/bus/virtio/drivers/virtio_hyv/%s",
		 what);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0, "%s opens", path);
	len = snprintf(name, sizeof(name), "virtio%u", vmm->index);
	done = write(fd, name, len) == len;
	close(fd);
	return done;
}

/* Run every verb; a test point only if something fails. */
bool loop_works(const char *when)
{
	struct uv uv;
	int ret;

	uv_open(&uv);
	ret = uv_run(&uv, 0, uv_nr_steps);
	uv_close(&uv);
	if (ret)
		tap_ok(false, "%s: %s: %d", when, uv_failed(), ret);
	return !ret;
}

static void test_verbs(void)
{
	struct uv uv;
	size_t i;
	int n, ret;

	uv_open(&uv);
	for (i = 0; i < uv_nr_steps; i++) {
		ret = uv_steps[i].run(&uv);
		tap_is(ret, 0, "%s", uv_steps[i].name);
	}
	uv_close(&uv);
	loop_expect_idle("after every verb");
	for (n = 0; n < 10 && loop_works("again"); n++)
		;
	tap_is(n, 10, "every verb works, 10 times");

	uv_open(&uv);
	tap_is(uv_run(&uv, 0, uv_first_destroy), 0, "all objects exist");
	uv_close(&uv);
	loop_expect_idle("after close with all objects");
}

static void test_events(void)
{
	unsigned int seen[32] = {0};
	struct uv uv;
	int n, event;

	uv_open(&uv);
	REQUIRE_EQ(uv_run(&uv, 0, uv_first_destroy), 0, "all objects exist");
	for (n = 0; n < 20; n++) {
		if (uv_req_notify(&uv))
			break;
		mock_set("raise", "comp");
		if (!uv_comp_event(&uv))
			break;
	}
	tap_is(n, 20, "20 times: arm, completion, event");
	mock_set("raise", "async");
	for (n = 0; n < 4; n++) {
		event = uv_async_event(&uv);
		if (event >= 0)
			seen[event % ARRAY_SIZE(seen)]++;
	}
	tap_ok(seen[EVENT_CQ_ERR] == 1 && seen[EVENT_QP_FATAL] == 2 &&
		       seen[EVENT_SRQ_LIMIT] == 1,
	       "asynchronous events of CQ, two QPs and SRQ");
	vmm_event(0, HYV_EVENT_PORT, EVENT_PORT_ACTIVE, 1, 1);
	tap_is(uv_async_event(&uv), EVENT_PORT_ACTIVE, "an event of the port");
	uv_close(&uv);
	loop_expect_idle("after events");
}

void suite_life(void)
{
	loop_start();
	test_verbs();
	test_events();
	loop_stop();
}

/* --- Kill --- */

static void kill_one(unsigned int n, struct dt_rng *rng)
{
	struct uv uv;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid) {
		for (;;) {
			if (!uv_try_open(&uv))
				_exit(1);
			uv_run(&uv, 0, n % 2 ? uv_nr_steps : uv_first_destroy);
			uv_close(&uv);
		}
	}
	dt_sleep_us(1000 + dt_below(rng, 40000));
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
		"the process has worked until it was killed");
}

/* Send a command that takes long. */
static void slow_child(struct uv *uv)
{
	uv_open(uv);
	REQUIRE(!uv_get_context(uv) && !uv_alloc_pd(uv), "a PD");
	if (vmm->slow_opcode == HYV_CMD_CREATE_CQ)
		uv_create_cq(uv);
	else if (!uv_reg_mr(uv))
		uv_rereg_mr(uv);
}

/* Let a process run that sends such a command, which takes long. */
pid_t loop_slow_start(void (*run)(struct uv *uv), struct uv *uv,
		      uint16_t opcode)
{
	unsigned int before = vmm->commands[opcode];
	pid_t pid;

	vmm->slow_opcode = opcode;
	vmm->slow_ms = LOOP_SLOW_MS * dt_timeout_scale();
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid) {
		run(uv);
		_exit(0);
	}
	REQUIRE(dt_until(vmm->commands[opcode] != before),
		"the process sends its command");
	return pid;
}

/* Kill a process, which must not wait for the command. */
void loop_slow_kill(pid_t pid, const char *name)
{
	uint64_t end = dt_now_ms() + LOOP_SLOW_MS * dt_timeout_scale() / 2;

	kill(pid, SIGKILL);
	while (!waitpid(pid, NULL, WNOHANG) && dt_now_ms() < end)
		dt_sleep_us(1000);
	tap_ok(dt_now_ms() < end && vmm->busy,
	       "a process ends while the host executes its %s", name);
}

/*
 * A process that is killed closes the last file, too; or with @unbind the
 * driver is unbound.
 */
static void test_kill_slow(uint16_t opcode, const char *name, bool unbind)
{
	long pinned, before = loop_pinned();
	struct uv uv;
	pid_t pid;

	pid = loop_slow_start(slow_child, &uv, opcode);
	pinned = loop_pinned();
	loop_slow_kill(pid, name);
	tap_is(loop_pinned(), pinned, "%s: its memory stays pinned", name);
	if (unbind)
		tap_ok(loop_driver("unbind"), "the driver ends, too");
	vmm->slow_ms = 0;
	loop_expect_idle(name);
	if (unbind)
		tap_ok(loop_driver("bind"), "the driver starts again");
	tap_ok(loop_works(name), "%s: every verb works after that", name);
	loop_expect_idle("every verb");
	tap_is(loop_pinned(), before, "%s: nothing stays pinned", name);
}

/*
 * The caller of a REREG_MR that takes long is killed, while another process has
 * its file open.
 */
static void test_kill_shared(void)
{
	struct uv *uv;
	int fd, pidfd;
	pid_t pid;

	uv = mmap(NULL, sizeof(*uv), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(uv != MAP_FAILED, "mmap");
	pid = loop_slow_start(slow_child, uv, HYV_CMD_REREG_MR);
	pidfd = pidfd_open(pid, 0);
	REQUIRE(pidfd >= 0, "pidfd_open");
	fd = pidfd_getfd(pidfd, uv->fd, 0);
	REQUIRE(fd >= 0, "pidfd_getfd");
	close(pidfd);
	loop_slow_kill(pid, "REREG_MR in a shared file");
	vmm->slow_ms = 0;
	close(fd);
	munmap(uv, sizeof(*uv));
	loop_expect_idle("after REREG_MR");
	tap_ok(loop_works("after REREG_MR"), "every verb works after that");
}

/* The driver neither stays in an interrupt nor waits for the last event. */
static void test_flood(void)
{
	unsigned int before;

	vmm->flood = true;
	before = vmm->events;
	tap_ok(dt_until(vmm->events - before > FLOOD_EVENTS),
	       "the VMM sends events all the time");
	tap_ok(loop_works("during a flood"), "every verb works meanwhile");
	tap_ok(loop_driver("unbind"), "the driver ends meanwhile");
	before = vmm->events;
	tap_ok(loop_driver("bind") && dt_until(vmm->events != before),
	       "and starts again");
	vmm_behave();
	tap_ok(loop_works("after a flood"), "every verb works after that");
}

void suite_flood(void)
{
	loop_start();
	test_flood();
	loop_stop();
}

void suite_kill(void)
{
	static const uint16_t slow[] = {
		HYV_CMD_ALLOC_CONTEXT, HYV_CMD_CREATE_CQ, HYV_CMD_REG_MR,
		HYV_CMD_MMAP,	       HYV_CMD_MODIFY_QP, HYV_CMD_REREG_MR,
		HYV_CMD_DESTROY,
	};
	struct dt_rng rng = {.state = 11};
	unsigned int n;

	loop_start();
	for (n = 0; n < KILL_ROUNDS; n++) {
		vmm->slow_opcode = slow[n % ARRAY_SIZE(slow)];
		vmm->slow_ms = n % 3 ? 20 : 0;
		kill_one(n, &rng);
	}
	vmm_behave();
	loop_expect_idle("after kills");
	tap_ok(loop_works("after kills"), "every verb works after %u kills", n);
	test_kill_shared();
	test_kill_slow(HYV_CMD_REG_MR, "REG_MR", false);
	test_kill_slow(HYV_CMD_REREG_MR, "REREG_MR", false);
	test_kill_slow(HYV_CMD_CREATE_CQ, "CREATE_CQ", false);
	test_kill_slow(HYV_CMD_REG_MR, "REG_MR", true);
	loop_stop();
}

/* --- Ends --- */

static void end_driver(void)
{
	if (!loop_driver("unbind"))
		tap_ok(false, "the driver lets go");
}

static void end_device(void)
{
	vmm_do(VMM_NEEDS_RESET, 0);
}

static void end_hca(void)
{
	REQUIRE(!dt_run("%s", getenv("DEVTEST_UNPLUG")), "the HCA leaves");
}

static void end_config(void)
{
	vmm_do(VMM_HCA_GONE, 0);
}

static void end_fatal(void)
{
	mock_set("raise", "fatal");
}

static void end_dead(void)
{
	vmm->dead = true;
	end_driver();
}

/*
 * A process has all objects when something ends: it gets a fatal event, verbs
 * fail, and nothing is left on the host.
 */
static void test_end(const char *what, void (*end)(void))
{
	struct uv uv;
	int event;

	uv_open(&uv);
	REQUIRE_EQ(uv_run(&uv, 0, uv_first_destroy), 0, "%s: all objects",
		   what);
	end();
	do
		event = uv_async_event(&uv);
	while (event >= 0 && event != EVENT_DEVICE_FATAL);
	tap_is(event, EVENT_DEVICE_FATAL, "%s: a fatal event", what);
	tap_ok(dt_until(uv_query_device(&uv) == -EIO),
	       "%s: verbs fail with EIO", what);
	uv_close(&uv);
}

static void test_rebind(const char *what)
{
	vmm_behave();
	loop_driver("unbind");
	loop_expect_idle(what);
	tap_ok(loop_driver("bind"), "%s: the driver starts again", what);
	tap_ok(loop_works(what), "%s: every verb works again", what);
	loop_expect_idle(what);
}

void suite_ends(void)
{
	static const struct {
		const char *name;
		void (*end)(void);
	} ends[] = {
		{"driver", end_driver},
		{"reset", end_device},
		{"fatal event", end_fatal},
		{"dead host", end_dead},
	};
	size_t i;

	loop_watch(true);
	loop_start();
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		test_end(ends[i].name, ends[i].end);
		test_rebind(ends[i].name);
	}
	test_end("configuration", end_config);
	loop_watch(false);
	loop_stop();

	loop_start();
	test_end("VMM", vmm_kill);
	mock_expect_held(&idle, "after the VMM's end");

	loop_start();
	test_end("HCA", end_hca);
	vmm_kill();
	REQUIRE(!dt_run("%s", getenv("DEVTEST_PLUG")), "the HCA returns");
	mock_expect_held(&idle, "after the HCA's removal");
	loop_start();
	tap_ok(loop_works("HCA"), "every verb works with the new HCA");
	loop_stop();
}
