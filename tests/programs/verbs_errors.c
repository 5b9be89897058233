// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests that fail, for the program verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

/* What fails, and where; each is tried by a pair of its own. */
struct failure {
	const char *name;
	enum ibv_wr_opcode opcode;
	size_t length;
	/* change the work, or something else, before it is posted */
	void (*spoil)(struct pair *p, struct work *w);
	struct ways ways;
};

/* Objects of the failure, besides the pair. */
static struct ibv_pd *other_pd;
static struct ibv_mr *other_mr;

static void wrong_rkey(struct pair *p, struct work *w)
{
	(void)p;
	/* the same index, another key */
	w->wr.wr.rdma.rkey ^= 0x55;
}

static void no_such_rkey(struct pair *p, struct work *w)
{
	(void)p;
	w->wr.wr.rdma.rkey = 0x7ffff00;
}

static void wrong_atomic_rkey(struct pair *p, struct work *w)
{
	(void)p;
	w->wr.wr.atomic.rkey ^= 0x55;
}

static void beyond(struct pair *p, struct work *w)
{
	work_remote(w, &p->b, BUFFER - 50);
}

static void before(struct pair *p, struct work *w)
{
	work_remote(w, &p->b, -1UL);
}

static void other_region(struct pair *p, struct work *w, struct ibv_pd *pd,
			 unsigned int access)
{
	other_mr = ibv_reg_mr(pd, p->b.buf, BUFFER, access);
	if (!other_mr)
		die_errno("cannot register memory");
	if (w->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		w->wr.wr.atomic.rkey = other_mr->rkey;
	else
		w->wr.wr.rdma.rkey = other_mr->rkey;
}

static void region_of_another_pd(struct pair *p, struct work *w)
{
	other_pd = ibv_alloc_pd(dev.context);
	if (!other_pd)
		die_errno("cannot allocate a PD");
	other_region(p, w, other_pd, ALL_ACCESS);
}

static void region_only_local(struct pair *p, struct work *w)
{
	other_region(p, w, dev.pd, IBV_ACCESS_LOCAL_WRITE);
}

static void region_to_read(struct pair *p, struct work *w)
{
	other_region(p, w, dev.pd, IBV_ACCESS_REMOTE_READ);
}

static void region_is_gone(struct pair *p, struct work *w)
{
	other_region(p, w, dev.pd, ALL_ACCESS);
	rc_deregister(other_mr);
	other_mr = NULL;
}

static void wrong_lkey(struct pair *p, struct work *w)
{
	(void)p;
	w->sge.lkey ^= 0x55;
}

static void local_beyond(struct pair *p, struct work *w)
{
	w->sge.addr = (uintptr_t)p->a.buf + BUFFER - 50;
}

static void local_of_another_pd(struct pair *p, struct work *w)
{
	other_pd = ibv_alloc_pd(dev.context);
	if (!other_pd)
		die_errno("cannot allocate a PD");
	other_mr = ibv_reg_mr(other_pd, p->a.buf, BUFFER, ALL_ACCESS);
	if (!other_mr)
		die_errno("cannot register memory");
	w->sge.lkey = other_mr->lkey;
}

static void local_read_only(struct pair *p, struct work *w)
{
	other_mr = ibv_reg_mr(dev.pd, p->a.buf, BUFFER, 0);
	if (!other_mr)
		die_errno("cannot register memory");
	w->sge.lkey = other_mr->lkey;
}

static void receive_short(struct pair *p, struct work *w)
{
	(void)w;
	must_post(recv_post(&p->b, 100, 0, 50));
	must_post(recv_post(&p->b, 101, 0, 50));
}

static void post_receive(struct side *s, size_t at, uint32_t lkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->buf + at,
		.length = 100,
		.lkey = lkey,
	};
	struct ibv_recv_wr wr = {
		.wr_id = 110,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	must_post(ibv_post_recv(s->qp, &wr, &bad));
	must_post(recv_post(s, 111, 0, 100));
}

static void receive_wrong_lkey(struct pair *p, struct work *w)
{
	(void)w;
	post_receive(&p->b, 0, p->b.mr->lkey ^ 0x55);
}

static void receive_beyond(struct pair *p, struct work *w)
{
	(void)w;
	post_receive(&p->b, BUFFER - 50, p->b.mr->lkey);
}

static void receive_read_only(struct pair *p, struct work *w)
{
	(void)w;
	other_mr = ibv_reg_mr(dev.pd, p->b.buf, BUFFER, 0);
	if (!other_mr)
		die_errno("cannot register memory");
	post_receive(&p->b, 0, other_mr->lkey);
}

static void peer_is_gone(struct pair *p, struct work *w)
{
	(void)w;
	/* and with it its number */
	to_state(p->b.qp, IBV_QPS_RESET);
}

static void peer_failed(struct pair *p, struct work *w)
{
	(void)w;
	to_state(p->b.qp, IBV_QPS_ERR);
}

static void nothing(struct pair *p, struct work *w)
{
	(void)p;
	(void)w;
}

static const struct failure failures[] = {
	{"write, wrong rkey", IBV_WR_RDMA_WRITE, 100, wrong_rkey, {0}},
	{"write, no such rkey", IBV_WR_RDMA_WRITE, 100, no_such_rkey, {0}},
	{"long write, wrong rkey", IBV_WR_RDMA_WRITE, 30000, wrong_rkey, {0}},
	{"read, wrong rkey", IBV_WR_RDMA_READ, 100, wrong_rkey, {0}},
	{"atomic, wrong rkey",
	 IBV_WR_ATOMIC_FETCH_AND_ADD,
	 8,
	 wrong_atomic_rkey,
	 {0}},
	{"write beyond the region", IBV_WR_RDMA_WRITE, 100, beyond, {0}},
	{"long write beyond the region", IBV_WR_RDMA_WRITE, 20000, beyond, {0}},
	{"write before the region", IBV_WR_RDMA_WRITE, 100, before, {0}},
	{"read beyond the region", IBV_WR_RDMA_READ, 100, beyond, {0}},
	{"write, another PD",
	 IBV_WR_RDMA_WRITE,
	 100,
	 region_of_another_pd,
	 {0}},
	{"read, another PD", IBV_WR_RDMA_READ, 100, region_of_another_pd, {0}},
	{"write, only local", IBV_WR_RDMA_WRITE, 100, region_only_local, {0}},
	{"read, only local", IBV_WR_RDMA_READ, 100, region_only_local, {0}},
	{"write, to read only", IBV_WR_RDMA_WRITE, 100, region_to_read, {0}},
	{"atomic, to read only",
	 IBV_WR_ATOMIC_FETCH_AND_ADD,
	 8,
	 region_to_read,
	 {0}},
	{"write, deregistered", IBV_WR_RDMA_WRITE, 100, region_is_gone, {0}},
	{"write, QP without access",
	 IBV_WR_RDMA_WRITE,
	 100,
	 nothing,
	 {.no_access = true}},
	{"read, QP without access",
	 IBV_WR_RDMA_READ,
	 100,
	 nothing,
	 {.no_access = true}},
	{"atomic, QP without access",
	 IBV_WR_ATOMIC_FETCH_AND_ADD,
	 8,
	 nothing,
	 {.no_access = true}},
	{"send, wrong lkey", IBV_WR_SEND, 100, wrong_lkey, {0}},
	{"send beyond the region", IBV_WR_SEND, 100, local_beyond, {0}},
	{"send, another PD", IBV_WR_SEND, 100, local_of_another_pd, {0}},
	{"write, wrong lkey", IBV_WR_RDMA_WRITE, 100, wrong_lkey, {0}},
	{"read, wrong lkey", IBV_WR_RDMA_READ, 100, wrong_lkey, {0}},
	{"read into what is only read",
	 IBV_WR_RDMA_READ,
	 100,
	 local_read_only,
	 {0}},
	{"atomic, wrong lkey", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, wrong_lkey, {0}},
	{"send, received in less", IBV_WR_SEND, 100, receive_short, {0}},
	{"long send, received in less", IBV_WR_SEND, 30000, receive_short, {0}},
	{"send, received with wrong lkey",
	 IBV_WR_SEND,
	 100,
	 receive_wrong_lkey,
	 {0}},
	{"send, received beyond the region",
	 IBV_WR_SEND,
	 100,
	 receive_beyond,
	 {0}},
	{"send, received in what is only read",
	 IBV_WR_SEND,
	 100,
	 receive_read_only,
	 {0}},
	{"send, not received",
	 IBV_WR_SEND,
	 100,
	 nothing,
	 {.timeout = 18, .retry = 7, .rnr_retry = 1}},
	{"write with imm, not received",
	 IBV_WR_RDMA_WRITE_WITH_IMM,
	 100,
	 nothing,
	 {.timeout = 18, .retry = 7, .rnr_retry = 1}},
	{"send, peer reset",
	 IBV_WR_SEND,
	 100,
	 peer_is_gone,
	 {.timeout = 14, .retry = 2, .rnr_retry = 7}},
	{"send, peer failed",
	 IBV_WR_SEND,
	 100,
	 peer_failed,
	 {.timeout = 14, .retry = 2, .rnr_retry = 7}},
	{"write, peer failed",
	 IBV_WR_RDMA_WRITE,
	 100,
	 peer_failed,
	 {.timeout = 14, .retry = 1, .rnr_retry = 7}},
};

/* Another receive waits at each side, and another write behind the failure. */
static void fail(const struct failure *f)
{
	const bool receives =
		f->spoil == receive_short || f->spoil == receive_wrong_lkey ||
		f->spoil == receive_beyond || f->spoil == receive_read_only;
	const bool gone = f->spoil == peer_is_gone || f->spoil == peer_failed;
	struct work w, behind;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, &f->ways);
	must_post(recv_post(&p.a, 50, 0, 10));
	work_local(&w, &p.a, 1, f->opcode, 0, f->length);
	work_local(&behind, &p.a, 2, IBV_WR_RDMA_WRITE, 0, 10);
	work_remote(&behind, &p.b, 0);
	work_remote(&w, &p.b, 0);
	f->spoil(&p, &w);
	w.wr.next = &behind.wr;
	must_post(work_post(&p.a, &w));
	say_wc(f->name, p.a.scq, p.a.qp);
	say_wc("the next request", p.a.scq, p.a.qp);
	say_wc("the receive of the sender", p.a.rcq, p.a.qp);
	if (receives) {
		say_wc("receiver", p.b.rcq, p.b.qp);
		say_wc("the next receive", p.b.rcq, p.b.qp);
	}
	if (gone)
		say("states %s and %s", state_name(state_of(p.a.qp)),
		    state_name(state_of(p.b.qp)));
	else
		say_fate(f->name, &p);
	say("no more: %s", yes(no_wc(p.a.scq)));
	if (other_mr)
		rc_deregister(other_mr);
	other_mr = NULL;
	pair_close(&p);
	if (other_pd)
		ibv_dealloc_pd(other_pd);
	other_pd = NULL;
}

void group_errors(void)
{
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		fail(&failures[i]);
	say_events("all of that", NULL, false, false);
}

/* A QP that is told to fail, with much to do. */
void group_flush(void)
{
	const struct ways ways = {.timeout = 18, .retry = 7, .rnr_retry = 7};
	struct work w[5];
	struct pair p;
	unsigned int i;

	pair_open(&p, IBV_QPT_RC, &ways);
	for (i = 0; i < 5; i++)
		must_post(recv_post(&p.a, 10 + i, 0, 10));
	for (i = 0; i < 5; i++) {
		work_local(&w[i], &p.a, 20 + i, IBV_WR_SEND, 0, 10);
		w[i].wr.next = i < 4 ? &w[i + 1].wr : NULL;
		/* also those that nobody has asked for */
		if (i & 1)
			w[i].wr.send_flags = 0;
	}
	must_post(work_post(&p.a, &w[0]));
	say("nobody receives: nothing completes: %s", yes(no_wc(p.a.scq)));
	say("to ERR: %s", error_name(to_state(p.a.qp, IBV_QPS_ERR)));
	for (i = 0; i < 5; i++)
		say_wc("send", p.a.scq, p.a.qp);
	for (i = 0; i < 5; i++)
		say_wc("receive", p.a.rcq, p.a.qp);
	say("no more: %s", yes(no_wc(p.a.scq) && no_wc(p.a.rcq)));
	say("ERR to RTS: %s", error_name(to_state(p.a.qp, IBV_QPS_RTS)));
	work_local(&w[0], &p.a, 30, IBV_WR_SEND, 0, 10);
	say_work("send in ERR", &p.a, &w[0]);
	say_events("ERR", p.a.qp, false, false);
	pair_close(&p);

	pair_open(&p, IBV_QPT_RC, NULL);
	must_post(recv_post(&p.b, 39, 0, 10));
	say("receiver to ERR: %s", error_name(to_state(p.b.qp, IBV_QPS_ERR)));
	say_wc("receiver", p.b.rcq, p.b.qp);
	say("to RESET: %s", error_name(to_state(p.a.qp, IBV_QPS_RESET)));
	say("to RESET: %s", error_name(to_state(p.b.qp, IBV_QPS_RESET)));
	side_connect(&p.a, p.b.qp->qp_num, NULL);
	side_connect(&p.b, p.a.qp->qp_num, NULL);
	must_post(recv_post(&p.b, 40, 0, 10));
	work_local(&w[0], &p.a, 41, IBV_WR_SEND, 0, 10);
	say_work("after RESET: sender", &p.a, &w[0]);
	say_wc("after RESET: receiver", p.b.rcq, p.b.qp);
	must_post(recv_post(&p.b, 42, 0, 10));
	must_post(recv_post(&p.b, 43, 0, 10));
	say("receiver to ERR: %s", error_name(to_state(p.b.qp, IBV_QPS_ERR)));
	say_wc("receiver", p.b.rcq, p.b.qp);
	say_wc("receiver", p.b.rcq, p.b.qp);
	pair_close(&p);
}
