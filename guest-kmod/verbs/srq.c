// SPDX-License-Identifier: GPL-2.0-only
/* Verbs of shared receive queues. */
#include <rdma/ib_verbs.h>

#include "command/cmd.h"
#include "dev.h"

/**
 * vhyv_create_srq() - ib_device_ops.create_srq
 * @ibsrq: the SRQ
 * @attr: what to create; its capabilities are updated
 * @udata: provider data; NULL for an SRQ of the kernel, which is not supported
 *
 * Return: 0 or a negative errno.
 */
int vhyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibsrq->device);
	struct vhyv_pd *pd = to_vhyv_pd(ibsrq->pd);
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);
	struct vhyv_new_srq new;
	int ret;

	if (!udata || attr->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;

	srq->uctx = pd->uctx;
	ret = vhyv_cmd_create_srq(srq->uctx, pd->handle, attr, udata, &new);
	if (ret)
		return ret;

	attr->attr.max_wr = new.max_wr;
	attr->attr.max_sge = new.max_sge;
	ret = vhyv_evobj_publish(&hdev->events.srqs, &srq->evobj, new.handle);
	if (ret)
		vhyv_cmd_destroy_srq(srq->uctx, new.handle);
	return ret;
}

/**
 * vhyv_modify_srq() - ib_device_ops.modify_srq
 * @ibsrq: the SRQ
 * @attr: new attributes
 * @mask: which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);

	return vhyv_cmd_modify_srq(srq->uctx, srq->evobj.handle, attr, mask,
				   udata);
}

/**
 * vhyv_query_srq() - ib_device_ops.query_srq
 * @ibsrq: the SRQ
 * @attr: its attributes
 *
 * Return: 0 or a negative errno.
 */
int vhyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	return vhyv_cmd_query_srq(to_vhyv_dev(ibsrq->device),
				  to_vhyv_srq(ibsrq)->evobj.handle, attr);
}

/**
 * vhyv_destroy_srq() - ib_device_ops.destroy_srq
 * @ibsrq: the SRQ
 * @udata: unused
 *
 * Return: 0, or -EBUSY.
 */
int vhyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibsrq->device);
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);
	int ret;

	ret = vhyv_cmd_destroy_srq(srq->uctx, srq->evobj.handle);
	if (ret)
		return ret;
	vhyv_evobj_retire(&hdev->events.srqs, &srq->evobj);
	return 0;
}
