// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: engine_count OPERATION NUMBER
 *
 * Execute so many operations, 16 in each run of the worker, for tools that
 * count instructions in eng_ring_qp() and eng_run(). The operation "million" is
 * a write, with a million keys, of which each has its turn, and 65536 QPs.
 */
#include "pair.h"

#define BATCH	16
#define MILLION 1000000
#define QPS	65536

static struct pair p;
static struct srq *srq;
static struct qp *peer;
static struct eng_key *keys; /* of the same memory */
static struct eng_qp *qps;

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (!ok)
		abort();
}

/* Their IDs are all over the table, behind those of the pair. */
static void create_million(void)
{
	struct eng_qp_init init = p.b->eng.init;
	u32 i;

	keys = calloc(MILLION, sizeof(*keys));
	for (i = 0; i < MILLION; i++) {
		keys[i] = p.bkey->eng;
		keys[i].key = (4096 + i * 16) << 8;
		if (eng_key_add(&p.w->eng, &keys[i]))
			abort();
	}
	qps = calloc(QPS, sizeof(*qps));
	for (i = 0; i < QPS; i++) {
		init.qpn = 4096 + i * 200;
		if (eng_qp_add(&p.w->worker, &qps[i], &init))
			abort();
	}
}

static u32 next_key(void)
{
	static u32 i;

	i = (i + 618033) % MILLION;
	return keys[i].key;
}

static void post(const char *operation)
{
	static u16 index;
	struct sge from = pair_a(&p, 0, 64), to = pair_b(&p, 64, 64);
	struct wr wr = {.flags = SIGNALED,
			.raddr = p.bbuf->va + 64,
			.rkey = p.bkey->eng.key,
			.sge = &from,
			.nr_sge = 1};
	u8 text[64] = {};

	if (!strcmp(operation, "write")) {
		wr.opcode = MLX5_OPCODE_RDMA_WRITE;
	} else if (!strcmp(operation, "million")) {
		wr.opcode = MLX5_OPCODE_RDMA_WRITE;
		wr.rkey = next_key();
	} else if (!strcmp(operation, "inline")) {
		wr.opcode = MLX5_OPCODE_RDMA_WRITE;
		wr.inl = text;
		wr.inl_len = sizeof(text);
		wr.nr_sge = 0;
	} else if (!strcmp(operation, "read")) {
		wr.opcode = MLX5_OPCODE_RDMA_READ;
	} else if (!strcmp(operation, "atomic")) {
		wr.opcode = MLX5_OPCODE_ATOMIC_FA;
		from.length = 8;
	} else if (!strcmp(operation, "send")) {
		wr.opcode = MLX5_OPCODE_SEND;
		qp_post_recv(p.b, &to, 1);
	} else if (!strcmp(operation, "srq")) {
		wr.opcode = MLX5_OPCODE_SEND;
		srq_post(srq, index, (index + 1) & 63, &to, 1);
		index = (index + 1) & 63;
	} else {
		abort();
	}
	qp_post(p.w, p.a, &wr);
}

int main(int argc, char **argv)
{
	u32 number = atoi(argv[2]), done;
	int i;

	p = pair_create(ENG_RC);
	p.w->quiet = true;
	srq = srq_create(p.w, 64, 2);
	peer = qp_create(p.w, &(struct qp_opts){.type = ENG_RC,
						.send_cq = p.bcq,
						.recv_cq = p.bcq,
						.srq = srq,
						.pdn = 2});
	if (!strcmp(argv[1], "srq"))
		qp_connect(p.a, peer);
	world_run(p.w);
	if (!strcmp(argv[1], "million"))
		create_million();
	for (done = 0; done < number; done += BATCH) {
		for (i = 0; i < BATCH; i++)
			post(argv[1]);
		/* An event for each batch. */
		cq_arm(p.bcq, done / BATCH % 4, false);
		while (eng_run(&p.w->worker, 64, 1 << 18))
			;
		cq_poll(p.w, p.acq, true);
		cq_poll(p.w, p.bcq, true);
	}
	if (p.acq->consumed != number)
		abort();
	return 0;
}
