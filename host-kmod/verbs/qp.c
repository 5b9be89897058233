// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <compat/ib_private.h>

#include "command/convert.h"
#include "command/dispatch.h"
#include "hca/hca.h"
#include "memory/queue_cost.h"
#include "verbs/verbs.h"
#include "vnic.h"

static const int hyvh_qp_codes[HYVH_QP_EVENTS] = {
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_PATH_MIG,
	IB_EVENT_PATH_MIG_ERR,
	IB_EVENT_QP_LAST_WQE_REACHED,
};

/* Called by the HCA's driver in any context, also with interrupts off. */
static void hyvh_qp_event(struct ib_event *event, void *arg)
{
	struct hyvh_qp *qp = arg;

	hyvh_events_raise_code(qp->vnic, qp->event, HYVH_QP_EVENTS, event->event);
}

static struct ib_qp *hyvh_ib_create_qp(struct hyvh_request *r, struct hyvh_qp *qp,
				       struct ib_qp_init_attr *attr,
				       struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &qp->pd->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_qp *ib;
	int ret;

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		return ERR_PTR(ret);
	ib = ib_create_qp_user(r->ibdev, qp->pd->ib, attr, &bundle.driver_udata,
			       (struct ib_uqp_object *)hyvh_uctx_uobject(uctx),
			       NULL);
	if (IS_ERR(ib))
		return ib;
	ib_qp_usecnt_inc(ib);
	qp->creator = hyvh_restrack_adopt(&ib->res, r->vnic->owner);

	ret = hyvh_udata_end(&bundle, call);
	if (ret)
		goto err_destroy;
	return ib;

err_destroy:
	hyvh_udata_none(&bundle, uctx);
	ib_destroy_qp_user(ib, &bundle.driver_udata);
	put_task_struct(qp->creator);
	return ERR_PTR(ret);
}

/* References to what a new QP uses; the caller undoes a partial success. */
static int hyvh_qp_get_parents(struct hyvh_vnic *vnic, struct hyvh_qp *qp,
			       const struct hyv_create_qp_req *req)
{
	struct hyvh_obj *pd, *scq, *rcq, *srq;

	pd = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->pd), HYV_OBJ_PD);
	if (!pd)
		return -ENOENT;
	qp->pd = container_of(pd, struct hyvh_pd, obj);

	scq = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->send_cq), HYV_OBJ_CQ);
	if (!scq)
		return -ENOENT;
	qp->send_cq = container_of(scq, struct hyvh_cq, obj);

	rcq = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->recv_cq), HYV_OBJ_CQ);
	if (!rcq)
		return -ENOENT;
	qp->recv_cq = container_of(rcq, struct hyvh_cq, obj);

	if (qp->send_cq->context != qp->pd->context ||
	    qp->recv_cq->context != qp->pd->context)
		return -EINVAL;
	if (!req->srq)
		return 0;

	srq = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->srq), HYV_OBJ_SRQ);
	if (!srq)
		return -ENOENT;
	qp->srq = container_of(srq, struct hyvh_srq, obj);
	if (qp->srq->pd->context != qp->pd->context)
		return -EINVAL;
	return 0;
}

static void hyvh_qp_put_parents(struct hyvh_vnic *vnic, struct hyvh_qp *qp)
{
	if (qp->srq)
		hyvh_obj_put(&vnic->objs, &qp->srq->obj);
	if (qp->recv_cq)
		hyvh_obj_put(&vnic->objs, &qp->recv_cq->obj);
	if (qp->send_cq)
		hyvh_obj_put(&vnic->objs, &qp->send_cq->obj);
	if (qp->pd)
		hyvh_obj_put(&vnic->objs, &qp->pd->obj);
}

static bool hyvh_qp_type_ok(const struct ib_device *ibdev, u8 type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return true;
	case IB_QPT_UD:
		return ibdev->ops.create_user_ah;
	default:
		return false;
	}
}

/**
 * hyvh_cmd_create_qp() - handle HYV_CMD_CREATE_QP
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_create_qp(void *arg, struct hyvh_call *call)
{
	const struct hyv_create_qp_req *req = call->req;
	struct hyv_create_qp_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct ib_qp_init_attr attr = {};
	struct hyvh_qp *qp;
	int i, ret;

	if (!hyvh_qp_type_ok(r->ibdev, req->qp_type) || req->create_flags)
		return -EOPNOTSUPP;
	if (req->sq_sig_all > 1)
		return -EINVAL;
	ret = hyvh_qp_cap_from_wire(&req->cap, &r->ibdev->attrs, &attr.cap);
	if (ret)
		return ret;
	if (r->provider->max_inline_data &&
	    attr.cap.max_inline_data > r->provider->max_inline_data)
		return -EINVAL;

	qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);
	if (!qp)
		return -ENOMEM;
	qp->vnic = vnic;
	INIT_LIST_HEAD(&qp->mcast);
	spin_lock_init(&qp->path_lock);
	ret = hyvh_qp_get_parents(vnic, qp, req);
	if (ret)
		goto err_put;

	if (r->provider->kernel_queues)
		qp->queue_bytes = hyvh_queue_cost_qp(&attr.cap);
	ret = hyvh_quota_charge(&vnic->queues, qp->queue_bytes);
	if (ret)
		goto err_put;
	ret = hyvh_obj_reserve(&vnic->objs, &qp->obj, HYV_OBJ_QP,
			       qp->pd->obj.owner);
	if (ret)
		goto err_uncharge;
	for (i = 0; i < HYVH_QP_EVENTS; i++)
		hyvh_event_source_init(&qp->event[i], HYV_EVENT_QP, hyvh_qp_codes[i],
				 qp->obj.handle);
	ret = xa_alloc(&vnic->qp_slots, &qp->slot, &qp->obj,
		       XA_LIMIT(0, HYVH_QP_SLOTS - 1), GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_abort;

	attr.event_handler = hyvh_qp_event;
	attr.qp_context = qp;
	attr.send_cq = qp->send_cq->ib;
	attr.recv_cq = qp->recv_cq->ib;
	attr.srq = qp->srq ? qp->srq->ib : NULL;
	attr.qp_type = req->qp_type;
	attr.sq_sig_type = req->sq_sig_all ? IB_SIGNAL_ALL_WR :
					     IB_SIGNAL_REQ_WR;
	qp->ib = hyvh_ib_create_qp(r, qp, &attr, call);
	if (IS_ERR(qp->ib)) {
		ret = PTR_ERR(qp->ib);
		goto err_slot;
	}

	hyvh_obj_use(&qp->pd->obj);
	hyvh_obj_use(&qp->send_cq->obj);
	hyvh_obj_use(&qp->recv_cq->obj);
	if (qp->srq)
		hyvh_obj_use(&qp->srq->obj);
	rsp->handle = cpu_to_le32(qp->obj.handle);
	rsp->qpn = cpu_to_le32(qp->ib->qp_num);
	rsp->slot = cpu_to_le32(qp->slot);
	hyvh_qp_cap_to_wire(&attr.cap, &rsp->cap);
	/* Once published it may be destroyed at any time. */
	hyvh_qp_put_parents(vnic, qp);
	hyvh_obj_publish(&vnic->objs, &qp->obj);
	return 0;

err_slot:
	xa_erase(&vnic->qp_slots, qp->slot);
err_abort:
	hyvh_obj_abort(&vnic->objs, &qp->obj);
err_uncharge:
	hyvh_quota_uncharge(&vnic->queues, qp->queue_bytes);
err_put:
	hyvh_qp_put_parents(vnic, qp);
	kfree(qp);
	return ret;
}

/**
 * hyvh_qp_destroy() - destroy a QP that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_qp_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_qp *qp = container_of(obj, struct hyvh_qp, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	ret = hyvh_mcast_leave_all(qp);
	if (ret)
		return ret;
	hyvh_udata_none(&bundle, &qp->pd->context->uctx);
	ret = ib_destroy_qp_user(qp->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	put_task_struct(qp->creator);
	hyvh_events_forget(vnic, 0, qp->event, HYVH_QP_EVENTS);
	xa_erase(&vnic->qp_slots, qp->slot);
	hyvh_quota_uncharge(&vnic->queues, qp->queue_bytes);
	if (qp->srq)
		hyvh_obj_unuse(&qp->srq->obj);
	hyvh_obj_unuse(&qp->recv_cq->obj);
	hyvh_obj_unuse(&qp->send_cq->obj);
	hyvh_obj_unuse(&qp->pd->obj);
	/* Last, as a context's end waits for it and then frees the parents. */
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(qp);
	return 0;
}

/* The checks that uverbs makes of paths before it calls ib_core. */
static int hyvh_qp_check_paths(struct ib_qp *qp, struct ib_qp_attr *attr,
			       int *mask)
{
	if (*mask & IB_QP_AV) {
		u32 port = rdma_ah_get_port_num(&attr->ah_attr);

		if (!rdma_is_port_valid(qp->device, port))
			return -EINVAL;
		if (*mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTR) {
			if (port != qp->real_qp->port)
				return -EINVAL;
		} else if (*mask & IB_QP_PORT) {
			if (port != attr->port_num)
				return -EINVAL;
		} else {
			*mask |= IB_QP_PORT;
			attr->port_num = port;
		}
	}
	if (*mask & IB_QP_ALT_PATH) {
		u32 port = rdma_ah_get_port_num(&attr->alt_ah_attr);

		if (!rdma_is_port_valid(qp->device, port) ||
		    port != attr->alt_port_num)
			return -EINVAL;
	}
	return 0;
}

/* From the guest's addresses to those of HCAs. */
static int hyvh_qp_translate(struct hyvh_request *r,
			     const struct hyv_qp_attr *in,
			     struct ib_qp_attr *out, int mask)
{
	int ret;

	if (mask & IB_QP_AV) {
		ret = hyvh_vgids_translate(r, &in->ah, false, &out->ah_attr);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH)
		return hyvh_vgids_translate(r, &in->alt_ah, false,
					   &out->alt_ah_attr);
	return 0;
}

/* Keep what the guest said of a path for when it asks. */
static void hyvh_qp_keep_paths(struct hyvh_vnic *vnic, struct hyvh_qp *qp,
			       const struct hyv_qp_attr *attr, int mask)
{
	if (!vnic->gids.tenant)
		return;
	spin_lock(&qp->path_lock);
	if (mask & IB_QP_AV)
		qp->path = attr->ah;
	if (mask & IB_QP_ALT_PATH)
		qp->alt_path = attr->alt_ah;
	spin_unlock(&qp->path_lock);
}

/**
 * hyvh_cmd_modify_qp() - handle HYV_CMD_MODIFY_QP
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers. Resolves addresses, which may take seconds.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_modify_qp(void *arg, struct hyvh_call *call)
{
	const struct hyv_modify_qp_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	int mask = le32_to_cpu(req->attr_mask);
	struct uverbs_attr_bundle bundle;
	struct ib_qp_attr *attr;
	struct hyvh_obj *obj;
	struct hyvh_qp *qp;
	int ret;

	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return -ENOMEM;
	ret = hyvh_qp_attr_from_wire(r->ibdev, &req->attr, mask, attr);
	if (ret)
		goto out_free;
	ret = hyvh_qp_translate(r, &req->attr, attr, mask);
	if (ret)
		goto out_free;
	obj = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->qp), HYV_OBJ_QP);
	if (!obj) {
		ret = -ENOENT;
		goto out_free;
	}
	qp = container_of(obj, struct hyvh_qp, obj);

	ret = hyvh_qp_check_paths(qp->ib, attr, &mask);
	if (ret)
		goto out_put;
	ret = hyvh_udata_begin(&bundle, &qp->pd->context->uctx, r->scratch,
			       call);
	if (ret)
		goto out_put;
	ret = ib_modify_qp_with_udata(qp->ib, attr, mask, &bundle.driver_udata);
	if (ret)
		goto out_put;
	hyvh_qp_keep_paths(vnic, qp, &req->attr, mask);
	ret = hyvh_udata_end(&bundle, call);
out_put:
	hyvh_obj_put(&vnic->objs, obj);
out_free:
	kfree(attr);
	return ret;
}

static void hyvh_qp_tell_paths(struct hyvh_vnic *vnic, struct hyvh_qp *qp,
			       struct hyv_qp_attr *attr)
{
	if (!vnic->gids.tenant)
		return;
	spin_lock(&qp->path_lock);
	attr->ah = qp->path;
	attr->alt_ah = qp->alt_path;
	spin_unlock(&qp->path_lock);
}

/**
 * hyvh_cmd_query_qp() - handle HYV_CMD_QUERY_QP
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_query_qp(void *arg, struct hyvh_call *call)
{
	const struct hyv_query_qp_req *req = call->req;
	struct hyv_query_qp_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct ib_qp_init_attr *init_attr;
	struct ib_qp_attr *attr;
	struct hyvh_obj *obj;
	struct hyvh_qp *qp;
	int ret = -ENOMEM;

	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	init_attr = kzalloc(sizeof(*init_attr), GFP_KERNEL);
	if (!attr || !init_attr)
		goto out_free;
	obj = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->qp), HYV_OBJ_QP);
	if (!obj) {
		ret = -ENOENT;
		goto out_free;
	}
	qp = container_of(obj, struct hyvh_qp, obj);

	ret = ib_query_qp(qp->ib, attr, le32_to_cpu(req->attr_mask), init_attr);
	if (!ret) {
		hyvh_qp_attr_to_wire(attr, &rsp->attr);
		hyvh_qp_tell_paths(vnic, qp, &rsp->attr);
		hyvh_qp_cap_to_wire(&init_attr->cap, &rsp->init_cap);
		rsp->sq_sig_all = init_attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	}
	hyvh_obj_put(&vnic->objs, obj);
out_free:
	kfree(init_attr);
	kfree(attr);
	return ret;
}

/**
 * hyvh_qp_ring() - ring the send doorbell of a QP
 * @vnic: the vNIC
 * @slot: doorbell slot; there may be no such QP
 *
 * Software HCAs take an empty post as their doorbell, as uverbs uses it.
 *
 * Context: The worker. May sleep.
 */
void hyvh_qp_ring(struct hyvh_vnic *vnic, u32 slot)
{
	struct hyvh_obj *obj = hyvh_obj_get_slot(&vnic->qp_slots, slot);
	const struct ib_send_wr *bad;
	struct hyvh_qp *qp;

	if (!obj)
		return;
	qp = container_of(obj, struct hyvh_qp, obj);
	atomic64_inc(&vnic->counters.doorbells);
	qp->ib->device->ops.post_send(qp->ib, NULL, &bad);
	hyvh_obj_put(&vnic->objs, obj);
}
