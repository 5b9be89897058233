// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells and sleeping workers: a walk through all interleavings of a model.
 * Its steps have the names of host-kmod/hyvs/worker.c.
 *
 * A process writes a record and then a page, which the worker may have hidden.
 * In one model it posts, and another thread has work for the worker, too; who
 * has a fault may leave something for a deadline. In the other it arms a CQ, to
 * which another thread adds completions, and waits.
 *
 * Stores wait in a buffer of their thread. They leave it in order (x86), or in
 * any order but that of barriers and of one address.
 */
#include <stdlib.h>

#include "suites.h"
#include "world.h"

enum thread { PROCESS, WORKER, OTHER, TIMER, THREADS };

enum cell { BARRIER, RECORD, WORD, WOKEN, OPEN, COMPLETIONS, CELLS };

#define BUFFER 6
#define POSTS  2

/* Faults of the model, to see that the walk finds them. */
enum mutant {
	NONE,
	NO_SCAN,
	NO_FLUSH,
	FLAG_BEFORE_PAGE,
	FLAG_BEFORE_OPEN,
	FLAG_CLEARED_LATE,
	NO_P1_BARRIER,
	NO_F3_BARRIER,
	NO_F4_BARRIER,
	TIMER_CLEARED_LATE,
	DEADLINE_BEFORE_P1,
	ARMED_AT_COMPLETIONS_ONLY,
};

struct state {
	u8 mem[CELLS];
	u8 buffer[THREADS][BUFFER]; /* cell << 5 | value */
	u8 pc[THREADS];
	u8 mapped, translated, flushing, asleep, timer;
	u8 last_word; /* that the worker has seen */
	/* Posts. */
	u8 posted, done, ready, others;
	u8 waits; /* something is to be done at a deadline, */
	u8 timed; /* which the worker knows of */
	/* Arms: what the CQ has, what the process knows. */
	u8 produced, reported, raised;
	u8 consumed, seen;
};

struct walk {
	bool arms, weak;
	enum mutant mutant;
	/* Visited states, by hash; and those that have not been looked at.
	 */
	struct state *table;
	bool *used;
	u32 *todo;
	u32 slots, nr_todo, visited;
	bool stuck; /* the current state has no successor */
	bool lost;
};

enum {
	/* of the process */
	STORE_RECORD,
	STORE_WORD,
	POLL,
	WAIT,
	F1,
	F2,
	F3,
	F4,
	F4_WAKE,
	F1_LATE,
	FINISHED,
	/* of the worker */
	AWAKE,
	P1,
	P1_BARRIER,
	P2,
	P2_FLUSH,
	P4,
	P5,
	P6,
	ASLEEP,
	/* of the other thread */
	WORK,
	PUSH,
	NOTIFY,
	/* of the timer */
	UNSET,
	SET,
};

static u32 buffered(const struct state *s, enum thread t)
{
	u32 n = 0;

	while (n < BUFFER && s->buffer[t][n])
		n++;
	return n;
}

static u8 load(const struct state *s, enum thread t, enum cell cell)
{
	u32 n = buffered(s, t);

	while (n--)
		if (s->buffer[t][n] >> 5 == cell)
			return s->buffer[t][n] & 31;
	return s->mem[cell];
}

/* False while the buffer is full. 32 stands for the value of a barrier. */
static bool store(struct state *s, enum thread t, enum cell cell, u8 value)
{
	u32 n = buffered(s, t);

	if (n == BUFFER)
		return false;
	s->buffer[t][n] = cell << 5 | value;
	return true;
}

static bool store_barrier(const struct walk *w, struct state *s, enum thread t)
{
	return !w->weak || !buffered(s, t) || store(s, t, BARRIER, 1);
}

static bool in_buffer(const struct state *s, enum thread t, enum cell cell)
{
	u32 n = buffered(s, t);

	while (n--)
		if (s->buffer[t][n] >> 5 == cell)
			return true;
	return false;
}

static void visit(struct walk *w, const struct state *s)
{
	const u8 *bytes = (const u8 *)s;
	u32 i, hash = 2166136261;

	w->stuck = false;
	for (i = 0; i < sizeof(*s); i++)
		hash = (hash ^ bytes[i]) * 16777619;
	hash &= w->slots - 1;
	while (w->used[hash]) {
		if (!memcmp(&w->table[hash], s, sizeof(*s)))
			return;
		hash = (hash + 1) & (w->slots - 1);
	}
	w->used[hash] = true;
	w->table[hash] = *s;
	w->todo[w->nr_todo++] = hash;
	if (++w->visited > w->slots / 2)
		abort();
}

/* A store becomes visible. */
static void drain(struct walk *w, const struct state *s, enum thread t)
{
	u32 i, j, n = buffered(s, t);

	for (i = 0; i < (w->weak ? n : !!n); i++) {
		u8 entry = s->buffer[t][i];
		struct state next = *s;

		for (j = 0; j < i; j++)
			if (!(s->buffer[t][j] >> 5) ||
			    s->buffer[t][j] >> 5 == entry >> 5)
				break;
		if (j < i || (i && !(entry >> 5)))
			continue;
		if (entry >> 5)
			next.mem[entry >> 5] = entry & 31;
		memmove(&next.buffer[t][i], &next.buffer[t][i + 1],
			BUFFER - 1 - i);
		next.buffer[t][BUFFER - 1] = 0;
		visit(w, &next);
	}
}

/* An arming has the number of events, and of completions consumed. */
static u8 arming(const struct state *s)
{
	return 1 + s->consumed + s->seen % 4 * (POSTS + 1);
}

static void notify(struct state *s, enum thread t)
{
	u8 arm = load(s, t, RECORD);

	if (!arm || (arm - 1) / (POSTS + 1) != s->raised % 4 ||
	    s->produced <= (arm - 1) % (POSTS + 1) ||
	    s->produced <= s->reported)
		return;
	s->reported = s->produced;
	s->raised++;
}

/* Look at all records; without @run, only say whether there is work. */
static bool look(const struct walk *w, struct state *s, enum thread t, bool run)
{
	u8 record = load(s, t, RECORD);
	bool work = s->ready || record != s->done;

	if (w->arms) {
		if (w->mutant != ARMED_AT_COMPLETIONS_ONLY)
			notify(s, t);
		return false;
	}
	if (run) {
		s->done = record;
		s->ready = 0;
	}
	return work;
}

static void to(struct walk *w, struct state s, enum thread t, u8 pc)
{
	s.pc[t] = pc;
	visit(w, &s);
}

/* F3 and F4, of whoever has work for the worker. */
static void step_wake(struct walk *w, struct state s, enum thread t, u8 then)
{
	switch (s.pc[t]) {
	case F3:
		if (buffered(&s, t) && w->mutant != NO_F3_BARRIER)
			return;
		if (!store(&s, t, WOKEN, 1))
			return;
		if (w->mutant == FLAG_BEFORE_OPEN && t == PROCESS &&
		    !(store_barrier(w, &s, t) && store(&s, t, OPEN, 1)))
			return;
		to(w, s, t, F4);
		break;
	case F4:
		if (buffered(&s, t) && w->mutant != NO_F4_BARRIER)
			return;
		to(w, s, t, s.asleep ? F4_WAKE : then);
		break;
	case F4_WAKE:
		s.asleep = 0;
		to(w, s, t, then);
		break;
	}
}

static void step_fault(struct walk *w, struct state s)
{
	bool late = w->mutant == FLAG_BEFORE_PAGE;

	switch (s.pc[PROCESS]) {
	case F1:
	case F1_LATE:
		s.mapped = 1;
		if (w->mutant != FLAG_BEFORE_OPEN &&
		    !store(&s, PROCESS, OPEN, 1))
			return;
		to(w, s, PROCESS, late ? STORE_WORD : F2);
		break;
	case F2:
		to(w, s, PROCESS, F3);
		/* Taking the worker's lock is a barrier. */
		if (buffered(&s, PROCESS))
			return;
		look(w, &s, PROCESS, true);
		if (w->mutant == FLAG_BEFORE_OPEN) {
			to(w, s, PROCESS, F3);
			return;
		}
		s.timer = 1;
		to(w, s, PROCESS, STORE_WORD);
		s.waits = !w->arms;
		to(w, s, PROCESS, STORE_WORD);
		break;
	default:
		step_wake(w, s, PROCESS, late ? F1_LATE : STORE_WORD);
		break;
	}
}

static void step_process(struct walk *w, struct state s)
{
	u8 value = w->arms ? arming(&s) : s.posted + 1;

	switch (s.pc[PROCESS]) {
	case STORE_RECORD:
		if (store(&s, PROCESS, RECORD, value) &&
		    store_barrier(w, &s, PROCESS))
			to(w, s, PROCESS, STORE_WORD);
		break;
	case STORE_WORD:
		if (!s.translated && !s.mapped) {
			to(w, s, PROCESS,
			   w->mutant == FLAG_BEFORE_PAGE ? F3 : F1);
			return;
		}
		s.translated = 1;
		if (!store(&s, PROCESS, WORD, value))
			return;
		if (w->arms)
			to(w, s, PROCESS, POLL);
		else
			to(w, s, PROCESS,
			   ++s.posted < POSTS ? STORE_RECORD : FINISHED);
		break;
	case POLL:
		value = s.consumed == load(&s, PROCESS, COMPLETIONS) ? WAIT
								     : POLL;
		s.consumed = load(&s, PROCESS, COMPLETIONS);
		if (s.consumed == POSTS)
			value = FINISHED;
		to(w, s, PROCESS, value);
		break;
	case WAIT:
		if (s.raised == s.seen)
			return;
		s.seen++;
		to(w, s, PROCESS, STORE_RECORD);
		break;
	case FINISHED:
		break;
	default:
		step_fault(w, s);
		break;
	}
}

static void step_worker(struct walk *w, struct state s)
{
	u8 word = load(&s, WORKER, WORD);
	bool work;

	switch (s.pc[WORKER]) {
	case AWAKE:
		s.timed = w->mutant == DEADLINE_BEFORE_P1 && s.waits;
		to(w, s, WORKER, w->mutant == FLAG_CLEARED_LATE ? P2 : P1);
		s.timed = 0;
		if (word == s.last_word && !s.ready)
			return;
		s.last_word = word;
		look(w, &s, WORKER, true);
		to(w, s, WORKER, AWAKE);
		break;
	case P1:
		if (!store(&s, WORKER, WOKEN, 0))
			return;
		if (w->mutant == FLAG_CLEARED_LATE)
			to(w, s, WORKER, P5);
		else
			to(w, s, WORKER,
			   w->mutant == NO_P1_BARRIER ? P2 : P1_BARRIER);
		break;
	case P1_BARRIER:
		if (buffered(&s, WORKER))
			return;
		to(w, s, WORKER, P2);
		/* A sleep of limited time. */
		to(w, s, WORKER, AWAKE);
		break;
	case P2:
		if (!load(&s, WORKER, OPEN)) {
			to(w, s, WORKER, P4);
			return;
		}
		if (store(&s, WORKER, OPEN, 0))
			to(w, s, WORKER, P2_FLUSH);
		break;
	case P2_FLUSH:
		if (buffered(&s, WORKER))
			return;
		if (!s.mapped) {
			if (!s.flushing || w->mutant == NO_FLUSH)
				to(w, s, WORKER, P4);
			return;
		}
		s.mapped = 0;
		s.flushing = s.translated;
		to(w, s, WORKER, P2_FLUSH);
		break;
	case P4:
		if (buffered(&s, WORKER))
			return;
		work = w->mutant != NO_SCAN && look(w, &s, WORKER, true);
		if (w->mutant != DEADLINE_BEFORE_P1)
			s.timed = s.waits;
		if (work)
			to(w, s, WORKER, AWAKE);
		else
			to(w, s, WORKER,
			   w->mutant == FLAG_CLEARED_LATE ? P1 : P5);
		break;
	case P5:
		s.asleep = 1;
		to(w, s, WORKER, P6);
		break;
	case P6:
		if (load(&s, WORKER, WOKEN))
			s.asleep = 0;
		to(w, s, WORKER, s.asleep ? ASLEEP : AWAKE);
		break;
	case ASLEEP:
		if (s.timed) {
			s.asleep = 0;
			s.waits = 0;
		}
		if (!s.asleep)
			to(w, s, WORKER, AWAKE);
		break;
	}
}

/* Two pieces of work for the worker, or completions for the process. */
static void step_other(struct walk *w, struct state s)
{
	switch (s.pc[OTHER]) {
	case WORK:
		if (s.others == 1) {
			to(w, s, OTHER, FINISHED);
			return;
		}
		s.others++;
		s.ready = 1;
		to(w, s, OTHER, F3);
		break;
	case PUSH:
		if (s.produced == POSTS)
			to(w, s, OTHER, FINISHED);
		else if (store(&s, OTHER, COMPLETIONS, s.produced + 1))
			to(w, s, OTHER, NOTIFY);
		break;
	case NOTIFY:
		/* The lock of the CQ is released, and taken again. */
		if (buffered(&s, OTHER))
			return;
		s.produced = s.mem[COMPLETIONS];
		notify(&s, OTHER);
		to(w, s, OTHER, PUSH);
		break;
	case FINISHED:
		break;
	default:
		step_wake(w, s, OTHER, WORK);
		break;
	}
}

static void step_timer(struct walk *w, struct state s)
{
	bool late = w->mutant == TIMER_CLEARED_LATE;

	switch (s.pc[TIMER]) {
	case UNSET:
		if (!s.timer)
			return;
		s.timer = late;
		to(w, s, TIMER, F3);
		break;
	case SET:
		s.timer = 0;
		to(w, s, TIMER, UNSET);
		break;
	default:
		step_wake(w, s, TIMER, late ? SET : UNSET);
		break;
	}
}

/* The processor of the process forgets a translation, when its stores are over.
 */
static void step_flush(struct walk *w, struct state s)
{
	if (!s.flushing || in_buffer(&s, PROCESS, WORD))
		return;
	s.flushing = 0;
	s.translated = 0;
	visit(w, &s);
}

static bool finished(const struct walk *w, const struct state *s)
{
	if (s->pc[PROCESS] != FINISHED || s->pc[OTHER] != FINISHED)
		return false;
	return w->arms || (s->done == POSTS && !s->ready && !s->waits);
}

/* Visit all states; true if nothing was lost where nothing more can happen. */
static bool walk(bool arms, bool weak, enum mutant mutant)
{
	struct walk w = {.arms = arms, .weak = weak, .mutant = mutant};
	struct state s = {
		.pc = {STORE_RECORD, AWAKE, arms ? PUSH : WORK, UNSET}};
	enum thread t;

	w.slots = 1U << 22;
	w.table = malloc(w.slots * sizeof(*w.table));
	w.used = calloc(w.slots, sizeof(*w.used));
	w.todo = malloc(w.slots * sizeof(*w.todo));
	visit(&w, &s);
	while (w.nr_todo && !w.lost) {
		s = w.table[w.todo[--w.nr_todo]];
		w.stuck = true;
		step_process(&w, s);
		step_worker(&w, s);
		step_other(&w, s);
		step_timer(&w, s);
		step_flush(&w, s);
		for (t = 0; t < THREADS; t++)
			drain(&w, &s, t);
		w.lost = w.stuck && !finished(&w, &s);
	}
	printf("# %u states\n", w.visited);
	free(w.table);
	free(w.used);
	free(w.todo);
	return !w.lost;
}

void test_park(void)
{
	static const enum mutant mutants[] = {
		NO_SCAN,
		NO_FLUSH,
		FLAG_BEFORE_PAGE,
		FLAG_CLEARED_LATE,
		NO_P1_BARRIER,
		NO_F4_BARRIER,
		TIMER_CLEARED_LATE,
		DEADLINE_BEFORE_P1,
	};
	bool weak;
	u32 i;

	for (weak = false;; weak = true) {
		test_case(weak ? "no doorbell is lost, weak order"
			       : "no doorbell is lost, total store order");
		CHECK(walk(false, weak, NONE));
		test_case(weak ? "no arming is lost, weak order"
			       : "no arming is lost, total store order");
		CHECK(walk(true, weak, NONE));
		if (weak)
			break;
	}
	test_case("the walk finds what would be lost");
	for (i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++)
		CHECK(!walk(false, false, mutants[i]));
	CHECK(!walk(false, true, NO_F3_BARRIER));
	CHECK(!walk(false, true, FLAG_BEFORE_OPEN));
	CHECK(!walk(true, false, ARMED_AT_COMPLETIONS_ONLY));
	CHECK(!walk(true, false, NO_SCAN));
}
