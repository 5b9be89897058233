// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions for the program verbs: I/O addresses of all kinds, and regions
 * that change.
 */
#include <errno.h>
#include <string.h>

#include "verbs.h"

#define LENGTH (8 * PAGE)
/* Bytes that fit, wherever a region begins in its first page. */
#define SPAN (LENGTH - 100)

/* A write and a read of memory that the HCA knows by another address. */
static void use(const char *what, struct pair *p, char *memory,
		struct ibv_mr *mr, uint64_t iova)
{
	struct ibv_sge sge;
	struct work w;
	const char *a;

	if (!mr) {
		say("%s: write: no region", what);
		say("%s: read: no region", what);
		say("%s: as local memory: no region", what);
		return;
	}
	memset(memory, 0, SPAN);
	fill(&p->a, 0, 10000, 21);
	work_local(&w, &p->a, 1, IBV_WR_RDMA_WRITE, 0, 10000);
	w.wr.wr.rdma.remote_addr = iova + 5000;
	w.wr.wr.rdma.rkey = mr->rkey;
	must_post(work_post(&p->a, &w));
	a = next_wc(p->a.scq, p->a.qp);
	say("%s: write: %s, data %s", what, a,
	    memcmp(memory + 5000, p->a.buf, 10000) ? "wrong" : "ok");
	pattern_fill(memory, SPAN, 0, 22);
	work_local(&w, &p->a, 2, IBV_WR_RDMA_READ, 0, 10000);
	w.wr.wr.rdma.remote_addr = iova + 1;
	w.wr.wr.rdma.rkey = mr->rkey;
	must_post(work_post(&p->a, &w));
	a = next_wc(p->a.scq, p->a.qp);
	say("%s: read: %s, data %s", what, a,
	    memcmp(memory + 1, p->a.buf, 10000) ? "wrong" : "ok");
	work_local(&w, &p->b, 3, IBV_WR_RDMA_WRITE, 0, 1);
	work_remote(&w, &p->a, 0);
	sge.addr = iova + 3;
	sge.length = 9000;
	sge.lkey = mr->lkey;
	w.wr.sg_list = &sge;
	must_post(work_post(&p->b, &w));
	a = next_wc(p->b.scq, p->b.qp);
	say("%s: as local memory: %s, data %s", what, a,
	    memcmp(memory + 3, p->a.buf, 9000) ? "wrong" : "ok");
}

static void try_iova(const char *what, char *memory, size_t length,
		     uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, NULL);
	errno = 0;
	mr = ibv_reg_mr_iova(dev.pd, memory, length, iova, access);
	say("%s: %s", what, made(mr));
	use(what, &p, memory, mr, iova);
	if (mr)
		say("%s: deregister: %s", what, error_name(ibv_dereg_mr(mr)));
	pair_close(&p);
}

void suite_mr(void)
{
	char *memory = pages_scattered(LENGTH, 3);
	struct ibv_mr *mr[2];
	struct pair p;

	try_iova("iova 0", memory, LENGTH, 0, ALL_ACCESS);
	try_iova("iova 2^40", memory, LENGTH, 1ULL << 40, ALL_ACCESS);
	try_iova("iova at the end", memory, LENGTH, -(uint64_t)LENGTH,
		 ALL_ACCESS);
	try_iova("both in a page", memory + 100, LENGTH - 100, 4096 + 100,
		 ALL_ACCESS);
	try_iova("other place in a page", memory + 100, LENGTH - 100, 4096,
		 ALL_ACCESS);
	try_iova("relaxed ordering", memory, LENGTH, (uintptr_t)memory,
		 ALL_ACCESS | IBV_ACCESS_RELAXED_ORDERING);
	try_iova("zero based", memory, LENGTH, 0,
		 ALL_ACCESS | IBV_ACCESS_ZERO_BASED);

	mr[0] = ibv_reg_mr(dev.pd, memory, LENGTH, ALL_ACCESS);
	mr[1] = ibv_reg_mr(dev.pd, memory, LENGTH, IBV_ACCESS_REMOTE_READ);
	if (!mr[0] || !mr[1])
		die_errno("cannot register memory twice");
	say("keys of two regions differ: %s",
	    yes(mr[0]->rkey != mr[1]->rkey && mr[0]->lkey != mr[1]->lkey));
	pair_open(&p, IBV_QPT_RC, NULL);
	use("one of two regions", &p, memory, mr[0], (uintptr_t)memory);
	say("deregister: %s", error_name(ibv_dereg_mr(mr[1])));
	use("the other is gone", &p, memory, mr[0], (uintptr_t)memory);
	say("deregister: %s", error_name(ibv_dereg_mr(mr[0])));
	pair_close(&p);
	pages_free(memory, LENGTH);
}

/* A region that was registered with all access, after a change. */
static void rereg(const char *what, int flags, unsigned int access)
{
	char *memory = pages_anonymous(LENGTH),
	     *other = pages_anonymous(LENGTH);
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	bool moved = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	struct ibv_mr *mr;
	struct work w;
	struct pair p;
	int ret;

	if (!pd)
		die_errno("cannot allocate a PD");
	memset(memory, 0, LENGTH);
	memset(other, 0, LENGTH);
	pair_open(&p, IBV_QPT_RC, NULL);
	mr = ibv_reg_mr(dev.pd, memory, LENGTH, ALL_ACCESS);
	if (!mr)
		die_errno("cannot register memory");
	errno = 0;
	ret = ibv_rereg_mr(
		mr, flags, flags & IBV_REREG_MR_CHANGE_PD ? pd : NULL,
		moved ? other : NULL, moved ? LENGTH : 0,
		flags & IBV_REREG_MR_CHANGE_ACCESS ? (int)access : 0);
	say("%s: %d, %s", what, ret, ret ? error_name(errno) : "ok");
	say("%s: it has the new PD: %s, address: %s", what, yes(mr->pd == pd),
	    yes(mr->addr == other));
	fill(&p.a, 0, 5000, 31);
	work_local(&w, &p.a, 1, IBV_WR_RDMA_WRITE, 0, 5000);
	w.wr.wr.rdma.remote_addr = (uintptr_t)(moved && !ret ? other : memory);
	w.wr.wr.rdma.rkey = mr->rkey;
	say_work(what, &p.a, &w);
	say("%s: written to the old memory: %s, to the new: %s", what,
	    yes(!memcmp(memory, p.a.buf, 5000)),
	    yes(!memcmp(other, p.a.buf, 5000)));
	say_fate(what, &p);
	say("%s: deregister: %s", what, error_name(ibv_dereg_mr(mr)));
	pair_close(&p);
	say("%s: PD: %s", what, error_name(ibv_dealloc_pd(pd)));
	pages_free(memory, LENGTH);
	pages_free(other, LENGTH);
}

void suite_rereg(void)
{
	const int translation = IBV_REREG_MR_CHANGE_TRANSLATION;
	const int access = IBV_REREG_MR_CHANGE_ACCESS;
	const int pd = IBV_REREG_MR_CHANGE_PD;
	const unsigned int readable =
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;

	rereg("nothing", 0, ALL_ACCESS);
	rereg("access", access, readable);
	rereg("the same access", access, ALL_ACCESS);
	rereg("wrong access", access, IBV_ACCESS_REMOTE_WRITE);
	rereg("PD", pd, ALL_ACCESS);
	rereg("PD and access", pd | access, readable);
	rereg("translation", translation, ALL_ACCESS);
	rereg("translation and access", translation | access, ALL_ACCESS);
	rereg("translation and PD", translation | pd, ALL_ACCESS);
	rereg("everything", translation | pd | access, ALL_ACCESS);
	rereg("unknown flag", 1 << 6, ALL_ACCESS);
}
