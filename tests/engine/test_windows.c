// SPDX-License-Identifier: GPL-2.0-only
/* Memory windows. Those of b are used by a. */
#include "pair.h"
#include "suites.h"

#define BYTES 1000

static struct umr bind(struct pair *p, u32 rkey, u32 qpn, u8 access)
{
	struct sge to = pair_b(p, 64, BYTES);

	return umr_bind(rkey, qpn, access, &to);
}

static void change(struct pair *p, struct qp *qp, u32 rkey,
		   const struct umr *umr)
{
	qp_post(p->w, qp,
		&(struct wr){.opcode = MLX5_OPCODE_UMR,
			     .flags = SIGNALED,
			     .imm = rkey,
			     .umr = umr});
	/* Its end is some runs later. */
	world_sleep(p->w, 10000, 1000);
}

static void write_to(struct pair *p, u64 offset, u32 bytes, u32 rkey)
{
	struct sge from = pair_a(p, 0, bytes);

	qp_post(p->w, p->a,
		&(struct wr){.opcode = MLX5_OPCODE_RDMA_WRITE,
			     .flags = SIGNALED,
			     .raddr = p->bbuf->va + offset,
			     .rkey = rkey,
			     .sge = &from,
			     .nr_sge = 1});
	world_run(p->w);
}

#define WRITE MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE
#define READ  MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ

#define BOUND	 "cq8 qp14 req 25 at 0 bytes 0\n"
#define NOT	 "cq8 qp14 req error 6 at 0\n"
#define WRITTEN	 "cq5 qp11 req 8 at 0 bytes 0\n"
#define REFUSED	 "cq5 qp11 req error 13 at 0\n"
#define FLUSHED	 "cq8 qp14 resp error 5 at 0\n"
#define NO_RIGHT "qp14 access error\n" REFUSED

static void test_use(void)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	u32 rkey = mw->eng.key + 1;
	struct umr umr = bind(&p, rkey, ENG_ANY_QPN, WRITE);
	u8 text[BYTES];

	test_case("a window that is bound can be used");
	p.bkey->eng.access = ENG_LOCAL_WRITE | ENG_BIND;
	change(&p, p.b, mw->eng.key, &umr);
	expect(p.w, "bound", BOUND);
	write_to(&p, 64, BYTES, rkey);
	expect(p.w, "written", WRITTEN);
	buf_read(p.bbuf, 64, text, BYTES);
	CHECK(!memcmp(text, buf_at(p.abuf, 0), 64));

	test_case("a window has its own range");
	write_to(&p, 65, BYTES, rkey);
	expect(p.w, "range", "qp14 access error\ncq5 qp11 req error 13 at 1\n");
	pair_destroy(&p);

	test_case("a window that was never bound cannot be used");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 2);
	write_to(&p, 64, 1, mw->eng.key);
	expect(p.w, "unbound", NO_RIGHT);
	pair_destroy(&p);

	test_case("a window has its own rights");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 2);
	p.bkey->eng.access |= ENG_BIND;
	umr = bind(&p, rkey, ENG_ANY_QPN, READ);
	change(&p, p.b, mw->eng.key, &umr);
	write_to(&p, 64, 1, rkey);
	expect(p.w, "rights", "qp14 access error\n" BOUND REFUSED);
	pair_destroy(&p);

	test_case("a window is no local key");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 1);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .sge = &(struct sge){p.abuf->va, 1, mw->eng.key},
			     .nr_sge = 1});
	world_run(p.w);
	expect(p.w, "local", "cq5 qp11 req error 4 at 0\n");
	pair_destroy(&p);

	test_case("the key below a window goes");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 2);
	p.bkey->eng.access |= ENG_BIND;
	umr = bind(&p, rkey, ENG_ANY_QPN, WRITE);
	change(&p, p.b, mw->eng.key, &umr);
	key_destroy(p.w, p.bkey);
	write_to(&p, 64, 1, rkey);
	expect(p.w, "gone", "qp14 access error\n" BOUND REFUSED);
	pair_destroy(&p);
}

/* Bind in a way that must not be: what is wrong is set by @spoil. */
static void refuse(const char *what,
		   void (*spoil)(struct pair *p, struct umr *umr),
		   const char *log)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	struct umr umr = bind(&p, mw->eng.key + 1, 14, WRITE);

	p.bkey->eng.access = ENG_LOCAL_WRITE | ENG_BIND;
	spoil(&p, &umr);
	change(&p, p.b, mw->eng.key, &umr);
	expect(p.w, what, log);
	pair_destroy(&p);
}

static void nothing(struct pair *p, struct umr *umr)
{
}

static void other_qp(struct pair *p, struct umr *umr)
{
	umr->mkey.qpn_mkey = htobe32(11 << 8);
}

static void no_bind(struct pair *p, struct umr *umr)
{
	p->bkey->eng.access = ENG_LOCAL_WRITE;
}

static void no_write(struct pair *p, struct umr *umr)
{
	p->bkey->eng.access = ENG_BIND;
}

static void other_owner(struct pair *p, struct umr *umr)
{
	umr->klm.mkey = htobe32(p->akey->eng.key);
	umr->klm.address = htobe64(p->abuf->va);
}

static void too_long(struct pair *p, struct umr *umr)
{
	umr->klm.address = htobe64(p->bbuf->va + PAIR_BYTES - BYTES + 1);
}

static void more_bits(struct pair *p, struct umr *umr)
{
	umr->ctrl.mkey_mask |= htobe64(MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE);
}

static void two_lengths(struct pair *p, struct umr *umr)
{
	umr->mkey.len = htobe64(BYTES + 1);
}

static void test_refused(void)
{
	test_case("what a window must not be bound to");
	refuse("as it should be", nothing, BOUND);
	refuse("for another QP", other_qp, NOT);
	refuse("a key without the right", no_bind, NOT);
	refuse("a key that cannot be written", no_write, NOT);
	refuse("the key of somebody else", other_owner, NOT);
	refuse("past the end", too_long, NOT);
	refuse("more is changed", more_bits, "cq8 qp14 req error 2 at 0\n");
	refuse("two lengths", two_lengths, "cq8 qp14 req error 2 at 0\n");
}

static void send_inval(struct pair *p, u32 rkey)
{
	qp_post_recv(p->b, NULL, 0);
	qp_post(p->w, p->a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_INVAL,
			     .flags = SIGNALED,
			     .imm = rkey});
	world_sleep(p->w, 10000, 1000);
}

/* A message that invalidates a window, but ends with an error at its receiver.
 */
static void lose_inval(const struct sge *to, const char *log)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	struct umr umr = bind(&p, mw->eng.key + 1, 14, WRITE);
	struct sge from = pair_a(&p, 0, 64);

	p.bkey->eng.access |= ENG_BIND;
	change(&p, p.b, mw->eng.key, &umr);
	qp_post_recv(p.b, to, 1);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_INVAL,
			     .flags = SIGNALED,
			     .sge = &from,
			     .nr_sge = 1,
			     .imm = mw->eng.key});
	world_sleep(p.w, 10000, 1000);
	expect(p.w, "refused", log);
	CHECK(mw->eng.bound);
	pair_destroy(&p);
}

static void test_inval_lost(void)
{
	struct pair p = pair_create(ENG_RC);
	struct sge shorter = pair_b(&p, 0, 16), bad = pair_b(&p, 0, 64);

	pair_destroy(&p);
	bad.lkey++;
	test_case("a window stays if the message does not arrive");
	lose_inval(&shorter, BOUND "cq8 qp14 resp error 1 at 0\n"
				   "cq5 qp11 req error 12 at 0\n");
	lose_inval(&bad, BOUND "cq8 qp14 resp error 4 at 0\n"
			       "cq5 qp11 req error 14 at 0\n");
}

static void test_invalidate(void)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	u32 rkey = mw->eng.key + 1;
	struct umr umr = bind(&p, rkey, 14, WRITE), end = umr_unbind(true);

	test_case("a window of a QP is bound once, until it is invalidated");
	p.bkey->eng.access |= ENG_BIND;
	change(&p, p.b, mw->eng.key, &umr);
	change(&p, p.b, rkey, &end);
	umr = bind(&p, rkey + 1, 14, WRITE);
	change(&p, p.b, rkey, &umr);
	expect(p.w, "twice",
	       BOUND "cq8 qp14 req 25 at 3 bytes 0\n"
		     "cq8 qp14 req 25 at 6 bytes 0\n");
	change(&p, p.b, rkey + 1, &umr);
	expect(p.w, "not free", "cq8 qp14 req error 6 at 9\n");
	pair_destroy(&p);

	test_case("a peer invalidates");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 2);
	p.bkey->eng.access |= ENG_BIND;
	umr = bind(&p, rkey, 14, WRITE);
	change(&p, p.b, mw->eng.key, &umr);
	send_inval(&p, rkey);
	expect(p.w, "invalidated",
	       BOUND "cq8 qp14 resp 4 at 0 bytes 0 imm 1101 from 11\n"
		     "cq5 qp11 req 1 at 0 bytes 0\n");
	write_to(&p, 64, 1, rkey);
	expect(p.w, "no more",
	       "qp14 access error\ncq5 qp11 req error 13 at 1\n");
	pair_destroy(&p);

	test_case("a peer cannot invalidate what is no window of the QP");
	p = pair_create(ENG_RC);
	mw = window_create(p.w, 2);
	p.bkey->eng.access |= ENG_BIND;
	umr = bind(&p, rkey, ENG_ANY_QPN, WRITE);
	change(&p, p.b, mw->eng.key, &umr);
	send_inval(&p, rkey);
	expect(p.w, "any QP", "qp14 access error\n" BOUND FLUSHED REFUSED);
	CHECK(mw->eng.bound);
	pair_destroy(&p);
	p = pair_create(ENG_RC);
	send_inval(&p, p.bkey->eng.key);
	expect(p.w, "a key", "qp14 access error\n" FLUSHED REFUSED);
	pair_destroy(&p);
}

static void test_drain(void)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	struct umr umr = bind(&p, mw->eng.key + 1, 14, WRITE);
	const struct eng_qp_attr drain = {
		.state = ENG_SQD,
		.drain_event = true,
	};

	test_case("a queue is drained when the change of a window is complete");
	p.bkey->eng.access |= ENG_BIND;
	qp_post(p.w, p.b,
		&(struct wr){.opcode = MLX5_OPCODE_UMR,
			     .flags = SIGNALED,
			     .imm = mw->eng.key,
			     .umr = &umr});
	eng_run(&p.w->worker, 1, 1);
	CHECK(p.b->eng.retiring);
	qp_set(p.b, ENG_QP_STATE | ENG_QP_DRAIN_EVENT, &drain);
	world_sleep(p.w, 1000000, 1000);
	expect(p.w, "complete", "qp14 drained\n" BOUND);
	pair_destroy(&p);
}

/* --- A request that changes while it waits for the end of a window --- */

static struct {
	u8 *wqe;
	int reads;
	u32 offset, value;
} race;

static void change_waiting(const volatile void *from, size_t n)
{
	if (from == race.wqe && race.reads++ == 1)
		memcpy(race.wqe + race.offset, &race.value, 4);
}

/* Both windows of b are bound; a invalidates the first, then what @offset says.
 */
static void invalidate_other(const char *what, u32 offset, u32 xor,
			     const char *log)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw[2] = {window_create(p.w, 2), window_create(p.w, 2)};
	struct umr umr;
	int i;

	p.bkey->eng.access |= ENG_BIND;
	for (i = 0; i < 2; i++) {
		umr = bind(&p, mw[i]->eng.key + 1, 14, WRITE);
		change(&p, p.b, mw[i]->eng.key, &umr);
	}
	cq_poll(p.w, p.bcq, true);
	p.w->logged = 0;
	qp_post_recv(p.b, NULL, 0);
	race.wqe = buf_at(p.a->ring, p.a->eng.init.sq_offset);
	race.reads = 0;
	race.offset = offset;
	eng_port_before_read = change_waiting;
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_INVAL,
			     .flags = SIGNALED,
			     .imm = mw[0]->eng.key});
	memcpy(&race.value, race.wqe + offset, 4);
	race.value ^= htobe32(xor);
	world_sleep(p.w, 10000, 1000);
	eng_port_before_read = NULL;
	CHECK(race.reads > 1);
	expect(p.w, what, log);
	CHECK(!mw[0]->eng.bound && mw[1]->eng.bound);
	pair_destroy(&p);
}

/*
 * A peer that has invalidated a window is reset, and binds the same again,
 * before the request is completed; for some time it is not there if @silent.
 */
static void invalidate_reset(bool silent)
{
	struct pair p = pair_create(ENG_RC);
	struct key *mw = window_create(p.w, 2);
	struct umr umr = bind(&p, mw->eng.key + 1, 14, WRITE);

	p.bkey->eng.access |= ENG_BIND;
	change(&p, p.b, mw->eng.key, &umr);
	expect(p.w, "bound", BOUND);
	qp_post_recv(p.b, NULL, 0);
	qp_post(p.w, p.a,
		&(struct wr){.opcode = MLX5_OPCODE_SEND_INVAL,
			     .flags = SIGNALED,
			     .imm = mw->eng.key});
	eng_run(&p.w->worker, 1, 1);
	CHECK(p.a->eng.retiring && !mw->eng.bound);
	if (silent) {
		qp_state(p.b, ENG_INIT);
		world_sleep(p.w, 10000, 1000);
	}
	mw->eng.bound = true;
	if (silent) {
		qp_state(p.b, ENG_RTS);
	} else {
		qp_reset(p.b, p.a);
		qp_post_recv(p.b, NULL, 0);
	}
	world_sleep(p.w, 100000000, 10000000);
	expect(p.w, "done again",
	       "cq8 qp14 resp 4 at 0 bytes 0 imm 1101 from 11\n"
	       "cq5 qp11 req 1 at 0 bytes 0\n");
	CHECK(!mw->eng.bound);
	pair_destroy(&p);
}

static void test_changed(void)
{
	test_case("a completion names the window that was invalidated");
	invalidate_other("another window", 12, 0x1101 ^ 0x1201,
			 "cq5 qp11 req error 2 at 0\n");
	invalidate_other("another operation", 0,
			 MLX5_OPCODE_SEND_INVAL ^ MLX5_OPCODE_SEND_IMM,
			 "cq5 qp11 req error 2 at 0\n");

	test_case("what a peer invalidated before it was reset is not done");
	invalidate_reset(true);
	invalidate_reset(false);
}

void test_windows(void)
{
	test_use();
	test_refused();
	test_invalidate();
	test_inval_lost();
	test_drain();
	test_changed();
}
