// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: forks COUNT
 *
 * A process with the device open forks children, between and during transfers:
 * some end at once, some write to the memory that they share copy-on-write with
 * their parent, some execute another program, some open the device for
 * themselves. None of them may disturb what the parent transfers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rc.h"

#define SIZE (256UL << 10)

static void child_transfers(void)
{
	struct ibv_mr *from, *to;
	struct rc_pair pair;
	struct rc rc;

	rc_open(&rc);
	rc_pair_open(&pair, &rc, false);
	from = rc_register(&rc, pages_scattered(SIZE, 5), SIZE);
	to = rc_register(&rc, pages_scattered(SIZE, 6), SIZE);
	pattern_fill(from->addr, SIZE, 0, 7);
	rc_transfer(&pair, IBV_WR_RDMA_WRITE, from, from->addr,
		    (uintptr_t)to->addr, to->rkey, SIZE);
	pattern_check("RDMA write of a child", to->addr, SIZE, 0, 7);
	rc_deregister(from);
	rc_deregister(to);
	rc_pair_close(&pair);
	rc_close(&rc);
}

static void child(unsigned int kind, char *private)
{
	switch (kind) {
	case 0:
		break;
	case 1:
		/* not the registered buffers: the child does not have them */
		memset(private, 0xee, SIZE);
		break;
	case 2:
		execlp("true", "true", NULL);
		_exit(1);
	case 3:
		child_transfers();
		break;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	struct ibv_mr *from, *to;
	unsigned int count, i;
	struct rc_pair pair;
	char *private;
	struct rc rc;
	int status;

	if (argc != 2)
		die("usage: forks COUNT");
	count = (unsigned int)parse_size(argv[1]);
	errno = ibv_fork_init();
	if (errno)
		die_errno("ibv_fork_init");
	rc_open(&rc);
	rc_pair_open(&pair, &rc, false);
	from = rc_register(&rc, pages_scattered(SIZE, 1), SIZE);
	to = rc_register(&rc, pages_scattered(SIZE, 2), SIZE);
	private = pages_anonymous(SIZE);

	for (i = 0; i < count; i++) {
		pattern_fill(private, SIZE, 0, i);
		pattern_fill(from->addr, SIZE, 0, i + 1);
		switch (fork()) {
		case -1:
			die_errno("cannot fork");
		case 0:
			child(i % 4, private);
		}
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, from, from->addr,
			    (uintptr_t)to->addr, to->rkey, SIZE);
		pattern_check("RDMA write", to->addr, SIZE, 0, i + 1);
		pattern_fill(to->addr, SIZE, 0, i + 2);
		rc_transfer(&pair, IBV_WR_RDMA_READ, from, from->addr,
			    (uintptr_t)to->addr, to->rkey, SIZE);
		pattern_check("RDMA read", from->addr, SIZE, 0, i + 2);
		if (wait(&status) < 0 || status)
			die("child %u ended with 0x%x", i, status);
		pattern_check("private memory", private, SIZE, 0, i);
	}
	rc_deregister(from);
	rc_deregister(to);
	rc_pair_close(&pair);
	rc_close(&rc);
	printf("%u children\n", count);
	return 0;
}
