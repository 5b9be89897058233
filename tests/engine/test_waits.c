// SPDX-License-Identifier: GPL-2.0-only
/* QPs that wait: for receives, for answers; and the sleep of their worker. */
#include "pair.h"
#include "qp.h"
#include "suites.h"

#define MANY 100

/* The time that receivers of the pair name, see connect_one(). */
#define RNR_TIME 640000

static struct eng_looked run(struct world *w)
{
	bool more = eng_run(&w->worker, 64, 1 << 18);
	struct eng_looked looked = eng_scan(&w->worker, true);

	while (looked.more)
		looked = eng_scan(&w->worker, false);
	looked.work |= more;
	return looked;
}

static u64 counter(struct world *w, enum eng_stat stat)
{
	u64 stats[ENG_STATS];

	eng_stats(&w->eng, stats);
	return stats[stat];
}

static void test_many(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 8), to = pair_a(&p, 8, 8);
	struct cq *cq = cq_create(p.w, 256, 64);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};
	struct eng_looked looked;
	struct qp *qp[MANY];
	u64 start = p.w->now;
	int i;

	test_case("a worker sleeps, however many QPs wait");
	for (i = 0; i < MANY; i++) {
		qp[i] = qp_create(p.w, &(struct qp_opts){.type = ENG_RC,
							 .send_cq = cq,
							 .recv_cq = cq,
							 .pdn = 1});
		qp_connect(qp[i], qp[i]);
		qp_post(p.w, qp[i], &wr);
		/* The last one waits for the shortest time. */
		p.w->now = start + MANY - i;
		run(p.w);
	}
	CHECK(counter(p.w, ENG_STAT_RNR_WAITS) == MANY);
	for (i = 0; i < MANY; i++) {
		looked = run(p.w);
		CHECK(!looked.work);
		CHECK(looked.deadline == start + 1 + RNR_TIME);
	}

	test_case("only those go on whose time has come");
	p.w->now = start + 10 + RNR_TIME;
	world_run(p.w);
	CHECK(counter(p.w, ENG_STAT_RNR_WAITS) == MANY + 10);
	CHECK(run(p.w).deadline == start + 11 + RNR_TIME);

	test_case("any of those who wait finds a receive");
	for (i = 0; i < MANY; i++) {
		int runs = 0;

		qp_post_recv(qp[i], &to, 1);
		while (qp[i]->eng.deadline && runs++ < MANY)
			run(p.w);
		CHECK(runs < MANY);
		CHECK(!qp[i]->eng.deadline);
	}
	CHECK(!run(p.w).deadline);

	test_case("QPs that wait are destroyed, in any order");
	for (i = 0; i < MANY; i++) {
		qp_post(p.w, qp[i], &wr);
		world_run(p.w);
		p.w->now += i % 7 * 1000;
	}
	for (i = 0; i < MANY; i++) {
		qp_destroy(p.w, qp[i * 37 % MANY]);
		looked = run(p.w);
		CHECK(!looked.work && !looked.deadline == (i == MANY - 1));
	}
	p.w->logged = 0;
	pair_destroy(&p);
}

/* Two QPs wait, the first one for less time; one of them is reset. */
static void reset_one(bool first)
{
	struct pair p = pair_create(ENG_RC);
	struct sge a = pair_a(&p, 0, 8), b = pair_b(&p, 0, 8);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .nr_sge = 1};
	u64 deadline = 0, start = p.w->now;

	qp_connect(p.a, p.a);
	qp_connect(p.b, p.b);
	wr.sge = &b;
	qp_post(p.w, p.b, &wr);
	world_run(p.w);
	p.w->now += RNR_TIME / 2;
	wr.sge = &a;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	qp_state(first ? p.b : p.a, ENG_RESET);
	CHECK(!eng_place_next(&p.w->worker, &deadline));
	/* That of the one that was reset does no harm. */
	CHECK(deadline > start && deadline <= p.w->now + RNR_TIME);
	CHECK(first || deadline == start + RNR_TIME);
	pair_destroy(&p);
}

static void test_reset(void)
{
	test_case("a QP that is reset does not hide the time of another");
	reset_one(true);
	reset_one(false);
}

static struct qp *sender, *receiver;

/* Another sender takes the receive after this one has seen it. */
static void take_receive(const volatile void *from, size_t n)
{
	u32 none = 0;

	if (from == buf_at(sender->ring, sender->eng.init.sq_offset))
		buf_write(receiver->record, 0, &none, 4);
}

static void test_race(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 8), to = pair_b(&p, 8, 8);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};
	int i;

	test_case("who loses a race for a receive has lost no retry");
	sender = p.a;
	receiver = p.b;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	eng_port_before_read = take_receive;
	for (i = 0; i < 5; i++) {
		p.b->rq_posted = 0;
		qp_post_recv(p.b, &to, 1);
		world_sleep(p.w, 100000, 10000);
	}
	expect(p.w, "waits", "");
	CHECK(counter(p.w, ENG_STAT_RNR_WAITS) == 1);
	world_sleep(p.w, 2 * RNR_TIME - 510000, 10000);
	expect(p.w, "waits twice", "");
	world_sleep(p.w, 20000, 10000);
	expect(p.w, "gives up", "cq5 qp11 req error 16 at 0\n");
	eng_port_before_read = NULL;
	pair_destroy(&p);
}

static void test_silence(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 8), to = pair_b(&p, 8, 8);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};

	test_case("a peer that stops answering, with receives, is waited for");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	qp_state(p.b, ENG_INIT);
	qp_post_recv(p.b, &to, 1);
	world_sleep(p.w, 4ULL * (4096 << 14) - 1000000, 1000000);
	expect(p.w, "retries", "");
	CHECK(counter(p.w, ENG_STAT_RETRIES) == 3);
	world_sleep(p.w, 10000000, 1000000);
	expect(p.w, "gives up", "cq5 qp11 req error 15 at 0\n");
	pair_destroy(&p);
}

void test_waits(void)
{
	test_many();
	test_reset();
	test_race();
	test_silence();
}
