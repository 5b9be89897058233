// SPDX-License-Identifier: GPL-2.0-only
/* XRC: requests of one connection name the SRQ that they are for. */
#include "pair.h"
#include "suites.h"

static struct xrc {
	struct pair p;
	struct cq *cq[2];
	struct srq *srq[2];
	struct qp *ini, *tgt;
} x;

/* The numbers: cq19 and cq22 of srq25 and srq28; qp31 sends to qp34. */
static void create(void)
{
	int i;

	x.p = pair_create(ENG_RC);
	/* Numbers that do not depend on those of the pair. */
	x.p.w->next_id = 19;
	for (i = 0; i < 2; i++)
		x.cq[i] = cq_create(x.p.w, 16, 64);
	for (i = 0; i < 2; i++)
		x.srq[i] = xrc_srq_create(x.p.w, 16, 2, x.cq[i]);
	x.ini = qp_create(x.p.w, &(struct qp_opts){.type = ENG_XRC_INI,
						   .send_cq = x.p.acq,
						   .pdn = 1});
	x.tgt = qp_create(x.p.w, &(struct qp_opts){.type = ENG_XRC_TGT});
	qp_connect(x.ini, x.tgt);
	world_run(x.p.w);
	expect(x.p.w, "nothing", "");
}

static void post(u8 opcode, u32 srqn, u32 bytes)
{
	struct sge from = pair_a(&x.p, 0, bytes);

	qp_post(x.p.w, x.ini,
		&(struct wr){.opcode = opcode,
			     .flags = SIGNALED,
			     .srqn = srqn,
			     .raddr = x.p.bbuf->va,
			     .rkey = x.p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(x.p.w);
}

static void post_recv(int i, u16 index, u32 bytes)
{
	struct sge to = pair_b(&x.p, 0, bytes);

	srq_post(x.srq[i], index, index + 1, &to, 1);
}

static u32 user_index(struct cq *cq, u32 slot)
{
	struct mlx5_cqe64 cqe;

	buf_read(cq->ring, slot * sizeof(cqe), &cqe, sizeof(cqe));
	return be32toh(cqe.srqn_uidx);
}

static bool arrived(u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		if (*(u8 *)buf_at(x.p.abuf, i) != *(u8 *)buf_at(x.p.bbuf, i))
			return false;
	return true;
}

static void test_send(void)
{
	test_case("XRC: a message goes to the SRQ that it names");
	create();
	post_recv(0, 0, 100);
	post_recv(1, 0, 100);
	post(MLX5_OPCODE_SEND, x.srq[1]->id, 50);
	expect(x.p.w, "to the second",
	       "cq22 qp34 resp 2 at 0 bytes 50 imm 0 from 31\n"
	       "cq5 qp31 req a at 0 bytes 0\n");
	post(MLX5_OPCODE_SEND_IMM, x.srq[0]->id, 100);
	expect(x.p.w, "to the first",
	       "cq19 qp34 resp 3 at 0 bytes 100 imm 0 from 31\n"
	       "cq5 qp31 req b at 1 bytes 0\n");
	CHECK(user_index(x.cq[0], 0) == 9 && user_index(x.cq[1], 0) == 9);
	CHECK(arrived(100));
	pair_destroy(&x.p);
}

static void test_rdma(void)
{
	test_case("XRC: remote memory is that of the SRQ's PD");
	create();
	post(MLX5_OPCODE_RDMA_WRITE, x.srq[0]->id, 200);
	expect(x.p.w, "write", "cq5 qp31 req 8 at 0 bytes 0\n");
	CHECK(arrived(200));
	post_recv(1, 0, 0);
	post(MLX5_OPCODE_RDMA_WRITE_IMM, x.srq[1]->id, 300);
	expect(x.p.w, "write with immediate",
	       "cq22 qp34 resp 1 at 0 bytes 300 imm 0 from 31\n"
	       "cq5 qp31 req 9 at 1 bytes 0\n");
	post(MLX5_OPCODE_RDMA_READ, x.srq[1]->id, 8);
	expect(x.p.w, "read", "cq5 qp31 req 10 at 2 bytes 8\n");
	x.srq[0]->eng.attr.pdn = 3;
	post(MLX5_OPCODE_RDMA_WRITE, x.srq[0]->id, 200);
	expect(x.p.w, "another PD",
	       "qp34 access error\ncq5 qp31 req error 13 at 3\n");
	pair_destroy(&x.p);
}

static void test_refused(void)
{
	test_case("XRC: an SRQ that is not of the domain is refused");
	create();
	post_recv(0, 0, 100);
	post(MLX5_OPCODE_SEND, 12345, 50);
	expect(x.p.w, "no SRQ",
	       "qp34 request error\ncq5 qp31 req error 12 at 0\n");
	pair_destroy(&x.p);

	create();
	post_recv(0, 0, 100);
	x.srq[0]->eng.attr.xrcdn++;
	post(MLX5_OPCODE_SEND, x.srq[0]->id, 50);
	expect(x.p.w, "another domain",
	       "qp34 request error\ncq5 qp31 req error 12 at 0\n");
	pair_destroy(&x.p);

	create();
	srq_destroy(x.p.w, x.srq[0]);
	post(MLX5_OPCODE_RDMA_WRITE, x.srq[0]->id, 50);
	expect(x.p.w, "destroyed",
	       "qp34 request error\ncq5 qp31 req error 12 at 0\n");
	pair_destroy(&x.p);
}

static void test_late(void)
{
	test_case("XRC: a message waits for a receive of its SRQ");
	create();
	post_recv(0, 0, 100);
	post(MLX5_OPCODE_SEND, x.srq[1]->id, 50);
	expect(x.p.w, "none", "");
	post_recv(1, 0, 100);
	world_run(x.p.w);
	expect(x.p.w, "one",
	       "cq22 qp34 resp 2 at 0 bytes 50 imm 0 from 31\n"
	       "cq5 qp31 req a at 0 bytes 0\n");
	pair_destroy(&x.p);
}

/* The first step of a long message to the first SRQ. */
static void begin_long(void)
{
	struct sge from = pair_a(&x.p, 0, 200000);

	qp_post(x.p.w, x.ini,
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .flags = SIGNALED,
			     .srqn = x.srq[0]->id,
			     .sge = &from,
			     .nr_sge = 1});
	eng_run(&x.p.w->worker, 1, 1);
	expect(x.p.w, "begun", "");
	CHECK(x.tgt->eng.srq_busy);
}

static void test_long(void)
{
	test_case("XRC: an SRQ goes while a message arrives");
	create();
	post_recv(0, 7, 200000);
	x.srq[0]->eng.head = 7;
	begin_long();
	/* A smaller one has the number now. */
	srq_destroy(x.p.w, x.srq[0]);
	x.p.w->next_id = x.srq[0]->id;
	x.srq[0] = xrc_srq_create(x.p.w, 4, 2, x.cq[0]);
	world_run(x.p.w);
	expect(x.p.w, "failed",
	       "qp34 fatal\ncq19 qp34 resp error 5 at 7\n"
	       "cq5 qp31 req error 14 at 0\n");
	pair_destroy(&x.p);

	test_case("XRC: an error while a message arrives flushes its receive");
	create();
	post_recv(0, 0, 200000);
	begin_long();
	qp_state(x.tgt, ENG_ERR);
	world_run(x.p.w);
	expect(x.p.w, "flushed", "cq19 qp34 resp error 5 at 0\n");
	world_sleep(x.p.w, 10000000000ULL, 100000000);
	expect(x.p.w, "lost", "cq5 qp31 req error 15 at 0\n");
	pair_destroy(&x.p);
}

/* The target has a part of a message when its peer is reset. */
static void test_named_again(void)
{
	test_case("XRC: a message is not for the SRQ of one that has ended");
	create();
	post_recv(0, 0, 200000);
	post_recv(1, 0, 200000);
	begin_long();
	qp_reset(x.ini, x.tgt);
	post(MLX5_OPCODE_SEND, x.srq[1]->id, 100);
	expect(x.p.w, "refused",
	       "qp34 request error\ncq19 qp34 resp error 5 at 0\n"
	       "cq5 qp31 req error 12 at 0\n");
	pair_destroy(&x.p);
}

static void test_types(void)
{
	test_case("XRC: both ends are of its types");
	create();
	post_recv(0, 0, 100);
	qp_connect(x.p.a, x.tgt);
	qp_post(x.p.w, x.p.a,
		&(struct wr){.opcode = MLX5_OPCODE_NOP, .flags = SIGNALED});
	world_run(x.p.w);
	expect(x.p.w, "local", "cq5 qp11 req 0 at 0 bytes 0\n");
	CHECK(x.p.a->eng.peer_type == ENG_RC);
	qp_post(x.p.w, x.p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .flags = SIGNALED,
			     .inl = "x",
			     .inl_len = 1});
	world_sleep(x.p.w, 10000000000ULL, 100000000);
	expect(x.p.w, "silence", "cq5 qp11 req error 15 at 1\n");
	pair_destroy(&x.p);
}

static void test_local(void)
{
	struct key *mw;
	struct umr umr;
	struct sge to;

	test_case("XRC: an initiator binds and invalidates windows");
	create();
	x.p.akey->eng.access |= ENG_BIND;
	mw = window_create(x.p.w, 1);
	to = pair_a(&x.p, 64, 1000);
	umr = umr_bind(mw->eng.key + 1, ENG_ANY_QPN,
		       MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE, &to);
	qp_post(x.p.w, x.ini,
		&(struct wr){.opcode = MLX5_OPCODE_NOP, .flags = SIGNALED});
	world_run(x.p.w);
	expect(x.p.w, "nothing", "cq5 qp31 req 0 at 0 bytes 0\n");
	qp_post(x.p.w, x.ini,
		&(struct wr){.opcode = MLX5_OPCODE_UMR,
			     .flags = SIGNALED,
			     .imm = mw->eng.key + 1,
			     .umr = &umr});
	world_sleep(x.p.w, 10000, 1000);
	expect(x.p.w, "bound", "cq5 qp31 req 25 at 1 bytes 0\n");
	pair_destroy(&x.p);
}

static void test_no_cq(void)
{
	struct eng_qp_init init = {
		.type = ENG_XRC_INI,
		.qpn = 100,
		.rq_entries = 1,
	};
	struct eng_qp qp;

	test_case("XRC: an initiator has no receives");
	create();
	init.send_cq = &x.p.acq->eng;
	CHECK(eng_qp_add(&x.p.w->worker, &qp, &init) == -EINVAL);
	pair_destroy(&x.p);
}

void test_xrc(void)
{
	test_send();
	test_rdma();
	test_refused();
	test_late();
	test_long();
	test_named_again();
	test_types();
	test_local();
	test_no_cq();
}
