// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues. */
#include <linux/err.h>

#include "command/cmd.h"
#include "verbs/verbs.h"

static int vhyv_srq_destroy_handle(struct vhyv_srq *srq, u32 handle)
{
	return vhyv_object_destroy(srq->host, HYV_OBJ_SRQ, handle, srq->mem);
}

static bool vhyv_srq_type_supported(const struct vhyv_dev *hdev,
				    enum ib_srq_type type)
{
	switch (type) {
	case IB_SRQT_BASIC:
		return true;
	case IB_SRQT_XRC:
		return hdev->verbs & HYV_VERB_XRC;
	default:
		return false;
	}
}

int vhyv_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibsrq->device);
	struct vhyv_pd *pd = to_vhyv_pd(ibsrq->pd);
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);
	struct hyv_queue_size size = {
		.entries = attr->attr.max_wr,
		.max_sge = attr->attr.max_sge,
	};
	struct hyv_create_srq_req *req;
	struct hyv_create_srq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	if (!udata || !vhyv_srq_type_supported(hdev, attr->srq_type)) {
		ibdev_dbg(ibsrq->device, "%s SRQ of type %u is not supported\n",
			  udata ? "user" : "kernel", attr->srq_type);
		return -EOPNOTSUPP;
	}

	cmd = vhyv_cmd_new_queue(hdev, VHYV_CMD_CREATE_SRQ, &size, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	srq->host = pd->host;
	srq->mem = cmd->mem;
	req = cmd->req;
	req->pd = cpu_to_le32(pd->handle);
	req->max_wr = cpu_to_le32(attr->attr.max_wr);
	req->max_sge = cpu_to_le32(attr->attr.max_sge);
	req->srq_limit = cpu_to_le32(attr->attr.srq_limit);
	req->srq_type = attr->srq_type;
	if (attr->srq_type == IB_SRQT_XRC) {
		req->xrcd = cpu_to_le32(to_vhyv_xrcd(attr->ext.xrc.xrcd)->handle);
		req->cq = cpu_to_le32(to_vhyv_cq(attr->ext.cq)->target.handle);
	}
	ret = vhyv_object_create(cmd, HYV_OBJ_SRQ, srq->host, &rsp, udata);
	if (ret)
		return ret;

	attr->attr.max_wr = le32_to_cpu(rsp.max_wr);
	attr->attr.max_sge = le32_to_cpu(rsp.max_sge);
	if (attr->srq_type == IB_SRQT_XRC)
		ibsrq->ext.xrc.srq_num = le32_to_cpu(rsp.srqn);
	srq->target.srq = ibsrq;
	ret = vhyv_event_target_publish(&hdev->events->srqs, &srq->target,
					le32_to_cpu(rsp.handle));
	if (ret)
		vhyv_srq_destroy_handle(srq, le32_to_cpu(rsp.handle));
	return ret;
}

int vhyv_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);
	struct hyv_queue_size size = {};
	struct hyv_modify_srq_req *req;
	struct vhyv_cmd *cmd;

	cmd = vhyv_cmd_new_queue(to_vhyv_dev(ibsrq->device),
				 VHYV_CMD_MODIFY_SRQ, &size, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->srq = cpu_to_le32(srq->target.handle);
	req->attr_mask = cpu_to_le32(mask);
	if (mask & IB_SRQ_MAX_WR)
		req->max_wr = cpu_to_le32(attr->max_wr);
	if (mask & IB_SRQ_LIMIT)
		req->srq_limit = cpu_to_le32(attr->srq_limit);
	cmd->orphans = &srq->host->orphans;
	return vhyv_cmd_run(cmd, true, NULL, udata);
}

int vhyv_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct hyv_query_srq_req *req;
	struct hyv_query_srq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(ibsrq->device), VHYV_CMD_QUERY_SRQ,
			   NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->srq = cpu_to_le32(to_vhyv_srq(ibsrq)->target.handle);
	ret = vhyv_cmd_run(cmd, true, &rsp, NULL);
	if (ret)
		return ret;

	attr->max_wr = le32_to_cpu(rsp.max_wr);
	attr->max_sge = le32_to_cpu(rsp.max_sge);
	attr->srq_limit = le32_to_cpu(rsp.srq_limit);
	return 0;
}

int vhyv_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibsrq->device);
	struct vhyv_srq *srq = to_vhyv_srq(ibsrq);
	int ret;

	ret = vhyv_srq_destroy_handle(srq, srq->target.handle);
	if (ret)
		return ret;
	vhyv_event_target_retire(&hdev->events->srqs, &srq->target);
	return 0;
}
