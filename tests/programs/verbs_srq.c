// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues for the program verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

#define PIECE 128

static void say_srq(const char *what, struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	err = ibv_query_srq(srq, &attr);
	say("%s: query: %s, %u requests, %u pieces, limit %u", what,
	    error_name(err), attr.max_wr, attr.max_sge, attr.srq_limit);
}

static void modify(const char *what, struct ibv_srq *srq, uint32_t max_wr,
		   uint32_t limit, int mask)
{
	struct ibv_srq_attr attr = {.max_wr = max_wr, .srq_limit = limit};

	say("%s: %s", what, error_name(ibv_modify_srq(srq, &attr, mask)));
	say_srq(what, srq);
}

static struct ibv_srq *create(uint32_t max_wr)
{
	struct ibv_srq_init_attr init = {
		.attr = {.max_wr = max_wr, .max_sge = 2},
	};
	struct ibv_srq *srq = ibv_create_srq(dev.pd, &init);

	if (!srq)
		die_errno("cannot create an SRQ");
	say("created: %u requests, %u pieces", init.attr.max_wr,
	    init.attr.max_sge);
	return srq;
}

/* Post requests, the memory of each a piece of the side's. */
static void post(struct ibv_srq *srq, struct side *s, unsigned int first,
		 unsigned int count)
{
	unsigned int i;

	for (i = first; i < first + count; i++)
		must_post(srq_post(srq, s, i, i % 256 * PIECE, PIECE));
}

/* A message that the next request of the SRQ takes, which is @id. */
static void message(const char *what, struct pair *p, struct side *memory,
		    unsigned int id)
{
	struct work w;
	const char *b;

	fill(&p->a, 0, PIECE, id);
	work_local(&w, &p->a, 1, IBV_WR_SEND, 0, PIECE);
	must_post(work_post(&p->a, &w));
	say_wc(what, p->a.scq, p->a.qp);
	b = next_wc(p->b.rcq, p->b.qp);
	say("%s: receiver: %s, %s", what, b,
	    filled(memory, id % 256 * PIECE, PIECE, id));
}

/* Two QPs receive from the same SRQ, which has a limit. */
static void shared(void)
{
	struct ibv_srq *srq = create(15);
	const struct ways ways = {.srq = srq};
	struct pair p[2];
	struct side memory;
	unsigned int i;
	int err;

	say_srq("new", srq);
	side_open(&memory, IBV_QPT_RC, NULL);
	pair_open(&p[0], IBV_QPT_RC, &ways);
	pair_open(&p[1], IBV_QPT_RC, &ways);
	say("destroy in use: %s", error_name(ibv_destroy_srq(srq)));
	say("receive by the QP: %s", error_name(recv_post(&p[0].b, 1, 0, 10)));
	post(srq, &memory, 0, 6);
	modify("limit", srq, 0, 4, IBV_SRQ_LIMIT);
	message("above the limit", &p[0], &memory, 0);
	message("above the limit", &p[1], &memory, 1);
	say_events("above the limit", srq, QUIET, true);
	message("below the limit", &p[0], &memory, 2);
	say_events("below the limit", srq, hang_seconds(), true);
	say_srq("after the event", srq);
	message("below no limit", &p[1], &memory, 3);
	say_events("below no limit", srq, QUIET, true);
	modify("limit again", srq, 0, 2, IBV_SRQ_LIMIT);
	message("below the limit again", &p[0], &memory, 4);
	say_events("below the limit again", srq, hang_seconds(), true);
	message("the last", &p[1], &memory, 5);
	say_events("the last", srq, QUIET, true);

	post(srq, &memory, 10, 3);
	modify("more requests", srq, 60, 0, IBV_SRQ_MAX_WR);
	/* more than before, but not too many if the HCA has not done that */
	post(srq, &memory, 13, 25);
	for (i = 10; i < 16; i++)
		message("after resize", &p[i % 2], &memory, i);
	modify("both", srq, 100, 20, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT);
	for (i = 16; i < 18; i++)
		message("after both", &p[i % 2], &memory, i);
	say_events("after both", srq, QUIET, true);
	modify("less than the limit", srq, 10, 0, IBV_SRQ_MAX_WR);
	modify("limit of more than there can be", srq, 0, 1000, IBV_SRQ_LIMIT);
	modify("no requests", srq, 0, 0, IBV_SRQ_MAX_WR);
	modify("too many requests", srq, 1U << 30, 0, IBV_SRQ_MAX_WR);
	modify("limit of too many", srq, 0, 1U << 30, IBV_SRQ_LIMIT);
	modify("no limit", srq, 0, 0, IBV_SRQ_LIMIT);
	modify("fewer requests", srq, 40, 0, IBV_SRQ_MAX_WR);
	for (i = 18; i < 20; i++)
		message("after fewer", &p[i % 2], &memory, i);
	for (i = 0, err = 0; i < 1000 && !err; i++)
		err = srq_post(srq, &memory, 200, 0, PIECE);
	say("request %u of too many: %s", i, error_name(err));

	say("to ERR: %s", error_name(to_state(p[0].b.qp, IBV_QPS_ERR)));
	/* not every HCA has one */
	say_events("to ERR", p[0].b.qp, MAYBE, false);
	say("requests of the SRQ are not flushed: %s", yes(no_wc(p[0].b.rcq)));
	message("by the other QP", &p[1], &memory, 20);
	pair_close(&p[0]);
	pair_close(&p[1]);
	side_close(&memory);
	say("ibv_destroy_srq: %s", error_name(ibv_destroy_srq(srq)));
}

/* An SRQ that is empty: RC waits for it, UC and UD do not. */
static void empty(void)
{
	struct ibv_srq *srq = create(4);
	const struct ways waits = {.srq = srq};
	struct side memory;
	struct pair p;
	struct work w;

	side_open(&memory, IBV_QPT_RC, NULL);
	pair_open(&p, IBV_QPT_RC, &waits);
	work_local(&w, &p.a, 1, IBV_WR_SEND, 0, 10);
	must_post(work_post(&p.a, &w));
	say("RC, empty: nothing completes: %s", yes(no_wc(p.a.scq)));
	post(srq, &memory, 1, 1);
	say_wc("RC, no longer empty: sender", p.a.scq, p.a.qp);
	say_wc("RC, no longer empty: receiver", p.b.rcq, p.b.qp);
	pair_close(&p);

	pair_open(&p, IBV_QPT_UC, &waits);
	work_local(&w, &p.a, 2, IBV_WR_SEND, 0, 10);
	say_work("UC, empty: sender", &p.a, &w);
	say("UC, empty: nothing comes: %s", yes(no_wc(p.b.rcq)));
	post(srq, &memory, 2, 1);
	message("UC", &p, &memory, 2);
	pair_close(&p);
	side_close(&memory);
	ibv_destroy_srq(srq);
}

static void datagrams(void)
{
	struct ibv_srq *srq = create(4);
	const struct ways ways = {.srq = srq};
	struct ibv_ah *ah = own_ah();
	struct side memory;
	struct pair p;
	struct work w;
	const char *b;

	side_open(&memory, IBV_QPT_UD, NULL);
	pair_open(&p, IBV_QPT_UD, &ways);
	must_post(srq_post(srq, &memory, 5, 0, 1000));
	fill(&p.a, 0, 500, 5);
	work_local(&w, &p.a, 1, IBV_WR_SEND, 0, 500);
	work_ud(&w, &p.b, ah);
	say_work("UD: sender", &p.a, &w);
	b = next_wc(p.b.rcq, p.b.qp);
	say("UD: receiver: %s, %s", b, filled(&memory, 40, 500, 5));
	pair_close(&p);
	side_close(&memory);
	ibv_destroy_ah(ah);
	ibv_destroy_srq(srq);
}

static void say_create_ex(const char *what, enum ibv_srq_type type,
			  uint32_t mask)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = {.max_wr = 10, .max_sge = 1},
		.comp_mask = mask,
		.srq_type = type,
		.pd = dev.pd,
	};
	struct ibv_srq *srq;
	uint32_t number = 0;
	int err;

	errno = 0;
	srq = ibv_create_srq_ex(dev.context, &init);
	say("ibv_create_srq_ex %s: %s", what, made(srq));
	if (!srq)
		return;
	err = ibv_get_srq_num(srq, &number);
	say("ibv_get_srq_num: %s", error_name(err));
	say("ibv_destroy_srq: %s", error_name(ibv_destroy_srq(srq)));
}

void suite_srq(void)
{
	shared();
	empty();
	datagrams();
	say_create_ex("basic", IBV_SRQT_BASIC,
		      IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD);
	say_create_ex("without type", IBV_SRQT_BASIC, IBV_SRQ_INIT_ATTR_PD);
}
