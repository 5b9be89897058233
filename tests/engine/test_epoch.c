// SPDX-License-Identifier: GPL-2.0-only
/*
 * Retirement with many workers, some of them in a run.
 */
#include "epoch.h"
#include "suites.h"
#include "world.h"

#define WORKERS (20 * ENG_SCAN)

static struct world *w;
static struct eng_worker *worker;

static void create(u32 nr)
{
	u32 i;

	w = world_create();
	worker = calloc(nr, sizeof(*worker));
	for (i = 0; i < nr; i++)
		eng_worker_add(&w->eng, &worker[i]);
}

static void destroy(u32 nr)
{
	while (nr)
		eng_worker_del(&worker[--nr]);
	free(worker);
	world_destroy(w);
}

/* Ask for as long as there is more to look at. */
static bool retired(u64 epoch, u32 *times)
{
	bool done, more;

	*times = 0;
	do {
		done = eng_retire_look(&w->eng, epoch, &more);
		++*times;
	} while (!done && more);
	return done;
}

static void test_runs(void)
{
	u64 first, second;

	create(3);
	test_case("retirement: workers without a run do not delay it");
	CHECK(eng_retired(&w->eng, eng_retire(&w->eng)));

	test_case("retirement: a run that began earlier does");
	eng_enter(&worker[1]);
	first = eng_retire(&w->eng);
	CHECK(!eng_retired(&w->eng, first));
	eng_enter(&worker[2]);
	second = eng_retire(&w->eng);
	eng_leave(&worker[1]);

	test_case("retirement: a run that began later does not");
	CHECK(eng_retired(&w->eng, first));
	CHECK(!eng_retired(&w->eng, second));
	CHECK(eng_retired(&w->eng, first));
	eng_leave(&worker[2]);
	CHECK(eng_retired(&w->eng, second));
	destroy(3);
}

/* Two looks at most: one that had begun, and one for this epoch. */
static void test_many(void)
{
	const u32 max = 2 * WORKERS / ENG_SCAN + 2;
	u64 epoch;
	u32 times;
	bool more;

	create(WORKERS);
	test_case("retirement: of many workers, some are looked at each time");
	epoch = eng_retire(&w->eng);
	CHECK(!eng_retire_look(&w->eng, epoch, &more) && more);
	CHECK(retired(epoch, &times));
	CHECK(times > 1 && times <= max);

	test_case("retirement: those who ask again begin where it stopped");
	eng_enter(&worker[WORKERS / 2]);
	epoch = eng_retire(&w->eng);
	CHECK(!retired(epoch, &times));
	CHECK(times > 1 && times <= max);
	CHECK(!retired(epoch, &times));
	CHECK(times == 1);
	/* It could not be so, but shows that nobody looks at it again. */
	worker[0].epoch = 1;
	eng_leave(&worker[WORKERS / 2]);
	CHECK(retired(epoch, &times));
	CHECK(times <= max / 2);

	test_case(
		"retirement: what is taken away during a look waits for the next");
	CHECK(!retired(eng_retire(&w->eng), &times));
	worker[0].epoch = 0;
	CHECK(retired(eng_retire(&w->eng), &times));
	CHECK(times <= max);
	destroy(WORKERS);
}

static void test_changes(void)
{
	struct eng_worker late;
	u64 epoch;

	create(4);
	test_case("retirement: workers may go during a look");
	eng_enter(&worker[2]);
	epoch = eng_retire(&w->eng);
	CHECK(!eng_retired(&w->eng, epoch));
	eng_worker_del(&worker[1]);
	CHECK(!eng_retired(&w->eng, epoch));
	eng_worker_del(&worker[0]);
	eng_leave(&worker[2]);
	eng_worker_del(&worker[2]);

	test_case("retirement: a worker that comes during a look is looked at");
	eng_enter(&worker[3]);
	epoch = eng_retire(&w->eng);
	CHECK(!eng_retired(&w->eng, epoch));
	eng_worker_add(&w->eng, &late);
	late.epoch = epoch - 1;
	eng_leave(&worker[3]);
	CHECK(!eng_retired(&w->eng, epoch));
	eng_leave(&late);
	CHECK(eng_retired(&w->eng, epoch));
	eng_worker_del(&late);
	eng_worker_del(&worker[3]);
	destroy(0);
}

void test_epoch(void)
{
	test_runs();
	test_many();
	test_changes();
}
