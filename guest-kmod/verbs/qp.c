// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs. */
#include <linux/err.h>

#include "command/cmd.h"
#include "gsi/gsi.h"
#include "notify/doorbell.h"
#include "verbs/verbs.h"

/* QP numbers have 24 bits, and the RDMA core warns about larger ones. */
#define VHYV_MAX_QPN	0xffffff

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

static bool vhyv_qp_type_supported(const struct vhyv_dev *hdev,
				   enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
		return true;
	case IB_QPT_UD:
		/* A UD QP needs address handles to send. */
		return hdev->verbs & HYV_VERB_AH;
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return hdev->verbs & HYV_VERB_XRC;
	default:
		return false;
	}
}

static void vhyv_qp_destroy_handle(struct vhyv_qp *qp, u32 handle)
{
	if (qp->ibqp.qp_type == IB_QPT_XRC_TGT)
		vhyv_shared_destroy(qp->host, HYV_OBJ_QP, handle);
	else
		vhyv_object_destroy(qp->host, HYV_OBJ_QP, handle, qp->mem);
}

static int vhyv_create_kernel_qp(struct vhyv_qp *qp,
				 const struct ib_qp_init_attr *attr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(qp->ibqp.device);
	struct gsi_qp *gsi;

	if (!hdev->has_gsi) {
		vhyv_dbg(hdev, "kernel QPs need a GSI\n");
		return -EOPNOTSUPP;
	}
	gsi = gsi_create(&vhyv_gsi_ops, &qp->ibqp, attr);
	if (IS_ERR(gsi))
		return PTR_ERR(gsi);
	qp->gsi = gsi;
	return 0;
}

/* Take over what the host has created; it is destroyed on failure. */
static int vhyv_qp_created(struct vhyv_qp *qp, struct ib_qp_init_attr *attr,
			   const struct hyv_create_qp_rsp *rsp)
{
	struct vhyv_dev *hdev = qp->host->hdev;
	u32 handle = le32_to_cpu(rsp->handle);
	u32 qpn = le32_to_cpu(rsp->qpn);
	int ret;

	qp->slot = le32_to_cpu(rsp->slot);
	if ((hdev->db && qp->slot >= hdev->db->qp_slots) ||
	    qpn > VHYV_MAX_QPN) {
		vhyv_dbg(hdev,
			 "host returned invalid QP slot %u or QP number %u\n",
			 qp->slot, qpn);
		ret = -EIO;
		goto err_destroy_qp;
	}
	qp->ibqp.qp_num = qpn;
	vhyv_cap_from_wire(&attr->cap, &rsp->cap);
	qp->target.qp = &qp->ibqp;
	ret = vhyv_event_target_publish(&hdev->events->qps, &qp->target,
					handle);
	if (ret)
		goto err_destroy_qp;
	return 0;

err_destroy_qp:
	vhyv_qp_destroy_handle(qp, handle);
	return ret;
}

/*
 * The RDMA core makes it without a PD and without provider data, so that it may outlive
 * the process that has asked for it.
 */
static int vhyv_create_target(struct vhyv_qp *qp, struct ib_qp_init_attr *attr)
{
	struct vhyv_xrcd *xrcd = to_vhyv_xrcd(attr->xrcd);
	struct hyv_create_qp_req *req;
	struct hyv_create_qp_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(xrcd->host->hdev, VHYV_CMD_CREATE_QP, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	qp->host = xrcd->host;
	req = cmd->req;
	req->xrcd = cpu_to_le32(xrcd->handle);
	req->qp_type = attr->qp_type;
	cmd->orphans = &qp->host->shared;
	ret = vhyv_object_create(cmd, HYV_OBJ_QP, qp->host, &rsp, NULL);
	if (ret)
		return ret;
	return vhyv_qp_created(qp, attr, &rsp);
}

static int vhyv_qp_check(struct vhyv_dev *hdev,
			 const struct ib_qp_init_attr *attr)
{
	if (!vhyv_qp_type_supported(hdev, attr->qp_type) ||
	    attr->create_flags || attr->rwq_ind_tbl) {
		vhyv_dbg(hdev, "QP of type %u with flags 0x%x is not supported\n",
			 attr->qp_type, attr->create_flags);
		return -EOPNOTSUPP;
	}
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return 0;
	if (!attr->send_cq ||
	    (!attr->recv_cq && attr->qp_type != IB_QPT_XRC_INI)) {
		vhyv_dbg(hdev, "QP needs a send CQ and a receive CQ\n");
		return -EINVAL;
	}
	return 0;
}

int vhyv_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		   struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct hyv_create_qp_req *req;
	struct hyv_create_qp_rsp rsp;
	struct hyv_queue_size size;
	struct vhyv_cmd *cmd;
	struct vhyv_pd *pd;
	int ret;

	if (!udata && attr->qp_type != IB_QPT_XRC_TGT)
		return vhyv_create_kernel_qp(qp, attr);
	ret = vhyv_qp_check(hdev, attr);
	if (ret)
		return ret;
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return vhyv_create_target(qp, attr);

	size = (struct hyv_queue_size) {
		.entries = attr->srq ? 0 : attr->cap.max_recv_wr,
	};
	/* ib_uverbs passes on what a process has asked for. */
	if (attr->qp_type == IB_QPT_XRC_INI) {
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
		size.entries = 1;
	}
	cmd = vhyv_cmd_new_queue(hdev, VHYV_CMD_CREATE_QP, &size, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	pd = to_vhyv_pd(ibqp->pd);
	qp->host = pd->host;
	qp->mem = cmd->mem;
	req = cmd->req;
	req->pd = cpu_to_le32(pd->handle);
	req->send_cq = cpu_to_le32(to_vhyv_cq(attr->send_cq)->target.handle);
	if (attr->recv_cq)
		req->recv_cq =
			cpu_to_le32(to_vhyv_cq(attr->recv_cq)->target.handle);
	if (attr->srq)
		req->srq = cpu_to_le32(to_vhyv_srq(attr->srq)->target.handle);
	req->qp_type = attr->qp_type;
	req->sq_sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	req->create_flags = cpu_to_le32(attr->create_flags);
	vhyv_cap_to_wire(&req->cap, &attr->cap);
	ret = vhyv_object_create(cmd, HYV_OBJ_QP, qp->host, &rsp, udata);
	if (ret)
		return ret;
	return vhyv_qp_created(qp, attr, &rsp);
}

int vhyv_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct hyv_modify_qp_req *req;
	struct vhyv_cmd *cmd;
	int ret;

	if (qp->gsi)
		return gsi_modify(qp->gsi, attr, mask);
	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT)) {
		ibdev_dbg(ibqp->device,
			  "QP attributes 0x%x are not supported\n", mask);
		return -EOPNOTSUPP;
	}

	cmd = vhyv_cmd_new(to_vhyv_dev(ibqp->device), VHYV_CMD_MODIFY_QP, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp->target.handle);
	req->attr_mask = cpu_to_le32(mask);
	vhyv_qp_attr_to_wire(&req->attr, attr, mask);
	cmd->orphans = ibqp->qp_type == IB_QPT_XRC_TGT ? &qp->host->shared :
							 &qp->host->orphans;
	ret = vhyv_cmd_run(cmd, true, NULL, udata);
	if (!ret && mask & IB_QP_STATE)
		WRITE_ONCE(qp->state, attr->qp_state);
	return ret;
}

int vhyv_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init_attr)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct hyv_query_qp_req *req;
	struct hyv_query_qp_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	init_attr->event_handler = ibqp->event_handler;
	init_attr->qp_context = ibqp->qp_context;
	init_attr->send_cq = ibqp->send_cq;
	init_attr->recv_cq = ibqp->recv_cq;
	init_attr->srq = ibqp->srq;
	init_attr->qp_type = ibqp->qp_type;
	if (qp->gsi) {
		gsi_query(qp->gsi, attr, init_attr);
		return 0;
	}

	cmd = vhyv_cmd_new(to_vhyv_dev(ibqp->device), VHYV_CMD_QUERY_QP, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp->target.handle);
	req->attr_mask = cpu_to_le32(mask);
	ret = vhyv_cmd_run(cmd, true, &rsp, NULL);
	if (ret)
		return ret;

	vhyv_qp_attr_from_wire(ibqp->device, attr, &rsp.attr);
	vhyv_cap_from_wire(&init_attr->cap, &rsp.init_cap);
	init_attr->sq_sig_type = rsp.sq_sig_all ? IB_SIGNAL_ALL_WR :
						  IB_SIGNAL_REQ_WR;
	return 0;
}

int vhyv_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	if (qp->gsi) {
		gsi_destroy(qp->gsi);
		return 0;
	}
	vhyv_qp_destroy_handle(qp, qp->target.handle);
	vhyv_event_target_retire(&hdev->events->qps, &qp->target);
	return 0;
}

/*
 * In any context. @wr is NULL for a user QP, whose work requests are in a queue
 * that the process has mapped: this is the doorbell of software HCAs.
 */
int vhyv_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	if (qp->gsi)
		return gsi_post_send(qp->gsi, wr, bad_wr);
	if (wr) {
		*bad_wr = wr;
		return -EOPNOTSUPP;
	}
	if (vhyv_dev_failed(hdev))
		return -EIO;
	/* The host cannot report that the HCA's driver refuses the doorbell. */
	if (READ_ONCE(qp->state) < IB_QPS_RTS) {
		ibdev_dbg(ibqp->device, "doorbell of QP %u, which is not in RTS\n",
			  ibqp->qp_num);
		return -EINVAL;
	}
	vhyv_db_ring_send(hdev, qp->slot);
	return 0;
}
