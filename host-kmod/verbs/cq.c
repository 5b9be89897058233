// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <compat/ib_private.h>
#include <compat/ib_verbs.h>
#include <hyv/provider.h>

#include "hca/hca.h"
#include "hca/udata_fixup.h"
#include "memory/charge.h"
#include "memory/queue_cost.h"
#include "notify/doorbell.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Called by the HCA's driver in any context, even with interrupts off. */
static void hyvh_cq_completed(struct ib_cq *ib, void *arg)
{
	struct hyvh_cq *cq = arg;

	hyvh_events_raise(&cq->vnic->events, cq->queue, &cq->comp);
}

/* Called by the HCA's driver in any context, even with interrupts off. */
static void hyvh_cq_event(struct ib_event *event, void *arg)
{
	struct hyvh_cq *cq = arg;

	hyvh_events_raise_code(&cq->vnic->events, &cq->error, 1, event->event);
}

static struct ib_cq *hyvh_ib_create_cq(struct hyvh_cmd *cmd, struct hyvh_cq *cq,
				       const struct ib_cq_init_attr *attr)
{
	struct hyvh_uctx *uctx = &cq->context->uctx;
	struct hyv_queue_size size = { .entries = attr->cqe };
	struct uverbs_attr_bundle bundle;
	struct hyvh_udata_mem mem;
	struct ib_cq *ib;
	int ret;

	ib = rdma_zalloc_drv_obj_gfp(cmd->ibdev, ib_cq, GFP_KERNEL_ACCOUNT);
	if (!ib)
		return ERR_PTR(-ENOMEM);
	ib->device = cmd->ibdev;
	ib->uobject = (struct ib_ucq_object *)hyvh_uctx_uobject(uctx);
	ib->comp_handler = hyvh_cq_completed;
	ib->event_handler = hyvh_cq_event;
	ib->cq_context = cq;
	atomic_set(&ib->usecnt, 0);
	hyvh_restrack_own(&ib->res, RDMA_RESTRACK_CQ, cmd->vnic->owner);

	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		goto err_put;
	ret = hyvh_pins_get(&cq->queues.pins, cmd, cq->context, &size, &mem);
	if (ret)
		goto err_put;
	ret = compat_create_cq(ib, attr, &bundle);
	hyvh_udata_unmap(&mem);
	if (ret)
		goto err_put;
	rdma_restrack_add(&ib->res);
	return ib;

err_put:
	rdma_restrack_put(&ib->res);
	kfree(ib);
	return ERR_PTR(ret);
}

static int hyvh_cq_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *context)
{
	const struct hyv_create_cq_req *req = cmd->req;
	struct hyv_create_cq_rsp *rsp = cmd->rsp;
	struct hyvh_vnic *vnic = cmd->vnic;
	struct hyvh_cq *cq = hyvh_to_cq(obj);
	struct hyvh_charge *charge;
	struct ib_cq_init_attr attr = {
		.cqe = le32_to_cpu(req->cqe),
		.comp_vector = le32_to_cpu(req->comp_vector),
		.flags = le32_to_cpu(req->flags),
	};
	int ret;

	cq->vnic = vnic;
	cq->context = hyvh_to_context(context);
	cq->queue = attr.comp_vector % READ_ONCE(vnic->events.nr_queues);
	hyvh_event_source_init(&cq->comp, HYV_EVENT_COMP, 0, obj->handle);
	hyvh_event_source_init(&cq->error, HYV_EVENT_CQ, IB_EVENT_CQ_ERR,
			       obj->handle);
	charge = hyvh_queues_charge(cmd, hyvh_queue_cost_cq(attr.cqe));
	if (IS_ERR(charge))
		return PTR_ERR(charge);
	hyvh_queues_init(&cq->queues, vnic, cq->context, charge);
	ret = xa_alloc(&vnic->cq_slots, &cq->slot, obj,
		       XA_LIMIT(0, HYVH_CQ_SLOTS - 1), GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_queues;
	mutex_init(&cq->lock);
	cq->ib = hyvh_ib_create_cq(cmd, cq, &attr);
	if (IS_ERR(cq->ib)) {
		ret = PTR_ERR(cq->ib);
		goto err_slot;
	}
	rsp->cqe = cpu_to_le32(cq->ib->cqe);
	rsp->slot = cpu_to_le32(cq->slot);
	return 0;

err_slot:
	mutex_destroy(&cq->lock);
	xa_erase(&vnic->cq_slots, cq->slot);
err_queues:
	hyvh_queues_free(&cq->queues);
	return ret;
}

static void hyvh_cq_replied(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	hyvh_queues_reply(&hyvh_to_cq(obj)->queues, cmd);
}

static void hyvh_cq_silence(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_cq *cq = hyvh_to_cq(obj);

	hyvh_events_cancel(&vnic->events, cq->queue, &cq->comp, 1);
	hyvh_events_cancel(&vnic->events, 0, &cq->error, 1);
}

static int hyvh_cq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_cq *cq = hyvh_to_cq(obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	hyvh_udata_none(&bundle, &cq->context->uctx);
	ret = ib_destroy_cq_user(cq->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_cq_silence(vnic, obj);
	mutex_destroy(&cq->lock);
	xa_erase(&vnic->cq_slots, cq->slot);
	hyvh_queues_free(&cq->queues);
	return 0;
}

const struct hyvh_obj_ops hyvh_cq_ops = {
	.type = HYV_OBJ_CQ,
	.name = "CQ",
	.size = sizeof(struct hyvh_cq),
	.build = hyvh_cq_build,
	.replied = hyvh_cq_replied,
	.destroy = hyvh_cq_destroy,
	.silence = hyvh_cq_silence,
};

/* Drivers check the size as well, but some log what they refuse. */
static int hyvh_cq_check_size(struct hyvh_cmd *cmd, u32 cqe)
{
	if (!cqe || cqe > (u32)cmd->ibdev->attrs.max_cqe)
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid size %u", cqe);
	return 0;
}

int hyvh_cmd_create_cq(struct hyvh_cmd *cmd)
{
	const struct hyv_create_cq_req *req = cmd->req;
	u32 vector = le32_to_cpu(req->comp_vector);
	int ret;

	ret = hyvh_cq_check_size(cmd, le32_to_cpu(req->cqe));
	if (ret)
		return ret;
	if (vector >= cmd->ibdev->num_comp_vectors)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "no completion vector %u", vector);
	return hyvh_obj_create(cmd, &hyvh_cq_ops, HYV_OBJ_CONTEXT, req->context);
}

/*
 * A driver may leave the queue as it is, if the size stays the same. Only the record
 * of a queue in guest memory stays otherwise.
 */
static int hyvh_ib_resize_cq(struct hyvh_cmd *cmd, struct hyvh_cq *cq, u32 cqe)
{
	struct hyv_queue_size size = { .entries = cqe };
	struct uverbs_attr_bundle bundle;
	struct hyvh_udata_mem mem;
	struct hyvh_pins pins;
	int old = cq->ib->cqe;
	int ret;

	lockdep_assert_held(&cq->lock);

	ret = hyvh_udata_begin(&bundle, &cq->context->uctx, cmd);
	if (ret)
		return ret;
	ret = hyvh_pins_get(&pins, cmd, cq->context, &size, &mem);
	if (ret)
		return ret;
	ret = cmd->ibdev->ops.resize_user_cq(cq->ib, cqe,
					      &bundle.driver_udata);
	hyvh_udata_unmap(&mem);
	if (!ret && cq->ib->cqe != old) {
		swap(pins.bytes, cq->queues.pins.bytes);
		swap(pins.nr, cq->queues.pins.nr);
	}
	hyvh_pins_put(&pins, cq->vnic);
	return ret;
}

static int hyvh_cq_resize(struct hyvh_cmd *cmd, struct hyvh_cq *cq, u32 cqe)
{
	struct hyvh_charge *charge;
	int ret;

	lockdep_assert_held(&cq->lock);
	/* Both queues exist for a while. */
	charge = hyvh_queues_charge(cmd, hyvh_queue_cost_cq(cqe));
	if (IS_ERR(charge))
		return PTR_ERR(charge);
	ret = hyvh_ib_resize_cq(cmd, cq, cqe);
	if (ret) {
		hyvh_charge_put(charge);
		return ret;
	}
	hyvh_queues_replace(&cq->queues, charge);
	ret = hyvh_udata_out(cmd);
	if (!ret)
		hyvh_queues_reply(&cq->queues, cmd);
	return ret;
}

int hyvh_cmd_resize_cq(struct hyvh_cmd *cmd)
{
	const struct hyv_resize_cq_req *req = cmd->req;
	struct hyv_resize_cq_rsp *rsp = cmd->rsp;
	u32 cqe = le32_to_cpu(req->cqe);
	struct hyvh_cq *cq;
	int ret;

	if (!cmd->ibdev->ops.resize_user_cq)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP, "not supported");
	ret = hyvh_cq_check_size(cmd, cqe);
	if (ret)
		return ret;
	cq = hyvh_cq_get(cmd, req->cq);
	if (IS_ERR(cq))
		return PTR_ERR(cq);

	/* Its holder may be pinning memory, which can take minutes. */
	ret = mutex_lock_killable(&cq->lock);
	if (ret)
		goto out_put;
	ret = hyvh_cq_resize(cmd, cq, cqe);
	if (!ret)
		rsp->cqe = cpu_to_le32(cq->ib->cqe);
	mutex_unlock(&cq->lock);
out_put:
	hyvh_cq_put(cmd, cq);
	return ret;
}

int hyvh_cmd_modify_cq(struct hyvh_cmd *cmd)
{
	const struct hyv_modify_cq_req *req = cmd->req;
	struct hyvh_cq *cq;
	int ret;

	cq = hyvh_cq_get(cmd, req->cq);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = rdma_set_cq_moderation(cq->ib, le16_to_cpu(req->cq_count),
				     le16_to_cpu(req->cq_period));
	hyvh_cq_put(cmd, cq);
	return ret;
}

void hyvh_cq_arm(struct hyvh_vnic *vnic, u32 slot, enum ib_cq_notify_flags how)
{
	struct hyvh_obj *obj = hyvh_obj_get_slot(&vnic->cq_slots, slot);

	if (!obj)
		return;
	atomic64_inc(&vnic->counters.arms);
	ib_req_notify_cq(hyvh_to_cq(obj)->ib, how);
	hyvh_obj_put(&vnic->objs, obj);
}
