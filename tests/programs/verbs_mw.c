// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows for the program verbs. A window of type 2 that is not bound is
 * never invalidated here: that crashes rxe.
 */
#include <errno.h>
#include <string.h>

#include "verbs.h"

static struct ibv_mw *alloc(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, type);

	if (!mw)
		die_errno("cannot allocate an MW");
	return mw;
}

/* Bind by the verb for type 1. On success the window has another rkey. */
static void bind1(const char *what, struct side *s, struct ibv_mw *mw,
		  struct ibv_mr *mr, size_t at, size_t length,
		  unsigned int access)
{
	struct ibv_mw_bind bind = {
		.wr_id = 1,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info =
			{
				.mr = mr,
				.addr = (uintptr_t)s->buf + at,
				.length = length,
				.mw_access_flags = access,
			},
	};
	uint32_t rkey = mw->rkey;
	int err = ibv_bind_mw(s->qp, mw, &bind);

	if (err)
		say("%s: %s", what, error_name(err));
	else
		say_wc(what, s->scq, s->qp);
	say("%s: the rkey is new: %s", what, yes(mw->rkey != rkey));
}

/* Bind by a work request, as type 2 wants it. */
static void bind2(const char *what, struct side *s, struct ibv_mw *mw,
		  size_t at, size_t length, unsigned int access)
{
	struct work w;
	int err;

	memset(&w, 0, sizeof(w));
	w.wr.wr_id = 2;
	w.wr.opcode = IBV_WR_BIND_MW;
	w.wr.send_flags = IBV_SEND_SIGNALED;
	w.wr.bind_mw.mw = mw;
	w.wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	w.wr.bind_mw.bind_info.mr = s->mr;
	w.wr.bind_mw.bind_info.addr = (uintptr_t)s->buf + at;
	w.wr.bind_mw.bind_info.length = length;
	w.wr.bind_mw.bind_info.mw_access_flags = access;
	err = work_post(s, &w);
	if (err)
		say("%s: %s", what, error_name(err));
	else
		say_wc(what, s->scq, s->qp);
	mw->rkey = w.wr.bind_mw.rkey;
}

static void transfer(const char *what, struct pair *p,
		     enum ibv_wr_opcode opcode, uint32_t rkey, size_t at,
		     size_t length)
{
	struct work w;

	fill(&p->a, 0, length, at + 1);
	work_local(&w, &p->a, 3, opcode, 0, length);
	work_remote(&w, &p->b, at);
	w.wr.wr.rdma.rkey = rkey;
	say_work(what, &p->a, &w);
	if (opcode == IBV_WR_RDMA_WRITE)
		say("%s: %s", what, filled(&p->b, at, length, at + 1));
}

/* A transfer that a fresh pair has to do, as it may fail. */
static void last(const char *what, struct pair *p, enum ibv_wr_opcode opcode,
		 uint32_t rkey, size_t at, size_t length)
{
	transfer(what, p, opcode, rkey, at, length);
	say_fate(what, p);
}

static void invalidate(const char *what, struct side *s, uint32_t rkey)
{
	struct work w;

	work_local(&w, s, 4, IBV_WR_LOCAL_INV, 0, 0);
	w.wr.invalidate_rkey = rkey;
	say_work(what, s, &w);
}

static void type1(void)
{
	struct ibv_mw *mw = alloc(IBV_MW_TYPE_1);
	struct ibv_mr *mr;
	struct pair p;
	uint32_t old;
	int err;

	pair_open(&p, IBV_QPT_RC, NULL);
	mr = p.b.mr;
	bind1("type 1", &p.b, mw, mr, 4096, 8192,
	      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	transfer("type 1: write", &p, IBV_WR_RDMA_WRITE, mw->rkey, 4096, 8192);
	transfer("type 1: read", &p, IBV_WR_RDMA_READ, mw->rkey, 5000, 100);
	err = ibv_dereg_mr(mr);
	say("deregister below it: %s", error_name(err));
	/* not every HCA refuses that */
	if (!err)
		mr = side_register(&p.b);
	old = mw->rkey;
	bind1("type 1 again", &p.b, mw, mr, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
	transfer("type 1 again: write", &p, IBV_WR_RDMA_WRITE, mw->rkey, 7,
		 1000);
	last("type 1: old rkey", &p, IBV_WR_RDMA_WRITE, old, 7, 10);
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	pair_close(&p);

	mw = alloc(IBV_MW_TYPE_1);
	pair_open(&p, IBV_QPT_RC, NULL);
	bind1("type 1 to write", &p.b, mw, p.b.mr, 0, 4096,
	      IBV_ACCESS_REMOTE_WRITE);
	last("type 1 to write: read", &p, IBV_WR_RDMA_READ, mw->rkey, 0, 10);
	old = mw->rkey;
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	pair_close(&p);
	pair_open(&p, IBV_QPT_RC, NULL);
	last("type 1: window is gone", &p, IBV_WR_RDMA_WRITE, old, 0, 10);
	pair_close(&p);

	mw = alloc(IBV_MW_TYPE_1);
	pair_open(&p, IBV_QPT_RC, NULL);
	bind1("type 1", &p.b, mw, p.b.mr, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
	last("type 1: beyond the window", &p, IBV_WR_RDMA_WRITE, mw->rkey, 4000,
	     200);
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	pair_close(&p);
}

static void type2(void)
{
	struct ibv_mw *mw = alloc(IBV_MW_TYPE_2);
	struct ibv_mw_bind bind = {.send_flags = IBV_SEND_SIGNALED};
	struct ibv_wc wc;
	struct pair p, q;
	struct work w;

	pair_open(&p, IBV_QPT_RC, NULL);
	bind.bind_info.mr = p.b.mr;
	say("type 2 by ibv_bind_mw: %s",
	    error_name(ibv_bind_mw(p.b.qp, mw, &bind)));
	bind2("type 2", &p.b, mw, 100, 10000, IBV_ACCESS_REMOTE_WRITE);
	transfer("type 2: write", &p, IBV_WR_RDMA_WRITE, mw->rkey, 100, 10000);
	invalidate("type 2: invalidate", &p.b, mw->rkey);
	say("type 2: PD in use: %s", error_name(ibv_dealloc_pd(dev.pd)));
	bind2("type 2 again", &p.b, mw, 0, 4096,
	      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	transfer("type 2 again: read", &p, IBV_WR_RDMA_READ, mw->rkey, 0, 4096);
	must_post(recv_post(&p.b, 5, 0, 100));
	work_local(&w, &p.a, 6, IBV_WR_SEND_WITH_INV, 0, 10);
	w.wr.invalidate_rkey = mw->rkey;
	say_work("type 2: send with invalidate", &p.a, &w);
	if (wait_wc(p.b.rcq, &wc))
		say("type 2: receiver: %s, rkey %s", wc_text(&wc, p.b.qp),
		    yes(wc.invalidated_rkey == mw->rkey));
	else
		say("type 2: receiver: timeout");
	last("type 2: write after that", &p, IBV_WR_RDMA_WRITE, mw->rkey, 0,
	     10);
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	pair_close(&p);

	mw = alloc(IBV_MW_TYPE_2);
	pair_open(&p, IBV_QPT_RC, NULL);
	pair_open(&q, IBV_QPT_RC, NULL);
	bind2("type 2", &p.b, mw, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
	/* same memory, same PD, but not the QP that it is bound to */
	memset(p.b.buf, 0, BUFFER);
	work_local(&w, &q.a, 7, IBV_WR_RDMA_WRITE, 0, 10);
	work_remote(&w, &p.b, 0);
	w.wr.wr.rdma.rkey = mw->rkey;
	say_work("type 2: by another QP", &q.a, &w);
	say_fate("type 2: by another QP", &q);
	transfer("type 2: by its QP", &p, IBV_WR_RDMA_WRITE, mw->rkey, 0, 10);
	invalidate("type 2: invalidate", &p.b, mw->rkey);
	last("type 2: write after that", &p, IBV_WR_RDMA_WRITE, mw->rkey, 0,
	     10);
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	pair_close(&q);
	pair_close(&p);
}

static void windows_of_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_mw *mw;

	if (!pd)
		die_errno("cannot allocate a PD");
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	if (!mw)
		die_errno("cannot allocate an MW");
	say("PD in use: %s", error_name(ibv_dealloc_pd(pd)));
	say("ibv_dealloc_mw: %s", error_name(ibv_dealloc_mw(mw)));
	say("PD: %s", error_name(ibv_dealloc_pd(pd)));
}

void suite_mw(void)
{
	type1();
	type2();
	windows_of_pd();
}

/* Binds that fail, each of which takes its QP with it. */
static void wrong1(const char *what, unsigned int mr_access,
		   unsigned int access, size_t at, size_t length)
{
	struct ibv_mw *mw = alloc(IBV_MW_TYPE_1);
	struct ibv_mr *mr;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, NULL);
	mr = ibv_reg_mr(dev.pd, p.b.buf, 8192, mr_access);
	if (!mr)
		die_errno("cannot register memory");
	bind1(what, &p.b, mw, mr, at, length, access);
	say("%s: state %s", what, state_name(state_of(p.b.qp)));
	say("%s: ibv_dealloc_mw: %s", what, error_name(ibv_dealloc_mw(mw)));
	say("%s: deregister: %s", what, error_name(ibv_dereg_mr(mr)));
	pair_close(&p);
}

static void wrong2(const char *what, unsigned int access, size_t at,
		   size_t length, bool twice)
{
	struct ibv_mw *mw = alloc(IBV_MW_TYPE_2);
	struct pair p;

	pair_open(&p, IBV_QPT_RC, NULL);
	if (twice)
		bind2("first", &p.b, mw, 0, 4096, access);
	bind2(what, &p.b, mw, at, length, access);
	say("%s: state %s", what, state_name(state_of(p.b.qp)));
	say("%s: ibv_dealloc_mw: %s", what, error_name(ibv_dealloc_mw(mw)));
	pair_close(&p);
}

void suite_mwerrors(void)
{
	const unsigned int write = IBV_ACCESS_REMOTE_WRITE;
	const unsigned int bound = IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE;
	struct pair p;

	wrong1("region without MW_BIND", IBV_ACCESS_LOCAL_WRITE, write, 0,
	       4096);
	wrong1("region without local write", IBV_ACCESS_MW_BIND, write, 0,
	       4096);
	wrong1("beyond the region", bound, write, 4096, 8192);
	wrong1("before the region", bound, write, -4096UL, 8192);
	wrong1("zero based", bound, write | IBV_ACCESS_ZERO_BASED, 0, 4096);
	wrong2("type 2, twice", write, 0, 4096, true);
	wrong2("type 2, nothing", write, 0, 0, false);
	wrong2("type 2, beyond the region", write, BUFFER - 100, 200, false);
	pair_open(&p, IBV_QPT_RC, NULL);
	invalidate("invalidate a window that is not there", &p.b, 0x0fffff00);
	say_fate("invalidate a window that is not there", &p);
	pair_close(&p);
}
