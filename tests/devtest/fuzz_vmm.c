// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that race on several vNICs. They live in one process after another,
 * each of which ends in another way; after each, the host must have nothing
 * left.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fuzz_vmm.h"
#include "hostile_vmm.h"
#include "suites.h"

#define VNICS	     2
#define EXEC_THREADS 2 /* of each vNIC */
#define THREADS	     (VNICS * (EXEC_THREADS + 1) + 2)
#define STATUSES     256
/* Changes of a request at a time. */
#define CHANGES 16

/* How a process ends. */
enum way {
	WAY_RESET, /* all threads stop, and each vNIC is reset */
	WAY_CLOSE, /* the files are closed under the threads */
	WAY_EXIT,  /* exit() under the threads */
	WAY_KILL,
	NR_WAYS,
};

static const char *const way_name[NR_WAYS] = {"reset", "close", "exit", "kill"};

/* Shared by all processes. */
static struct shared {
	struct fuzz_coverage cov;
	atomic_ulong sent[NR_OPCODES], ok[NR_OPCODES];
	atomic_ulong status[STATUSES];
	atomic_ulong unknown, interrupted;
	atomic_ulong ioctls[NR_IOCTLS], ioctls_ok[NR_IOCTLS];
	atomic_ulong remaps, changes;
	atomic_uint leaks;
} *shared;

/* How long a process lives; on a slow kernel, most of less would be its start.
 */
static unsigned int generation_ms(void)
{
	return 1500 * dt_timeout_scale();
}

/* A request in memory that is changed while it is executed. */
struct flight {
	atomic_uint len; /* 0 at other times */
	atomic_ullong seed;
	uint8_t data[sizeof(((struct req *)0)->data)];
};

/* A process of threads. */
static struct {
	struct fuzz_vnic vnic[VNICS];
	struct flight flight[VNICS * EXEC_THREADS];
	pthread_t thread[THREADS];
	atomic_bool stop;
	uint64_t seed;
} gen;

static struct dt_rng thread_rng(uintptr_t number)
{
	struct dt_rng rng = {gen.seed + number * 0x1234567};

	dt_random(&rng);
	return rng;
}

static void count_result(const struct req *r, uint8_t op, int ret)
{
	uint16_t opcode = r->len >= sizeof(r->hdr) ? le16toh(r->hdr.opcode) : 0;

	atomic_fetch_add(&shared->sent[op], 1);
	if (!ret) {
		atomic_fetch_add(&shared->ok[op], 1);
		atomic_fetch_add(&shared->status[0], 1);
		return;
	}
	if (ret > 0 && ret < STATUSES)
		atomic_fetch_add(&shared->status[ret], 1);
	else if (ret < 0)
		atomic_fetch_add(&shared->interrupted, 1);
	if (ret > 0 && !fuzz_known_status(ret) &&
	    atomic_fetch_add(&shared->unknown, 1) < 10)
		tap_diag("opcode %#x: unexpected status %d", opcode, ret);
}

/* Choose the requests that are changed while they are executed. */
static bool is_changed(const struct fuzz_recipe *recipe, struct dt_rng *rng)
{
	uint16_t opcode = opcodes[recipe->op % NR_OPCODES].opcode;

	/* To resolve an address that does not exist takes seconds. */
	return !dt_below(rng, opcode == HYV_CMD_CREATE_AH ? 64 : 4);
}

/* The recipe decides about the values, the machine about the time. */
static void change_request(struct flight *f)
{
	struct dt_rng rng = {atomic_fetch_add(&f->seed, 1)};
	uint32_t len, n;

	for (n = 0; n < CHANGES && (len = atomic_load(&f->len)); n++) {
		fuzz_change(&rng, f->data, len);
		atomic_fetch_add(&shared->changes, 1);
	}
}

static int exec_once(struct fuzz_vnic *n, struct flight *f, struct dt_rng *rng,
		     const struct fuzz_recipe *recipe)
{
	static __thread struct req r;
	static __thread struct rsp rsp;
	uint32_t room =
		dt_below(rng, 16) ? sizeof(rsp.data) : dt_below(rng, 300);
	const uint8_t *data = r.data;
	int ret;

	fuzz_request(n, recipe, &r);
	if (is_changed(recipe, rng)) {
		data = memcpy(f->data, r.data, r.len);
		atomic_store(&f->seed, recipe->seed);
		atomic_store(&f->len, r.len);
	}
	ret = vnic_exec_raw(&n->v, data, r.len, rsp.data, room, &rsp.len);
	atomic_store(&f->len, 0);
	if (!ret && rsp.len >= sizeof(rsp.hdr)) {
		ret = le32toh(rsp.hdr.status);
		if (!ret && rsp.len >= sizeof(rsp.create))
			fuzz_learn(n, recipe, &r, &rsp);
	}
	count_result(&r, recipe->op, ret);
	return ret;
}

/* A new one, or one of those that found something, mostly with a change. */
static void next_recipe(struct dt_rng *rng, struct fuzz_recipe *recipe)
{
	if (!dt_below(rng, 2) || !fuzz_corpus_pick(&shared->cov, rng, recipe)) {
		fuzz_recipe_new(rng, recipe);
		return;
	}
	if (dt_below(rng, 4))
		fuzz_recipe_vary(rng, recipe);
}

static void *exec_thread(void *arg)
{
	uintptr_t number = (uintptr_t)arg;
	struct fuzz_vnic *n = &gen.vnic[number % VNICS];
	struct dt_rng rng = thread_rng(number);
	struct fuzz_recipe recipe;
	struct fuzz_kcov kcov;
	uint32_t fresh;

	fuzz_kcov_start(&kcov);
	while (!atomic_load(&gen.stop)) {
		next_recipe(&rng, &recipe);
		fuzz_kcov_reset(&kcov);
		exec_once(n, &gen.flight[number], &rng, &recipe);
		fresh = fuzz_kcov_new(&kcov, &shared->cov);
		if (!fresh)
			continue;
		recipe.fresh = fresh < UINT16_MAX ? fresh : UINT16_MAX;
		fuzz_corpus_add(&shared->cov, &recipe);
	}
	return NULL;
}

static void *ioctl_thread(void *arg)
{
	uintptr_t number = (uintptr_t)arg;
	struct fuzz_vnic *n = &gen.vnic[number % VNICS];
	struct dt_rng rng = thread_rng(number);
	struct fuzz_kcov kcov;
	int which;
	bool ok;

	fuzz_kcov_start(&kcov);
	while (!atomic_load(&gen.stop)) {
		fuzz_kcov_reset(&kcov);
		ok = !fuzz_ioctl(n, &rng, &which);
		fuzz_kcov_new(&kcov, &shared->cov);
		atomic_fetch_add(&shared->ioctls[which], 1);
		if (ok)
			atomic_fetch_add(&shared->ioctls_ok[which], 1);
		/* The requests are to have some time in between. */
		dt_sleep_us(dt_below(&rng, 2000));
	}
	return NULL;
}

static void *scribble_thread(void *arg)
{
	struct dt_rng rng = thread_rng((uintptr_t)arg);

	while (!atomic_load(&gen.stop)) {
		fuzz_scribble(&gen.vnic[dt_below(&rng, VNICS)], &rng);
		change_request(
			&gen.flight[dt_below(&rng, ARRAY_SIZE(gen.flight))]);
		if (!dt_below(&rng, 256))
			dt_sleep_us(dt_below(&rng, 1000));
	}
	return NULL;
}

static void *remap_thread(void *arg)
{
	struct dt_rng rng = thread_rng((uintptr_t)arg);

	while (!atomic_load(&gen.stop)) {
		fuzz_remap(&gen.vnic[dt_below(&rng, VNICS)], &rng);
		pthread_kill(gen.thread[dt_below(&rng, VNICS * EXEC_THREADS)],
			     SIGUSR1);
		atomic_fetch_add(&shared->remaps, 1);
		dt_sleep_us(dt_below(&rng, 5000));
	}
	return NULL;
}

static void nothing(int sig)
{
	(void)sig;
}

/* Guest memory that another thread has protected is accessible again soon. */
static void wait_for_access(int sig, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;
	size_t i;

	(void)context;
	for (i = 0; i < VNICS; i++)
		if (addr - (uintptr_t)gen.vnic[i].gm.base <
		    GMEM_PAGES * DT_PAGE) {
			dt_sleep_us(100);
			return;
		}
	signal(sig, SIG_DFL);
}

static void start_threads(void)
{
	struct sigaction action = {.sa_handler = nothing};
	struct sigaction fault = {
		.sa_sigaction = wait_for_access,
		.sa_flags = SA_SIGINFO,
	};
	uintptr_t i;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	for (i = 0; i < THREADS; i++) {
		void *(*fn)(void *) = exec_thread;

		if (i == THREADS - 1)
			fn = remap_thread;
		else if (i == THREADS - 2)
			fn = scribble_thread;
		else if (i >= VNICS * EXEC_THREADS)
			fn = ioctl_thread;
		REQUIRE(!pthread_create(&gen.thread[i], NULL, fn, (void *)i),
			"pthread_create");
	}
}

static void stop_threads(void)
{
	size_t i;

	atomic_store(&gen.stop, true);
	/* The last one sends signals to the others. */
	for (i = THREADS; i--;)
		pthread_join(gen.thread[i], NULL);
}

/* With no thread left: after a reset, nothing may be in use. */
static void reset_all(void)
{
	int i, ret;

	for (i = 0; i < VNICS; i++) {
		ret = vnic_reset(&gen.vnic[i].v);
		if (ret) {
			tap_diag("reset fails: %d", ret);
			atomic_fetch_add(&shared->leaks, 1);
		}
	}
	if (dt_pinned_kib()) {
		tap_diag("%ld KiB are pinned after a reset", dt_pinned_kib());
		atomic_fetch_add(&shared->leaks, 1);
	}
}

static void generation(void *arg)
{
	enum way way = *(enum way *)arg;
	int i;

	for (i = 0; i < VNICS; i++)
		fuzz_vnic_init(&gen.vnic[i]);
	start_threads();
	dt_sleep_us(1000 * generation_ms());
	switch (way) {
	case WAY_RESET:
		stop_threads();
		reset_all();
		break;
	case WAY_CLOSE:
		for (i = 0; i < VNICS; i++)
			close(gen.vnic[i].v.fd);
		stop_threads();
		break;
	case WAY_EXIT:
		_exit(0);
	default:
		for (;;)
			pause();
	}
}

/* Run a process to its end; false if it was not as it should be. */
static bool run_generation(enum way way, struct dt_rng *rng)
{
	struct hostile_list list = {};
	int status = -1;
	bool ok;
	pid_t pid;

	gen.seed = dt_random(rng);
	pid = hostile_fork(generation, &way);
	if (way == WAY_KILL) {
		dt_sleep_us(500 * generation_ms() +
			    dt_below(rng, 1000 * generation_ms()));
		kill(pid, SIGKILL);
	}
	ok = hostile_ends(pid, 2 * HOSTILE_END_S + 2, &status) &&
	     (way == WAY_KILL ? WTERMSIG(status) == SIGKILL : !status);
	if (!ok)
		tap_diag("seed %#llx, %s: status %#x",
			 (unsigned long long)gen.seed, way_name[way], status);
	if (!hostile_no_vnics(HOSTILE_END_S) || !hostile_list(&list) ||
	    list.pinned || list.queues) {
		tap_diag("seed %#llx, %s: %d vNICs are left",
			 (unsigned long long)gen.seed, way_name[way],
			 list.vnics);
		ok = false;
	}
	return ok;
}

/* Commands that the host has executed or refused: those with a reply. */
static unsigned long total_commands(void)
{
	unsigned long n = 0;
	size_t i;

	for (i = 0; i < STATUSES; i++)
		n += atomic_load(&shared->status[i]);
	return n;
}

static void report(uint64_t ms)
{
	unsigned long n = total_commands();
	size_t i;

	for (i = 0; i < NR_OPCODES; i++)
		tap_diag("%-16s %9lu sent %9lu ok", opcodes[i].name,
			 shared->sent[i], shared->ok[i]);
	for (i = 0; i < NR_IOCTLS; i++)
		tap_diag("HYV_%-15s %9lu      %9lu ok", fuzz_ioctl_name[i],
			 shared->ioctls[i], shared->ioctls_ok[i]);
	for (i = 0; i < STATUSES; i++)
		if (shared->status[i])
			tap_diag("status %3zu %9lu  %s", i, shared->status[i],
				 strerror(i));
	tap_diag("no reply %9lu", shared->interrupted);
	tap_diag("changes of memory %lu, of requests %lu", shared->remaps,
		 shared->changes);
	tap_diag("%lu commands, %lu a second", n, ms ? n * 1000 / ms : 0);
	tap_diag("%u places, %u edges, %u recipes kept", shared->cov.pcs,
		 shared->cov.edges, shared->cov.nr_corpus);
}

/* A number from the environment; 0 if there is none. */
static unsigned long env_number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : 0;
}

/**
 * fuzz_vmm() - let threads race
 * @seed: of all choices; the order in which threads run is not among them
 * @seconds: how long
 *
 * FUZZ_COMMANDS in the environment ends it after so many commands, if that is
 * sooner. FUZZ_CORPUS is a file of recipes to begin with, FUZZ_KEEP one to
 * write, FUZZ_COVERAGE one for what was reached in hyv.ko.
 */
void fuzz_vmm(uint64_t seed, unsigned int seconds)
{
	unsigned long commands = env_number("FUZZ_COMMANDS");
	const char *corpus = getenv("FUZZ_CORPUS"), *keep = getenv("FUZZ_KEEP");
	const char *reached = getenv("FUZZ_COVERAGE");
	struct dt_counts before = dt_counts();
	uint64_t began = dt_now_ms();
	struct dt_rng rng = {seed};
	unsigned int n = 0, bad = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED, "shared memory");
	tap_diag("seed %llu", (unsigned long long)seed);
	if (corpus)
		fuzz_corpus_load(&shared->cov, corpus);
	do {
		bad += !run_generation(n++ % NR_WAYS, &rng);
	} while (!bad && dt_now_ms() - began < 1000ULL * seconds &&
		 (!commands || total_commands() < commands));
	report(dt_now_ms() - began);
	if (keep)
		fuzz_corpus_save(&shared->cov, keep);
	if (reached)
		fuzz_coverage_save(&shared->cov, reached);
	tap_is(bad, 0, "%u processes end, and leave no vNIC", n);
	tap_is(shared->leaks, 0, "nothing is pinned after a reset");
	tap_ok(shared->changes, "requests are changed while they are executed");
	tap_is(shared->unknown, 0, "all statuses are ones of the protocol");
	tap_ok(shared->status[0] > total_commands() / 20,
	       "%lu of %lu commands succeed", shared->status[0],
	       total_commands());
	dt_expect_counts(&before, "after all processes");
}
