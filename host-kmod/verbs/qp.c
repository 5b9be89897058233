// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <compat/ib_private.h>
#include <hyv/provider.h>

#include "address/vgid.h"
#include "command/convert.h"
#include "hca/hca.h"
#include "hca/udata_fixup.h"
#include "memory/queue_cost.h"
#include "notify/doorbell.h"
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

/* Called by the HCA's driver in any context, even with interrupts off. */
static void hyvh_qp_event(struct ib_event *event, void *arg)
{
	struct hyvh_qp *qp = arg;

	hyvh_events_raise_code(&qp->vnic->events, qp->event, HYVH_QP_EVENTS,
			       event->event);
}

static struct ib_qp *hyvh_ib_create_qp(struct hyvh_cmd *cmd, struct hyvh_qp *qp,
				       struct ib_qp_init_attr *attr)
{
	struct hyvh_uctx *uctx = &qp->context->uctx;
	struct hyv_queue_size size = {
		.entries = attr->srq ? 0 : attr->cap.max_recv_wr,
	};
	struct uverbs_attr_bundle bundle;
	struct hyvh_udata_mem mem;
	struct ib_qp *ib;
	int ret;

	if (attr->qp_type == IB_QPT_XRC_INI)
		size.entries = 1;
	ret = hyvh_udata_begin(&bundle, uctx, cmd);
	if (ret)
		return ERR_PTR(ret);
	ret = hyvh_pins_get(&qp->queues.pins, cmd, qp->context, &size, &mem);
	if (ret)
		return ERR_PTR(ret);
	ib = compat_create_qp_user(cmd->ibdev, qp->pd->ib, attr, &bundle,
				   (void *)hyvh_uctx_uobject(uctx), NULL);
	hyvh_udata_unmap(&mem);
	if (IS_ERR(ib))
		return ib;
	ib_qp_usecnt_inc(ib);
	qp->creator = hyvh_restrack_adopt(&ib->res, cmd->vnic->owner);
	return ib;
}

/* Get a CQ of the QP's context, with a use count. */
static struct hyvh_cq *hyvh_qp_use_cq(struct hyvh_cmd *cmd,
				      const struct hyvh_qp *qp, __le32 handle)
{
	struct hyvh_cq *cq = hyvh_cq_get(cmd, handle);
	int ret;

	if (IS_ERR(cq))
		return cq;
	if (cq->context == qp->context) {
		hyvh_obj_use(&cq->obj);
		hyvh_cq_put(cmd, cq);
		return cq;
	}
	hyvh_cq_put(cmd, cq);
	ret = hyvh_cmd_refuse(cmd, -EINVAL, "CQ of another context");
	return ERR_PTR(ret);
}

static struct hyvh_srq *hyvh_qp_use_srq(struct hyvh_cmd *cmd,
					const struct hyvh_qp *qp, __le32 handle)
{
	struct hyvh_srq *srq = hyvh_srq_get(cmd, handle);
	int ret;

	if (IS_ERR(srq))
		return srq;
	if (srq->pd->context == qp->context && !srq->xrc) {
		hyvh_obj_use(&srq->obj);
		hyvh_srq_put(cmd, srq);
		return srq;
	}
	hyvh_srq_put(cmd, srq);
	ret = hyvh_cmd_refuse(cmd, -EINVAL, "SRQ of another context or of XRC");
	return ERR_PTR(ret);
}

static void hyvh_qp_unuse_queues(struct hyvh_qp *qp)
{
	if (qp->srq)
		hyvh_obj_unuse(&qp->srq->obj);
	if (qp->recv_cq)
		hyvh_obj_unuse(&qp->recv_cq->obj);
	if (qp->send_cq)
		hyvh_obj_unuse(&qp->send_cq->obj);
}

/*
 * The CQs and the SRQ must belong to the context of the PD. The QP gets use
 * counts, which keep them until hyvh_qp_unuse_queues().
 */
static int hyvh_qp_use_queues(struct hyvh_cmd *cmd, struct hyvh_qp *qp)
{
	const struct hyv_create_qp_req *req = cmd->req;
	struct hyvh_srq *srq;
	struct hyvh_cq *cq;
	int ret;

	cq = hyvh_qp_use_cq(cmd, qp, req->send_cq);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	qp->send_cq = cq;
	/* It receives nothing. */
	if (req->qp_type == IB_QPT_XRC_INI)
		return 0;
	cq = hyvh_qp_use_cq(cmd, qp, req->recv_cq);
	if (IS_ERR(cq)) {
		ret = PTR_ERR(cq);
		goto err_unuse;
	}
	qp->recv_cq = cq;
	if (!req->srq)
		return 0;
	srq = hyvh_qp_use_srq(cmd, qp, req->srq);
	if (IS_ERR(srq)) {
		ret = PTR_ERR(srq);
		goto err_unuse;
	}
	qp->srq = srq;
	return 0;

err_unuse:
	hyvh_qp_unuse_queues(qp);
	return ret;
}

static int hyvh_qp_check_cap(struct hyvh_cmd *cmd, struct ib_qp_cap *cap)
{
	const struct hyv_create_qp_req *req = cmd->req;
	u32 max_inline = cmd->driver->max_inline_data;
	int ret;

	ret = hyvh_qp_cap_from_wire(&req->cap, &cmd->ibdev->attrs, cap);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret,
				       "capacity exceeds the HCA's limits");
	if (max_inline && cap->max_inline_data > max_inline)
		return hyvh_cmd_refuse(cmd, -EINVAL, "inline data of %u bytes",
				       cap->max_inline_data);
	return 0;
}

static void hyvh_qp_init(struct hyvh_cmd *cmd, struct hyvh_qp *qp,
			 struct hyvh_context *context)
{
	int i;

	qp->vnic = cmd->vnic;
	qp->context = context;
	mutex_init(&qp->mcast_lock);
	INIT_LIST_HEAD(&qp->mcast);
	spin_lock_init(&qp->path_lock);
	for (i = 0; i < HYVH_QP_EVENTS; i++)
		hyvh_event_source_init(&qp->event[i], HYV_EVENT_QP,
				       hyvh_qp_codes[i], qp->obj.handle);
}

/*
 * An XRC_TGT is a kernel QP, which the handle that ib_core returns shares: no provider
 * data reaches the driver.
 */
static struct ib_qp *hyvh_ib_create_target(struct hyvh_cmd *cmd,
					   struct hyvh_qp *qp,
					   struct ib_qp_init_attr *attr)
{
	struct hyvh_uctx *uctx = &qp->context->uctx;
	struct uverbs_attr_bundle bundle;

	hyvh_udata_none(&bundle, uctx);
	return compat_create_qp_user(cmd->ibdev, NULL, attr, &bundle,
				     (void *)hyvh_uctx_uobject(uctx),
				     KBUILD_MODNAME);
}

/* Create the HCA's QP with what the QP uses, and fill in the reply. */
static int hyvh_qp_create(struct hyvh_cmd *cmd, struct hyvh_qp *qp,
			  struct ib_qp_init_attr *attr)
{
	struct hyv_create_qp_rsp *rsp = cmd->rsp;
	struct hyvh_vnic *vnic = cmd->vnic;
	struct hyvh_charge *charge;
	int ret;

	charge = hyvh_queues_charge(cmd, hyvh_queue_cost_qp(&attr->cap));
	if (IS_ERR(charge))
		return PTR_ERR(charge);
	hyvh_queues_init(&qp->queues, vnic, qp->context, charge);
	ret = xa_alloc(&vnic->qp_slots, &qp->slot, &qp->obj,
		       XA_LIMIT(0, HYVH_QP_SLOTS - 1), GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_queues;
	qp->ib = qp->xrcd ? hyvh_ib_create_target(cmd, qp, attr) :
			    hyvh_ib_create_qp(cmd, qp, attr);
	if (IS_ERR(qp->ib)) {
		ret = PTR_ERR(qp->ib);
		goto err_slot;
	}
	rsp->qpn = cpu_to_le32(qp->ib->qp_num);
	rsp->slot = cpu_to_le32(qp->slot);
	hyvh_qp_cap_to_wire(&attr->cap, &rsp->cap);
	return 0;

err_slot:
	xa_erase(&vnic->qp_slots, qp->slot);
err_queues:
	hyvh_queues_free(&qp->queues);
	return ret;
}

static int hyvh_qp_build_in_pd(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			       struct hyvh_obj *pd)
{
	const struct hyv_create_qp_req *req = cmd->req;
	struct hyvh_qp *qp = hyvh_to_qp(obj);
	struct ib_qp_init_attr attr = {
		.event_handler = hyvh_qp_event,
		.qp_context = qp,
		.qp_type = req->qp_type,
		.sq_sig_type = req->sq_sig_all ? IB_SIGNAL_ALL_WR :
						 IB_SIGNAL_REQ_WR,
	};
	int ret;

	ret = hyvh_qp_check_cap(cmd, &attr.cap);
	if (ret)
		return ret;
	qp->pd = hyvh_to_pd(pd);
	hyvh_qp_init(cmd, qp, qp->pd->context);
	ret = hyvh_qp_use_queues(cmd, qp);
	if (ret)
		return ret;
	attr.send_cq = qp->send_cq->ib;
	attr.recv_cq = qp->recv_cq ? qp->recv_cq->ib : NULL;
	attr.srq = qp->srq ? qp->srq->ib : NULL;

	ret = hyvh_qp_create(cmd, qp, &attr);
	if (ret)
		hyvh_qp_unuse_queues(qp);
	return ret;
}

static int hyvh_qp_build_target(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
				struct hyvh_obj *parent)
{
	struct hyvh_xrcd *xrcd = hyvh_to_xrcd(parent);
	struct hyvh_qp *qp = hyvh_to_qp(obj);
	struct ib_qp_init_attr attr = {
		.event_handler = hyvh_qp_event,
		.qp_context = qp,
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = xrcd->xrc->ib,
	};

	hyvh_qp_init(cmd, qp, xrcd->context);
	qp->xrcd = xrcd;
	return hyvh_qp_create(cmd, qp, &attr);
}

static int hyvh_qp_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			 struct hyvh_obj *parent)
{
	const struct hyv_create_qp_req *req = cmd->req;

	if (req->qp_type == IB_QPT_XRC_TGT)
		return hyvh_qp_build_target(cmd, obj, parent);
	return hyvh_qp_build_in_pd(cmd, obj, parent);
}

static void hyvh_qp_replied(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	hyvh_queues_reply(&hyvh_to_qp(obj)->queues, cmd);
}

static void hyvh_qp_silence(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	hyvh_events_cancel(&vnic->events, 0, hyvh_to_qp(obj)->event,
			   HYVH_QP_EVENTS);
}

static int hyvh_qp_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_qp *qp = hyvh_to_qp(obj);
	struct uverbs_attr_bundle bundle;
	int ret;

	ret = hyvh_mcast_leave_all(qp);
	if (ret)
		return ret;
	hyvh_udata_none(&bundle, &qp->context->uctx);
	ret = ib_destroy_qp_user(qp->ib, &bundle.driver_udata);
	if (ret)
		return ret;
	if (qp->creator)
		put_task_struct(qp->creator);
	hyvh_qp_silence(vnic, obj);
	xa_erase(&vnic->qp_slots, qp->slot);
	hyvh_queues_free(&qp->queues);
	hyvh_qp_unuse_queues(qp);
	hyvh_obj_unuse(qp->xrcd ? &qp->xrcd->obj : &qp->pd->obj);
	return 0;
}

const struct hyvh_obj_ops hyvh_qp_ops = {
	.type = HYV_OBJ_QP,
	.name = "QP",
	.size = sizeof(struct hyvh_qp),
	.build = hyvh_qp_build,
	.replied = hyvh_qp_replied,
	.destroy = hyvh_qp_destroy,
	.silence = hyvh_qp_silence,
};

static bool hyvh_qp_type_ok(const struct hyvh_cmd *cmd, u8 type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return true;
	case IB_QPT_UD:
		return hyvh_cmd_has_ah(cmd);
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return cmd->ibdev->ops.alloc_xrcd;
	default:
		return false;
	}
}

/* Does the request have only what its type of QP has? */
static bool hyvh_qp_parts_ok(const struct hyvh_cmd *cmd)
{
	const struct hyv_create_qp_req *req = cmd->req;

	switch (req->qp_type) {
	case IB_QPT_XRC_INI:
		return !req->recv_cq && !req->srq && !req->xrcd &&
		       !req->cap.max_recv_wr && !req->cap.max_recv_sge;
	case IB_QPT_XRC_TGT:
		return !req->pd && !req->send_cq && !req->recv_cq &&
		       !req->srq && !cmd->udata_in_len &&
		       !cmd->udata_out_room && !cmd->nr_lists &&
		       !memchr_inv(&req->cap, 0, sizeof(req->cap));
	default:
		return !req->xrcd;
	}
}

int hyvh_cmd_create_qp(struct hyvh_cmd *cmd)
{
	const struct hyv_create_qp_req *req = cmd->req;

	if (!hyvh_qp_type_ok(cmd, req->qp_type) || req->create_flags)
		return hyvh_cmd_refuse(cmd, -EOPNOTSUPP,
				       "type %u, flags 0x%x not supported",
				       req->qp_type,
				       le32_to_cpu(req->create_flags));
	if (req->sq_sig_all > 1)
		return hyvh_cmd_refuse(cmd, -EINVAL, "sq_sig_all is %u",
				       req->sq_sig_all);
	if (!hyvh_qp_parts_ok(cmd))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "handle or capacity that type %u has not",
				       req->qp_type);
	if (req->qp_type == IB_QPT_XRC_TGT)
		return hyvh_obj_create(cmd, &hyvh_qp_ops, HYV_OBJ_XRCD,
				       req->xrcd);
	return hyvh_obj_create(cmd, &hyvh_qp_ops, HYV_OBJ_PD, req->pd);
}

/* The checks that uverbs makes before it calls ib_core. */
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

/* Translate the guest's addresses to those of HCAs. */
static int hyvh_qp_translate(struct hyvh_vnic *vnic,
			     const struct hyv_qp_attr *in,
			     struct ib_qp_attr *out, int mask)
{
	int ret;

	if (mask & IB_QP_AV) {
		ret = hyvh_vgids_translate(&vnic->vgids, vnic->hca, &in->ah,
					   false, &out->ah_attr);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH)
		return hyvh_vgids_translate(&vnic->vgids, vnic->hca,
					    &in->alt_ah, false,
					    &out->alt_ah_attr);
	return 0;
}

/* Save the guest's paths for QUERY_QP. */
static void hyvh_qp_save_paths(struct hyvh_vnic *vnic, struct hyvh_qp *qp,
			       const struct hyv_qp_attr *attr, int mask)
{
	if (!hyvh_vgids_enabled(&vnic->vgids))
		return;
	spin_lock(&qp->path_lock);
	if (mask & IB_QP_AV)
		qp->path = attr->ah;
	if (mask & IB_QP_ALT_PATH)
		qp->alt_path = attr->alt_ah;
	spin_unlock(&qp->path_lock);
}

static int hyvh_qp_modify(struct hyvh_cmd *cmd, struct hyvh_qp *qp,
			  struct ib_qp_attr *attr, int mask)
{
	const struct hyv_modify_qp_req *req = cmd->req;
	struct uverbs_attr_bundle bundle;
	int ret;

	ret = hyvh_qp_check_paths(qp->ib, attr, &mask);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "invalid port");
	ret = hyvh_udata_begin(&bundle, &qp->context->uctx, cmd);
	if (ret)
		return ret;
	ret = ib_modify_qp_with_udata(qp->ib, attr, mask, &bundle.driver_udata);
	if (ret)
		return ret;
	hyvh_qp_save_paths(cmd->vnic, qp, &req->attr, mask);
	return hyvh_udata_out(cmd);
}

/* Resolves addresses, which may take seconds. */
int hyvh_cmd_modify_qp(struct hyvh_cmd *cmd)
{
	const struct hyv_modify_qp_req *req = cmd->req;
	int mask = le32_to_cpu(req->attr_mask);
	struct ib_qp_attr *attr;
	struct hyvh_qp *qp;
	int ret;

	attr = kzalloc(sizeof(*attr), GFP_KERNEL_ACCOUNT);
	if (!attr)
		return -ENOMEM;
	ret = hyvh_qp_attr_from_wire(cmd->ibdev, &req->attr, mask, attr);
	if (ret) {
		hyvh_cmd_refuse(cmd, ret, "invalid attribute, mask 0x%x", mask);
		goto out_free;
	}
	ret = hyvh_qp_translate(cmd->vnic, &req->attr, attr, mask);
	if (ret) {
		hyvh_cmd_refuse(cmd, ret, "cannot translate the address");
		goto out_free;
	}
	qp = hyvh_qp_get(cmd, req->qp);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out_free;
	}
	ret = hyvh_qp_modify(cmd, qp, attr, mask);
	hyvh_qp_put(cmd, qp);
out_free:
	kfree(attr);
	return ret;
}

static void hyvh_qp_report_paths(struct hyvh_vnic *vnic, struct hyvh_qp *qp,
				 struct hyv_qp_attr *attr)
{
	if (!hyvh_vgids_enabled(&vnic->vgids))
		return;
	spin_lock(&qp->path_lock);
	attr->ah = qp->path;
	attr->alt_ah = qp->alt_path;
	spin_unlock(&qp->path_lock);
}

int hyvh_cmd_query_qp(struct hyvh_cmd *cmd)
{
	const struct hyv_query_qp_req *req = cmd->req;
	struct hyv_query_qp_rsp *rsp = cmd->rsp;
	struct ib_qp_init_attr *init_attr;
	struct ib_qp_attr *attr;
	struct hyvh_qp *qp;
	int ret = -ENOMEM;

	attr = kzalloc(sizeof(*attr), GFP_KERNEL_ACCOUNT);
	init_attr = kzalloc(sizeof(*init_attr), GFP_KERNEL_ACCOUNT);
	if (!attr || !init_attr)
		goto out_free;
	qp = hyvh_qp_get(cmd, req->qp);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out_free;
	}
	ret = ib_query_qp(qp->ib, attr,
			  hyvh_qp_query_mask(le32_to_cpu(req->attr_mask)),
			  init_attr);
	if (!ret) {
		hyvh_qp_attr_to_wire(attr, &rsp->attr);
		hyvh_qp_report_paths(cmd->vnic, qp, &rsp->attr);
		hyvh_qp_cap_to_wire(&init_attr->cap, &rsp->init_cap);
		rsp->sq_sig_all = init_attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	}
	hyvh_qp_put(cmd, qp);
out_free:
	kfree(init_attr);
	kfree(attr);
	return ret;
}

/* Software HCAs treat an empty post as a doorbell, as uverbs uses it. */
void hyvh_qp_ring(struct hyvh_vnic *vnic, u32 slot)
{
	struct hyvh_obj *obj = hyvh_obj_get_slot(&vnic->qp_slots, slot);
	const struct ib_send_wr *bad;
	struct ib_qp *ib;

	if (!obj)
		return;
	ib = hyvh_to_qp(obj)->ib->real_qp;
	atomic64_inc(&vnic->counters.doorbells);
	ib->device->ops.post_send(ib, NULL, &bad);
	hyvh_obj_put(&vnic->objs, obj);
}
