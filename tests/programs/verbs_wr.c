// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work requests by ibv_wr_start() and so on, for the program verbs.
 */
#include <errno.h>
#include <string.h>

#include "verbs.h"

static const struct ways ways = {.wr_api = true};

static struct ibv_qp_ex *start(struct side *s, uint64_t id, unsigned int flags)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(s->qp);

	if (!qp)
		die("the QP is not an extended one");
	ibv_wr_start(qp);
	qp->wr_id = id;
	qp->wr_flags = flags;
	return qp;
}

/* End of the requests, of which one at least is signaled. */
static void complete(const char *what, struct side *s)
{
	int err = ibv_wr_complete(ibv_qp_to_qp_ex(s->qp));

	if (err)
		say("%s: not posted, %s", what, error_name(err));
	else
		say_wc(what, s->scq, s->qp);
}

static void set(struct ibv_qp_ex *qp, struct side *s, size_t at, size_t length)
{
	ibv_wr_set_sge(qp, s->mr->lkey, (uintptr_t)s->buf + at,
		       (uint32_t)length);
}

static void sends(struct pair *p)
{
	struct ibv_data_buf parts[2] = {{p->a.buf, 20}, {p->a.buf + 20, 20}};
	struct ibv_sge pieces[2];
	struct ibv_qp_ex *qp;
	const char *b;
	int i;

	fill(&p->a, 0, 3000, 7);
	for (i = 0; i < 5; i++)
		must_post(recv_post(&p->b, 1, 4000 * (unsigned int)i, 4000));
	qp = start(&p->a, 10, IBV_SEND_SIGNALED);
	ibv_wr_send(qp);
	set(qp, &p->a, 0, 3000);
	complete("ibv_wr_send", &p->a);
	qp = start(&p->a, 11, IBV_SEND_SIGNALED);
	ibv_wr_send_imm(qp, htobe32(0x99));
	for (i = 0; i < 2; i++) {
		pieces[i].addr = (uintptr_t)p->a.buf + 1500UL * (unsigned int)i;
		pieces[i].length = 1500;
		pieces[i].lkey = p->a.mr->lkey;
	}
	ibv_wr_set_sge_list(qp, 2, pieces);
	complete("ibv_wr_send_imm, 2 pieces", &p->a);
	qp = start(&p->a, 12, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, p->a.buf, 33);
	complete("inline", &p->a);
	qp = start(&p->a, 13, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data_list(qp, 2, parts);
	complete("inline, 2 parts", &p->a);
	qp = start(&p->a, 14, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, p->a.buf, 30000);
	complete("too much inline", &p->a);
	qp = start(&p->a, 15, IBV_SEND_SIGNALED);
	ibv_wr_send(qp);
	set(qp, &p->a, 0, 10);
	ibv_wr_abort(qp);
	say("aborted: nothing completes: %s", yes(no_wc(p->a.scq)));
	qp = start(&p->a, 16, 0);
	ibv_wr_send(qp);
	set(qp, &p->a, 0, 100);
	qp->wr_id = 17;
	qp->wr_flags = IBV_SEND_SIGNALED;
	if (p->a.type == IBV_QPT_RC) {
		ibv_wr_rdma_write(qp, p->b.mr->rkey,
				  (uintptr_t)p->b.buf + 30000);
		set(qp, &p->a, 0, 3000);
	} else {
		must_post(recv_post(&p->b, 1, 30000, 4000));
		ibv_wr_send(qp);
		set(qp, &p->a, 0, 3000);
	}
	complete("2 requests", &p->a);
	for (i = 0; i < 5; i++) {
		b = next_wc(p->b.rcq, p->b.qp);
		say("receiver: %s, %s", b,
		    filled(&p->b, 4000 * (unsigned int)i,
			   i == 2   ? 33
			   : i == 3 ? 40
			   : i == 4 ? 100
				    : 3000,
			   7));
	}
	if (p->a.type != IBV_QPT_RC)
		say_wc("receiver", p->b.rcq, p->b.qp);
	say("the last: %s", filled(&p->b, 30000, 3000, 7));
}

static void remote(struct pair *p)
{
	uint64_t *result = (uint64_t *)(p->a.buf + 8192), *target;
	struct ibv_qp_ex *qp;

	fill(&p->a, 0, 3000, 8);
	memset(p->b.buf, 0, BUFFER);
	target = (uint64_t *)(p->b.buf + 8192);
	must_post(recv_post(&p->b, 20, 0, 0));
	qp = start(&p->a, 21, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write_imm(qp, p->b.mr->rkey, (uintptr_t)p->b.buf + 100,
			      htobe32(0x77));
	set(qp, &p->a, 0, 3000);
	complete("ibv_wr_rdma_write_imm", &p->a);
	say_wc("ibv_wr_rdma_write_imm: receiver", p->b.rcq, p->b.qp);
	say("ibv_wr_rdma_write_imm: %s", filled(&p->b, 100, 3000, 8));
	if (p->a.type != IBV_QPT_RC)
		return;
	memset(p->a.buf, 0, 3000);
	qp = start(&p->a, 22, IBV_SEND_SIGNALED);
	ibv_wr_rdma_read(qp, p->b.mr->rkey, (uintptr_t)p->b.buf + 100);
	set(qp, &p->a, 0, 3000);
	complete("ibv_wr_rdma_read", &p->a);
	say("ibv_wr_rdma_read: %s", filled(&p->a, 0, 3000, 8));
	*target = 100;
	qp = start(&p->a, 23, IBV_SEND_SIGNALED);
	ibv_wr_atomic_fetch_add(qp, p->b.mr->rkey, (uintptr_t)target, 11);
	set(qp, &p->a, 8192, 8);
	complete("ibv_wr_atomic_fetch_add", &p->a);
	say("was %llu, is %llu", (unsigned long long)*result,
	    (unsigned long long)*target);
	qp = start(&p->a, 24, IBV_SEND_SIGNALED);
	ibv_wr_atomic_cmp_swp(qp, p->b.mr->rkey, (uintptr_t)target, 111, 5);
	set(qp, &p->a, 8192, 8);
	complete("ibv_wr_atomic_cmp_swp", &p->a);
	say("was %llu, is %llu", (unsigned long long)*result,
	    (unsigned long long)*target);
}

static void window(struct pair *p)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = {
		.mr = p->b.mr,
		.addr = (uintptr_t)p->b.buf,
		.length = 4096,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp_ex *qp;
	uint32_t rkey;

	if (!mw)
		die_errno("cannot allocate an MW");
	rkey = ibv_inc_rkey(mw->rkey);
	qp = start(&p->b, 30, IBV_SEND_SIGNALED);
	ibv_wr_bind_mw(qp, mw, rkey, &info);
	complete("ibv_wr_bind_mw", &p->b);
	fill(&p->a, 0, 4000, 9);
	qp = start(&p->a, 31, IBV_SEND_SIGNALED);
	ibv_wr_rdma_write(qp, rkey, (uintptr_t)p->b.buf);
	set(qp, &p->a, 0, 4000);
	complete("write to the window", &p->a);
	if (p->a.type != IBV_QPT_RC) {
		must_post(recv_post(&p->b, 32, BUFFER - 1, 1));
		qp = start(&p->a, 33, IBV_SEND_SIGNALED);
		ibv_wr_send(qp);
		set(qp, &p->a, BUFFER - 1, 1);
		complete("send behind it", &p->a);
		say_wc("send behind it: receiver", p->b.rcq, p->b.qp);
	}
	say("write to the window: %s", filled(&p->b, 0, 4000, 9));
	if (p->a.type == IBV_QPT_RC) {
		qp = start(&p->b, 34, IBV_SEND_SIGNALED);
		ibv_wr_local_inv(qp, rkey);
		complete("ibv_wr_local_inv", &p->b);
		qp = start(&p->a, 35, IBV_SEND_SIGNALED);
		ibv_wr_rdma_write(qp, rkey, (uintptr_t)p->b.buf);
		set(qp, &p->a, 0, 100);
		complete("write after that", &p->a);
		say_fate("write after that", p);
	}
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
}

static void datagrams(void)
{
	struct ibv_ah *ah = own_ah();
	struct ibv_qp_ex *qp;
	struct pair p;
	const char *b;
	int i;

	pair_open(&p, IBV_QPT_UD, &ways);
	fill(&p.a, 0, 900, 10);
	for (i = 0; i < 2; i++)
		must_post(recv_post(&p.b, 40 + (unsigned int)i,
				    1000 * (unsigned int)i, 1000));
	qp = start(&p.a, 42, IBV_SEND_SIGNALED);
	ibv_wr_send(qp);
	ibv_wr_set_ud_addr(qp, ah, p.b.qp->qp_num, QKEY);
	set(qp, &p.a, 0, 900);
	complete("UD ibv_wr_send", &p.a);
	qp = start(&p.a, 43, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	ibv_wr_send_imm(qp, htobe32(0x66));
	ibv_wr_set_ud_addr(qp, ah, p.b.qp->qp_num, QKEY);
	ibv_wr_set_inline_data(qp, p.a.buf, 50);
	complete("UD ibv_wr_send_imm, inline", &p.a);
	for (i = 0; i < 2; i++) {
		b = next_wc(p.b.rcq, p.b.qp);
		say("UD receiver: %s, %s", b,
		    filled(&p.b, 1000 * (unsigned int)i + 40, i ? 50 : 900,
			   10));
	}
	pair_close(&p);
	ibv_destroy_ah(ah);
}

static void refused(const char *what, enum ibv_qp_type type, uint64_t ops,
		    uint32_t mask, uint32_t flags)
{
	struct ibv_cq *cq = ibv_create_cq(dev.context, 8, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = type,
		.cap = {1, 1, 1, 1, 0},
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS | mask,
		.pd = dev.pd,
		.send_ops_flags = ops,
		.create_flags = flags,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp_ex(dev.context, &init);
	say("ibv_create_qp_ex %s: %s", what, made(qp));
	if (qp)
		ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
}

void group_wr(void)
{
	struct pair p;

	say("RC");
	pair_open(&p, IBV_QPT_RC, &ways);
	sends(&p);
	remote(&p);
	window(&p);
	pair_close(&p);
	say("UC");
	pair_open(&p, IBV_QPT_UC, &ways);
	sends(&p);
	remote(&p);
	window(&p);
	pair_close(&p);
	datagrams();
	refused("RC with send", IBV_QPT_RC, IBV_QP_EX_WITH_SEND, 0, 0);
	refused("RC with TSO", IBV_QPT_RC, IBV_QP_EX_WITH_TSO, 0, 0);
	refused("UC with read", IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ, 0, 0);
	refused("UD with write", IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE, 0, 0);
	refused("UD that blocks loopback", IBV_QPT_UD, IBV_QP_EX_WITH_SEND,
		IBV_QP_INIT_ATTR_CREATE_FLAGS,
		IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	refused("RC with RSS", IBV_QPT_RC, IBV_QP_EX_WITH_SEND,
		IBV_QP_INIT_ATTR_RX_HASH, 0);
}
