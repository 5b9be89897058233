// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of guest memory in a provider's private data.
 *
 * What the guest's process has put there is an address of its own. The HCA's
 * driver would take it for one of the VMM, so that every such field has to be
 * known and replaced: hyv/provider.h lists them.
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "command/dispatch.h"
#include "memory/guest_map.h"
#include "hca/udata_fixup.h"
#include "hca/uctx.h"
#include "verbs/verbs.h"

static const struct hyv_udata_addr hyvh_udata_addrs[] = { HYV_UDATA_ADDRS };

static const struct hyvh_list_view *hyvh_udata_list(const struct hyvh_call *call,
						    u16 slot)
{
	u16 i;

	for (i = 0; i < call->nr_lists; i++)
		if (call->lists[i].slot == slot)
			return &call->lists[i];
	return NULL;
}

/* Put one field's memory in place; 1 if it has used a list. */
static int hyvh_udata_map_field(struct hyvh_request *r,
				const struct hyvh_call *call,
				const struct hyv_udata_addr *field,
				struct hyvh_stitch *stitch)
{
	const struct hyvh_list_view *list = hyvh_udata_list(call, field->slot);
	void __user *at = r->scratch + HYVH_SCRATCH_UDATA_IN + field->offset;
	u64 addr;
	int ret;

	/* Data which ends before the field has no address. */
	if (call->udata_in_len < field->offset + sizeof(addr)) {
		if (call->udata_in_len > field->offset)
			return -EINVAL;
		return 0;
	}
	memcpy(&addr, call->udata_in + field->offset, sizeof(addr));
	if (!addr)
		return 0;
	if (!list || list->addr != addr || list->length != field->length)
		return -EINVAL;
	ret = hyvh_guest_map(r->vnic, list, (field->length >> PAGE_SHIFT) + 2,
			     stitch);
	if (ret)
		return ret;
	if (put_user(stitch->addr, (u64 __user *)at)) {
		hyvh_stitch_unmap(stitch);
		return -EFAULT;
	}
	return 1;
}

/**
 * hyvh_udata_map() - let a request's private data name memory of the VMM
 * @r: the request's context
 * @call: the request, after hyvh_udata_begin()
 * @mem: filled in; undo with hyvh_udata_unmap() when the driver has returned
 *
 * Replaces every address in the copy of the private data that the driver is
 * going to read, by one at which the VMM has the same memory of the guest.
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0; -EINVAL if an address comes without its memory, or a list without
 * an address; -EFAULT if it is not guest memory; or another negative errno.
 */
int hyvh_udata_map(struct hyvh_request *r, const struct hyvh_call *call,
		   struct hyvh_udata_mem *mem)
{
	const struct hyv_udata_addr *field;
	int i, ret;

	mem->nr = 0;
	for (i = 0; i < ARRAY_SIZE(hyvh_udata_addrs); i++) {
		field = &hyvh_udata_addrs[i];
		if (field->driver_id != r->ibdev->ops.driver_id ||
		    field->opcode != call->op->opcode)
			continue;
		ret = hyvh_udata_map_field(r, call, field,
					   &mem->stitch[mem->nr]);
		if (ret < 0)
			goto err_unmap;
		mem->nr += ret;
	}
	ret = -EINVAL;
	if (mem->nr != call->nr_lists)
		goto err_unmap;
	return 0;

err_unmap:
	hyvh_udata_unmap(mem);
	return ret;
}

/**
 * hyvh_udata_unmap() - undo hyvh_udata_map()
 * @mem: as filled in
 *
 * Context: As hyvh_udata_map().
 */
void hyvh_udata_unmap(struct hyvh_udata_mem *mem)
{
	while (mem->nr)
		hyvh_stitch_unmap(&mem->stitch[--mem->nr]);
}
