// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data path: writes, reads and sends over scattered memory.
 */
#include <endian.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "harness.h"
#include "rxe.h"

/* Two ends, each in a vNIC, which may be the same. */
static struct gmem gm;
static struct vnic vnics[2];
static struct doorbells dbs[2];
static struct ep a, b;

/* A registered buffer. */
struct mem {
	struct gbuf buf;
	struct mr_info mr;
};

static void mem_init(struct mem *m, struct ep *ep, uint64_t length,
		     uint32_t offset, enum gbuf_layout layout)
{
	int ret;

	gbuf_init(&m->buf, &gm, length, offset, layout);
	if (m->buf.nr_pages > 1000)
		ret = cmd_reg_mr_indirect(ep->v, ep->pd, &m->buf, ACCESS_REMOTE,
					  &m->mr);
	else
		ret = cmd_reg_mr(ep->v, ep->pd, &m->buf, ACCESS_REMOTE, &m->mr);
	REQUIRE_EQ(ret, 0, "REG_MR of %llu bytes", (unsigned long long)length);
}

static void mem_free(struct mem *m, struct ep *ep)
{
	REQUIRE_EQ(cmd_destroy(ep->v, HYV_OBJ_MR, m->mr.handle), 0,
		   "DESTROY of an MR");
	gbuf_free(&m->buf);
}

static struct ep_wr wr_of(uint32_t opcode, struct mem *local, uint64_t at,
			  struct mem *remote, uint64_t remote_at,
			  uint32_t length)
{
	static uint64_t id = 0x1000;
	struct ep_wr wr = {
		.opcode = opcode,
		.id = id++,
		.local = local->buf.va + at,
		.lkey = local->mr.lkey,
		.length = length,
	};

	if (remote) {
		wr.remote = remote->buf.va + remote_at;
		wr.rkey = remote->mr.rkey;
	}
	return wr;
}

/* The longest message of rxe is 8 MiB. */
#define PART (4u << 20)

/* Move a whole buffer, in parts. Status of the first that fails. */
static int move(uint32_t opcode, struct mem *local, struct mem *remote)
{
	uint64_t at, n;
	int ret;

	for (at = 0; at < local->buf.length; at += n) {
		struct ep_wr wr;

		n = local->buf.length - at;
		if (n > PART)
			n = PART;
		wr = wr_of(opcode, local, at, remote, at, n);
		ret = ep_do(&a, &wr);
		if (ret)
			return ret;
	}
	return 0;
}

static void test_move(uint64_t length, uint32_t offset, enum gbuf_layout layout,
		      enum gbuf_layout peer_layout, const char *what)
{
	static uint64_t seed = 1;
	struct mem src, dst;

	mem_init(&src, &a, length, offset, layout);
	mem_init(&dst, &b, length, DT_PAGE - 1 - offset % 97, peer_layout);
	gbuf_fill(&src.buf, ++seed);
	gbuf_fill(&dst.buf, ++seed);
	tap_is(move(IB_UVERBS_WR_RDMA_WRITE, &src, &dst), WC_SUCCESS,
	       "RDMA write of %llu bytes, %s", (unsigned long long)length,
	       what);
	tap_is(gbuf_differs(&dst.buf, 0, length, seed - 1, 0), -1,
	       "data is intact at every page boundary");

	gbuf_fill(&dst.buf, ++seed);
	tap_is(move(IB_UVERBS_WR_RDMA_READ, &src, &dst), WC_SUCCESS,
	       "RDMA read of %llu bytes, %s", (unsigned long long)length, what);
	tap_is(gbuf_differs(&src.buf, 0, length, seed, 0), -1,
	       "data is intact at every page boundary");
	mem_free(&dst, &b);
	mem_free(&src, &a);
}

static void test_sizes(void)
{
	static const uint32_t sizes[] = {1,    2,	  7,	 64,	1023,
					 1024, 1025,	  4095,	 4096,	4097,
					 8192, 65536 - 1, 65537, 300000};
	static const uint32_t offsets[] = {0, 1, 4095, 2048, 17};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		test_move(sizes[i], offsets[i % ARRAY_SIZE(offsets)],
			  GBUF_SCATTERED, GBUF_SCATTERED, "scattered");
	test_move(1 << 20, 5, GBUF_LINEAR, GBUF_MIXED,
		  "from contiguous to mixed");
	test_move(1 << 20, 4090, GBUF_MIXED, GBUF_LINEAR,
		  "from mixed to contiguous");
}

/* More pieces than there may be mappings of them. */
static void test_many_pieces(void)
{
	test_move(4300 * DT_PAGE + 77, 1234, GBUF_SCATTERED, GBUF_LINEAR,
		  "in 4301 pieces");
}

/* An MR over a part of a buffer: the rest of the buffer must not change. */
static void test_parts(void)
{
	struct mem src, dst;
	struct dt_rng rng = {7};
	struct ep_wr wr;
	uint32_t at, len, to;
	int i, bad = 0;

	mem_init(&src, &a, 20 * DT_PAGE, 100, GBUF_SCATTERED);
	mem_init(&dst, &b, 20 * DT_PAGE, 3000, GBUF_SCATTERED);
	gbuf_fill(&src.buf, 11);
	for (i = 0; i < 60; i++) {
		len = 1 + dt_below(&rng, 3 * DT_PAGE);
		at = dt_below(&rng, src.buf.length - len);
		to = dt_below(&rng, dst.buf.length - len);
		gbuf_fill(&dst.buf, 12);
		wr = wr_of(IB_UVERBS_WR_RDMA_WRITE, &src, at, &dst, to, len);
		if (ep_do(&a, &wr) != WC_SUCCESS ||
		    gbuf_differs(&dst.buf, to, len, 11, at) != -1 ||
		    gbuf_differs(&dst.buf, 0, to, 12, 0) != -1 ||
		    gbuf_differs(&dst.buf, to + len, dst.buf.length - to - len,
				 12, to + len) != -1)
			bad++;
	}
	tap_is(bad, 0, "60 writes from anywhere to anywhere, and nowhere else");
	mem_free(&dst, &b);
	mem_free(&src, &a);
}

static void test_send(void)
{
	struct ib_uverbs_wc wc;
	struct mem src, dst;
	struct ep_wr wr;
	int i;

	mem_init(&src, &a, 5 * DT_PAGE, 900, GBUF_SCATTERED);
	mem_init(&dst, &b, 5 * DT_PAGE, 33, GBUF_SCATTERED);
	gbuf_fill(&src.buf, 21);
	for (i = 0; i < 20; i++) {
		uint32_t len = 1 + i * 1009;

		gbuf_fill(&dst.buf, 22);
		ep_post_recv(&b, 0x77 + i, dst.buf.va + i, dst.mr.lkey,
			     5 * DT_PAGE - i);
		wr = wr_of(IB_UVERBS_WR_SEND, &src, i, NULL, 0, len);
		REQUIRE_EQ(ep_do(&a, &wr), WC_SUCCESS, "send");
		REQUIRE(ep_poll(&b, &wc), "a message comes");
		REQUIRE(wc.wr_id == 0x77u + i && !wc.status &&
				wc.byte_len == len && wc.qp_num == b.qp.qpn,
			"completion of receive %d", i);
		REQUIRE_EQ(gbuf_differs(&dst.buf, i, len, 21, i), -1,
			   "message %d", i);
		REQUIRE_EQ(gbuf_differs(&dst.buf, i + len,
					5 * DT_PAGE - i - len, 22, i + len),
			   -1, "what is behind message %d", i);
	}
	tap_ok(true, "20 messages of several sizes");
	mem_free(&dst, &b);
	mem_free(&src, &a);
}

/* Many requests for one doorbell, and one doorbell for each of many. */
static void test_doorbells(void)
{
	struct ib_uverbs_wc wc;
	struct mem src, dst;
	struct ep_wr wr;
	unsigned int kicks;
	int i, j, bad = 0;

	mem_init(&src, &a, 2 * DT_PAGE, 0, GBUF_SCATTERED);
	mem_init(&dst, &b, 2 * DT_PAGE, 0, GBUF_SCATTERED);
	for (i = 0; i < 20; i++) {
		for (j = 0; j < 20; j++) {
			wr = wr_of(IB_UVERBS_WR_RDMA_WRITE, &src, j, &dst, j,
				   100);
			wr.id = j;
			ep_post(&a, &wr);
			if (i % 2)
				ep_ring(&a);
		}
		if (!(i % 2))
			ep_ring(&a);
		for (j = 0; j < 20; j++)
			if (!ep_poll(&a, &wc) || wc.status ||
			    (int)wc.wr_id != j)
				bad++;
	}
	tap_is(bad, 0, "400 writes complete in order");
	kicks = atomic_load(&dbs[0].kicks);
	tap_diag("%u kicks so far", kicks);
	mem_free(&dst, &b);
	mem_free(&src, &a);
}

static void setup(int nr)
{
	int i;

	gm.next = 0;
	gm.next_linear = 0;
	for (i = 0; i < nr; i++) {
		vnic_open(&vnics[i], &gm);
		db_init(&dbs[i], &vnics[i], 200);
		REQUIRE_EQ(db_setup(&dbs[i], &vnics[i]), 0, "SETUP_DOORBELLS");
	}
	ep_init(&a, &vnics[0], &dbs[0], 127, 0);
	ep_init(&b, &vnics[nr - 1], &dbs[nr - 1], 127, 0);
	ep_connect(&a, &b);
}

static void finish(int nr)
{
	int i;

	ep_destroy(&b);
	ep_destroy(&a);
	tap_is(dt_pinned_kib(), nr * DB_KIB, "no MR pins memory");
	for (i = 0; i < nr; i++) {
		vnic_close(&vnics[i]);
		db_free(&dbs[i]);
	}
}

void suite_data(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	tap_diag("two QPs in one vNIC");
	setup(1);
	test_sizes();
	test_parts();
	test_send();
	test_doorbells();
	finish(1);
	tap_diag("two QPs in two vNICs");
	setup(2);
	test_move(100000, 77, GBUF_SCATTERED, GBUF_SCATTERED, "scattered");
	test_many_pieces();
	test_send();
	test_doorbells();
	finish(2);
	dt_expect_counts(&before, "after all transfers");
}
