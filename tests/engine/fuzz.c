// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that write anything into their queues and records, and take their
 * keys away, also between two reads of the engine, next to a pair of QPs that
 * must not notice. What was retired may not be touched.
 */
#include <sanitizer/asan_interface.h>

#include "world.h"

#define QPS	8
#define BYTES	70000 /* more than a step */
#define RETIRED 2048  /* keys; inputs are too short for more */

static struct {
	struct world *w;
	const u8 *at;
	size_t left;
	struct buf *buf[2];
	struct key *key[2];
	struct cq *cq[2];
	struct srq *srq, *xsrq;
	struct key *mw[2];
	struct qp *qp[QPS];
	struct eng_worker other; /* of half of them */
	/* The neighbours, in a PD of their own. */
	struct buf *nbuf;
	struct key *nkey;
	struct cq *ncq;
	struct qp *nqp[2];
	u32 sent;
	u32 change_after;	 /* reads */
	const volatile u8 *read; /* last */
	size_t read_bytes;
	struct buf *bufs; /* memory of the bad process */
	struct key *retired[RETIRED];
	u32 nr_retired, nr_poisoned;
} f;

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

static u64 take(unsigned int bytes)
{
	u64 value = 0;

	while (bytes-- && f.left) {
		value = value << 8 | *f.at++;
		f.left--;
	}
	return value;
}

static u32 below(u32 n)
{
	return take(n > 256 ? 2 : 1) % n;
}

/* Memory that a bad process may write. */
static struct buf *any_memory(void)
{
	struct qp *qp = f.qp[below(QPS)];

	switch (below(9)) {
	case 8:
		return below(2) ? f.xsrq->ring : f.xsrq->record;
	case 0:
		return f.cq[below(2)]->ring;
	case 1:
		return f.cq[below(2)]->record;
	case 2:
		return f.srq->ring;
	case 3:
		return f.srq->record;
	case 4:
		return qp->record;
	default:
		return qp->ring;
	}
}

static void scribble(void)
{
	struct buf *b = any_memory();
	u32 bytes = 1 + below(8);
	u64 offset = below(b->mem.length), value = take(bytes);

	if (bytes > b->mem.length - offset)
		bytes = b->mem.length - offset;
	buf_write(b, offset, &value, bytes);
}

static void flip(u8 *bytes, size_t n)
{
	size_t i = below(n), end = i + 1 + below(n - i);
	u8 bits = 1 + take(1);

	for (; i < end; i++)
		bytes[i] ^= bits;
}

/* Change what was read last: a second read finds another value. */
static void change_read(void)
{
	struct buf *b;
	u32 i;

	if (!f.read_bytes)
		return;
	for (b = f.bufs; b; b = b->next)
		for (i = 0; i < b->mem.count; i++) {
			u64 offset = f.read - (u8 *)b->mem.run[i];

			if (offset >= WORLD_PAGE ||
			    f.read_bytes > WORLD_PAGE - offset)
				continue;
			flip((u8 *)b->mem.run[i] + offset, f.read_bytes);
			return;
		}
}

static void replace_key(void)
{
	const u32 all = ENG_LOCAL_WRITE | ENG_REMOTE_READ | ENG_REMOTE_WRITE |
			ENG_REMOTE_ATOMIC | ENG_BIND;
	u32 i = below(2);
	bool window = !below(4);
	struct key **key = window ? &f.mw[i] : &f.key[i];

	CHECK(f.nr_retired < RETIRED);
	eng_key_del(&f.w->eng, &(*key)->eng);
	f.retired[f.nr_retired++] = *key;
	if (window)
		*key = window_create(f.w, 1);
	else
		*key = key_create(f.w, f.buf[i], 1,
				  take(1) ? all : ENG_LOCAL_WRITE);
}

/* There is no run. */
static void poison_keys(void)
{
	if (f.nr_poisoned == f.nr_retired)
		return;
	CHECK(eng_retired(&f.w->eng, eng_retire(&f.w->eng)));
	for (; f.nr_poisoned < f.nr_retired; f.nr_poisoned++)
		ASAN_POISON_MEMORY_REGION(&f.retired[f.nr_poisoned]->eng,
					  sizeof(struct eng_key));
}

static void unpoison_keys(void)
{
	while (f.nr_poisoned--)
		ASAN_UNPOISON_MEMORY_REGION(&f.retired[f.nr_poisoned]->eng,
					    sizeof(struct eng_key));
}

static void before_read(const volatile void *from, size_t n)
{
	if (f.change_after && !--f.change_after) {
		switch (below(4)) {
		case 0:
			replace_key();
			break;
		case 1:
		case 2:
			change_read();
			break;
		default:
			scribble();
			break;
		}
		f.change_after = below(32);
	}
	f.read = from;
	f.read_bytes = n;
}

static const u8 gids[2][16] = {{0xff, 0x0e, 1}, {0xff, 0x0e, 2}};

/* With @good, of memory that there is, and often of all. */
static struct sge any_sge(bool good)
{
	u32 i = below(2), some = below(4);
	u32 offset = some ? below(BYTES) : 0;
	u32 length = some ? below(BYTES - offset) : BYTES;
	struct sge sge = {f.buf[i]->va + offset, length, f.key[i]->eng.key};

	if (good)
		return sge;
	if (!below(16))
		sge.lkey ^= take(4);
	if (!below(16))
		sge.addr ^= take(8);
	if (!below(16))
		sge.length = take(4);
	if (!below(16))
		sge.lkey = f.nkey->eng.key;
	return sge;
}

/* Memory of a key or window, mostly where @length bytes are in it. */
static void any_remote(struct wr *wr, u64 length, bool good)
{
	u32 i = below(2);
	struct key *key = below(4) ? f.key[i] : f.mw[i];
	u64 all = key->eng.window ? key->eng.length : BYTES;

	wr->raddr = key->eng.start;
	if (length < all)
		wr->raddr += below(all - length);
	wr->rkey = key->eng.key;
	if (good)
		return;
	if (!below(16))
		wr->raddr ^= take(8);
	if (!below(16))
		wr->rkey ^= take(4);
}

static struct umr any_umr(const struct qp *qp, u32 rkey)
{
	struct sge to = any_sge(below(2));
	struct umr umr;
	u32 qpn = below(2) ? qp->eng.init.qpn : ENG_ANY_QPN;

	if (below(4))
		umr = umr_bind(rkey + below(2), qpn, take(1), &to);
	else
		umr = umr_unbind(below(2));
	if (!below(8))
		((u8 *)&umr)[below(sizeof(umr))] ^= take(1);
	return umr;
}

static void post(void)
{
	static const u8 opcodes[] = {
		MLX5_OPCODE_SEND,	MLX5_OPCODE_SEND_IMM,
		MLX5_OPCODE_RDMA_WRITE, MLX5_OPCODE_RDMA_WRITE_IMM,
		MLX5_OPCODE_RDMA_READ,	MLX5_OPCODE_ATOMIC_CS,
		MLX5_OPCODE_ATOMIC_FA,	MLX5_OPCODE_NOP,
		MLX5_OPCODE_SEND_INVAL, MLX5_OPCODE_UMR,
	};
	struct key *mw = f.mw[below(2)];
	struct sge sge[4];
	struct qp *qp = f.qp[below(QPS)];
	struct wr wr = {.opcode = opcodes[below(sizeof(opcodes))]};
	bool good = below(2);
	struct umr umr;
	u64 length = 0;
	char text[64];
	int i;

	wr.flags = take(1);
	wr.nr_sge = good ? 1 : below(4);
	for (i = 0; i < wr.nr_sge; i++)
		sge[i] = any_sge(good);
	wr.sge = sge;
	for (i = 0; i < wr.nr_sge; i++)
		length += sge[i].length;
	if (!below(4)) {
		memset(text, 'x', sizeof(text));
		wr.inl = text;
		wr.inl_len = below(sizeof(text));
		wr.nr_sge = 0;
		length = wr.inl_len;
	}
	any_remote(&wr, length, good);
	if ((wr.opcode == MLX5_OPCODE_ATOMIC_CS ||
	     wr.opcode == MLX5_OPCODE_ATOMIC_FA) &&
	    below(8)) {
		wr.inl = NULL;
		wr.nr_sge = 1;
		sge[0] = any_sge(below(2));
		sge[0].length = 8;
		wr.raddr &= ~7ULL;
	}
	wr.imm = mw->eng.key;
	if (wr.opcode == MLX5_OPCODE_UMR) {
		umr = any_umr(below(4) ? qp : f.qp[below(QPS)], mw->eng.key);
		wr.umr = &umr;
		wr.nr_sge = 0;
		wr.inl = NULL;
	}
	if (!good && !below(8))
		wr.imm ^= take(4);
	if (!good && !below(8))
		wr.xor_word = take(4);
	if (!good && !below(8))
		wr.xor_qpn_ds = take(4);
	wr.srqn = f.xsrq->id;
	if (!below(16))
		wr.srqn = take(3);
	wr.dqpn = f.qp[below(QPS)]->eng.init.qpn;
	wr.qkey = 0x1234;
	if (!below(16))
		wr.dqpn = f.nqp[below(2)]->eng.init.qpn;
	if (!below(4))
		wr.dqpn = ENG_MULTICAST_QPN;
	wr.gid = gids[below(2)];
	qp_post(f.w, qp, &wr);
}

static void post_recv(void)
{
	struct qp *qp = f.qp[below(QPS)];
	struct sge sge[3];
	int nr = below(4), i;

	for (i = 0; i < nr; i++)
		sge[i] = any_sge(below(2));
	if (!below(4))
		srq_post(f.xsrq, below(20), below(20), sge, nr);
	else if (qp->eng.init.srq)
		srq_post(f.srq, below(20), below(20), sge, nr);
	else if (qp->eng.init.rq_entries)
		qp_post_recv(qp, sge, nr);
}

static void modify(void)
{
	struct qp *qp = f.qp[below(QPS)];
	struct eng_qp_attr attr = {
		.state = below(ENG_ERR + 1),
		.dest_qpn = f.qp[below(QPS)]->eng.init.qpn,
		.access = take(1),
		.mtu = 256U << below(5),
		.timeout = below(20),
		.retry = below(8),
		.rnr_retry = below(8),
		.min_rnr = take(1),
		.drain_event = true,
	};

	if (attr.state == ENG_RESET) {
		qp->sq_posted = 0;
		qp->rq_posted = 0;
	}
	qp_set(qp, take(2), &attr);
}

static void reconnect(void)
{
	static const u32 pairs[] = {0, 2, 6};
	u32 pair = pairs[below(3)];

	qp_state(f.qp[pair], ENG_RESET);
	qp_state(f.qp[pair + 1], ENG_RESET);
	f.qp[pair]->sq_posted = 0;
	f.qp[pair]->rq_posted = 0;
	f.qp[pair + 1]->sq_posted = 0;
	f.qp[pair + 1]->rq_posted = 0;
	qp_connect(f.qp[pair], f.qp[pair + 1]);
}

/* The number stays, the size may change. */
static void replace_xsrq(void)
{
	u32 id = f.w->next_id;

	srq_destroy(f.w, f.xsrq);
	f.w->next_id = f.xsrq->id;
	f.xsrq = xrc_srq_create(f.w, 4U << below(3), 1, f.cq[below(2)]);
	f.w->next_id = id + 8;
}

static void resize(void)
{
	struct cq *cq = f.cq[below(2)];
	u32 entries = 16U << below(3);
	struct buf *ring = buf_create(f.w, (u64)entries << cq->shift, 0);

	if (eng_cq_resize(&cq->eng, &ring->mem, entries, cq->shift))
		return;
	cq->ring = ring;
	cq->entries = entries;
}

static void change_rights(void)
{
	struct eng_key *key = &f.key[below(2)]->eng;

	eng_key_suspend(key);
	CHECK(eng_retired(&f.w->eng, eng_retire(&f.w->eng)));
	key->access = take(1);
	eng_key_resume(key);
}

static void query(void)
{
	struct qp *qp = f.qp[below(QPS)];
	struct eng_qp_attr attr;

	eng_qp_query(&qp->eng, &attr);
	CHECK(attr.state == qp->eng.state);
	eng_srq_arm(&f.srq->eng, below(20));
	eng_srq_limit(&f.srq->eng);
}

static void join_or_leave(void)
{
	struct qp *qp = f.qp[4 + below(2)];
	const u8 *gid = gids[below(2)];

	if (below(4))
		eng_group_join(&qp->eng, gid);
	else
		eng_group_leave(&qp->eng, gid);
}

static struct eng_worker *any_worker(void)
{
	return below(2) ? &f.w->worker : &f.other;
}

/* The neighbours exchange a message, which takes one run at most. */
static void check_neighbours(void)
{
	struct sge to = {f.nbuf->va, 8, f.nkey->eng.key};
	u64 text = 0x1122334455667788 + ++f.sent, got;
	u32 before = f.ncq->consumed;

	eng_port_before_read = NULL;
	qp_post_recv(f.nqp[1], &to, 1);
	qp_post(f.w, f.nqp[0],
		&(struct wr){.opcode = MLX5_OPCODE_SEND,
			     .flags = SIGNALED,
			     .inl = &text,
			     .inl_len = sizeof(text)});
	world_run(f.w);
	f.w->logged = 0;
	cq_poll(f.w, f.ncq, true);
	CHECK(f.ncq->consumed == before + 2);
	buf_read(f.nbuf, 0, &got, sizeof(got));
	CHECK(got == text);
	buf_read(f.nbuf, 8, &got, sizeof(got));
	CHECK(!got);
	f.w->logged = 0;
	eng_port_before_read = before_read;
}

static void step(void)
{
	switch (below(23)) {
	case 17:
		replace_xsrq();
		break;
	case 18:
		resize();
		break;
	case 19:
		change_rights();
		break;
	case 20:
		query();
		break;
	case 21:
		eng_cq_moderate(&f.cq[below(2)]->eng, below(4),
				below(3) * 1000);
		break;
	case 0:
	case 1:
	case 2:
		post();
		break;
	case 3:
	case 4:
		post_recv();
		break;
	case 5:
		scribble();
		break;
	case 6:
		qp_ring(f.w, f.qp[below(QPS)], take(2));
		break;
	case 7:
		modify();
		break;
	case 8:
		reconnect();
		break;
	case 9:
		replace_key();
		break;
	case 10:
		f.w->now += take(4);
		break;
	case 11:
		cq_poll(f.w, f.cq[below(2)], true);
		break;
	case 12:
		cq_arm(f.cq[below(2)], below(4), below(2));
		break;
	case 13:
		f.change_after = 1 + below(64);
		break;
	case 14:
		eng_scan(any_worker(), below(2));
		break;
	case 15:
		eng_arm(any_worker());
		break;
	case 16:
		join_or_leave();
		break;
	default:
		eng_run(any_worker(), 1 + below(64), 1 + take(2));
		break;
	}
	CHECK(f.cq[0]->eng.produced - f.cq[0]->eng.consumed <= 64);
	f.w->logged = 0;
	poison_keys();
}

static struct qp *create(enum eng_qp_type type, u32 cq, struct srq *srq)
{
	return qp_create(
		f.w, &(struct qp_opts){
			     .type = type,
			     .send_cq = f.cq[cq],
			     .recv_cq = type == ENG_XRC_TGT ? NULL : f.cq[!cq],
			     .srq = srq,
			     .pdn = 1,
			     .worker = cq ? &f.other : NULL});
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u32 all = ENG_LOCAL_WRITE | ENG_REMOTE_READ | ENG_REMOTE_WRITE |
			ENG_REMOTE_ATOMIC | ENG_BIND;
	int i, j;

	memset(&f, 0, sizeof(f));
	f.at = data;
	f.left = size;
	f.w = world_create();
	eng_worker_add(&f.w->eng, &f.other);
	for (i = 0; i < 2; i++) {
		f.buf[i] = buf_create(f.w, BYTES, i * 0x777);
		f.key[i] = key_create(f.w, f.buf[i], 1, all);
		f.mw[i] = window_create(f.w, 1);
		f.cq[i] = cq_create(f.w, 64, 64 << i);
	}
	f.srq = srq_create(f.w, 16, 1);
	f.qp[0] = create(ENG_RC, 0, NULL);
	f.qp[1] = create(ENG_RC, 1, f.srq);
	f.qp[2] = create(ENG_UC, 0, NULL);
	f.qp[3] = create(ENG_UC, 0, f.srq);
	f.qp[4] = create(ENG_UD, 1, NULL);
	f.qp[5] = create(ENG_UD, 0, NULL);
	f.xsrq = xrc_srq_create(f.w, 16, 1, f.cq[1]);
	f.qp[6] = create(ENG_XRC_INI, 0, NULL);
	f.qp[7] = create(ENG_XRC_TGT, 1, NULL);
	qp_connect(f.qp[6], f.qp[7]);
	qp_connect(f.qp[0], f.qp[1]);
	qp_connect(f.qp[2], f.qp[3]);
	qp_connect(f.qp[4], f.qp[5]);
	f.bufs = f.w->bufs;

	f.nbuf = buf_create(f.w, 4096, 0);
	f.nkey = key_create(f.w, f.nbuf, 2, all);
	f.ncq = cq_create(f.w, 16, 64);
	for (i = 0; i < 2; i++)
		f.nqp[i] = qp_create(f.w, &(struct qp_opts){.type = ENG_RC,
							    .send_cq = f.ncq,
							    .recv_cq = f.ncq,
							    .pdn = 2});
	qp_connect(f.nqp[0], f.nqp[1]);

	f.change_after = below(256);
	eng_port_before_read = before_read;
	while (f.left)
		step();
	check_neighbours();
	eng_port_before_read = NULL;
	/* The other worker comes to rest, too. */
	for (i = 0; eng_run(&f.other, 64, 1 << 18); i++)
		CHECK(i < 100000);
	for (i = 0; i < QPS; i++) {
		for (j = 0; j < 2; j++)
			eng_group_leave(&f.qp[i]->eng, gids[j]);
		qp_destroy(f.w, f.qp[i]);
	}
	eng_worker_del(&f.other);
	unpoison_keys();
	world_destroy(f.w);
	return 0;
}
