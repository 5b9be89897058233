// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: scribble [-s SEED] [-t SECONDS | -n REQUESTS]
 *
 * Processes that write anything into all that they share with hyvs.ko: requests
 * that are valid, almost valid, or noise, and any bytes at any time in queues,
 * doorbell records and doorbell pages; and that take away memory, keys and
 * queues meanwhile. Another QP pair of these processes, in a PD of its own,
 * must not notice, and neither must other processes.
 *
 * For SECONDS (10), or until the HCA has executed that many REQUESTS, with
 * those of others. At the end it says how many of which kind there were. Each
 * process lives for seconds; then it destroys all its objects, or is killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scribble.h"

#define PROCESSES 2

/* Between two transfers of neighbours, which leave the processor to others. */
#define NEIGHBOUR_US 20000

#define IDLE_US 20

struct tally *tally;

static void *post_loop(void *arg)
{
	struct ctx *ctx = arg;
	uint64_t seed = ctx->seed ^ 0xc2b2ae35;
	bool progress;
	unsigned int i;
	double time;

	while (!process.stop) {
		/* Once, as it is slow where processors are emulated. */
		time = now();
		for (i = 0; i < QPS; i++)
			if (process.qp[i].context == ctx->number)
				queue_serve(&process.qp[i], time, &seed);
		progress = false;
		for (i = 0; i < CQS; i++)
			progress |= cq_drain(ctx, &ctx->cq[i], &seed);
		/* Those that have a channel. */
		if (one_in(&seed, 4))
			cq_arm(&ctx->cq[below(&seed, 2)], &seed);
		if (!progress)
			usleep(IDLE_US);
	}
	return NULL;
}

/* Verified transfers, which nobody may disturb. */
static void *neighbour_loop(void *arg)
{
	struct ibv_mr *from = process.theirs[0], *to = process.theirs[1];
	uint64_t seed = process.ctx[0].seed;
	struct rc_pair pair;

	(void)arg;
	rc_pair_open(&pair, &process.neighbour, false);
	pattern_fill(to->addr, to->length, 0, seed);
	while (!process.stop) {
		pattern_fill(from->addr, from->length, 0, ++seed);
		rc_transfer(&pair, IBV_WR_RDMA_WRITE, from, from->addr,
			    (uintptr_t)to->addr, to->rkey, from->length);
		pattern_check("a neighbour's memory", to->addr, to->length, 0,
			      seed);
		count(&tally->verified);
		usleep(NEIGHBOUR_US);
	}
	rc_pair_close(&pair);
	return NULL;
}

static void on_term(int number)
{
	(void)number;
	process.stop = true;
}

/* Until somebody stops it. */
static void live(uint64_t seed)
{
	static const struct {
		void *(*loop)(void *arg);
		void *arg;
	} loops[] = {
		{post_loop, &process.ctx[0]},  {post_loop, &process.ctx[1]},
		{event_loop, &process.ctx[0]}, {event_loop, &process.ctx[1]},
		{churn_loop, &process.ctx[0]}, {churn_loop, &process.ctx[1]},
		{scribble_loop, NULL},	       {neighbour_loop, NULL},
	};
	pthread_t thread[sizeof(loops) / sizeof(loops[0])];
	struct sigaction action = {.sa_handler = on_term,
				   .sa_flags = SA_RESTART};
	unsigned int n, i;

	sigaction(SIGTERM, &action, NULL);
	objects_create(seed);
	for (n = 0; n < sizeof(loops) / sizeof(loops[0]); n++)
		if (pthread_create(&thread[n], NULL, loops[n].loop,
				   loops[n].arg))
			die("cannot start a thread");
	while (!process.stop)
		usleep(10000);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	objects_destroy();
}

/* --- The parent of these processes --- */

struct life {
	pid_t pid;
	int signal; /* to end it; 0: sent */
	double end;
};

static unsigned int ended, killed, crashed;

static FILE *counter_open(const char *name)
{
	const char *device = getenv("IBDEV");
	char path[128];

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 device ? device : "hyvs0", name);
	return fopen(path, "r");
}

static uint64_t counter(const char *name)
{
	FILE *file = counter_open(name);
	unsigned long value;

	if (!file || fscanf(file, "%lu", &value) != 1)
		die("cannot read the counter %s", name);
	fclose(file);
	return value;
}

/* Guests have no counters. */
static bool has_counters(void)
{
	FILE *file = counter_open("requests");

	if (file)
		fclose(file);
	return file;
}

/* Requests of all processes of the host, and of its guests. */
static uint64_t executed(void)
{
	return counter("requests") + counter("request_errors");
}

static void begin(struct life *life, uint64_t *seed)
{
	uint64_t child = random_next(seed) | 1;

	life->signal = one_in(seed, 2) ? SIGKILL : SIGTERM;
	/* Most end by themselves in a second. */
	life->end = now() + (life->signal == SIGKILL
				     ? 0.001 * below(seed, 1000)
				     : 0.5 + 0.001 * below(seed, 8000));
	/* No process prints what another one has not printed. */
	fflush(stdout);
	life->pid = fork();
	if (life->pid < 0)
		die_errno("cannot fork");
	if (life->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	live(child);
	_exit(0);
}

/* True if it has ended. */
static bool over(struct life *life)
{
	int status;

	if (life->signal && now() > life->end) {
		kill(life->pid, life->signal);
		life->signal = 0;
	}
	if (now() > life->end + hang_seconds())
		die("process %d does not end", life->pid);
	if (waitpid(life->pid, &status, WNOHANG) != life->pid)
		return false;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		die("a process has failed");
	if (WIFEXITED(status))
		ended++;
	else if (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)
		killed++;
	else
		crashed++;
	return true;
}

static void report(void)
{
	static const char *const types[TYPES] = {"RC", "UC", "UD", "XRC"};
	static const char *const acts[ACTS] = {
		"register", "reregister", "replace",  "window",
		"srq",	    "query",	  "resize",   "scribble",
		"doorbell", "connect",	  "recreate",
	};
	unsigned int i, code;

	for (i = 0; i < TARGET; i++)
		for (code = 0; code < 256; code++)
			if (tally->posted[i][code])
				printf("%s opcode 0x%02x: posted %lu, done %lu\n",
				       types[i], code, tally->posted[i][code],
				       tally->done[i][code]);
	for (i = 0; i < 256; i++)
		if (tally->errors[i])
			printf("syndrome 0x%02x: %lu\n", i, tally->errors[i]);
	for (i = 0; i < ACTS; i++)
		printf("act %s: %lu\n", acts[i], tally->acts[i]);
	printf("posted: %lu valid, %lu changed, %lu random\n",
	       tally->kinds[GOOD], tally->kinds[MUTATED], tally->kinds[RANDOM]);
	printf("%lu completions, %lu events, %lu asynchronous ones\n",
	       tally->completions, tally->events, tally->async);
	printf("processes: %u ended, %u killed, %u crashed\n", ended, killed,
	       crashed);
	printf("%lu transfers of neighbours verified\n", tally->verified);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, start = 0, requests = 0;
	struct life life[PROCESSES];
	double seconds = 10, began = now(), said = began;
	unsigned int i, left;
	bool enough, counted;
	int opt;

	while ((opt = getopt(argc, argv, "s:t:n:")) != -1) {
		switch (opt) {
		case 's':
			seed = strtoul(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 'n':
			requests = strtoul(optarg, NULL, 0);
			break;
		default:
			die("usage: scribble [-s SEED] [-t SECONDS | -n REQUESTS]");
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %lu\n", seed);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		die_errno("no memory");
	seed = seed * 2 + 1;
	counted = has_counters();
	if (counted)
		start = executed();
	else if (requests)
		die("the device does not count requests");
	for (i = 0; i < PROCESSES; i++)
		begin(&life[i], &seed);
	for (left = PROCESSES; left;) {
		usleep(20000);
		enough = requests ? executed() - start >= requests
				  : now() - began >= seconds;
		for (i = 0; i < PROCESSES; i++) {
			if (enough && life[i].end > now())
				life[i].end = now();
			if (!life[i].pid || !over(&life[i]))
				continue;
			life[i].pid = 0;
			if (enough)
				left--;
			else
				begin(&life[i], &seed);
		}
		if (counted && now() - said > 60) {
			said = now();
			printf("%lu requests so far\n", executed() - start);
		}
	}
	report();
	if (counted)
		printf("%lu requests executed in %.0f s\n", executed() - start,
		       now() - began);
	return 0;
}
