// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands: requests are built and replies taken apart here and in the other
 * cmd_*.c, and nowhere else. Here is what they have in common, and contexts,
 * mappings, protection domains and completion queues.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "command/cmd_priv.h"
#include "dev.h"
#include "memory/mem.h"

static const char *vhyv_opcode_name(u16 opcode)
{
	switch (opcode) {
	case HYV_CMD_QUERY_DEVICE:	return "QUERY_DEVICE";
	case HYV_CMD_QUERY_PORT:	return "QUERY_PORT";
	case HYV_CMD_QUERY_GIDS:	return "QUERY_GIDS";
	case HYV_CMD_QUERY_PKEYS:	return "QUERY_PKEYS";
	case HYV_CMD_SETUP_DOORBELLS:	return "SETUP_DOORBELLS";
	case HYV_CMD_ADD_GID:		return "ADD_GID";
	case HYV_CMD_DEL_GID:		return "DEL_GID";
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
	case HYV_CMD_RESIZE_CQ:		return "RESIZE_CQ";
	case HYV_CMD_MODIFY_CQ:		return "MODIFY_CQ";
	case HYV_CMD_REREG_MR:		return "REREG_MR";
	case HYV_CMD_CREATE_AH:		return "CREATE_AH";
	case HYV_CMD_CREATE_SRQ:	return "CREATE_SRQ";
	case HYV_CMD_MODIFY_SRQ:	return "MODIFY_SRQ";
	case HYV_CMD_QUERY_SRQ:		return "QUERY_SRQ";
	case HYV_CMD_ALLOC_MW:		return "ALLOC_MW";
	case HYV_CMD_ATTACH_MCAST:	return "ATTACH_MCAST";
	case HYV_CMD_DETACH_MCAST:	return "DETACH_MCAST";
	default:			return "?";
	}
}

/* The numbers of the protocol are not those of every architecture. */
static int vhyv_status_to_errno(u32 status)
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

static u16 vhyv_cmd_opcode(const struct vhyv_cmd *cmd)
{
	const struct hyv_req *hdr = cmd->req;

	return le16_to_cpu(hdr->opcode);
}

/**
 * vhyv_cmd_list_room() - how long a command's own chunk list may be
 * @hdev: device
 * @layout: sizes
 * @udata: provider data, or NULL
 *
 * Return: bytes.
 */
size_t vhyv_cmd_list_room(struct vhyv_dev *hdev, const struct vhyv_layout *layout,
			  struct ib_udata *udata)
{
	size_t udata_len = udata ? udata->inlen : 0;
	size_t used = ALIGN(layout->req_len + udata_len, 8) +
		      vhyv_udata_lists_max(hdev, layout->opcode, udata_len);

	return used < hdev->max_request ? hdev->max_request - used : 0;
}

/**
 * vhyv_cmd_lists() - where a command's own chunk list starts
 * @cmd: made with vhyv_layout.lists_len
 *
 * Return: address in the request.
 */
void *vhyv_cmd_lists(struct vhyv_cmd *cmd)
{
	const struct hyv_req *hdr = cmd->req;

	return cmd->req + ALIGN(le16_to_cpu(hdr->fixed_len) +
				le32_to_cpu(hdr->udata_len), 8);
}

/**
 * vhyv_cmd_new() - allocate a command and fill in its header and provider data
 * @hdev: device
 * @layout: sizes
 * @udata: provider data, or NULL
 *
 * Memory that the provider data points to is pinned and described behind the
 * command's own chunk list.
 *
 * Return: the command, or an ERR_PTR.
 */
struct vhyv_cmd *vhyv_cmd_new(struct vhyv_dev *hdev, struct vhyv_layout layout,
			      struct ib_udata *udata)
{
	size_t udata_len = udata ? udata->inlen : 0;
	size_t udata_out_len = udata ? udata->outlen : 0;
	struct vhyv_cmd *cmd;
	struct hyv_req *hdr;
	size_t len, lists_len;
	void *end;
	int ret;

	if (udata_len > HYV_MAX_UDATA)
		return ERR_PTR(-EINVAL);
	udata_out_len = min_t(size_t, udata_out_len, HYV_MAX_UDATA);

	len = layout.req_len + udata_len;
	lists_len = layout.lists_len +
		    vhyv_udata_lists_max(hdev, layout.opcode, udata_len);
	if (lists_len)
		len = ALIGN(len, 8) + lists_len;
	if (len > hdev->max_request)
		return ERR_PTR(-E2BIG);

	cmd = vhyv_cmd_alloc(hdev, len, layout.rsp_len + udata_out_len,
			     layout.gfp ?: GFP_KERNEL);
	if (IS_ERR(cmd))
		return cmd;

	cmd->rsp_min = layout.rsp_min;
	hdr = cmd->req;
	hdr->opcode = cpu_to_le16(layout.opcode);
	hdr->nr_lists = cpu_to_le16(layout.lists_len ? 1 : 0);
	hdr->size = cpu_to_le32(len);
	hdr->fixed_len = cpu_to_le16(layout.req_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	hdr->udata_out_len = cpu_to_le32(udata_out_len);
	if (udata_len &&
	    ib_copy_from_udata(cmd->req + layout.req_len, udata, udata_len)) {
		ret = -EFAULT;
		goto err_free;
	}

	if (lists_len > layout.lists_len) {
		end = vhyv_udata_lists_add(cmd, vhyv_cmd_lists(cmd) +
					       layout.lists_len);
		if (IS_ERR(end)) {
			ret = PTR_ERR(end);
			goto err_free;
		}
		vhyv_cmd_trim(cmd, end - cmd->req);
		hdr->size = cpu_to_le32(cmd->req_len);
	}
	return cmd;

err_free:
	vhyv_cmd_free(cmd);
	return ERR_PTR(ret);
}

/*
 * The host does not keep to the protocol. It may take an object to exist which
 * the guest knows nothing of, so nothing less than a reset will do.
 */
static int vhyv_cmd_malformed(struct vhyv_cmd *cmd)
{
	dev_err_ratelimited(&cmd->hdev->vdev->dev, "malformed reply to %s\n",
			    vhyv_opcode_name(vhyv_cmd_opcode(cmd)));
	vhyv_dev_fail(cmd->hdev, "host breaks the protocol");
	vhyv_cmdq_wait_drained(&cmd->hdev->cmdq);
	return -EIO;
}

/**
 * vhyv_cmd_reply() - check a reply and take out its fixed part
 * @cmd: a command that has been executed
 * @rsp: where the fixed part goes
 * @len: bytes of @rsp; those that an older host has not sent are zeroed
 *
 * Return: the host's status as a negative errno, or -EIO.
 */
int vhyv_cmd_reply(struct vhyv_cmd *cmd, void *rsp, size_t len)
{
	const struct hyv_rsp *hdr = cmd->rsp;
	u32 size, fixed_len, udata_len;
	size_t len_sent;
	int ret;

	if (cmd->rsp_len < sizeof(*hdr))
		return vhyv_cmd_malformed(cmd);

	ret = vhyv_status_to_errno(le32_to_cpu(hdr->status));
	if (ret) {
		dev_dbg(&cmd->hdev->vdev->dev, "%s: error %d\n",
			vhyv_opcode_name(vhyv_cmd_opcode(cmd)), ret);
		return ret;
	}

	size = le32_to_cpu(hdr->size);
	fixed_len = le16_to_cpu(hdr->fixed_len);
	udata_len = le32_to_cpu(hdr->udata_len);
	if (size > cmd->rsp_len || fixed_len < cmd->rsp_min ||
	    fixed_len > size || udata_len > size - fixed_len)
		return vhyv_cmd_malformed(cmd);
	len_sent = min_t(size_t, fixed_len, len);
	memcpy(rsp, cmd->rsp, len_sent);
	memset(rsp + len_sent, 0, len - len_sent);
	return 0;
}

/**
 * vhyv_cmd_reply_udata() - pass the provider data of a reply to user space
 * @cmd: after a successful vhyv_cmd_reply()
 * @udata: provider data, or NULL
 *
 * Return: 0 or -EFAULT.
 */
int vhyv_cmd_reply_udata(struct vhyv_cmd *cmd, struct ib_udata *udata)
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
 * vhyv_cmd_simple() - execute and free a command that creates nothing
 * @cmd: the command; one that changes an object of a process has @orphans set,
 *	so that it is over before the handle can be another object's
 * @killable: see vhyv_cmdq_exec()
 * @rsp: where the fixed part of the reply goes
 * @len: bytes of @rsp
 * @udata: takes the provider data of the reply, or NULL
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_simple(struct vhyv_cmd *cmd, bool killable, void *rsp, size_t len,
		    struct ib_udata *udata)
{
	int ret;

	ret = vhyv_cmdq_exec(cmd, killable);
	if (ret)
		return ret;
	ret = vhyv_cmd_reply(cmd, rsp, len);
	if (!ret)
		ret = vhyv_cmd_reply_udata(cmd, udata);
	vhyv_cmd_free(cmd);
	return ret;
}

/*
 * Destroy an object, and release the memory that the host used for it. On
 * -EBUSY, and on -EINVAL, with which HCAs refuse to let go of an MR that a memory
 * window is bound to, the object still exists and the memory is kept. With all
 * other errors there is no such object any more, or after a reset there is none.
 */
static int vhyv_destroy(struct vhyv_dev *hdev, enum hyv_obj_type type, u32 handle,
			struct vhyv_mem *mem)
{
	struct hyv_destroy_req *req;
	struct hyv_rsp rsp;
	struct vhyv_layout layout = VHYV_LAYOUT(DESTROY, *req, rsp);
	struct vhyv_cmd *cmd;
	int ret;

	/* There is no way to tell the caller that a few bytes were missing. */
	layout.gfp = GFP_KERNEL | __GFP_NOFAIL;
	cmd = vhyv_cmd_new(hdev, layout, NULL);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	req = cmd->req;
	req->type = cpu_to_le32(type);
	req->handle = cpu_to_le32(handle);
	cmd->mem = mem;
	ret = vhyv_cmdq_exec(cmd, false);
	if (ret)
		return 0;

	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	switch (ret) {
	case 0:
	case -ENOENT:
		break;
	case -EBUSY:
	case -EINVAL:
		cmd->mem = NULL;
		vhyv_cmd_free(cmd);
		return ret;
	default:
		vhyv_dev_lost(hdev, "host cannot destroy an object");
		vhyv_cmdq_wait_drained(&hdev->cmdq);
		break;
	}
	vhyv_cmd_free(cmd);
	return 0;
}

/**
 * vhyv_destroy_owned() - destroy an object on behalf of its owner
 * @uctx: the owner
 * @type: what it is
 * @handle: of the object
 * @mem: memory that the host uses for it, or NULL; still the caller's if the
 *	function fails
 *
 * Return: 0, -EBUSY if it is in use, or -EINVAL if the HCA refuses.
 */
int vhyv_destroy_owned(struct vhyv_ucontext *uctx, enum hyv_obj_type type,
		       u32 handle, struct vhyv_mem *mem)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);

	/* An object whose creator was killed may still use this one. */
	vhyv_cmdq_drain_orphans(hdev, &uctx->orphans);
	return vhyv_destroy(hdev, type, handle, mem);
}

/**
 * vhyv_cmd_destroy_context() - destroy a context and all that it still owns
 * @uctx: the context
 *
 * Return: 0.
 */
int vhyv_cmd_destroy_context(struct vhyv_ucontext *uctx)
{
	struct vhyv_mem *mem;
	int ret;

	ret = vhyv_destroy_owned(uctx, HYV_OBJ_CONTEXT, uctx->handle, NULL);
	/* The host uses none of it any more. */
	while ((mem = uctx->kept)) {
		uctx->kept = mem->next;
		vhyv_mem_free(mem);
	}
	return ret;
}

/**
 * vhyv_cmd_destroy_pd() - destroy a protection domain
 * @uctx: its owner
 * @handle: of the PD
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_pd(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_PD, handle, NULL);
}

/**
 * vhyv_cmd_destroy_cq() - destroy a completion queue
 * @uctx: its owner
 * @handle: of the CQ
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_cq(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_CQ, handle, NULL);
}

/*
 * An object without an owner lives on, as another one that was made meanwhile
 * uses it: it is destroyed with the context, and the HCA has its memory till then.
 */
static void vhyv_keep_mem(struct vhyv_ucontext *uctx, struct vhyv_mem *mem)
{
	mem->next = READ_ONCE(uctx->kept);
	while (!try_cmpxchg(&uctx->kept, &mem->next, mem))
		;
}

/* Orphan handler of commands that create an object of type orphan_arg. */
static void vhyv_create_undo(struct vhyv_cmd *cmd)
{
	struct vhyv_mem *mem = cmd->mem;
	struct hyv_create_rsp rsp;

	if (vhyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	cmd->mem = NULL;
	if (vhyv_destroy(cmd->hdev, cmd->orphan_arg, le32_to_cpu(rsp.handle),
			 mem) && mem)
		vhyv_keep_mem(container_of(cmd->orphans, struct vhyv_ucontext,
					   orphans), mem);
}

/**
 * vhyv_create() - execute and free a command that creates an object
 * @cmd: the command, whose reply starts like struct hyv_create_rsp; its memory
 *	is the caller's if this succeeds, else it is or will be released
 * @type: what is created
 * @uctx: its owner, or NULL for a context
 * @rsp: where the fixed part of the reply goes
 * @len: bytes of @rsp
 * @udata: takes the provider data of the reply, or NULL
 *
 * Return: 0 or a negative errno.
 */
int vhyv_create(struct vhyv_cmd *cmd, enum hyv_obj_type type,
		struct vhyv_ucontext *uctx, void *rsp, size_t len,
		struct ib_udata *udata)
{
	int ret;

	cmd->orphan = vhyv_create_undo;
	cmd->orphan_arg = type;
	cmd->orphans = uctx ? &uctx->orphans : NULL;
	ret = vhyv_cmdq_exec(cmd, true);
	if (ret)
		return ret;

	ret = vhyv_cmd_reply(cmd, rsp, len);
	if (ret)
		goto out_free;
	ret = vhyv_cmd_reply_udata(cmd, udata);
	if (ret)
		vhyv_create_undo(cmd);
	else
		cmd->mem = NULL;
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}

/**
 * vhyv_cmd_alloc_context() - create the host's side of a user context
 * @hdev: device
 * @udata: provider data
 * @handle: of the context
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_alloc_context(struct vhyv_dev *hdev, struct ib_udata *udata,
			   u32 *handle)
{
	struct hyv_alloc_context_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(ALLOC_CONTEXT, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	ret = vhyv_create(cmd, HYV_OBJ_CONTEXT, NULL, &rsp, sizeof(rsp), udata);
	if (!ret)
		*handle = le32_to_cpu(rsp.handle);
	return ret;
}

static int vhyv_munmap(struct vhyv_dev *hdev, u32 context, u64 window_offset)
{
	struct hyv_munmap_req *req;
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(MUNMAP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(context);
	req->window_offset = cpu_to_le64(window_offset);
	return vhyv_cmd_simple(cmd, false, &rsp, sizeof(rsp), NULL);
}

/* Orphan handler of MMAP for the context orphan_arg. */
static void vhyv_mmap_undo(struct vhyv_cmd *cmd)
{
	struct hyv_mmap_rsp rsp;

	if (vhyv_cmd_reply(cmd, &rsp, sizeof(rsp)))
		return;
	vhyv_munmap(cmd->hdev, cmd->orphan_arg, le64_to_cpu(rsp.window_offset));
}

/**
 * vhyv_cmd_mmap() - have memory of the HCA mapped into the window
 * @uctx: for which process
 * @offset: file offset that the provider gave to mmap(2)
 * @length: bytes, whole pages
 * @vm_flags: VM_READ and VM_WRITE are what the mapping is for
 * @prot: page protection for ordinary memory
 * @mapping: where it is, and its page protection
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_mmap(struct vhyv_ucontext *uctx, u64 offset, u64 length,
		  vm_flags_t vm_flags, pgprot_t prot,
		  struct vhyv_mapping *mapping)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct hyv_mmap_req *req;
	struct hyv_mmap_rsp rsp;
	struct vhyv_cmd *cmd;
	u64 window_offset;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(MMAP, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	req->prot = cpu_to_le32((vm_flags & VM_READ ? HYV_MMAP_READ : 0) |
				(vm_flags & VM_WRITE ? HYV_MMAP_WRITE : 0));
	req->offset = cpu_to_le64(offset);
	req->length = cpu_to_le64(length);

	cmd->orphan = vhyv_mmap_undo;
	cmd->orphan_arg = uctx->handle;
	cmd->orphans = &uctx->orphans;
	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
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
	vhyv_munmap(hdev, uctx->handle, window_offset);
	return -EIO;
}

/**
 * vhyv_cmd_munmap() - undo a mapping
 * @uctx: for which process
 * @window_offset: from vhyv_cmd_mmap()
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_munmap(struct vhyv_ucontext *uctx, u64 window_offset)
{
	return vhyv_munmap(to_vhyv_dev(uctx->ibuc.device), uctx->handle,
			   window_offset);
}

/**
 * vhyv_cmd_alloc_pd() - create a protection domain
 * @uctx: its owner
 * @udata: provider data
 * @handle: of the PD
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_alloc_pd(struct vhyv_ucontext *uctx, struct ib_udata *udata,
		      u32 *handle)
{
	struct hyv_alloc_pd_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(ALLOC_PD, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	ret = vhyv_create(cmd, HYV_OBJ_PD, uctx, &rsp, sizeof(rsp), udata);
	if (!ret)
		*handle = le32_to_cpu(rsp.handle);
	return ret;
}

/**
 * vhyv_cmd_create_cq() - create a completion queue
 * @uctx: its owner
 * @attr: what to create
 * @udata: provider data
 * @cq: what was created
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_create_cq(struct vhyv_ucontext *uctx,
		       const struct ib_cq_init_attr *attr,
		       struct ib_udata *udata, struct vhyv_new_cq *cq)
{
	struct hyv_create_cq_req *req;
	struct hyv_create_cq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(CREATE_CQ, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->context = cpu_to_le32(uctx->handle);
	req->cqe = cpu_to_le32(attr->cqe);
	req->comp_vector = cpu_to_le32(attr->comp_vector);
	req->flags = cpu_to_le32(attr->flags);
	ret = vhyv_create(cmd, HYV_OBJ_CQ, uctx, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;

	cq->handle = le32_to_cpu(rsp.handle);
	cq->slot = le32_to_cpu(rsp.slot);
	cq->cqe = le32_to_cpu(rsp.cqe);
	return 0;
}

/**
 * vhyv_cmd_resize_cq() - change the number of a completion queue's entries
 * @uctx: its owner
 * @cq: handle of the CQ
 * @cqe: entries that are wanted
 * @udata: provider data
 * @new_cqe: entries that it has now
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_resize_cq(struct vhyv_ucontext *uctx, u32 cq, u32 cqe,
		       struct ib_udata *udata, u32 *new_cqe)
{
	struct hyv_resize_cq_req *req;
	struct hyv_resize_cq_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(RESIZE_CQ, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->cq = cpu_to_le32(cq);
	req->cqe = cpu_to_le32(cqe);
	cmd->orphans = &uctx->orphans;
	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), udata);
	if (!ret)
		*new_cqe = le32_to_cpu(rsp.cqe);
	return ret;
}

/**
 * vhyv_cmd_modify_cq() - moderate the completion events of a completion queue
 * @uctx: its owner
 * @cq: handle of the CQ
 * @count: completions that raise an event
 * @period: microseconds after which fewer do
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_modify_cq(struct vhyv_ucontext *uctx, u32 cq, u16 count, u16 period)
{
	struct hyv_modify_cq_req *req;
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(MODIFY_CQ, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->cq = cpu_to_le32(cq);
	req->cq_count = cpu_to_le16(count);
	req->cq_period = cpu_to_le16(period);
	cmd->orphans = &uctx->orphans;
	return vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
}
