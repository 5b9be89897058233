// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMM that leaves its files where the kernel does not look: in io_uring, in a
 * socket, in other processes, or that swaps them while they are in use. The end
 * of its address space ends the vNIC.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/io_uring.h>

#include <hyv/ioctls.h>

#include "fixture.h"
#include "hostile_vmm.h"
#include "suites.h"

/* A vNIC with objects, pinned memory and mapped queues. */
static struct hostile_ep live;

/* Tell the parent, and wait for the end. */
static void wait_for_end(struct hostile_pipe *ready)
{
	hostile_tell(ready);
	for (;;)
		pause();
}

/* Start @fn, kill it, and wait until nothing of it is left. */
static void run_killed(void (*fn)(void *), const char *what)
{
	struct dt_counts before = dt_counts();
	struct hostile_pipe ready;
	pid_t pid;

	hostile_pipe(&ready);
	pid = hostile_fork(fn, &ready);
	tap_ok(hostile_hear(&ready, DT_HANG_S), "%s: ready", what);
	hostile_expect_killed(pid, what);
	tap_ok(hostile_no_vnics(HOSTILE_END_S), "%s: the vNIC has ended", what);
	dt_expect_counts(&before, what);
}

static int uring_setup(void)
{
	struct io_uring_params params = {};
	void *ring;
	int fd;

	fd = syscall(SYS_io_uring_setup, 8, &params);
	REQUIRE(fd >= 0, "io_uring_setup (%s)", strerror(errno));
	/* The mapping holds the ring, and so what is registered with it. */
	ring = mmap(NULL, params.sq_off.array + params.sq_entries * 4,
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	REQUIRE(ring != MAP_FAILED, "mmap of the ring");
	return fd;
}

static void uring_fixed_file(void *arg)
{
	int ring;

	hostile_ep_init(&live);
	ring = uring_setup();
	REQUIRE(!syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES,
			 &live.v.fd, 1),
		"IORING_REGISTER_FILES (%s)", strerror(errno));
	close(live.v.fd);
	close(ring);
	wait_for_end(arg);
}

static bool no_uring(void)
{
	if (syscall(SYS_io_uring_setup, 0, NULL) == -1 && errno != ENOSYS &&
	    errno != EPERM)
		return false;
	tap_skip("the kernel has none", "io_uring");
	return true;
}

static void test_uring(void)
{
	if (!no_uring())
		run_killed(uring_fixed_file, "fixed file of an io_uring");
}

/* Send files to oneself. */
static void send_files(int sock, const int *file, size_t nr)
{
	union {
		struct cmsghdr align;
		char data[CMSG_SPACE(4 * sizeof(int))];
	} control = {};
	struct iovec iov = {.iov_base = (char[]){0}, .iov_len = 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(nr * sizeof(int));
	memcpy(CMSG_DATA(cmsg), file, nr * sizeof(int));
	REQUIRE(sendmsg(sock, &msg, 0) == 1, "sendmsg of files");
}

static void scm_in_flight(void *arg)
{
	int sock[2];

	hostile_ep_init(&live);
	REQUIRE(!socketpair(AF_UNIX, SOCK_DGRAM, 0, sock), "socketpair");
	send_files(sock[0], &live.v.fd, 1);
	close(live.v.fd);
	wait_for_end(arg);
}

/* Sockets that hold each other: only the kernel's collector frees them. */
static void scm_cycle(void *arg)
{
	int a[2], b[2];

	hostile_ep_init(&live);
	REQUIRE(!socketpair(AF_UNIX, SOCK_DGRAM, 0, a), "socketpair");
	REQUIRE(!socketpair(AF_UNIX, SOCK_DGRAM, 0, b), "socketpair");
	send_files(a[0], (int[]){b[1], live.v.fd}, 2);
	send_files(b[0], (int[]){a[1]}, 1);
	close(live.v.fd);
	close(a[0]);
	close(a[1]);
	close(b[0]);
	close(b[1]);
	wait_for_end(arg);
}

static int receive_file(int sock)
{
	union {
		struct cmsghdr align;
		char data[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = (char[1]){0}, .iov_len = 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int file;

	REQUIRE(recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) == 1, "recvmsg");
	cmsg = CMSG_FIRSTHDR(&msg);
	REQUIRE(cmsg && cmsg->cmsg_type == SCM_RIGHTS &&
			cmsg->cmsg_len == CMSG_LEN(sizeof(int)),
		"a file in a message");
	memcpy(&file, CMSG_DATA(cmsg), sizeof(int));
	return file;
}

/* This process is not the owner of the file's vNIC. */
static void expect_no_use(int file, size_t window_size, const char *who)
{
	static const struct {
		const char *name;
		unsigned long cmd;
		uint32_t size;
		uint32_t flags;
	} ioctls[] = {
#define IOCTL(NAME, stem, min, flags) \
	{#NAME, HYV_##NAME, sizeof(struct hyv_##stem), flags},
		HYV_FOR_EACH_IOCTL(IOCTL)
#undef IOCTL
	};
	uint32_t arg[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ioctls); i++) {
		if (!(ioctls[i].flags & HYV_IOCTL_OWNER))
			continue;
		memset(arg, 0, sizeof(arg));
		arg[0] = ioctls[i].size;
		tap_is(hyv_ioctl(file, ioctls[i].cmd, arg), -EPERM, "%s: %s",
		       who, ioctls[i].name);
	}
	tap_ok(mmap(NULL, window_size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
		    0) == MAP_FAILED &&
		       errno == EPERM,
	       "%s: mmap of the window", who);
}

static void scm_receiver(void *arg)
{
	const int *sock = arg;

	expect_no_use(receive_file(sock[1]), DT_WINDOW, "a receiver");
}

/* A process that had nothing of the vNIC gets its file. */
static void scm_received(void)
{
	pid_t receiver;
	int sock[2];

	REQUIRE(!socketpair(AF_UNIX, SOCK_DGRAM, 0, sock), "socketpair");
	receiver = hostile_fork(scm_receiver, sock);
	hostile_ep_init(&live);
	send_files(sock[0], &live.v.fd, 1);
	hostile_expect_end(receiver, "a process that was sent the file");
	hostile_ep_raise(&live);
	vnic_close(&live.v);
}

static void test_scm(void)
{
	run_killed(scm_in_flight, "file in flight");
	run_killed(scm_cycle, "file in a cycle of sockets");
	scm_received();
}

/* A process that keeps the file when its owner is gone. */
static void keeper(struct hostile_pipe *ready)
{
	expect_no_use(live.v.fd, live.v.window_size, "a child");
	wait_for_end(ready);
}

static void owner_with_child(void *arg)
{
	hostile_ep_init(&live);
	if (!fork())
		keeper(arg);
	for (;;)
		pause();
}

/* The child lives on, but the objects are gone. */
static void test_child_keeps(void)
{
	struct dt_counts before = dt_counts();
	struct hostile_pipe ready;
	struct hostile_list list;
	pid_t pid;

	hostile_pipe(&ready);
	pid = hostile_fork(owner_with_child, &ready);
	REQUIRE(hostile_hear(&ready, DT_HANG_S), "the child is ready");
	hostile_expect_killed(pid, "a child keeps the file");
	dt_expect_counts(&before, "the owner is gone, its child is not");
	tap_ok(hostile_list(&list) && !list.pinned && !list.queues,
	       "no memory is in use for it");
}

/* exec() ends the address space, and keeps the file. */
static void owner_execs(void *arg)
{
	hostile_ep_init(&live);
	fcntl(live.v.fd, F_SETFD, 0);
	hostile_tell(arg);
	execl("/bin/sleep", "sleep", "1000", NULL);
	_exit(1);
}

static void test_exec(void)
{
	struct dt_counts before = dt_counts();
	struct hostile_pipe ready;
	pid_t pid;

	hostile_pipe(&ready);
	pid = hostile_fork(owner_execs, &ready);
	REQUIRE(hostile_hear(&ready, DT_HANG_S), "the owner is ready");
	dt_expect_counts(&before, "the owner has become another program");
	hostile_expect_killed(pid, "a program that inherits the file");
}

/* A thread that exits first does not end the vNIC: others have the memory. */
static void *leaderless_thread(void *arg)
{
	dt_sleep_us(300000);
	hostile_ep_raise(&live);
	wait_for_end(arg);
	return NULL;
}

static void leaderless(void *arg)
{
	pthread_t thread;

	hostile_ep_init(&live);
	REQUIRE(!pthread_create(&thread, NULL, leaderless_thread, arg),
		"pthread_create");
	syscall(SYS_exit, 0);
}

static void test_leaderless(void)
{
	run_killed(leaderless, "the thread that attached is gone");
}

/* --- Files that are swapped for others while an ioctl uses their number. */

#define SWAP_FILES 5

static struct {
	struct fixture fix;
	int number; /* that is swapped */
	int file[SWAP_FILES];
	atomic_bool stop;
	atomic_uint done, refused;
} swapping;

static void *swap_thread(void *arg)
{
	struct dt_rng rng = {(uintptr_t)arg};

	while (!atomic_load(&swapping.stop)) {
		dup2(swapping.file[dt_below(&rng, SWAP_FILES)],
		     swapping.number);
		if (!dt_below(&rng, 8))
			close(swapping.number);
	}
	return NULL;
}

static int swap_ioctl(struct dt_rng *rng)
{
	struct hyv_set_doorbell doorbell = {
		.size = sizeof(doorbell),
		.kick_fd = swapping.number,
	};
	struct hyv_set_notify notify = {
		.size = sizeof(notify),
		.config_fd = swapping.number,
		.error_fd = swapping.number,
	};
	struct hyv_get_info info = {.size = sizeof(info)};
	struct vnic v = swapping.fix.v;
	struct rsp rsp;
	struct req r;

	switch (dt_below(rng, 6)) {
	case 0:
		return hyv_ioctl(v.fd, HYV_SET_DOORBELL, &doorbell);
	case 1:
		return hyv_ioctl(v.fd, HYV_SET_NOTIFY, &notify);
	case 2:
		return hyv_attach_fd(swapping.number, swapping.number, "swap");
	case 3:
		return hyv_ioctl(swapping.number, HYV_GET_INFO, &info);
	case 4:
		v.fd = swapping.number;
		return vnic_reset(&v);
	default:
		v.fd = swapping.number;
		fixture_request(&swapping.fix, HYV_CMD_REG_MR, &r);
		return vnic_exec_raw(&v, r.data, r.len, rsp.data,
				     sizeof(rsp.data), &rsp.len);
	}
}

static void *swap_ioctl_thread(void *arg)
{
	struct dt_rng rng = {(uintptr_t)arg};

	while (!atomic_load(&swapping.stop))
		atomic_fetch_add(swap_ioctl(&rng) ? &swapping.refused
						  : &swapping.done,
				 1);
	return NULL;
}

static void test_swap(void)
{
	pthread_t thread[6];
	int uverbs;
	size_t i;

	fixture_init(&swapping.fix);
	uverbs = open(dt_uverbs(), O_RDWR | O_CLOEXEC);
	swapping.file[0] = swapping.fix.v.fd;
	swapping.file[1] = hyv_open();
	swapping.file[2] = uverbs;
	swapping.file[3] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	swapping.file[4] = open("/dev/null", O_RDWR | O_CLOEXEC);
	swapping.number = dup(uverbs);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		REQUIRE(!pthread_create(&thread[i], NULL,
					i < 2 ? swap_thread : swap_ioctl_thread,
					(void *)(i + 1)),
			"pthread_create");
	dt_sleep_us(3000000);
	atomic_store(&swapping.stop, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	tap_ok(swapping.done && swapping.refused,
	       "files are swapped under ioctls: %u succeed, %u are refused",
	       swapping.done, swapping.refused);
	for (i = 0; i < SWAP_FILES; i++)
		close(swapping.file[i]);
	close(swapping.number);
	tap_is(dt_pinned_kib(), 0, "no memory is pinned");
}

static const struct hostile_test tests[] = {
	{"fixed file of an io_uring", test_uring, 60},
	{"files in flight", test_scm, 120},
	{"a child keeps the file", test_child_keeps, 60},
	{"exec with the file", test_exec, 60},
	{"the first thread is gone", test_leaderless, 60},
	{"files swapped under ioctls", test_swap, 60},
};

void suite_hostile_files(void)
{
	hostile_run(tests, ARRAY_SIZE(tests));
}
