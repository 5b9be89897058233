// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the queue of port events. */
#include <compat/kunit.h>
#include <rdma/ib_verbs.h>

#include "notify/port_queue.h"

#define PORTS	2
#define CODES	2

struct ports {
	struct vhyv_port_queue queue;
	struct vhyv_port_event own[PORTS][CODES];
};

static const enum ib_event_type codes[CODES] = {
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
};

static int port_queue_init(struct kunit *test)
{
	struct ports *ports;
	int p, c;

	ports = kunit_kzalloc(test, sizeof(*ports), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ports);
	vhyv_port_queue_init(&ports->queue);
	for (p = 0; p < PORTS; p++)
		for (c = 0; c < CODES; c++)
			INIT_LIST_HEAD(&ports->own[p][c].link);
	test->priv = ports;
	return 0;
}

static void add(struct kunit *test, u32 port, int c, u32 count)
{
	struct ports *ports = test->priv;

	vhyv_port_queue_add(&ports->queue, &ports->own[port - 1][c], port,
			    codes[c], count);
}

static void take(struct kunit *test, u32 port, int c, u32 count)
{
	struct ports *ports = test->priv;
	struct vhyv_port_event event;

	KUNIT_ASSERT_TRUE(test, vhyv_port_queue_take(&ports->queue, &event));
	KUNIT_EXPECT_EQ(test, event.port, port);
	KUNIT_EXPECT_EQ(test, event.code, (u32)codes[c]);
	KUNIT_EXPECT_EQ(test, event.count, count);
}

static void take_none(struct kunit *test)
{
	struct ports *ports = test->priv;
	struct vhyv_port_event event;

	KUNIT_EXPECT_FALSE(test, vhyv_port_queue_take(&ports->queue, &event));
}

/* Use all entries of the queue. */
static void fill(struct kunit *test)
{
	int i;

	for (i = 0; i < VHYV_PORT_QUEUE_LEN; i++)
		add(test, 1, i % CODES, 1);
}

static void port_queue_order(struct kunit *test)
{
	int i, round;

	take_none(test);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < VHYV_PORT_QUEUE_LEN; i++)
			add(test, 1 + i / 2 % PORTS, i % CODES, 1);
		for (i = 0; i < VHYV_PORT_QUEUE_LEN; i++)
			take(test, 1 + i / 2 % PORTS, i % CODES, 1);
		take_none(test);
	}
}

static void port_queue_in_a_row(struct kunit *test)
{
	add(test, 1, 0, 0);
	take(test, 1, 0, 0);
	add(test, 1, 0, 2);
	add(test, 1, 0, 3);
	add(test, 2, 0, 1);
	add(test, 2, 1, 1);
	add(test, 2, 1, 0);
	take(test, 1, 0, 5);
	/* It is not the newest any more, and a taken one does not count. */
	add(test, 1, 0, 1);
	take(test, 2, 0, 1);
	take(test, 2, 1, 1);
	take(test, 1, 0, 1);
	take_none(test);
}

static void port_queue_count(struct kunit *test)
{
	add(test, 1, 0, VHYV_PORT_EVENT_MAX - 1);
	add(test, 1, 0, 2);
	take(test, 1, 0, VHYV_PORT_EVENT_MAX);
	add(test, 1, 0, U32_MAX);
	add(test, 1, 0, U32_MAX);
	take(test, 1, 0, VHYV_PORT_EVENT_MAX);
}

static void port_queue_full(struct kunit *test)
{
	int i, round;

	for (round = 0; round < 2; round++) {
		fill(test);
		/* In the port's own entries, in the order of the last ones. */
		add(test, 2, 0, 1);
		add(test, 2, 1, 1);
		add(test, 1, 0, 1);
		add(test, 2, 0, 4);
		for (i = 0; i < VHYV_PORT_QUEUE_LEN; i++)
			take(test, 1, i % CODES, 1);
		take(test, 2, 1, 1);
		take(test, 1, 0, 1);
		take(test, 2, 0, 5);
		take_none(test);
	}
}

/* A few entries are free again while own ones wait. */
static void port_queue_full_once(struct kunit *test)
{
	int i;

	fill(test);
	add(test, 2, 0, 1);
	take(test, 1, 0, 1);
	add(test, 2, 1, 1);
	add(test, 2, 0, 1);
	for (i = 1; i < VHYV_PORT_QUEUE_LEN; i++)
		take(test, 1, i % CODES, 1);
	take(test, 2, 1, 1);
	take(test, 2, 0, 2);
	take_none(test);
}

static struct kunit_case port_queue_cases[] = {
	KUNIT_CASE(port_queue_order),
	KUNIT_CASE(port_queue_in_a_row),
	KUNIT_CASE(port_queue_count),
	KUNIT_CASE(port_queue_full),
	KUNIT_CASE(port_queue_full_once),
	{}
};

static struct kunit_suite port_queue_suite = {
	.name = "vhyv_port_queue",
	.init = port_queue_init,
	.test_cases = port_queue_cases,
};

kunit_test_suite(port_queue_suite);

MODULE_DESCRIPTION("Tests of HyV's queue of port events");
MODULE_LICENSE("GPL");
