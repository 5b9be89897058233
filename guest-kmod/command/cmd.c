// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building requests and reading replies.
 *
 * Where provider data contains an address of user memory, the request carries
 * that memory as a chunk list. It stays pinned until the command is freed, or the
 * object that uses it is gone.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
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

/* Room in a request for a list that is written elsewhere, or describes little. */
#define VHYV_LIST_MIN	(sizeof(struct hyv_chunk_list) +		\
			 2 * sizeof(struct hyv_chunk))

/* A command that is being built. */
struct vhyv_build {
	struct vhyv_dev *hdev;
	const struct vhyv_cmd_layout *layout;
	const struct hyv_queue_size *size;
	void *udata;		/* a copy, as the process can change it */
	size_t udata_len;
	size_t len;		/* of the request so far */
	unsigned int nr_lists;
	/* As in struct vhyv_cmd; without the command's own memory. */
	struct vhyv_mem *mem;
	struct vhyv_mem *udata_mem;
};

/* Build the list of @mem, with @keep bytes of the request left for others. */
static int vhyv_build_list(struct vhyv_build *build, struct vhyv_mem *mem,
			   size_t keep)
{
	struct vhyv_dev *hdev = build->hdev;
	bool indirect = virtio_has_feature(hdev->vdev, HYV_F_INDIRECT_CHUNKS);
	size_t used = build->len + keep;
	ssize_t len;

	len = vhyv_mem_list_prepare(mem, used < hdev->max_request ?
				    hdev->max_request - used : 0, indirect);
	if (len < 0)
		return len;
	build->len += len;
	build->nr_lists++;
	return 0;
}

/* Pin the memory that @where points to. Its address may be one that means none. */
static int vhyv_build_pin(struct vhyv_build *build,
			  const struct hyv_udata_addr *where, size_t keep)
{
	struct hyv_udata_range range;
	struct vhyv_mem *mem;
	int ret;

	ret = hyv_udata_find(where, build->size, build->udata, build->udata_len,
			     build->hdev->host_page_size, &range);
	if (ret <= 0)
		return ret ? -EINVAL : 0;
	/* The HCA's driver may write there, and usually does. */
	mem = vhyv_mem_pin(&build->hdev->ibdev, range.addr, range.length,
			   IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	mem->slot = where->slot;
	vhyv_mem_add(where->life == HYV_LIFE_OBJECT ? &build->mem :
						      &build->udata_mem, mem);
	return vhyv_build_list(build, mem, keep);
}

static bool vhyv_udata_has(const struct vhyv_build *build,
			   const struct hyv_udata_addr *where)
{
	return where->driver_id == build->hdev->driver_id &&
	       where->opcode == build->layout->opcode;
}

/* Pin all memory that the provider data points to. */
static int vhyv_build_udata(struct vhyv_build *build)
{
	size_t i, keep = 0;
	int ret;

	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++)
		if (vhyv_udata_has(build, &vhyv_udata_addrs[i]))
			keep += VHYV_LIST_MIN;
	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++) {
		if (!vhyv_udata_has(build, &vhyv_udata_addrs[i]))
			continue;
		keep -= VHYV_LIST_MIN;
		ret = vhyv_build_pin(build, &vhyv_udata_addrs[i], keep);
		if (ret)
			return ret;
	}
	return 0;
}

static void *vhyv_write_lists(const struct vhyv_mem *mem, void *pos)
{
	for (; mem; mem = mem->next) {
		vhyv_mem_list_write(mem, pos);
		pos += sizeof(struct hyv_chunk_list) +
		       mem->nr_entries * sizeof(struct hyv_chunk);
	}
	return pos;
}

static struct vhyv_cmd *vhyv_build_cmd(struct vhyv_build *build,
				       struct vhyv_mem *own,
				       size_t udata_out_len, gfp_t gfp)
{
	const struct vhyv_cmd_layout *layout = build->layout;
	struct vhyv_cmd *cmd;
	struct hyv_req *hdr;
	void *pos;

	cmd = vhyv_cmd_alloc(build->hdev, layout, build->len,
			     layout->rsp_len + udata_out_len, gfp);
	if (IS_ERR(cmd))
		return cmd;
	hdr = cmd->req;
	hdr->opcode = cpu_to_le16(layout->opcode);
	hdr->nr_lists = cpu_to_le16(build->nr_lists);
	hdr->size = cpu_to_le32(build->len);
	hdr->fixed_len = cpu_to_le16(layout->req_len);
	hdr->udata_len = cpu_to_le32(build->udata_len);
	hdr->udata_out_len = cpu_to_le32(udata_out_len);
	if (build->udata_len)
		memcpy(cmd->req + layout->req_len, build->udata,
		       build->udata_len);
	pos = cmd->req + ALIGN(layout->req_len + build->udata_len, 8);
	pos = vhyv_write_lists(own, pos);
	pos = vhyv_write_lists(build->mem, pos);
	vhyv_write_lists(build->udata_mem, pos);
	vhyv_mem_add(&build->mem, own);
	cmd->mem = build->mem;
	cmd->udata_mem = build->udata_mem;
	return cmd;
}

/**
 * vhyv_cmd_build() - allocate a command, fill in its header and provider data
 * @hdev: device
 * @id: command
 * @udata: provider data, or NULL
 * @own: memory that the command describes in addition to that of the provider data,
 *	owned by the command on success; or NULL
 * @size: sizes of queues, for commands whose provider data may point to them
 * @gfp: GFP_KERNEL, and more flags if needed
 *
 * Return: the command, or an ERR_PTR.
 */
struct vhyv_cmd *vhyv_cmd_build(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				struct ib_udata *udata, struct vhyv_mem *own,
				const struct hyv_queue_size *size, gfp_t gfp)
{
	const struct vhyv_cmd_layout *layout = &vhyv_layouts[id];
	struct vhyv_build build = {
		.hdev = hdev,
		.layout = layout,
		.size = size,
		.udata_len = udata ? udata->inlen : 0,
	};
	size_t udata_out_len = udata ? udata->outlen : 0;
	struct vhyv_cmd *cmd;
	int ret = 0;

	if (build.udata_len > HYV_MAX_UDATA)
		return ERR_PTR(-EINVAL);
	udata_out_len = min_t(size_t, udata_out_len, HYV_MAX_UDATA);
	if (build.udata_len) {
		build.udata = kmalloc(build.udata_len, gfp);
		if (!build.udata)
			return ERR_PTR(-ENOMEM);
		if (ib_copy_from_udata(build.udata, udata, build.udata_len)) {
			ret = -EFAULT;
			goto err_free;
		}
	}
	build.len = layout->req_len + build.udata_len;
	if (own || size)
		build.len = ALIGN(build.len, 8);
	if (own)
		ret = vhyv_build_list(&build, own, 0);
	if (!ret && size)
		ret = vhyv_build_udata(&build);
	if (!ret && build.len > hdev->max_request)
		ret = -E2BIG;
	if (ret)
		goto err_free;
	cmd = vhyv_build_cmd(&build, own, udata_out_len, gfp);
	if (IS_ERR(cmd)) {
		ret = PTR_ERR(cmd);
		goto err_free;
	}
	kfree(build.udata);
	return cmd;

err_free:
	vhyv_mem_free(build.mem);
	vhyv_mem_free(build.udata_mem);
	kfree(build.udata);
	return ERR_PTR(ret);
}

/**
 * vhyv_cmd_new_area() - build a command that describes memory of this driver
 * @hdev: device
 * @id: command without provider data
 * @area: physically contiguous memory
 * @size: bytes of @area
 *
 * Return: the command, or an ERR_PTR.
 */
struct vhyv_cmd *vhyv_cmd_new_area(struct vhyv_dev *hdev, enum vhyv_cmd_id id,
				   void *area, size_t size)
{
	const struct vhyv_cmd_layout *layout = &vhyv_layouts[id];
	struct hyv_chunk_list *list;
	struct vhyv_build build = {
		.hdev = hdev,
		.layout = layout,
		.len = layout->req_len + struct_size(list, entry, 1),
		.nr_lists = 1,
	};
	struct vhyv_cmd *cmd;

	cmd = vhyv_build_cmd(&build, NULL, 0, GFP_KERNEL);
	if (IS_ERR(cmd))
		return cmd;
	list = cmd->req + layout->req_len;
	list->nr_chunks = cpu_to_le32(1);
	list->nr_entries = cpu_to_le32(1);
	list->length = cpu_to_le64(size);
	list->entry[0].addr = cpu_to_le64(virt_to_phys(area));
	list->entry[0].len = cpu_to_le64(size);
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
