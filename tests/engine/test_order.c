// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory order: litmus tests, as small as those of the kernel's memory model.
 * Each has the steps of a protocol, with the functions that they are from, and
 * a result that must never be. All executions are visited, on two machines:
 *
 * TSO, as x86: a load may be before earlier stores of its thread.
 * WEAK, as Arm: steps of a thread may be in any order that barriers, acquire
 * and release, data and places allow. All see a store at the same time.
 *
 * A lock is a full barrier on TSO, an acquire on WEAK. No store is forwarded to
 * a load: without a barrier, no thread loads what it has stored.
 *
 * Each barrier has the machines that need it: the result must be possible there
 * without it, and nowhere else.
 */
#include "suites.h"
#include "world.h"

enum machine { TSO, WEAK, MACHINES };

/* On others, as the kernel's model has, some see a store before others do. */
enum needed { ON_OTHERS, ON_WEAK, ON_BOTH };

enum kind {
	END,
	READ = 1,  /* bit 0: loads */
	WRITE = 2, /* bit 1: stores */
	LOCK = 3,
	AWAIT = 5, /* READ, but only once it is 1 */
	UNLOCK = 6,
	WRITE_NEXT = 10, /* of what was read, plus one */
	NOTHING = 16,	 /* from here on: no steps, but they order others */
	RMB,
	WMB,
	MB,
};

#define THREADS 4
#define STEPS	7
#define PLACES	6
#define RESULTS 5
#define SLOTS	(1U << 18)

struct step {
	enum kind kind;
	u8 place;
	u8 value, result; /* that is written; where to read */
	bool acquire, release;
	enum needed needed;
};

/* Values are 0 to 3, and 0 first. */
struct litmus {
	const char *name;
	struct step step[THREADS][STEPS];
	bool (*is_bad)(const u8 *result);
};

struct state {
	u32 done; /* steps, by their number in the test */
	u8 place[PLACES];
	u8 result[RESULTS];
};

struct search {
	const struct litmus *test;
	enum machine machine;
	u64 seen[SLOTS]; /* states, by hash */
	u32 nr_seen;
	bool ends, bad;
};

/* Must step @i of a thread be before step @j? */
static bool ordered(enum machine machine, const struct step *step, u32 i, u32 j)
{
	const struct step *a = &step[i], *b = &step[j];

	for (i++; i < j; i++)
		if (step[i].kind == MB ||
		    (step[i].kind == RMB && a->kind & b->kind & 1) ||
		    (step[i].kind == WMB && a->kind & b->kind & 2))
			return true;
	if (a->place == b->place || a->kind == LOCK || a->acquire ||
	    b->kind == UNLOCK || b->release)
		return true;
	if (b->kind == WRITE_NEXT && a->kind == READ && a->result == b->result)
		return true;
	return machine == TSO && (a->kind & 1 || b->kind & 2);
}

static bool may_run(const struct search *s, const struct state *state, u32 n)
{
	const struct step *step = s->test->step[0];
	u32 i;

	if ((step[n].kind == AWAIT && !state->place[step[n].place]) ||
	    (step[n].kind == LOCK && state->place[step[n].place]))
		return false;
	for (i = n - n % STEPS; i < n; i++)
		if (step[i].kind < NOTHING && !(state->done & BIT(i)) &&
		    ordered(s->machine, step, i, n))
			return false;
	return true;
}

/* --- Search --- */

static bool was_seen(struct search *s, const struct state *state)
{
	u64 key = state->done;
	u32 i;

	for (i = 0; i < PLACES; i++)
		key = key << 2 | state->place[i];
	for (i = 0; i < RESULTS; i++)
		key = key << 2 | state->result[i];
	i = key * 0x9e3779b97f4a7c15 >> 46;
	for (; s->seen[i]; i = (i + 1) % SLOTS)
		if (s->seen[i] == key)
			return true;
	s->seen[i] = key;
	CHECK(++s->nr_seen < SLOTS);
	return false;
}

static struct state after(struct state state, const struct step *step, u32 n)
{
	u8 *place = &state.place[step->place];

	if (step->kind == WRITE_NEXT)
		*place = state.result[step->result] + 1;
	else if (step->kind & 2)
		*place = step->value;
	else
		state.result[step->result] = *place;
	state.done |= BIT(n);
	return state;
}

static void search(struct search *s, struct state state)
{
	const struct step *step = s->test->step[0];
	bool left = false;
	u32 n;

	if (was_seen(s, &state))
		return;
	for (n = 0; n < THREADS * STEPS; n++) {
		if (step[n].kind == END || step[n].kind >= NOTHING ||
		    state.done & BIT(n))
			continue;
		left = true;
		if (may_run(s, &state, n))
			search(s, after(state, &step[n], n));
	}
	if (left)
		return;
	s->ends = true;
	s->bad |= s->test->is_bad(state.result);
}

/* Can the result be? */
static bool can_be_bad(const struct litmus *test, enum machine machine)
{
	static struct search s;

	memset(&s, 0, sizeof(s));
	s.test = test;
	s.machine = machine;
	search(&s, (struct state){});
	CHECK(s.ends);
	return s.bad;
}

/* --- Tests --- */

#define S(...)	     ((struct step){__VA_ARGS__})
#define R(p, r)	     S(READ, p, .result = r)
#define W(p, v)	     S(WRITE, p, .value = v)
#define W_NEXT(p, r) S(WRITE_NEXT, p, .result = r)
#define ACQ(p, r)    S(READ, p, .result = r, .acquire = true, .needed = ON_WEAK)
#define REL(p, v)    S(WRITE, p, .value = v, .release = true, .needed = ON_WEAK)
#define AWAIT(p)     S(AWAIT, p, .result = RESULTS - 1)
#define LOCK(p)	     S(LOCK, p, .value = 1)
#define UNLOCK(p)    S(UNLOCK, p)
#define B(k, n)	     S(k, .needed = n)

/* Places. */
enum { REQUEST, WOKEN, ASLEEP };
enum { ARM, CQE, WORD, CQ_LOCK };
enum { BODY, OWNER };
enum { GONE, EPOCH, SHOWN, FREED, ENG_LOCK, LOOKED };

static bool is_lost(const u8 *result)
{
	return !result[0] && !result[1] && !result[2];
}

static bool is_late(const u8 *result)
{
	return !result[0] && !result[1] && !(result[2] && result[3]);
}

static bool is_old(const u8 *result)
{
	return result[0] && !result[1];
}

/* Found and freed; the worker is not in a run, or in one of the new epoch. */
static bool is_used(const u8 *result)
{
	return result[0] != 1 && !result[1] && result[2];
}

static const struct litmus tests[] = {
	{"a worker that goes to sleep sees a request, or is woken",
	 /* A process has posted, and has a fault; uar.c: hyvs_uars_wake() */
	 {{W(REQUEST, 1), B(MB, ON_WEAK), W(WOKEN, 1), B(MB, ON_BOTH),
	   R(ASLEEP, 0)},
	  /* worker.c: hyvs_worker_park(), hyvs_worker_sleep() */
	  {W(WOKEN, 0), B(MB, ON_BOTH), R(REQUEST, 1), W(ASLEEP, 1),
	   B(MB, ON_BOTH), R(WOKEN, 2)}},
	 is_lost},
	{"who arms a CQ and then polls sees a completion, or has an event",
	 {{W(ARM, 1), B(MB, ON_BOTH), R(CQE, 0)},
	  /* cq.c: eng_cq_write(), eng_cq_notify_locked() */
	  {W(CQE, 1), B(MB, ON_BOTH), R(ARM, 1)}},
	 is_lost},
	{"who arms a CQ without a barrier, and rings, does so, too",
	 {{W(ARM, 1), B(WMB, ON_WEAK), W(WORD, 1), R(CQE, 0)},
	  /* cq.c: eng_cq_push(), eng_cq_flush() */
	  {LOCK(CQ_LOCK), W(CQE, 1), R(ARM, 1), UNLOCK(CQ_LOCK)},
	  /* uar.c: hyvs_uar_armed(); cq.c: eng_cq_notify() */
	  {AWAIT(WORD), LOCK(CQ_LOCK), B(MB, ON_WEAK), R(ARM, 2), R(CQE, 3),
	   UNLOCK(CQ_LOCK)}},
	 is_late},
	{"a completion that has its owner bit is complete",
	 /* cq.c: eng_cq_write(); or a process that posts */
	 {{W(BODY, 1), B(WMB, ON_WEAK), W(OWNER, 1)},
	  /* A process that polls; or qp.h: eng_sq_posted() */
	  {R(OWNER, 0), B(RMB, ON_WEAK), R(BODY, 1)}},
	 is_old},
	{"what was retired is in no use",
	 /* epoch.c: eng_enter(); table.h: eng_table_find(); eng_leave() */
	 {{R(EPOCH, 3), W_NEXT(SHOWN, 3), B(MB, ON_BOTH), R(GONE, 1),
	   R(FREED, 2), REL(SHOWN, 0)},
	  /* table.c: eng_table_del(); epoch.c: eng_retire(), eng_look_next() */
	  {W(GONE, 1), REL(EPOCH, 1), B(MB, ON_BOTH), ACQ(SHOWN, 0),
	   W(FREED, 1)}},
	 is_used},
	{"what was retired is in no use if others have looked at workers",
	 {{R(EPOCH, 3), W_NEXT(SHOWN, 3), B(MB, ON_BOTH), R(GONE, 1),
	   R(FREED, 2), REL(SHOWN, 0)},
	  /* The same; one thread begins to look, another one goes on. */
	  {W(GONE, 1), LOCK(ENG_LOCK), REL(EPOCH, 1), UNLOCK(ENG_LOCK)},
	  {LOCK(ENG_LOCK), AWAIT(EPOCH), B(MB, ON_OTHERS), W(LOOKED, 1),
	   UNLOCK(ENG_LOCK)},
	  {LOCK(ENG_LOCK), AWAIT(LOOKED), ACQ(SHOWN, 0), UNLOCK(ENG_LOCK),
	   W(FREED, 1)}},
	 is_used},
};

/* Is what is left out in @test found, where it is needed? */
static void check_without(struct litmus *test, struct step *step)
{
	struct step with = *step;
	enum machine m;

	if (step->kind < NOTHING && !step->acquire && !step->release)
		return;
	if (step->kind >= NOTHING)
		*step = (struct step){.kind = NOTHING};
	step->acquire = false;
	step->release = false;
	for (m = 0; m < MACHINES; m++)
		CHECK(can_be_bad(test, m) ==
		      (with.needed == ON_BOTH ||
		       (with.needed == ON_WEAK && m == WEAK)));
	*step = with;
}

void test_order(void)
{
	struct litmus test;
	u32 i, n;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		test_case(tests[i].name);
		test = tests[i];
		CHECK(!can_be_bad(&test, TSO));
		CHECK(!can_be_bad(&test, WEAK));
		for (n = 0; n < THREADS * STEPS; n++)
			check_without(&test, test.step[0] + n);
	}
}
