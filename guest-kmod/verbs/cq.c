// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues. */
#include <linux/err.h>
#include <linux/mutex.h>

#include "command/cmd.h"
#include "gsi/gsi_cq.h"
#include "memory/mem.h"
#include "notify/doorbell.h"
#include "verbs/verbs.h"

static int vhyv_cq_destroy_handle(struct vhyv_cq *cq, u32 handle)
{
	return vhyv_object_destroy(cq->host, HYV_OBJ_CQ, handle, cq->mem);
}

static int vhyv_create_kernel_cq(struct vhyv_cq *cq,
				 const struct ib_cq_init_attr *attr)
{
	struct vhyv_dev *hdev = to_vhyv_dev(cq->ibcq.device);
	struct gsi_cq *ring;

	if (!hdev->has_gsi) {
		vhyv_dbg(hdev, "kernel CQs need a GSI\n");
		return -EOPNOTSUPP;
	}
	ring = gsi_cq_create(&cq->ibcq, attr);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	cq->gsi_cq = ring;
	return 0;
}

/* @attrs is NULL for a kernel CQ. */
int vhyv_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	struct hyv_queue_size size = { .entries = attr->cqe };
	struct hyv_create_cq_req *req;
	struct hyv_create_cq_rsp rsp;
	struct ib_udata *udata;
	struct vhyv_cmd *cmd;
	u32 handle;
	int ret;

	if (!attrs)
		return vhyv_create_kernel_cq(cq, attr);
	/* Some HCA drivers log an error at each attempt. */
	if (!attr->cqe || attr->cqe > ibcq->device->attrs.max_cqe) {
		ibdev_dbg(ibcq->device, "CQ of %u entries, must be 1 to %d\n",
			  attr->cqe, ibcq->device->attrs.max_cqe);
		return -EINVAL;
	}

	udata = &attrs->driver_udata;
	cmd = vhyv_cmd_new_queue(hdev, VHYV_CMD_CREATE_CQ, &size, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	cq->host = vhyv_udata_to_host(udata);
	cq->mem = cmd->mem;
	req = cmd->req;
	req->context = cpu_to_le32(cq->host->handle);
	req->cqe = cpu_to_le32(attr->cqe);
	req->comp_vector = cpu_to_le32(attr->comp_vector);
	req->flags = cpu_to_le32(attr->flags);
	ret = vhyv_object_create(cmd, HYV_OBJ_CQ, cq->host, &rsp, udata);
	if (ret)
		return ret;

	handle = le32_to_cpu(rsp.handle);
	cq->slot = le32_to_cpu(rsp.slot);
	if (hdev->db && cq->slot >= hdev->db->cq_slots) {
		ibdev_dbg(ibcq->device, "host returned invalid CQ slot %u\n",
			  cq->slot);
		ret = -EIO;
		goto err_destroy_cq;
	}
	ibcq->cqe = le32_to_cpu(rsp.cqe);
	mutex_init(&cq->arm_lock);
	mutex_init(&cq->resize_lock);
	cq->target.cq = ibcq;
	ret = vhyv_event_target_publish(&hdev->events->cqs, &cq->target,
					handle);
	if (ret)
		goto err_destroy_lock;
	return 0;

err_destroy_lock:
	mutex_destroy(&cq->resize_lock);
	mutex_destroy(&cq->arm_lock);
err_destroy_cq:
	vhyv_cq_destroy_handle(cq, handle);
	return ret;
}

int vhyv_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	int ret;

	if (cq->gsi_cq) {
		gsi_cq_destroy(cq->gsi_cq);
		return 0;
	}
	ret = vhyv_cq_destroy_handle(cq, cq->target.handle);
	if (ret)
		return ret;
	vhyv_event_target_retire(&hdev->events->cqs, &cq->target);
	mutex_destroy(&cq->resize_lock);
	mutex_destroy(&cq->arm_lock);
	return 0;
}

/*
 * When this returns 0, every later completion that @flags select raises an
 * event. May be called in any context for a kernel CQ.
 */
int vhyv_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibcq->device);
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	bool solicited = !(flags & IB_CQ_NEXT_COMP);
	int ret;

	if (cq->gsi_cq)
		return gsi_cq_arm(cq->gsi_cq, flags);

	ret = mutex_lock_killable(&cq->arm_lock);
	if (ret)
		return ret;
	ret = vhyv_db_arm_cq(hdev, cq->slot, solicited);
	mutex_unlock(&cq->arm_lock);
	return ret;
}

/*
 * Send RESIZE_CQ. If the size stays the same, the HCA may go on to use the old
 * memory, so the CQ keeps both. Where it is not clear if the command was executed,
 * the new memory stays with the context, and the CQ keeps the old one.
 */
static int vhyv_cq_resize(struct vhyv_cq *cq, unsigned int cqe,
			  struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(cq->ibcq.device);
	struct hyv_queue_size size = { .entries = cqe };
	struct hyv_resize_cq_req *req;
	struct hyv_resize_cq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	lockdep_assert_held(&cq->resize_lock);
	cmd = vhyv_cmd_new_queue(hdev, VHYV_CMD_RESIZE_CQ, &size, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->cq = cpu_to_le32(cq->target.handle);
	req->cqe = cpu_to_le32(cqe);
	cmd->undo = vhyv_replace_undo;
	cmd->orphans = &cq->host->orphans;
	ret = vhyv_cmdq_exec(cmd, true);
	if (ret)
		return ret;

	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	if (ret) {
		/* With -EFAULT, too, the host may have executed it. */
		vhyv_keep_mem_if_unclear(cmd, ret == -EFAULT ? -EIO : ret);
		goto out_free;
	}
	vhyv_mem_list_done(cmd->mem);
	if (cq->ibcq.cqe == le32_to_cpu(rsp.cqe))
		vhyv_mem_add(&cq->mem, cmd->mem);
	else
		vhyv_mem_replace(&cq->mem, cmd->mem);
	cmd->mem = NULL;
	cq->ibcq.cqe = le32_to_cpu(rsp.cqe);
	ret = vhyv_cmd_reply_udata(cmd, udata);
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}

int vhyv_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			struct ib_udata *udata)
{
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	int ret;

	if (cq->gsi_cq) {
		ibdev_dbg(ibcq->device, "kernel CQs cannot be resized\n");
		return -EOPNOTSUPP;
	}
	if (!cqe || cqe > ibcq->device->attrs.max_cqe) {
		ibdev_dbg(ibcq->device, "CQ of %u entries, must be 1 to %u\n",
			  cqe, ibcq->device->attrs.max_cqe);
		return -EINVAL;
	}

	if (mutex_lock_killable(&cq->resize_lock))
		return -EINTR;
	ret = vhyv_cq_resize(cq, cqe, udata);
	mutex_unlock(&cq->resize_lock);
	return ret;
}

int vhyv_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct vhyv_cq *cq = to_vhyv_cq(ibcq);
	struct hyv_modify_cq_req *req;
	struct vhyv_cmd *cmd;

	if (cq->gsi_cq) {
		ibdev_dbg(ibcq->device, "kernel CQs cannot be modified\n");
		return -EOPNOTSUPP;
	}

	cmd = vhyv_cmd_new(to_vhyv_dev(ibcq->device), VHYV_CMD_MODIFY_CQ, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->cq = cpu_to_le32(cq->target.handle);
	req->cq_count = cpu_to_le16(count);
	req->cq_period = cpu_to_le16(period);
	cmd->orphans = &cq->host->orphans;
	return vhyv_cmd_run(cmd, true, NULL, NULL);
}
