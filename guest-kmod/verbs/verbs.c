// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs of user contexts, protection domains, completion queues and queue
 * pairs. Provider data is opaque and passed through.
 *
 * The host knows objects of user space only. Those of the kernel, of which there
 * are some if the addresses are the guest's, exist in software (kcq, gsi).
 */
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include <hyv/wire.h>

#include "command/cmd.h"
#include "address/gsi.h"
#include "dev.h"
#include "address/gsi_cq.h"

/* Numbers of QPs have 24 bits, and the core warns of one that has more. */
#define VHYV_MAX_QPN	0xffffff

static struct vhyv_ucontext *vhyv_udata_to_uctx(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct vhyv_ucontext, ibuc);
}

/**
 * vhyv_alloc_ucontext() - ib_device_ops.alloc_ucontext
 * @ibuc: the context
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);
	int ret;

	ret = vhyv_cmd_alloc_context(hdev, udata, &uctx->handle);
	if (ret)
		return ret;
	atomic_set(&uctx->orphans, 0);
	vhyv_mmap_init(uctx);
	atomic_inc(&hdev->nr_contexts);
	return 0;
}

/**
 * vhyv_dealloc_ucontext() - ib_device_ops.dealloc_ucontext
 * @ibuc: a context without objects or mappings
 */
void vhyv_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);

	vhyv_mmap_uninit(uctx);
	vhyv_cmd_destroy_context(uctx);
	atomic_dec(&hdev->nr_contexts);
}

/**
 * vhyv_alloc_pd() - ib_device_ops.alloc_pd
 * @ibpd: the PD
 * @udata: provider data; NULL for a PD of the kernel
 *
 * Return: 0 or a negative errno.
 */
int vhyv_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);

	if (!udata)
		return to_vhyv_dev(ibpd->device)->guest_gids ? 0 : -EOPNOTSUPP;
	pd->uctx = vhyv_udata_to_uctx(udata);
	return vhyv_cmd_alloc_pd(pd->uctx, udata, &pd->handle);
}

/**
 * vhyv_dealloc_pd() - ib_device_ops.dealloc_pd
 * @ibpd: the PD
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);

	if (!pd->uctx)
		return 0;
	return vhyv_cmd_destroy_pd(pd->uctx, pd->handle);
}

/**
 * vhyv_create_cq() - ib_device_ops.create_cq
 * @ibcq: the CQ
 * @attr: what to create
 * @attrs: the call; NULL for a CQ of the kernel
 *
 * Return: 0 or a negative errno.
 */
int vhyv_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	struct vhyv_new_cq new;
	int ret;

	if (!attrs)
		return hdev->guest_gids ? vhyv_kcq_create(cq, attr) :
					  -EOPNOTSUPP;
	/* Some drivers of HCAs log an error at each attempt. */
	if (!attr->cqe || attr->cqe > hdev->ibdev.attrs.max_cqe)
		return -EINVAL;
	cq->uctx = vhyv_udata_to_uctx(&attrs->driver_udata);
	mutex_init(&cq->arm_lock);
	ret = vhyv_cmd_create_cq(cq->uctx, attr, &attrs->driver_udata, &new);
	if (ret)
		goto err_destroy_lock;

	if (hdev->db.area && new.slot >= hdev->db.cq_slots) {
		ret = -EIO;
		goto err_destroy_cq;
	}
	cq->slot = new.slot;
	ibcq->cqe = new.cqe;
	ret = vhyv_evobj_publish(&hdev->events.cqs, &cq->evobj, new.handle);
	if (ret)
		goto err_destroy_cq;
	return 0;

err_destroy_cq:
	vhyv_cmd_destroy_cq(cq->uctx, new.handle);
err_destroy_lock:
	mutex_destroy(&cq->arm_lock);
	return ret;
}

/**
 * vhyv_destroy_cq() - ib_device_ops.destroy_cq
 * @ibcq: the CQ
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	int ret;

	if (cq->kcq) {
		vhyv_kcq_destroy(cq);
		return 0;
	}
	ret = vhyv_cmd_destroy_cq(cq->uctx, cq->evobj.handle);
	if (ret)
		return ret;
	vhyv_evobj_retire(&hdev->events.cqs, &cq->evobj);
	mutex_destroy(&cq->arm_lock);
	return 0;
}

/**
 * vhyv_req_notify_cq() - ib_device_ops.req_notify_cq
 * @ibcq: the CQ
 * @flags: for which completions
 *
 * When it returns 0 every later completion that @flags ask for raises an event.
 *
 * Context: may sleep; any for a CQ of the kernel.
 * Return: 0 or a negative errno; for a CQ of the kernel see vhyv_kcq_arm().
 */
int vhyv_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	bool solicited = !(flags & IB_CQ_NEXT_COMP);
	int ret;

	if (cq->kcq)
		return vhyv_kcq_arm(cq, flags);

	mutex_lock(&cq->arm_lock);
	ret = vhyv_db_arm_cq(hdev, cq->slot, solicited);
	mutex_unlock(&cq->arm_lock);
	/*
	 * The core does not look at the result, so the caller would wait for
	 * an event that may never come.
	 */
	if (ret == -ETIMEDOUT)
		vhyv_dev_lost(hdev, "host does not arm completion queues");
	return ret;
}

/**
 * vhyv_resize_cq() - ib_device_ops.resize_cq
 * @ibcq: the CQ
 * @cqe: entries that are wanted
 * @udata: provider data; NULL for a CQ of the kernel, which is not supported
 *
 * Return: 0 or a negative errno.
 */
int vhyv_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	u32 new_cqe;
	int ret;

	if (cq->kcq)
		return -EOPNOTSUPP;
	if (cqe <= 0 || cqe > ibcq->device->attrs.max_cqe)
		return -EINVAL;
	ret = vhyv_cmd_resize_cq(cq->uctx, cq->evobj.handle, cqe, udata,
				 &new_cqe);
	if (!ret)
		ibcq->cqe = new_cqe;
	return ret;
}

/**
 * vhyv_modify_cq() - ib_device_ops.modify_cq
 * @ibcq: the CQ
 * @count: completions that raise an event
 * @period: microseconds after which fewer do
 *
 * Return: 0 or a negative errno.
 */
int vhyv_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);

	if (cq->kcq)
		return -EOPNOTSUPP;
	return vhyv_cmd_modify_cq(cq->uctx, cq->evobj.handle, count, period);
}

static bool vhyv_qp_type_supported(const struct vhyv_dev *hdev,
				   enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return true;
	case IB_QPT_UD:
		/* Without address handles it could not send. */
		return hdev->verbs & HYV_VERB_AH;
	default:
		return false;
	}
}

/**
 * vhyv_create_qp() - ib_device_ops.create_qp
 * @ibqp: the QP
 * @attr: what to create; its capabilities are updated
 * @udata: provider data; NULL for a QP of the kernel, which can only be a GSI
 *
 * Return: 0 or a negative errno.
 */
int vhyv_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_pd *pd = to_vhyv_pd(ibqp->pd);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct vhyv_new_qp new;
	int ret;

	if (!udata)
		return vhyv_gsi_create(qp, attr);
	if (!vhyv_qp_type_supported(hdev, attr->qp_type) ||
	    attr->create_flags || attr->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;

	qp->uctx = pd->uctx;
	ret = vhyv_cmd_create_qp(qp->uctx, pd->handle,
				 to_vhyv_cq(attr->send_cq)->evobj.handle,
				 to_vhyv_cq(attr->recv_cq)->evobj.handle,
				 attr->srq ?
				 to_vhyv_srq(attr->srq)->evobj.handle : 0,
				 attr, udata, &new);
	if (ret)
		return ret;

	if ((hdev->db.area && new.slot >= hdev->db.qp_slots) ||
	    new.qpn > VHYV_MAX_QPN) {
		ret = -EIO;
		goto err_destroy_qp;
	}
	qp->slot = new.slot;
	ibqp->qp_num = new.qpn;
	attr->cap = new.cap;
	ret = vhyv_evobj_publish(&hdev->events.qps, &qp->evobj, new.handle);
	if (ret)
		goto err_destroy_qp;
	return 0;

err_destroy_qp:
	vhyv_cmd_destroy_qp(qp->uctx, new.handle);
	return ret;
}

/**
 * vhyv_modify_qp() - ib_device_ops.modify_qp
 * @ibqp: the QP
 * @attr: new attributes
 * @mask: which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	int ret;

	if (qp->gsi)
		return vhyv_gsi_modify(qp, attr, mask);
	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	ret = vhyv_cmd_modify_qp(qp->uctx, qp->evobj.handle, attr, mask, udata);
	if (!ret && mask & IB_QP_STATE)
		WRITE_ONCE(qp->state, attr->qp_state);
	return ret;
}

/**
 * vhyv_query_qp() - ib_device_ops.query_qp
 * @ibqp: the QP
 * @attr: its attributes
 * @mask: which of them are wanted
 * @init_attr: how it was created
 *
 * Return: 0 or a negative errno.
 */
int vhyv_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init_attr)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	init_attr->event_handler = ibqp->event_handler;
	init_attr->qp_context = ibqp->qp_context;
	init_attr->send_cq = ibqp->send_cq;
	init_attr->recv_cq = ibqp->recv_cq;
	init_attr->srq = ibqp->srq;
	init_attr->qp_type = ibqp->qp_type;
	if (qp->gsi) {
		vhyv_gsi_query(qp, attr, init_attr);
		return 0;
	}
	return vhyv_cmd_query_qp(to_vhyv_dev(ibqp->device), qp->evobj.handle,
				 mask, attr, init_attr);
}

/**
 * vhyv_destroy_qp() - ib_device_ops.destroy_qp
 * @ibqp: the QP
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	int ret;

	if (qp->gsi) {
		vhyv_gsi_destroy(qp);
		return 0;
	}
	ret = vhyv_cmd_destroy_qp(qp->uctx, qp->evobj.handle);
	if (ret)
		return ret;
	vhyv_evobj_retire(&hdev->events.qps, &qp->evobj);
	return 0;
}

/**
 * vhyv_post_send() - ib_device_ops.post_send
 * @ibqp: the QP
 * @wr: what a QP of the kernel is to send. NULL for one of user space, whose
 *	work requests are in a queue that it has mapped: this is the doorbell of
 *	software HCAs.
 * @bad_wr: @wr on error
 *
 * Context: any.
 * Return: 0 or a negative errno.
 */
int vhyv_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	if (qp->gsi)
		return vhyv_gsi_post_send(qp, wr, bad_wr);
	if (wr) {
		*bad_wr = wr;
		return -EOPNOTSUPP;
	}
	if (vhyv_dev_failed(hdev))
		return -EIO;
	/* Nobody would hear what the host's driver says to that. */
	if (READ_ONCE(qp->state) < IB_QPS_RTS)
		return -EINVAL;
	vhyv_db_ring_send(hdev, qp->slot);
	return 0;
}
