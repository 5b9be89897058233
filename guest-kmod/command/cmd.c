// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building requests and reading replies.
 *
 * Where provider data contains an address of user memory, the request carries
 * that memory as a chunk list. It stays pinned until the command is freed.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/virtio_config.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_verbs.h>

#include <hyv/provider.h>

#include "command/cmd.h"
#include "dev.h"
#include "memory/mem.h"

#define VHYV_LAYOUT(NAME, name_, req, req_min_, rsp, rsp_min_, ...)	\
	[VHYV_CMD_##NAME] = {						\
		.name = #NAME,						\
		.opcode = HYV_CMD_##NAME,				\
		.req_len = sizeof(struct req),				\
		.rsp_len = sizeof(struct rsp),				\
		.rsp_min = rsp_min_,					\
	},

static const struct vhyv_cmd_layout vhyv_layouts[] = {
	HYV_FOR_EACH_COMMAND(VHYV_LAYOUT)
};

#undef VHYV_LAYOUT

static_assert(ARRAY_SIZE(vhyv_layouts) == VHYV_NR_CMDS);

/* Shortest and longest time between two attempts to execute a command. */
#define VHYV_RETRY_MIN_MS	10U
#define VHYV_RETRY_MAX_MS	1000U

static const struct hyv_udata_addr vhyv_udata_addrs[] = {
	HYV_FOR_EACH_UDATA_ADDR(HYV_UDATA_ADDR)
};

/* Errno values differ between architectures, those of the protocol do not. */
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

static bool vhyv_udata_has(const struct vhyv_dev *hdev, u16 opcode,
			   size_t udata_len, const struct hyv_udata_addr *where)
{
	return where->driver_id == hdev->driver_id &&
	       where->opcode == opcode &&
	       where->offset + sizeof(u64) <= udata_len;
}

/* Maximum length of the list of one buffer, at any offset in its page. */
static size_t vhyv_udata_list_max(const struct hyv_udata_addr *where)
{
	size_t pages = DIV_ROUND_UP(where->length, PAGE_SIZE) + 1;

	return sizeof(struct hyv_chunk_list) +
	       pages * sizeof(struct hyv_chunk);
}

/* Maximum length of the chunk lists of provider data. */
static size_t vhyv_udata_lists_max(const struct vhyv_dev *hdev, u16 opcode,
				   size_t udata_len)
{
	size_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++)
		if (vhyv_udata_has(hdev, opcode, udata_len, &vhyv_udata_addrs[i]))
			len += vhyv_udata_list_max(&vhyv_udata_addrs[i]);
	return len;
}

/* Pin the memory at @addr and describe it. Returns the length of the list. */
static ssize_t vhyv_udata_list_add(struct vhyv_cmd *cmd,
				   struct hyv_chunk_list *list, u64 addr,
				   const struct hyv_udata_addr *where)
{
	struct vhyv_mem *mem;
	ssize_t len;

	/* The HCA's driver may write there, and usually does. */
	mem = vhyv_mem_pin(&cmd->hdev->ibdev, addr, where->length,
			   IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	mem->next = cmd->udata_mem;
	cmd->udata_mem = mem;

	len = vhyv_mem_list_prepare(mem, vhyv_udata_list_max(where), false);
	if (len < 0)
		return len;
	vhyv_mem_list_write(mem, list);
	list->slot = cpu_to_le16(where->slot);
	return len;
}

/*
 * Add the memory that provider data points to, as lists from @pos on, where
 * vhyv_udata_lists_max() bytes are left. An address of 0 means no memory.
 * Returns the end of the last list, or an ERR_PTR.
 */
static void *vhyv_udata_lists_add(struct vhyv_cmd *cmd, void *pos)
{
	struct hyv_req *hdr = cmd->req;
	void *udata = cmd->req + cmd->layout->req_len;
	size_t udata_len = le32_to_cpu(hdr->udata_len);
	const struct hyv_udata_addr *where;
	ssize_t len;
	size_t i;
	u64 addr;

	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++) {
		where = &vhyv_udata_addrs[i];
		if (!vhyv_udata_has(cmd->hdev, cmd->layout->opcode,
				    udata_len, where))
			continue;
		memcpy(&addr, udata + where->offset, sizeof(addr));
		if (!addr)
			continue;
		len = vhyv_udata_list_add(cmd, pos, addr, where);
		if (len < 0)
			return ERR_PTR(len);
		le16_add_cpu(&hdr->nr_lists, 1);
		pos += len;
	}
	return pos;
}

/* Return the start of a command's own chunk list. */
void *vhyv_cmd_lists(struct vhyv_cmd *cmd)
{
	const struct hyv_req *hdr = cmd->req;

	return cmd->req + ALIGN(cmd->layout->req_len +
				le32_to_cpu(hdr->udata_len), 8);
}

/**
 * vhyv_cmd_build() - allocate a command, fill in its header and provider data
 * @hdev: device
 * @id: command
 * @udata: provider data, or NULL
 * @lists_len: length of the command's own chunk list, or 0; the lists of the
 *	provider data are added after it
 * @gfp: GFP_KERNEL, and more flags if needed
 *
 * Return: the command, or an ERR_PTR.
 */
struct vhyv_cmd *vhyv_cmd_build(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				struct ib_udata *udata, u32 lists_len,
				gfp_t gfp)
{
	const struct vhyv_cmd_layout *layout = &vhyv_layouts[id];
	size_t udata_len = udata ? udata->inlen : 0;
	size_t udata_out_len = udata ? udata->outlen : 0;
	size_t len, udata_lists_len;
	struct vhyv_cmd *cmd;
	struct hyv_req *hdr;
	void *end;
	int ret;

	if (udata_len > HYV_MAX_UDATA)
		return ERR_PTR(-EINVAL);
	udata_out_len = min_t(size_t, udata_out_len, HYV_MAX_UDATA);

	len = layout->req_len + udata_len;
	udata_lists_len = vhyv_udata_lists_max(hdev, layout->opcode, udata_len);
	if (lists_len || udata_lists_len)
		len = ALIGN(len, 8) + lists_len + udata_lists_len;
	if (len > hdev->max_request)
		return ERR_PTR(-E2BIG);

	cmd = vhyv_cmd_alloc(hdev, layout, len, layout->rsp_len + udata_out_len,
			     gfp);
	if (IS_ERR(cmd))
		return cmd;

	hdr = cmd->req;
	hdr->opcode = cpu_to_le16(layout->opcode);
	hdr->nr_lists = cpu_to_le16(lists_len ? 1 : 0);
	hdr->size = cpu_to_le32(len);
	hdr->fixed_len = cpu_to_le16(layout->req_len);
	hdr->udata_len = cpu_to_le32(udata_len);
	hdr->udata_out_len = cpu_to_le32(udata_out_len);
	if (udata_len &&
	    ib_copy_from_udata(cmd->req + layout->req_len, udata, udata_len)) {
		ret = -EFAULT;
		goto err_free;
	}

	if (udata_lists_len) {
		end = vhyv_udata_lists_add(cmd, vhyv_cmd_lists(cmd) + lists_len);
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

/**
 * vhyv_cmd_new_mem() - build a command that describes memory
 * @hdev: device
 * @id: command
 * @mem: memory, owned by the command on success; or NULL
 * @udata: provider data
 *
 * Return: the command, or an ERR_PTR.
 */
struct vhyv_cmd *vhyv_cmd_new_mem(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				  struct vhyv_mem *mem, struct ib_udata *udata)
{
	const struct vhyv_cmd_layout *layout = &vhyv_layouts[id];
	bool indirect = virtio_has_feature(hdev->vdev, HYV_F_INDIRECT_CHUNKS);
	size_t used, room;
	struct vhyv_cmd *cmd;
	ssize_t len;

	if (!mem)
		return vhyv_cmd_new(hdev, id, udata);

	used = ALIGN(layout->req_len + udata->inlen, 8) +
	       vhyv_udata_lists_max(hdev, layout->opcode, udata->inlen);
	room = used < hdev->max_request ? hdev->max_request - used : 0;
	len = vhyv_mem_list_prepare(mem, room, indirect);
	if (len < 0)
		return ERR_PTR(len);

	cmd = vhyv_cmd_build(hdev, id, udata, len, GFP_KERNEL);
	if (IS_ERR(cmd))
		return cmd;
	vhyv_mem_list_write(mem, vhyv_cmd_lists(cmd));
	cmd->mem = mem;
	return cmd;
}

/*
 * The host violates the protocol. It may have created an object whose handle is
 * unknown here, so only a reset helps.
 */
static int vhyv_cmd_malformed(struct vhyv_cmd *cmd)
{
	dev_err_ratelimited(&cmd->hdev->vdev->dev, "malformed reply to %s\n",
			    cmd->layout->name);
	vhyv_dev_fail(cmd->hdev, "host violates the protocol");
	vhyv_cmdq_wait_drained(cmd->hdev);
	return -EIO;
}

/**
 * vhyv_cmd_reply() - check a reply and copy its fixed part
 * @cmd: executed command
 * @rsp: buffer for the fixed part, or NULL
 * @len: size of @rsp; what an older host has not sent is zeroed
 *
 * Return: 0, the host's status as a negative errno, or -EIO.
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
		vhyv_dbg(cmd->hdev, "host refused %s: %pe (status %u)\n",
			 cmd->layout->name, ERR_PTR(ret),
			 le32_to_cpu(hdr->status));
		return ret;
	}

	size = le32_to_cpu(hdr->size);
	fixed_len = le16_to_cpu(hdr->fixed_len);
	udata_len = le32_to_cpu(hdr->udata_len);
	if (size > cmd->rsp_len || fixed_len < cmd->layout->rsp_min ||
	    fixed_len > size || udata_len > size - fixed_len)
		return vhyv_cmd_malformed(cmd);
	if (rsp) {
		len_sent = min_t(size_t, fixed_len, len);
		memcpy(rsp, cmd->rsp, len_sent);
		memset(rsp + len_sent, 0, len - len_sent);
	}
	return 0;
}

/* Copy the provider data of a reply, checked before, to user space. */
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
 * vhyv_cmd_exec_retry() - execute a command that must not fail
 * @cmd: command
 * @status: receives the host's status as a negative errno
 *
 * The host may lack the memory to execute even a DESTROY, but not forever.
 * Cannot be interrupted.
 *
 * Return: 0, with @cmd owned by the caller; or -EIO if the device has failed,
 * with @cmd freed.
 */
int vhyv_cmd_exec_retry(struct vhyv_cmd *cmd, int *status)
{
	unsigned int ms = VHYV_RETRY_MIN_MS;
	int ret;

	for (;;) {
		ret = vhyv_cmdq_exec(cmd, false);
		if (ret)
			return ret;
		*status = vhyv_cmd_reply(cmd, NULL, 0);
		if (*status != -ENOMEM && *status != -EAGAIN)
			return 0;
		msleep(ms);
		if (ms < VHYV_RETRY_MAX_MS && 2 * ms >= VHYV_RETRY_MAX_MS)
			dev_warn_ratelimited(&cmd->hdev->vdev->dev,
					     "host lacks memory for %s; trying again\n",
					     cmd->layout->name);
		ms = min(2 * ms, VHYV_RETRY_MAX_MS);
		vhyv_cmd_reuse(cmd);
	}
}

/**
 * vhyv_cmd_run() - execute and free a command that creates no object
 * @cmd: command; with @orphans set if it changes an object, so that it has
 *	ended before the handle is reused
 * @killable: see vhyv_cmdq_exec()
 * @rsp: buffer for the fixed part of the reply, of layout.rsp_len; or NULL
 * @udata: provider data, takes that of the reply; or NULL
 *
 * Return: as all functions that send a command.
 */
int vhyv_cmd_run(struct vhyv_cmd *cmd, bool killable, void *rsp,
		 struct ib_udata *udata)
{
	int ret;

	ret = vhyv_cmdq_exec(cmd, killable);
	if (ret)
		return ret;
	ret = vhyv_cmd_reply(cmd, rsp, cmd->layout->rsp_len);
	if (!ret)
		ret = vhyv_cmd_reply_udata(cmd, udata);
	vhyv_cmd_free(cmd);
	return ret;
}
