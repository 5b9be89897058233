// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues of CQs, QPs and SRQs: what they cost; in kernel memory, where the guest may
 * map them; in guest memory, what is pinned.
 */
#include <linux/err.h>
#include <linux/string.h>
#include <hyv/provider.h>

#include "hca/hca.h"
#include "hca/udata_fixup.h"
#include "hca/udata_region.h"
#include "memory/charge.h"
#include "memory/record.h"
#include "verbs/verbs.h"
#include "vnic.h"

/*
 * Charge the memory of new queues. Returns NULL if the HCA's driver allocates
 * none, or ERR_PTR() of -EDQUOT or -ENOMEM.
 */
struct hyvh_charge *hyvh_queues_charge(struct hyvh_cmd *cmd, u64 bytes)
{
	struct hyvh_charge *charge;

	if (!cmd->driver->kernel_queues)
		return NULL;
	charge = hyvh_charge_new(&cmd->vnic->quota[HYV_NL_QUOTA_QUEUE_BYTES], bytes);
	if (charge == ERR_PTR(-EDQUOT))
		hyvh_cmd_refuse(cmd, -EDQUOT, "no quota for %llu bytes", bytes);
	return charge;
}

/* As MRs: ib_core and the driver describe each page that they pin. */
static int hyvh_pins_charge(struct hyvh_pins *pins, struct hyvh_cmd *cmd)
{
	return hyvh_cmd_charge_pins(cmd, pins->nr, pins->bytes,
				    hyvh_mr_page_bytes(pins->bytes));
}

/**
 * hyvh_pins_get() - let the HCA's driver find guest memory of queues
 * @pins: set to what the object will have pinned, for hyvh_pins_put()
 * @cmd: the request, after hyvh_udata_in()
 * @context: context of the object
 * @size: sizes in the fixed part of the request
 * @mem: filled in, for hyvh_udata_unmap() when the driver has returned
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; or, with nothing to undo, -EINVAL, -EDQUOT or another negative errno.
 */
int hyvh_pins_get(struct hyvh_pins *pins, struct hyvh_cmd *cmd,
		  struct hyvh_context *context,
		  const struct hyv_queue_size *size,
		  struct hyvh_udata_mem *mem)
{
	struct hyvh_udata_target target = {
		.guest_mem = &cmd->vnic->mem,
		.records = &cmd->vnic->records,
		.owner = context,
	};
	int ret;

	memset(pins, 0, sizeof(*pins));
	ret = hyvh_udata_find(mem, cmd, size, &pins->bytes, &pins->nr) ?:
	      hyvh_cmd_check_memlock(cmd, pins->bytes) ?:
	      hyvh_pins_charge(pins, cmd);
	if (ret)
		goto err;
	ret = hyvh_udata_map(mem, cmd, &target);
	if (ret)
		goto err_uncharge;
	pins->record = target.record;
	return 0;

err_uncharge:
	hyvh_pins_put(pins, cmd->vnic);
err:
	memset(pins, 0, sizeof(*pins));
	return ret;
}

/* The driver has unpinned the memory. */
void hyvh_pins_put(struct hyvh_pins *pins, struct hyvh_vnic *vnic)
{
	hyvh_record_put(&vnic->records, pins->record);
	hyvh_uncharge_pins(vnic, pins->nr, pins->bytes,
			   hyvh_mr_page_bytes(pins->bytes));
	memset(pins, 0, sizeof(*pins));
}

/* @queues are of a new object of @context. Takes over @charge. */
void hyvh_queues_init(struct hyvh_queues *queues, struct hyvh_vnic *vnic,
		      struct hyvh_context *context,
		      struct hyvh_charge *charge)
{
	queues->vnic = vnic;
	queues->context = context;
	queues->charge = charge;
	hyvh_mmap_regions_init(queues->regions);
}

static void hyvh_queues_drop(struct hyvh_queues *queues)
{
	hyvh_mmap_table_set(&queues->context->regions, queues->regions, NULL, 0,
			    NULL);
	hyvh_charge_put(queues->charge);
	queues->charge = NULL;
}

/* The queues are gone. Mappings of them keep the charge. */
void hyvh_queues_free(struct hyvh_queues *queues)
{
	hyvh_queues_drop(queues);
	hyvh_pins_put(&queues->pins, queues->vnic);
}

/* The driver has replaced the queues. Takes over @charge of the new ones. */
void hyvh_queues_replace(struct hyvh_queues *queues, struct hyvh_charge *charge)
{
	hyvh_queues_drop(queues);
	queues->charge = charge;
}

/**
 * hyvh_queues_regions() - note where the guest may map queues
 * @queues: the queues; the caller prevents other changes of them
 * @cmd: the command that has made the queues
 * @source: HYV_UDATA_REPLY, or the slot of a buffer
 * @data: what the driver has written there
 * @len: bytes of @data
 *
 * If the VMM or the guest has made @data contradictory, nothing is noted.
 */
void hyvh_queues_regions(struct hyvh_queues *queues, struct hyvh_cmd *cmd,
			 u16 source, const void *data, u32 len)
{
	struct hyvh_mmap_range ranges[HYVH_MAX_REGIONS];
	unsigned int nr;
	int ret;

	nr = hyvh_udata_regions(cmd->driver->driver_id, cmd->op->opcode, source,
				data, len, ranges);
	ret = hyvh_mmap_table_set(&queues->context->regions, queues->regions,
				  ranges, nr, queues->charge);
	if (ret)
		hyvh_cmd_refuse(cmd, ret, "mmap offsets have been changed");
}

/* The same for the provider data of the reply. */
void hyvh_queues_reply(struct hyvh_queues *queues, struct hyvh_cmd *cmd)
{
	hyvh_queues_regions(queues, cmd, HYV_UDATA_REPLY, cmd->udata_out,
			    cmd->udata_out_len);
}
