// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts that refuse, that are slow, dead or broken: errors, and no more.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/virtio_ring.h>

/* For the driver IDs of tests. */
#define HYV_TEST
#include <hyv/provider.h>

#include "failnth.h"
#include "harness.h"
#include "suites.h"
#include "vmm.h"

#define GARBLE_MIN   100
#define EVENT_ROUNDS 30
/* The driver looks so often at a silent host before it gives up. */
#define WATCH_LIMIT 10
/* So many slow commands at once; a process may send fewer to a small queue. */
#define SLOW_THREADS	  4
#define SLOW_MS		  20000
#define SMALL_QUEUE	  8
#define SMALL_QUEUE_SHARE 1
/* Users, of whom nothing exists but the numbers. */
#define STRANGERS      3
#define FIRST_STRANGER 60001

/* Processes that are killed, fewer than the VMM executes commands at once. */
#define LEAVING		5
#define LEAVING_AT_ONCE 4

static const uint8_t own_gid[16] = {[10] = 0xff, [11] = 0xff, 10, 99, 0, 1};
static const uint8_t other_gid[16] = {[10] = 0xff, [11] = 0xff, 10, 99, 0, 7};
#define OTHER_ADDRESS "10.99.0.7/24"

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, text, strlen(text)) > 0, "%s takes '%s'",
		path, text);
	close(fd);
}

#define WATCH_FAULTS "/sys/module/virtio_hyv/parameters/watch_faults"

/* The time between two looks at a silent host, for tests. */
static unsigned int watch_ms(void)
{
	return 500 * dt_timeout_scale();
}

/*
 * Let the driver look often at a silent host, or every 30 s, which is the
 * default. For devices that start from now on.
 */
void loop_watch(bool often)
{
	unsigned int ms = often ? watch_ms() : 30000;
	char text[16];

	snprintf(text, sizeof(text), "%u", ms);
	write_file("/sys/module/virtio_hyv/parameters/watch_ms", text);
}

static void fail_next(uint16_t opcode, uint32_t status, unsigned int times)
{
	vmm->fail_opcode = opcode;
	vmm->fail_status = status;
	vmm->fail_times = times;
}

/* --- Errors --- */

/* There is no second event. */
static void test_table_memory(void)
{
	unsigned int asked = vmm->commands[HYV_CMD_QUERY_GIDS];

	fail_next(HYV_CMD_QUERY_GIDS, HYV_S_ENOMEM, 1);
	vmm_event(0, HYV_EVENT_PORT, EVENT_GID_CHANGE, 1, 1);
	tap_ok(dt_until(vmm->commands[HYV_CMD_QUERY_GIDS] >= asked + 2),
	       "a table for which the host has no memory is read again");
	tap_is(vmm->fail_times, 0, "the host had no memory for it");
}

/* The same for events that processes get: none is lost or overtaken. */
static void test_event_memory(void)
{
	struct uv uv;

	uv_open(&uv);
	REQUIRE_EQ(uv_get_context(&uv), 0, "GET_CONTEXT");
	fail_next(HYV_CMD_QUERY_GIDS, HYV_S_ENOMEM, 1);
	vmm_event(0, HYV_EVENT_PORT, EVENT_CLIENT_REREGISTER, 1, 2);
	vmm_event(0, HYV_EVENT_PORT, EVENT_LID_CHANGE, 1, 1);
	tap_is(uv_async_event(&uv), EVENT_CLIENT_REREGISTER,
	       "an event for which the host has no memory at first");
	tap_is(uv_async_event(&uv), EVENT_CLIENT_REREGISTER, "its second time");
	tap_is(uv_async_event(&uv), EVENT_LID_CHANGE, "the event after it");
	tap_is(vmm->fail_times, 0, "the host had no memory for it");
	uv_close(&uv);
}

static void test_destroy_again(uint32_t status, const char *name)
{
	struct mock_held before;
	struct uv uv;

	uv_open(&uv);
	REQUIRE_EQ(uv_get_context(&uv), 0, "GET_CONTEXT");
	mock_held(&before);
	REQUIRE_EQ(uv_alloc_pd(&uv), 0, "ALLOC_PD");
	fail_next(HYV_CMD_DESTROY, status, 3);
	tap_is(uv_dealloc_pd(&uv), 0, "DEALLOC_PD, 3 times %s on the host",
	       name);
	tap_is(vmm->fail_times, 0, "%s: the driver has asked again", name);
	mock_expect_held(&before, name);
	tap_is(uv_query_device(&uv), 0, "%s: the device works", name);
	uv_close(&uv);
}

static void test_destroy_busy(void)
{
	long pinned = dt_pinned_kib();
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv) && !uv_reg_mr(&uv) &&
			!uv_alloc_mw(&uv),
		"an MR, and an MW, which may be bound to it");
	fail_next(HYV_CMD_DESTROY, HYV_S_EBUSY, 1);
	tap_is(uv_dereg_mr(&uv), -EBUSY, "DEREG_MR that the host refuses");
	tap_is(dt_pinned_kib() - pinned, 12, "KiB stay pinned");
	tap_is(uv_dereg_mr(&uv), 0, "DEREG_MR again");
	tap_is(dt_pinned_kib() - pinned, 0, "KiB stay pinned");
	uv_close(&uv);
	loop_expect_idle("after a refusal");
}

/*
 * @fn, in another thread, ends the device. Until the host has reset that, @kib
 * KiB more than @before stay pinned.
 */
static void pinned_until_reset(void *(*fn)(void *), struct uv *uv, long before,
			       long kib)
{
	pthread_t thread;

	vmm->hold_reset = true;
	REQUIRE(!pthread_create(&thread, NULL, fn, uv), "pthread_create");
	REQUIRE(dt_until(vmm->resetting), "the driver resets the device");
	/* A driver that does not wait has time to release it. */
	dt_sleep_us(200000 * dt_timeout_scale());
	tap_is(dt_pinned_kib() - before, kib,
	       "KiB stay pinned until the device is reset");
	vmm->hold_reset = false;
	pthread_join(thread, NULL);
	tap_is(dt_pinned_kib() - before, 0, "KiB stay pinned after that");
}

static void *dereg_thread(void *arg)
{
	uv_dereg_mr(arg);
	return NULL;
}

static void *close_thread(void *arg)
{
	uv_close(arg);
	return NULL;
}

/* Without an answer to DESTROY, the HCA might go on to use the memory. */
static void test_destroy_fails(void)
{
	long pinned = dt_pinned_kib();
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv) && !uv_reg_mr(&uv),
		"an MR");
	fail_next(HYV_CMD_DESTROY, HYV_S_EIO, 1);
	pinned_until_reset(dereg_thread, &uv, pinned, 12);
	tap_is(uv_async_event(&uv), EVENT_DEVICE_FATAL,
	       "a DESTROY without result ends the device");
	uv_close(&uv);
	loop_expect_idle("after the device's failure");
	loop_driver("unbind");
	tap_ok(loop_driver("bind") && loop_works("after a failure"),
	       "the driver starts again");
}

/*
 * The host has registered the memory, and its reply is lost: the HCA can access
 * this memory until the context ends, so it stays pinned.
 */
static void test_reply_lost(void)
{
	long pinned = dt_pinned_kib();
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
	vmm->lose_opcode = HYV_CMD_REG_MR;
	tap_is(uv_reg_mr(&uv), -EIO, "REG_MR whose reply is lost");
	tap_is(dt_pinned_kib() - pinned, 12, "KiB stay pinned");
	REQUIRE(!uv_reg_mr(&uv), "an MR");
	vmm->lose_opcode = HYV_CMD_REREG_MR;
	tap_is(uv_rereg_mr(&uv), -EIO, "REREG_MR whose reply is lost");
	tap_is(dt_pinned_kib() - pinned, 12 + 12 + 16, "KiB stay pinned");
	tap_is(uv_rereg_mr(&uv), -EINVAL, "another REREG_MR");
	tap_is(uv_dereg_mr(&uv), 0, "DEREG_MR");
	tap_is(dt_pinned_kib() - pinned, 12 + 16, "KiB stay pinned");
	uv_close(&uv);
	loop_expect_idle("after lost replies");
	tap_is(dt_pinned_kib() - pinned, 0, "KiB stay pinned");
}

/* Nothing uses these objects, so no later attempt would do better. */
static void test_destroy_refused(void)
{
	long pinned = dt_pinned_kib();
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv) &&
			!uv_create_cq(&uv) && !uv_create_srq_in_buf(&uv) &&
			!uv_reg_mr(&uv) && !uv_create_qp(&uv),
		"a PD, a CQ, an SRQ, an MR and a QP");
	tap_is(dt_pinned_kib() - pinned, 4 + 12,
	       "KiB of the SRQ and the MR are pinned");
	fail_next(HYV_CMD_DESTROY, HYV_S_EBUSY, 5);
	tap_is(uv_destroy_qp(&uv), 0, "DESTROY_QP that the host refuses");
	tap_is(uv_dereg_mr(&uv), 0,
	       "DEREG_MR that the host refuses, without MWs");
	tap_is(uv_destroy_srq(&uv), 0, "DESTROY_SRQ that the host refuses");
	tap_is(uv_dealloc_pd(&uv), 0, "DEALLOC_PD that the host refuses");
	tap_is(uv_destroy_cq(&uv), 0, "DESTROY_CQ that the host refuses");
	tap_is(vmm->fail_times, 0, "the host has refused all");
	tap_is(uv_ex_query_device(&uv), 0, "the device works");
	tap_is(dt_pinned_kib() - pinned, 4 + 12, "KiB stay pinned");
	uv_close(&uv);
	loop_expect_idle("after refusals, without the context");
	tap_is(dt_pinned_kib() - pinned, 0, "KiB stay pinned");
	tap_ok(loop_works("after refusals"), "every verb works after that");
}

/*
 * The RDMA core frees the objects of a process that has ended, and warns of
 * each that the driver wants to keep.
 */
static void test_close_refused(void)
{
	long pinned = dt_pinned_kib();
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv) &&
			!uv_create_cq(&uv) && !uv_alloc_mw(&uv) &&
			!uv_reg_mr(&uv) && !uv_create_qp(&uv) &&
			!uv_open_xrcd(&uv, -1) && !uv_create_target(&uv),
		"an object of most types");
	/* The MR twice: there is an MW, which is destroyed then. */
	fail_next(HYV_CMD_DESTROY, HYV_S_EBUSY, 8);
	uv_close(&uv);
	tap_is(vmm->fail_times, 0, "the host has refused all at the close");
	loop_expect_idle("after a close with refusals");
	tap_is(dt_pinned_kib() - pinned, 0, "KiB stay pinned");
	tap_ok(loop_works("after a close"), "every verb works after that");
}

/* The HCA's driver keeps the MR of a process that is killed in REG_MR. */
static void test_context_left(void)
{
	const char *word[3] = {"virtio_hyv ", "bytes", "stay pinned"};
	unsigned int before = vmm->commands[HYV_CMD_REG_MR];
	struct uv uv;
	pid_t pid;
	int klog;

	klog = dt_klog_open();
	vmm->slow_opcode = HYV_CMD_REG_MR;
	vmm->slow_ms = 10000 * dt_timeout_scale();
	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (!pid) {
		uv_open(&uv);
		REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
		uv_reg_mr(&uv);
		_exit(0);
	}
	REQUIRE(dt_until(vmm->commands[HYV_CMD_REG_MR] != before),
		"the process sends REG_MR");
	fail_next(HYV_CMD_DESTROY, HYV_S_EBUSY, -1);
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, NULL, 0) == pid, "the process ends");
	vmm->slow_ms = 0;
	tap_ok(dt_klog_has(klog, word, DT_HANG_S),
	       "the driver reports what is left");
	close(klog);
	vmm_behave();
}

/* The host cannot take memory back that its HCA may still use. */
static void test_pinned(void)
{
	long before = loop_pinned();

	loop_start();
	test_context_left();
	tap_ok(loop_works("after a process"), "every verb works after that");
	loop_stop();
	tap_is(loop_pinned(), before + 3, "the pages of the MR stay pinned");
}

/* The guest may not free memory that objects of the context may use. */
static void test_context_refused(void)
{
	long pinned = dt_pinned_kib();
	char ibdev[64], path[300];
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv) &&
			!uv_create_srq_in_buf(&uv),
		"an SRQ");
	fail_next(HYV_CMD_DESTROY, HYV_S_EINVAL, 3);
	pinned_until_reset(close_thread, &uv, pinned, 4);
	tap_is(vmm->fail_times, 0, "the host has refused SRQ, PD and context");
	tap_ok(dt_until(!uv_find(ibdev, sizeof(ibdev), path, sizeof(path))),
	       "to refuse a context ends the device");
	loop_expect_idle("after the device's end");
	loop_driver("unbind");
	tap_ok(loop_driver("bind") && loop_works("after a refused context"),
	       "the driver starts again after that");
}

/* A driver that cannot be unloaded would take the device for one of its own. */
static void test_builtin(void)
{
	const struct vmm_options options = {.driver_id = HYV_DRIVER_BUILTIN};
	char ibdev[64], path[300];

	vmm_start(&options);
	tap_ok(!uv_find(ibdev, sizeof(ibdev), path, sizeof(path)),
	       "no device with the ID of a driver that is built in");
	vmm_kill();
}

/* There must always be room for a DESTROY, also without memory. */
static void test_one_entry(void)
{
	const struct vmm_options options = {.queue_size = 1};
	char ibdev[64], path[300];

	vmm_start(&options);
	tap_ok(!uv_find(ibdev, sizeof(ibdev), path, sizeof(path)),
	       "no device with a queue of one entry");
	vmm_kill();
}

void suite_retry(void)
{
	test_builtin();
	test_one_entry();
	loop_start();
	test_table_memory();
	test_event_memory();
	test_destroy_again(HYV_S_ENOMEM, "ENOMEM");
	test_destroy_again(HYV_S_EAGAIN, "EAGAIN");
	test_destroy_busy();
	test_destroy_fails();
	test_reply_lost();
	test_destroy_refused();
	test_close_refused();
	test_context_refused();
	loop_stop();
	test_pinned();
}

/* --- Slow and dead --- */

static void test_slow(void)
{
	unsigned int ms = (WATCH_LIMIT + 5) * watch_ms();
	uint64_t began = dt_now_ms();
	unsigned int queries;
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
	queries = vmm->commands[HYV_CMD_QUERY_PKEYS];
	vmm->slow_opcode = HYV_CMD_REG_MR;
	vmm->slow_ms = ms;
	tap_is(uv_reg_mr(&uv), 0, "REG_MR that takes %u ms", ms);
	tap_ok(dt_now_ms() - began >= ms, "it has taken so long");
	tap_ok(vmm->commands[HYV_CMD_QUERY_PKEYS] > queries,
	       "the driver has asked whether the host is alive");
	vmm_behave();
	tap_is(uv_query_device(&uv), 0, "the device works");
	uv_close(&uv);
	loop_expect_idle("after a slow command");
}

/* A lack of memory lasts for some looks at the host. */
static void test_slow_without_memory(void)
{
	write_file(WATCH_FAULTS, "3");
	test_slow();
	write_file(WATCH_FAULTS, "0");
}

static void test_dead(void)
{
	uint64_t began = dt_now_ms(), took;
	struct uv uv;

	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
	vmm->dead = true;
	tap_is(uv_reg_mr(&uv), -EIO, "REG_MR on a dead host");
	took = dt_now_ms() - began;
	tap_ok(took >= WATCH_LIMIT * watch_ms(), "it fails after %llu ms",
	       (unsigned long long)took);
	tap_is(uv_async_event(&uv), EVENT_DEVICE_FATAL, "a fatal event");
	uv_close(&uv);
	vmm_behave();
	loop_expect_idle("after a dead host");
	loop_driver("unbind");
	tap_ok(loop_driver("bind") && loop_works("after a dead host"),
	       "the driver starts again");
}

/* While the driver starts, it gets no interrupt if the device needs a reset. */
static void test_unable(void)
{
	uint64_t began;

	REQUIRE(loop_driver("unbind"), "the driver lets go");
	vmm->unable = true;
	began = dt_now_ms();
	tap_ok(!loop_driver("bind"), "a device that cannot start is not used");
	tap_ok(dt_now_ms() - began < 4 * watch_ms(),
	       "the driver waits for it for %u ms at most", 4 * watch_ms());
	vmm_behave();
	tap_ok(loop_driver("bind") && loop_works("after a failed start"),
	       "the driver starts when it can");
}

/* One thread of a process, which sends a command that is slow. */
static void *slow_thread(void *arg)
{
	return (void *)(intptr_t)uv_ex_query_device(arg);
}

static void wait_busy(unsigned int commands)
{
	REQUIRE(dt_until(vmm->busy >= commands), "the VMM has %u commands",
		commands);
}

static void slow_set(void)
{
	vmm->slow_opcode = HYV_CMD_QUERY_DEVICE;
	vmm->slow_ms = SLOW_MS * dt_timeout_scale();
}

static void slow_threads(struct uv *uv, pthread_t *thread)
{
	unsigned int i;

	for (i = 0; i < SLOW_THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, slow_thread, uv),
			"pthread_create");
}

static void slow_begin(struct uv *uv, pthread_t *thread, unsigned int admitted)
{
	slow_set();
	slow_threads(uv, thread);
	wait_busy(admitted);
}

/* Returns true if all commands have succeeded. */
static bool slow_wait(pthread_t *thread)
{
	unsigned int i, good = 0;
	void *ret;

	for (i = 0; i < SLOW_THREADS; i++) {
		pthread_join(thread[i], &ret);
		good += !ret;
	}
	return good == SLOW_THREADS;
}

static bool slow_end(pthread_t *thread)
{
	vmm->slow_ms = 0;
	return slow_wait(thread);
}

/* Threads of the process have all commands that it may have with the host. */
static void test_mmap(void)
{
	const struct vmm_options options = {.queue_size = SMALL_QUEUE};
	pthread_t thread[SLOW_THREADS];
	uint64_t began;
	struct uv uv;

	loop_start_with(&options);
	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_create_cq(&uv), "a CQ");
	slow_begin(&uv, thread, SMALL_QUEUE_SHARE);
	began = dt_now_ms();
	tap_is(uv_mmap(&uv), 0, "mmap during slow commands");
	tap_ok(dt_now_ms() - began < SLOW_MS * dt_timeout_scale() / 2,
	       "it does not wait for them");
	tap_ok(slow_end(thread), "they succeed");
	uv_close(&uv);
	loop_stop();
}

/* A process of another user, since those of one user share a part. */
struct stranger {
	pid_t pid;
	int fd; /* to tell each other how far they are */
};

static void stranger_tell(int fd)
{
	REQUIRE_EQ(send(fd, "", 1, MSG_NOSIGNAL), 1, "send");
}

static void stranger_wait(int fd)
{
	char byte;

	REQUIRE_EQ(read(fd, &byte, 1), 1, "another user goes on");
}

static void stranger_run(int fd, uid_t uid)
{
	pthread_t thread[SLOW_THREADS];
	struct uv uv;

	REQUIRE(!setresuid(uid, uid, uid), "setresuid");
	uv_open(&uv);
	REQUIRE_EQ(uv_get_context(&uv), 0, "GET_CONTEXT");
	stranger_tell(fd);
	stranger_wait(fd);
	slow_threads(&uv, thread);
	stranger_tell(fd);
	_exit(!slow_wait(thread));
}

/* Returns when it has a context, which it would have to wait for later. */
static void stranger_start(struct stranger *s, uid_t uid)
{
	int fds[2];

	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds),
		"socketpair");
	fflush(stdout);
	s->pid = fork();
	REQUIRE(s->pid >= 0, "fork");
	if (!s->pid) {
		close(fds[0]);
		stranger_run(fds[1], uid);
	}
	close(fds[1]);
	s->fd = fds[0];
	stranger_wait(s->fd);
}

static void stranger_begin(struct stranger *s)
{
	stranger_tell(s->fd);
	stranger_wait(s->fd);
	close(s->fd);
}

/*
 * Without indirect descriptors, slow commands of some users could fill the
 * ring. Then the driver would take a host for dead that it cannot even ask.
 */
static void test_full_ring(void)
{
	const struct vmm_options options = {
		.queue_size = SMALL_QUEUE,
		.features_off = 1ULL << VIRTIO_RING_F_INDIRECT_DESC,
	};
	struct stranger stranger[STRANGERS];
	pthread_t thread[SLOW_THREADS];
	uint64_t began;
	struct uv uv;
	int status;
	uid_t i;

	loop_start_with(&options);
	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
	REQUIRE(!chmod("/dev/hyv-loopback", 0666), "memory for everybody");
	for (i = 0; i < STRANGERS; i++)
		stranger_start(&stranger[i], FIRST_STRANGER + i);
	slow_set();
	for (i = 0; i < STRANGERS; i++)
		stranger_begin(&stranger[i]);
	slow_begin(&uv, thread, 1);
	/* Until all are with the VMM that the driver lets through. */
	dt_sleep_us(2 * watch_ms() * 1000);
	began = dt_now_ms();
	tap_is(uv_dealloc_pd(&uv), 0, "DEALLOC_PD during slow commands");
	tap_ok(dt_now_ms() - began < 4 * watch_ms(),
	       "it does not wait for them");
	dt_sleep_us((WATCH_LIMIT + 5) * watch_ms() * 1000);
	tap_ok(slow_end(thread), "they succeed after %u ms",
	       (WATCH_LIMIT + 5) * watch_ms());
	for (i = 0; i < STRANGERS; i++)
		tap_ok(waitpid(stranger[i].pid, &status, 0) ==
				       stranger[i].pid &&
			       !status,
		       "and so do those of another user");
	uv_close(&uv);
	loop_stop();
}

/* A process that is killed in REG_MR. */
static pid_t leaving_process(void)
{
	struct uv uv;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	if (pid)
		return pid;
	REQUIRE(!setresuid(FIRST_STRANGER, FIRST_STRANGER, FIRST_STRANGER),
		"setresuid");
	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_alloc_pd(&uv), "a PD");
	uv_reg_mr(&uv);
	_exit(0);
}

/*
 * The driver destroys what killed processes have left, which is slow. That must
 * delay only their user, not what the driver does for others.
 */
static void test_leaving(void)
{
	unsigned int before, i;
	pid_t pid[LEAVING];
	uint64_t began;
	struct uv uv;

	loop_start();
	REQUIRE(!chmod("/dev/hyv-loopback", 0666), "memory for everybody");
	uv_open(&uv);
	REQUIRE(!uv_get_context(&uv) && !uv_create_cq(&uv), "a CQ");
	REQUIRE_EQ(uv_mmap(&uv), 0, "mmap");
	vmm->slow_opcode = HYV_CMD_REG_MR;
	vmm->slow_ms = SLOW_MS * dt_timeout_scale();
	for (i = 0; i < LEAVING; i++)
		pid[i] = leaving_process();
	wait_busy(LEAVING);
	for (i = 0; i < LEAVING; i++)
		kill(pid[i], SIGKILL);
	for (i = 0; i < LEAVING; i++)
		REQUIRE(waitpid(pid[i], NULL, 0) == pid[i], "a process ends");
	before = vmm->commands[HYV_CMD_DESTROY];
	vmm->slow_opcode = HYV_CMD_DESTROY;
	REQUIRE(dt_until(vmm->commands[HYV_CMD_DESTROY] >=
			 before + LEAVING_AT_ONCE),
		"the driver destroys what they have left");
	before = vmm->commands[HYV_CMD_MUNMAP];
	began = dt_now_ms();
	REQUIRE_EQ(uv_munmap(&uv), 0, "munmap");
	tap_ok(dt_until(vmm->commands[HYV_CMD_MUNMAP] != before) &&
		       dt_now_ms() - began < SLOW_MS * dt_timeout_scale() / 2,
	       "MUNMAP does not wait for what killed processes have left");
	vmm_behave();
	uv_close(&uv);
	loop_expect_idle("after processes that were killed");
	loop_stop();
}

void suite_watchdog(void)
{
	loop_watch(true);
	loop_start();
	test_slow();
	test_slow_without_memory();
	test_dead();
	test_unable();
	loop_stop();
	test_mmap();
	test_full_ring();
	test_leaving();
	loop_watch(false);
}

/* --- Guest addressing --- */

static bool has_gid(const uint8_t *want)
{
	char ibdev[64], path[300];
	uint8_t gid[16], index;

	return uv_find(ibdev, sizeof(ibdev), path, sizeof(path)) &&
	       uv_find_gid(ibdev, want, gid, &index);
}

static bool wait_gid(const uint8_t *want, bool there)
{
	return dt_until(has_gid(want) == there);
}

static void address(const char *what)
{
	REQUIRE(!dt_run("ip addr %s " OTHER_ADDRESS " dev %s", what,
			getenv("LOOP_NETDEV")),
		"ip addr %s", what);
}

/*
 * Let all allocations fail that cannot wait, or none. The kind of allocations
 * changes only while none fail: opening these files needs memory, too.
 */
static void fail_atomic(bool on)
{
#define FAILSLAB "/sys/kernel/debug/failslab/"
	write_file(FAILSLAB "probability", "0");
	write_file(FAILSLAB "ignore-gfp-wait", on ? "Y" : "N");
	write_file(FAILSLAB "task-filter", "N");
	write_file(FAILSLAB "times", "-1");
	if (on)
		write_file(FAILSLAB "probability", "100");
}

/* The host refuses a GID, and raises an event when it is free. */
static void test_refused_gid(bool faults)
{
	unsigned int asked = vmm->commands[HYV_CMD_ADD_GID];

	fail_next(HYV_CMD_ADD_GID, HYV_S_EEXIST, -1);
	address("add");
	tap_ok(dt_until(vmm->commands[HYV_CMD_ADD_GID] != asked) &&
		       !has_gid(other_gid),
	       "a GID that the host refuses");
	vmm_behave();
	if (faults) {
		/*
		 * The driver sends this before the RDMA core looks for missing
		 * GIDs, which overlooks some if memory is short by then.
		 */
		vmm->slow_opcode = HYV_CMD_QUERY_GIDS;
		vmm->slow_ms = 1000 * dt_timeout_scale();
		fail_atomic(true);
	}
	vmm_event(0, HYV_EVENT_PORT, EVENT_GID_CHANGE, 1, 1);
	dt_sleep_us(100000);
	if (faults)
		fail_atomic(false);
	vmm_behave();
	tap_ok(wait_gid(other_gid, true), "the guest asks again%s",
	       faults ? ", although memory was short" : "");
	address("del");
	tap_ok(wait_gid(other_gid, false), "the GID goes with its address");
}

/* Nobody raises an event. */
static void test_gid_memory(void)
{
	fail_next(HYV_CMD_ADD_GID, HYV_S_ENOMEM, 2);
	address("add");
	tap_ok(wait_gid(other_gid, true),
	       "a GID for which the host has no memory at first");
	tap_is(vmm->fail_times, 0, "the host had no memory");
	address("del");
	tap_ok(wait_gid(other_gid, false), "the GID goes");
}

static void *bind_thread(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)loop_driver("bind");
}

/* The host refuses GIDs until the driver is about to be ready. */
static void test_gid_at_start(void)
{
	unsigned int asked = vmm->commands[HYV_CMD_ADD_GID], queried;
	pthread_t thread;
	void *bound;

	REQUIRE(loop_driver("unbind"), "the driver ends");
	/* The first GID gives time to set the rest up. */
	vmm->slow_opcode = HYV_CMD_ADD_GID;
	vmm->slow_ms = 1000 * dt_timeout_scale();
	REQUIRE(!pthread_create(&thread, NULL, bind_thread, NULL),
		"pthread_create");
	REQUIRE(dt_until(vmm->commands[HYV_CMD_ADD_GID] != asked),
		"the driver has a GID");
	fail_next(HYV_CMD_ADD_GID, HYV_S_EEXIST, -1);
	queried = vmm->commands[HYV_CMD_QUERY_PORT];
	vmm->slow_opcode = HYV_CMD_QUERY_PORT;
	vmm->slow_ms = SLOW_MS * dt_timeout_scale();
	/* The RDMA core queries the port after it has asked for all GIDs. */
	REQUIRE(dt_until(vmm->commands[HYV_CMD_QUERY_PORT] != queried),
		"the driver queries the port");
	vmm->fail_times = 0;
	vmm_event(0, HYV_EVENT_PORT, EVENT_GID_CHANGE, 1, 1);
	/* So that the driver has seen the event. */
	dt_sleep_us(100000);
	vmm_behave();
	pthread_join(thread, &bound);
	tap_ok(bound, "the driver starts while the host refuses GIDs");
	tap_ok(wait_gid(own_gid, true), "it asks for them again");
}

void suite_gids(void)
{
	loop_start_guest();
	REQUIRE(wait_gid(own_gid, true), "the guest's address is a GID");
	tap_ok(loop_works("guest addressing"),
	       "every verb works in guest addressing");
	loop_expect_idle("guest addressing");
	test_refused_gid(false);
	if (failnth_init())
		test_refused_gid(true);
	else
		tap_skip("the kernel has no FAULT_INJECTION",
			 "the guest asks again, although memory was short");
	test_table_memory();
	test_gid_memory();
	test_gid_at_start();
	loop_stop();
}

static pid_t event_storm(void)
{
	static const uint16_t codes[] = {EVENT_GID_CHANGE, 9, 10, 12, 17};
	unsigned int n;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	for (n = 0; !pid; n++)
		vmm_event(0, HYV_EVENT_PORT, codes[n % ARRAY_SIZE(codes)], 1,
			  n % 3);
	return pid;
}

/* Events of the port arrive while the driver ends, and afterwards. */
void suite_events(void)
{
	unsigned int n;
	pid_t pid;

	loop_start_guest();
	pid = event_storm();
	for (n = 0; n < EVENT_ROUNDS; n++) {
		dt_sleep_us(1000 * (n % 7));
		if (!loop_driver("unbind") || !loop_driver("bind"))
			break;
	}
	tap_is(n, EVENT_ROUNDS, "the driver ends and starts under events");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	vmm->order = VMM_NONE;
	tap_ok(vmm->events > n, "%u events", vmm->events);
	tap_ok(loop_works("after events"), "every verb works afterwards");
	loop_stop();
}

/* --- Garbled --- */

static pid_t garble_client(uint64_t seed)
{
	struct dt_rng rng = {.state = seed};
	struct uv uv;
	size_t i;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	REQUIRE(pid >= 0, "fork");
	while (!pid) {
		if (!uv_try_open(&uv)) {
			dt_sleep_us(1000);
			continue;
		}
		/* Whatever fails, go on; some steps are left out. */
		for (i = 0; i < uv_nr_steps; i++)
			if (dt_below(&rng, 10) &&
			    (!uv.queue || uv.cq_info.size))
				uv_steps[i].run(&uv);
		uv_close(&uv);
	}
	return pid;
}

static void garble_once(struct dt_rng *rng)
{
	/* Without a valid header the driver looks at nothing else. */
	vmm->garble = VMM_GARBLE_BYTES;
	if (!dt_below(rng, 100))
		vmm->garble = dt_below(rng, 16);
	switch (dt_below(rng, 16)) {
	case 0:
		vmm_do(VMM_INTERRUPT, dt_below(rng, 4));
		break;
	case 1:
		if (!dt_below(rng, 40))
			vmm_do(VMM_BAD_USED, dt_below(rng, 80));
		break;
	case 2:
		if (!dt_below(rng, 40))
			vmm_do(VMM_NEEDS_RESET, 0);
		break;
	default:
		vmm_event(dt_below(rng, 2), dt_below(rng, 8), dt_below(rng, 22),
			  dt_below(rng, 16),
			  dt_below(rng, 3) ? dt_below(rng, 4)
					   : (uint32_t)dt_random(rng));
	}
	dt_sleep_us(dt_below(rng, 300));
}

/**
 * garble() - be a host that replies with garbage
 * @seed: of random numbers
 * @seconds: for how long
 */
void garble(uint64_t seed, unsigned int seconds)
{
	unsigned int replies = 0, events = 0, restarts = 0;
	uint64_t end = dt_now_ms() + seconds * 1000ULL, check = 0;
	uint64_t late = end + seconds * 1000ULL * dt_timeout_scale();
	struct dt_rng rng = {.state = seed};
	pid_t pid[2];

	loop_watch(true);
	loop_start();
	vmm->seed = seed;
	pid[0] = garble_client(seed + 1);
	pid[1] = garble_client(seed + 2);
	/* Longer on a slow machine. */
	while (dt_now_ms() < end ||
	       (vmm->garbled < GARBLE_MIN && dt_now_ms() < late)) {
		garble_once(&rng);
		if (dt_now_ms() < check)
			continue;
		/* The driver must have a device most of the time. */
		vmm_behave();
		if (dt_below(&rng, 4) && has_gid(NULL)) {
			check = dt_now_ms() + 500;
			continue;
		}
		loop_driver("unbind");
		loop_driver("bind");
		restarts++;
		check = dt_now_ms() + 500;
	}
	replies = vmm->garbled;
	events = vmm->events;
	vmm_behave();
	kill(pid[0], SIGKILL);
	kill(pid[1], SIGKILL);
	waitpid(pid[0], NULL, 0);
	waitpid(pid[1], NULL, 0);
	tap_ok(replies >= GARBLE_MIN && events,
	       "%u garbled replies, %u random events, %u restarts", replies,
	       events, restarts);
	loop_driver("unbind");
	loop_expect_idle("after garbage");
	tap_ok(loop_driver("bind") && loop_works("after garbage"),
	       "every verb works with a host that behaves");
	loop_watch(false);
	loop_stop();
}
