// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of guest memory in provider data.
 *
 * The HCA's driver would take an address in the guest's process for one in the
 * VMM. So each field that contains an address must be known and replaced:
 * hyv/provider.h lists them.
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "command/dispatch.h"
#include "hca/uctx.h"
#include "hca/udata_fixup.h"

static const struct hyv_udata_addr hyvh_udata_addrs[] = {
	HYV_FOR_EACH_UDATA_ADDR(HYV_UDATA_ADDR)
};

static const struct hyvh_list_view *hyvh_udata_list(const struct hyvh_cmd *cmd,
						    u16 slot)
{
	u16 i;

	for (i = 0; i < cmd->nr_lists; i++)
		if (cmd->lists[i].slot == slot)
			return &cmd->lists[i];
	return NULL;
}

/* Stitch the memory of a field. Returns the number of lists used or an errno. */
static int hyvh_udata_map_field(struct hyvh_stitch *stitch,
				struct hyvh_guest_mem *mem,
				const struct hyvh_cmd *cmd,
				const struct hyv_udata_addr *field)
{
	const struct hyvh_list_view *list = hyvh_udata_list(cmd, field->slot);
	void __user *at = cmd->scratch + HYVH_SCRATCH_UDATA_IN + field->offset;
	u64 addr;
	int ret;

	/* Provider data that ends before the field has no address. */
	if (cmd->udata_in_len <= field->offset)
		return 0;
	if (cmd->udata_in_len < field->offset + sizeof(addr))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "provider data ends inside an address");
	memcpy(&addr, cmd->udata_in + field->offset, sizeof(addr));
	if (!addr)
		return 0;
	if (!list || list->addr != addr || list->length != field->length)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "no chunk list for an address in provider data");
	ret = hyvh_stitch_guest(stitch, mem, list,
				(field->length >> PAGE_SHIFT) + 2);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "cannot stitch guest memory");
	if (put_user(stitch->addr, (u64 __user *)at)) {
		hyvh_stitch_unmap(stitch);
		return -EFAULT;
	}
	return 1;
}

/**
 * hyvh_udata_map() - replace the addresses in a request's provider data
 * @udata_mem: filled in; to be undone with hyvh_udata_unmap() when the driver
 *	has returned
 * @guest_mem: guest memory
 * @cmd: the request, after hyvh_udata_in()
 *
 * Changes only the copy in scratch memory, which the driver reads.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EINVAL if an address has no chunk list, or a list no address;
 * -EFAULT if a list is not guest memory; or another negative errno.
 */
int hyvh_udata_map(struct hyvh_udata_mem *udata_mem,
		   struct hyvh_guest_mem *guest_mem,
		   const struct hyvh_cmd *cmd)
{
	const struct hyv_udata_addr *field;
	int i, ret;

	static_assert(ARRAY_SIZE(hyvh_udata_addrs) <=
		      ARRAY_SIZE(udata_mem->buffer));

	udata_mem->nr = 0;
	for (i = 0; i < ARRAY_SIZE(hyvh_udata_addrs); i++) {
		field = &hyvh_udata_addrs[i];
		if (field->driver_id != cmd->ibdev->ops.driver_id ||
		    field->opcode != cmd->op->opcode)
			continue;
		udata_mem->buffer[udata_mem->nr].field = field;
		ret = hyvh_udata_map_field(&udata_mem->buffer[udata_mem->nr]
						    .stitch,
					   guest_mem, cmd, field);
		if (ret < 0)
			goto err_unmap;
		udata_mem->nr += ret;
	}
	if (udata_mem->nr != cmd->nr_lists) {
		ret = hyvh_cmd_refuse(cmd, -EINVAL,
				      "chunk list without an address");
		goto err_unmap;
	}
	return 0;

err_unmap:
	hyvh_udata_unmap(udata_mem);
	return ret;
}

/*
 * Read what the driver has written to the buffer of @slot. The guest can change
 * it at any time. @to has room for HYVH_MAX_UDATA_BUFFER bytes. Returns how many
 * were read, 0 if there is no such buffer.
 */
u32 hyvh_udata_read(const struct hyvh_udata_mem *udata_mem, u16 slot, void *to)
{
	const struct hyv_udata_addr *field;
	u32 i;

	for (i = 0; i < udata_mem->nr; i++) {
		field = udata_mem->buffer[i].field;
		if (field->slot != slot ||
		    field->length > HYVH_MAX_UDATA_BUFFER ||
		    copy_from_user(to, (void __user *)
				   udata_mem->buffer[i].stitch.addr,
				   field->length))
			continue;
		return field->length;
	}
	return 0;
}

void hyvh_udata_unmap(struct hyvh_udata_mem *udata_mem)
{
	while (udata_mem->nr)
		hyvh_stitch_unmap(&udata_mem->buffer[--udata_mem->nr].stitch);
}
