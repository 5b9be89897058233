// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "command/convert.h"
#include "command/dispatch.h"
#include "hca/hca.h"
#include "memory/queue_cost.h"
#include "hca/udata_fixup.h"
#include "verbs/verbs.h"
#include "vnic.h"

static const int hyvh_srq_codes[HYVH_SRQ_EVENTS] = {
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
};

/* Called by the HCA's driver in any context, also with interrupts off. */
static void hyvh_srq_event(struct ib_event *event, void *arg)
{
	struct hyvh_srq *srq = arg;

	hyvh_events_raise_code(srq->vnic, srq->event, HYVH_SRQ_EVENTS,
			       event->event);
}

static struct ib_srq *hyvh_ib_create_srq(struct hyvh_request *r,
					 struct hyvh_srq *srq,
					 struct ib_srq_init_attr *attr,
					 struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &srq->pd->context->uctx;
	struct ib_uobject *uobject = hyvh_uctx_uobject(uctx);
	struct uverbs_attr_bundle bundle;
	struct ib_srq *ib;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ERR_PTR(ret);
	ib = ib_create_srq_user(srq->pd->ib, attr,
				(struct ib_usrq_object *)uobject,
				&bundle.driver_udata);
	if (IS_ERR(ib))
		return ib;
	srq->creator = hyvh_restrack_adopt(&ib->res, r->vnic->owner);

	ret = hyvh_udata_end(&bundle, call);
	if (ret)
		goto err_destroy;
	return ib;

err_destroy:
	hyvh_udata_none(&bundle, uctx);
	ib_destroy_srq_user(ib, &bundle.driver_udata);
	put_task_struct(srq->creator);
	return ERR_PTR(ret);
}

/**
 * hyvh_cmd_create_srq() - handle HYV_CMD_CREATE_SRQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_create_srq(void *arg, struct hyvh_call *call)
{
	const struct hyv_create_srq_req *req = call->req;
	struct hyv_create_srq_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct ib_srq_init_attr attr = {};
	struct hyvh_obj *pd;
	struct hyvh_srq *srq;
	int i, ret;

	if (!r->ibdev->ops.create_srq || req->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	ret = hyvh_srq_attr_from_wire(req, &r->ibdev->attrs, &attr.attr);
	if (ret)
		return ret;
	pd = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	srq = kzalloc(sizeof(*srq), GFP_KERNEL_ACCOUNT);
	if (!srq) {
		ret = -ENOMEM;
		goto err_put;
	}
	srq->vnic = vnic;
	srq->pd = container_of(pd, struct hyvh_pd, obj);
	srq->max_sge = attr.attr.max_sge;
	mutex_init(&srq->lock);
	if (r->provider->kernel_queues)
		srq->queue_bytes = hyvh_queue_cost_srq(attr.attr.max_wr,
						 attr.attr.max_sge);

	ret = hyvh_quota_charge(&vnic->queues, srq->queue_bytes);
	if (ret)
		goto err_free;
	ret = hyvh_obj_reserve(&vnic->objs, &srq->obj, HYV_OBJ_SRQ, pd->owner);
	if (ret)
		goto err_uncharge;
	for (i = 0; i < HYVH_SRQ_EVENTS; i++)
		hyvh_event_source_init(&srq->event[i], HYV_EVENT_SRQ,
				 hyvh_srq_codes[i], srq->obj.handle);

	attr.event_handler = hyvh_srq_event;
	attr.srq_context = srq;
	attr.srq_type = IB_SRQT_BASIC;
	srq->ib = hyvh_ib_create_srq(r, srq, &attr, call);
	if (IS_ERR(srq->ib)) {
		ret = PTR_ERR(srq->ib);
		goto err_abort;
	}

	hyvh_obj_use(pd);
	rsp->handle = cpu_to_le32(srq->obj.handle);
	rsp->max_wr = cpu_to_le32(attr.attr.max_wr);
	rsp->max_sge = cpu_to_le32(attr.attr.max_sge);
	hyvh_obj_publish(&vnic->objs, &srq->obj);
	hyvh_obj_put(&vnic->objs, pd);
	return 0;

err_abort:
	hyvh_obj_abort(&vnic->objs, &srq->obj);
err_uncharge:
	hyvh_quota_uncharge(&vnic->queues, srq->queue_bytes);
err_free:
	mutex_destroy(&srq->lock);
	kfree(srq);
err_put:
	hyvh_obj_put(&vnic->objs, pd);
	return ret;
}

/* With the memory that the request's private data names in place. */
static int hyvh_ib_modify_srq(struct hyvh_request *r, struct hyvh_srq *srq,
			      struct ib_srq_attr *attr,
			      enum ib_srq_attr_mask mask, struct hyvh_call *call)
{
	struct uverbs_attr_bundle bundle;
	struct hyvh_udata_mem mem;
	int ret;

	ret = hyvh_udata_begin(&bundle, &srq->pd->context->uctx, r->scratch,
			       call);
	if (ret)
		return ret;
	ret = hyvh_udata_map(r, call, &mem);
	if (ret)
		return ret;
	ret = r->ibdev->ops.modify_srq(srq->ib, attr, mask,
				       &bundle.driver_udata);
	hyvh_udata_unmap(&mem);
	return ret ?: hyvh_udata_end(&bundle, call);
}

static int hyvh_srq_modify(struct hyvh_request *r, struct hyvh_srq *srq,
			   struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
			   struct hyvh_call *call)
{
	struct hyvh_quota *quota = &r->vnic->queues;
	u64 bytes = srq->queue_bytes;
	int ret;

	lockdep_assert_held(&srq->lock);
	if (!(mask & IB_SRQ_MAX_WR))
		return hyvh_ib_modify_srq(r, srq, attr, mask, call);

	/* The new queue exists beside the old one for a while. */
	if (r->provider->kernel_queues)
		bytes = hyvh_queue_cost_srq(attr->max_wr, srq->max_sge);
	ret = hyvh_quota_charge(quota, bytes);
	if (ret)
		return ret;
	ret = hyvh_ib_modify_srq(r, srq, attr, mask, call);
	if (!ret)
		swap(srq->queue_bytes, bytes);
	hyvh_quota_uncharge(quota, bytes);
	return ret;
}

/**
 * hyvh_cmd_modify_srq() - handle HYV_CMD_MODIFY_SRQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_modify_srq(void *arg, struct hyvh_call *call)
{
	const struct hyv_modify_srq_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	u32 mask = le32_to_cpu(req->attr_mask);
	struct ib_srq_attr attr = {
		.max_wr = le32_to_cpu(req->max_wr),
		.srq_limit = le32_to_cpu(req->srq_limit),
	};
	struct hyvh_srq *srq;
	struct hyvh_obj *obj;
	int ret;

	if (!r->ibdev->ops.modify_srq)
		return -EOPNOTSUPP;
	if (mask & ~(u32)(IB_SRQ_MAX_WR | IB_SRQ_LIMIT) ||
	    (mask & IB_SRQ_MAX_WR &&
	     attr.max_wr > (u32)r->ibdev->attrs.max_srq_wr))
		return -EINVAL;
	obj = hyvh_obj_get(objs, le32_to_cpu(req->srq), HYV_OBJ_SRQ);
	if (!obj)
		return -ENOENT;
	srq = container_of(obj, struct hyvh_srq, obj);

	mutex_lock(&srq->lock);
	ret = hyvh_srq_modify(r, srq, &attr, mask, call);
	mutex_unlock(&srq->lock);
	hyvh_obj_put(objs, obj);
	return ret;
}

/**
 * hyvh_cmd_query_srq() - handle HYV_CMD_QUERY_SRQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_srq(void *arg, struct hyvh_call *call)
{
	const struct hyv_query_srq_req *req = call->req;
	struct hyv_query_srq_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct ib_srq_attr attr = {};
	struct hyvh_srq *srq;
	struct hyvh_obj *obj;
	int ret;

	obj = hyvh_obj_get(objs, le32_to_cpu(req->srq), HYV_OBJ_SRQ);
	if (!obj)
		return -ENOENT;
	srq = container_of(obj, struct hyvh_srq, obj);
	/* rdma_rxe looks into the queue, which a resize exchanges. */
	mutex_lock(&srq->lock);
	ret = ib_query_srq(srq->ib, &attr);
	mutex_unlock(&srq->lock);
	hyvh_obj_put(objs, obj);
	if (ret)
		return ret;
	rsp->max_wr = cpu_to_le32(attr.max_wr);
	rsp->max_sge = cpu_to_le32(attr.max_sge);
	rsp->srq_limit = cpu_to_le32(attr.srq_limit);
	return 0;
}

/**
 * hyvh_srq_destroy() - destroy an SRQ that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_srq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_srq *srq = container_of(obj, struct hyvh_srq, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &srq->pd->context->uctx);
	ret = ib_destroy_srq_user(srq->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	put_task_struct(srq->creator);
	hyvh_events_forget(vnic, 0, srq->event, HYVH_SRQ_EVENTS);
	hyvh_quota_uncharge(&vnic->queues, srq->queue_bytes);
	mutex_destroy(&srq->lock);
	hyvh_obj_unuse(&srq->pd->obj);
	/* Last, as a context's end waits for it and then frees the PD. */
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(srq);
	return 0;
}
