// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest process, step by step: every verb that creates or changes an object.
 */
#include <endian.h>
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
	{HYV_OBJ_MW, "an MW", "dealloc_mw", "held.mw"},
	{HYV_OBJ_QP, "a QP in a group", "detach_mcast", "held.qp"},
	{HYV_OBJ_QP, "a QP", "destroy_qp", "held.qp"},
	{HYV_OBJ_SRQ, "an SRQ", "destroy_srq", "held.srq"},
	{HYV_OBJ_CQ, "a CQ", "destroy_cq", "held.cq"},
	{HYV_OBJ_AH, "an AH", "destroy_ah", "held.ah"},
	{HYV_OBJ_MR, "an MR", "dereg_mr", "held.mr"},
	{HYV_OBJ_PD, "a PD", "dealloc_pd", "held.pd"},
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

uint32_t life_handle(const struct life *l, uint32_t type)
{
	switch (type) {
	case HYV_OBJ_MW:
		return l->mw.handle;
	case HYV_OBJ_QP:
		return l->qp.handle;
	case HYV_OBJ_SRQ:
		return l->srq.handle;
	case HYV_OBJ_CQ:
		return l->cq.handle;
	case HYV_OBJ_AH:
		return l->ah.handle;
	case HYV_OBJ_MR:
		return l->mr.handle;
	case HYV_OBJ_PD:
		return l->pd;
	default:
		return l->context;
	}
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
	return !life_steps[step].mock || !strncmp(dt_ibdev(), "mock", 4);
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
