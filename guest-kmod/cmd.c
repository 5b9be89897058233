// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands: requests are built and replies taken apart here and in
 * cmd_device.c, and nowhere else.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "cmd_priv.h"
#include "hyv_dev.h"
#include "mem.h"

static const char *hyv_opcode_name(u16 opcode)
{
	switch (opcode) {
	case HYV_CMD_QUERY_DEVICE:	return "QUERY_DEVICE";
	case HYV_CMD_QUERY_PORT:	return "QUERY_PORT";
	case HYV_CMD_QUERY_GIDS:	return "QUERY_GIDS";
	case HYV_CMD_QUERY_PKEYS:	return "QUERY_PKEYS";
	case HYV_CMD_SETUP_DOORBELLS:	return "SETUP_DOORBELLS";
	case HYV_CMD_ALLOC_CONTEXT:	return "ALLOC_CONTEXT";
	case HYV_CMD_MMAP:		return "MMAP";
	case HYV_CMD_MUNMAP:		return "MUNMAP";
	case HYV_CMD_DESTROY:		return "DESTROY";
	case HYV_CMD_ALLOC_PD:		return "ALLOC_PD";
	case HYV_CMD_CREATE_CQ:		return "CREATE_CQ";
	case HYV_CMD_CREATE_QP:		return "CREATE_QP";
	case HYV_CMD_MODIFY_QP:		return "MODIFY_QP";
	case HYV_CMD_QUERY_QP:		return "QUERY_QP";
	case HYV_CMD_REG_MR:		return "REG_MR";
	default:			return "?";
	}
}

/* The numbers of the protocol are not those of every architecture. */
static int hyv_status_to_errno(u32 status)
{
	switch (status) {
	case HYV_OK:			return 0;
	case HYV_S_EPERM:		return -EPERM;
	case HYV_S_ENOENT:		return -ENOENT;
	case HYV_S_EINTR:		return -EINTR;
	case HYV_S_EIO:			return -EIO;
	case HYV_S_E2BIG:		return -E2BIG;
	case HYV_S_EAGAIN:		return -EAGAIN;
	case HYV_S_ENOMEM:		return -ENOMEM;
	case HYV_S_EACCES:		return -EACCES;
	case HYV_S_EFAULT:		return -EFAULT;
	case HYV_S_EBUSY:		return -EBUSY;
	case HYV_S_EEXIST:		return -EEXIST;
	case HYV_S_ENODEV:		return -ENODEV;
	case HYV_S_EINVAL:		return -EINVAL;
	case HYV_S_ENOSPC:		return -ENOSPC;
	case HYV_S_ERANGE:		return -ERANGE;
	case HYV_S_ENOSYS:		return -EOPNOTSUPP;
	case HYV_S_EMSGSIZE:		return -EMSGSIZE;
	case HYV_S_EPROTONOSUPPORT:	return -EPROTONOSUPPORT;
	case HYV_S_EOPNOTSUPP:		return -EOPNOTSUPP;
	case HYV_S_ENETUNREACH:		return -ENETUNREACH;
	case HYV_S_ETIMEDOUT:		return -ETIMEDOUT;
	case HYV_S_EHOSTUNREACH:	return -EHOSTUNREACH;
	case HYV_S_EDQUOT:		return -EDQUOT;
	default:			return -EIO;
	}
}

static u16 hyv_cmd_opcode(const struct hyv_cmd *cmd)
{
	const struct hyv_req *hdr = cmd->req;

	return le16_to_cpu(hdr->opcode);
}

/**
 * hyv_cmd_list_room() - how long a command's chunk lists may be
 * @hdev: device
 * @fixed_len: bytes of the request's fixed part
 * @udata: provider data, or NULL
 *
 * Return: bytes.
 */
size_t hyv_cmd_list_room(struct hyv_dev *hdev, size_t fixed_len,
			 struct ib_udata *udata)
{
	size_t used = ALIGN(fixed_len + (udata ? udata->inlen : 0), 8);

	return used < hdev->max_request ? hdev->max_request - used : 0;
}

/**
 * hyv_cmd_new() - allocate a command and fill in its header and provider data
 * @hdev: device
 * @layout: sizes
 * @udata: provider data, or NULL
 *
 * Return: the command, or an ERR_PTR.
 */
struct hyv_cmd *hyv_cmd_new(struct hyv_dev *hdev, struct hyv_layout layout,
			    struct ib_udata *udata)
{
	size_t udata_len = udata ? udata->inlen : 0;
	size_t udata_out_len = udata ? udata->outlen : 0;
	struct hyv_cmd *cmd;
	struct hyv_req *hdr;
	size_t len;

	if (udata_len > HYV_MAX_UDATA)
		return ERR_PTR(-EINVAL);
	udata_out_len = min_t(size_t, udata_out_len, HYV_MAX_UDATA);

	len = layout.req_len + udata_len;
	if (layout.lists_len)
		len = ALIGN(len, 8) + layout.lists_len;
	if (len > hdev->max_request)
		return ERR_PTR(-E2BIG);

	cmd = hyv_cmd_alloc(hdev, len, layout.rsp_len + udata_out_len,
			    layout.gfp ?: GFP_KERNEL);
	if (IS_ERR(cmd))
		return cmd;

	hdr = cmd->req;
	hdr->opcode = cpu_to_le16(layout.opcode);
	hdr->size = cpu_to_le32(len);
	hdr->fixed_len = cpu_to_le16(layout.req_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	hdr->udata_out_len = cpu_to_le32(udata_out_len);
	if (udata_len &&
	    ib_copy_from_udata(cmd->req + layout.req_len, udata, udata_len)) {
		hyv_cmd_free(cmd);
		return ERR_PTR(-EFAULT);
	}
	return cmd;
}

/**
 * hyv_cmd_lists() - where a command's chunk lists start
 * @cmd: made with hyv_layout.lists_len
 *
 * Return: address in the request.
 */
void *hyv_cmd_lists(struct hyv_cmd *cmd)
{
	const struct hyv_req *hdr = cmd->req;

	return cmd->req + ALIGN(le16_to_cpu(hdr->fixed_len) +
				le32_to_cpu(hdr->udata_len), 8);
}

/*
 * The host does not keep to the protocol. It may take an object to exist which
 * the guest knows nothing of, so nothing less than a reset will do.
 */
static int hyv_cmd_malformed(struct hyv_cmd *cmd)
{
	dev_err_ratelimited(&cmd->hdev->vdev->dev, "malformed reply to %s\n",
			    hyv_opcode_name(hyv_cmd_opcode(cmd)));
	hyv_dev_fail(cmd->hdev, "host breaks the protocol");
	hyv_cmdq_wait_drained(&cmd->hdev->cmdq);
	return -EIO;
}

/**
 * hyv_cmd_reply() - check a reply and take out its fixed part
 * @cmd: a command that has been executed
 * @rsp: where the fixed part goes
 * @len: bytes of @rsp, all of which must have been sent
 *
 * Return: the host's status as a negative errno, or -EIO.
 */
int hyv_cmd_reply(struct hyv_cmd *cmd, void *rsp, size_t len)
{
	const struct hyv_rsp *hdr = cmd->rsp;
	u32 size, fixed_len, udata_len;
	int ret;

	if (cmd->rsp_len < sizeof(*hdr))
		return hyv_cmd_malformed(cmd);

	ret = hyv_status_to_errno(le32_to_cpu(hdr->status));
	if (ret) {
		dev_dbg(&cmd->hdev->vdev->dev, "%s: error %d\n",
			hyv_opcode_name(hyv_cmd_opcode(cmd)), ret);
		return ret;
	}

	size = le32_to_cpu(hdr->size);
	fixed_len = le16_to_cpu(hdr->fixed_len);
	udata_len = le32_to_cpu(hdr->udata_len);
	if (size > cmd->rsp_len || fixed_len < len || fixed_len > size ||
	    udata_len > size - fixed_len)
		return hyv_cmd_malformed(cmd);
	memcpy(rsp, cmd->rsp, len);
	return 0;
}

/**
 * hyv_cmd_reply_udata() - pass the provider data of a reply to user space
 * @cmd: after a successful hyv_cmd_reply()
 * @udata: provider data, or NULL
 *
 * Return: 0 or -EFAULT.
 */
int hyv_cmd_reply_udata(struct hyv_cmd *cmd, struct ib_udata *udata)
{
	const struct hyv_rsp *hdr = cmd->rsp;
	size_t len;

	if (!udata)
		return 0;
	len = min_t(size_t, le32_to_cpu(hdr->udata_len), udata->outlen);
	if (len && ib_copy_to_udata(udata,
				    cmd->rsp + le16_to_cpu(hdr->fixed_len),
				    len))
		return -EFAULT;
	return 0;
}

/**
 * hyv_cmd_simple() - execute and free a command that creates nothing
 * @cmd: the command
 * @killable: see hyv_cmdq_exec()
 * @rsp: where the fixed part of the reply goes
 * @len: bytes of @rsp
 * @udata: takes the provider data of the reply, or NULL
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_simple(struct hyv_cmd *cmd, bool killable, void *rsp, size_t len,
		   struct ib_udata *udata)
{
	int ret;

	ret = hyv_cmdq_exec(cmd, killable);
	if (ret)
		return ret;
	ret = hyv_cmd_reply(cmd, rsp, len);
	if (!ret)
		ret = hyv_cmd_reply_udata(cmd, udata);
	hyv_cmd_free(cmd);
	return ret;
}

/*
 * Destroy an object, and release the memory that the host used for it; on
 * -EBUSY the object still exists and the memory is kept. With all other errors
 * there is no such object any more, or after a reset there is none.
 */
static int hyv_destroy(struct hyv_dev *hdev, enum hyv_obj_type type, u32 handle,
		       struct hyv_mem *mem)
{
	struct hyv_destroy_req *req;
	struct hyv_rsp rsp;
	struct hyv_layout layout = HYV_LAYOUT(DESTROY, *req, rsp);
	struct hyv_cmd *cmd;
	int ret;

	/* There is no way to tell the caller that a few bytes were missing. */
	layout.gfp = GFP_KERNEL | __GFP_NOFAIL;
	cmd = hyv_cmd_new(hdev, layout, NULL);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	req = cmd->req;
	req->type = cpu_to_le32(type);
	req->handle = cpu_to_le32(handle);
	cmd->mem = mem;
	ret = hyv_cmdq_exec(cmd, false);
	if (ret)
		return 0;

	ret = hyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	switch (ret) {
	case 0:
	case -ENOENT:
		break;
	case -EBUSY:
		cmd->mem = NULL;
		break;
	default:
		hyv_dev_lost(hdev, "host cannot destroy an object");
		hyv_cmdq_wait_drained(&hdev->cmdq);
		break;
	}
	hyv_cmd_free(cmd);
	return ret == -EBUSY ? ret : 0;
}

/* Destroy an object on behalf of its owner. */
static int hyv_destroy_owned(struct hyv_ucontext *uctx, enum hyv_obj_type type,
			     u32 handle, struct hyv_mem *mem)
{
	struct hyv_dev *hdev = to_hyv_dev(uctx->ibuc.device);

	/* An object whose creator was killed may still use this one. */
	hyv_cmdq_drain_orphans(hdev, &uctx->orphans);
	return hyv_destroy(hdev, type, handle, mem);
}

/**
 * hyv_cmd_destroy_context() - destroy a context and all that it still owns
 * @uctx: the context
 *
 * Return: 0.
 */
int hyv_cmd_destroy_context(struct hyv_ucontext *uctx)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_CONTEXT, uctx->handle, NULL);
}

/**
 * hyv_cmd_destroy_pd() - destroy a protection domain
 * @uctx: its owner
 * @handle: of the PD
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int hyv_cmd_destroy_pd(struct hyv_ucontext *uctx, u32 handle)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_PD, handle, NULL);
}

/**
 * hyv_cmd_destroy_cq() - destroy a completion queue
 * @uctx: its owner
 * @handle: of the CQ
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int hyv_cmd_destroy_cq(struct hyv_ucontext *uctx, u32 handle)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_CQ, handle, NULL);
}

/**
 * hyv_cmd_destroy_qp() - destroy a queue pair
 * @uctx: its owner
 * @handle: of the QP
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int hyv_cmd_destroy_qp(struct hyv_ucontext *uctx, u32 handle)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_QP, handle, NULL);
}

/**
 * hyv_cmd_destroy_mr() - destroy a memory region and unpin its memory
 * @uctx: its owner
 * @handle: of the MR
 * @mem: the memory; still the caller's if the function fails
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int hyv_cmd_destroy_mr(struct hyv_ucontext *uctx, u32 handle,
		       struct hyv_mem *mem)
{
	return hyv_destroy_owned(uctx, HYV_OBJ_MR, handle, mem);
}

/* Orphan handler of commands that create an object of type orphan_arg. */
static void hyv_create_undo(struct hyv_cmd *cmd)
{
	struct hyv_mem *mem = cmd->mem;
	struct hyv_create_rsp rsp;

	if (hyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	cmd->mem = NULL;
	hyv_destroy(cmd->hdev, cmd->orphan_arg, le32_to_cpu(rsp.handle), mem);
}

/*
 * Execute and free a command that creates an object. Its reply starts like
 * struct hyv_create_rsp. The object's memory is the caller's if this succeeds,
 * else it is or will be released.
 */
static int hyv_create(struct hyv_cmd *cmd, enum hyv_obj_type type,
		      struct hyv_ucontext *uctx, void *rsp, size_t len,
		      struct ib_udata *udata)
{
	int ret;

	cmd->orphan = hyv_create_undo;
	cmd->orphan_arg = type;
	cmd->orphans = uctx ? &uctx->orphans : NULL;
	ret = hyv_cmdq_exec(cmd, true);
	if (ret)
		return ret;

	ret = hyv_cmd_reply(cmd, rsp, len);
	if (ret)
		goto out_free;
	ret = hyv_cmd_reply_udata(cmd, udata);
	if (ret)
		hyv_create_undo(cmd);
	else
		cmd->mem = NULL;
out_free:
	hyv_cmd_free(cmd);
	return ret;
}

/**
 * hyv_cmd_alloc_context() - create the host's side of a user context
 * @hdev: device
 * @udata: provider data
 * @handle: of the context
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_alloc_context(struct hyv_dev *hdev, struct ib_udata *udata,
			  u32 *handle)
{
	struct hyv_alloc_context_req *req;
	struct hyv_create_rsp rsp;
	struct hyv_cmd *cmd;
	int ret;

	cmd = hyv_cmd_new(hdev, HYV_LAYOUT(ALLOC_CONTEXT, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	ret = hyv_create(cmd, HYV_OBJ_CONTEXT, NULL, &rsp, sizeof(rsp), udata);
	if (!ret)
		*handle = le32_to_cpu(rsp.handle);
	return ret;
}

static int hyv_munmap(struct hyv_dev *hdev, u32 context, u64 window_offset)
{
	struct hyv_munmap_req *req;
	struct hyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = hyv_cmd_new(hdev, HYV_LAYOUT(MUNMAP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(context);
	req->window_offset = cpu_to_le64(window_offset);
	return hyv_cmd_simple(cmd, false, &rsp, sizeof(rsp), NULL);
}

/* Orphan handler of MMAP for the context orphan_arg. */
static void hyv_mmap_undo(struct hyv_cmd *cmd)
{
	struct hyv_mmap_rsp rsp;

	if (hyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	hyv_munmap(cmd->hdev, cmd->orphan_arg, le64_to_cpu(rsp.window_offset));
}

/**
 * hyv_cmd_mmap() - have memory of the HCA mapped into the window
 * @uctx: for which process
 * @offset: file offset that the provider gave to mmap(2)
 * @length: bytes, whole pages
 * @vm_flags: VM_READ and VM_WRITE are what the mapping is for
 * @prot: page protection for ordinary memory
 * @mapping: where it is, and its page protection
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_mmap(struct hyv_ucontext *uctx, u64 offset, u64 length,
		 vm_flags_t vm_flags, pgprot_t prot,
		 struct hyv_mapping *mapping)
{
	struct hyv_dev *hdev = to_hyv_dev(uctx->ibuc.device);
	struct hyv_mmap_req *req;
	struct hyv_mmap_rsp rsp;
	struct hyv_cmd *cmd;
	u64 window_offset;
	int ret;

	cmd = hyv_cmd_new(hdev, HYV_LAYOUT(MMAP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	req->prot = cpu_to_le32((vm_flags & VM_READ ? HYV_MMAP_READ : 0) |
				(vm_flags & VM_WRITE ? HYV_MMAP_WRITE : 0));
	req->offset = cpu_to_le64(offset);
	req->length = cpu_to_le64(length);

	cmd->orphan = hyv_mmap_undo;
	cmd->orphan_arg = uctx->handle;
	cmd->orphans = &uctx->orphans;
	ret = hyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
	if (ret)
		return ret;

	window_offset = le64_to_cpu(rsp.window_offset);
	if (!PAGE_ALIGNED(window_offset) || window_offset > hdev->window.len ||
	    length > hdev->window.len - window_offset)
		goto err_munmap;

	switch (rsp.cache) {
	case HYV_CACHE_WB:
		break;
	case HYV_CACHE_WC:
		prot = pgprot_writecombine(prot);
		break;
	case HYV_CACHE_UC:
		prot = pgprot_noncached(prot);
		break;
	default:
		goto err_munmap;
	}
	mapping->window_offset = window_offset;
	mapping->prot = prot;
	return 0;

err_munmap:
	hyv_munmap(hdev, uctx->handle, window_offset);
	return -EIO;
}

/**
 * hyv_cmd_munmap() - undo a mapping
 * @uctx: for which process
 * @window_offset: from hyv_cmd_mmap()
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_munmap(struct hyv_ucontext *uctx, u64 window_offset)
{
	return hyv_munmap(to_hyv_dev(uctx->ibuc.device), uctx->handle,
			  window_offset);
}

/**
 * hyv_cmd_alloc_pd() - create a protection domain
 * @uctx: its owner
 * @udata: provider data
 * @handle: of the PD
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_alloc_pd(struct hyv_ucontext *uctx, struct ib_udata *udata,
		     u32 *handle)
{
	struct hyv_alloc_pd_req *req;
	struct hyv_create_rsp rsp;
	struct hyv_cmd *cmd;
	int ret;

	cmd = hyv_cmd_new(to_hyv_dev(uctx->ibuc.device),
			  HYV_LAYOUT(ALLOC_PD, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	ret = hyv_create(cmd, HYV_OBJ_PD, uctx, &rsp, sizeof(rsp), udata);
	if (!ret)
		*handle = le32_to_cpu(rsp.handle);
	return ret;
}

/**
 * hyv_cmd_create_cq() - create a completion queue
 * @uctx: its owner
 * @attr: what to create
 * @udata: provider data
 * @cq: what was created
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_create_cq(struct hyv_ucontext *uctx,
		      const struct ib_cq_init_attr *attr,
		      struct ib_udata *udata, struct hyv_new_cq *cq)
{
	struct hyv_create_cq_req *req;
	struct hyv_create_cq_rsp rsp;
	struct hyv_cmd *cmd;
	int ret;

	cmd = hyv_cmd_new(to_hyv_dev(uctx->ibuc.device),
			  HYV_LAYOUT(CREATE_CQ, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	req->cqe = cpu_to_le32(attr->cqe);
	req->comp_vector = cpu_to_le32(attr->comp_vector);
	req->flags = cpu_to_le32(attr->flags);
	ret = hyv_create(cmd, HYV_OBJ_CQ, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	cq->handle = le32_to_cpu(rsp.handle);
	cq->slot = le32_to_cpu(rsp.slot);
	cq->cqe = le32_to_cpu(rsp.cqe);
	return 0;
}

static void hyv_cap_to_wire(struct hyv_qp_cap *wire,
			    const struct ib_qp_cap *cap)
{
	wire->max_send_wr = cpu_to_le32(cap->max_send_wr);
	wire->max_recv_wr = cpu_to_le32(cap->max_recv_wr);
	wire->max_send_sge = cpu_to_le32(cap->max_send_sge);
	wire->max_recv_sge = cpu_to_le32(cap->max_recv_sge);
	wire->max_inline_data = cpu_to_le32(cap->max_inline_data);
}

static void hyv_cap_from_wire(struct ib_qp_cap *cap,
			      const struct hyv_qp_cap *wire)
{
	cap->max_send_wr = le32_to_cpu(wire->max_send_wr);
	cap->max_recv_wr = le32_to_cpu(wire->max_recv_wr);
	cap->max_send_sge = le32_to_cpu(wire->max_send_sge);
	cap->max_recv_sge = le32_to_cpu(wire->max_recv_sge);
	cap->max_inline_data = le32_to_cpu(wire->max_inline_data);
}

/**
 * hyv_cmd_create_qp() - create a queue pair
 * @uctx: its owner
 * @pd: handle of the PD
 * @send_cq: handle of the CQ for send completions
 * @recv_cq: handle of the CQ for receive completions
 * @attr: what to create
 * @udata: provider data
 * @qp: what was created
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_create_qp(struct hyv_ucontext *uctx, u32 pd, u32 send_cq,
		      u32 recv_cq, const struct ib_qp_init_attr *attr,
		      struct ib_udata *udata, struct hyv_new_qp *qp)
{
	struct hyv_create_qp_req *req;
	struct hyv_create_qp_rsp rsp;
	struct hyv_cmd *cmd;
	int ret;

	cmd = hyv_cmd_new(to_hyv_dev(uctx->ibuc.device),
			  HYV_LAYOUT(CREATE_QP, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->send_cq = cpu_to_le32(send_cq);
	req->recv_cq = cpu_to_le32(recv_cq);
	req->qp_type = attr->qp_type;
	req->sq_sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	req->create_flags = cpu_to_le32(attr->create_flags);
	hyv_cap_to_wire(&req->cap, &attr->cap);
	ret = hyv_create(cmd, HYV_OBJ_QP, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	qp->handle = le32_to_cpu(rsp.handle);
	qp->slot = le32_to_cpu(rsp.slot);
	qp->qpn = le32_to_cpu(rsp.qpn);
	hyv_cap_from_wire(&qp->cap, &rsp.cap);
	return 0;
}

static void hyv_ah_to_wire(struct hyv_ah_attr *wire,
			   const struct rdma_ah_attr *ah)
{
	wire->sl = rdma_ah_get_sl(ah);
	wire->static_rate = rdma_ah_get_static_rate(ah);
	wire->port_num = rdma_ah_get_port_num(ah);
	wire->dlid = cpu_to_le16(rdma_ah_get_dlid(ah));
	wire->src_path_bits = rdma_ah_get_path_bits(ah);
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH) {
		const struct ib_global_route *grh = rdma_ah_read_grh(ah);

		wire->is_global = 1;
		memcpy(wire->dgid, grh->dgid.raw, sizeof(wire->dgid));
		wire->flow_label = cpu_to_le32(grh->flow_label);
		wire->sgid_index = grh->sgid_index;
		wire->hop_limit = grh->hop_limit;
		wire->traffic_class = grh->traffic_class;
	}
}

static void hyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
			     const struct hyv_ah_attr *wire)
{
	memset(ah, 0, sizeof(*ah));
	if (!rdma_is_port_valid(ibdev, wire->port_num))
		return;
	ah->type = rdma_ah_find_type(ibdev, wire->port_num);
	rdma_ah_set_port_num(ah, wire->port_num);
	rdma_ah_set_sl(ah, wire->sl);
	rdma_ah_set_static_rate(ah, wire->static_rate);
	rdma_ah_set_dlid(ah, le16_to_cpu(wire->dlid));
	rdma_ah_set_path_bits(ah, wire->src_path_bits);
	if (wire->is_global) {
		union ib_gid dgid;

		memcpy(dgid.raw, wire->dgid, sizeof(dgid.raw));
		rdma_ah_set_grh(ah, &dgid, le32_to_cpu(wire->flow_label),
				wire->sgid_index, wire->hop_limit,
				wire->traffic_class);
	}
}

static void hyv_qp_attr_to_wire(struct hyv_qp_attr *wire,
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
	hyv_cap_to_wire(&wire->cap, &attr->cap);
	wire->pkey_index = cpu_to_le16(attr->pkey_index);
	wire->alt_pkey_index = cpu_to_le16(attr->alt_pkey_index);
	if (mask & IB_QP_AV)
		hyv_ah_to_wire(&wire->ah, &attr->ah_attr);
	if (mask & IB_QP_ALT_PATH)
		hyv_ah_to_wire(&wire->alt_ah, &attr->alt_ah_attr);
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

static void hyv_qp_attr_from_wire(struct ib_device *ibdev,
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
	hyv_cap_from_wire(&attr->cap, &wire->cap);
	attr->pkey_index = le16_to_cpu(wire->pkey_index);
	attr->alt_pkey_index = le16_to_cpu(wire->alt_pkey_index);
	hyv_ah_from_wire(ibdev, &attr->ah_attr, &wire->ah);
	hyv_ah_from_wire(ibdev, &attr->alt_ah_attr, &wire->alt_ah);
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
 * hyv_cmd_modify_qp() - change attributes of a queue pair
 * @hdev: device
 * @qp: handle of the QP
 * @attr: new attributes
 * @mask: enum ib_qp_attr_mask, which of them
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_modify_qp(struct hyv_dev *hdev, u32 qp,
		      const struct ib_qp_attr *attr, int mask,
		      struct ib_udata *udata)
{
	struct hyv_modify_qp_req *req;
	struct hyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = hyv_cmd_new(hdev, HYV_LAYOUT(MODIFY_QP, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp);
	req->attr_mask = cpu_to_le32(mask);
	hyv_qp_attr_to_wire(&req->attr, attr, mask);
	return hyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), udata);
}

/**
 * hyv_cmd_query_qp() - read attributes of a queue pair
 * @hdev: device
 * @qp: handle of the QP
 * @mask: enum ib_qp_attr_mask, which of them are wanted
 * @attr: the attributes
 * @init_attr: capabilities and signalling type are filled in
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_query_qp(struct hyv_dev *hdev, u32 qp, int mask,
		     struct ib_qp_attr *attr,
		     struct ib_qp_init_attr *init_attr)
{
	struct hyv_query_qp_req *req;
	struct hyv_query_qp_rsp rsp;
	struct hyv_cmd *cmd;
	int ret;

	cmd = hyv_cmd_new(hdev, HYV_LAYOUT(QUERY_QP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->qp = cpu_to_le32(qp);
	req->attr_mask = cpu_to_le32(mask);
	ret = hyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
	if (ret)
		return ret;

	hyv_qp_attr_from_wire(&hdev->ibdev, attr, &rsp.attr);
	hyv_cap_from_wire(&init_attr->cap, &rsp.init_cap);
	init_attr->sq_sig_type = rsp.sq_sig_all ? IB_SIGNAL_ALL_WR :
						  IB_SIGNAL_REQ_WR;
	return 0;
}

/**
 * hyv_cmd_reg_mr() - register memory
 * @uctx: owner of the MR
 * @pd: handle of the PD
 * @iova: address of the first byte in work requests
 * @access: enum ib_access_flags
 * @mem: the memory; on error it is, or will be, released
 * @udata: provider data
 * @mr: what was created
 *
 * Return: 0 or a negative errno.
 */
int hyv_cmd_reg_mr(struct hyv_ucontext *uctx, u32 pd, u64 iova, int access,
		   struct hyv_mem *mem, struct ib_udata *udata,
		   struct hyv_new_mr *mr)
{
	struct hyv_dev *hdev = to_hyv_dev(uctx->ibuc.device);
	struct hyv_reg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct hyv_layout layout = HYV_LAYOUT(REG_MR, *req, rsp);
	struct hyv_cmd *cmd;
	ssize_t len;
	int ret;

	len = hyv_mem_list_prepare(mem,
				   hyv_cmd_list_room(hdev, layout.req_len,
						     udata),
				   virtio_has_feature(hdev->vdev,
						      HYV_F_INDIRECT_CHUNKS));
	if (len < 0) {
		ret = len;
		goto err_free_mem;
	}
	layout.lists_len = len;

	cmd = hyv_cmd_new(hdev, layout, udata);
	if (IS_ERR(cmd)) {
		ret = PTR_ERR(cmd);
		goto err_free_mem;
	}

	req = cmd->req;
	req->hdr.nr_lists = cpu_to_le16(1);
	req->pd = cpu_to_le32(pd);
	req->access = cpu_to_le32(access);
	req->iova = cpu_to_le64(iova);
	hyv_mem_list_write(mem, hyv_cmd_lists(cmd));
	cmd->mem = mem;
	ret = hyv_create(cmd, HYV_OBJ_MR, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	hyv_mem_list_done(mem);
	mr->handle = le32_to_cpu(rsp.handle);
	mr->lkey = le32_to_cpu(rsp.lkey);
	mr->rkey = le32_to_cpu(rsp.rkey);
	return 0;

err_free_mem:
	hyv_mem_free(mem);
	return ret;
}
