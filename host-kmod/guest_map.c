// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory that a chunk list describes, as one range of the VMM's addresses.
 */
#include "chunk.h"
#include "guest_map.h"
#include "stitch_plan.h"
#include "vnic.h"

/**
 * hyv_guest_map() - make one range of scattered guest memory
 * @vnic: the vNIC
 * @list: of a request
 * @max_chunks: most chunks to accept
 * @stitch: filled in; undo with hyv_stitch_unmap()
 *
 * Context: Process context in the VMM's address space. May sleep.
 * Return: 0; -EFAULT if it is not all guest memory; -EINVAL if the list breaks
 * a rule; or another negative errno.
 */
int hyv_guest_map(struct hyv_vnic *vnic, const struct hyv_list_view *list,
		  u32 max_chunks, struct hyv_stitch *stitch)
{
	struct hyv_stitch_plan plan;
	struct hyv_guest_mem *mem;
	struct hyv_chunks chunks;
	int ret;

	mem = hyv_vnic_get_mem(vnic);
	if (!mem)
		return -EFAULT;
	/*
	 * What describes a range takes memory for a while. No honest guest has
	 * a buffer larger than its memory, but a list of chunks can name the
	 * same page for ever.
	 */
	ret = -EFAULT;
	if (list->length > hyv_memmap_bytes(mem->map))
		goto out_mem;
	ret = hyv_chunks_load(&chunks, list, max_chunks, hyv_guest_read, mem);
	if (ret)
		goto out_mem;
	ret = hyv_stitch_plan_make(&plan, mem->map, &chunks,
				   HYV_STITCH_MAX_VMAS);
	if (ret)
		goto out_chunks;
	ret = hyv_stitch_map(stitch, &plan);
	hyv_stitch_plan_release(&plan);
out_chunks:
	hyv_chunks_release(&chunks);
out_mem:
	hyv_guest_mem_put(mem);
	return ret;
}
