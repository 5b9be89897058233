// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: fair flood THREADS GID [PROCESSES]
 *        fair measure ROUNDS
 *
 * "flood" creates address handles to a GID, in THREADS threads and some
 * contexts, in each of PROCESSES other processes or in this one, until it is
 * killed. If nobody has the GID, each takes the host a second. Prints
 * "flooding" when the threads run.
 *
 * "measure" creates and destroys a PD and a CQ, ROUNDS times, and prints the
 * median and the longest time of a round in microseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rc.h"

#define CONTEXTS 4

static struct ibv_ah_attr attr = {.is_global = 1, .port_num = 1};

static void *flood(void *arg)
{
	struct ibv_pd *pd = arg;
	struct ibv_ah *ah;

	for (;;) {
		ah = ibv_create_ah(pd, &attr);
		if (ah)
			die("an address handle to a GID that nobody has");
	}
	return NULL;
}

static void flood_open(struct ibv_pd *pds[CONTEXTS])
{
	struct rc rc;
	int i;

	rc_open(&rc);
	attr.grh.sgid_index = (uint8_t)rc.gid_index;
	attr.grh.hop_limit = 64;
	for (i = 0; i < CONTEXTS; i++) {
		pds[i] = ibv_alloc_pd(rc_open_context());
		if (!pds[i])
			die_errno("cannot allocate a PD");
	}
}

static void flood_start(struct ibv_pd *pds[CONTEXTS], unsigned long threads)
{
	pthread_t thread;
	unsigned long i;

	for (i = 0; i < threads; i++) {
		errno = pthread_create(&thread, NULL, flood, pds[i % CONTEXTS]);
		if (errno)
			die_errno("cannot start a thread");
	}
}

/*
 * A process that floods, and ends with its parent. It opens its contexts before
 * others flood: writes a byte to @ready then, and begins at the end of @go.
 */
static void flood_child(unsigned long threads, const int ready[2],
			const int go[2])
{
	struct ibv_pd *pds[CONTEXTS];
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(ready[0]);
	close(go[1]);
	flood_open(pds);
	if (write(ready[1], &byte, 1) != 1)
		die("the parent is gone");
	/* So that the parent reads an end if a process fails before this. */
	close(ready[1]);
	if (read(go[0], &byte, 1))
		die("the parent is gone");
	close(go[0]);
	flood_start(pds, threads);
	for (;;)
		pause();
}

static void flood_processes(unsigned long threads, unsigned long processes)
{
	int ready[2], go[2];
	unsigned long i;
	char byte;
	pid_t pid;

	if (pipe(ready) || pipe(go))
		die_errno("cannot create a pipe");
	for (i = 0; i < processes; i++) {
		pid = fork();
		if (pid < 0)
			die_errno("cannot fork");
		if (!pid)
			flood_child(threads, ready, go);
	}
	close(ready[1]);
	close(go[0]);
	for (i = 0; i < processes; i++)
		if (read(ready[0], &byte, 1) != 1)
			die("a process does not flood");
	close(ready[0]);
	close(go[1]);
}

static void flood_all(unsigned long threads, const char *gid,
		      unsigned long processes)
{
	struct ibv_pd *pds[CONTEXTS];

	if (inet_pton(AF_INET6, gid, attr.grh.dgid.raw) != 1)
		die("'%s' is not a GID", gid);
	if (processes) {
		flood_processes(threads, processes);
	} else {
		flood_open(pds);
		flood_start(pds, threads);
	}
	puts("flooding");
	fflush(stdout);
	pause();
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(unsigned long rounds)
{
	double *took = calloc(rounds, sizeof(*took)), start;
	struct ibv_context *context = rc_open_context();
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	unsigned long i;

	if (!took)
		die_errno("no memory");
	for (i = 0; i < rounds; i++) {
		start = now();
		pd = ibv_alloc_pd(context);
		cq = ibv_create_cq(context, 16, NULL, NULL, 0);
		if (!pd || !cq)
			die_errno("cannot create a PD or CQ");
		errno = ibv_destroy_cq(cq);
		if (!errno)
			errno = ibv_dealloc_pd(pd);
		if (errno)
			die_errno("cannot destroy a PD or CQ");
		took[i] = (now() - start) * 1e6;
	}
	qsort(took, rounds, sizeof(*took), by_time);
	printf("%.0f %.0f\n", took[rounds / 2], took[rounds - 1]);
}

int main(int argc, char **argv)
{
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "flood"))
		flood_all(parse_size(argv[2]), argv[3],
			  argc == 5 ? parse_size(argv[4]) : 0);
	else if (argc == 3 && !strcmp(argv[1], "measure"))
		measure(parse_size(argv[2]));
	else
		die("usage: fair flood THREADS GID [PROCESSES] | fair measure ROUNDS");
	return 0;
}
