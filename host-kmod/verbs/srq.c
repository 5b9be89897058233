// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <hyv/provider.h>

#include "command/convert.h"
#include "hca/hca.h"
#include "hca/udata_fixup.h"
#include "memory/charge.h"
#include "memory/queue_cost.h"
#include "verbs/verbs.h"
#include "vnic.h"

static const int hyvh_srq_codes[HYVH_SRQ_EVENTS] = {
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
};

/* Called by the HCA's driver in any context, even with interrupts off. */
static void hyvh_srq_event(struct ib_event *event, void *arg)
{
	struct hyvh_srq *srq = arg;

	hyvh_events_raise_code(&srq->vnic->events, srq->event, HYVH_SRQ_EVENTS,
			       event->event);
}

static struct ib_srq *hyvh_ib_create_srq(struct hyvh_cmd *cmd,
					 struct hyvh_srq *srq,
					 struct ib_srq_init_attr *attr)
{
	struct hyvh_uctx *uctx = &srq->pd->context->uctx;
	struct ib_uobject *uobject = hyvh_uctx_uobject(uctx);
	struct hyv_queue_size size = {
		.entries = attr->attr.max_wr,
		.max_sge = attr->attr.max_sge,
	};
	struct uverbs_attr_bundle bundle;
	struct hyvh_udata_mem mem;
	struct ib_srq *ib;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		return ERR_PTR(ret);
	ret = hyvh_pins_get(&srq->queues.pins, cmd, srq->pd->context, &size,
			    &mem);
	if (ret)
		return ERR_PTR(ret);
	ib = ib_create_srq_user(srq->pd->ib, attr,
				(struct ib_usrq_object *)uobject,
				&bundle.driver_udata);
	hyvh_udata_unmap(&mem);
	if (IS_ERR(ib))
		return ib;
	srq->creator = hyvh_restrack_adopt(&ib->res, cmd->vnic->owner);
	return ib;
}

/* The CQ and the domain of an SRQ of XRC. */
static int hyvh_srq_use_xrc(struct hyvh_cmd *cmd, struct hyvh_srq *srq,
			    struct ib_srq_init_attr *attr)
{
	const struct hyv_create_srq_req *req = cmd->req;
	struct hyvh_xrc *xrc;
	struct hyvh_cq *cq;
	int ret = 0;

	cq = hyvh_cq_get(cmd, req->cq);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	if (cq->context != srq->pd->context) {
		ret = hyvh_cmd_refuse(cmd, -EINVAL, "CQ of another context");
		goto out_cq;
	}
	xrc = hyvh_xrc_get(cmd, req->xrcd);
	if (IS_ERR(xrc)) {
		ret = PTR_ERR(xrc);
		goto out_cq;
	}
	hyvh_obj_use(&cq->obj);
	srq->cq = cq;
	srq->xrc = xrc;
	attr->ext.cq = cq->ib;
	attr->ext.xrc.xrcd = xrc->ib;
out_cq:
	hyvh_cq_put(cmd, cq);
	return ret;
}

static void hyvh_srq_unuse_xrc(struct hyvh_srq *srq)
{
	if (!srq->xrc)
		return;
	hyvh_xrc_put(srq->xrc);
	hyvh_obj_unuse(&srq->cq->obj);
}

static int hyvh_srq_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			  struct hyvh_obj *pd)
{
	const struct hyv_create_srq_req *req = cmd->req;
	struct hyv_create_srq_rsp *rsp = cmd->rsp;
	struct hyvh_vnic *vnic = cmd->vnic;
	struct hyvh_srq *srq = hyvh_to_srq(obj);
	struct hyvh_charge *charge;
	struct ib_srq_init_attr attr = {
		.event_handler = hyvh_srq_event,
		.srq_context = srq,
		.srq_type = req->srq_type,
	};
	int i, ret;

	ret = hyvh_srq_attr_from_wire(cmd->req, &cmd->ibdev->attrs, &attr.attr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "size out of range");
	srq->vnic = vnic;
	srq->pd = hyvh_to_pd(pd);
	srq->max_sge = attr.attr.max_sge;
	for (i = 0; i < HYVH_SRQ_EVENTS; i++)
		hyvh_event_source_init(&srq->event[i], HYV_EVENT_SRQ,
				       hyvh_srq_codes[i], obj->handle);
	if (attr.srq_type == IB_SRQT_XRC) {
		ret = hyvh_srq_use_xrc(cmd, srq, &attr);
		if (ret)
			return ret;
	}
	charge = hyvh_queues_charge(cmd, hyvh_queue_cost_srq(attr.attr.max_wr,
							     srq->max_sge));
	if (IS_ERR(charge)) {
		ret = PTR_ERR(charge);
		goto err_unuse;
	}
	hyvh_queues_init(&srq->queues, vnic, srq->pd->context, charge);
	mutex_init(&srq->lock);
	srq->ib = hyvh_ib_create_srq(cmd, srq, &attr);
	if (IS_ERR(srq->ib)) {
		ret = PTR_ERR(srq->ib);
		goto err_queues;
	}
	rsp->max_wr = cpu_to_le32(attr.attr.max_wr);
	rsp->max_sge = cpu_to_le32(attr.attr.max_sge);
	if (srq->xrc)
		rsp->srqn = cpu_to_le32(srq->ib->ext.xrc.srq_num);
	return 0;

err_queues:
	mutex_destroy(&srq->lock);
	hyvh_queues_free(&srq->queues);
err_unuse:
	hyvh_srq_unuse_xrc(srq);
	return ret;
}

static void hyvh_srq_replied(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	hyvh_queues_reply(&hyvh_to_srq(obj)->queues, cmd);
}

static void hyvh_srq_silence(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	hyvh_events_cancel(&vnic->events, 0, hyvh_to_srq(obj)->event,
			   HYVH_SRQ_EVENTS);
}

static int hyvh_srq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_srq *srq = hyvh_to_srq(obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &srq->pd->context->uctx);
	ret = ib_destroy_srq_user(srq->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	put_task_struct(srq->creator);
	hyvh_srq_silence(vnic, obj);
	mutex_destroy(&srq->lock);
	hyvh_queues_free(&srq->queues);
	hyvh_srq_unuse_xrc(srq);
	hyvh_obj_unuse(&srq->pd->obj);
	return 0;
}

const struct hyvh_obj_ops hyvh_srq_ops = {
	.type = HYV_OBJ_SRQ,
	.name = "SRQ",
	.size = sizeof(struct hyvh_srq),
	.build = hyvh_srq_build,
	.replied = hyvh_srq_replied,
	.destroy = hyvh_srq_destroy,
	.silence = hyvh_srq_silence,
};

static bool hyvh_srq_type_ok(const struct hyvh_cmd *cmd, u8 type)
{
	switch (type) {
	case IB_SRQT_BASIC:
		return cmd->ibdev->ops.create_srq;
	case IB_SRQT_XRC:
		return cmd->ibdev->ops.create_srq && cmd->ibdev->ops.alloc_xrcd;
	default:
		return false;
	}
}

int hyvh_cmd_create_srq(struct hyvh_cmd *cmd)
{
	const struct hyv_create_srq_req *req = cmd->req;

	if (!hyvh_srq_type_ok(cmd, req->srq_type))
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP,
				       "type %u not supported", req->srq_type);
	if (req->srq_type == IB_SRQT_BASIC && (req->xrcd || req->cq))
		return hyvh_cmd_refuse(cmd, -EINVAL, "not an SRQ of XRC");
	return hyvh_obj_create(cmd, &hyvh_srq_ops, HYV_OBJ_PD, req->pd);
}

/* Takes over @charge of the new queue, if any, if it succeeds. */
static int hyvh_ib_modify_srq(struct hyvh_cmd *cmd, struct hyvh_srq *srq,
			      struct ib_srq_attr *attr,
			      enum ib_srq_attr_mask mask,
			      struct hyvh_charge *charge)
{
	u8 region[HYVH_MAX_UDATA_BUFFER];
	struct uverbs_attr_bundle bundle;
	struct hyv_queue_size size = {};
	struct hyvh_udata_mem mem;
	struct hyvh_pins pins;
	u32 len;
	int ret;

	ret = hyvh_udata_begin(&bundle, &srq->pd->context->uctx, cmd);
	if (ret)
		return ret;
	ret = hyvh_pins_get(&pins, cmd, srq->pd->context, &size, &mem);
	if (ret)
		return ret;
	ret = cmd->ibdev->ops.modify_srq(srq->ib, attr, mask,
					 &bundle.driver_udata);
	if (!ret && mask & IB_SRQ_MAX_WR) {
		hyvh_queues_replace(&srq->queues, charge);
		len = hyvh_udata_read(&mem, 0, region);
		hyvh_queues_regions(&srq->queues, cmd, 0, region, len);
	}
	hyvh_udata_unmap(&mem);
	hyvh_pins_put(&pins, srq->vnic);
	return ret;
}

/* rdma_rxe refuses this, too, but older versions log a line each time. */
static int hyvh_srq_check(struct hyvh_cmd *cmd, struct hyvh_srq *srq,
			  const struct ib_srq_attr *attr,
			  enum ib_srq_attr_mask mask)
{
	struct ib_srq_attr now = {};
	int ret;

	ret = ib_query_srq(srq->ib, &now);
	if (ret)
		return ret;
	if (mask & IB_SRQ_MAX_WR &&
	    (!attr->max_wr || attr->max_wr < now.srq_limit))
		return hyvh_cmd_refuse(cmd, -EINVAL, "size %u, limit %u",
				       attr->max_wr, now.srq_limit);
	if (mask & IB_SRQ_LIMIT && attr->srq_limit > now.max_wr)
		return hyvh_cmd_refuse(cmd, -EINVAL, "limit %u, size %u",
				       attr->srq_limit, now.max_wr);
	return 0;
}

static int hyvh_srq_modify(struct hyvh_cmd *cmd, struct hyvh_srq *srq,
			   struct ib_srq_attr *attr, enum ib_srq_attr_mask mask)
{
	struct hyvh_charge *charge = NULL;
	int ret;

	lockdep_assert_held(&srq->lock);
	ret = hyvh_srq_check(cmd, srq, attr, mask);
	if (ret)
		return ret;
	/* Both queues exist for a while. */
	if (mask & IB_SRQ_MAX_WR)
		charge = hyvh_queues_charge(cmd,
					    hyvh_queue_cost_srq(attr->max_wr,
								srq->max_sge));
	if (IS_ERR(charge))
		return PTR_ERR(charge);
	ret = hyvh_ib_modify_srq(cmd, srq, attr, mask, charge);
	if (ret) {
		hyvh_charge_put(charge);
		return ret;
	}
	return hyvh_udata_out(cmd);
}

int hyvh_cmd_modify_srq(struct hyvh_cmd *cmd)
{
	const struct hyv_modify_srq_req *req = cmd->req;
	u32 mask = le32_to_cpu(req->attr_mask);
	struct ib_srq_attr attr = {
		.max_wr = le32_to_cpu(req->max_wr),
		.srq_limit = le32_to_cpu(req->srq_limit),
	};
	struct hyvh_srq *srq;
	int ret;

	if (!cmd->ibdev->ops.modify_srq)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	if (mask & ~(u32)(IB_SRQ_MAX_WR | IB_SRQ_LIMIT) ||
	    (mask & IB_SRQ_MAX_WR &&
	     attr.max_wr > (u32)cmd->ibdev->attrs.max_srq_wr))
		return hyvh_cmd_refuse(cmd, -EINVAL, "mask 0x%x, size %u",
				       mask, attr.max_wr);
	srq = hyvh_srq_get(cmd, req->srq);
	if (IS_ERR(srq))
		return PTR_ERR(srq);

	/* Its holder may be pinning memory, which can take minutes. */
	ret = mutex_lock_killable(&srq->lock);
	if (ret)
		goto out_put;
	ret = hyvh_srq_modify(cmd, srq, &attr, mask);
	mutex_unlock(&srq->lock);
out_put:
	hyvh_srq_put(cmd, srq);
	return ret;
}

int hyvh_cmd_query_srq(struct hyvh_cmd *cmd)
{
	const struct hyv_query_srq_req *req = cmd->req;
	struct hyv_query_srq_rsp *rsp = cmd->rsp;
	struct ib_srq_attr attr = {};
	struct hyvh_srq *srq;
	int ret;

	srq = hyvh_srq_get(cmd, req->srq);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	/* rdma_rxe reads the queue, which a resize replaces. */
	ret = mutex_lock_killable(&srq->lock);
	if (ret)
		goto out_put;
	ret = ib_query_srq(srq->ib, &attr);
	mutex_unlock(&srq->lock);
out_put:
	hyvh_srq_put(cmd, srq);
	if (ret)
		return ret;
	rsp->max_wr = cpu_to_le32(attr.max_wr);
	rsp->max_sge = cpu_to_le32(attr.max_sge);
	rsp->srq_limit = cpu_to_le32(attr.srq_limit);
	return 0;
}
