// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues for the program verbs: sizes, moderation, extended CQs, and
 * overruns. Their events are in verbs_events.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

static void resize_to(const char *what, struct ibv_cq *cq, int cqe)
{
	int err = ibv_resize_cq(cq, cqe);

	say("resize %s: %s, %d", what, error_name(err), cq->cqe);
}

static void sends(struct pair *p, unsigned int first, unsigned int count)
{
	struct work w;
	unsigned int i;

	for (i = first; i < first + count; i++) {
		must_post(recv_post(&p->b, i, 0, 10));
		work_local(&w, &p->a, i, IBV_WR_SEND, 0, 10);
		must_post(work_post(&p->a, &w));
		say_wc("sender", p->a.scq, p->a.qp);
	}
}

static void resize(void)
{
	struct ibv_device_attr limits;
	struct ibv_cq *cq;
	struct pair p;
	int i;

	memset(&limits, 0, sizeof(limits));
	errno = ibv_query_device(dev.context, &limits);
	if (errno)
		die_errno("cannot query the device");
	pair_open(&p, IBV_QPT_RC, NULL);
	cq = p.b.rcq;
	say("created: %d", cq->cqe);
	resize_to("to more", cq, 200);
	resize_to("to less", cq, 20);
	sends(&p, 100, 5);
	resize_to("to more than are pending", cq, 7);
	resize_to("to less than are pending", cq, 3);
	resize_to("to many more", cq, 1000);
	resize_to("to 0", cq, 0);
	resize_to("to less than 0", cq, -1);
	resize_to("to too many", cq, limits.max_cqe + 1);
	sends(&p, 200, 3);
	for (i = 0; i < 8; i++)
		say_wc("in order", cq, p.b.qp);
	say("no more: %s", yes(no_wc(cq)));
	pair_close(&p);
}

static void moderation(void)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = {.cq_count = 4, .cq_period = 10},
	};
	struct ibv_cq *cq = ibv_create_cq(dev.context, 16, NULL, NULL, 0);

	if (!cq)
		die_errno("cannot create a CQ");
	say("ibv_modify_cq: %s", error_name(ibv_modify_cq(cq, &attr)));
	attr.attr_mask = 0;
	say("ibv_modify_cq of nothing: %s",
	    error_name(ibv_modify_cq(cq, &attr)));
	ibv_destroy_cq(cq);
}

static void try_ex(const char *what, uint64_t wc_flags, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 20,
		.wc_flags = wc_flags,
		.comp_mask = flags ? IBV_CQ_INIT_ATTR_MASK_FLAGS : 0,
		.flags = flags,
	};
	struct ibv_cq_ex *cq;

	errno = 0;
	cq = ibv_create_cq_ex(dev.context, &attr);
	say("ibv_create_cq_ex %s: %s, %d", what, made(cq), cq ? cq->cqe : 0);
	if (cq)
		ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
}

/* rdma-core's test_cqex polls them. */
static void extended(void)
{
	try_ex("with standard flags", IBV_WC_STANDARD_FLAGS, 0);
	try_ex("with timestamps", IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 0);
	try_ex("with flow tags", IBV_WC_EX_WITH_FLOW_TAG, 0);
	try_ex("ignoring overruns", IBV_WC_STANDARD_FLAGS,
	       IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	try_ex("of one thread", IBV_WC_STANDARD_FLAGS,
	       IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

void suite_cq(void)
{
	resize();
	moderation();
	extended();
}

/* A pair whose first side's sends, or second side's receives, complete to a CQ
 * of one entry.
 */
static void open_tiny(struct pair *p, struct ibv_cq **tiny, bool receives)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {8, 8, 1, 1, 0},
	};
	struct side *s = receives ? &p->b : &p->a;

	*tiny = ibv_create_cq(dev.context, 1, NULL, NULL, 0);
	if (!*tiny)
		die_errno("cannot create a CQ");
	pair_open(p, IBV_QPT_RC, NULL);
	init.send_cq = receives ? s->scq : *tiny;
	init.recv_cq = receives ? *tiny : s->rcq;
	ibv_destroy_qp(s->qp);
	s->qp = ibv_create_qp(dev.pd, &init);
	if (!s->qp)
		die_errno("cannot create a QP");
	to_state(receives ? p->a.qp : p->b.qp, IBV_QPS_RESET);
	side_connect(&p->a, p->b.qp->qp_num, NULL);
	side_connect(&p->b, p->a.qp->qp_num, NULL);
}

static void close_tiny(struct pair *p, struct ibv_cq *tiny)
{
	ibv_destroy_qp(p->a.qp);
	ibv_destroy_qp(p->b.qp);
	ibv_destroy_cq(tiny);
	ibv_destroy_cq(p->a.scq);
	ibv_destroy_cq(p->a.rcq);
	ibv_destroy_cq(p->b.scq);
	ibv_destroy_cq(p->b.rcq);
	rc_deregister(p->a.mr);
	rc_deregister(p->b.mr);
}

/* Too many completions for a CQ. */
void suite_overrun(void)
{
	struct ibv_cq *tiny;
	unsigned int i;
	struct work w;
	struct pair p;

	open_tiny(&p, &tiny, false);
	say("entries: %d", tiny->cqe);
	for (i = 0; i < 3; i++) {
		must_post(recv_post(&p.b, i, 0, 10));
		work_local(&w, &p.a, 10 + i, IBV_WR_SEND, 0, 10);
		must_post(work_post(&p.a, &w));
		say_wc("sends: receiver", p.b.rcq, p.b.qp);
	}
	say_events("sends", tiny, hang_seconds(), false);
	say_wc("sends", tiny, p.a.qp);
	say("sends: no more: %s", yes(no_wc(tiny)));
	say_fate("sends", &p);
	close_tiny(&p, tiny);

	open_tiny(&p, &tiny, true);
	for (i = 0; i < 4; i++)
		must_post(recv_post(&p.b, i, 0, 10));
	for (i = 0; i < 2; i++) {
		work_local(&w, &p.a, 10 + i, IBV_WR_SEND, 0, 10);
		must_post(work_post(&p.a, &w));
		usleep(200000);
	}
	say_events("receives", tiny, hang_seconds(), false);
	say_wc("receives", tiny, p.b.qp);
	say("receives: state %s", state_name(state_of(p.b.qp)));
	close_tiny(&p, tiny);
}
