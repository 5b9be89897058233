// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of a vNIC's thread.
 */
#include <linux/delay.h>
#include <linux/sched/rt.h>
#include <linux/slab.h>
#include <compat/kunit.h>

#include "notify/worker.h"

/* Milliseconds that a thread has to run, and in which one must not. */
#define TIMEOUT		10000
#define QUIET		50
/* Milliseconds of a run for which nobody waits that long. */
#define STARVING	3000

struct worker_test {
	struct hyvh_worker worker;
	atomic64_t kicks;
	atomic_t runs;
	unsigned int slow;	/* milliseconds that a run takes */
	bool running;
	bool urgent;		/* the run has ended as a real-time thread */
};

static bool worker_run(struct hyvh_worker *worker)
{
	struct worker_test *t = container_of(worker, struct worker_test, worker);

	WRITE_ONCE(t->running, true);
	if (READ_ONCE(t->slow))
		msleep(t->slow);
	t->urgent = rt_task(current);
	atomic_inc(&t->runs);
	WRITE_ONCE(t->running, false);
	return false;
}

static bool worker_has_none(struct hyvh_worker *worker)
{
	return false;
}

static void worker_want_kicks(struct hyvh_worker *worker, bool want)
{
}

static const struct hyvh_worker_ops worker_test_ops = {
	.run = worker_run,
	.can_poll = worker_has_none,
	.pending = worker_has_none,
	.want_kicks = worker_want_kicks,
};

static int worker_init(struct kunit *test)
{
	struct worker_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	hyvh_worker_init(&t->worker, &worker_test_ops, &t->kicks);
	test->priv = t;
	return 0;
}

static void worker_exit(struct kunit *test)
{
	struct worker_test *t = test->priv;

	if (!t)
		return;
	hyvh_worker_stop(&t->worker);
	hyvh_worker_uninit(&t->worker);
}

/* Does it run once more than @runs times within @ms? */
static bool worker_ran(struct worker_test *t, int runs, unsigned int ms)
{
	for (; atomic_read(&t->runs) == runs && ms; ms--)
		fsleep(1000);
	return atomic_read(&t->runs) != runs;
}

static bool worker_answers(struct worker_test *t, unsigned int ms)
{
	int runs = atomic_read(&t->runs);

	hyvh_worker_wake(&t->worker);
	return worker_ran(t, runs, ms);
}

static void worker_pauses(struct kunit *test)
{
	struct worker_test *t = test->priv;
	int runs;

	KUNIT_ASSERT_EQ(test, hyvh_worker_start(&t->worker), 0);
	KUNIT_EXPECT_TRUE(test, worker_answers(t, TIMEOUT));
	hyvh_worker_pause(&t->worker);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
	KUNIT_EXPECT_EQ(test, hyvh_worker_restart(&t->worker), 0);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
	runs = atomic_read(&t->runs);
	hyvh_worker_resume(&t->worker);
	/* It looks for work again. */
	KUNIT_EXPECT_TRUE(test, worker_ran(t, runs, TIMEOUT));
	KUNIT_EXPECT_TRUE(test, worker_answers(t, TIMEOUT));
}

static void worker_starts_paused(struct kunit *test)
{
	struct worker_test *t = test->priv;
	int runs;

	hyvh_worker_pause(&t->worker);
	KUNIT_ASSERT_EQ(test, hyvh_worker_start(&t->worker), 0);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
	runs = atomic_read(&t->runs);
	hyvh_worker_resume(&t->worker);
	KUNIT_EXPECT_TRUE(test, worker_ran(t, runs, TIMEOUT));
}

static void worker_ends_paused(struct kunit *test)
{
	struct worker_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, hyvh_worker_start(&t->worker), 0);
	hyvh_worker_pause(&t->worker);
	hyvh_worker_stop(&t->worker);
	hyvh_worker_resume(&t->worker);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
	KUNIT_ASSERT_EQ(test, hyvh_worker_start(&t->worker), 0);
	KUNIT_EXPECT_TRUE(test, worker_answers(t, TIMEOUT));
}

/* Start a thread whose runs take @slow ms, and wait until it is in one. */
static void worker_start_slow(struct kunit *test, unsigned int slow)
{
	struct worker_test *t = test->priv;
	unsigned int ms;

	t->slow = slow;
	KUNIT_ASSERT_EQ(test, hyvh_worker_start(&t->worker), 0);
	for (ms = 0; ms < TIMEOUT && !READ_ONCE(t->running); ms++)
		fsleep(1000);
}

static void worker_pause_waits(struct kunit *test)
{
	struct worker_test *t = test->priv;

	worker_start_slow(test, QUIET);
	hyvh_worker_pause(&t->worker);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(t->running));
	KUNIT_EXPECT_GE(test, atomic_read(&t->runs), 1);
	KUNIT_EXPECT_FALSE(test, t->urgent);
	hyvh_worker_resume(&t->worker);
}

/* For a second; then the thread comes before others, until it goes on. */
static void worker_pause_hurries(struct kunit *test)
{
	struct worker_test *t = test->priv;
	int nice = task_nice(current);

	set_user_nice(current, 5);
	worker_start_slow(test, STARVING);
	set_user_nice(current, nice);
	hyvh_worker_pause(&t->worker);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(t->running));
	KUNIT_EXPECT_TRUE(test, t->urgent);
	t->slow = 0;
	hyvh_worker_resume(&t->worker);
	KUNIT_EXPECT_FALSE(test, rt_task(t->worker.task));
	KUNIT_EXPECT_EQ(test, task_nice(t->worker.task), 5);
	KUNIT_EXPECT_TRUE(test, worker_answers(t, TIMEOUT));
	KUNIT_EXPECT_FALSE(test, t->urgent);
}

/* The next time at once. */
static void worker_stop_hurries(struct kunit *test)
{
	struct worker_test *t = test->priv;
	int i;

	for (i = 0; i < 2; i++) {
		worker_start_slow(test, i ? QUIET : STARVING);
		hyvh_worker_stop(&t->worker);
		KUNIT_EXPECT_FALSE(test, READ_ONCE(t->running));
		KUNIT_EXPECT_TRUE_MSG(test, t->urgent, "stop %d", i);
	}
}

static void worker_abandoned(struct kunit *test)
{
	struct worker_test *t = test->priv;

	worker_start_slow(test, QUIET);
	hyvh_worker_abandon(&t->worker);
	KUNIT_EXPECT_TRUE(test, worker_ran(t, 0, TIMEOUT));
	KUNIT_EXPECT_TRUE(test, t->urgent);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
	hyvh_worker_pause(&t->worker);
	hyvh_worker_resume(&t->worker);
	KUNIT_EXPECT_FALSE(test, worker_answers(t, QUIET));
}

static struct kunit_case worker_cases[] = {
	KUNIT_CASE(worker_pauses),
	KUNIT_CASE(worker_starts_paused),
	KUNIT_CASE(worker_ends_paused),
	KUNIT_CASE(worker_pause_waits),
	KUNIT_CASE(worker_pause_hurries),
	KUNIT_CASE(worker_stop_hurries),
	KUNIT_CASE(worker_abandoned),
	{}
};

static struct kunit_suite worker_suite = {
	.name = "hyvh_worker",
	.init = worker_init,
	.exit = worker_exit,
	.test_cases = worker_cases,
};

kunit_test_suite(worker_suite);

MODULE_DESCRIPTION("Tests of the thread of HyV's vNICs");
MODULE_LICENSE("GPL");
