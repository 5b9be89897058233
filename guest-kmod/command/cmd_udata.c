// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of user memory in provider data: the memory goes beside the request
 * as chunk lists. It is the command's, and pinned until the command is over,
 * whatever becomes of the caller.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "command/cmd_priv.h"
#include "dev.h"
#include "memory/mem.h"

static const struct hyv_udata_addr vhyv_udata_addrs[] = { HYV_UDATA_ADDRS };

static bool vhyv_udata_has(const struct vhyv_dev *hdev, u16 opcode,
			   size_t udata_len, const struct hyv_udata_addr *where)
{
	return where->driver_id == hdev->driver_id &&
	       where->opcode == opcode &&
	       where->offset + sizeof(u64) <= udata_len;
}

/* Most bytes of the list of one buffer, wherever in its page it starts. */
static size_t vhyv_udata_list_max(const struct hyv_udata_addr *where)
{
	size_t pages = DIV_ROUND_UP(where->length, PAGE_SIZE) + 1;

	return sizeof(struct hyv_chunk_list) +
	       pages * sizeof(struct hyv_chunk);
}

/**
 * vhyv_udata_lists_max() - room for the chunk lists of provider data
 * @hdev: device
 * @opcode: enum hyv_opcode
 * @udata_len: bytes of provider data
 *
 * Return: most bytes that vhyv_udata_lists_add() may need.
 */
size_t vhyv_udata_lists_max(const struct vhyv_dev *hdev, u16 opcode,
			    size_t udata_len)
{
	size_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++)
		if (vhyv_udata_has(hdev, opcode, udata_len, &vhyv_udata_addrs[i]))
			len += vhyv_udata_list_max(&vhyv_udata_addrs[i]);
	return len;
}

/* Pin the memory at @addr and describe it. Returns bytes or an error. */
static ssize_t vhyv_udata_list_add(struct vhyv_cmd *cmd,
				   struct hyv_chunk_list *list, u64 addr,
				   const struct hyv_udata_addr *where)
{
	struct vhyv_mem *mem;
	ssize_t len;

	/* The host's driver may write there, and mostly does. */
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

/**
 * vhyv_udata_lists_add() - send the memory that provider data points to
 * @cmd: complete but for these lists, with vhyv_udata_lists_max() bytes of room
 * @pos: where the first of them goes
 *
 * An address of 0 stands for no memory.
 *
 * Context: may sleep.
 * Return: where the last list ends, or an ERR_PTR.
 */
void *vhyv_udata_lists_add(struct vhyv_cmd *cmd, void *pos)
{
	struct hyv_req *hdr = cmd->req;
	void *udata = cmd->req + le16_to_cpu(hdr->fixed_len);
	u16 opcode = le16_to_cpu(hdr->opcode);
	size_t udata_len = le32_to_cpu(hdr->udata_len);
	const struct hyv_udata_addr *where;
	ssize_t len;
	size_t i;
	u64 addr;

	for (i = 0; i < ARRAY_SIZE(vhyv_udata_addrs); i++) {
		where = &vhyv_udata_addrs[i];
		if (!vhyv_udata_has(cmd->hdev, opcode, udata_len, where))
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
