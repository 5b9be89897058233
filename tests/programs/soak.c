// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: soak [-e] [-p PROCESSES] [-t THREADS] [-s SIZE] [-n TRANSFERS] [-i MS]
 *             [-w SECONDS]
 *
 * RDMA writes of SIZE bytes whose data is checked: each process has the device
 * open for itself, each thread a pair of queue pairs of its own. Goes on until
 * TRANSFERS of each thread are done, or until SIGTERM. With -e threads sleep
 * until completion events come, with -i they rest between transfers and leave
 * the processor to others. With -w a process fails if none of its threads has
 * completed a transfer for that long. Each thread says when it has begun; at
 * the end each process says what it transferred and how long the slowest
 * transfer took.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rc.h"

static volatile sig_atomic_t stop;

static unsigned long transfers;
static unsigned int interval, limit;
static size_t size = 4096;
static bool events;

struct worker {
	pthread_t thread;
	struct rc *rc;
	uint64_t seed;
	unsigned long done;
	double slowest;
};

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static void on_alarm(int signal)
{
	static const char text[] = "soak: a transfer takes too long\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1))
		_exit(1);
	_exit(1);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct ibv_mr *from, *to;
	struct rc_pair pair;
	double start, took;

	rc_pair_open(&pair, worker->rc, events);
	from = rc_register(worker->rc, pages_scattered(size, worker->seed),
			   size);
	to = rc_register(worker->rc, pages_scattered(size, worker->seed + 1),
			 size);
	while (!stop && (!transfers || worker->done < transfers)) {
		uint64_t seed = worker->seed + worker->done;

		pattern_fill(from->addr, size, 0, seed);
		start = now();
		alarm(limit);
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, from, from->addr,
			    (uintptr_t)to->addr, to->rkey, size);
		took = now() - start;
		if (took > worker->slowest)
			worker->slowest = took;
		pattern_check("RDMA write", to->addr, size, 0, seed);
		if (!worker->done++)
			printf("transferring\n");
		if (interval)
			usleep(interval * 1000);
	}
	alarm(limit);
	rc_deregister(from);
	rc_deregister(to);
	rc_pair_close(&pair);
	return NULL;
}

static int process(unsigned int number, unsigned int threads)
{
	struct worker *workers = calloc(threads, sizeof(*workers));
	unsigned long done = 0;
	double slowest = 0;
	struct rc rc;
	unsigned int i;

	if (!workers)
		die_errno("no memory");
	rc_open(&rc);
	for (i = 0; i < threads; i++) {
		workers[i].rc = &rc;
		workers[i].seed = (number * threads + i + 1ULL) << 32;
		errno = pthread_create(&workers[i].thread, NULL, work,
				       &workers[i]);
		if (errno)
			die_errno("cannot start a thread");
	}
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		if (!workers[i].done)
			die("a thread did not come to transfer anything");
		done += workers[i].done;
		if (workers[i].slowest > slowest)
			slowest = workers[i].slowest;
	}
	alarm(0);
	rc_close(&rc);
	free(workers);
	printf("%lu transfers of %zu bytes, the slowest in %.0f ms\n", done,
	       size, slowest * 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int processes = 1, threads = 1, i;
	struct sigaction action = {.sa_handler = on_term};
	int opt, status, failed = 0;

	while ((opt = getopt(argc, argv, "ep:t:s:n:i:w:")) != -1) {
		switch (opt) {
		case 'e':
			events = true;
			break;
		case 'p':
			processes = (unsigned int)parse_size(optarg);
			break;
		case 't':
			threads = (unsigned int)parse_size(optarg);
			break;
		case 's':
			size = parse_size(optarg);
			break;
		case 'n':
			transfers = parse_size(optarg);
			break;
		case 'i':
			interval = (unsigned int)parse_size(optarg);
			break;
		case 'w':
			limit = (unsigned int)parse_size(optarg);
			break;
		default:
			die("wrong usage");
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	action.sa_flags = SA_RESTART;
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	for (i = 1; i < processes; i++) {
		switch (fork()) {
		case -1:
			die_errno("cannot fork");
		case 0:
			return process(i, threads);
		}
	}
	process(0, threads);
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
