// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: many COUNT
 *
 * Have COUNT small memory regions at the same time, each across a boundary of
 * scattered pages, and an RDMA write into and an RDMA read out of every one.
 * Then wait for a line on standard input before they are deregistered.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rc.h"

#define SMALL 64UL

/* The region number @i lies around the end of page 2 * i. */
static char *place(char *buffer, size_t i)
{
	return buffer + (2 * i + 1) * PAGE - SMALL / 2 + i % 16;
}

int main(int argc, char **argv)
{
	struct ibv_mr *message, **regions;
	char *buffer, *small;
	struct rc_pair pair;
	double start;
	size_t count, i;
	struct rc rc;

	if (argc != 2)
		die("usage: many COUNT");
	count = parse_size(argv[1]);
	regions = calloc(count, sizeof(struct ibv_mr *));
	if (!regions)
		die_errno("no memory");
	rc_open(&rc);
	rc_pair_open(&pair, &rc, false);
	small = pages_anonymous(PAGE);
	message = rc_register(&rc, small, PAGE);
	buffer = pages_scattered(2 * count * PAGE, count);

	start = now();
	for (i = 0; i < count; i++)
		regions[i] = rc_register(&rc, place(buffer, i), SMALL);
	printf("%zu regions in %.1f s\n", count, now() - start);
	for (i = 0; i < count; i++) {
		pattern_fill(small, SMALL, 0, i + 1);
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, message, small,
			    (uintptr_t)place(buffer, i), regions[i]->rkey,
			    SMALL);
	}
	/* not before all are written: one must not have written to another */
	for (i = 0; i < count; i++) {
		pattern_check("RDMA write", place(buffer, i), SMALL, 0, i + 1);
		pattern_fill(place(buffer, i), SMALL, 0, count + i + 1);
	}
	for (i = 0; i < count; i++) {
		rc_transfer(&pair, IBV_WR_RDMA_READ, message, small,
			    (uintptr_t)place(buffer, i), regions[i]->rkey,
			    SMALL);
		pattern_check("RDMA read", small, SMALL, 0, count + i + 1);
	}
	printf("written and read\n");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;

	start = now();
	for (i = 0; i < count; i++)
		rc_deregister(regions[i]);
	printf("deregistered in %.1f s\n", now() - start);
	rc_deregister(message);
	rc_pair_close(&pair);
	rc_close(&rc);
	return 0;
}
