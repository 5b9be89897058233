// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of guest memory in provider data.
 *
 * The HCA's driver would take an address in the guest's process for one in the
 * VMM. So each field that contains an address must be known and replaced:
 * hyv/provider.h lists them.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_verbs.h>
#include <hyv/provider.h>
#include <hyv/wire.h>

#include "command/dispatch.h"
#include "hca/uctx.h"
#include "hca/udata_fixup.h"
#include "memory/record.h"

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

/* Find the chunk list of a field. Returns 1, 0 if there is no memory, or an errno. */
static int hyvh_udata_find_field(const struct hyvh_cmd *cmd,
				 const struct hyv_udata_addr *field,
				 const struct hyv_queue_size *size,
				 const struct hyvh_list_view **list)
{
	const struct hyvh_list_view *found;
	struct hyv_udata_range range;
	int ret;

	*list = NULL;
	ret = hyv_udata_find(field, size, cmd->udata_in, cmd->udata_in_len,
			     PAGE_SIZE, &range);
	if (!ret)
		return 0;
	if (ret < 0)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "invalid address or size in provider data");
	found = hyvh_udata_list(cmd, field->slot);
	if (!found || found->addr != range.addr ||
	    found->length != range.length ||
	    (field->rule == HYV_RULE_RECORD &&
	     found->flags & HYV_CHUNKS_INDIRECT))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "no chunk list for an address in provider data");
	*list = found;
	return 1;
}

/**
 * hyvh_udata_find() - find the memory that provider data of a request points to
 * @udata_mem: filled in, for hyvh_udata_map()
 * @cmd: the request, after hyvh_udata_in()
 * @size: sizes in the fixed part of the request
 * @pinned: set to the bytes that the object pins, in whole pages, without records
 * @nr: set to the number of their buffers
 *
 * Return: 0; or -EINVAL if an address has no chunk list of the right length, or a
 * list no address.
 */
int hyvh_udata_find(struct hyvh_udata_mem *udata_mem,
		    const struct hyvh_cmd *cmd,
		    const struct hyv_queue_size *size, u64 *pinned, u32 *nr)
{
	const struct hyvh_list_view *list;
	const struct hyv_udata_addr *field;
	u32 i, lists = 0;
	int ret;

	udata_mem->nr = 0;
	*pinned = 0;
	*nr = 0;
	for (i = 0; i < ARRAY_SIZE(hyvh_udata_addrs); i++) {
		field = &hyvh_udata_addrs[i];
		if (field->driver_id != cmd->ibdev->ops.driver_id ||
		    field->opcode != cmd->op->opcode)
			continue;
		if (WARN_ON_ONCE(udata_mem->nr == HYV_MAX_LISTS))
			return -EINVAL;
		ret = hyvh_udata_find_field(cmd, field, size, &list);
		if (ret < 0)
			return ret;
		lists += ret;
		udata_mem->buffer[udata_mem->nr].field = field;
		udata_mem->buffer[udata_mem->nr].list = list;
		udata_mem->nr++;
		if (!list || field->life != HYV_LIFE_OBJECT ||
		    field->rule == HYV_RULE_RECORD)
			continue;
		*pinned += PAGE_ALIGN(offset_in_page(list->addr) + list->length);
		(*nr)++;
	}
	if (lists != cmd->nr_lists)
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "chunk list without an address");
	return 0;
}

/* Show the page of a record at its own address. */
static int hyvh_udata_map_record(struct hyvh_stitch *stitch,
				 const struct hyvh_list_view *list,
				 struct hyvh_udata_target *target,
				 struct hyvh_record **record)
{
	struct hyvh_records *records = target->records;
	u64 gpa = le64_to_cpu(list->entry[0].addr);
	struct hyvh_stitch_how how = { .max_chunks = 1 };
	int ret;

	*record = hyvh_record_get(records, target->owner, gpa);
	if (IS_ERR(*record)) {
		ret = PTR_ERR(*record);
		*record = NULL;
		return ret;
	}
	if (mutex_lock_killable(&(*record)->shown)) {
		ret = -EINTR;
		goto err_put;
	}
	how.file = records->file;
	how.pos = hyvh_record_offset(*record);
	how.addr = records->start + how.pos;
	ret = hyvh_stitch_guest(stitch, target->guest_mem, list, &how);
	if (ret)
		goto err_unlock;
	return 0;

err_unlock:
	mutex_unlock(&(*record)->shown);
err_put:
	hyvh_record_put(records, *record);
	*record = NULL;
	return ret;
}

static int hyvh_udata_stitch(struct hyvh_udata_mem *udata_mem, u32 i,
			     struct hyvh_udata_target *target)
{
	const struct hyvh_list_view *list = udata_mem->buffer[i].list;
	struct hyvh_stitch *stitch = &udata_mem->buffer[i].stitch;
	struct hyvh_stitch_how how = {
		.max_chunks = (list->length >> PAGE_SHIFT) + 2,
		.guard = true,
	};

	udata_mem->buffer[i].record = NULL;
	if (udata_mem->buffer[i].field->rule == HYV_RULE_RECORD)
		return hyvh_udata_map_record(stitch, list, target,
					     &udata_mem->buffer[i].record);
	return hyvh_stitch_guest(stitch, target->guest_mem, list, &how);
}

static void hyvh_udata_unmap_one(struct hyvh_udata_mem *udata_mem, u32 i)
{
	struct hyvh_record *record;

	if (!udata_mem->buffer[i].list)
		return;
	record = udata_mem->buffer[i].record;
	hyvh_stitch_unmap(&udata_mem->buffer[i].stitch);
	if (record)
		mutex_unlock(&record->shown);
}

/*
 * In the driver's copy of the provider data. The place in a page stays the same. An
 * address without memory becomes 0.
 */
static int hyvh_udata_replace(const struct hyvh_udata_mem *udata_mem, u32 i,
			      const struct hyvh_cmd *cmd)
{
	u16 offset = udata_mem->buffer[i].field->offset;
	void __user *at = cmd->scratch + HYVH_SCRATCH_UDATA_IN + offset;
	u64 addr = 0;

	if (udata_mem->buffer[i].list) {
		memcpy(&addr, cmd->udata_in + offset, sizeof(addr));
		addr = (udata_mem->buffer[i].stitch.addr & PAGE_MASK) +
		       offset_in_page(addr);
	} else if (cmd->udata_in_len < offset + sizeof(addr)) {
		return 0;
	}
	return put_user(addr, (u64 __user *)at) ? -EFAULT : 0;
}

/**
 * hyvh_udata_map() - replace the addresses in a request's provider data
 * @udata_mem: from hyvh_udata_find(); to be undone with hyvh_udata_unmap() when the
 *	driver has returned
 * @cmd: the request, after hyvh_udata_in()
 * @target: what to do with the memory
 *
 * Changes only the copy in scratch memory, which the driver reads.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EFAULT if a list is not guest memory; or another negative errno.
 */
int hyvh_udata_map(struct hyvh_udata_mem *udata_mem,
		   const struct hyvh_cmd *cmd,
		   struct hyvh_udata_target *target)
{
	u32 i, nr = udata_mem->nr;
	int ret;

	target->record = NULL;
	for (i = 0; i < nr; i++) {
		ret = 0;
		if (udata_mem->buffer[i].list)
			ret = hyvh_udata_stitch(udata_mem, i, target);
		if (ret) {
			hyvh_cmd_refuse(cmd, ret, "cannot stitch guest memory");
			goto err_unmap;
		}
		ret = hyvh_udata_replace(udata_mem, i, cmd);
		if (ret) {
			i++;
			goto err_unmap;
		}
	}
	for (i = 0; i < nr; i++)
		if (udata_mem->buffer[i].list && udata_mem->buffer[i].record)
			target->record = udata_mem->buffer[i].record;
	return 0;

err_unmap:
	while (i--) {
		hyvh_udata_unmap_one(udata_mem, i);
		if (udata_mem->buffer[i].list)
			hyvh_record_put(target->records,
					udata_mem->buffer[i].record);
	}
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
		if (field->slot != slot || !udata_mem->buffer[i].list ||
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
	u32 i;

	for (i = 0; i < udata_mem->nr; i++)
		hyvh_udata_unmap_one(udata_mem, i);
}
