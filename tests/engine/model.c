// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: engine_model [PREEMPTIONS]
 *
 * Walk through interleavings of the engine itself: two workers and a thread
 * that posts, modifies and destroys, in scenarios of a few messages. They may
 * be interrupted wherever a lock is taken and wherever memory of users is read,
 * at most so many times where they could have gone on (default: 2, which takes
 * a minute; with 1 it is a second). The third thread lets others run after each
 * of its steps, too.
 *
 * A scenario is run again for each interleaving. It checks that messages arrive
 * exactly once and in order, that all requests complete, also if the link has
 * lost some or receives came late, and that nothing that was retired is used.
 * Faults that are made on purpose must be found.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "world.h"

#define STACK	 (256 * 1024)
#define STEPS	 4096 /* at which there was a choice, in a run */
#define MESSAGES 2
#define MAX_WAIT 64 /* times that the clock is put forward */

enum thread { WORKER_A, WORKER_B, CONTROL, THREADS };

/* Seeded faults */
enum fault { NONE, NO_RECV_LOCK, NO_RETIREMENT };

struct scenario {
	const char *name;
	void (*control)(void);
	void (*check)(void);
};

static struct {
	struct world *w;
	struct eng_worker other;
	struct buf *buf;
	struct key *key;
	struct cq *cq[2];
	struct qp *a, *b;
	u64 produced; /* when it was destroyed */
	u64 memory;
	bool destroyed;
} t;

/* The choices of the current run, and of the next one. */
static struct {
	u8 chosen[STEPS];
	u8 options[STEPS];
	u32 nr, at;
	u32 preemptions, max_preemptions;
} plan;

static struct {
	ucontext_t context[THREADS], main;
	u8 *stack[THREADS];
	unsigned int held[THREADS]; /* locks, for their order */
	enum thread running;
	bool finished[THREADS];
	/* A thread waits for a lock, a kick after so many, or an epoch. */
	eng_lock_t *lock[THREADS];
	u64 kick[THREADS];
	u64 epoch[THREADS];
	u64 kicks;
	u32 waits;
	const char *wrong;
} run;

static const struct scenario *scenario;
static enum fault fault;
static sigjmp_buf trapped;

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (!ok && !run.wrong)
		run.wrong = what;
}

/* --- Threads, of which one runs --- */

static bool is_free(eng_lock_t *lock)
{
	if (pthread_mutex_trylock(&lock->mutex))
		return false;
	pthread_mutex_unlock(&lock->mutex);
	return true;
}

static bool shows_older(const struct eng_worker *worker, u64 epoch)
{
	return worker->epoch && worker->epoch < epoch;
}

static bool runnable(enum thread i)
{
	u64 epoch = run.epoch[i];

	if (run.finished[i] || (run.lock[i] && !is_free(run.lock[i])) ||
	    (run.kick[i] && run.kick[i] == run.kicks))
		return false;
	return !shows_older(&t.w->worker, epoch) &&
	       !shows_older(&t.other, epoch);
}

static void switch_to(enum thread next)
{
	enum thread before = run.running;

	if (next == before)
		return;
	run.held[before] = eng_port_held;
	run.running = next;
	eng_port_held = run.held[next];
	swapcontext(&run.context[before], &run.context[next]);
}

/* One of @n, as planned, or the first. */
static u32 choose(u32 n)
{
	if (n == 1)
		return 0;
	if (plan.at == STEPS) {
		run.wrong = "a run ends";
		swapcontext(&run.context[run.running], &run.main);
	}
	if (plan.at == plan.nr) {
		plan.options[plan.nr] = n;
		plan.chosen[plan.nr++] = 0;
	}
	return plan.chosen[plan.at++];
}

/* Time passes when nobody has anything else to do. */
static bool put_clock_forward(void)
{
	if (!t.w->worker.nr_timers && !t.other.nr_timers)
		return false;
	if (!run.finished[CONTROL] || run.waits++ == MAX_WAIT)
		return false;
	t.w->now += 100000;
	run.kicks++;
	return true;
}

/* Let others run: if @forced, this thread could go on. */
static void switch_threads(bool forced)
{
	enum thread next[THREADS], i;
	bool stay = runnable(run.running);
	u32 n = 0, chosen;

	if (stay)
		next[n++] = run.running;
	if (!stay || !forced || plan.preemptions < plan.max_preemptions)
		for (i = 0; i < THREADS; i++)
			if (i != run.running && runnable(i))
				next[n++] = i;
	if (!n) {
		if (!put_clock_forward())
			swapcontext(&run.context[run.running], &run.main);
		else if (!runnable(run.running))
			switch_threads(forced);
		return;
	}
	chosen = choose(n);
	if (stay && chosen && forced)
		plan.preemptions++;
	switch_to(next[chosen]);
}

static void let_others(void)
{
	switch_threads(true);
}

static void wait_for_kick(void)
{
	run.kick[run.running] = run.kicks;
	let_others();
	run.kick[run.running] = 0;
}

static void kick(void)
{
	run.kicks++;
}

/* After a step of the third thread. */
static void pause_control(void)
{
	kick();
	switch_threads(false);
}

/* Interrupted before a lock is taken, and while somebody else has it. */
static void before_lock(eng_lock_t *lock)
{
	let_others();
	if (fault == NO_RECV_LOCK && !strcmp(lock->name, "&qp->recv")) {
		pthread_mutex_trylock(&lock->mutex);
		pthread_mutex_unlock(&lock->mutex);
		return;
	}
	if (is_free(lock))
		return;
	run.lock[run.running] = lock;
	let_others();
	run.lock[run.running] = NULL;
}

static void before_read(const volatile void *from, size_t n)
{
	let_others();
}

static void on_wake(struct eng_worker *worker)
{
	kick();
}

static void work(struct eng_worker *worker)
{
	for (;;) {
		u64 before = run.kicks;
		struct eng_looked looked;

		if (eng_run(worker, 64, 1 << 18))
			continue;
		looked = eng_scan(worker, true);
		if (looked.work || looked.more)
			continue;
		if (run.kicks == before)
			wait_for_kick();
	}
}

static void thread_main(int i)
{
	switch (i) {
	case WORKER_A:
		work(&t.w->worker);
		break;
	case WORKER_B:
		work(&t.other);
		break;
	default:
		scenario->control();
		run.finished[CONTROL] = true;
		kick();
		let_others();
	}
}

/* --- Scenarios --- */

static void post(struct qp *qp, u32 i)
{
	u64 text = 100 + i;

	qp_post(t.w, qp,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_IMM,
			     .flags = SIGNALED,
			     .imm = 1 + i,
			     .inl = &text,
			     .inl_len = sizeof(text)});
}

static void post_recv(struct qp *qp, u32 i)
{
	struct sge to = {t.buf->va + 64 * i, 8, t.key->eng.key};

	qp_post_recv(qp, &to, 1);
}

static void name_peer(struct qp *qp, u32 qpn)
{
	struct eng_qp_attr attr = {.dest_qpn = qpn,
				   .sgid = {1, qp->eng.init.qpn},
				   .dgid = {1, t.a->eng.init.qpn}};

	qp_set(qp, ENG_QP_PEER, &attr);
}

/* Messages in both directions; some receives are late. */
static void both_control(void)
{
	u32 i;

	for (i = 0; i < MESSAGES; i++) {
		post(t.a, i);
		pause_control();
		post_recv(t.b, i);
		post_recv(t.a, 8 + i);
		post(t.b, i);
		kick();
	}
}

/* Completions, as they must be, of a QP that has sent and received all. */
static void check_all(struct cq *cq, bool sent, bool received)
{
	u32 sends = 0, receives = 0, errors = 0;
	char *line, *next = t.w->log;

	t.w->logged = 0;
	t.w->log[0] = 0;
	cq_poll(t.w, cq, true);
	while ((line = strsep(&next, "\n")) && *line) {
		u32 op, at, bytes, imm;

		if (sscanf(line, "cq%*u qp%*u req %x at %u", &op, &at) == 2)
			sends += at == sends;
		else if (sscanf(line,
				"cq%*u qp%*u resp %u at %u bytes %u imm %x",
				&op, &at, &bytes, &imm) == 4)
			receives += imm == 1 + receives && bytes == 8 &&
				    at == receives;
		else
			errors++;
	}
	t.w->logged = 0;
	CHECK(!errors);
	CHECK(sends == (sent ? MESSAGES : 0));
	CHECK(receives == (received ? MESSAGES : 0));
	CHECK(cq->consumed == sends + receives);
}

static void both_check(void)
{
	u64 got, i;

	check_all(t.cq[0], true, true);
	check_all(t.cq[1], true, true);
	for (i = 0; i < MESSAGES; i++) {
		buf_read(t.buf, 64 * i, &got, 8);
		CHECK(got == 100 + i);
	}
}

/* The link loses messages for a while: the responder does not know its peer. */
static void lossy_control(void)
{
	post_recv(t.b, 0);
	post_recv(t.b, 1);
	name_peer(t.b, 9999);
	post(t.a, 0);
	pause_control();
	name_peer(t.b, t.a->eng.init.qpn);
	post(t.a, 1);
	pause_control();
	name_peer(t.b, 9999);
	name_peer(t.b, t.a->eng.init.qpn);
}

static void lossy_check(void)
{
	check_all(t.cq[0], true, false);
	check_all(t.cq[1], false, true);
}

static void retire(void)
{
	u64 epoch = eng_retire(&t.w->eng);

	while (fault != NO_RETIREMENT && !eng_retired(&t.w->eng, epoch)) {
		run.epoch[CONTROL] = epoch;
		let_others();
		run.epoch[CONTROL] = 0;
	}
}

/* The responder is destroyed. Whoever touches it then is trapped. */
static void destroy_control(void)
{
	post_recv(t.b, 0);
	post_recv(t.b, 1);
	post(t.a, 0);
	post(t.a, 1);
	pause_control();
	eng_qp_del(&t.b->eng);
	retire();
	t.produced = t.cq[1]->eng.produced;
	mprotect(t.b, sizeof(*t.b), PROT_NONE);
	t.destroyed = true;
}

/* Everything that was sent has completed, well or not, in order. */
static void destroy_check(void)
{
	u32 lines = 0;
	char *at;

	CHECK(t.cq[1]->eng.produced == t.produced);
	t.w->logged = 0;
	t.w->log[0] = 0;
	cq_poll(t.w, t.cq[0], true);
	for (at = t.w->log; (at = strchr(at, '\n')); at++)
		lines++;
	t.w->logged = 0;
	CHECK(lines == MESSAGES);
}

/* Memory is taken away during writes: nobody writes to it then. */
static void key_control(void)
{
	u64 text = 5;
	struct wr wr = {.opcode = MLX5_OPCODE_RDMA_WRITE,
			.flags = SIGNALED,
			.raddr = t.buf->va,
			.rkey = t.key->eng.key,
			.inl = &text,
			.inl_len = sizeof(text)};

	qp_post(t.w, t.a, &wr);
	pause_control();
	text = 6;
	qp_post(t.w, t.a, &wr);
	pause_control();
	eng_key_del(&t.w->eng, &t.key->eng);
	retire();
	buf_read(t.buf, 0, &t.memory, sizeof(t.memory));
}

static void key_check(void)
{
	u64 memory;

	buf_read(t.buf, 0, &memory, sizeof(memory));
	CHECK(memory == t.memory);
	CHECK(t.cq[0]->eng.produced == MESSAGES);
}

/* The responder fails while messages arrive: two workers complete its receives.
 */
static void error_control(void)
{
	post_recv(t.b, 0);
	post_recv(t.b, 1);
	post(t.a, 0);
	pause_control();
	qp_state(t.b, ENG_ERR);
}

static void error_check(void)
{
	u32 receives = 0, at;
	char *line, *next = t.w->log;

	t.w->logged = 0;
	t.w->log[0] = 0;
	cq_poll(t.w, t.cq[1], true);
	while ((line = strsep(&next, "\n")) && *line) {
		if (sscanf(line, "cq%*u qp%*u resp error %*x at %u", &at) !=
			    1 &&
		    sscanf(line, "cq%*u qp%*u resp %*u at %u", &at) != 1)
			at = ~0U;
		CHECK(at == receives);
		receives++;
	}
	t.w->logged = 0;
	CHECK(receives == 2);
	CHECK(t.cq[0]->eng.produced == 1);
}

static const struct scenario scenarios[] = {
	{"both ways, late receives", both_control, both_check},
	{"a link that loses messages", lossy_control, lossy_check},
	{"destruction of the responder", destroy_control, destroy_check},
	{"memory that is taken away", key_control, key_check},
	{"an error of the responder", error_control, error_check},
};

/* --- Runs --- */

static struct qp *create_qp(struct eng_worker *worker, struct cq *cq)
{
	struct qp *qp = qp_create(t.w, &(struct qp_opts){.type = ENG_RC,
							 .send_cq = cq,
							 .recv_cq = cq,
							 .pdn = 1,
							 .worker = worker});
	return qp;
}

/* The responder is in pages of its own, the same ones in each run. */
static void move_responder(void)
{
	static struct qp *pages;
	struct qp *old = create_qp(&t.other, t.cq[1]);
	struct eng_qp_init init = old->eng.init;

	eng_qp_del(&old->eng);
	old->gone = true;
	if (!pages)
		pages = mmap(NULL, sizeof(*pages), PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t.b = pages;
	mprotect(t.b, sizeof(*t.b), PROT_READ | PROT_WRITE);
	*t.b = *old;
	if (eng_qp_add(&t.other, &t.b->eng, &init))
		abort();
}

static void create(void)
{
	const u32 all = ENG_LOCAL_WRITE | ENG_REMOTE_READ | ENG_REMOTE_WRITE;
	struct world *w = t.w;
	int i;

	memset(&t, 0, sizeof(t));
	t.w = w ? w : world_create();
	t.w->on_wake = on_wake;
	t.w->no_rings = true;
	t.w->other = &t.other;
	eng_worker_add(&t.w->eng, &t.other);
	t.buf = buf_create(t.w, WORLD_PAGE, 0);
	t.key = key_create(t.w, t.buf, 1, all);
	for (i = 0; i < 2; i++)
		t.cq[i] = cq_create(t.w, 16, 64);
	t.a = create_qp(NULL, t.cq[0]);
	move_responder();
	qp_connect(t.a, t.b);
	qp_set(t.a, ENG_QP_RNR_RETRY | ENG_QP_TIMEOUT | ENG_QP_RETRY,
	       &(struct eng_qp_attr){.rnr_retry = 7, .timeout = 1, .retry = 7});
	qp_set(t.b, ENG_QP_RNR_RETRY | ENG_QP_TIMEOUT | ENG_QP_RETRY,
	       &(struct eng_qp_attr){.rnr_retry = 7, .timeout = 1, .retry = 7});
	t.w->quiet = true;
}

static void destroy(void)
{
	if (!t.destroyed)
		eng_qp_del(&t.b->eng);
	world_renew(t.w);
}

static void on_trap(int signal)
{
	run.wrong = "nobody uses what was retired";
	siglongjmp(trapped, 1);
}

/* Returns what was wrong, or NULL. */
static const char *run_once(void)
{
	enum thread i;

	memset(run.finished, 0, sizeof(run.finished));
	memset(run.lock, 0, sizeof(run.lock));
	memset(run.kick, 0, sizeof(run.kick));
	memset(run.epoch, 0, sizeof(run.epoch));
	memset(run.held, 0, sizeof(run.held));
	run.kicks = 1;
	run.waits = 0;
	run.wrong = NULL;
	plan.at = 0;
	plan.preemptions = 0;
	create();
	for (i = 0; i < THREADS; i++) {
		getcontext(&run.context[i]);
		run.context[i].uc_stack.ss_sp = run.stack[i];
		run.context[i].uc_stack.ss_size = STACK;
		makecontext(&run.context[i], (void (*)(void))thread_main, 1, i);
	}
	run.running = CONTROL;
	eng_port_before_lock = before_lock;
	eng_port_before_read = before_read;
	if (!sigsetjmp(trapped, 1))
		swapcontext(&run.main, &run.context[CONTROL]);
	eng_port_before_lock = NULL;
	eng_port_before_read = NULL;
	eng_port_held = 0;
	t.w->quiet = false;
	CHECK(run.finished[CONTROL]);
	if (!run.wrong)
		scenario->check();
	if (!run.wrong)
		destroy();
	else
		t.w = NULL;
	return run.wrong;
}

/* The next choices: the last one that has another option takes it. */
static bool plan_next(void)
{
	while (plan.nr) {
		u32 last = plan.nr - 1;

		if (++plan.chosen[last] < plan.options[last])
			return true;
		plan.nr--;
	}
	return false;
}

/* Walk until something is wrong. */
static const char *walk(const struct scenario *s, enum fault f, u64 *runs)
{
	const char *wrong;

	scenario = s;
	fault = f;
	plan.nr = 0;
	*runs = 0;
	do {
		wrong = run_once();
		++*runs;
	} while (!wrong && plan_next());
	return wrong;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum fault fault;
		u32 scenario;
	} faults[] = {
		{"a responder without a lock", NO_RECV_LOCK, 4},
		{"memory that is freed at once", NO_RETIREMENT, 2},
		{"a key that is freed at once", NO_RETIREMENT, 3},
	};
	u32 i, failed = 0;
	const char *wrong;
	u64 runs;

	plan.max_preemptions = argc > 1 ? atoi(argv[1]) : 2;
	for (i = 0; i < THREADS; i++)
		run.stack[i] = malloc(STACK);
	signal(SIGSEGV, on_trap);
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		wrong = walk(&scenarios[i], NONE, &runs);
		printf("%s: %llu interleavings%s%s\n", scenarios[i].name,
		       (unsigned long long)runs, wrong ? ", wrong: " : "",
		       wrong ? wrong : "");
		failed += !!wrong;
	}
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		wrong = walk(&scenarios[faults[i].scenario], faults[i].fault,
			     &runs);
		printf("%s: %s after %llu interleavings\n", faults[i].name,
		       wrong ? wrong : "not found", (unsigned long long)runs);
		failed += !wrong;
	}
	return failed;
}
