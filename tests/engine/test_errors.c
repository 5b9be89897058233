// SPDX-License-Identifier: GPL-2.0-only
/* Errors of requests, retries, states, destruction. */
#include "pair.h"
#include "suites.h"

static struct wr write_to(struct pair *p, u64 offset, const struct sge *sge)
{
	return (struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			   .flags = SIGNALED,
			   .raddr = p->bbuf->va + offset,
			   .rkey = p->bkey->eng.key,
			   .sge = sge,
			   .nr_sge = 1};
}

static void test_remote(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, PAIR_BYTES - 99, &from);

	test_case("a write past the end is an error on both sides");
	qp_post(p.w, p.a, &wr);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "past the end",
	       "qp14 access error\n"
	       "cq5 qp11 req error 13 at 0\n"
	       "cq5 qp11 req error 5 at 1\n");
	CHECK(p.a->eng.state == ENG_ERR && p.b->eng.state == ENG_ERR);
	qp_post_recv(p.b, &from, 1);
	world_sleep(p.w, 100000000, 1000000);
	expect(p.w, "a receive that is posted later",
	       "cq8 qp14 resp error 5 at 0\n");
	pair_destroy(&p);

	test_case("rights of the QP and of the key");
	p = pair_create(ENG_RC);
	qp_set(p.b, ENG_QP_ACCESS,
	       &(struct eng_qp_attr){.access = ENG_REMOTE_READ});
	wr = write_to(&p, 0, &from);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "QP", "qp14 request error\ncq5 qp11 req error 12 at 0\n");
	pair_destroy(&p);
	p = pair_create(ENG_RC);
	p.bkey->eng.access = ENG_LOCAL_WRITE | ENG_REMOTE_READ;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "key", "qp14 access error\ncq5 qp11 req error 13 at 0\n");
	pair_destroy(&p);
}

static void test_suspend(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, 0, &from);

	test_case("a key gets other rights and another owner");
	eng_key_suspend(&p.bkey->eng);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "suspended",
	       "qp14 access error\ncq5 qp11 req error 13 at 0\n");
	qp_state(p.a, ENG_RESET);
	qp_state(p.b, ENG_RESET);
	qp_connect(p.a, p.b);
	eng_key_resume(&p.bkey->eng);
	qp_ring(p.w, p.a, 0);
	p.a->sq_posted = 0;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "resumed", "cq5 qp11 req 8 at 0 bytes 0\n");
	eng_key_suspend(&p.bkey->eng);
	p.bkey->eng.pdn++;
	eng_key_resume(&p.bkey->eng);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "other owner",
	       "qp14 access error\ncq5 qp11 req error 13 at 1\n");
	pair_destroy(&p);
}

static void test_counters(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, 0, &from);
	u64 stats[ENG_STATS];

	test_case("counters of requests, waits and errors");
	qp_post(p.w, p.a, &wr);
	wr.opcode = MLX5_OPCODE_SEND;
	qp_post(p.w, p.a, &wr);
	world_sleep(p.w, 100000000, 1000000);
	eng_stats(&p.w->eng, stats);
	CHECK(stats[ENG_STAT_REQUESTS] == 1 && stats[ENG_STAT_BYTES] == 100);
	CHECK(stats[ENG_STAT_RNR_WAITS] == 2 && stats[ENG_STAT_ERRORS] == 1);
	CHECK(!stats[ENG_STAT_RETRIES]);
	p.w->logged = 0;
	pair_destroy(&p);
}

static void test_local(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, 0, &from);

	test_case("keys of others, old keys, and wrong lengths at the sender");
	from.lkey = p.bkey->eng.key;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "key of another PD", "cq5 qp11 req error 4 at 0\n");
	CHECK(p.b->eng.state == ENG_RTS);
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	from = pair_a(&p, 0, 100);
	from.lkey ^= 1;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "variant", "cq5 qp11 req error 4 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	from = pair_a(&p, 0, 100);
	key_destroy(p.w, p.akey);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "old key", "cq5 qp11 req error 4 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	from = (struct sge){~0ULL - 10, 100, p.akey->eng.key};
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "address that wraps", "cq5 qp11 req error 4 at 0\n");
	pair_destroy(&p);
}

static void test_recv(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 99);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};

	test_case("a receive that is too short, or has a wrong key");
	qp_post_recv(p.b, &to, 1);
	qp_post_recv(p.b, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "short",
	       "cq8 qp14 resp error 1 at 0\n"
	       "cq8 qp14 resp error 5 at 1\n"
	       "cq5 qp11 req error 12 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	to = pair_a(&p, 0, 100);
	qp_post_recv(p.b, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "key",
	       "cq8 qp14 resp error 4 at 0\n"
	       "cq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);
}

static void test_recv_rest(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100000);
	struct sge to[2] = {pair_b(&p, 0, 100000), pair_a(&p, 0, 100)};
	struct wr wr = {.opcode = MLX5_OPCODE_SEND, .sge = &from, .nr_sge = 1};

	test_case("a message does not touch the segments behind it");
	qp_post_recv(p.b, to, 2);
	qp_post_recv(p.b, to, 2);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "just not",
	       "cq8 qp14 resp 2 at 0 bytes 100000 imm 0 from 11\n");
	to[0].length--;
	qp_post_recv(p.b, to, 2);
	from.length = 0;
	wr.nr_sge = 0;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "nothing", "cq8 qp14 resp 2 at 1 bytes 0 imm 0 from 11\n");
	from.length = 100000;
	wr.nr_sge = 1;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "one byte",
	       "cq8 qp14 resp error 4 at 2\n"
	       "cq5 qp11 req error 14 at 2\n");
	pair_destroy(&p);
}

static void test_rnr(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 100);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.flags = SIGNALED,
			.sge = &from,
			.nr_sge = 1};

	test_case("a sender waits for a receive, then goes on at once");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "nothing yet", "");
	qp_post_recv(p.b, &to, 1);
	world_run(p.w);
	expect(p.w, "at once",
	       "cq8 qp14 resp 2 at 0 bytes 100 imm 0 from 11\n"
	       "cq5 qp11 req a at 0 bytes 0\n");

	test_case("a sender gives up after rnr_retry periods of the receiver");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	world_sleep(p.w, 2 * 640000 - 20000, 10000);
	expect(p.w, "two of them", "");
	world_sleep(p.w, 40000, 10000);
	expect(p.w, "enough", "cq5 qp11 req error 16 at 1\n");
	pair_destroy(&p);

	test_case("rnr_retry 7 means no limit");
	p = pair_create(ENG_RC);
	qp_set(p.a, ENG_QP_RNR_RETRY, &(struct eng_qp_attr){.rnr_retry = 7});
	qp_post(p.w, p.a, &wr);
	world_sleep(p.w, 1000000000, 1000000);
	expect(p.w, "waits", "");
	pair_destroy(&p);
}

static void test_silence(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, 0, &from);

	test_case("a peer that is gone");
	qp_destroy(p.w, p.b);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	world_sleep(p.w, 4ULL * (4096 << 14) - 1000000, 1000000);
	expect(p.w, "retries", "");
	world_sleep(p.w, 5000000, 1000000);
	expect(p.w, "gives up", "cq5 qp11 req error 15 at 0\n");
	pair_destroy(&p);

	test_case("without a retry, the first try has its time");
	p = pair_create(ENG_RC);
	qp_set(p.a, ENG_QP_RETRY, &(struct eng_qp_attr){.retry = 0});
	qp_destroy(p.w, p.b);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	world_sleep(p.w, (4096 << 14) - 1000000, 1000000);
	expect(p.w, "waits", "");
	world_sleep(p.w, 3000000, 1000000);
	expect(p.w, "gives up", "cq5 qp11 req error 15 at 0\n");
	pair_destroy(&p);

	test_case("a peer that names somebody else");
	p = pair_create(ENG_RC);
	qp_set(p.b, ENG_QP_PEER, &(struct eng_qp_attr){.dest_qpn = 999});
	qp_post(p.w, p.a, &wr);
	world_sleep(p.w, 1000000000, 10000000);
	expect(p.w, "names another", "cq5 qp11 req error 15 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	qp_set(p.b, ENG_QP_RQ_PSN, &(struct eng_qp_attr){.rq_psn = 5});
	qp_post(p.w, p.a, &wr);
	world_sleep(p.w, 1000000000, 10000000);
	expect(p.w, "another PSN", "cq5 qp11 req error 15 at 0\n");
	pair_destroy(&p);
}

static void test_states(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, 0, &from);
	struct qp *c;

	test_case("a drained queue stops, and goes on");
	qp_set(p.a, ENG_QP_STATE | ENG_QP_DRAIN_EVENT,
	       &(struct eng_qp_attr){.state = ENG_SQD, .drain_event = true});
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "drained", "qp11 drained\n");
	qp_set(p.a, ENG_QP_STATE | ENG_QP_DRAIN_EVENT,
	       &(struct eng_qp_attr){.state = ENG_SQD, .drain_event = true});
	world_run(p.w);
	expect(p.w, "drained before", "");
	qp_state(p.a, ENG_RTS);
	world_run(p.w);
	expect(p.w, "goes on", "cq5 qp11 req 8 at 0 bytes 0\n");
	qp_state(p.a, ENG_SQD);
	world_run(p.w);
	expect(p.w, "drained without an event", "");
	qp_state(p.a, ENG_RTS);

	test_case("a QP without a send queue is drained");
	c = qp_create(p.w, &(struct qp_opts){.type = ENG_RC,
					     .send_cq = p.bcq,
					     .recv_cq = p.bcq,
					     .pdn = 2,
					     .no_sq = true});
	qp_connect(c, c);
	qp_set(c, ENG_QP_STATE | ENG_QP_DRAIN_EVENT,
	       &(struct eng_qp_attr){.state = ENG_SQD, .drain_event = true});
	world_run(p.w);
	expect(p.w, "no queue", "qp17 drained\n");

	test_case("the error state completes both queues");
	qp_post_recv(p.a, &from, 1);
	qp_state(p.a, ENG_ERR);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "flush",
	       "cq5 qp11 req error 5 at 1\n"
	       "cq5 qp11 resp error 5 at 0\n");

	test_case("the first message in RTR is an event");
	qp_state(p.a, ENG_RESET);
	p.a->sq_posted = 0;
	p.a->rq_posted = 0;
	qp_ring(p.w, p.a, 0);
	qp_connect(p.a, p.b);
	qp_state(p.b, ENG_RTR);
	qp_post(p.w, p.a, &wr);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "established",
	       "qp14 established\n"
	       "cq5 qp11 req 8 at 0 bytes 0\n"
	       "cq5 qp11 req 8 at 1 bytes 0\n");
	pair_destroy(&p);
}

static void test_drain(void)
{
	struct pair p = pair_create(ENG_UC);
	struct sge from = pair_a(&p, 0, 200000), to = pair_b(&p, 0, 100);
	const struct eng_qp_attr drain = {
		.state = ENG_SQD,
		.drain_event = true,
	};
	struct wr wr = write_to(&p, 0, &from);
	struct qp *c;
	u64 begun;
	int i;

	test_case("an error while a queue is drained stops it");
	qp_post(p.w, p.a, &wr);
	wr.nr_sge = 0;
	qp_post(p.w, p.a, &wr);
	eng_run(&p.w->worker, 1, 1);
	qp_set(p.a, ENG_QP_STATE | ENG_QP_DRAIN_EVENT, &drain);
	key_destroy(p.w, p.akey);
	world_run(p.w);
	CHECK(p.a->eng.state == ENG_SQE);
	expect(p.w, "failed and flushed",
	       "cq5 qp11 req error 4 at 0\ncq5 qp11 req error 5 at 1\n");
	pair_destroy(&p);

	test_case("a receive is flushed soon after the error");
	p = pair_create(ENG_RC);
	world_sleep(p.w, 1000000000, 1000000);
	qp_state(p.b, ENG_ERR);
	world_run(p.w);
	qp_post_recv(p.b, &to, 1);
	begun = p.w->now;
	while (!p.w->logged && p.w->now < begun + 100000000) {
		world_sleep(p.w, 1000000, 1000000);
		cq_poll(p.w, p.bcq, true);
	}
	CHECK(p.w->now <= begun + 3000000);
	expect(p.w, "flushed", "cq8 qp14 resp error 5 at 0\n");
	pair_destroy(&p);

	test_case("and while others come into error state all the time");
	p = pair_create(ENG_RC);
	c = qp_create(p.w, &(struct qp_opts){.type = ENG_RC,
					     .send_cq = p.acq,
					     .recv_cq = p.acq,
					     .pdn = 1});
	qp_connect(c, c);
	qp_state(p.b, ENG_ERR);
	world_run(p.w);
	qp_post_recv(p.b, &to, 1);
	for (i = 0; i < 40; i++) {
		qp_state(c, ENG_ERR);
		world_sleep(p.w, 500000, 100000);
		qp_reset(c, c);
	}
	expect(p.w, "flushed", "cq8 qp14 resp error 5 at 0\n");
	pair_destroy(&p);
}

static void test_modify(void)
{
	struct eng_qp_attr seen, attr = {.state = ENG_SQD, .qkey = 7};
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100);
	struct wr wr = write_to(&p, PAIR_BYTES, &from);

	test_case("a QP that has failed meanwhile is not modified");
	eng_qp_query(&p.a->eng, &seen);
	CHECK(seen.state == ENG_RTS);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "failed",
	       "qp14 access error\ncq5 qp11 req error 13 at 0\n");
	CHECK(eng_qp_modify(&p.a->eng, seen.state, &attr,
			    ENG_QP_STATE | ENG_QP_QKEY) == -EAGAIN);
	eng_qp_query(&p.a->eng, &attr);
	CHECK(attr.state == ENG_ERR && attr.qkey == seen.qkey);
	qp_state(p.a, ENG_RESET);
	pair_destroy(&p);
}

static void test_numbers(void)
{
	struct pair p = pair_create(ENG_RC);
	struct eng_qp_init init = p.a->eng.init;
	static struct eng_qp qp;

	test_case("no QP has the number that means any, or many");
	init.qpn = 0xffffff;
	CHECK(eng_qp_add(&p.w->worker, &qp, &init) == -EINVAL);
	init.qpn = 0x1000000;
	CHECK(eng_qp_add(&p.w->worker, &qp, &init) == -EINVAL);
	init.qpn = 0xfffffe;
	CHECK(!eng_qp_add(&p.w->worker, &qp, &init));
	eng_qp_del(&qp);
	pair_destroy(&p);
}

static void test_destroy(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 200000);
	struct wr wr = write_to(&p, 0, &from);

	test_case("objects go in the middle of a long message");
	qp_post(p.w, p.a, &wr);
	eng_run(&p.w->worker, 1, 1);
	CHECK(p.a->eng.done == ENG_STEP);
	key_destroy(p.w, p.bkey);
	world_run(p.w);
	expect(p.w, "key", "qp14 access error\ncq5 qp11 req error 13 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	qp_post(p.w, p.a, &wr);
	eng_run(&p.w->worker, 1, 1);
	qp_destroy(p.w, p.a);
	world_run(p.w);
	expect(p.w, "sender", "");
	pair_destroy(&p);
}

void test_errors(void)
{
	test_remote();
	test_suspend();
	test_counters();
	test_local();
	test_recv();
	test_recv_rest();
	test_rnr();
	test_silence();
	test_states();
	test_drain();
	test_modify();
	test_numbers();
	test_destroy();
}
