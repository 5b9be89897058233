// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues, arming, shared receive queues. */
#include "pair.h"
#include "suites.h"

static void nop(struct pair *p, u8 flags)
{
	qp_post(p->w, p->a,
		&(struct wr){.opcode = MLX5_OPCODE_NOP,
			     .flags = SIGNALED | flags});
	world_run(p->w);
}

static void test_rings(void)
{
	struct pair p = pair_create(ENG_RC);
	int i, ok;

	test_case("a CQ goes round and round");
	for (ok = 0, i = 0; i < 100; i++) {
		nop(&p, 0);
		cq_poll(p.w, p.acq, true);
		ok += p.acq->consumed == i + 1;
		p.w->logged = 0;
	}
	CHECK(ok == 100);

	test_case(
		"a CQ that is full has an error, and so has a QP that needs it");
	for (i = 0; i < 17; i++)
		nop(&p, 0);
	CHECK(p.a->eng.state == ENG_ERR);
	cq_poll(p.w, p.acq, true);
	CHECK(p.acq->consumed == 116);
	CHECK(strstr(p.w->log, "cq5 cq error\nqp11 fatal\n"));
	p.w->logged = 0;
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	for (i = 0; i < 17; i++) {
		qp_post_recv(p.b, NULL, 0);
		qp_post(p.w, p.a, &(struct wr){.opcode = MLX5_OPCODE_SEND});
		world_run(p.w);
	}
	CHECK(p.a->eng.state == ENG_RTS && p.b->eng.state == ENG_ERR);
	CHECK(strstr(p.w->log, "cq8 cq error\nqp14 fatal\n"));
	p.w->logged = 0;
	pair_destroy(&p);
}

/* As if so many entries were polled: a multiple of the ring's size. */
static void skip(struct cq *cq, u32 entries)
{
	cq->eng.produced += entries;
	cq->eng.consumed += entries;
	cq->eng.completed += entries;
	cq->consumed += entries;
}

static void test_arming(void)
{
	struct pair p = pair_create(ENG_RC);

	test_case("a CQ that was never armed has no event");
	nop(&p, 0);
	eng_arm(&p.w->worker);
	expect(p.w, "never", "cq5 qp11 req 0 at 0 bytes 0\n");

	test_case("one event for one arming, at the next completion");
	cq_arm(p.acq, 0, false);
	eng_arm(&p.w->worker);
	expect(p.w, "armed", "");
	nop(&p, 0);
	nop(&p, 0);
	expect(p.w, "event",
	       "cq5 event\ncq5 qp11 req 0 at 1 bytes 0\n"
	       "cq5 qp11 req 0 at 2 bytes 0\n");
	eng_arm(&p.w->worker);
	cq_arm(p.acq, 0, false);
	nop(&p, 0);
	expect(p.w, "old number", "cq5 qp11 req 0 at 3 bytes 0\n");

	test_case("late arming: the completion is there already");
	nop(&p, 0);
	cq_arm(p.acq, 1, false);
	eng_arm(&p.w->worker);
	expect(p.w, "late", "cq5 event\ncq5 qp11 req 0 at 4 bytes 0\n");

	test_case("arming before polling: no second event for a completion");
	cq_arm(p.acq, 2, false);
	nop(&p, 0);
	cq_arm(p.acq, 3, false);
	eng_arm(&p.w->worker);
	expect(p.w, "one", "cq5 event\ncq5 qp11 req 0 at 5 bytes 0\n");
	nop(&p, 0);
	expect(p.w, "next", "cq5 event\ncq5 qp11 req 0 at 6 bytes 0\n");

	test_case("arming before polling: an event for what came meanwhile");
	cq_arm(p.acq, 0, false);
	nop(&p, 0);
	nop(&p, 0);
	cq_arm(p.acq, 1, false);
	eng_arm(&p.w->worker);
	expect(p.w, "two",
	       "cq5 event\ncq5 event\ncq5 qp11 req 0 at 7 bytes 0\n"
	       "cq5 qp11 req 0 at 8 bytes 0\n");

	test_case("arming for solicited completions only");
	cq_arm(p.acq, 2, true);
	nop(&p, 0);
	expect(p.w, "not solicited", "cq5 qp11 req 0 at 9 bytes 0\n");
	cq_arm(p.acq, 2, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	expect(p.w, "extended", "cq5 event\ncq5 qp11 req 0 at 10 bytes 0\n");
	cq_arm(p.acq, 3, false);
	eng_arm(&p.w->worker);
	cq_arm(p.acq, 3, true);
	nop(&p, 0);
	expect(p.w, "not restricted",
	       "cq5 event\ncq5 qp11 req 0 at 11 bytes 0\n");
	cq_arm(p.acq, 0, true);
	nop(&p, 0);
	expect(p.w, "for the next one", "cq5 qp11 req 0 at 12 bytes 0\n");
	skip(p.acq, 0x800000);
	qp_state(p.a, ENG_ERR);
	nop(&p, 0);
	expect(p.w, "errors are solicited, however late they come",
	       "cq5 event\ncq5 qp11 req error 5 at 13\n");
	pair_destroy(&p);
}

static unsigned int woken;

static void count_wakes(struct eng_worker *worker)
{
	woken++;
}

/* The event comes after the whole period. @before is what is there already. */
static void expect_late(struct pair *p, u64 period, const char *before)
{
	world_sleep(p->w, period - 1000, 1000);
	expect(p->w, "too early", before);
	world_sleep(p->w, 1000, 1000);
	expect(p->w, "late", "cq5 event\n");
}

static void test_moderation(void)
{
	const u64 period = 50000;
	struct pair p = pair_create(ENG_RC);
	u64 begin;

	test_case("an event for so many completions, or so late");
	eng_cq_moderate(&p.acq->eng, 3, period);
	cq_arm(p.acq, 0, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	nop(&p, 0);
	expect(p.w, "too few",
	       "cq5 qp11 req 0 at 0 bytes 0\ncq5 qp11 req 0 at 1 bytes 0\n");
	nop(&p, 0);
	expect(p.w, "enough", "cq5 event\ncq5 qp11 req 0 at 2 bytes 0\n");
	cq_arm(p.acq, 1, false);
	eng_arm(&p.w->worker);
	world_sleep(p.w, 2 * period, 1000);
	p.w->on_wake = count_wakes;
	nop(&p, 0);
	p.w->on_wake = NULL;
	/* It may be another worker's completion. */
	CHECK(woken == 1);
	begin = p.w->now;
	expect(p.w, "one", "cq5 qp11 req 0 at 3 bytes 0\n");
	CHECK(eng_scan(&p.w->worker, true).deadline == begin + period);
	expect_late(&p, period, "");
	CHECK(!eng_scan(&p.w->worker, true).deadline);

	test_case("the time begins again for each event");
	cq_arm(p.acq, 2, false);
	eng_arm(&p.w->worker);
	world_sleep(p.w, 2 * period, 1000);
	nop(&p, 0);
	expect_late(&p, period, "cq5 qp11 req 0 at 4 bytes 0\n");

	test_case("arming again: the time begins with what comes next");
	cq_arm(p.acq, 3, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	expect(p.w, "waits", "cq5 qp11 req 0 at 5 bytes 0\n");
	cq_arm(p.acq, 3, false);
	eng_arm(&p.w->worker);
	world_sleep(p.w, 2 * period, 1000);
	nop(&p, 0);
	expect_late(&p, period, "cq5 qp11 req 0 at 6 bytes 0\n");

	test_case("an event that waits comes when there is no more moderation");
	cq_arm(p.acq, 0, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	expect(p.w, "waits", "cq5 qp11 req 0 at 7 bytes 0\n");
	eng_cq_moderate(&p.acq->eng, 0, period);
	expect(p.w, "comes", "cq5 event\n");
	cq_arm(p.acq, 1, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	expect(p.w, "at once", "cq5 event\ncq5 qp11 req 0 at 8 bytes 0\n");

	test_case("a waiting event is not restricted to solicited completions");
	eng_cq_moderate(&p.acq->eng, 100, period);
	cq_arm(p.acq, 2, false);
	eng_arm(&p.w->worker);
	nop(&p, 0);
	cq_arm(p.acq, 2, true);
	eng_arm(&p.w->worker);
	world_sleep(p.w, period, 1000);
	expect(p.w, "comes", "cq5 event\ncq5 qp11 req 0 at 9 bytes 0\n");
	pair_destroy(&p);
}

static void test_resize(void)
{
	struct pair p = pair_create(ENG_RC);
	struct buf *ring = buf_create(p.w, 64 * 64, 0);
	int i;

	test_case("a resized CQ says so in the old ring");
	for (i = 0; i < 64; i++)
		*(u8 *)buf_at(ring, (i + 1) * 64 - 1) = MLX5_CQE_INVALID << 4;
	nop(&p, 0);
	CHECK(!eng_cq_resize(&p.acq->eng, &ring->mem, 64, 6));
	cq_poll(p.w, p.acq, true);
	expect(p.w, "old", "cq5 qp11 req 0 at 0 bytes 0\ncq5 qp0 resize\n");
	p.acq->ring = ring;
	p.acq->entries = 64;
	for (i = 0; i < 40; i++)
		nop(&p, 0);
	cq_poll(p.w, p.acq, true);
	CHECK(p.acq->consumed == 42);
	p.w->logged = 0;

	test_case("a resize is no completion, and causes no event");
	cq_arm(p.acq, 0, false);
	eng_arm(&p.w->worker);
	CHECK(!eng_cq_resize(&p.acq->eng, &ring->mem, 64, 6));
	CHECK(!eng_cq_resize(&p.acq->eng, &ring->mem, 64, 6));
	eng_arm(&p.w->worker);
	cq_poll(p.w, p.acq, true);
	expect(p.w, "armed", "cq5 qp0 resize\ncq5 qp0 resize\n");
	nop(&p, 0);
	expect(p.w, "completed", "cq5 event\ncq5 qp11 req 0 at 41 bytes 0\n");

	test_case("a CQ cannot be too small for what is in it");
	for (i = 0; i < 20; i++)
		nop(&p, 0);
	CHECK(eng_cq_resize(&p.acq->eng, &ring->mem, 16, 6) == -EINVAL);
	p.acq->gone = true;
	eng_cq_del(&p.acq->eng);
	pair_destroy(&p);
}

static void test_srq(void)
{
	struct pair p = pair_create(ENG_RC);
	struct srq *srq = srq_create(p.w, 16, 2);
	struct sge from = pair_a(&p, 0, 100000), to = pair_b(&p, 0, 100000);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};
	struct qp *c;

	test_case("a shared receive queue follows its links");
	c = pair_connect_srq(&p, srq);
	srq_post(srq, 0, 9, &to, 1);
	srq_post(srq, 9, 3, &to, 1);
	eng_srq_arm(&srq->eng, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "first",
	       "cq8 qp20 resp 2 at 0 bytes 100000 imm 0 from 11\n");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "limit",
	       "srq17 srq limit\n"
	       "cq8 qp20 resp 2 at 9 bytes 100000 imm 0 from 11\n");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "empty", "");
	srq_post(srq, 3, 4, &to, 1);
	world_run(p.w);
	expect(p.w, "again",
	       "cq8 qp20 resp 2 at 3 bytes 100000 imm 0 from 11\n");

	test_case("the last receive of a QP with a shared queue");
	srq_post(srq, 4, 5, &to, 1);
	qp_post(p.w, p.a, &wr);
	eng_run(&p.w->worker, 1, 1);
	qp_state(c, ENG_ERR);
	world_sleep(p.w, 1000000000, 10000000);
	expect(p.w, "last",
	       "qp20 last wqe\ncq8 qp20 resp error 5 at 4\n"
	       "cq5 qp11 req error 15 at 3\n");
	pair_destroy(&p);
}

static void test_srq_pd(void)
{
	struct pair p = pair_create(ENG_RC);
	struct srq *srq = srq_create(p.w, 16, 1);
	struct sge from = pair_a(&p, 0, 10),
		   to[2] = {pair_a(&p, 100, 10), pair_b(&p, 0, 10)};
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};

	test_case("a shared receive queue has an owner of its own");
	pair_connect_srq(&p, srq);
	srq_post(srq, 0, 1, &to[0], 1);
	srq_post(srq, 1, 2, &to[1], 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "its key", "cq8 qp20 resp 2 at 0 bytes 10 imm 0 from 11\n");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "the key of the QP's owner",
	       "qp20 last wqe\ncq8 qp20 resp error 4 at 1\n"
	       "cq5 qp11 req error 14 at 1\n");
	pair_destroy(&p);
}

void test_queues(void)
{
	test_rings();
	test_arming();
	test_moderation();
	test_resize();
	test_srq();
	test_srq_pd();
}
