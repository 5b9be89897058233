// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of UC and UD QPs, through SRQs and memory windows, and through
 * queues that have got another size.
 */
#include <endian.h>
#include <string.h>

#include "suites.h"
#include "harness.h"
#include "rxe.h"

#define CODE_SRQ_LIMIT 15
#define LEN	       500

static struct gmem gm;
static struct vnic v;
static struct doorbells db;
static struct evq q0;
static struct ep a, b;
static struct gbuf src, dst;
static struct mr_info src_mr, dst_mr;

static void pair_init(uint8_t type, uint32_t srq_wr)
{
	ep_init_type(&a, &v, &db, 63, type, 0);
	ep_init_type(&b, &v, &db, 63, type, srq_wr);
	ep_connect(&a, &b);
	REQUIRE_EQ(cmd_reg_mr(&v, a.pd, &src, ACCESS_REMOTE, &src_mr), 0,
		   "REG_MR");
	REQUIRE_EQ(cmd_reg_mr(&v, b.pd, &dst, ACCESS_REMOTE | ACCESS_MW_BIND,
			      &dst_mr),
		   0, "REG_MR");
	gbuf_fill(&src, 1);
	gbuf_fill(&dst, 2);
}

static void pair_destroy(void)
{
	uint64_t began = dt_now_ms();

	ep_destroy(&a);
	ep_destroy(&b);
	tap_ok(dt_now_ms() - began < 20000, "the ends go in %llu ms",
	       (unsigned long long)(dt_now_ms() - began));
	tap_is(dt_pinned_kib(), DB_KIB, "only the doorbell area is pinned");
}

static struct ep_wr wr_of(uint32_t opcode)
{
	static uint64_t id = 0x100;
	struct ep_wr wr = {
		.opcode = opcode,
		.id = id++,
		.local = src.va,
		.lkey = src_mr.lkey,
		.length = LEN,
		.remote = dst.va,
		.rkey = dst_mr.rkey,
	};

	return wr;
}

/* A buffer for @b, and a message to it; its completion is checked. */
static void post_recv(uint64_t id)
{
	ep_post_recv(&b, id, dst.va, dst_mr.lkey, dst.length);
}

static bool send_one(uint64_t id)
{
	struct ep_wr wr = wr_of(IB_UVERBS_WR_SEND);
	struct ib_uverbs_wc wc;

	return ep_do(&a, &wr) == WC_SUCCESS && ep_poll(&b, &wc) &&
	       wc.wr_id == id && !wc.status && wc.byte_len == LEN &&
	       wc.qp_num == b.qp.qpn && gbuf_differs(&dst, 0, LEN, 1, 0) == -1;
}

static void test_uc(void)
{
	struct ep_wr wr;

	pair_init(QPT_UC, 0);
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	tap_is(ep_do(&a, &wr), WC_SUCCESS, "RDMA write of a UC QP");
	/* No one acknowledges it. */
	tap_ok(dt_until(gbuf_differs(&dst, 0, LEN, 1, 0) == -1),
	       "data is intact");
	gbuf_fill(&dst, 2);
	post_recv(7);
	tap_ok(send_one(7), "message of a UC QP");
	pair_destroy();
}

static void test_ud(void)
{
	struct ib_uverbs_wc wc;
	struct hyv_gid gid;
	struct ah_info ah;
	struct ep_wr wr;

	pair_init(QPT_UD, 0);
	REQUIRE_EQ(cmd_query_gid(&v, &gid), 0, "there is a RoCE v2 GID");
	REQUIRE_EQ(cmd_create_ah(&v, a.pd, &gid, &ah), 0, "CREATE_AH");
	post_recv(8);
	wr = wr_of(IB_UVERBS_WR_SEND);
	wr.ah = ah.number;
	wr.qpn = b.qp.qpn;
	tap_is(ep_do(&a, &wr), WC_SUCCESS, "message of a UD QP");
	if (tap_ok(ep_poll(&b, &wc), "the message completes")) {
		tap_ok(wc.wr_id == 8 && !wc.status && wc.src_qp == a.qp.qpn &&
			       wc.byte_len == LEN + EP_UD_HEADER,
		       "its completion: status %u, %u bytes from QP %u",
		       wc.status, wc.byte_len, wc.src_qp);
		tap_is(gbuf_differs(&dst, EP_UD_HEADER, LEN, 1, 0), -1,
		       "the data is unchanged");
	}
	tap_is(cmd_destroy(&v, HYV_OBJ_AH, ah.handle), 0, "DESTROY of the AH");
	pair_destroy();
}

/* Change the number of elements of the SRQ of @b, and go on with its queue. */
static int resize_srq(uint32_t wr)
{
	uint64_t old = b.rq_map.offset;
	struct mminfo mi;
	struct gbuf at;
	int ret;

	gbuf_init(&at, &gm, sizeof(mi), 64, GBUF_SCATTERED);
	ret = cmd_modify_srq(&v, b.srq.handle, SRQ_MAX_WR, wr, 0, &at);
	gbuf_read(&at, 0, &mi, sizeof(mi));
	gbuf_free(&at);
	if (ret)
		return ret;
	rxe_map(&v, b.context, &mi, &b.rq_map);
	tap_ok(b.rq_map.q->index_mask >= wr, "the queue has %u elements",
	       b.rq_map.q->index_mask);
	tap_is(cmd_munmap(&v, b.context, old), 0, "MUNMAP of the old queue");
	return 0;
}

static void test_srq(void)
{
	struct hyv_query_srq_rsp out;
	struct hyv_event ev;
	struct gbuf unused;
	int i, bad = 0;

	pair_init(QPT_RC, 7);
	for (i = 0; i < 20; i++) {
		gbuf_fill(&dst, 2);
		post_recv(i);
		bad += !send_one(i);
	}
	tap_is(bad, 0, "20 messages through an SRQ");

	for (i = 0; i < 6; i++)
		post_recv(100 + i);
	tap_is(resize_srq(3), HYV_S_EINVAL,
	       "MODIFY_SRQ to less than what is in it");
	tap_is(cmd_query_srq(&v, b.srq.handle, &out), 0, "QUERY_SRQ");
	tap_is(le32toh(out.max_wr), 7, "the size is unchanged");
	REQUIRE_EQ(resize_srq(200), 0, "MODIFY_SRQ to more elements");
	for (i = 6; i < 50; i++)
		post_recv(100 + i);
	for (i = 0; i < 50; i++)
		bad += !send_one(100 + i);
	tap_is(bad, 0, "50 messages through the new queue, in order");
	REQUIRE_EQ(resize_srq(7), 0, "MODIFY_SRQ to fewer elements");

	while (evq_get(&q0, &ev, 50))
		;
	for (i = 0; i < 5; i++)
		post_recv(200 + i);
	gbuf_init(&unused, &gm, sizeof(struct mminfo), 0, GBUF_SCATTERED);
	tap_is(cmd_modify_srq(&v, b.srq.handle, SRQ_LIMIT, 0, 3, &unused), 0,
	       "MODIFY_SRQ: limit");
	gbuf_free(&unused);
	tap_ok(send_one(200) && send_one(201), "messages down to the limit");
	tap_ok(!evq_get(&q0, &ev, 150), "no event comes at the limit");
	tap_ok(send_one(202), "a message below the limit");
	if (tap_ok(evq_get(&q0, &ev, dt_hang_ms()), "an event comes"))
		tap_ok(le16toh(ev.type) == HYV_EVENT_SRQ &&
			       le16toh(ev.code) == CODE_SRQ_LIMIT &&
			       le32toh(ev.handle) == b.srq.handle &&
			       le32toh(ev.count) == 1,
		       "the event is of the SRQ: type %u code %u handle %u count %u",
		       le16toh(ev.type), le16toh(ev.code), le32toh(ev.handle),
		       le32toh(ev.count));
	tap_ok(send_one(203), "one more message");
	tap_ok(!evq_get(&q0, &ev, 150), "there is one event only");
	pair_destroy();
}

/* Completions that have not been polled move to the new queue. */
static void test_resize_cq(void)
{
	static const uint32_t sizes[] = {255, 15, 1000};
	struct ib_uverbs_wc wc;
	struct ep_wr wr;
	uint64_t first, old;
	size_t i;
	int n, bad = 0;

	pair_init(QPT_RC, 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		first = 0;
		for (n = 0; n < 6; n++) {
			wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
			first = first ? first : wr.id;
			ep_post(&a, &wr);
		}
		ep_ring(&a);
		REQUIRE(dt_until(ep_cq_pending(&a) == 6), "completions wait");
		tap_is(cmd_resize_cq(&v, 3, &a.cq), HYV_S_EINVAL,
		       "RESIZE_CQ to less than what is in it");
		tap_is(ep_cq_pending(&a), 6, "they go on waiting");
		REQUIRE_EQ(cmd_resize_cq(&v, sizes[i], &a.cq), 0,
			   "RESIZE_CQ to %u", sizes[i]);
		old = a.cq_map.offset;
		rxe_map(&v, a.context, &a.cq.mi, &a.cq_map);
		tap_is(cmd_munmap(&v, a.context, old), 0,
		       "MUNMAP of the old queue");
		tap_is(ep_cq_pending(&a), 6, "they are in the new queue");
		for (n = 0; n < 6; n++)
			bad += !ep_poll(&a, &wc) || wc.status ||
			       wc.wr_id != first + n;
		tap_is(bad, 0, "they are the same, in order");
		for (n = 0; n < 30; n++) {
			wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
			bad += ep_do(&a, &wr) != WC_SUCCESS;
		}
		tap_is(bad, 0, "30 completions more");
		REQUIRE(db_arm_wait(&db, a.cq.slot, false),
			"the CQ gets armed");
	}
	pair_destroy();
}

static int bind(const struct mw_info *mw, uint32_t rkey)
{
	struct ep_wr wr = {
		.opcode = IB_UVERBS_WR_BIND_MW,
		.id = 0x99,
		.local = dst.va + 100,
		.lkey = dst_mr.lkey,
		.length = 1000,
		.rkey = rkey,
		.mw = mw->rkey,
		.access = ACCESS_REMOTE,
	};

	return ep_do(&b, &wr);
}

static void test_windows(void)
{
	uint32_t rkey;
	struct mw_info mw;
	struct ep_wr wr;

	pair_init(QPT_RC, 0);
	REQUIRE_EQ(cmd_alloc_mw(&v, b.pd, 2, &mw), 0, "ALLOC_MW");
	rkey = (mw.rkey & ~0xffu) | ((mw.rkey + 1) & 0xff);
	REQUIRE_EQ(bind(&mw, rkey), WC_SUCCESS, "bind a memory window");
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	wr.remote = dst.va + 200;
	wr.rkey = rkey;
	tap_is(ep_do(&a, &wr), WC_SUCCESS, "RDMA write through the window");
	tap_is(gbuf_differs(&dst, 200, LEN, 1, 0), -1, "data is intact");
	tap_is(cmd_destroy(&v, HYV_OBJ_MR, dst_mr.handle), HYV_S_EINVAL,
	       "DESTROY of an MR that a window is bound to");
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	tap_is(ep_do(&a, &wr), WC_SUCCESS, "the MR is as it was");
	tap_is(cmd_destroy(&v, HYV_OBJ_MW, mw.handle), 0,
	       "DESTROY of a window that is bound");
	tap_is(cmd_destroy(&v, HYV_OBJ_MR, dst_mr.handle), 0,
	       "DESTROY of the MR after it");
	pair_destroy();

	pair_init(QPT_RC, 0);
	REQUIRE_EQ(cmd_alloc_mw(&v, b.pd, 2, &mw), 0, "ALLOC_MW");
	rkey = (mw.rkey & ~0xffu) | ((mw.rkey + 1) & 0xff);
	REQUIRE_EQ(bind(&mw, rkey), WC_SUCCESS, "bind a memory window");
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	wr.remote = dst.va + 200;
	wr.rkey = mw.rkey;
	tap_is(ep_do(&a, &wr), WC_REM_ACCESS_ERR,
	       "RDMA write with the window's key of before");
	tap_is(gbuf_differs(&dst, 0, dst.length, 2, 0), -1,
	       "the failed write changed nothing");
	tap_diag("the context of a bound window is destroyed");
	pair_destroy();
}

static void test_rereg(void)
{
	struct hyv_query_device_rsp dev;
	struct ep_wr wr;
	struct rsp rsp;
	struct req r;

	REQUIRE_EQ(cmd_query_device(&v, &dev), 0, "QUERY_DEVICE");
	if (!(le32toh(dev.verbs) & HYV_VERB_REREG_MR)) {
		tap_diag("the HCA does not support re-registration");
		return;
	}
	pair_init(QPT_RC, 0);
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	tap_is(ep_do(&a, &wr), WC_SUCCESS, "RDMA write");
	gbuf_fill(&dst, 2);
	req_rereg_mr(&r, dst_mr.handle, HYV_REREG_ACCESS, 0, ACCESS_LOCAL, 0);
	tap_is(vnic_exec(&v, &r, &rsp), 0, "REREG_MR without remote rights");
	wr = wr_of(IB_UVERBS_WR_RDMA_WRITE);
	tap_is(ep_do(&a, &wr), WC_REM_ACCESS_ERR,
	       "RDMA write when there is no right to");
	tap_is(gbuf_differs(&dst, 0, dst.length, 2, 0), -1,
	       "the failed write changed nothing");
	pair_destroy();
}

void suite_traffic(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&v, &gm);
	db_init(&db, &v, 200);
	REQUIRE_EQ(db_setup(&db, &v), 0, "SETUP_DOORBELLS");
	evq_init(&q0, &v, 0, 8, false);
	evq_post_all(&q0);
	REQUIRE_EQ(evq_start(&q0, &v, 0), 0, "SET_EVENT_QUEUE 0");
	gbuf_init(&src, &gm, 2 * DT_PAGE, 7, GBUF_SCATTERED);
	gbuf_init(&dst, &gm, 2 * DT_PAGE, 4000, GBUF_SCATTERED);
	test_uc();
	test_ud();
	test_srq();
	test_resize_cq();
	test_windows();
	test_rereg();
	dt_expect_counts(&before, "after all transfers");
	vnic_close(&v);
	evq_free(&q0);
	db_free(&db);
	gbuf_free(&src);
	gbuf_free(&dst);
}
