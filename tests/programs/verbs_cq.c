// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues for the program verbs: events, sizes, moderation, the
 * extended interface, and what happens when they are full.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs.h"

/* An event of the CQ comes, or does not. */
static void say_event(const char *what, struct ibv_comp_channel *channel,
		      struct ibv_cq *wanted, bool expected)
{
	struct ibv_cq *cq;
	void *context;

	if (!wait_readable(channel->fd, expected ? 10 : 0.3)) {
		say("%s: no event", what);
		return;
	}
	if (ibv_get_cq_event(channel, &cq, &context))
		die_errno("cannot get an event of a CQ");
	ibv_ack_cq_events(cq, 1);
	say("%s: event of the CQ: %s", what, yes(cq == wanted));
}

static void send_small(struct pair *p, int flags)
{
	struct work w;

	must_post(recv_post(&p->b, 1, 0, 100));
	work_local(&w, &p->a, 2, IBV_WR_SEND, 0, 100);
	w.wr.send_flags |= flags;
	must_post(work_post(&p->a, &w));
	say_wc("sender", p->a.scq, p->a.qp);
}

static void events(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(dev.context);
	struct ways ways = {.channel = channel};
	struct ibv_cq *cq;
	struct pair p;

	if (!channel)
		die_errno("cannot create a completion channel");
	pair_open(&p, IBV_QPT_RC, &ways);
	cq = p.b.rcq;
	send_small(&p, 0);
	say_event("not armed", channel, cq, false);
	say_wc("not armed", cq, p.b.qp);
	say("arm: %s", error_name(ibv_req_notify_cq(cq, 0)));
	say_event("armed, nothing sent", channel, cq, false);
	send_small(&p, 0);
	say_event("armed", channel, cq, true);
	say_wc("armed", cq, p.b.qp);
	send_small(&p, 0);
	say_event("armed once only", channel, cq, false);
	say_wc("armed once only", cq, p.b.qp);
	say("arm for solicited: %s", error_name(ibv_req_notify_cq(cq, 1)));
	send_small(&p, 0);
	say_event("not solicited", channel, cq, false);
	say_wc("not solicited", cq, p.b.qp);
	send_small(&p, IBV_SEND_SOLICITED);
	say_event("solicited", channel, cq, true);
	say_wc("solicited", cq, p.b.qp);
	say("arm for solicited: %s", error_name(ibv_req_notify_cq(cq, 1)));
	say("arm for all: %s", error_name(ibv_req_notify_cq(cq, 0)));
	send_small(&p, 0);
	say_event("armed for both", channel, cq, true);
	say_wc("armed for both", cq, p.b.qp);
	say("arm for solicited: %s", error_name(ibv_req_notify_cq(cq, 1)));
	say("to ERR: %s", error_name(to_state(p.b.qp, IBV_QPS_ERR)));
	say_event("nothing to flush", channel, cq, false);
	pair_close(&p);
	ibv_destroy_comp_channel(channel);
}

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

static struct ibv_cq_ex *create_ex(const char *what, uint64_t wc_flags,
				   uint32_t flags)
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
	return cq;
}

static void destroy_ex(struct ibv_cq_ex *cq)
{
	if (cq)
		ibv_destroy_cq(ibv_cq_ex_to_cq(cq));
}

static void say_ex(struct ibv_cq_ex *cq, struct pair *p)
{
	unsigned int flags = ibv_wc_read_wc_flags(cq);

	say("extended: wr %u, %s, opcode %d, %u bytes, flags 0x%x, imm 0x%x",
	    (unsigned int)cq->wr_id, ibv_wc_status_str(cq->status),
	    ibv_wc_read_opcode(cq), ibv_wc_read_byte_len(cq), flags,
	    flags & IBV_WC_WITH_IMM ? be32toh(ibv_wc_read_imm_data(cq)) : 0);
	say("extended: vendor 0x%x, QP %s, source %u, slid %u, sl %u, path %u",
	    ibv_wc_read_vendor_err(cq),
	    yes(ibv_wc_read_qp_num(cq) == p->b.qp->qp_num),
	    ibv_wc_read_src_qp(cq), ibv_wc_read_slid(cq), ibv_wc_read_sl(cq),
	    ibv_wc_read_dlid_path_bits(cq));
}

static void extended(void)
{
	struct ibv_poll_cq_attr none = {0};
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {2, 8, 1, 1, 0},
	};
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	struct pair p;
	struct work w;
	int i;

	destroy_ex(create_ex("with timestamps",
			     IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 0));
	destroy_ex(create_ex("with flow tags", IBV_WC_EX_WITH_FLOW_TAG, 0));
	destroy_ex(create_ex("ignoring overruns", IBV_WC_STANDARD_FLAGS,
			     IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN));
	destroy_ex(create_ex("of one thread", IBV_WC_STANDARD_FLAGS,
			     IBV_CREATE_CQ_ATTR_SINGLE_THREADED));
	cq = create_ex("", IBV_WC_STANDARD_FLAGS, 0);
	if (!cq)
		die("no extended CQ");
	pair_open(&p, IBV_QPT_RC, NULL);
	/* the second side receives by another QP, whose CQ is extended */
	init.send_cq = p.b.scq;
	init.recv_cq = ibv_cq_ex_to_cq(cq);
	qp = ibv_create_qp(dev.pd, &init);
	if (!qp)
		die_errno("cannot create a QP");
	ibv_destroy_qp(p.b.qp);
	p.b.qp = qp;
	to_state(p.a.qp, IBV_QPS_RESET);
	side_connect(&p.a, p.b.qp->qp_num, NULL);
	side_connect(&p.b, p.a.qp->qp_num, NULL);
	say("start_poll of nothing: %s", error_name(ibv_start_poll(cq, &none)));
	for (i = 0; i < 3; i++) {
		must_post(recv_post(&p.b, 10 + (unsigned int)i, 0, 100));
		work_local(&w, &p.a, 20 + (unsigned int)i,
			   i ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, 0,
			   100 - (unsigned int)i);
		w.wr.imm_data = htobe32(0x4321);
		/* its end means that the receiver has its completion */
		say_work("sender", &p.a, &w);
	}
	if (ibv_start_poll(cq, &none))
		die("there is no completion");
	say_ex(cq, &p);
	say("next_poll: %s", error_name(ibv_next_poll(cq)));
	say_ex(cq, &p);
	ibv_end_poll(cq);
	say("start_poll: %s", error_name(ibv_start_poll(cq, &none)));
	say_ex(cq, &p);
	ibv_end_poll(cq);
	say("start_poll: %s", error_name(ibv_start_poll(cq, &none)));
	must_post(recv_post(&p.b, 30, 0, 100));
	work_local(&w, &p.a, 31, IBV_WR_SEND, 0, 5);
	say_work("sender", &p.a, &w);
	say_wc("polled as an ordinary CQ", ibv_cq_ex_to_cq(cq), p.b.qp);
	ibv_destroy_qp(p.b.qp);
	say("destroy: %s", error_name(ibv_destroy_cq(ibv_cq_ex_to_cq(cq))));
	/* for pair_close() */
	init.recv_cq = p.b.rcq;
	p.b.qp = ibv_create_qp(dev.pd, &init);
	if (!p.b.qp)
		die_errno("cannot create a QP");
	pair_close(&p);
}

void group_cq(void)
{
	events();
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
void group_overrun(void)
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
	say_events("sends", tiny, true, false);
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
	say_events("receives", tiny, true, false);
	say_wc("receives", tiny, p.b.qp);
	say("receives: state %s", state_name(state_of(p.b.qp)));
	close_tiny(&p, tiny);
}
