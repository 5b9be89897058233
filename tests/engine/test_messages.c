// SPDX-License-Identifier: GPL-2.0-only
/* Messages that succeed: what arrives, and the completions. */
#include "pair.h"
#include "suites.h"

static bool same(struct pair *p, u64 a, u64 b, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		if (*(u8 *)buf_at(p->abuf, a + i) !=
		    *(u8 *)buf_at(p->bbuf, b + i))
			return false;
	return true;
}

static void write_bytes(u32 bytes)
{
	struct pair p = pair_create(ENG_RC);
	struct sge sge = pair_a(&p, 11, bytes);
	u8 guard = 0xee;

	buf_write(p.bbuf, 5 + bytes, &guard, 1);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .flags = SIGNALED,
			     .raddr = p.bbuf->va + 5,
			     .rkey = p.bkey->eng.key,
			     .sge = &sge,
			     .nr_sge = bytes ? 1 : 0});
	world_run(p.w);
	expect(p.w, "write", "cq5 qp11 req 8 at 0 bytes 0\n");
	CHECK(same(&p, 11, 5, bytes));
	CHECK(*(u8 *)buf_at(p.bbuf, 5 + bytes) == 0xee);
	pair_destroy(&p);
}

static void test_write(void)
{
	static const u32 sizes[] = {0,	  1,	2,     3,     4,     7,
				    8,	  63,	64,    65,    100,   4095,
				    4096, 4097, 65535, 65536, 65537, 200000};
	size_t i;

	test_case("RDMA write of many sizes");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		write_bytes(sizes[i]);
}

/* The parts of the target that were written at once begin at these bytes. */
static struct {
	u8 *at;
	u32 bytes;
	u32 next;
	bool begins[128];
} stores;

static void see_store(const volatile void *to, size_t n)
{
	u64 at = (u8 *)to - stores.at;

	if (at >= stores.bytes)
		return;
	/* In the order of addresses */
	CHECK(at >= stores.next);
	stores.next = at + n;
	stores.begins[at] = true;
}

static bool is_torn(u32 from)
{
	unsigned long first = (unsigned long)stores.at;
	u32 at, size, i;

	for (size = 2; size <= 8; size *= 2)
		for (at = from; at + size <= stores.bytes; at++)
			for (i = 1; !((first + at) & (size - 1)) && i < size;
			     i++)
				if (stores.begins[at + i])
					return true;
	return false;
}

static void store_bytes(struct pair *p, u32 offset, u32 bytes)
{
	struct sge sge = pair_a(p, 3, bytes);

	memset(&stores, 0, sizeof(stores));
	stores.at = buf_at(p->bbuf, offset);
	stores.bytes = bytes;
	eng_port_before_write = see_store;
	qp_post(p->w, p->a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = p->bbuf->va + offset,
			     .rkey = p->bkey->eng.key,
			     .sge = &sge,
			     .nr_sge = 1});
	world_run(p->w);
	eng_port_before_write = NULL;
	CHECK(same(p, 3, offset, bytes));
	CHECK(stores.next == bytes);
	CHECK(!is_torn(bytes > 64 ? bytes - 64 : 0));
}

static void test_stores(void)
{
	struct pair p = pair_create(ENG_RC);
	u32 offset, bytes;

	test_case("the last bytes of a message are in order, and whole words");
	for (offset = 0x100; offset < 0x108; offset++)
		for (bytes = 1; bytes <= 80; bytes++)
			store_bytes(&p, offset, bytes);
	pair_destroy(&p);
}

static void test_send(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge to[3] = {pair_b(&p, 0, 10), pair_b(&p, 10, 4096),
			    pair_b(&p, 4106, 100000)};
	struct sge from[2] = {pair_a(&p, 0, 70000), pair_a(&p, 70000, 30)};

	test_case("send to scattered memory");
	qp_post_recv(p.b, to, 3);
	qp_post(p.w, p.a,
		&(struct wr){
			.opcode = MLX5_OPCODE_SEND, .sge = from, .nr_sge = 2});
	world_run(p.w);
	expect(p.w, "send", "cq8 qp14 resp 2 at 0 bytes 70030 imm 0 from 11\n");
	CHECK(same(&p, 0, 0, 70030));
	CHECK(*(u8 *)buf_at(p.bbuf, 70030) == 0);

	test_case("send and write with immediate data");
	qp_post_recv(p.b, to, 1);
	qp_post_recv(p.b, to, 0);
	from[0].length = 10;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_IMM,
			     .flags = SIGNALED,
			     .imm = 0xabcdef01,
			     .sge = from,
			     .nr_sge = 1});
	from[0].length = 70000;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE_IMM,
			     .flags = SIGNALED,
			     .imm = 2,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "immediate",
	       "cq8 qp14 resp 3 at 1 bytes 10 imm abcdef01 from 11\n"
	       "cq8 qp14 resp 1 at 2 bytes 70000 imm 2 from 11\n"
	       "cq5 qp11 req b at 1 bytes 0\ncq5 qp11 req 9 at 2 bytes 0\n");
	pair_destroy(&p);
}

static void test_read(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge to[2] = {pair_b(&p, 3, 5000), pair_b(&p, 9000, 90000)};

	test_case("RDMA read into scattered memory");
	qp_post(p.w, p.b,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_READ,
			     .flags = SIGNALED,
			     .raddr = p.abuf->va + 17,
			     .rkey = p.akey->eng.key,
			     .sge = to,
			     .nr_sge = 2});
	world_run(p.w);
	expect(p.w, "read", "cq8 qp14 req 10 at 0 bytes 95000\n");
	CHECK(same(&p, 17, 3, 5000));
	CHECK(same(&p, 5017, 9000, 90000));
	pair_destroy(&p);
}

static u64 word(struct buf *b, u64 offset)
{
	u64 value;

	buf_read(b, offset, &value, sizeof(value));
	return value;
}

static void atomic(struct pair *p, u8 opcode, u64 compare, u64 swap_add)
{
	struct sge result = pair_a(p, 0, 8);

	qp_post(p->w, p->a,
		&(struct wr){.opcode = opcode,
			     .flags = SIGNALED,
			     .raddr = p->bbuf->va + 16,
			     .rkey = p->bkey->eng.key,
			     .swap_add = swap_add,
			     .compare = compare,
			     .sge = &result,
			     .nr_sge = 1});
	world_run(p->w);
}

static void test_atomic(void)
{
	struct pair p = pair_create(ENG_RC);
	u64 start = 1000;

	test_case("atomics, in host order");
	buf_write(p.bbuf, 16, &start, 8);
	atomic(&p, MLX5_OPCODE_ATOMIC_FA, 0, 5);
	CHECK(word(p.abuf, 0) == 1000 && word(p.bbuf, 16) == 1005);
	atomic(&p, MLX5_OPCODE_ATOMIC_CS, 1004, 7);
	CHECK(word(p.abuf, 0) == 1005 && word(p.bbuf, 16) == 1005);
	atomic(&p, MLX5_OPCODE_ATOMIC_CS, 1005, 7);
	CHECK(word(p.abuf, 0) == 1005 && word(p.bbuf, 16) == 7);
	expect(p.w, "atomics",
	       "cq5 qp11 req 12 at 0 bytes 8\n"
	       "cq5 qp11 req 11 at 1 bytes 8\n"
	       "cq5 qp11 req 11 at 2 bytes 8\n");
	pair_destroy(&p);
}

static void test_inline(void)
{
	struct pair p = pair_create(ENG_RC);
	char text[200], got[200];
	struct sge to = pair_b(&p, 4090, 200);
	int i;

	test_case("inline data, also across the end of the ring");
	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i % 26;
	for (i = 0; i < 50; i++) {
		qp_post_recv(p.b, &to, 1);
		qp_post(p.w, p.a,
			&(struct wr){.opcode = MLX5_OPCODE_SEND,
				     .inl = text,
				     .inl_len = 151 + i});
		world_run(p.w);
		buf_read(p.bbuf, 4090, got, sizeof(got));
		CHECK(!memcmp(got, text, 151 + i));
		cq_poll(p.w, p.bcq, true);
	}
	CHECK(p.a->sq_posted > 64);
	pair_destroy(&p);
}

static void test_self(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100), to = pair_a(&p, 1000, 100);

	test_case("a QP connected to itself");
	qp_connect(p.a, p.a);
	qp_post_recv(p.a, &to, 1);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .flags = SIGNALED | SOLICITED,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "self",
	       "cq5 qp11 resp 2 at 0 bytes 100 imm 0 from 11\n"
	       "cq5 qp11 req a at 0 bytes 0\n");
	CHECK(word(p.abuf, 0) == word(p.abuf, 1000));
	pair_destroy(&p);
}

/* A UD QP in addition to p->b. */
static struct qp *receiver_of(struct pair *p, u32 net, u32 owner)
{
	return qp_create(p->w, &(struct qp_opts){.type = ENG_UD,
						 .send_cq = p->bcq,
						 .recv_cq = p->bcq,
						 .pdn = 2,
						 .net = net,
						 .owner = owner});
}

static void test_datagrams(void)
{
	struct pair p = pair_create(ENG_UD);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 140);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND_IMM,
			.flags = SIGNALED,
			.imm = 9,
			.sge = &from,
			.nr_sge = 1,
			.dqpn = 14,
			.qkey = 0x1234};

	test_case("datagrams: header, Q_Key, lost ones");
	qp_post(p.w, p.a, &wr); /* no receive */
	world_run(p.w);
	qp_post_recv(p.b, &to, 1);
	wr.qkey = 0x1235;
	qp_post(p.w, p.a, &wr);
	wr.qkey = 0x80000001; /* the QP's own one */
	wr.dqpn = 15;
	qp_post(p.w, p.a, &wr);
	p.w->paths = false;
	wr.dqpn = 14;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "lost",
	       "cq5 qp11 req b at 0 bytes 0\n"
	       "cq5 qp11 req b at 2 bytes 0\n"
	       "cq5 qp11 req b at 4 bytes 0\n"
	       "cq5 qp11 req b at 6 bytes 0\n");
	p.w->paths = true;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "arrives",
	       "cq8 qp14 resp 3 at 0 bytes 140 imm 9 from 11 grh\n"
	       "cq5 qp11 req b at 8 bytes 0\n");
	CHECK(same(&p, 0, 40, 100));
	CHECK(*(u8 *)buf_at(p.bbuf, 39) == 0x47);

	test_case(
		"a datagram that is too long is lost, and its receiver goes on");
	qp_post_recv(p.b, &to, 1);
	from.length = 101;
	qp_post(p.w, p.a, &wr);
	from.length = 100;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "too long",
	       "cq8 qp14 resp 3 at 1 bytes 140 imm 9 from 11 grh\n"
	       "cq5 qp11 req b at 10 bytes 0\n"
	       "cq5 qp11 req b at 12 bytes 0\n");
	CHECK(p.b->eng.state == ENG_RTS);

	test_case(
		"what a datagram does not reach may be outside of the region");
	to = pair_b(&p, PAIR_BYTES - 140, 4136);
	qp_post_recv(p.b, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "short",
	       "cq8 qp14 resp 3 at 2 bytes 140 imm 9 from 11 grh\n"
	       "cq5 qp11 req b at 14 bytes 0\n");

	test_case("a datagram above the MTU is an error of its sender");
	from.length = 1025;
	qp_post(p.w, p.a, &wr);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "long",
	       "cq5 qp11 req error 1 at 16\n"
	       "cq5 qp11 req error 5 at 18\n");
	CHECK(p.a->eng.state == ENG_SQE);
	pair_destroy(&p);
}

/* Whatever QP number and Q_Key a datagram has. */
static void test_owners(void)
{
	static const u8 group[16] = {0xff, 0x0e, 9}, other[16] = {0x20, 1};
	struct pair p = pair_create(ENG_UD);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 140);
	struct qp *c = receiver_of(&p, 0, 3);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.sge = &from,
			.nr_sge = 1,
			.qkey = 0x1234};

	test_case("a datagram reaches the QPs of the address's owner only");
	qp_connect(p.b, c);
	qp_post_recv(p.b, &to, 1);
	qp_post_recv(c, &to, 1);
	wr.dqpn = c->eng.init.qpn;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "of nobody", "");
	p.w->owner = 4;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "of another one", "");
	p.w->owner = 3;
	wr.dqpn = p.b->eng.init.qpn;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "to a QP that is not the owner's", "");
	wr.gid = group;
	wr.dqpn = p.b->eng.init.qpn;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "to a QP, at the address of a group", "");
	wr.gid = other;
	wr.dqpn = ENG_MULTICAST_QPN;
	CHECK(!eng_group_join(&p.b->eng, other));
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "to a group, at another address", "");
	CHECK(!eng_group_leave(&p.b->eng, other));
	wr.gid = NULL;
	wr.dqpn = c->eng.init.qpn;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "to one of the owner",
	       "cq8 qp17 resp 2 at 0 bytes 140 imm 0 from 11 grh\n");
	pair_destroy(&p);
}

/* A receive that was taken from the SRQ ends with an error, but no QP does. */
static void test_long_to_srq(void)
{
	struct pair p = pair_create(ENG_UD);
	struct srq *srq = srq_create(p.w, 16, 2);
	struct sge from = pair_a(&p, 0, 101), to = pair_b(&p, 0, 140);
	struct qp *c = qp_create(p.w, &(struct qp_opts){.type = ENG_UD,
							.send_cq = p.bcq,
							.recv_cq = p.bcq,
							.srq = srq,
							.pdn = 2});
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.sge = &from,
			.nr_sge = 1,
			.dqpn = c->eng.init.qpn,
			.qkey = 0x1234};

	test_case("a datagram that is too long for an SRQ ends a receive");
	qp_connect(p.b, c);
	srq_post(srq, 0, 1, &to, 1);
	srq_post(srq, 1, 2, &to, 1);
	qp_post(p.w, p.a, &wr);
	from.length = 100;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "srq",
	       "cq8 qp20 resp error 1 at 0\n"
	       "cq8 qp20 resp 2 at 1 bytes 140 imm 0 from 11 grh\n");
	CHECK(c->eng.state == ENG_RTS);
	pair_destroy(&p);
}

static void test_multicast(void)
{
	static const u8 gid[16] = {0xff, 0x0e, 9}, other[16] = {0xff, 0x0e, 8};
	struct pair p = pair_create(ENG_UD);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 140);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.sge = &from,
			.nr_sge = 1,
			.dqpn = ENG_MULTICAST_QPN,
			.gid = gid,
			.qkey = 0x1234};
	struct qp *c = receiver_of(&p, 0, 0);
	struct qp *member;
	int i;

	test_case("a datagram for a group reaches its members");
	qp_connect(p.b, c);
	CHECK(!eng_group_join(&p.b->eng, gid));
	CHECK(eng_group_join(&p.b->eng, gid) == -EEXIST);
	CHECK(!eng_group_join(&c->eng, gid));
	CHECK(!eng_group_join(&p.a->eng, other));
	for (i = 0; i < 2; i++) {
		qp_post_recv(p.b, &to, 1);
		qp_post_recv(c, &to, 1);
	}
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "all",
	       "cq8 qp14 resp 2 at 0 bytes 140 imm 0 from 11 grh\n"
	       "cq8 qp17 resp 2 at 0 bytes 140 imm 0 from 11 grh\n");
	CHECK(same(&p, 0, 40, 100));

	test_case("who leaves a group has no more of it");
	CHECK(!eng_group_leave(&p.b->eng, gid));
	CHECK(eng_group_leave(&p.b->eng, gid) == -ENOENT);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "one",
	       "cq8 qp17 resp 2 at 1 bytes 140 imm 0 from 11 grh\n");
	CHECK(!eng_group_leave(&c->eng, gid));
	CHECK(!eng_group_leave(&p.a->eng, other));
	CHECK(!p.w->eng.nr_groups);

	test_case("a group has so many members");
	for (i = 0; i < ENG_MAX_MEMBERS; i++) {
		struct qp *qp = receiver_of(&p, 0, 0);

		CHECK(!eng_group_join(&qp->eng, gid));
	}
	CHECK(eng_group_join(&c->eng, gid) == -ENOSPC);
	for (member = p.w->qps; member != c; member = member->next)
		CHECK(!eng_group_leave(&member->eng, gid));
	pair_destroy(&p);
}

static void test_networks(void)
{
	static const u8 gid[16] = {0xff, 0x0e, 9};
	struct pair p = pair_create(ENG_UD);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 140);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.sge = &from,
			.nr_sge = 1,
			.dqpn = ENG_MULTICAST_QPN,
			.gid = gid,
			.qkey = 0x1234};
	struct qp *c = receiver_of(&p, 1, 0);
	struct qp *d = qp_create(p.w, &(struct qp_opts){.type = ENG_UD,
							.send_cq = p.acq,
							.recv_cq = p.acq,
							.pdn = 1,
							.net = 1});

	test_case("groups of two networks with one address are two");
	qp_connect(d, c);
	CHECK(!eng_group_join(&p.b->eng, gid));
	CHECK(!eng_group_join(&c->eng, gid));
	CHECK(p.w->eng.nr_groups == 2);
	qp_post_recv(p.b, &to, 1);
	qp_post_recv(c, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "of one network",
	       "cq8 qp14 resp 2 at 0 bytes 140 imm 0 from 11 grh\n");
	qp_post(p.w, d, &wr);
	world_run(p.w);
	expect(p.w, "of the other one",
	       "cq8 qp17 resp 2 at 0 bytes 140 imm 0 from 20 grh\n");
	CHECK(!eng_group_leave(&p.b->eng, gid));
	CHECK(eng_group_leave(&p.b->eng, gid) == -ENOENT);
	CHECK(!eng_group_leave(&c->eng, gid));
	CHECK(!p.w->eng.nr_groups);
	pair_destroy(&p);
}

static void test_unreliable(void)
{
	struct pair p = pair_create(ENG_UC);
	struct sge from = pair_a(&p, 0, 100), to = pair_b(&p, 0, 100);
	struct wr wr = {.opcode = MLX5_OPCODE_SEND,
			.flags = SIGNALED,
			.sge = &from,
			.nr_sge = 1};

	test_case("unreliable connections lose messages and go on");
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	qp_post_recv(p.b, &to, 1);
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "uc",
	       "cq8 qp14 resp 2 at 0 bytes 100 imm 0 from 11\n"
	       "cq5 qp11 req a at 0 bytes 0\n"
	       "cq5 qp11 req a at 1 bytes 0\n");

	test_case("reads are an error on unreliable connections");
	wr.opcode = MLX5_OPCODE_RDMA_READ;
	qp_post(p.w, p.a, &wr);
	world_run(p.w);
	expect(p.w, "uc read", "cq5 qp11 req error 2 at 2\n");
	pair_destroy(&p);
}

static void test_psn(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge from = pair_a(&p, 0, 100 * 1024);
	struct eng_qp_attr attr;

	test_case("sequence numbers count packets, and wrap");
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key,
			     .sge = &from,
			     .nr_sge = 1});
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .raddr = p.bbuf->va,
			     .rkey = p.bkey->eng.key});
	world_run(p.w);
	eng_qp_query(&p.a->eng, &attr);
	CHECK(attr.sq_psn == ((0xfffff0 + 101) & 0xffffff));
	eng_qp_query(&p.b->eng, &attr);
	CHECK(attr.rq_psn == ((0xfffff0 + 101) & 0xffffff));
	CHECK(attr.sq_psn == 0xfffff0);
	pair_destroy(&p);
}

/* A peer is reset when it has a part of a message. */
static void reset_peer(enum eng_qp_type type)
{
	struct pair p = pair_create(type);
	struct sge from = pair_a(&p, 0, 200000), to = pair_b(&p, 0, 200000);
	static const u8 none[200000];

	qp_post_recv(p.b, &to, 1);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .flags = SIGNALED,
			     .sge = &from,
			     .nr_sge = 1});
	eng_run(&p.w->worker, 1, 1);
	CHECK(p.a->eng.done && p.a->eng.done < 200000);
	qp_reset(p.b, p.a);
	buf_write(p.bbuf, 0, none, sizeof(none));
	qp_post_recv(p.b, &to, 1);
	world_sleep(p.w, 1000000, 100000);
	expect(p.w, "all of it",
	       "cq8 qp14 resp 2 at 0 bytes 200000 imm 0 from 11\n"
	       "cq5 qp11 req a at 0 bytes 0\n");
	CHECK(same(&p, 0, 0, 200000));
	pair_destroy(&p);
}

static void test_reset(void)
{
	test_case("a peer that was reset gets a message from its beginning");
	reset_peer(ENG_RC);
	reset_peer(ENG_UC);
}

void test_messages(void)
{
	test_write();
	test_stores();
	test_send();
	test_read();
	test_atomic();
	test_inline();
	test_self();
	test_datagrams();
	test_owners();
	test_long_to_srq();
	test_multicast();
	test_networks();
	test_unreliable();
	test_psn();
	test_reset();
}
