// SPDX-License-Identifier: GPL-2.0-only
/* Verbs of shared receive queues. */
#include <rdma/ib_verbs.h>

#include "cmd.h"
#include "hyv_dev.h"

/**
 * hyv_create_srq() - ib_device_ops.create_srq
 * @ibsrq: the SRQ
 * @attr: what to create; its capabilities are updated
 * @udata: provider data; NULL for an SRQ of the kernel, which is not supported
 *
 * Return: 0 or a negative errno.
 */
int hyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		   struct ib_udata *udata)
{
	struct hyv_dev *hdev = to_hyv_dev(ibsrq->device);
	struct hyv_pd *pd = to_hyv_pd(ibsrq->pd);
	struct hyv_srq *srq = to_hyv_srq(ibsrq);
	struct hyv_new_srq new;
	int ret;

	if (!udata || attr->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;

	srq->uctx = pd->uctx;
	ret = hyv_cmd_create_srq(srq->uctx, pd->handle, attr, udata, &new);
	if (ret)
		return ret;

	attr->attr.max_wr = new.max_wr;
	attr->attr.max_sge = new.max_sge;
	ret = hyv_evobj_publish(&hdev->events.srqs, &srq->evobj, new.handle);
	if (ret)
		hyv_cmd_destroy_srq(srq->uctx, new.handle);
	return ret;
}

/**
 * hyv_modify_srq() - ib_device_ops.modify_srq
 * @ibsrq: the SRQ
 * @attr: new attributes
 * @mask: which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int hyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct hyv_srq *srq = to_hyv_srq(ibsrq);

	return hyv_cmd_modify_srq(srq->uctx, srq->evobj.handle, attr, mask,
				  udata);
}

/**
 * hyv_query_srq() - ib_device_ops.query_srq
 * @ibsrq: the SRQ
 * @attr: its attributes
 *
 * Return: 0 or a negative errno.
 */
int hyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	return hyv_cmd_query_srq(to_hyv_dev(ibsrq->device),
				 to_hyv_srq(ibsrq)->evobj.handle, attr);
}

/**
 * hyv_destroy_srq() - ib_device_ops.destroy_srq
 * @ibsrq: the SRQ
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int hyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct hyv_dev *hdev = to_hyv_dev(ibsrq->device);
	struct hyv_srq *srq = to_hyv_srq(ibsrq);
	int ret;

	ret = hyv_cmd_destroy_srq(srq->uctx, srq->evobj.handle);
	if (ret)
		return ret;
	hyv_evobj_retire(&hdev->events.srqs, &srq->evobj);
	return 0;
}
