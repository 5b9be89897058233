// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues of CQs, QPs and SRQs in kernel memory: what they cost, and where the
 * guest may map them.
 */
#include <linux/err.h>
#include <hyv/provider.h>

#include "hca/hca.h"
#include "hca/udata_region.h"
#include "memory/charge.h"
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

/* @queues are of a new object of @context. Takes over @charge. */
void hyvh_queues_init(struct hyvh_queues *queues, struct hyvh_context *context,
		      struct hyvh_charge *charge)
{
	queues->context = context;
	queues->charge = charge;
	hyvh_mmap_regions_init(queues->regions);
}

/* The queues are gone. Mappings of them keep the charge. */
void hyvh_queues_free(struct hyvh_queues *queues)
{
	hyvh_mmap_table_set(&queues->context->regions, queues->regions, NULL, 0,
			    NULL);
	hyvh_charge_put(queues->charge);
	queues->charge = NULL;
}

/* The driver has replaced the queues. Takes over @charge of the new ones. */
void hyvh_queues_replace(struct hyvh_queues *queues, struct hyvh_charge *charge)
{
	hyvh_queues_free(queues);
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
