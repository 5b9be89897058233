// SPDX-License-Identifier: GPL-2.0-only
/*
 * Admission of commands of some users with some clients each: who waits may
 * have no credit, those of one client are in order, and nobody is passed over
 * twice.
 */
#include "command/admission.c"

#include "fuzz.h"

#define USERS	4
#define CLIENTS 12
#define TICKETS 12 /* of each client */

enum state { IDLE, WAITING, ADMITTED };

static struct ticket {
	struct vhyv_ticket ticket;
	enum state state;
	u32 number; /* order of arrival */
} ticket[CLIENTS][TICKETS];

static struct vhyv_pool pool;
static struct vhyv_party party[USERS];
static struct vhyv_share share[CLIENTS];
static u32 arrivals;

/* Turns of others since a user without a credit began to wait. */
static u32 passed[USERS];

static bool is_without(int user)
{
	return !list_empty(&party[user].turn) && !party[user].used;
}

static u32 count(int client, enum state state)
{
	u32 t, n = 0;

	for (t = 0; t < TICKETS; t++)
		n += ticket[client][t].state == state;
	return n;
}

static int user_of(int client)
{
	return share[client].party - party;
}

/* Credits, one by one, until a user has as many as are free. */
static u32 room(int user)
{
	u32 n = 0;

	while (party[user].used + n < pool.credits - pool.used - n)
		n++;
	return n;
}

static void check(void)
{
	u32 used = 0, used_by[USERS] = {}, waiting[USERS] = {};
	int c, u;

	for (c = 0; c < CLIENTS; c++) {
		u32 admitted = count(c, ADMITTED), waits = count(c, WAITING);

		FUZZ_CHECK(share[c].used == admitted);
		FUZZ_CHECK(!waits == list_empty(&share[c].waiting));
		FUZZ_CHECK(!waits == list_empty(&share[c].turn));
		FUZZ_CHECK(!waits || admitted >= room(user_of(c)));
		used_by[user_of(c)] += admitted;
		waiting[user_of(c)] += waits;
	}
	for (u = 0; u < USERS; u++) {
		FUZZ_CHECK(party[u].used == used_by[u]);
		FUZZ_CHECK(!waiting[u] == list_empty(&party[u].turn));
		used += used_by[u];
		if (!is_without(u))
			passed[u] = 0;
	}
	FUZZ_CHECK(pool.used == used && used <= pool.credits);
}

static void admitted(struct vhyv_ticket *got)
{
	struct ticket *t = container_of(got, struct ticket, ticket);
	int c = got->share - share, i, u;

	FUZZ_CHECK(t->state == WAITING);
	t->state = ADMITTED;
	for (i = 0; i < TICKETS; i++)
		FUZZ_CHECK(ticket[c][i].state != WAITING ||
			   ticket[c][i].number > t->number);
	for (u = 0; u < USERS; u++) {
		if (is_without(u))
			FUZZ_CHECK(++passed[u] < USERS);
		else
			passed[u] = 0;
	}
}

static void enter(int c, struct ticket *t)
{
	bool had_to_wait = count(c, WAITING);

	t->number = arrivals++;
	t->state = WAITING;
	if (vhyv_pool_enter(&pool, &t->ticket)) {
		FUZZ_CHECK(!had_to_wait);
		t->state = ADMITTED;
	}
}

static void leave(struct ticket *t)
{
	struct vhyv_ticket *next;

	vhyv_pool_leave(&pool, &t->ticket);
	t->state = IDLE;
	while ((next = vhyv_pool_next(&pool)))
		admitted(next);
}

static void step(struct fuzz_in *in)
{
	int c = fuzz_below(in, CLIENTS);
	struct ticket *t = &ticket[c][fuzz_below(in, TICKETS)];

	switch (t->state) {
	case IDLE:
		enter(c, t);
		break;
	case WAITING:
		if (fuzz_flag(in))
			break;
		vhyv_pool_cancel(&t->ticket);
		t->state = IDLE;
		break;
	case ADMITTED:
		leave(t);
		break;
	}
	check();
}

static void check_classes(struct fuzz_in *in)
{
	u32 credits = 1 + fuzz_below(in, 300), sum = 0, i;
	struct vhyv_pool pools[VHYV_CMD_CLASSES];

	FUZZ_CHECK(vhyv_cmd_class(fuzz_take(in, 2)) < VHYV_CMD_CLASSES);
	vhyv_pools_init(pools, credits);
	for (i = 0; i < VHYV_CMD_CLASSES; i++) {
		FUZZ_CHECK(pools[i].credits);
		sum += pools[i].credits;
	}
	FUZZ_CHECK(sum == max(credits, (u32)VHYV_CMD_CLASSES));
}

/* As when the queue is closed. */
static void cancel_all(void)
{
	struct vhyv_ticket *first;

	while ((first = vhyv_pool_first(&pool))) {
		vhyv_pool_cancel(first);
		container_of(first, struct ticket, ticket)->state = IDLE;
	}
	check();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_in in = {data, size};
	int c, t, steps = 0;

	memset(passed, 0, sizeof(passed));
	arrivals = 0;
	check_classes(&in);
	vhyv_pool_init(&pool, 1 + fuzz_below(&in, 20));
	for (c = 0; c < USERS; c++)
		vhyv_party_init(&party[c]);
	for (c = 0; c < CLIENTS; c++) {
		vhyv_share_init(&share[c], &party[fuzz_below(&in, USERS)]);
		for (t = 0; t < TICKETS; t++)
			ticket[c][t] = (struct ticket){
				.ticket.share = &share[c],
			};
	}
	while (in.left && steps++ < 400)
		step(&in);
	cancel_all();
	return 0;
}
