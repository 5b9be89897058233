// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the admission of commands. */
#include <compat/kunit.h>
#include <linux/prandom.h>

#include <hyv/wire.h>

#include "command/admission.h"

#define CREDITS		16
#define ALONE		(CREDITS / 4)	/* what a single client gets */
#define CLIENTS		40
#define USERS		10	/* of admission_random() */
#define TICKETS		32	/* of each client */
#define STEPS		20000

enum ticket_state { IDLE, WAITING, ADMITTED };

struct test_ticket {
	struct vhyv_ticket ticket;
	enum ticket_state state;
	u32 number;		/* order of arrival */
};

struct test_client {
	struct vhyv_share share;
	struct test_ticket ticket[TICKETS];
};

/* Client c belongs to the user with party c, unless a test says otherwise. */
struct world {
	struct vhyv_pool pool;
	struct vhyv_party party[CLIENTS];
	struct test_client client[CLIENTS];
	u32 arrivals;
};

static struct test_client *client_of(struct vhyv_ticket *ticket)
{
	return container_of(ticket->share, struct test_client, share);
}

static int admission_init(struct kunit *test)
{
	struct world *world;
	int c, t;

	world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world);
	vhyv_pool_init(&world->pool, CREDITS);
	for (c = 0; c < CLIENTS; c++) {
		struct test_client *client = &world->client[c];

		vhyv_party_init(&world->party[c]);
		vhyv_share_init(&client->share, &world->party[c]);
		for (t = 0; t < TICKETS; t++)
			client->ticket[t].ticket.share = &client->share;
	}
	test->priv = world;
	return 0;
}

/* Let clients belong to a user. */
static void join(struct world *world, int first, int last, int user)
{
	for (; first <= last; first++)
		world->client[first].share.party = &world->party[user];
}

static bool enter(struct world *world, int c, int t)
{
	struct test_ticket *ticket = &world->client[c].ticket[t];

	ticket->number = world->arrivals++;
	ticket->state = WAITING;
	if (vhyv_pool_enter(&world->pool, &ticket->ticket))
		ticket->state = ADMITTED;
	return ticket->state == ADMITTED;
}

/* Enter all tickets of a client; returns how many were admitted. */
static int flood(struct world *world, int c)
{
	int t, n = 0;

	for (t = 0; t < TICKETS; t++)
		n += enter(world, c, t);
	return n;
}

static struct test_ticket *next(struct world *world)
{
	struct vhyv_ticket *ticket = vhyv_pool_next(&world->pool);
	struct test_ticket *found;

	if (!ticket)
		return NULL;
	found = container_of(ticket, struct test_ticket, ticket);
	found->state = ADMITTED;
	return found;
}

static void leave(struct world *world, struct test_ticket *ticket)
{
	ticket->state = IDLE;
	vhyv_pool_leave(&world->pool, &ticket->ticket);
}

/* A user alone gets half, and there is always a credit for other users. */
static void admission_share(struct kunit *test)
{
	struct world *world = test->priv;
	int c;

	join(world, 0, 9, 0);
	for (c = 0; c < 10; c++)
		flood(world, c);
	KUNIT_EXPECT_EQ(test, world->party[0].used, CREDITS / 2);
	for (c = 10; c < 9 + CREDITS / 2; c++)
		KUNIT_EXPECT_TRUE(test, enter(world, c, 0));
	KUNIT_EXPECT_EQ(test, world->pool.used, CREDITS - 1);
	/* A second one would take the last credit. */
	KUNIT_EXPECT_FALSE(test, enter(world, 10, 1));
	KUNIT_EXPECT_TRUE(test, enter(world, c, 0));
	KUNIT_EXPECT_FALSE(test, enter(world, c + 1, 0));
	KUNIT_EXPECT_PTR_EQ(test, vhyv_pool_next(&world->pool), NULL);
}

/* So it is within a user's half. */
static void admission_clients(struct kunit *test)
{
	struct world *world = test->priv;

	join(world, 0, 4, 0);
	KUNIT_EXPECT_EQ(test, flood(world, 0), ALONE);
	KUNIT_EXPECT_EQ(test, flood(world, 1), CREDITS / 8);
	KUNIT_EXPECT_TRUE(test, enter(world, 2, 0));
	KUNIT_EXPECT_FALSE(test, enter(world, 2, 1));
	KUNIT_EXPECT_TRUE(test, enter(world, 3, 0));
	KUNIT_EXPECT_FALSE(test, enter(world, 4, 0));
	/* They do not share with other users. */
	KUNIT_EXPECT_EQ(test, flood(world, 5), CREDITS / 8);
}

/* Late users get as much as the first one, as its commands are returned. */
static void admission_converge(struct kunit *test)
{
	struct world *world = test->priv;
	int t, c;

	for (c = 0; c < 3; c++)
		join(world, 3 * c, 3 * c + 2, c);
	for (c = 0; c < 9; c++)
		flood(world, c);
	KUNIT_EXPECT_GE(test, world->party[0].used, CREDITS / 2 - 1);
	KUNIT_EXPECT_LE(test, world->party[2].used, CREDITS / 8);
	for (t = 0; t < CREDITS / 4; t++) {
		for (c = 0; c < 3; c++) {
			if (world->client[c].ticket[t].state != ADMITTED)
				continue;
			leave(world, &world->client[c].ticket[t]);
			while (next(world))
				;
		}
	}
	for (c = 0; c < 3; c++)
		KUNIT_EXPECT_GE(test, world->party[c].used, CREDITS / 4 - 1);
}

/* With a full pool, users take turns, whatever the number of their commands. */
static void admission_turns(struct kunit *test)
{
	struct world *world = test->priv;
	struct test_ticket *ticket;
	int c;

	for (c = 0; c < CREDITS; c++)
		KUNIT_EXPECT_TRUE(test, enter(world, c, 0));
	flood(world, CREDITS);
	for (c = CREDITS + 1; c < 2 * CREDITS; c++)
		KUNIT_EXPECT_FALSE(test, enter(world, c, 0));
	/* One command of the flood, then one of each other client. */
	for (c = 0; c < CREDITS; c++) {
		leave(world, &world->client[c].ticket[0]);
		ticket = next(world);
		KUNIT_ASSERT_NOT_NULL(test, ticket);
		KUNIT_EXPECT_PTR_EQ(test, client_of(&ticket->ticket),
				    &world->client[CREDITS + c]);
		KUNIT_EXPECT_PTR_EQ(test, next(world), NULL);
	}
}

/*
 * And whatever the number of their clients, which take turns among themselves:
 * the user with many gets every other credit.
 */
static void admission_users(struct kunit *test)
{
	static const int order[] = { 20, 30, 21, 30, 22, 30, 20, 30 };
	struct world *world = test->priv;
	struct test_ticket *ticket;
	int c, t;

	for (c = 0; c < CREDITS; c++)
		KUNIT_EXPECT_TRUE(test, enter(world, c, 0));
	join(world, 20, 22, 20);
	for (c = 20; c <= 22; c++)
		for (t = 0; t < 2; t++)
			KUNIT_EXPECT_FALSE(test, enter(world, c, t));
	for (t = 0; t < 4; t++)
		KUNIT_EXPECT_FALSE(test, enter(world, 30, t));
	for (c = 0; c < ARRAY_SIZE(order); c++) {
		leave(world, &world->client[c].ticket[0]);
		ticket = next(world);
		KUNIT_ASSERT_NOT_NULL(test, ticket);
		KUNIT_EXPECT_PTR_EQ(test, client_of(&ticket->ticket),
				    &world->client[order[c]]);
		KUNIT_EXPECT_PTR_EQ(test, next(world), NULL);
		/* Let the next one be for somebody who has none. */
		leave(world, ticket);
		KUNIT_EXPECT_TRUE(test, enter(world, c, 0));
	}
}

static void admission_fifo(struct kunit *test)
{
	struct world *world = test->priv;
	struct test_client *client = &world->client[0];
	struct test_ticket *ticket;
	int t;

	KUNIT_ASSERT_EQ(test, flood(world, 0), ALONE);
	for (t = 0; t + ALONE < TICKETS; t++) {
		leave(world, &client->ticket[t]);
		ticket = next(world);
		KUNIT_EXPECT_PTR_EQ(test, ticket, &client->ticket[t + ALONE]);
		KUNIT_EXPECT_PTR_EQ(test, next(world), NULL);
	}
}

/* Tickets that no longer wait are skipped, and leave nothing behind. */
static void admission_cancel(struct kunit *test)
{
	struct world *world = test->priv;
	struct test_client *client = &world->client[0];
	int t;

	KUNIT_ASSERT_EQ(test, flood(world, 0), ALONE);
	for (t = ALONE; t < TICKETS - 1; t++)
		vhyv_pool_cancel(&client->ticket[t].ticket);
	KUNIT_EXPECT_PTR_EQ(test, vhyv_pool_first(&world->pool),
			    &client->ticket[TICKETS - 1].ticket);
	leave(world, &client->ticket[0]);
	KUNIT_EXPECT_PTR_EQ(test, next(world), &client->ticket[TICKETS - 1]);
	KUNIT_EXPECT_PTR_EQ(test, vhyv_pool_first(&world->pool), NULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&world->pool.turns));

	KUNIT_EXPECT_FALSE(test, enter(world, 0, 0));
	vhyv_pool_cancel(&client->ticket[0].ticket);
	KUNIT_EXPECT_TRUE(test, list_empty(&world->pool.turns));
	leave(world, &client->ticket[1]);
	KUNIT_EXPECT_PTR_EQ(test, next(world), NULL);
	KUNIT_EXPECT_TRUE(test, enter(world, 0, 0));
}

/* The smallest pools still admit every ticket. */
static void admission_small(struct kunit *test)
{
	struct world *world = test->priv;
	unsigned int credits;
	int t;

	for (credits = 1; credits <= 3; credits++) {
		vhyv_pool_init(&world->pool, credits);
		flood(world, 0);
		for (t = 0; t < TICKETS; t++) {
			KUNIT_ASSERT_EQ(test, world->client[0].ticket[t].state,
					ADMITTED);
			leave(world, &world->client[0].ticket[t]);
			while (next(world))
				;
		}
		KUNIT_EXPECT_EQ(test, world->pool.used, 0);
	}
}

/* Some are sent with a lock held that others need, so nothing else delays them. */
static void admission_classes(struct kunit *test)
{
	static const u16 others[] = {
		HYV_CMD_DESTROY, HYV_CMD_MUNMAP, HYV_CMD_DETACH_MCAST,
	};
	u32 opcode;
	int i;

	for (opcode = 0; opcode <= U16_MAX; opcode++)
		if ((vhyv_cmd_class(opcode) == VHYV_CMD_LOCKED) !=
		    (opcode == HYV_CMD_MMAP || opcode == HYV_CMD_ALLOC_XRCD ||
		     opcode == HYV_CMD_ADD_GID || opcode == HYV_CMD_DEL_GID))
			KUNIT_FAIL(test, "class of %#x", opcode);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_EQ(test, vhyv_cmd_class(others[i]),
				VHYV_CMD_RESERVED);
	KUNIT_EXPECT_EQ(test, vhyv_cmd_class(HYV_CMD_REG_MR),
			VHYV_CMD_ORDINARY);
}

/* Each class has credits, and no more than there are, if that is possible. */
static void admission_pools(struct kunit *test)
{
	struct vhyv_pool pools[VHYV_CMD_CLASSES];
	unsigned int credits, sum, i;

	for (credits = 1; credits <= 64; credits++) {
		vhyv_pools_init(pools, credits);
		for (sum = 0, i = 0; i < VHYV_CMD_CLASSES; i++) {
			KUNIT_EXPECT_GE(test, pools[i].credits, 1);
			KUNIT_EXPECT_GE(test, pools[VHYV_CMD_ORDINARY].credits,
					pools[i].credits);
			sum += pools[i].credits;
		}
		KUNIT_EXPECT_EQ(test, sum,
				max_t(unsigned int, credits, VHYV_CMD_CLASSES));
	}
	vhyv_pools_init(pools, 63);
	KUNIT_EXPECT_EQ(test, pools[VHYV_CMD_RESERVED].credits, 16);
	KUNIT_EXPECT_EQ(test, pools[VHYV_CMD_LOCKED].credits, 8);
}

/* How many credits a user could take one by one. */
static u32 room(const struct world *world, const struct vhyv_party *party)
{
	u32 n = 0;

	while (party->used + n < world->pool.credits - world->pool.used - n)
		n++;
	return n;
}

/* Check the invariants; returns the number of violations. */
static u32 check(struct world *world)
{
	u32 used = 0, wrong = 0, party_used[CLIENTS] = {};
	struct list_head *pos;
	int c, t, p;

	for (c = 0; c < CLIENTS; c++) {
		struct test_client *client = &world->client[c];
		u32 admitted = 0, waiting = 0;

		for (t = 0; t < TICKETS; t++) {
			admitted += client->ticket[t].state == ADMITTED;
			waiting += client->ticket[t].state == WAITING;
		}
		used += admitted;
		party_used[client->share.party - world->party] += admitted;
		wrong += admitted != client->share.used;
		wrong += !waiting != list_empty(&client->share.turn);
		wrong += waiting && list_empty(&client->share.party->turn);
		/* Nothing waits for a credit that it may have. */
		wrong += waiting && admitted < room(world, client->share.party);
		list_for_each(pos, &client->share.waiting)
			waiting--;
		wrong += !!waiting;
	}
	for (p = 0; p < CLIENTS; p++) {
		struct vhyv_party *party = &world->party[p];

		wrong += party_used[p] != party->used;
		wrong += list_empty(&party->turns) != list_empty(&party->turn);
	}
	wrong += used != world->pool.used || used > world->pool.credits;
	return wrong;
}

/* The oldest waiting ticket of the same client has come later. */
static bool in_order(const struct test_client *client,
		     const struct test_ticket *admitted)
{
	int t;

	for (t = 0; t < TICKETS; t++)
		if (client->ticket[t].state == WAITING &&
		    client->ticket[t].number < admitted->number)
			return false;
	return true;
}

/* Turns of others since somebody without a credit began to wait. */
struct passed {
	u32 user[USERS];
	u32 client[CLIENTS];	/* turns of the same user */
	u32 worst_user;
	u32 worst_client;
};

static void pass(struct world *world, struct passed *passed,
		 const struct test_client *got)
{
	int i;

	for (i = 0; i < USERS; i++)
		if (list_empty(&world->party[i].turn) || world->party[i].used)
			passed->user[i] = 0;
		else
			passed->worst_user = max(passed->worst_user,
						 ++passed->user[i]);
	for (i = 0; i < CLIENTS; i++) {
		const struct vhyv_share *share = &world->client[i].share;

		if (list_empty(&share->turn) || share->used)
			passed->client[i] = 0;
		else if (share->party == got->share.party)
			passed->worst_client = max(passed->worst_client,
						   ++passed->client[i]);
	}
}

/* Random arrivals, returns and cancellations of few busy and many light clients. */
static void admission_random(struct kunit *test)
{
	struct world *world = test->priv;
	struct passed *passed;
	struct rnd_state rnd;
	u32 wrong = 0, step;
	int c, t;

	passed = kunit_kzalloc(test, sizeof(*passed), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, passed);
	for (c = 0; c < CLIENTS; c++)
		join(world, c, c, c % USERS);
	prandom_seed_state(&rnd, 1);
	for (step = 0; step < STEPS; step++) {
		u32 r = prandom_u32_state(&rnd);
		struct test_ticket *ticket;

		c = r % 8 ? (r >> 8) % 4 : (r >> 8) % CLIENTS;
		t = (r >> 16) % TICKETS;
		ticket = &world->client[c].ticket[t];
		switch (ticket->state) {
		case IDLE:
			enter(world, c, t);
			break;
		case WAITING:
			if (r >> 24 & 7)
				break;
			vhyv_pool_cancel(&ticket->ticket);
			ticket->state = IDLE;
			break;
		case ADMITTED:
			leave(world, ticket);
			while ((ticket = next(world))) {
				struct test_client *got;

				got = client_of(&ticket->ticket);
				wrong += !in_order(got, ticket);
				pass(world, passed, got);
			}
			break;
		}
		wrong += check(world);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	/* Who has no credit waits for one round of turns at most. */
	KUNIT_EXPECT_LT(test, passed->worst_user, USERS);
	KUNIT_EXPECT_GT(test, passed->worst_user, 0);
	KUNIT_EXPECT_LT(test, passed->worst_client, CLIENTS / USERS);
}

static struct kunit_case admission_cases[] = {
	KUNIT_CASE(admission_share),
	KUNIT_CASE(admission_clients),
	KUNIT_CASE(admission_converge),
	KUNIT_CASE(admission_turns),
	KUNIT_CASE(admission_users),
	KUNIT_CASE(admission_fifo),
	KUNIT_CASE(admission_cancel),
	KUNIT_CASE(admission_small),
	KUNIT_CASE(admission_classes),
	KUNIT_CASE(admission_pools),
	KUNIT_CASE(admission_random),
	{}
};

static struct kunit_suite admission_suite = {
	.name = "vhyv_admission",
	.init = admission_init,
	.test_cases = admission_cases,
};

kunit_test_suite(admission_suite);

MODULE_DESCRIPTION("Tests of HyV's admission of commands");
MODULE_LICENSE("GPL");
