// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: share SECONDS
 *
 * How much of the HCA and of its host this guest gets: a thread transfers
 * checked data, another one executes commands with short pauses. Prints MiB/s
 * commands  median  99th percentile  longest with the times of a command in
 * microseconds.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rc.h"

#define SIZE	 (64UL << 10)
#define PAUSE_US 2000
#define MOST	 200000UL
/* Fewer say nothing about a percentile. */
#define LEAST 20UL

static double end;
static double *took;
static unsigned long commands;

static void *command(void *arg)
{
	struct rc *rc = arg;
	struct ibv_pd *pd;
	double start;

	while (now() < end && commands < MOST) {
		start = now();
		pd = ibv_alloc_pd(rc->context);
		if (!pd)
			die_errno("cannot allocate a PD");
		errno = ibv_dealloc_pd(pd);
		if (errno)
			die_errno("cannot deallocate a PD");
		/* two commands */
		took[commands++] = (now() - start) * 1e6 / 2;
		usleep(PAUSE_US);
	}
	return NULL;
}

static unsigned long transfer(struct rc *rc)
{
	struct ibv_mr *from, *to;
	unsigned long done = 0;
	struct rc_pair pair;

	rc_pair_open(&pair, rc, true);
	from = rc_register(rc, pages_scattered(SIZE, 1), SIZE);
	to = rc_register(rc, pages_scattered(SIZE, 2), SIZE);
	while (now() < end) {
		pattern_fill(from->addr, SIZE, 0, done);
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, from, from->addr,
			    (uintptr_t)to->addr, to->rkey, SIZE);
		pattern_check("RDMA write", to->addr, SIZE, 0, done);
		done++;
	}
	rc_deregister(from);
	rc_deregister(to);
	rc_pair_close(&pair);
	return done;
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned long seconds, done;
	pthread_t thread;
	struct rc rc;

	if (argc != 2)
		die("usage: share SECONDS");
	seconds = parse_size(argv[1]);
	took = calloc(MOST, sizeof(*took));
	if (!took || !seconds)
		die("no memory, or no time");
	rc_open(&rc);
	end = now() + (double)seconds;
	errno = pthread_create(&thread, NULL, command, &rc);
	if (errno)
		die_errno("cannot start a thread");
	done = transfer(&rc);
	pthread_join(thread, NULL);
	rc_close(&rc);
	if (!done || commands < LEAST)
		die("%lu transfers and %lu commands are too few", done,
		    commands);
	qsort(took, commands, sizeof(*took), by_time);
	printf("%.2f %lu %.0f %.0f %.0f\n",
	       (double)done * SIZE / (1 << 20) / (double)seconds, commands,
	       took[commands / 2], took[commands * 99 / 100],
	       took[commands - 1]);
	return 0;
}
