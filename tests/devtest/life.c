// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest process, step by step: every verb that creates or changes an object.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "fixture.h"
#include "harness.h"
#include "life.h"
#include "rxe.h"

static int life_exec(struct life *l, struct req *r)
{
	struct rsp rsp;

	return vnic_exec(l->v, r, &rsp);
}

static int life_alloc_context(struct life *l)
{
	return cmd_alloc_context(l->v, &l->context);
}

static int life_alloc_pd(struct life *l)
{
	return cmd_alloc_pd(l->v, l->context, &l->pd);
}

static int life_create_cq(struct life *l)
{
	return cmd_create_cq(l->v, l->context, 15, 0, &l->cq);
}

static int life_mmap(struct life *l)
{
	return cmd_mmap(l->v, l->context, &l->cq.mi, &l->cq_offset);
}

static int life_resize_cq(struct life *l)
{
	return cmd_resize_cq(l->v, 31, &l->cq);
}

static int life_modify_cq(struct life *l)
{
	struct req r;

	req_modify_cq(&r, l->cq.handle, 1, 1);
	return life_exec(l, &r);
}

static int life_create_srq(struct life *l)
{
	return cmd_create_srq(l->v, l->pd, 15, &l->srq);
}

static int life_modify_srq(struct life *l)
{
	return cmd_modify_srq(l->v, l->srq.handle, SRQ_MAX_WR, 31, 0, l->mi);
}

static int life_query_srq(struct life *l)
{
	struct hyv_query_srq_rsp out;

	return cmd_query_srq(l->v, l->srq.handle, &out);
}

static int life_alloc_xrcd(struct life *l)
{
	return cmd_alloc_xrcd(l->v, l->context, &l->xrcd);
}

static int life_create_xrc_srq(struct life *l)
{
	return cmd_create_xrc_srq(l->v, l->pd, l->xrcd, l->cq.handle, 15,
				  &l->xrc_srq);
}

static int life_create_target(struct life *l)
{
	return cmd_create_target(l->v, l->xrcd, &l->target);
}

static int life_create_initiator(struct life *l)
{
	return cmd_create_initiator(l->v, l->pd, l->cq.handle, 7,
				    &l->initiator);
}

/* A UD QP, which can join a group. */
static int life_create_qp(struct life *l)
{
	return cmd_create_qp_type(l->v, QPT_UD, l->pd, l->cq.handle,
				  l->srq.handle, 7, &l->qp);
}

static int life_modify_qp(struct life *l)
{
	struct hyv_qp_attr attr = {
		.qp_state = htole32(QPS_INIT),
		.port_num = 1,
		.qkey = htole32(0x1234),
	};

	/* State, P_Key index, port, Q_Key. */
	return cmd_modify_qp(l->v, l->qp.handle,
			     1 << 0 | 1 << 4 | 1 << 5 | 1 << 6, &attr);
}

static int life_query_qp(struct life *l)
{
	struct hyv_query_qp_rsp out;

	return cmd_query_qp(l->v, l->qp.handle, &out);
}

static int life_attach_mcast(struct life *l)
{
	return cmd_mcast(l->v, HYV_CMD_ATTACH_MCAST, l->qp.handle, 0,
			 fixture_group);
}

static int life_create_ah(struct life *l)
{
	return cmd_create_ah(l->v, l->pd, &l->gid, &l->ah);
}

static int life_reg_mr(struct life *l)
{
	return cmd_reg_mr(l->v, l->pd, l->buf, ACCESS_REMOTE, &l->mr);
}

/* The MR gets the same memory again. */
static int life_rereg_mr(struct life *l)
{
	struct hyv_chunk chunk[16];
	struct req r;

	REQUIRE(l->buf->nr_pages <= ARRAY_SIZE(chunk), "a small buffer");
	req_rereg_mr(&r, l->mr.handle, HYV_REREG_TRANS, 0, 0, l->buf->va);
	req_list(&r, 0, l->buf->va, l->buf->length, chunk,
		 gbuf_chunks(l->buf, 0, l->buf->length, chunk));
	return life_exec(l, &r);
}

static int life_alloc_mw(struct life *l)
{
	return cmd_alloc_mw(l->v, l->pd, 2, &l->mw);
}

const struct life_step life_steps[] = {
	{"ALLOC_CONTEXT", "alloc_ucontext", life_alloc_context},
	{"ALLOC_PD", "alloc_pd", life_alloc_pd},
	{"CREATE_CQ", "create_cq", life_create_cq},
	{"MMAP", "mmap", life_mmap},
	{"RESIZE_CQ", "resize_cq", life_resize_cq},
	{"MODIFY_CQ", "modify_cq", life_modify_cq, .mock = true},
	{"CREATE_SRQ", "create_srq", life_create_srq},
	{"MODIFY_SRQ", "modify_srq", life_modify_srq},
	{"QUERY_SRQ", "query_srq", life_query_srq},
	{"ALLOC_XRCD", "alloc_xrcd", life_alloc_xrcd, .mock = true},
	{"CREATE_SRQ of XRC", "create_srq", life_create_xrc_srq, .mock = true},
	{"CREATE_QP of XRC_TGT", "create_target", life_create_target,
	 .mock = true},
	{"CREATE_QP of XRC_INI", "create_qp", life_create_initiator,
	 .mock = true},
	{"CREATE_QP", "create_qp", life_create_qp},
	{"MODIFY_QP", "modify_qp", life_modify_qp},
	{"QUERY_QP", "query_qp", life_query_qp},
	{"ATTACH_MCAST", "attach_mcast", life_attach_mcast},
	{"CREATE_AH", "create_ah", life_create_ah},
	{"REG_MR", "reg_user_mr", life_reg_mr},
	{"REREG_MR", "rereg_user_mr", life_rereg_mr, .mock = true},
	{"ALLOC_MW", "alloc_mw", life_alloc_mw},
};

const size_t life_nr_steps = ARRAY_SIZE(life_steps);

/* Children come before their parents. */
const struct life_end life_ends[] = {
	{HYV_OBJ_MW, offsetof(struct life, mw.handle), "an MW", "dealloc_mw",
	 "held.mw"},
	{HYV_OBJ_QP, offsetof(struct life, qp.handle), "a QP in a group",
	 "detach_mcast", "held.qp", .again = true},
	{HYV_OBJ_QP, offsetof(struct life, qp.handle), "a QP", "destroy_qp",
	 "held.qp"},
	{HYV_OBJ_QP, offsetof(struct life, initiator.handle), "an XRC_INI",
	 "destroy_qp", "held.qp", .mock = true},
	{HYV_OBJ_QP, offsetof(struct life, target), "an XRC_TGT",
	 "destroy_target", "held.qp", .mock = true, .hidden = true},
	{HYV_OBJ_SRQ, offsetof(struct life, xrc_srq.handle), "an SRQ of XRC",
	 "destroy_srq", "held.srq", .mock = true},
	{HYV_OBJ_SRQ, offsetof(struct life, srq.handle), "an SRQ",
	 "destroy_srq", "held.srq"},
	{HYV_OBJ_XRCD, offsetof(struct life, xrcd), "an XRC domain",
	 "dealloc_xrcd", "held.xrcd", .mock = true},
	{HYV_OBJ_CQ, offsetof(struct life, cq.handle), "a CQ", "destroy_cq",
	 "held.cq"},
	{HYV_OBJ_AH, offsetof(struct life, ah.handle), "an AH", "destroy_ah",
	 "held.ah"},
	{HYV_OBJ_MR, offsetof(struct life, mr.handle), "an MR", "dereg_mr",
	 "held.mr"},
	{HYV_OBJ_PD, offsetof(struct life, pd), "a PD", "dealloc_pd",
	 "held.pd"},
};

const size_t life_nr_ends = ARRAY_SIZE(life_ends);

/* Find a step by the name of its command. */
const struct life_step *life_step(const char *name)
{
	size_t i;

	for (i = 0; i < life_nr_steps; i++)
		if (!strcmp(life_steps[i].name, name))
			return &life_steps[i];
	REQUIRE(false, "there is a step %s", name);
	return NULL;
}

/**
 * life_begin() - prepare for the first step
 * @l: the process
 * @v: its vNIC
 * @buf: memory for an MR
 * @mi: sizeof(struct mminfo) of memory
 */
void life_begin(struct life *l, struct vnic *v, struct gbuf *buf,
		struct gbuf *mi)
{
	memset(l, 0, sizeof(*l));
	l->v = v;
	l->buf = buf;
	l->mi = mi;
	REQUIRE_EQ(cmd_query_gid(v, &l->gid), 0, "the HCA has a RoCE v2 GID");
}

/* Can the HCA take the step? */
bool life_has(size_t step)
{
	return !life_steps[step].mock || dt_on_mock();
}

/* Is it the end of an object that the HCA can have? */
bool life_has_end(size_t end)
{
	return !life_ends[end].again && (!life_ends[end].mock || dt_on_mock());
}

/* Take a step, if the HCA can. Returns the status, or 0. */
int life_take(struct life *l, size_t step)
{
	return life_has(step) ? life_steps[step].run(l) : 0;
}

/**
 * life_create() - take all steps that the HCA can
 * @l: the process, after life_begin()
 *
 * Return: the status of the first step that failed, or 0.
 */
int life_create(struct life *l)
{
	size_t i;
	int ret;

	for (i = 0; i < life_nr_steps; i++) {
		ret = life_take(l, i);
		if (ret) {
			tap_diag("%s: status %d", life_steps[i].name, ret);
			return ret;
		}
	}
	return 0;
}

/* Destroy an object. Returns the status of the reply. */
int life_destroy(struct life *l, size_t end)
{
	const struct life_end *what = &life_ends[end];
	uint32_t handle;

	memcpy(&handle, (const char *)l + what->handle, sizeof(handle));
	return cmd_destroy(l->v, what->type, handle);
}
