// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests that fail, for the program verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

/* Faults. */
enum fault {
	NOTHING,
	WRONG_RKEY,
	NO_SUCH_RKEY,
	BEYOND,
	BEFORE,
	REGION_OF_ANOTHER_PD,
	REGION_ONLY_LOCAL,
	REGION_TO_READ,
	REGION_DEREGISTERED,
	WRONG_LKEY,
	LOCAL_BEYOND,
	LOCAL_OF_ANOTHER_PD,
	LOCAL_READ_ONLY,
	RECEIVE_SHORT,
	RECEIVE_WRONG_LKEY,
	RECEIVE_BEYOND,
	RECEIVE_READ_ONLY,
	PEER_RESET,
	PEER_FAILED,
};

/* A work request that fails, and why; each is tried by a pair of its own. */
struct failure {
	const char *name;
	enum ibv_wr_opcode opcode;
	size_t length;
	enum fault fault;
	struct ways ways;
};

/* Objects of the failure, in addition to the pair. */
static struct ibv_pd *other_pd;
static struct ibv_mr *other_mr;

static void register_other(char *buf, unsigned int access)
{
	other_mr =
		ibv_reg_mr(other_pd ? other_pd : dev.pd, buf, BUFFER, access);
	if (!other_mr)
		die_errno("cannot register memory");
}

static void alloc_other_pd(void)
{
	other_pd = ibv_alloc_pd(dev.context);
	if (!other_pd)
		die_errno("cannot allocate a PD");
}

static uint32_t *rkey_of(struct work *w)
{
	return w->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD
		       ? &w->wr.wr.atomic.rkey
		       : &w->wr.wr.rdma.rkey;
}

static void use_other_remote(struct pair *p, struct work *w,
			     unsigned int access)
{
	register_other(p->b.buf, access);
	*rkey_of(w) = other_mr->rkey;
}

static void use_other_local(struct pair *p, struct work *w, unsigned int access)
{
	register_other(p->a.buf, access);
	w->sge.lkey = other_mr->lkey;
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

/* Spoil the work, or something else, before it is posted. */
static void spoil(enum fault fault, struct pair *p, struct work *w)
{
	switch (fault) {
	case NOTHING:
		break;
	case WRONG_RKEY:
		/* the same index, another key */
		*rkey_of(w) ^= 0x55;
		break;
	case NO_SUCH_RKEY:
		*rkey_of(w) = 0x7ffff00;
		break;
	case BEYOND:
		work_remote(w, &p->b, BUFFER - 50);
		break;
	case BEFORE:
		work_remote(w, &p->b, -1UL);
		break;
	case REGION_OF_ANOTHER_PD:
		alloc_other_pd();
		use_other_remote(p, w, ALL_ACCESS);
		break;
	case REGION_ONLY_LOCAL:
		use_other_remote(p, w, IBV_ACCESS_LOCAL_WRITE);
		break;
	case REGION_TO_READ:
		use_other_remote(p, w, IBV_ACCESS_REMOTE_READ);
		break;
	case REGION_DEREGISTERED:
		use_other_remote(p, w, ALL_ACCESS);
		rc_deregister(other_mr);
		other_mr = NULL;
		break;
	case WRONG_LKEY:
		w->sge.lkey ^= 0x55;
		break;
	case LOCAL_BEYOND:
		w->sge.addr = (uintptr_t)p->a.buf + BUFFER - 50;
		break;
	case LOCAL_OF_ANOTHER_PD:
		alloc_other_pd();
		use_other_local(p, w, ALL_ACCESS);
		break;
	case LOCAL_READ_ONLY:
		use_other_local(p, w, 0);
		break;
	case RECEIVE_SHORT:
		must_post(recv_post(&p->b, 100, 0, 50));
		must_post(recv_post(&p->b, 101, 0, 50));
		break;
	case RECEIVE_WRONG_LKEY:
		post_receive(&p->b, 0, p->b.mr->lkey ^ 0x55);
		break;
	case RECEIVE_BEYOND:
		post_receive(&p->b, BUFFER - 50, p->b.mr->lkey);
		break;
	case RECEIVE_READ_ONLY:
		register_other(p->b.buf, 0);
		post_receive(&p->b, 0, other_mr->lkey);
		break;
	case PEER_RESET:
		/* and with it its number */
		to_state(p->b.qp, IBV_QPS_RESET);
		break;
	case PEER_FAILED:
		to_state(p->b.qp, IBV_QPS_ERR);
		break;
	}
}

static const struct failure failures[] = {
	{"write, wrong rkey", IBV_WR_RDMA_WRITE, 100, WRONG_RKEY},
	{"write, no such rkey", IBV_WR_RDMA_WRITE, 100, NO_SUCH_RKEY},
	{"long write, wrong rkey", IBV_WR_RDMA_WRITE, 30000, WRONG_RKEY},
	{"read, wrong rkey", IBV_WR_RDMA_READ, 100, WRONG_RKEY},
	{"atomic, wrong rkey", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, WRONG_RKEY},
	{"write beyond the region", IBV_WR_RDMA_WRITE, 100, BEYOND},
	{"long write beyond the region", IBV_WR_RDMA_WRITE, 20000, BEYOND},
	{"write before the region", IBV_WR_RDMA_WRITE, 100, BEFORE},
	{"read beyond the region", IBV_WR_RDMA_READ, 100, BEYOND},
	{"write, another PD", IBV_WR_RDMA_WRITE, 100, REGION_OF_ANOTHER_PD},
	{"read, another PD", IBV_WR_RDMA_READ, 100, REGION_OF_ANOTHER_PD},
	{"write, only local", IBV_WR_RDMA_WRITE, 100, REGION_ONLY_LOCAL},
	{"read, only local", IBV_WR_RDMA_READ, 100, REGION_ONLY_LOCAL},
	{"write, to read only", IBV_WR_RDMA_WRITE, 100, REGION_TO_READ},
	{"atomic, to read only", IBV_WR_ATOMIC_FETCH_AND_ADD, 8,
	 REGION_TO_READ},
	{"write, deregistered", IBV_WR_RDMA_WRITE, 100, REGION_DEREGISTERED},
	{"write, QP without access",
	 IBV_WR_RDMA_WRITE,
	 100,
	 NOTHING,
	 {.no_access = true}},
	{"read, QP without access",
	 IBV_WR_RDMA_READ,
	 100,
	 NOTHING,
	 {.no_access = true}},
	{"atomic, QP without access",
	 IBV_WR_ATOMIC_FETCH_AND_ADD,
	 8,
	 NOTHING,
	 {.no_access = true}},
	{"send, wrong lkey", IBV_WR_SEND, 100, WRONG_LKEY},
	{"send beyond the region", IBV_WR_SEND, 100, LOCAL_BEYOND},
	{"send, another PD", IBV_WR_SEND, 100, LOCAL_OF_ANOTHER_PD},
	{"write, wrong lkey", IBV_WR_RDMA_WRITE, 100, WRONG_LKEY},
	{"read, wrong lkey", IBV_WR_RDMA_READ, 100, WRONG_LKEY},
	{"read into what is only read", IBV_WR_RDMA_READ, 100, LOCAL_READ_ONLY},
	{"atomic, wrong lkey", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, WRONG_LKEY},
	{"send, received in less", IBV_WR_SEND, 100, RECEIVE_SHORT},
	{"long send, received in less", IBV_WR_SEND, 30000, RECEIVE_SHORT},
	{"send, received with wrong lkey", IBV_WR_SEND, 100,
	 RECEIVE_WRONG_LKEY},
	{"send, received beyond the region", IBV_WR_SEND, 100, RECEIVE_BEYOND},
	{"send, received in what is only read", IBV_WR_SEND, 100,
	 RECEIVE_READ_ONLY},
	{"send, not received",
	 IBV_WR_SEND,
	 100,
	 NOTHING,
	 {.timeout = 18, .retry = 7, .rnr_retry = 1}},
	{"write with imm, not received",
	 IBV_WR_RDMA_WRITE_WITH_IMM,
	 100,
	 NOTHING,
	 {.timeout = 18, .retry = 7, .rnr_retry = 1}},
	{"send, peer reset",
	 IBV_WR_SEND,
	 100,
	 PEER_RESET,
	 {.timeout = 14, .retry = 2, .rnr_retry = 7}},
	{"send, peer failed",
	 IBV_WR_SEND,
	 100,
	 PEER_FAILED,
	 {.timeout = 14, .retry = 2, .rnr_retry = 7}},
	{"write, peer failed",
	 IBV_WR_RDMA_WRITE,
	 100,
	 PEER_FAILED,
	 {.timeout = 14, .retry = 1, .rnr_retry = 7}},
};

/* Another receive waits at each side, and another write after the failure. */
static void fail(const struct failure *f)
{
	const bool receives =
		f->fault >= RECEIVE_SHORT && f->fault <= RECEIVE_READ_ONLY;
	const bool gone = f->fault == PEER_RESET || f->fault == PEER_FAILED;
	struct work w, behind;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, &f->ways);
	must_post(recv_post(&p.a, 50, 0, 10));
	work_local(&w, &p.a, 1, f->opcode, 0, f->length);
	work_local(&behind, &p.a, 2, IBV_WR_RDMA_WRITE, 0, 10);
	work_remote(&behind, &p.b, 0);
	work_remote(&w, &p.b, 0);
	spoil(f->fault, &p, &w);
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

void suite_errors(void)
{
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		fail(&failures[i]);
	say_events("all of that", NULL, QUIET, false);
}

/* A QP that is moved to ERR, with work in its queues. */
void suite_flush(void)
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
		/* also unsignaled ones */
		if (i & 1)
			w[i].wr.send_flags = 0;
	}
	must_post(work_post(&p.a, &w[0]));
	say("no receive: nothing completes: %s", yes(no_wc(p.a.scq)));
	say("to ERR: %s", error_name(to_state(p.a.qp, IBV_QPS_ERR)));
	for (i = 0; i < 5; i++)
		say_wc("send", p.a.scq, p.a.qp);
	for (i = 0; i < 5; i++)
		say_wc("receive", p.a.rcq, p.a.qp);
	say("no more: %s", yes(no_wc(p.a.scq) && no_wc(p.a.rcq)));
	say("ERR to RTS: %s", error_name(to_state(p.a.qp, IBV_QPS_RTS)));
	work_local(&w[0], &p.a, 30, IBV_WR_SEND, 0, 10);
	say_work("send in ERR", &p.a, &w[0]);
	say_events("ERR", p.a.qp, QUIET, false);
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
