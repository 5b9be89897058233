// SPDX-License-Identifier: GPL-2.0-only
/* Commands of queue pairs. */
#include "command/cmd_priv.h"
#include "dev.h"

static void vhyv_cap_to_wire(struct hyv_qp_cap *wire,
			     const struct ib_qp_cap *cap)
{
	wire->max_send_wr = cpu_to_le32(cap->max_send_wr);
	wire->max_recv_wr = cpu_to_le32(cap->max_recv_wr);
	wire->max_send_sge = cpu_to_le32(cap->max_send_sge);
	wire->max_recv_sge = cpu_to_le32(cap->max_recv_sge);
	wire->max_inline_data = cpu_to_le32(cap->max_inline_data);
}

static void vhyv_cap_from_wire(struct ib_qp_cap *cap,
			       const struct hyv_qp_cap *wire)
{
	cap->max_send_wr = le32_to_cpu(wire->max_send_wr);
	cap->max_recv_wr = le32_to_cpu(wire->max_recv_wr);
	cap->max_send_sge = le32_to_cpu(wire->max_send_sge);
	cap->max_recv_sge = le32_to_cpu(wire->max_recv_sge);
	cap->max_inline_data = le32_to_cpu(wire->max_inline_data);
}

/**
 * vhyv_cmd_create_qp() - create a queue pair
 * @uctx: its owner
 * @pd: handle of the PD
 * @send_cq: handle of the CQ for send completions
 * @recv_cq: handle of the CQ for receive completions
 * @srq: handle of the SRQ, or 0
 * @attr: what to create
 * @udata: provider data
 * @qp: what was created
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_create_qp(struct vhyv_ucontext *uctx, u32 pd, u32 send_cq,
		       u32 recv_cq, u32 srq, const struct ib_qp_init_attr *attr,
		       struct ib_udata *udata, struct vhyv_new_qp *qp)
{
	struct hyv_create_qp_req *req;
	struct hyv_create_qp_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(CREATE_QP, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->send_cq = cpu_to_le32(send_cq);
	req->recv_cq = cpu_to_le32(recv_cq);
	req->srq = cpu_to_le32(srq);
	req->qp_type = attr->qp_type;
	req->sq_sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	req->create_flags = cpu_to_le32(attr->create_flags);
	vhyv_cap_to_wire(&req->cap, &attr->cap);
	ret = vhyv_create(cmd, HYV_OBJ_QP, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	qp->handle = le32_to_cpu(rsp.handle);
	qp->slot = le32_to_cpu(rsp.slot);
	qp->qpn = le32_to_cpu(rsp.qpn);
	vhyv_cap_from_wire(&qp->cap, &rsp.cap);
	return 0;
}

static void vhyv_qp_attr_to_wire(struct hyv_qp_attr *wire,
				 const struct ib_qp_attr *attr, int mask)
{
	wire->qp_state = cpu_to_le32(attr->qp_state);
	wire->cur_qp_state = cpu_to_le32(attr->cur_qp_state);
	wire->path_mtu = cpu_to_le32(attr->path_mtu);
	wire->path_mig_state = cpu_to_le32(attr->path_mig_state);
	wire->qkey = cpu_to_le32(attr->qkey);
	wire->rq_psn = cpu_to_le32(attr->rq_psn);
	wire->sq_psn = cpu_to_le32(attr->sq_psn);
	wire->dest_qp_num = cpu_to_le32(attr->dest_qp_num);
	wire->qp_access_flags = cpu_to_le32(attr->qp_access_flags);
	wire->rate_limit = cpu_to_le32(attr->rate_limit);
	vhyv_cap_to_wire(&wire->cap, &attr->cap);
	wire->pkey_index = cpu_to_le16(attr->pkey_index);
	wire->alt_pkey_index = cpu_to_le16(attr->alt_pkey_index);
	if (mask & IB_QP_AV)
		vhyv_ah_to_wire(&wire->ah, &attr->ah_attr);
	if (mask & IB_QP_ALT_PATH)
		vhyv_ah_to_wire(&wire->alt_ah, &attr->alt_ah_attr);
	wire->en_sqd_async_notify = attr->en_sqd_async_notify;
	wire->sq_draining = attr->sq_draining;
	wire->max_rd_atomic = attr->max_rd_atomic;
	wire->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	wire->min_rnr_timer = attr->min_rnr_timer;
	wire->port_num = attr->port_num;
	wire->timeout = attr->timeout;
	wire->retry_cnt = attr->retry_cnt;
	wire->rnr_retry = attr->rnr_retry;
	wire->alt_port_num = attr->alt_port_num;
	wire->alt_timeout = attr->alt_timeout;
}

static void vhyv_qp_attr_from_wire(struct ib_device *ibdev,
				   struct ib_qp_attr *attr,
				   const struct hyv_qp_attr *wire)
{
	attr->qp_state = le32_to_cpu(wire->qp_state);
	attr->cur_qp_state = le32_to_cpu(wire->cur_qp_state);
	attr->path_mtu = le32_to_cpu(wire->path_mtu);
	attr->path_mig_state = le32_to_cpu(wire->path_mig_state);
	attr->qkey = le32_to_cpu(wire->qkey);
	attr->rq_psn = le32_to_cpu(wire->rq_psn);
	attr->sq_psn = le32_to_cpu(wire->sq_psn);
	attr->dest_qp_num = le32_to_cpu(wire->dest_qp_num);
	attr->qp_access_flags = le32_to_cpu(wire->qp_access_flags);
	attr->rate_limit = le32_to_cpu(wire->rate_limit);
	vhyv_cap_from_wire(&attr->cap, &wire->cap);
	attr->pkey_index = le16_to_cpu(wire->pkey_index);
	attr->alt_pkey_index = le16_to_cpu(wire->alt_pkey_index);
	vhyv_ah_from_wire(ibdev, &attr->ah_attr, &wire->ah);
	vhyv_ah_from_wire(ibdev, &attr->alt_ah_attr, &wire->alt_ah);
	attr->en_sqd_async_notify = wire->en_sqd_async_notify;
	attr->sq_draining = wire->sq_draining;
	attr->max_rd_atomic = wire->max_rd_atomic;
	attr->max_dest_rd_atomic = wire->max_dest_rd_atomic;
	attr->min_rnr_timer = wire->min_rnr_timer;
	attr->port_num = wire->port_num;
	attr->timeout = wire->timeout;
	attr->retry_cnt = wire->retry_cnt;
	attr->rnr_retry = wire->rnr_retry;
	attr->alt_port_num = wire->alt_port_num;
	attr->alt_timeout = wire->alt_timeout;
}

/**
 * vhyv_cmd_modify_qp() - change attributes of a queue pair
 * @uctx: its owner
 * @qp: handle of the QP
 * @attr: new attributes
 * @mask: enum ib_qp_attr_mask, which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_modify_qp(struct vhyv_ucontext *uctx, u32 qp,
		       const struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct hyv_modify_qp_req *req;
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(MODIFY_QP, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp);
	req->attr_mask = cpu_to_le32(mask);
	vhyv_qp_attr_to_wire(&req->attr, attr, mask);
	cmd->orphans = &uctx->orphans;
	return vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), udata);
}

/**
 * vhyv_cmd_query_qp() - read attributes of a queue pair
 * @hdev: device
 * @qp: handle of the QP
 * @mask: enum ib_qp_attr_mask, which of them are wanted
 * @attr: the attributes
 * @init_attr: capabilities and signalling type are filled in
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_qp(struct vhyv_dev *hdev, u32 qp, int mask,
		      struct ib_qp_attr *attr,
		      struct ib_qp_init_attr *init_attr)
{
	struct hyv_query_qp_req *req;
	struct hyv_query_qp_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(QUERY_QP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp);
	req->attr_mask = cpu_to_le32(mask);
	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
	if (ret)
		return ret;

	vhyv_qp_attr_from_wire(&hdev->ibdev, attr, &rsp.attr);
	vhyv_cap_from_wire(&init_attr->cap, &rsp.init_cap);
	init_attr->sq_sig_type = rsp.sq_sig_all ? IB_SIGNAL_ALL_WR :
						  IB_SIGNAL_REQ_WR;
	return 0;
}

/**
 * vhyv_cmd_destroy_qp() - destroy a queue pair
 * @uctx: its owner
 * @handle: of the QP
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_qp(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_QP, handle, NULL);
}
