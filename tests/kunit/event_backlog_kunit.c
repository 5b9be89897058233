// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the event backlog.
 */
#include <linux/irqflags.h>
#include <linux/prandom.h>

#include <compat/kunit.h>

#include "notify/event_backlog.h"

static int backlog_test_init(struct kunit *test)
{
	struct hyvh_event_backlog *backlog;

	backlog = kunit_kzalloc(test, sizeof(*backlog), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, backlog);
	hyvh_backlog_init(backlog);
	test->priv = backlog;
	return 0;
}

static void expect_event(struct kunit *test, u16 type, u16 code, u32 handle,
			 u32 count)
{
	struct hyv_event ev;

	memset(&ev, 0xee, sizeof(ev));
	KUNIT_ASSERT_TRUE(test, hyvh_backlog_pop(test->priv, &ev));
	KUNIT_EXPECT_EQ(test, le16_to_cpu(ev.type), type);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(ev.code), code);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ev.handle), handle);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ev.count), count);
	KUNIT_EXPECT_NULL(test, memchr_inv(ev.reserved, 0,
					   sizeof(ev.reserved)));
}

static void expect_empty(struct kunit *test)
{
	struct hyv_event ev, before;

	memset(&ev, 0xee, sizeof(ev));
	before = ev;
	KUNIT_EXPECT_TRUE(test, hyvh_backlog_empty(test->priv));
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_pop(test->priv, &ev));
	KUNIT_EXPECT_MEMEQ(test, &ev, &before, sizeof(ev));
}

static void backlog_first_in_first_out(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source a, b;

	hyvh_event_source_init(&a, HYV_EVENT_QP, 3, 0x1234);
	hyvh_event_source_init(&b, HYV_EVENT_COMP, 0, 0x87654321);
	expect_empty(test);

	/* Only the first event needs a wake-up. */
	KUNIT_EXPECT_TRUE(test, hyvh_backlog_raise(backlog, &b));
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_raise(backlog, &a));
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_raise(backlog, &b));
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_empty(backlog));
	expect_event(test, HYV_EVENT_COMP, 0, 0x87654321, 2);

	/* Raised again, it is queued after the other. */
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_raise(backlog, &b));
	expect_event(test, HYV_EVENT_QP, 3, 0x1234, 1);
	expect_event(test, HYV_EVENT_COMP, 0, 0x87654321, 1);
	expect_empty(test);

	KUNIT_EXPECT_TRUE(test, hyvh_backlog_raise(backlog, &a));
	expect_event(test, HYV_EVENT_QP, 3, 0x1234, 1);
	expect_empty(test);
}

static void backlog_count_saturates(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source source;

	hyvh_event_source_init(&source, HYV_EVENT_COMP, 0, 1);
	hyvh_backlog_raise(backlog, &source);
	source.own.count = U32_MAX - 1;
	hyvh_backlog_raise(backlog, &source);
	hyvh_backlog_raise(backlog, &source);
	KUNIT_EXPECT_EQ(test, source.own.count, U32_MAX);
}

/* A count above the limit takes several messages, before later events. */
static void backlog_many_at_once(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source a, b;
	int i;

	hyvh_event_source_init(&a, HYV_EVENT_SRQ, 15, 1);
	hyvh_event_source_init(&b, HYV_EVENT_SRQ, 15, 2);
	for (i = 0; i < 2 * HYVH_EVENT_MAX_COUNT + 3; i++)
		hyvh_backlog_raise(backlog, &a);
	hyvh_backlog_raise(backlog, &b);
	expect_event(test, HYV_EVENT_SRQ, 15, 1, HYVH_EVENT_MAX_COUNT);
	expect_event(test, HYV_EVENT_SRQ, 15, 1, HYVH_EVENT_MAX_COUNT);
	expect_event(test, HYV_EVENT_SRQ, 15, 1, 3);
	expect_event(test, HYV_EVENT_SRQ, 15, 2, 1);
	expect_empty(test);
}

static void give_spare(struct kunit *test, unsigned int nr)
{
	struct hyvh_pending_event *spare;
	unsigned int i;

	spare = kunit_kcalloc(test, nr, sizeof(*spare), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, spare);
	for (i = 0; i < nr; i++)
		hyvh_backlog_add_spare(test->priv, &spare[i]);
}

/* An event that is raised again keeps its place in the order. */
static void backlog_again_in_order(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source down, up, comp;

	give_spare(test, 2);
	hyvh_event_source_init(&down, HYV_EVENT_PORT, 10, 1);
	hyvh_event_source_init(&up, HYV_EVENT_PORT, 9, 1);
	hyvh_event_source_init(&comp, HYV_EVENT_COMP, 0, 5);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &up);
	hyvh_backlog_raise(backlog, &up);
	hyvh_backlog_raise(backlog, &down);
	/* A completion does not separate other events. */
	hyvh_backlog_raise(backlog, &comp);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &comp);
	hyvh_backlog_raise(backlog, &up);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 1);
	expect_event(test, HYV_EVENT_PORT, 9, 1, 2);
	/* A delivered entry is available again. */
	hyvh_backlog_raise(backlog, &down);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 2);
	expect_event(test, HYV_EVENT_COMP, 0, 5, 2);
	expect_event(test, HYV_EVENT_PORT, 9, 1, 1);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 1);
	expect_empty(test);
	/* A delivered event does not count as the newest one. */
	KUNIT_EXPECT_TRUE(test, hyvh_backlog_raise(backlog, &down));
	expect_event(test, HYV_EVENT_PORT, 10, 1, 1);
	expect_empty(test);
}

/* Without spare entries, counts and the order of last events stay right. */
static void backlog_no_spare_left(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source down, up, qp;

	give_spare(test, 1);
	hyvh_event_source_init(&down, HYV_EVENT_PORT, 10, 1);
	hyvh_event_source_init(&up, HYV_EVENT_PORT, 9, 1);
	hyvh_event_source_init(&qp, HYV_EVENT_QP, 5, 1);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &up);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &qp);
	hyvh_backlog_raise(backlog, &up);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &up);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 1);
	expect_event(test, HYV_EVENT_QP, 5, 1, 1);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 2);
	expect_event(test, HYV_EVENT_PORT, 9, 1, 3);
	expect_empty(test);
	hyvh_backlog_raise(backlog, &up);
	hyvh_backlog_raise(backlog, &down);
	hyvh_backlog_raise(backlog, &up);
	expect_event(test, HYV_EVENT_PORT, 9, 1, 1);
	expect_event(test, HYV_EVENT_PORT, 10, 1, 1);
	expect_event(test, HYV_EVENT_PORT, 9, 1, 1);
	expect_empty(test);
}

/* Cancelling drops all entries of a source and makes them available. */
static void backlog_cancel_all(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source a, b;
	int i;

	give_spare(test, 3);
	for (i = 0; i < 5; i++) {
		hyvh_event_source_init(&a, HYV_EVENT_QP, 4, 1);
		hyvh_event_source_init(&b, HYV_EVENT_QP, 4, 2);
		hyvh_backlog_raise(backlog, &a);
		hyvh_backlog_raise(backlog, &b);
		hyvh_backlog_raise(backlog, &a);
		hyvh_backlog_raise(backlog, &b);
		hyvh_backlog_raise(backlog, &a);
		hyvh_backlog_cancel(backlog, &a);
		/* Nothing is left between these two. */
		hyvh_backlog_raise(backlog, &b);
		expect_event(test, HYV_EVENT_QP, 4, 2, 1);
		hyvh_backlog_raise(backlog, &b);
		hyvh_backlog_cancel(backlog, &b);
		expect_empty(test);
	}
}

static void backlog_cancel(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source source[3];
	int i;

	for (i = 0; i < 3; i++) {
		hyvh_event_source_init(&source[i], HYV_EVENT_COMP, 0, i);
		hyvh_backlog_raise(backlog, &source[i]);
	}
	hyvh_backlog_cancel(backlog, &source[1]);
	/* A late callback of the HCA is ignored. */
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_raise(backlog, &source[1]));
	expect_event(test, HYV_EVENT_COMP, 0, 0, 1);
	expect_event(test, HYV_EVENT_COMP, 0, 2, 1);
	expect_empty(test);

	KUNIT_EXPECT_FALSE(test, hyvh_backlog_raise(backlog, &source[1]));
	expect_empty(test);
	/* An event that is not pending can be cancelled, even twice. */
	hyvh_backlog_cancel(backlog, &source[0]);
	hyvh_backlog_cancel(backlog, &source[0]);
	expect_empty(test);

	hyvh_event_source_init(&source[1], HYV_EVENT_QP, 2, 7);
	KUNIT_EXPECT_TRUE(test, hyvh_backlog_raise(backlog, &source[1]));
	expect_event(test, HYV_EVENT_QP, 2, 7, 1);
}

/* A delivery that fails changes nothing; others may raise meanwhile. */
static void backlog_try_again(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_pending_event *event;
	struct hyvh_event_source a, b;
	struct hyv_event ev;

	hyvh_event_source_init(&a, HYV_EVENT_QP, 3, 1);
	hyvh_event_source_init(&b, HYV_EVENT_QP, 3, 2);
	KUNIT_EXPECT_NULL(test, hyvh_backlog_peek(backlog, &ev));
	hyvh_backlog_raise(backlog, &a);
	event = hyvh_backlog_peek(backlog, &ev);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ev.count), 1);
	KUNIT_EXPECT_FALSE(test, hyvh_backlog_empty(backlog));

	/* It grows while it is delivered: what was not in the message stays. */
	hyvh_backlog_raise(backlog, &a);
	hyvh_backlog_done(backlog, event, &ev);
	event = hyvh_backlog_peek(backlog, &ev);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(ev.count), 1);

	/* For lack of an entry, it moves to the end while it is delivered. */
	hyvh_backlog_raise(backlog, &b);
	hyvh_backlog_raise(backlog, &a);
	hyvh_backlog_done(backlog, event, &ev);
	expect_event(test, HYV_EVENT_QP, 3, 2, 1);
	expect_event(test, HYV_EVENT_QP, 3, 1, 1);
	expect_empty(test);

	/* The object goes before the next attempt. */
	hyvh_backlog_raise(backlog, &a);
	KUNIT_EXPECT_NOT_NULL(test, hyvh_backlog_peek(backlog, &ev));
	hyvh_backlog_cancel(backlog, &a);
	KUNIT_EXPECT_NULL(test, hyvh_backlog_peek(backlog, &ev));
}

static void backlog_raise_with_interrupts_off(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source source;
	unsigned long flags;
	bool first, off;

	hyvh_event_source_init(&source, HYV_EVENT_COMP, 0, 1);
	local_irq_save(flags);
	first = hyvh_backlog_raise(backlog, &source);
	off = irqs_disabled();
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, first);
	KUNIT_EXPECT_TRUE(test, off);
	expect_event(test, HYV_EVENT_COMP, 0, 1, 1);
}

/* Each event is delivered as often as it was raised. */
static void backlog_loses_nothing(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source source[16];
	u64 in[16] = {}, out[16] = {};
	struct hyv_event ev;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 42);
	give_spare(test, 5);
	for (i = 0; i < 16; i++)
		hyvh_event_source_init(&source[i], i & 1 ? HYV_EVENT_COMP :
				       HYV_EVENT_QP, 0, i);
	for (i = 0; i < 20000; i++) {
		u32 r = prandom_u32_state(&rnd);
		bool was_empty = hyvh_backlog_empty(backlog);

		if (r & 0x100) {
			KUNIT_ASSERT_EQ(test, was_empty,
					hyvh_backlog_raise(backlog,
							   &source[r % 16]));
			in[r % 16]++;
		} else {
			KUNIT_ASSERT_EQ(test, hyvh_backlog_pop(backlog, &ev),
					!was_empty);
			if (was_empty)
				continue;
			KUNIT_ASSERT_LT(test, le32_to_cpu(ev.handle), 16);
			KUNIT_ASSERT_GE(test, le32_to_cpu(ev.count), 1);
			out[le32_to_cpu(ev.handle)] += le32_to_cpu(ev.count);
		}
	}
	while (hyvh_backlog_pop(backlog, &ev))
		out[le32_to_cpu(ev.handle)] += le32_to_cpu(ev.count);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, out[i], in[i]);
}

/* With enough spare entries, events are delivered in the order of raising. */
static void backlog_keeps_order(struct kunit *test)
{
	struct hyvh_event_backlog *backlog = test->priv;
	struct hyvh_event_source source[4];
	struct hyv_event ev;
	struct rnd_state rnd;
	u8 *in;
	u32 put = 0, got = 0, r, n;
	int i;

	in = kunit_kzalloc(test, 20000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, in);
	prandom_seed_state(&rnd, 43);
	give_spare(test, 64);
	for (i = 0; i < 4; i++)
		hyvh_event_source_init(&source[i], HYV_EVENT_QP, 1, i);
	for (i = 0; i < 20000; i++) {
		r = prandom_u32_state(&rnd);
		if (r & 0x100 && put - got < 64) {
			in[put++] = r % 4;
			hyvh_backlog_raise(backlog, &source[r % 4]);
			continue;
		}
		if (!hyvh_backlog_pop(backlog, &ev))
			continue;
		for (n = le32_to_cpu(ev.count); n; n--) {
			KUNIT_ASSERT_LT(test, got, put);
			KUNIT_ASSERT_EQ(test, le32_to_cpu(ev.handle),
					(u32)in[got]);
			got++;
		}
	}
}

static struct kunit_case backlog_cases[] = {
	KUNIT_CASE(backlog_first_in_first_out),
	KUNIT_CASE(backlog_count_saturates),
	KUNIT_CASE(backlog_many_at_once),
	KUNIT_CASE(backlog_again_in_order),
	KUNIT_CASE(backlog_no_spare_left),
	KUNIT_CASE(backlog_cancel_all),
	KUNIT_CASE(backlog_cancel),
	KUNIT_CASE(backlog_try_again),
	KUNIT_CASE(backlog_raise_with_interrupts_off),
	KUNIT_CASE(backlog_loses_nothing),
	KUNIT_CASE(backlog_keeps_order),
	{}
};

static struct kunit_suite backlog_suite = {
	.name = "hyvh_event_backlog",
	.init = backlog_test_init,
	.test_cases = backlog_cases,
};

kunit_test_suite(backlog_suite);

MODULE_DESCRIPTION("Tests of HyV's event backlog");
MODULE_LICENSE("GPL");
