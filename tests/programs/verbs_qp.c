// SPDX-License-Identifier: GPL-2.0-only
/*
 * States of queue pairs and the result of queries in each, for the program
 * verbs.
 */
#include <errno.h>
#include <string.h>

#include "verbs.h"

static const int everything =
	IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |
	IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV |
	IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
	IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP |
	IBV_QP_DEST_QPN;

static void say_attr(const char *what, struct side *s, uint32_t peer)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	memset(&init, 0, sizeof(init));
	err = ibv_query_qp(s->qp, &attr, everything, &init);
	say("%s: query: %s, %s, library %s", what, error_name(err),
	    state_name(attr.qp_state), state_name(s->qp->state));
	say("%s: mtu %d, access 0x%x, pkey %u, port %u, qkey 0x%x", what,
	    attr.path_mtu, attr.qp_access_flags, attr.pkey_index, attr.port_num,
	    attr.qkey);
	say("%s: timeout %u, retries %u and %u, rnr timer %u, rd_atomic %u and %u",
	    what, attr.timeout, attr.retry_cnt, attr.rnr_retry,
	    attr.min_rnr_timer, attr.max_rd_atomic, attr.max_dest_rd_atomic);
	say("%s: psn %u and %u, destination: %s", what, attr.sq_psn,
	    attr.rq_psn,
	    attr.dest_qp_num == peer ? "the peer"
	    : attr.dest_qp_num	     ? "another"
				     : "none");
	say("%s: %u and %u requests, %u and %u pieces, %u bytes inline", what,
	    attr.cap.max_send_wr, attr.cap.max_recv_wr, attr.cap.max_send_sge,
	    attr.cap.max_recv_sge, attr.cap.max_inline_data);
	say("%s: GRH %u, own GID %s, index %s, hop limit %u, class %u, flow %u",
	    what, attr.ah_attr.is_global,
	    yes(!memcmp(&attr.ah_attr.grh.dgid, &dev.gid, sizeof(dev.gid))),
	    attr.ah_attr.grh.sgid_index == dev.gid_index ? "ok" : "other",
	    attr.ah_attr.grh.hop_limit, attr.ah_attr.grh.traffic_class,
	    attr.ah_attr.grh.flow_label);
	say("%s: created with: type %d, all signaled %d, CQs %s, SRQ %s", what,
	    init.qp_type, init.sq_sig_all,
	    yes(init.send_cq == s->scq && init.recv_cq == s->rcq),
	    yes(init.srq));
}

static void states(const char *what, enum ibv_qp_type type)
{
	struct side s, peer;
	uint32_t to;

	say("%s", what);
	side_open(&s, type, NULL);
	side_open(&peer, type, NULL);
	to = peer.qp->qp_num;
	say_attr("RESET", &s, to);
	say("to INIT: %s", error_name(to_init(&s, NULL)));
	say_attr("INIT", &s, to);
	say("to RTR: %s", error_name(to_rtr(&s, to)));
	say_attr("RTR", &s, to);
	say("to RTS: %s", error_name(to_rts(&s, NULL)));
	say_attr("RTS", &s, to);
	say("to ERR: %s", error_name(to_state(s.qp, IBV_QPS_ERR)));
	say_attr("ERR", &s, to);
	say("to RESET: %s", error_name(to_state(s.qp, IBV_QPS_RESET)));
	say("state %s", state_name(state_of(s.qp)));
	side_connect(&s, to, NULL);
	say("connected again, state %s", state_name(state_of(s.qp)));
	side_close(&peer);
	side_close(&s);
}

static void try(const char *what, struct side *s, struct ibv_qp_attr *attr,
		int mask)
{
	int err = ibv_modify_qp(s->qp, attr, mask);

	say("%s: %s, state %s", what, error_name(err),
	    state_name(state_of(s->qp)));
}

/* Modifications that do not fit to the state, or that have wrong values. */
static void wrong(void)
{
	const int to_init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				 IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	const int to_rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER;
	const int to_rts_mask = IBV_QP_STATE | IBV_QP_TIMEOUT |
				IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	struct ibv_qp_attr attr, right = {
					 .port_num = 1,
					 .path_mtu = dev.mtu,
					 .dest_qp_num = 1234,
					 .max_dest_rd_atomic = 1,
					 .max_rd_atomic = 1,
					 .min_rnr_timer = 12,
					 .timeout = 14,
					 .retry_cnt = 7,
					 .rnr_retry = 7,
				 };
	struct side s;

	own_ah_attr(&right.ah_attr);
	side_open(&s, IBV_QPT_RC, NULL);

	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	try("RESET to RTR", &s, &attr, to_rtr_mask);
	attr.qp_state = IBV_QPS_RTS;
	try("RESET to RTS", &s, &attr, to_rts_mask);
	attr.qp_state = IBV_QPS_INIT;
	try("to INIT with the state only", &s, &attr, IBV_QP_STATE);
	try("to INIT with a qkey", &s, &attr, to_init_mask | IBV_QP_QKEY);
	attr.port_num = 2;
	try("to INIT of port 2", &s, &attr, to_init_mask);
	attr = right;
	attr.qp_state = IBV_QPS_INIT;
	attr.pkey_index = 1000;
	try("to INIT of another pkey", &s, &attr, to_init_mask);
	attr = right;
	attr.qp_state = IBV_QPS_INIT;
	attr.cur_qp_state = IBV_QPS_RTS;
	try("to INIT from RTS, it says", &s, &attr,
	    to_init_mask | IBV_QP_CUR_STATE);
	to_state(s.qp, IBV_QPS_RESET);
	attr = right;
	attr.qp_state = IBV_QPS_INIT;
	try("to INIT", &s, &attr, to_init_mask);

	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	try("to RTR without address", &s, &attr, to_rtr_mask & ~IBV_QP_AV);
	attr.ah_attr.grh.sgid_index = 250;
	try("to RTR from a GID that is not there", &s, &attr, to_rtr_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	attr.ah_attr.is_global = 0;
	try("to RTR without GRH", &s, &attr, to_rtr_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	attr.ah_attr.port_num = 2;
	try("to RTR through port 2", &s, &attr, to_rtr_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = 7;
	try("to RTR with an MTU that is not there", &s, &attr, to_rtr_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTR;
	try("to RTR", &s, &attr, to_rtr_mask);

	attr = right;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 32;
	try("to RTS with too long a timeout", &s, &attr, to_rts_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTS;
	attr.max_rd_atomic = 255;
	try("to RTS with too many atomics", &s, &attr, to_rts_mask);
	attr = right;
	attr.qp_state = IBV_QPS_RTS;
	try("to RTS without retries", &s, &attr,
	    to_rts_mask & ~IBV_QP_RETRY_CNT);
	try("to RTS", &s, &attr, to_rts_mask);
	attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
	try("RTS: other access", &s, &attr, IBV_QP_ACCESS_FLAGS);
	attr.min_rnr_timer = 5;
	try("RTS: other timer", &s, &attr, IBV_QP_MIN_RNR_TIMER);
	try("RTS: other MTU", &s, &attr, IBV_QP_PATH_MTU);
	attr.qp_state = IBV_QPS_INIT;
	try("RTS to INIT", &s, &attr, to_init_mask);
	say_attr("after that", &s, 1234);
	side_close(&s);
}

static void drain(void)
{
	struct work w;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, NULL);
	must_post(recv_post(&p.b, 1, 0, 100));
	work_local(&w, &p.a, 2, IBV_WR_SEND, 0, 100);
	say_work("before the drain", &p.a, &w);
	say_wc("before the drain", p.b.rcq, p.b.qp);
	say("RTS to SQD: %s", error_name(to_state(p.a.qp, IBV_QPS_SQD)));
	say_events("SQD", p.a.qp, hang_seconds(), false);
	say("state %s", state_name(state_of(p.a.qp)));
	say("SQD to RTS: %s", error_name(to_state(p.a.qp, IBV_QPS_RTS)));
	must_post(recv_post(&p.b, 3, 0, 100));
	work_local(&w, &p.a, 4, IBV_WR_SEND, 0, 100);
	say_work("after the drain", &p.a, &w);
	say_wc("after the drain", p.b.rcq, p.b.qp);
	pair_close(&p);
}

/* Requests that queues refuse: too many, or too early. */
static void limits(void)
{
	struct ibv_sge pieces[100] = {{0}};
	struct work w;
	struct side s;
	int i, err;

	side_open(&s, IBV_QPT_RC, NULL);
	say("receive in RESET: %s", error_name(recv_post(&s, 1, 0, 10)));
	must_post(to_init(&s, NULL));
	for (i = 0, err = 0; i < 1000 && !err; i++)
		err = recv_post(&s, 1, 0, 10);
	say("receive number %d in INIT: %s", i, error_name(err));
	work_local(&w, &s, 1, IBV_WR_SEND, 0, 10);
	say("send in INIT: %s", error_name(work_post(&s, &w)));
	w.wr.sg_list = pieces;
	w.wr.num_sge = 100;
	say("send with too many pieces: %s", error_name(work_post(&s, &w)));
	work_local(&w, &s, 1, IBV_WR_SEND, 0, 10000);
	w.wr.send_flags |= IBV_SEND_INLINE;
	say("send with too many bytes inline: %s",
	    error_name(work_post(&s, &w)));
	side_close(&s);
}

/* Objects that others still use. */
static void busy(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(dev.context);
	struct ways ways = {.channel = channel};
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct side s;

	if (!channel || !pd)
		die("cannot create a channel and a PD");
	side_open(&s, IBV_QPT_RC, &ways);
	say("CQ in use: %s", error_name(ibv_destroy_cq(s.scq)));
	say("PD in use: %s", error_name(ibv_dealloc_pd(dev.pd)));
	say("channel in use: %s",
	    error_name(ibv_destroy_comp_channel(channel)));
	say("PD not in use: %s", error_name(ibv_dealloc_pd(pd)));
	side_close(&s);
	say("channel not in use: %s",
	    error_name(ibv_destroy_comp_channel(channel)));
}

void suite_qp(void)
{
	states("RC", IBV_QPT_RC);
	states("UC", IBV_QPT_UC);
	states("UD", IBV_QPT_UD);
	wrong();
	drain();
	limits();
	busy();
}
