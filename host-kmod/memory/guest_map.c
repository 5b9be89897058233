// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory that a chunk list describes, as one range of the VMM's addresses.
 */
#include "memory/chunk.h"
#include "memory/guest_map.h"
#include "memory/stitch_plan.h"
#include "vnic.h"

/**
 * hyvh_guest_map() - make one range of scattered guest memory
 * @vnic: the vNIC
 * @list: of a request
 * @max_chunks: most chunks to accept
 * @stitch: filled in; undo with hyvh_stitch_unmap()
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0; -EFAULT if it is not all guest memory; -EINVAL if the list breaks
 * a rule; or another negative errno.
 */
int hyvh_guest_map(struct hyvh_vnic *vnic, const struct hyvh_list_view *list,
		   u32 max_chunks, struct hyvh_stitch *stitch)
{
	struct hyvh_stitch_plan plan;
	struct hyvh_guest_mem *mem;
	struct hyvh_chunks chunks;
	int ret;

	mem = hyvh_vnic_get_mem(vnic);
	if (!mem)
		return -EFAULT;
	/*
	 * What describes a range takes memory for a while. No honest guest has
	 * a buffer larger than its memory, but a list of chunks can name the
	 * same page for ever.
	 */
	ret = -EFAULT;
	if (list->length > hyvh_memmap_bytes(mem->map))
		goto out_mem;
	ret = hyvh_chunks_load(&chunks, list, max_chunks, hyvh_guest_read, mem);
	if (ret)
		goto out_mem;
	ret = hyvh_stitch_plan_make(&plan, mem->map, &chunks,
				    HYVH_STITCH_MAX_VMAS);
	if (ret)
		goto out_chunks;
	ret = hyvh_stitch_map(stitch, &plan);
	hyvh_stitch_plan_release(&plan);
out_chunks:
	hyvh_chunks_release(&chunks);
out_mem:
	hyvh_guest_mem_put(mem);
	return ret;
}
