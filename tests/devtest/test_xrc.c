// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains, which contexts share, and what is in them. Messages of XRC are
 * for the tests with libmlx5, in guests.
 */
#include <endian.h>
#include <string.h>

#include "harness.h"
#include "mlx5.h"
#include "suites.h"

#define SRQ_BYTES 512 /* of M5_SRQ_WR receive requests */
#define MASK_INIT (1 << 0 | 1 << 3 | 1 << 4 | 1 << 5)
#define SQ_BYTES  (M5_SQ_WQES * 64)

static struct gmem gm;
static struct vnic vnic;

/* --- Requests --- */

static int create_srq(const struct m5 *m, struct m5_memory *mem, uint32_t xrcd,
		      uint32_t cq, uint32_t *handle, uint32_t *number)
{
	struct mlx5_ib_create_srq in = {};
	struct hyv_create_srq_req *req;
	struct rsp rsp;
	struct req r;
	int ret;

	m5_create_srq_head(&r, m->pd, &in, mem);
	req = (void *)r.data;
	req->srq_type = 1;
	req->xrcd = htole32(xrcd);
	req->cq = htole32(cq);
	m5_lists(&r, mem);
	ret = vnic_exec(&vnic, &r, &rsp);
	if (ret)
		return ret;
	*handle = le32toh(rsp.create_srq.handle);
	*number = le32toh(rsp.create_srq.srqn);
	return 0;
}

static int create_initiator(const struct m5 *m, struct m5_memory *mem,
			    uint32_t recv_cq, uint32_t *handle)
{
	struct mlx5_ib_create_qp in = {};
	struct hyv_create_qp_req *req;
	struct rsp rsp;
	struct req r;
	int ret;

	m5_create_qp_head(&r, m, &in, mem);
	req = (void *)r.data;
	req->qp_type = QPT_XRC_INI;
	req->recv_cq = htole32(recv_cq);
	m5_lists(&r, mem);
	ret = vnic_exec(&vnic, &r, &rsp);
	if (!ret)
		*handle = le32toh(rsp.create_qp.handle);
	return ret;
}

static int to_init(uint32_t qp)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(1),
		.port_num = 1,
	};

	return cmd_modify_qp(&vnic, qp, MASK_INIT, &attr);
}

/* --- Two contexts --- */

static struct {
	struct m5 m[2];
	struct m5_memory srq, sq;
	uint32_t xrcd; /* of the first context */
} two;

static void two_init(void)
{
	int i;

	for (i = 0; i < 2; i++)
		m5_init(&two.m[i], &vnic);
	m5_memory_init(&two.srq, &gm, SRQ_BYTES, &two.m[1].page, 1024);
	m5_memory_init(&two.sq, &gm, SQ_BYTES, &two.m[1].page, 2048);
	REQUIRE_EQ(cmd_alloc_xrcd(&vnic, two.m[0].context, &two.xrcd), 0,
		   "ALLOC_XRCD");
}

static void two_destroy(void)
{
	int i;

	for (i = 0; i < 2; i++)
		m5_destroy(&two.m[i]);
	gbuf_free(&two.srq.ring);
	gbuf_free(&two.sq.ring);
}

/* --- Tests --- */

static void test_refused(void)
{
	uint32_t handle, number, cq[2], pd;
	struct mlx5_ib_create_srq in = {};
	struct hyv_create_srq_req *srq;
	struct hyv_create_qp_req *qp;
	struct rsp rsp;
	struct req r;
	int i;

	two_init();
	for (i = 0; i < 2; i++)
		cq[i] = two.m[i].cq.handle;
	pd = two.m[1].pd;
	tap_is(cmd_alloc_xrcd(&vnic, pd, &handle), HYV_S_ENOENT,
	       "ALLOC_XRCD in a PD");
	tap_is(create_srq(&two.m[1], &two.srq, two.xrcd, cq[0], &handle,
			  &number),
	       HYV_S_EINVAL, "an SRQ with the CQ of another context");
	tap_is(create_srq(&two.m[1], &two.srq, two.xrcd, 0, &handle, &number),
	       HYV_S_ENOENT, "an SRQ without a CQ");
	tap_is(create_srq(&two.m[1], &two.srq, 0, cq[1], &handle, &number),
	       HYV_S_ENOENT, "an SRQ without a domain");
	tap_is(create_srq(&two.m[1], &two.srq, pd, cq[1], &handle, &number),
	       HYV_S_ENOENT, "an SRQ with a PD for a domain");
	for (i = 0; i < 2; i++) {
		m5_create_srq_head(&r, pd, &in, &two.srq);
		srq = (void *)r.data;
		*(i ? &srq->xrcd : &srq->cq) = htole32(i ? two.xrcd : cq[1]);
		m5_lists(&r, &two.srq);
		tap_is(vnic_exec(&vnic, &r, &rsp), HYV_S_EINVAL,
		       "a basic SRQ with a %s", i ? "domain" : "CQ");
	}

	tap_is(cmd_create_target(&vnic, 0, &handle), HYV_S_ENOENT,
	       "a target without a domain");
	tap_is(cmd_create_target(&vnic, pd, &handle), HYV_S_ENOENT,
	       "a target in a PD");
	for (i = 0; i < 4; i++) {
		req_create_target(&r, two.xrcd);
		qp = (void *)r.data;
		*(i == 0   ? &qp->pd
		  : i == 1 ? &qp->send_cq
		  : i == 2 ? &qp->recv_cq
			   : &qp->srq) = htole32(i ? cq[0] : two.m[0].pd);
		tap_is(vnic_exec(&vnic, &r, &rsp), HYV_S_EINVAL,
		       "a target with handle %d", i);
	}
	req_create_target(&r, two.xrcd);
	qp = (void *)r.data;
	qp->cap.max_recv_sge = htole32(1);
	tap_is(vnic_exec(&vnic, &r, &rsp), HYV_S_EINVAL,
	       "a target with a queue");
	for (i = 0; i < 2; i++) {
		req_create_target(&r, two.xrcd);
		req_udata(&r, &in, i ? 0 : sizeof(in), i ? sizeof(in) : 0);
		tap_is(vnic_exec(&vnic, &r, &rsp), HYV_S_EINVAL,
		       "a target with %sprovider data", i ? "room for " : "");
	}
	tap_is(create_initiator(&two.m[1], &two.sq, cq[1], &handle),
	       HYV_S_EINVAL, "an initiator with a receive CQ");

	/* QPs of other types have no SRQ of XRC and no domain. */
	REQUIRE_EQ(create_srq(&two.m[1], &two.srq, two.xrcd, cq[1], &handle,
			      &number),
		   0, "CREATE_SRQ");
	for (i = 0; i < 2; i++) {
		struct mlx5_ib_create_qp qp_in = {};

		m5_create_qp_head(&r, &two.m[1], &qp_in, &two.sq);
		qp = (void *)r.data;
		*(i ? &qp->srq : &qp->xrcd) = htole32(i ? handle : two.xrcd);
		m5_lists(&r, &two.sq);
		tap_is(vnic_exec(&vnic, &r, &rsp), HYV_S_EINVAL,
		       "an RC QP with %s of XRC", i ? "an SRQ" : "a domain");
	}
	tap_is(cmd_alloc_xrcd(&vnic, two.m[1].context, &handle), 0,
	       "ALLOC_XRCD in another context");
	two_destroy();
}

/* Whichever goes first. */
static void test_lives(void)
{
	uint32_t srq, number, target, initiator;
	struct hyv_query_srq_rsp query;
	struct m5 *m = two.m;

	two_init();
	tap_is(create_srq(&m[1], &two.srq, two.xrcd, m[1].cq.handle, &srq,
			  &number),
	       0, "an SRQ in the domain of another context");
	tap_ok(number, "it has a number");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_CQ, m[1].cq.handle), HYV_S_EBUSY,
	       "DESTROY of its CQ");
	tap_is(create_initiator(&m[1], &two.sq, 0, &initiator), 0,
	       "an initiator");
	tap_is(to_init(initiator), 0, "which goes to INIT");
	tap_is(cmd_create_target(&vnic, two.xrcd, &target), 0, "a target");
	tap_is(to_init(target), 0, "which goes to INIT");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_XRCD, two.xrcd), HYV_S_EBUSY,
	       "DESTROY of the domain of a target");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_QP, target), 0,
	       "DESTROY of the target");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_XRCD, two.xrcd), 0,
	       "DESTROY of the domain of an SRQ");
	tap_is(cmd_create_target(&vnic, two.xrcd, &target), HYV_S_ENOENT,
	       "a target in it");
	tap_is(cmd_query_srq(&vnic, srq, &query), 0, "the SRQ stays");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_SRQ, srq), 0, "DESTROY of the SRQ");
	two_destroy();

	two_init();
	REQUIRE_EQ(create_srq(&m[1], &two.srq, two.xrcd, m[1].cq.handle, &srq,
			      &number),
		   0, "CREATE_SRQ");
	REQUIRE_EQ(cmd_create_target(&vnic, two.xrcd, &target), 0, "CREATE_QP");
	m5_destroy(&m[0]);
	tap_is(to_init(target), HYV_S_ENOENT,
	       "a target goes with the context of its domain");
	tap_is(cmd_query_srq(&vnic, srq, &query), 0,
	       "an SRQ of another context stays");
	m5_init(&m[0], &vnic);
	two_destroy();
}

/* More domains, one after the other, than hyvs has for a user. */
static void test_freed(void)
{
	uint32_t srq, number;
	struct m5 *m = two.m;
	int i;

	two_init();
	for (i = 0; i < 600; i++) {
		REQUIRE_EQ(create_srq(&m[1], &two.srq, two.xrcd, m[1].cq.handle,
				      &srq, &number),
			   0, "CREATE_SRQ %d", i);
		REQUIRE_EQ(cmd_destroy(&vnic, HYV_OBJ_XRCD, two.xrcd), 0,
			   "DESTROY of the domain");
		REQUIRE_EQ(cmd_destroy(&vnic, HYV_OBJ_SRQ, srq), 0,
			   "DESTROY of the SRQ");
		REQUIRE_EQ(cmd_alloc_xrcd(&vnic, m[0].context, &two.xrcd), 0,
			   "ALLOC_XRCD %d", i);
	}
	tap_ok(true, "domains are freed with their last SRQ");
	two_destroy();
}

/* A reset and the end of the vNIC, with all of them alive. */
static void test_reset(bool close)
{
	uint32_t srq, number, target;
	int i;

	for (i = 0; i < 3; i++) {
		two_init();
		REQUIRE_EQ(create_srq(&two.m[1], &two.srq, two.xrcd,
				      two.m[1].cq.handle, &srq, &number),
			   0, "CREATE_SRQ");
		REQUIRE_EQ(cmd_create_target(&vnic, two.xrcd, &target), 0,
			   "CREATE_QP");
		if (close)
			return;
		REQUIRE_EQ(vnic_reset(&vnic), 0, "RESET");
		REQUIRE_EQ(vnic_set_features(&vnic, vnic_features(&vnic)), 0,
			   "SET_FEATURES");
	}
	tap_is(dt_pinned_kib(), 0, "nothing is pinned after a reset");
}

/* As many domains as contexts. */
static void test_limit(void)
{
	uint32_t handle[4];
	struct hyv_set_limits limits = {
		.size = sizeof(limits),
		.max_contexts = 3,
	};
	uint32_t srq, number;
	struct m5_memory mem;
	struct m5 m;
	int i;

	REQUIRE_EQ(vnic_set_limits(&vnic, &limits), 0, "SET_LIMITS");
	m5_init(&m, &vnic);
	for (i = 0; i < 3; i++)
		REQUIRE_EQ(cmd_alloc_xrcd(&vnic, m.context, &handle[i]), 0,
			   "ALLOC_XRCD");
	tap_is(cmd_alloc_xrcd(&vnic, m.context, &handle[3]), HYV_S_EDQUOT,
	       "a domain too many");
	tap_is(cmd_destroy(&vnic, HYV_OBJ_XRCD, handle[0]), 0, "DESTROY");
	tap_is(cmd_alloc_xrcd(&vnic, m.context, &handle[0]), 0,
	       "another one instead");

	/* A domain that an SRQ keeps counts as well. */
	m5_memory_init(&mem, &gm, SRQ_BYTES, &m.page, 1024);
	REQUIRE_EQ(create_srq(&m, &mem, handle[0], m.cq.handle, &srq, &number),
		   0, "CREATE_SRQ");
	REQUIRE_EQ(cmd_destroy(&vnic, HYV_OBJ_XRCD, handle[0]), 0, "DESTROY");
	tap_is(cmd_alloc_xrcd(&vnic, m.context, &handle[3]), HYV_S_EDQUOT,
	       "a domain too many, as an SRQ keeps one");
	REQUIRE_EQ(cmd_destroy(&vnic, HYV_OBJ_SRQ, srq), 0,
		   "DESTROY of the SRQ");
	tap_is(cmd_alloc_xrcd(&vnic, m.context, &handle[0]), 0,
	       "one instead of that");
	m5_destroy(&m);
	gbuf_free(&mem.ring);
}

void suite_xrc(void)
{
	struct dt_counts before = dt_counts();

	gmem_init(&gm, GMEM_MEMFD);
	vnic_open(&vnic, &gm);
	test_refused();
	test_lives();
	test_freed();
	test_reset(false);
	test_limit();
	test_reset(true);
	vnic_close(&vnic);
	gmem_free(&gm);
	dt_expect_counts(&before, "in the end");
}
