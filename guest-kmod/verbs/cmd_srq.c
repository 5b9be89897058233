// SPDX-License-Identifier: GPL-2.0-only
/* Commands of shared receive queues. */
#include "command/cmd_priv.h"
#include "dev.h"

/**
 * vhyv_cmd_create_srq() - create a shared receive queue
 * @uctx: its owner
 * @pd: handle of the PD
 * @attr: what to create
 * @udata: provider data
 * @srq: what was created
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_create_srq(struct vhyv_ucontext *uctx, u32 pd,
			const struct ib_srq_init_attr *attr,
			struct ib_udata *udata, struct vhyv_new_srq *srq)
{
	struct hyv_create_srq_req *req;
	struct hyv_create_srq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(CREATE_SRQ, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->max_wr = cpu_to_le32(attr->attr.max_wr);
	req->max_sge = cpu_to_le32(attr->attr.max_sge);
	req->srq_limit = cpu_to_le32(attr->attr.srq_limit);
	req->srq_type = attr->srq_type;
	ret = vhyv_create(cmd, HYV_OBJ_SRQ, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	srq->handle = le32_to_cpu(rsp.handle);
	srq->max_wr = le32_to_cpu(rsp.max_wr);
	srq->max_sge = le32_to_cpu(rsp.max_sge);
	return 0;
}

/**
 * vhyv_cmd_modify_srq() - change a shared receive queue
 * @uctx: its owner
 * @srq: handle of the SRQ
 * @attr: new attributes
 * @mask: enum ib_srq_attr_mask, which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_modify_srq(struct vhyv_ucontext *uctx, u32 srq,
			const struct ib_srq_attr *attr, u32 mask,
			struct ib_udata *udata)
{
	struct hyv_modify_srq_req *req;
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(MODIFY_SRQ, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->srq = cpu_to_le32(srq);
	req->attr_mask = cpu_to_le32(mask);
	if (mask & IB_SRQ_MAX_WR)
		req->max_wr = cpu_to_le32(attr->max_wr);
	if (mask & IB_SRQ_LIMIT)
		req->srq_limit = cpu_to_le32(attr->srq_limit);
	cmd->orphans = &uctx->orphans;
	return vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), udata);
}

/**
 * vhyv_cmd_query_srq() - read the attributes of a shared receive queue
 * @hdev: device
 * @srq: handle of the SRQ
 * @attr: the attributes
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_srq(struct vhyv_dev *hdev, u32 srq, struct ib_srq_attr *attr)
{
	struct hyv_query_srq_req *req;
	struct hyv_query_srq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(QUERY_SRQ, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->srq = cpu_to_le32(srq);
	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
	if (ret)
		return ret;

	attr->max_wr = le32_to_cpu(rsp.max_wr);
	attr->max_sge = le32_to_cpu(rsp.max_sge);
	attr->srq_limit = le32_to_cpu(rsp.srq_limit);
	return 0;
}

/**
 * vhyv_cmd_destroy_srq() - destroy a shared receive queue
 * @uctx: its owner
 * @handle: of the SRQ
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_srq(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_SRQ, handle, NULL);
}
