// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: poison message|sq|cq|record FILE
 *
 * Print the physical address of a page that the HCA uses: of the target of
 * messages, or of the send queue, the completion queue or the records of a QP.
 * When FILE exists, the page is bad. Then write to it, or use that queue; what
 * does not end by SIGBUS must end with an error.
 */
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rc.h"

#define FRAME ((1ULL << 55) - 1)

/* Lengths of messages, whose last 64 bytes are stored word by word. */
static const size_t lengths[] = {1, 8, 64, 200, PAGE};

static uint64_t physical(const void *at)
{
	off_t place = (off_t)((uintptr_t)at / PAGE * sizeof(uint64_t));
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry), place) != sizeof(entry))
		die_errno("cannot read the page map");
	close(fd);
	return (entry & FRAME) * PAGE;
}

static const void *page_of(const char *what, struct rc_pair *pair,
			   const void *target)
{
	struct mlx5dv_cq cq = {.comp_mask = 0};
	struct mlx5dv_qp qp = {.comp_mask = 0};
	struct mlx5dv_obj obj = {.qp = {.in = pair->qp[0], .out = &qp},
				 .cq = {.in = pair->cq, .out = &cq}};

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ))
		die("no queues of mlx5");
	if (!strcmp(what, "message"))
		return target;
	if (!strcmp(what, "sq"))
		return qp.sq.buf;
	if (!strcmp(what, "cq"))
		return cq.buf;
	if (!strcmp(what, "record"))
		return qp.dbrec;
	die("unknown '%s'", what);
}

/* Write @length bytes to @target; the status of the completion. */
static enum ibv_wc_status write_to(struct rc_pair *pair, struct ibv_mr *from,
				   struct ibv_mr *target, size_t length)
{
	struct ibv_wc wc;

	rc_post(pair, IBV_WR_RDMA_WRITE, from, from->addr,
		(uintptr_t)target->addr, target->rkey, length);
	if (!rc_completion(pair->cq, &wc, hang_seconds()))
		die("a message of %zu bytes has no completion", length);
	return wc.status;
}

int main(int argc, char **argv)
{
	struct ibv_mr *from, *target;
	enum ibv_wc_status status;
	struct rc_pair pair;
	bool message;
	struct rc rc;
	size_t i;

	if (argc != 3)
		die("usage: poison message|sq|cq|record FILE");
	message = !strcmp(argv[1], "message");
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc_open(&rc);
	from = rc_register(&rc, pages_anonymous(PAGE), PAGE);
	target = rc_register(&rc, pages_anonymous(PAGE), PAGE);
	rc_pair_open(&pair, &rc, false);
	if (write_to(&pair, from, target, PAGE) != IBV_WC_SUCCESS)
		die("the memory is bad before it is");
	printf("0x%llx\n", (unsigned long long)physical(
				   page_of(argv[1], &pair, target->addr)));
	while (access(argv[2], F_OK))
		usleep(10000);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		status = write_to(&pair, from, target, lengths[i]);
		printf("%zu bytes: %s\n", lengths[i],
		       ibv_wc_status_str(status));
		if (status == IBV_WC_SUCCESS)
			die("bad memory was written");
		if (!message)
			break;
		rc_pair_close(&pair);
		rc_pair_open(&pair, &rc, false);
	}
	/* The kernel frees what it can. */
	return 0;
}
