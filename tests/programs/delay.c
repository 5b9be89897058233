// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: delay SIZE
 *
 * Does the registration of a large scattered buffer delay the commands of
 * another process? Time small commands, alone and while the other process
 * registers SIZE bytes over and over; a command that had to wait for such a
 * registration would take about as long as one.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rc.h"

#define ALONE	      300U
#define MOST	      100000U
#define REGISTRATIONS 3

struct times {
	double *took;
	unsigned int count;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the samples; the last one is the longest. */
static double median(struct times *times)
{
	qsort(times->took, times->count, sizeof(double), compare);
	return times->took[times->count / 2];
}

/* A handful of commands, one of each kind that is quick; adds one sample. */
static void time_commands(struct rc *rc, void *page, struct times *times)
{
	double start = now();
	struct ibv_mr *mr;
	struct ibv_pd *pd;

	pd = ibv_alloc_pd(rc->context);
	if (!pd)
		die_errno("cannot allocate a PD");
	mr = rc_register(rc, page, PAGE);
	rc_deregister(mr);
	errno = ibv_dealloc_pd(pd);
	if (errno)
		die_errno("cannot deallocate a PD");
	times->took[times->count++] = now() - start;
}

/*
 * The other process: a byte to @tell before each registration and its duration
 * behind; it ends after some of them.
 */
static int register_over_and_over(size_t size, int tell, int go)
{
	struct ibv_mr *mr;
	double start;
	void *buffer;
	struct rc rc;
	char byte = 0;
	int i;

	rc_open(&rc);
	buffer = pages_scattered(size, 1);
	if (write(tell, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		die("the other process is gone");
	for (i = 0; i < REGISTRATIONS; i++) {
		start = now();
		mr = rc_register(&rc, buffer, size);
		start = now() - start;
		if (write(tell, &start, sizeof(start)) != sizeof(start))
			die("the other process is gone");
		rc_deregister(mr);
	}
	rc_close(&rc);
	return 0;
}

int main(int argc, char **argv)
{
	struct times alone, busy;
	double longest_alone, longest, shortest = 0, took, median_alone;
	double median_busy;
	int tell[2], go[2], registered = 0, status;
	struct pollfd waiting;
	void *page;
	char byte;
	struct rc rc;

	if (argc != 2)
		die("usage: delay SIZE");
	if (pipe(tell) || pipe(go))
		die_errno("cannot make a pipe");
	switch (fork()) {
	case -1:
		die_errno("cannot fork");
	case 0:
		close(tell[0]);
		close(go[1]);
		return register_over_and_over(parse_size(argv[1]), tell[1],
					      go[0]);
	}
	close(tell[1]);
	close(go[0]);
	alone.took = calloc(ALONE, sizeof(double));
	busy.took = calloc(MOST, sizeof(double));
	alone.count = 0;
	busy.count = 0;
	if (!alone.took || !busy.took)
		die_errno("no memory");
	rc_open(&rc);
	page = pages_anonymous(PAGE);
	if (read(tell[0], &byte, 1) != 1)
		die("the other process is gone");

	while (alone.count < ALONE)
		time_commands(&rc, page, &alone);
	if (write(go[1], &byte, 1) != 1)
		die("the other process is gone");
	waiting.fd = tell[0];
	waiting.events = POLLIN;
	while (registered < REGISTRATIONS) {
		if (busy.count == MOST)
			die("%u commands, and still no registration done",
			    MOST);
		time_commands(&rc, page, &busy);
		if (poll(&waiting, 1, 0) <= 0)
			continue;
		if (read(tell[0], &took, sizeof(took)) != sizeof(took))
			die("the other process is gone");
		if (!registered++ || took < shortest)
			shortest = took;
	}
	if (wait(&status) < 0 || status)
		die("the other process failed");
	rc_close(&rc);

	median_alone = median(&alone);
	longest_alone = alone.took[alone.count - 1];
	median_busy = median(&busy);
	longest = busy.took[busy.count - 1];
	printf("%u commands alone: median %.1f ms, longest %.1f ms\n",
	       alone.count, median_alone * 1e3, longest_alone * 1e3);
	printf("%u during registrations of at least %.0f ms: median %.1f ms, "
	       "longest %.1f ms\n",
	       busy.count, shortest * 1e3, median_busy * 1e3, longest * 1e3);
	if (busy.count < 20)
		die("too few commands to tell");
	/* Two processes share the processor: twice as long is fair. */
	if (median_busy > 4 * median_alone)
		die("the median is too long");
	if (longest > shortest / 4 && longest > 2 * longest_alone)
		die("a command had to wait for a registration");
	return 0;
}
