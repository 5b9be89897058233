// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection domains and completion queues.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <compat/ib_private.h>
#include <compat/ib_verbs.h>

#include "command/dispatch.h"
#include "hca/hca.h"
#include "memory/queue_cost.h"
#include "verbs/verbs.h"
#include "vnic.h"

static struct hyvh_context *hyvh_context_of(struct hyvh_obj *obj)
{
	return container_of(obj, struct hyvh_context, obj);
}

static struct ib_pd *hyvh_ib_alloc_pd(struct hyvh_request *r,
				      struct hyvh_context *context,
				      struct hyvh_call *call)
{
	struct uverbs_attr_bundle bundle;
	struct ib_pd *pd;
	int ret;

	pd = rdma_zalloc_drv_obj(r->ibdev, ib_pd);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = r->ibdev;
	pd->uobject = hyvh_uctx_uobject(&context->uctx);
	atomic_set(&pd->usecnt, 0);
	hyvh_restrack_own(&pd->res, RDMA_RESTRACK_PD, r->vnic->owner);

	ret = hyvh_udata_begin(&bundle, &context->uctx, r->scratch, call);
	if (ret)
		goto err_put;
	ret = r->ibdev->ops.alloc_pd(pd, &bundle.driver_udata);
	if (ret)
		goto err_put;
	rdma_restrack_add(&pd->res);

	ret = hyvh_udata_end(&bundle, call);
	if (ret)
		goto err_dealloc;
	return pd;

err_dealloc:
	hyvh_udata_none(&bundle, &context->uctx);
	ib_dealloc_pd_user(pd, &bundle.driver_udata);
	return ERR_PTR(ret);
err_put:
	rdma_restrack_put(&pd->res);
	kfree(pd);
	return ERR_PTR(ret);
}

/**
 * hyvh_cmd_alloc_pd() - handle HYV_CMD_ALLOC_PD
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_alloc_pd(void *arg, struct hyvh_call *call)
{
	const struct hyv_alloc_pd_req *req = call->req;
	struct hyv_create_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct hyvh_obj *context;
	struct hyvh_pd *pd;
	int ret;

	context = hyvh_obj_get(objs, le32_to_cpu(req->context), HYV_OBJ_CONTEXT);
	if (!context)
		return -ENOENT;
	pd = kzalloc(sizeof(*pd), GFP_KERNEL_ACCOUNT);
	if (!pd) {
		ret = -ENOMEM;
		goto err_put;
	}
	pd->context = hyvh_context_of(context);

	ret = hyvh_obj_reserve(objs, &pd->obj, HYV_OBJ_PD, context);
	if (ret)
		goto err_free;
	pd->ib = hyvh_ib_alloc_pd(r, pd->context, call);
	if (IS_ERR(pd->ib)) {
		ret = PTR_ERR(pd->ib);
		goto err_abort;
	}

	rsp->handle = cpu_to_le32(pd->obj.handle);
	hyvh_obj_publish(objs, &pd->obj);
	hyvh_obj_put(objs, context);
	return 0;

err_abort:
	hyvh_obj_abort(objs, &pd->obj);
err_free:
	kfree(pd);
err_put:
	hyvh_obj_put(objs, context);
	return ret;
}

/**
 * hyvh_pd_destroy() - destroy a PD that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_pd_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_pd *pd = container_of(obj, struct hyvh_pd, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &pd->context->uctx);
	ret = ib_dealloc_pd_user(pd->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(pd);
	return 0;
}

/* Called by the HCA's driver in any context, also with interrupts off. */
static void hyvh_cq_completed(struct ib_cq *ib, void *arg)
{
	struct hyvh_cq *cq = arg;

	hyvh_events_raise(cq->vnic, cq->queue, &cq->comp);
}

/* As above. */
static void hyvh_cq_event(struct ib_event *event, void *arg)
{
	struct hyvh_cq *cq = arg;

	hyvh_events_raise_code(cq->vnic, &cq->error, 1, event->event);
}

static struct ib_cq *hyvh_ib_create_cq(struct hyvh_request *r, struct hyvh_cq *cq,
				       const struct ib_cq_init_attr *attr,
				       struct hyvh_call *call)
{
	struct hyvh_uctx *uctx = &cq->context->uctx;
	struct uverbs_attr_bundle bundle;
	struct ib_cq *ib;
	int ret;

	ib = rdma_zalloc_drv_obj(r->ibdev, ib_cq);
	if (!ib)
		return ERR_PTR(-ENOMEM);
	ib->device = r->ibdev;
	ib->uobject = (struct ib_ucq_object *)hyvh_uctx_uobject(uctx);
	ib->comp_handler = hyvh_cq_completed;
	ib->event_handler = hyvh_cq_event;
	ib->cq_context = cq;
	atomic_set(&ib->usecnt, 0);
	hyvh_restrack_own(&ib->res, RDMA_RESTRACK_CQ, r->vnic->owner);

	ret = hyvh_udata_begin(&bundle, uctx, r->scratch, call);
	if (ret)
		goto err_put;
	ret = compat_create_cq(ib, attr, &bundle);
	if (ret)
		goto err_put;
	rdma_restrack_add(&ib->res);

	ret = hyvh_udata_end(&bundle, call);
	if (ret)
		goto err_destroy;
	return ib;

err_destroy:
	hyvh_udata_none(&bundle, uctx);
	ib_destroy_cq_user(ib, &bundle.driver_udata);
	return ERR_PTR(ret);
err_put:
	rdma_restrack_put(&ib->res);
	kfree(ib);
	return ERR_PTR(ret);
}

/**
 * hyvh_cmd_create_cq() - handle HYV_CMD_CREATE_CQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_create_cq(void *arg, struct hyvh_call *call)
{
	const struct hyv_create_cq_req *req = call->req;
	struct hyv_create_cq_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_vnic *vnic = r->vnic;
	struct ib_cq_init_attr attr = {
		.cqe = le32_to_cpu(req->cqe),
		.comp_vector = le32_to_cpu(req->comp_vector),
		.flags = le32_to_cpu(req->flags),
	};
	struct hyvh_obj *context;
	struct hyvh_cq *cq;
	int ret;

	/* Drivers check the size, too, but some log what they refuse. */
	if (!attr.cqe || attr.cqe > (u32)r->ibdev->attrs.max_cqe ||
	    attr.comp_vector >= r->ibdev->num_comp_vectors)
		return -EINVAL;
	context = hyvh_obj_get(&vnic->objs, le32_to_cpu(req->context),
			       HYV_OBJ_CONTEXT);
	if (!context)
		return -ENOENT;
	cq = kzalloc(sizeof(*cq), GFP_KERNEL_ACCOUNT);
	if (!cq) {
		ret = -ENOMEM;
		goto err_put;
	}
	cq->vnic = vnic;
	cq->context = hyvh_context_of(context);
	cq->queue = attr.comp_vector % READ_ONCE(vnic->events.nr_queues);

	mutex_init(&cq->lock);
	if (r->provider->kernel_queues)
		cq->queue_bytes = hyvh_queue_cost_cq(attr.cqe);

	ret = hyvh_quota_charge(&vnic->queues, cq->queue_bytes);
	if (ret)
		goto err_free;
	ret = hyvh_obj_reserve(&vnic->objs, &cq->obj, HYV_OBJ_CQ, context);
	if (ret)
		goto err_uncharge;
	hyvh_event_source_init(&cq->comp, HYV_EVENT_COMP, 0, cq->obj.handle);
	hyvh_event_source_init(&cq->error, HYV_EVENT_CQ, IB_EVENT_CQ_ERR,
			 cq->obj.handle);
	ret = xa_alloc(&vnic->cq_slots, &cq->slot, &cq->obj,
		       XA_LIMIT(0, HYVH_CQ_SLOTS - 1), GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_abort;
	cq->ib = hyvh_ib_create_cq(r, cq, &attr, call);
	if (IS_ERR(cq->ib)) {
		ret = PTR_ERR(cq->ib);
		goto err_slot;
	}

	rsp->handle = cpu_to_le32(cq->obj.handle);
	rsp->cqe = cpu_to_le32(cq->ib->cqe);
	rsp->slot = cpu_to_le32(cq->slot);
	hyvh_obj_publish(&vnic->objs, &cq->obj);
	hyvh_obj_put(&vnic->objs, context);
	return 0;

err_slot:
	xa_erase(&vnic->cq_slots, cq->slot);
err_abort:
	hyvh_obj_abort(&vnic->objs, &cq->obj);
err_uncharge:
	hyvh_quota_uncharge(&vnic->queues, cq->queue_bytes);
err_free:
	mutex_destroy(&cq->lock);
	kfree(cq);
err_put:
	hyvh_obj_put(&vnic->objs, context);
	return ret;
}

static int hyvh_ib_resize_cq(struct hyvh_request *r, struct hyvh_cq *cq, u32 cqe,
			     struct hyvh_call *call)
{
	struct uverbs_attr_bundle bundle;
	int ret;

	ret = hyvh_udata_begin(&bundle, &cq->context->uctx, r->scratch, call);
	if (ret)
		return ret;
	ret = r->ibdev->ops.resize_cq(cq->ib, cqe, &bundle.driver_udata);
	return ret ?: hyvh_udata_end(&bundle, call);
}

static int hyvh_cq_resize(struct hyvh_request *r, struct hyvh_cq *cq, u32 cqe,
			  struct hyvh_call *call)
{
	struct hyvh_quota *quota = &r->vnic->queues;
	u64 bytes = 0;
	int ret;

	lockdep_assert_held(&cq->lock);
	/* The new queue exists beside the old one for a while. */
	if (r->provider->kernel_queues)
		bytes = hyvh_queue_cost_cq(cqe);
	ret = hyvh_quota_charge(quota, bytes);
	if (ret)
		return ret;
	ret = hyvh_ib_resize_cq(r, cq, cqe, call);
	if (!ret)
		swap(cq->queue_bytes, bytes);
	hyvh_quota_uncharge(quota, bytes);
	return ret;
}

/**
 * hyvh_cmd_resize_cq() - handle HYV_CMD_RESIZE_CQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_resize_cq(void *arg, struct hyvh_call *call)
{
	const struct hyv_resize_cq_req *req = call->req;
	struct hyv_resize_cq_rsp *rsp = call->rsp;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	u32 cqe = le32_to_cpu(req->cqe);
	struct hyvh_obj *obj;
	struct hyvh_cq *cq;
	int ret;

	if (!r->ibdev->ops.resize_cq)
		return -EOPNOTSUPP;
	/* Drivers check the size, too, but some log what they refuse. */
	if (!cqe || cqe > (u32)r->ibdev->attrs.max_cqe)
		return -EINVAL;
	obj = hyvh_obj_get(objs, le32_to_cpu(req->cq), HYV_OBJ_CQ);
	if (!obj)
		return -ENOENT;
	cq = container_of(obj, struct hyvh_cq, obj);

	mutex_lock(&cq->lock);
	ret = hyvh_cq_resize(r, cq, cqe, call);
	if (!ret)
		rsp->cqe = cpu_to_le32(cq->ib->cqe);
	mutex_unlock(&cq->lock);
	hyvh_obj_put(objs, obj);
	return ret;
}

/**
 * hyvh_cmd_modify_cq() - handle HYV_CMD_MODIFY_CQ
 * @arg: struct hyvh_request
 * @call: the request
 *
 * Context: As all handlers.
 * Return: 0 or a negative errno.
 */
int hyvh_cmd_modify_cq(void *arg, struct hyvh_call *call)
{
	const struct hyv_modify_cq_req *req = call->req;
	struct hyvh_request *r = arg;
	struct hyvh_objs *objs = &r->vnic->objs;
	struct hyvh_obj *obj;
	int ret;

	obj = hyvh_obj_get(objs, le32_to_cpu(req->cq), HYV_OBJ_CQ);
	if (!obj)
		return -ENOENT;
	ret = rdma_set_cq_moderation(container_of(obj, struct hyvh_cq, obj)->ib,
				     le16_to_cpu(req->cq_count),
				     le16_to_cpu(req->cq_period));
	hyvh_obj_put(objs, obj);
	return ret;
}

/**
 * hyvh_cq_destroy() - destroy a CQ that was removed from the table
 * @vnic: the vNIC
 * @obj: its handle
 *
 * Context: Process context. May sleep.
 * Return: 0, @obj is then freed; or the driver's negative errno.
 */
int hyvh_cq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_cq *cq = container_of(obj, struct hyvh_cq, obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &cq->context->uctx);
	ret = ib_destroy_cq_user(cq->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_events_forget(vnic, cq->queue, &cq->comp, 1);
	hyvh_events_forget(vnic, 0, &cq->error, 1);
	xa_erase(&vnic->cq_slots, cq->slot);
	hyvh_quota_uncharge(&vnic->queues, cq->queue_bytes);
	mutex_destroy(&cq->lock);
	hyvh_obj_erase(&vnic->objs, obj);
	kfree(cq);
	return 0;
}

/**
 * hyvh_cq_arm() - arm a CQ
 * @vnic: the vNIC
 * @slot: arming slot; there may be no such CQ
 * @how: for the next completion, or the next solicited one
 *
 * Context: The worker.
 */
void hyvh_cq_arm(struct hyvh_vnic *vnic, u32 slot, enum ib_cq_notify_flags how)
{
	struct hyvh_obj *obj = hyvh_obj_get_slot(&vnic->cq_slots, slot);
	struct hyvh_cq *cq;

	if (!obj)
		return;
	cq = container_of(obj, struct hyvh_cq, obj);
	atomic64_inc(&vnic->counters.arms);
	ib_req_notify_cq(cq->ib, how);
	hyvh_obj_put(&vnic->objs, obj);
}
