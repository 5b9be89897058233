// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: hold KIND COUNT
 *
 * Hold COUNT of something that a kernel can lose, until SIGTERM; prints
 * "holding" when it has them. Tests of tests/soak/counts look for it.
 *
 *   fd, eventfd, socket   open files
 *   process, thread       tasks that sleep
 *   locked                MiB of locked memory
 *   pinned                MiB of memory pinned as buffers of io_uring
 *   pages                 MiB of kernel memory in no account: a packet ring
 *   vmalloc               socket filters, for which the kernel uses vmalloc()
 *   netns                 processes with a network namespace each
 *   context, pd, mr       objects of the RDMA device
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rc.h"

#define MIB (1UL << 20)

static void *sleeper(void *arg)
{
	pause();
	return arg;
}

static void hold_process(bool netns)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		die_errno("cannot make a pipe");
	switch (fork()) {
	case -1:
		die_errno("cannot fork");
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (netns && unshare(CLONE_NEWNET))
			die_errno("cannot make a network namespace");
		if (write(ready[1], "", 1) != 1)
			die_errno("cannot write");
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("a child ended");
	close(ready[0]);
}

static void hold_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, sleeper, NULL);
	if (errno)
		die_errno("cannot start a thread");
}

static void hold_pinned(void)
{
	struct io_uring_params params = {0};
	struct iovec buffer = {
		.iov_base = pages_anonymous(MIB),
		.iov_len = MIB,
	};
	long ring = syscall(__NR_io_uring_setup, 1, &params);

	if (ring < 0)
		die_errno("no io_uring");
	if (syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS,
		    &buffer, 1))
		die_errno("cannot pin memory");
}

static void hold_locked(void)
{
	if (mlock(pages_anonymous(MIB), MIB))
		die_errno("cannot lock memory");
}

static void hold_pages(void)
{
	struct tpacket_req request = {
		.tp_block_size = PAGE,
		.tp_block_nr = MIB / PAGE,
		.tp_frame_size = PAGE,
		.tp_frame_nr = MIB / PAGE,
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request,
				 sizeof(request)))
		die_errno("cannot make a packet ring");
}

static void hold_vmalloc(void)
{
	struct sock_filter ret = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog program = {.len = 1, .filter = &ret};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				 sizeof(program)))
		die_errno("cannot attach a filter");
}

static void hold_file(int fd)
{
	if (fd < 0)
		die_errno("cannot open a file");
}

static struct rc *rc_opened(void)
{
	static struct rc rc;

	if (!rc.context)
		rc_open(&rc);
	return &rc;
}

static void hold(const char *kind)
{
	if (!strcmp(kind, "fd"))
		hold_file(open("/dev/null", O_RDONLY | O_CLOEXEC));
	else if (!strcmp(kind, "eventfd"))
		hold_file(eventfd(0, EFD_CLOEXEC));
	else if (!strcmp(kind, "socket"))
		hold_file(socket(AF_UNIX, SOCK_STREAM, 0));
	else if (!strcmp(kind, "process"))
		hold_process(false);
	else if (!strcmp(kind, "netns"))
		hold_process(true);
	else if (!strcmp(kind, "thread"))
		hold_thread();
	else if (!strcmp(kind, "locked"))
		hold_locked();
	else if (!strcmp(kind, "pinned"))
		hold_pinned();
	else if (!strcmp(kind, "pages"))
		hold_pages();
	else if (!strcmp(kind, "vmalloc"))
		hold_vmalloc();
	else if (!strcmp(kind, "context"))
		rc_open_context();
	else if (!strcmp(kind, "pd") && !ibv_alloc_pd(rc_opened()->context))
		die_errno("cannot allocate a PD");
	else if (!strcmp(kind, "mr"))
		rc_register(rc_opened(), pages_anonymous(MIB), MIB);
	else if (strcmp(kind, "pd"))
		die("'%s' is not a kind", kind);
}

int main(int argc, char **argv)
{
	unsigned long count;

	if (argc != 3)
		die("usage: hold KIND COUNT");
	for (count = parse_size(argv[2]); count; count--)
		hold(argv[1]);
	puts("holding");
	fflush(stdout);
	pause();
	return 0;
}
