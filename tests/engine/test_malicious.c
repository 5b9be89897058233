// SPDX-License-Identifier: GPL-2.0-only
/* Requests, records and rings that nobody writes by mistake. */
#include "pair.h"
#include "suites.h"

static struct wr send_from(const struct sge *sge)
{
	return (struct wr){.opcode = MLX5_OPCODE_SEND,
			   .flags = SIGNALED,
			   .sge = sge,
			   .nr_sge = 1};
}

/* The first request must fail alone, and the peer must not notice. */
static void bad_request(const char *what, const struct wr *wr, int syndrome)
{
	struct pair p = pair_create(ENG_RC);
	char log[64];

	qp_post(p.w, p.a, wr);
	world_run(p.w);
	snprintf(log, sizeof(log), "cq5 qp11 req error %x at 0\n", syndrome);
	expect(p.w, what, log);
	CHECK(p.b->eng.state == ENG_RTS);
	pair_destroy(&p);
}

static void test_requests(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge sge[3] = {pair_a(&p, 0, 64), pair_a(&p, 0, 64)};
	struct wr wr = send_from(sge);

	test_case("headers of requests");
	wr.xor_word = 1 << 8;
	bad_request("index", &wr, 2);
	wr.xor_word = 1 << 24;
	bad_request("opmod", &wr, 2);
	wr.xor_word = MLX5_OPCODE_SEND ^ MLX5_OPCODE_UMR;
	bad_request("opcode", &wr, 2);
	wr.xor_word = MLX5_OPCODE_SEND ^ 0xff;
	bad_request("opcode 255", &wr, 2);
	wr.xor_word = 0;
	wr.xor_qpn_ds = 1 << 8;
	bad_request("QP number", &wr, 2);
	wr.xor_qpn_ds = 2;
	bad_request("size 0", &wr, 2);
	wr.xor_qpn_ds = 0x2 ^ 0x3f;
	bad_request("size beyond what is posted", &wr, 2);
	wr.xor_qpn_ds = 0;
	wr.opcode = MLX5_OPCODE_RDMA_WRITE;
	wr.xor_qpn_ds = 3 ^ 1;
	bad_request("no address", &wr, 2);
	wr.xor_qpn_ds = 0;

	test_case("segments of requests");
	sge[0].length = 0x80000000 | 1000;
	wr.opcode = MLX5_OPCODE_SEND;
	bad_request("inline data past the end", &wr, 2);
	sge[0].length = 0x80000000 | 4;
	wr.opcode = MLX5_OPCODE_RDMA_READ;
	bad_request("inline data of a read", &wr, 2);
	sge[0].length = 0x7fffffff;
	sge[1].length = 2;
	sge[2] = sge[0];
	wr.opcode = MLX5_OPCODE_SEND;
	wr.nr_sge = 3;
	bad_request("more than 2 GiB", &wr, 1);
	sge[0].length = 0;
	wr.nr_sge = 1;
	bad_request("0 is 2 GiB", &wr, 4);
	sge[0] = pair_a(&p, 0, 9);
	wr.opcode = MLX5_OPCODE_ATOMIC_FA;
	bad_request("an atomic of 9 bytes", &wr, 1);
	pair_destroy(&p);
}

static void test_atomics(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge sge = pair_a(&p, 0, 8);
	struct wr wr = {.opcode = MLX5_OPCODE_ATOMIC_FA,
			.raddr = p.bbuf->va + 12,
			.rkey = p.bkey->eng.key,
			.sge = &sge,
			.nr_sge = 1};

	test_case("an atomic that is not aligned");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "address",
	       "qp14 request error\n"
	       "cq5 qp11 req error 12 at 0\n");
	pair_destroy(&p);
}

static void test_records(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 10);
	struct wr wr = send_from(&from);
	struct srq *srq;

	test_case("records ahead of their rings");
	qp_ring(p.w, p.a, 65);
	world_run(p.w);
	expect(p.w, "send", "qp11 fatal\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	p.b->rq_posted = 16;
	qp_post_recv(p.b, &from, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "receive", "qp14 fatal\ncq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	srq = srq_create(p.w, 16, 2);
	pair_connect_srq(&p, srq);
	srq->posted = 16;
	srq_post(srq, 0, 1, &from, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "shared",
	       "srq17 srq error\nqp20 fatal\nqp20 last wqe\n"
	       "cq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);
}

static void test_links(void)
{
	struct pair p = pair_create(ENG_RC);
	struct srq *srq = srq_create(p.w, 16, 2);
	struct sge from = pair_a(&p, 0, 10), to = pair_b(&p, 0, 10);
	struct wr wr = send_from(&from);

	test_case("links of a shared receive queue");
	wr.flags = 0;
	pair_connect_srq(&p, srq);
	srq_post(srq, 0, 0, &to, 1);
	srq_post(srq, 0, 0, &to, 1);
	qp_post(p.w, p.a, &wr);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "a loop",
	       "cq8 qp20 resp 2 at 0 bytes 10 imm 0 from 11\n"
	       "cq8 qp20 resp 2 at 0 bytes 10 imm 0 from 11\n");
	srq_post(srq, 0, 16, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "out of range",
	       "srq17 srq error\nqp20 fatal\nqp20 last wqe\n"
	       "cq5 qp11 req error 14 at 2\n");
	pair_destroy(&p);
}

static void test_consumer(void)
{
	struct pair p = pair_create(ENG_RC);
	u32 forged = htobe32(1000);
	int i;

	test_case("a consumer that claims what was not produced");
	buf_write(p.acq->record, 0, &forged, 4);
	for (i = 0; i < 17; i++) {
		qp_post(p.w, p.a,
			&(struct wr){.opcode = MLX5_OPCODE_NOP,
				     .flags = SIGNALED});
		world_run(p.w);
	}
	CHECK(p.acq->eng.produced == 16 && p.acq->eng.overrun);
	CHECK(p.a->eng.state == ENG_ERR && p.b->eng.state == ENG_RTS);
	pair_destroy(&p);
}

enum own {
	PEER_RING,
	PEER_RECORD,
	PEER_CQ_RING,
	PEER_CQ_RECORD,
	OWN_RING,
	OWN_RECORD,
	NR_OWN,
};

/* Write over all of it what is no request, entry or count. */
static void write_own(struct pair *p, struct buf *target)
{
	struct key *key = key_create(p->w, target, 2, ENG_REMOTE_WRITE);
	struct sge from = pair_a(p, 0, target->mem.length);

	qp_post(p->w, p->a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = target->va,
			     .rkey = key->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p->w);
}

/* The device's positions in all queues of a pair. */
static void check_positions(const struct pair *p, u32 sent, u32 received,
			    u32 completed)
{
	CHECK(p->a->eng.sq_head == sent && !p->a->eng.rq_head);
	CHECK(!p->b->eng.sq_head && p->b->eng.rq_head == received);
	CHECK(p->acq->eng.produced == completed && !p->acq->eng.overrun);
	CHECK(p->bcq->eng.produced == received && !p->bcq->eng.overrun);
}

static void check_send(struct pair *p)
{
	struct sge from = pair_a(p, 1000, 100), to = pair_b(p, 0, 100);
	struct wr wr = send_from(&from);
	u8 sent[100], got[100];

	qp_post_recv(p->b, &to, 1);
	qp_post(p->w, p->a, &wr);
	world_run(p->w);
	buf_read(p->abuf, 1000, sent, sizeof(sent));
	buf_read(p->bbuf, 0, got, sizeof(got));
	CHECK(!memcmp(sent, got, sizeof(got)));
	check_positions(p, 2, 1, 1);
}

/*
 * Queues and records are memory of their owner, who may register them. A record
 * is read as if its owner had written it, so it ends its QP.
 */
static void test_own_queues(void)
{
	enum eng_qp_state a, b;
	struct pair p;
	int i;

	test_case("writes into queues, rings and records");
	for (i = 0; i < NR_OWN; i++) {
		p = pair_create(ENG_RC);
		write_own(&p, (struct buf *[]){
				      [PEER_RING] = p.b->ring,
				      [PEER_RECORD] = p.b->record,
				      [PEER_CQ_RING] = p.bcq->ring,
				      [PEER_CQ_RECORD] = p.bcq->record,
				      [OWN_RING] = p.a->ring,
				      [OWN_RECORD] = p.a->record,
			      }[i]);
		a = i == OWN_RECORD ? ENG_ERR : ENG_RTS;
		b = i == PEER_RECORD ? ENG_ERR : ENG_RTS;
		CHECK(p.a->eng.state == a && p.b->eng.state == b);
		check_positions(&p, 1, 0, 0);
		if (a == ENG_RTS && b == ENG_RTS)
			check_send(&p);
		/* Now the peer asks for what is in its queue. */
		qp_ring(p.w, p.b, 3);
		world_sleep(p.w, 2000000000, 10000000);
		CHECK(p.a->eng.state == a && p.b->eng.state == ENG_ERR);
		pair_destroy(&p);
	}
}

/* --- Changes between two reads --- */

static struct {
	struct qp *qp;
	int reads; /* of the send queue */
	int change_at;
	u32 offset, value;
} race;

static void change_ring(const volatile void *from, size_t n)
{
	u8 *ring = buf_at(race.qp->ring, race.qp->eng.init.sq_offset);
	const volatile u8 *at = from;

	if (at < ring || at >= ring + 64 * 64)
		return;
	if (race.reads++ == race.change_at)
		memcpy(ring + race.offset, &race.value, 4);
}

static void test_changes(void)
{
	struct sge from;
	struct pair p;

	test_case("no byte of a request is read twice");
	p = pair_create(ENG_RC);
	from = pair_a(&p, 0, 40);
	race.qp = p.a;
	race.reads = 0;
	race.change_at = -1;
	eng_port_before_read = change_ring;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .flags = SIGNALED,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	CHECK(race.reads == 1);
	expect(p.w, "a write", "cq5 qp11 req 8 at 0 bytes 0\n");
	eng_port_before_read = NULL;
	pair_destroy(&p);

	test_case("a long request that changes between its steps");
	p = pair_create(ENG_RC);
	from = pair_a(&p, 0, 200000);
	race.qp = p.a;
	race.reads = 0;
	race.change_at = 2;
	race.offset = 32; /* the length */
	race.value = htobe32(70000);
	eng_port_before_read = change_ring;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .flags = SIGNALED,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "length", "cq5 qp11 req error 2 at 0\n");
	eng_port_before_read = NULL;
	pair_destroy(&p);
}

static void test_poison(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 20000);

	test_case("bad memory is an error of those who use it");
	eng_port_bad = buf_at(p.abuf, 8192);
	eng_port_bad_end = eng_port_bad + 64;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "poison", "cq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	from = pair_a(&p, 0, 8);
	eng_port_bad = buf_at(p.bbuf, 16);
	eng_port_bad_end = eng_port_bad + 8;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_ATOMIC_FA,
			     .raddr = p.bbuf->va + 16,
			     .rkey = p.bkey->eng.key,
			     .swap_add = 1,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "atomic", "cq5 qp11 req error 14 at 0\n");
	CHECK(!*(u64 *)buf_at(p.bbuf, 16));
	eng_port_bad = NULL;
	pair_destroy(&p);
}

/* The first @bytes of @buf are bad. */
static void go_bad(struct buf *buf, u32 bytes)
{
	eng_port_bad = buf_at(buf, 0);
	eng_port_bad_end = eng_port_bad + bytes;
}

/* A message of @bytes, to memory that is bad at @offset. */
static void bad_end(u32 bytes, u32 offset)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, bytes);

	eng_port_bad = buf_at(p.bbuf, offset);
	eng_port_bad_end = eng_port_bad + 1;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "the end of a message", "cq5 qp11 req error 14 at 0\n");
	eng_port_bad = NULL;
	pair_destroy(&p);
}

static void test_poison_stores(void)
{
	struct pair p;
	struct sge from;
	struct wr wr;

	test_case(
		"memory that cannot be written is an error of those who use it");
	bad_end(1, 0);
	bad_end(7, 4);
	bad_end(64, 0);
	bad_end(64, 63);
	bad_end(200, 199);
	bad_end(20000, 19999);

	/* The last word of an entry, and another one. */
	for (u32 at = 0; at < 64; at += 60) {
		p = pair_create(ENG_RC);
		from = pair_a(&p, 0, 8);
		wr = send_from(&from);
		wr.opcode = MLX5_OPCODE_RDMA_WRITE;
		wr.raddr = p.bbuf->va;
		wr.rkey = p.bkey->eng.key;
		eng_port_bad = (u8 *)buf_at(p.acq->ring, 0) + at;
		eng_port_bad_end = eng_port_bad + 4;
		qp_post(p.w, p.a, &wr);
		world_run(p.w);
		expect(p.w, "completion", "cq5 cq error\nqp11 fatal\n");
		eng_port_bad = NULL;
		pair_destroy(&p);
	}
}

static void test_poison_records(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 8), to = pair_b(&p, 0, 8);
	struct wr wr = send_from(&from);
	struct srq *srq;

	test_case("a record that cannot be read is an error of its queue");
	qp_post(p.w, p.a, &wr);
	go_bad(p.a->record, 8);
	world_scan(p.w);
	world_run(p.w);
	expect(p.w, "send", "qp11 fatal\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	qp_post_recv(p.b, &to, 1);
	go_bad(p.b->record, 8);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "receive", "qp14 fatal\ncq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);

	p = pair_create(ENG_RC);
	srq = srq_create(p.w, 16, 2);
	pair_connect_srq(&p, srq);
	srq_post(srq, 0, 1, &to, 1);
	go_bad(srq->record, 8);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "shared",
	       "srq17 srq error\nqp20 fatal\nqp20 last wqe\n"
	       "cq5 qp11 req error 14 at 0\n");
	pair_destroy(&p);

	/* No event, and no more than there is room for. */
	p = pair_create(ENG_RC);
	cq_arm(p.acq, 0, false);
	go_bad(p.acq->record, 8);
	wr.opcode = MLX5_OPCODE_NOP;
	wr.nr_sge = 0;
	for (u32 i = 0; i < p.acq->entries; i++) {
		qp_post(p.w, p.a, &wr);
		world_run(p.w);
	}
	CHECK(!p.acq->eng.overrun);
	CHECK(!p.acq->eng.sequence);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	CHECK(p.acq->eng.overrun);
	world_renew(p.w);
	eng_port_bad = NULL;
	pair_destroy(&p);
}

void test_malicious(void)
{
	test_requests();
	test_atomics();
	test_records();
	test_links();
	test_consumer();
	test_own_queues();
	test_changes();
	test_poison();
	test_poison_stores();
	test_poison_records();
}
