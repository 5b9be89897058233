// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams and multicast for the program verbs.
 */
#include <errno.h>
#include <string.h>

#include "verbs.h"

#define GRH 40

static void say_grh(const char *what, struct side *s)
{
	const uint8_t *ip = (const uint8_t *)s->buf + 20;

	/* as the GID is an IPv4 address */
	say("%s: GRH of IPv4 %s, to %s, from %s, protocol %u", what,
	    yes(ip[0] == 0x45), yes(!memcmp(ip + 16, dev.gid.raw + 12, 4)),
	    yes(!memcmp(ip + 12, dev.gid.raw + 12, 4)), ip[9]);
}

/* A datagram; says at the receiver what is known of the sender. */
static bool datagram(const char *what, struct pair *p, struct ibv_ah *ah,
		     size_t length, enum ibv_wr_opcode opcode, int flags,
		     struct ibv_wc *wc)
{
	struct work w;
	bool came;

	fill(&p->a, 0, length, length + 1);
	memset(p->b.buf, 0, BUFFER);
	must_post(recv_post(&p->b, 1, 0, GRH + length + 10));
	work_local(&w, &p->a, 2, opcode, 0, length);
	work_ud(&w, &p->b, ah);
	w.wr.send_flags |= flags;
	w.wr.imm_data = htobe32(0xfedc);
	must_post(work_post(&p->a, &w));
	if (flags & IBV_SEND_INLINE)
		memset(p->a.buf, 0xff, BUFFER);
	say_wc(what, p->a.scq, p->a.qp);
	came = wait_wc(p->b.rcq, wc);
	say("%s, %zu bytes: %s, %s, source QP %s", what, length,
	    came ? wc_text(wc, p->b.qp) : "timeout",
	    filled(&p->b, GRH, length, length + 1),
	    wc->src_qp == p->a.qp->qp_num ? "ok" : "wrong");
	return came;
}

/* Back to where a datagram came from. */
static void reply(struct pair *p, struct ibv_wc *wc)
{
	struct ibv_grh *grh = (struct ibv_grh *)p->b.buf;
	struct ibv_ah_attr attr, own;
	struct ibv_ah *ah;
	struct work w;
	const char *came;
	char first[GRH];
	int err;

	memcpy(first, p->b.buf, GRH);
	memset(&attr, 0, sizeof(attr));
	own_ah_attr(&own);
	errno = 0;
	err = ibv_init_ah_from_wc(dev.context, 1, wc, grh, &attr);
	say("ibv_init_ah_from_wc: %s", err ? "failed" : "ok");
	say("attributes: GRH %u, own GID %s, index %s, hops %u, class %u, flow %u, port %u",
	    attr.is_global,
	    yes(!memcmp(&attr.grh.dgid, &own.grh.dgid, sizeof(dev.gid))),
	    attr.grh.sgid_index == own.grh.sgid_index ? "ok" : "other",
	    attr.grh.hop_limit, attr.grh.traffic_class, attr.grh.flow_label,
	    attr.port_num);
	memcpy(p->b.buf, first, GRH);
	errno = 0;
	ah = ibv_create_ah_from_wc(dev.pd, wc, grh, 1);
	say("ibv_create_ah_from_wc: %s", ah ? "ok" : "failed");
	if (!ah) {
		say("reply: no AH");
		say("reply: no AH");
		return;
	}
	fill(&p->b, 0, 500, 99);
	must_post(recv_post(&p->a, 3, 0, 1000));
	work_local(&w, &p->b, 4, IBV_WR_SEND, 0, 500);
	work_ud(&w, &p->a, ah);
	w.wr.wr.ud.remote_qpn = wc->src_qp;
	say_work("reply", &p->b, &w);
	came = next_wc(p->a.rcq, p->a.qp);
	say("reply: %s, %s", came, filled(&p->a, GRH, 500, 99));
	ibv_destroy_ah(ah);
}

/* Messages that never arrive, and some that break a QP. */
static void lost(struct pair *p, struct ibv_ah *ah)
{
	struct ibv_pd *other_pd = ibv_alloc_pd(dev.context);
	struct ibv_ah_attr attr;
	struct ibv_ah *other;
	struct work w;

	must_post(recv_post(&p->b, 10, 0, 1000));
	work_local(&w, &p->a, 11, IBV_WR_SEND, 0, 100);
	work_ud(&w, &p->b, ah);
	w.wr.wr.ud.remote_qkey = QKEY + 1;
	say_work("wrong qkey: sender", &p->a, &w);
	say("wrong qkey: nothing comes: %s", yes(no_wc(p->b.rcq)));
	work_local(&w, &p->a, 12, IBV_WR_SEND, 0, 5000);
	work_ud(&w, &p->b, ah);
	say_work("longer than the MTU: sender", &p->a, &w);
	say("longer than the MTU: nothing comes: %s", yes(no_wc(p->b.rcq)));
	work_local(&w, &p->a, 13, IBV_WR_SEND, 0, 960);
	work_ud(&w, &p->b, ah);
	say_work("as long as what is received: sender", &p->a, &w);
	say_wc("as long as what is received", p->b.rcq, p->b.qp);

	must_post(recv_post(&p->b, 14, 0, 100));
	work_local(&w, &p->a, 15, IBV_WR_SEND, 0, 61);
	work_ud(&w, &p->b, ah);
	say_work("longer than what is received: sender", &p->a, &w);
	say_fate("longer than what is received", p);

	if (!other_pd)
		die_errno("cannot allocate a PD");
	own_ah_attr(&attr);
	other = ibv_create_ah(other_pd, &attr);
	if (!other)
		die_errno("cannot create an AH");
	work_local(&w, &p->a, 16, IBV_WR_SEND, 0, 10);
	work_ud(&w, &p->b, other);
	say_work("AH of another PD: sender", &p->a, &w);
	say("AH of another PD: state %s", state_name(state_of(p->a.qp)));
	say("PD in use: %s", error_name(ibv_dealloc_pd(other_pd)));
	say("AH: %s", error_name(ibv_destroy_ah(other)));
	say("PD: %s", error_name(ibv_dealloc_pd(other_pd)));
}

void suite_ud(void)
{
	struct ibv_ah *ah, *many[8];
	struct ibv_wc wc;
	struct pair p;
	int i;

	pair_open(&p, IBV_QPT_UD, NULL);
	ah = own_ah();
	datagram("send", &p, ah, 0, IBV_WR_SEND, 0, &wc);
	say_grh("send", &p.b);
	datagram("send", &p, ah, 1, IBV_WR_SEND, 0, &wc);
	datagram("send with imm", &p, ah, 777, IBV_WR_SEND_WITH_IMM, 0, &wc);
	datagram("send inline", &p, ah, 64, IBV_WR_SEND, IBV_SEND_INLINE, &wc);
	if (datagram("send", &p, ah, 1000, IBV_WR_SEND, 0, &wc))
		reply(&p, &wc);
	for (i = 0; i < 8; i++)
		many[i] = own_ah();
	for (i = 0; i < 8; i += 2)
		ibv_destroy_ah(many[i]);
	datagram("one of many AHs", &p, many[5], 100, IBV_WR_SEND, 0, &wc);
	for (i = 1; i < 8; i += 2)
		ibv_destroy_ah(many[i]);
	lost(&p, ah);
	say("ibv_destroy_ah: %s", error_name(ibv_destroy_ah(ah)));
	pair_close(&p);
}

static void say_group(const char *what, struct side *s, uint64_t seed)
{
	struct ibv_wc wc;

	if (wait_wc(s->rcq, &wc))
		say("%s: %s, %s", what, wc_text(&wc, s->qp),
		    filled(s, GRH, 300, seed));
	else
		say("%s: timeout", what);
}

/*
 * Multicast to two QPs. To 224.0.0.1 as every host is a member there: so the
 * host's network gives back to rxe what rxe sends.
 */
void suite_mcast(void)
{
	static const uint8_t raw[16] = {[10] = 0xff, 0xff, 224, 0, 0, 1};
	struct ibv_ah_attr attr;
	struct side sender, other;
	union ibv_gid group;
	struct ibv_ah *ah;
	struct pair p;
	struct work w;
	int i;

	memcpy(group.raw, raw, sizeof(raw));
	side_open(&sender, IBV_QPT_UD, NULL);
	side_connect(&sender, 0, NULL);
	side_open(&other, IBV_QPT_RC, NULL);
	pair_open(&p, IBV_QPT_UD, NULL);
	say("attach: %s", error_name(ibv_attach_mcast(p.a.qp, &group, 0)));
	say("attach another: %s",
	    error_name(ibv_attach_mcast(p.b.qp, &group, 0)));
	say("attach again: %s",
	    error_name(ibv_attach_mcast(p.a.qp, &group, 0)));
	say("attach RC: %s", error_name(ibv_attach_mcast(other.qp, &group, 0)));
	say("attach to a GID that is not a group: %s",
	    error_name(ibv_attach_mcast(p.a.qp, &dev.gid, 0)));
	say("destroy a member: %s", error_name(ibv_destroy_qp(p.a.qp)));

	own_ah_attr(&attr);
	attr.grh.dgid = group;
	errno = 0;
	ah = ibv_create_ah(dev.pd, &attr);
	say("AH to the group: %s", made(ah));
	if (!ah)
		die("no AH");
	for (i = 0; i < 2; i++) {
		fill(&sender, 0, 300, 5 + (unsigned int)i);
		must_post(recv_post(&p.a, 1, 0, 400));
		must_post(recv_post(&p.b, 2, 0, 400));
		work_local(&w, &sender, 3, IBV_WR_SEND, 0, 300);
		work_ud(&w, &p.a, ah);
		w.wr.wr.ud.remote_qpn = 0xffffff;
		say_work("sender", &sender, &w);
		say_group("member", &p.a, 5 + (unsigned int)i);
		if (!i)
			say_group("other member", &p.b, 5);
		else
			say("no longer a member: nothing arrives: %s",
			    yes(no_wc(p.b.rcq)));
		say("detach: %s", error_name(ibv_detach_mcast(
					  i ? p.a.qp : p.b.qp, &group, 0)));
	}
	say("detach again: %s",
	    error_name(ibv_detach_mcast(p.a.qp, &group, 0)));
	ibv_destroy_ah(ah);
	pair_close(&p);
	side_close(&other);
	side_close(&sender);
}
