// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfers of every kind for the program verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs.h"

/* A send of any length from the first side to the second one. */
static void send_one(const char *what, struct pair *p, size_t length,
		     enum ibv_wr_opcode opcode, int flags)
{
	const char *a, *b;
	struct work w;

	fill(&p->a, 3, length, length + 1);
	memset(p->b.buf, 0, BUFFER);
	must_post(recv_post(&p->b, 7, 5, length + 10));
	work_local(&w, &p->a, 8, opcode, 3, length);
	w.wr.imm_data = htobe32(0xabcd1234);
	w.wr.send_flags |= flags;
	must_post(work_post(&p->a, &w));
	if (flags & IBV_SEND_INLINE)
		memset(p->a.buf, 0xff, BUFFER);
	a = next_wc(p->a.scq, p->a.qp);
	b = next_wc(p->b.rcq, p->b.qp);
	say("%s, %zu bytes: sender: %s", what, length, a);
	say("%s, %zu bytes: receiver: %s, %s", what, length, b,
	    filled(&p->b, 5, length, length + 1));
}

static void write_one(const char *what, struct pair *p, size_t length,
		      enum ibv_wr_opcode opcode)
{
	const char *a;
	struct work w;

	fill(&p->a, 3, length, length + 2);
	memset(p->b.buf, 0, BUFFER);
	if (opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		must_post(recv_post(&p->b, 9, 0, 0));
	work_local(&w, &p->a, 10, opcode, 3, length);
	work_remote(&w, &p->b, 777);
	w.wr.imm_data = htobe32(0x5678);
	must_post(work_post(&p->a, &w));
	a = next_wc(p->a.scq, p->a.qp);
	if (opcode == IBV_WR_RDMA_WRITE_WITH_IMM) {
		say("%s, %zu bytes: receiver: %s", what, length,
		    next_wc(p->b.rcq, p->b.qp));
	} else if (p->a.type == IBV_QPT_UC) {
		/* a completion does not mean that it is there */
		must_post(recv_post(&p->b, 11, BUFFER - 1, 1));
		work_local(&w, &p->a, 12, IBV_WR_SEND, BUFFER - 1, 1);
		w.wr.send_flags = 0;
		must_post(work_post(&p->a, &w));
		say_wc("send after it", p->b.rcq, p->b.qp);
	}
	say("%s, %zu bytes: sender: %s, %s", what, length, a,
	    filled(&p->b, 777, length, length + 2));
}

static void read_one(struct pair *p, size_t length)
{
	const char *a;
	struct work w;

	fill(&p->b, 99, length, length + 3);
	memset(p->a.buf, 0, BUFFER);
	work_local(&w, &p->a, 13, IBV_WR_RDMA_READ, 11, length);
	work_remote(&w, &p->b, 99);
	must_post(work_post(&p->a, &w));
	a = next_wc(p->a.scq, p->a.qp);
	say("read, %zu bytes: %s, %s", length, a,
	    filled(&p->a, 11, length, length + 3));
}

static void atomic_one(const char *what, struct pair *p,
		       enum ibv_wr_opcode opcode, uint64_t compare_add,
		       uint64_t swap)
{
	uint64_t *local = (uint64_t *)p->a.buf;
	uint64_t *remote = (uint64_t *)(p->b.buf + 64);
	const char *a;
	struct work w;

	*local = 0;
	work_local(&w, &p->a, 14, opcode, 0, 8);
	work_remote(&w, &p->b, 64);
	w.wr.wr.atomic.compare_add = compare_add;
	w.wr.wr.atomic.swap = swap;
	must_post(work_post(&p->a, &w));
	a = next_wc(p->a.scq, p->a.qp);
	say("%s: %s, was 0x%llx, is 0x%llx", what, a,
	    (unsigned long long)*local, (unsigned long long)*remote);
}

static void atomics(struct pair *p)
{
	struct work w;

	memset(p->b.buf, 0, BUFFER);
	atomic_one("add 5", p, IBV_WR_ATOMIC_FETCH_AND_ADD, 5, 0);
	atomic_one("add 2^63", p, IBV_WR_ATOMIC_FETCH_AND_ADD, 1ULL << 63, 0);
	atomic_one("add -6", p, IBV_WR_ATOMIC_FETCH_AND_ADD, -6ULL, 0);
	atomic_one("swap if 1", p, IBV_WR_ATOMIC_CMP_AND_SWP, 1, 2);
	atomic_one("swap if equal", p, IBV_WR_ATOMIC_CMP_AND_SWP,
		   0x7fffffffffffffffULL, 0x123456789abcdefULL);
	atomic_one("add 0", p, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 0);
	work_local(&w, &p->a, 15, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8);
	work_remote(&w, &p->b, 65);
	say("atomic at an odd address: %s", error_name(work_post(&p->a, &w)));
}

/* Several work requests at once, several pieces of one. */
static void lists(struct pair *p)
{
	struct ibv_sge pieces[3], into[2];
	struct ibv_send_wr *bad;
	struct ibv_recv_wr recv = {
		.wr_id = 20,
		.sg_list = into,
		.num_sge = 2,
	};
	struct ibv_recv_wr *bad_recv;
	struct work w[3];
	const char *a;
	int i;

	fill(&p->a, 0, 3000, 44);
	memset(p->b.buf, 0, BUFFER);
	work_local(&w[0], &p->a, 21, IBV_WR_SEND, 0, 1);
	for (i = 0; i < 3; i++) {
		pieces[i] = w[0].sge;
		pieces[i].addr = (uintptr_t)p->a.buf + 1000UL * (unsigned int)i;
		pieces[i].length = 1000;
	}
	for (i = 0; i < 2; i++) {
		into[i].addr = (uintptr_t)p->b.buf + 1700UL * (unsigned int)i;
		into[i].length = 1700;
		into[i].lkey = p->b.mr->lkey;
	}
	w[0].wr.sg_list = pieces;
	w[0].wr.num_sge = 3;
	must_post(ibv_post_recv(p->b.qp, &recv, &bad_recv));
	must_post(work_post(&p->a, &w[0]));
	say_wc("3 pieces", p->a.scq, p->a.qp);
	a = next_wc(p->b.rcq, p->b.qp);
	say("3 pieces into 2: %s, %s", a, filled(&p->b, 0, 3000, 44));

	for (i = 0; i < 3; i++) {
		must_post(recv_post(&p->b, 30 + (unsigned int)i,
				    1000 * (unsigned int)i, 1000));
		work_local(&w[i], &p->a, 40 + (unsigned int)i, IBV_WR_SEND,
			   1000 * (unsigned int)i, 1000);
		w[i].wr.next = i < 2 ? &w[i + 1].wr : NULL;
		if (i == 1)
			w[i].wr.send_flags = 0;
	}
	memset(p->b.buf, 0, BUFFER);
	must_post(ibv_post_send(p->a.qp, &w[0].wr, &bad));
	for (i = 0; i < 3; i++)
		say_wc("3 requests at once: receiver", p->b.rcq, p->b.qp);
	say("3 requests at once: %s", filled(&p->b, 0, 3000, 44));
	for (i = 0; i < 2; i++)
		say_wc("2 of 3 signaled", p->a.scq, p->a.qp);
	say("the other has no completion: %s", yes(no_wc(p->a.scq)));
}

static void fence(struct pair *p)
{
	struct work read, w;
	const char *a, *b;

	fill(&p->b, 0, 5000, 55);
	memset(p->a.buf, 0, BUFFER);
	work_local(&read, &p->a, 50, IBV_WR_RDMA_READ, 0, 5000);
	work_remote(&read, &p->b, 0);
	/* back what has just been read */
	work_local(&w, &p->a, 51, IBV_WR_RDMA_WRITE, 0, 5000);
	work_remote(&w, &p->b, 8192);
	w.wr.send_flags |= IBV_SEND_FENCE;
	read.wr.next = &w.wr;
	must_post(work_post(&p->a, &read));
	a = next_wc(p->a.scq, p->a.qp);
	b = next_wc(p->a.scq, p->a.qp);
	say("read before a fence: %s", a);
	say("write after a fence: %s, %s", b, filled(&p->b, 8192, 5000, 55));
}

static void all_signaled(void)
{
	const struct ways ways = {.sig_all = true};
	struct work w;
	struct pair p;

	pair_open(&p, IBV_QPT_RC, &ways);
	work_local(&w, &p.a, 60, IBV_WR_RDMA_WRITE, 0, 10);
	work_remote(&w, &p.b, 0);
	w.wr.send_flags = 0;
	say_work("QP whose requests are all signaled", &p.a, &w);
	pair_close(&p);
}

void suite_rc(void)
{
	struct pair p;

	pair_open(&p, IBV_QPT_RC, NULL);
	send_one("send", &p, 0, IBV_WR_SEND, 0);
	send_one("send", &p, 1, IBV_WR_SEND, 0);
	send_one("send", &p, 1000, IBV_WR_SEND, 0);
	send_one("send", &p, 50000, IBV_WR_SEND, 0);
	send_one("send with imm", &p, 0, IBV_WR_SEND_WITH_IMM, 0);
	send_one("send with imm", &p, 20000, IBV_WR_SEND_WITH_IMM, 0);
	send_one("send inline", &p, 1, IBV_WR_SEND, IBV_SEND_INLINE);
	send_one("send inline", &p, 64, IBV_WR_SEND, IBV_SEND_INLINE);
	send_one("send inline with imm", &p, 33, IBV_WR_SEND_WITH_IMM,
		 IBV_SEND_INLINE);
	send_one("send solicited", &p, 10, IBV_WR_SEND, IBV_SEND_SOLICITED);
	write_one("write", &p, 1, IBV_WR_RDMA_WRITE);
	write_one("write", &p, 60000, IBV_WR_RDMA_WRITE);
	write_one("write with imm", &p, 1, IBV_WR_RDMA_WRITE_WITH_IMM);
	write_one("write with imm", &p, 30000, IBV_WR_RDMA_WRITE_WITH_IMM);
	read_one(&p, 1);
	read_one(&p, 4096);
	read_one(&p, 60000);
	atomics(&p);
	lists(&p);
	fence(&p);
	pair_close(&p);
	all_signaled();
}

void suite_uc(void)
{
	struct work w;
	struct pair p;

	pair_open(&p, IBV_QPT_UC, NULL);
	send_one("send", &p, 0, IBV_WR_SEND, 0);
	send_one("send", &p, 1000, IBV_WR_SEND, 0);
	send_one("send", &p, 30000, IBV_WR_SEND, 0);
	send_one("send with imm", &p, 100, IBV_WR_SEND_WITH_IMM, 0);
	send_one("send inline", &p, 64, IBV_WR_SEND, IBV_SEND_INLINE);
	write_one("write", &p, 100, IBV_WR_RDMA_WRITE);
	write_one("write", &p, 30000, IBV_WR_RDMA_WRITE);
	write_one("write with imm", &p, 20000, IBV_WR_RDMA_WRITE_WITH_IMM);

	work_local(&w, &p.a, 70, IBV_WR_SEND, 0, 100);
	say_work("no receive: sender", &p.a, &w);
	say("no receive: nothing arrives: %s", yes(no_wc(p.b.rcq)));
	work_local(&w, &p.a, 71, IBV_WR_RDMA_WRITE, 0, 100);
	work_remote(&w, &p.b, 0);
	w.wr.wr.rdma.rkey ^= 0x55;
	say_work("wrong rkey: sender", &p.a, &w);
	say_fate("wrong rkey", &p);
	send_one("send after that", &p, 200, IBV_WR_SEND, 0);
	work_local(&w, &p.a, 72, IBV_WR_RDMA_READ, 0, 100);
	work_remote(&w, &p.b, 0);
	say_work("read", &p.a, &w);
	say_fate("read", &p);
	pair_close(&p);
}

/* Connections between two contexts of the process. */
void suite_contexts(void)
{
	struct ibv_context *first = dev.context, *second = rc_open_context();
	struct ibv_pd *first_pd = dev.pd, *second_pd = ibv_alloc_pd(second);
	struct pair p;

	if (!second_pd)
		die_errno("cannot allocate a PD");
	side_open(&p.a, IBV_QPT_RC, NULL);
	dev.context = second;
	dev.pd = second_pd;
	side_open(&p.b, IBV_QPT_RC, NULL);
	dev.context = first;
	dev.pd = first_pd;
	side_connect(&p.a, p.b.qp->qp_num, NULL);
	side_connect(&p.b, p.a.qp->qp_num, NULL);
	send_one("send", &p, 5000, IBV_WR_SEND, 0);
	write_one("write", &p, 5000, IBV_WR_RDMA_WRITE);
	read_one(&p, 5000);
	say("contexts have async files of their own: %s",
	    yes(first->async_fd != second->async_fd));
	say("the other QP to ERR: %s",
	    error_name(to_state(p.b.qp, IBV_QPS_ERR)));
	say("states %s and %s", state_name(state_of(p.a.qp)),
	    state_name(state_of(p.b.qp)));
	pair_close(&p);
	say("ibv_dealloc_pd: %s", error_name(ibv_dealloc_pd(second_pd)));
	say("ibv_close_device: %s", error_name(ibv_close_device(second)));
}

/* A child that writes to copies of registered memory. */
void suite_fork(void)
{
	struct pair p;
	int i, status;
	pid_t pid;

	say("ibv_fork_init: %s", error_name(ibv_fork_init()));
	say("ibv_is_fork_initialized: %d", ibv_is_fork_initialized());
	pair_open(&p, IBV_QPT_RC, NULL);
	for (i = 0; i < 3; i++) {
		fflush(stdout);
		pid = fork();
		if (pid < 0)
			die_errno("cannot fork");
		if (!pid) {
			memset(p.a.buf, 1, BUFFER);
			memset(p.b.buf, 2, BUFFER);
			_exit(0);
		}
		send_one("send while a child runs", &p, 3000, IBV_WR_SEND, 0);
		if (waitpid(pid, &status, 0) != pid)
			die_errno("cannot wait for a child");
		say("child: status 0x%x", (unsigned int)status);
		write_one("write after a child", &p, 50000, IBV_WR_RDMA_WRITE);
	}
	pair_close(&p);
}
