// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitching: mapping scattered guest memory as one range of VMM addresses, so
 * that an HCA's driver can register it like any user memory.
 *
 * The range exists only until the driver has pinned its pages. stitch_vmas.c maps
 * the pieces of the buffer again, next to each other. If that needs too many
 * mappings, stitch_pages.c inserts the pages into a single one.
 *
 * Pinning can take minutes, and a driver cannot be interrupted. So pages are
 * faulted in here first, which can be cancelled. This also lets a driver pin
 * memory under userfaultfd: a long-term pin of kernel 6.1 does not wait for it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "memory/chunk.h"
#include "memory/guest_mem.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"
#include "memory/stitch_ways.h"

/* Most pieces that are mapped one by one. */
#define HYVH_STITCH_MAX_VMAS	4096

/* Unmap the range, except its hole. */
static void hyvh_stitch_munmap(struct hyvh_stitch *stitch)
{
	const struct hyvh_stitch_vmas *vmas = &stitch->vmas;
	unsigned long start = stitch->start;
	unsigned long end = start + stitch->size + stitch->guard;

	if (vmas->hole_size) {
		if (vmas->hole > start)
			vm_munmap(start, vmas->hole - start);
		start = vmas->hole + vmas->hole_size;
	}
	if (end > start)
		vm_munmap(start, end - start);
	stitch->start = 0;
}

/* Undo what was done so far. May be repeated. */
static void hyvh_stitch_undo(struct hyvh_stitch *stitch)
{
	hyvh_stitch_pages_remove(stitch);
	if (stitch->start)
		hyvh_stitch_munmap(stitch);
	if (stitch->file)
		fput(stitch->file);
	stitch->file = NULL;
	hyvh_stitch_vmas_release(stitch);
	hyvh_stitch_pages_release(stitch);
}

static int hyvh_stitch_map_as_planned(struct hyvh_stitch *stitch,
				      const struct hyvh_stitch_plan *plan,
				      const struct hyvh_stitch_how *how)
{
	enum hyvh_stitch_way way = plan->way;
	int ret, reason = -EOPNOTSUPP;

	if (how->file)
		way = HYVH_STITCH_PAGES;
	else if (how->guard && way == HYVH_STITCH_DIRECT)
		way = HYVH_STITCH_VMAS;
	switch (way) {
	case HYVH_STITCH_DIRECT:
		ret = hyvh_stitch_check(stitch, plan, NULL);
		stitch->addr = plan->addr;
		break;
	case HYVH_STITCH_VMAS:
		ret = hyvh_stitch_vmas_map(stitch, plan);
		stitch->addr = stitch->start + plan->offset;
		/* The VMM may be close to its limit of mappings, or to ours. */
		if (ret != -ENOMEM && ret != -EDQUOT)
			break;
		hyvh_stitch_undo(stitch);
		reason = ret;
		fallthrough;
	default:
		ret = hyvh_stitch_pages_map(stitch, plan, how);
		stitch->addr = stitch->pages.at + plan->offset;
		/* Memory for which this was no way out */
		return ret == -EOPNOTSUPP ? reason : ret;
	}
	return ret ?: hyvh_stitch_prefault(stitch, stitch->addr & PAGE_MASK,
					   plan->nr_pages);
}

static int hyvh_stitch_map(struct hyvh_stitch *stitch,
			   const struct hyvh_stitch_plan *plan,
			   const struct hyvh_stitch_how *how)
{
	int ret;

	stitch->size = plan->nr_pages << PAGE_SHIFT;
	stitch->guard = how->guard ? PAGE_SIZE : 0;
	ret = hyvh_stitch_map_as_planned(stitch, plan, how);
	if (ret)
		hyvh_stitch_undo(stitch);
	return ret;
}

/* Stitch by the table of @stitch. */
static int hyvh_stitch_list(struct hyvh_stitch *stitch,
			    const struct hyvh_list_view *list,
			    const struct hyvh_stitch_how *how)
{
	const struct hyvh_mem_table *table = stitch->table;
	struct hyvh_stitch_plan plan;
	struct hyvh_chunks chunks;
	int ret;

	/* Bound the list before its chunks are read. */
	if (list->length > hyvh_mem_table_bytes(table))
		return -EFAULT;
	ret = hyvh_chunks_load(&chunks, list, how->max_chunks, hyvh_guest_read,
			       table);
	if (ret)
		return ret;
	ret = hyvh_stitch_plan_make(&plan, table, &chunks,
				    HYVH_STITCH_MAX_VMAS, stitch->mem->cancel);
	hyvh_chunks_release(&chunks);
	if (ret)
		return ret;
	ret = hyvh_stitch_map(stitch, &plan, how);
	hyvh_stitch_plan_release(&plan);
	return ret;
}

/**
 * hyvh_stitch_guest() - map a buffer of the guest as one range
 * @stitch: filled in; to be undone with hyvh_stitch_unmap()
 * @mem: guest memory
 * @list: the buffer, from a request
 * @how: how to do that
 *
 * Until hyvh_stitch_unmap(), HYV_SET_MEM waits.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EFAULT if part of the buffer is not guest memory or not mapped in
 * the VMM; -EINVAL if the list breaks a rule; -EOPNOTSUPP if guest memory is not
 * a shared mapping of a file in tmpfs, or if pages would have to be inserted that are
 * of a driver's file or of too many files; -EAGAIN if somebody keeps the file of guest
 * memory locked; -EINTR if the request is cancelled; or another negative errno.
 */
int hyvh_stitch_guest(struct hyvh_stitch *stitch, struct hyvh_guest_mem *mem,
		      const struct hyvh_list_view *list,
		      const struct hyvh_stitch_how *how)
{
	bool again;
	int ret;

	do {
		memset(stitch, 0, sizeof(*stitch));
		stitch->mem = mem;
		stitch->table = hyvh_guest_mem_get(mem);
		if (!stitch->table)
			return -EFAULT;
		ret = hyvh_stitch_list(stitch, list, how);
		if (!ret)
			return 0;
		/* A failure under a table that was replaced says nothing. */
		again = ret != -EINTR &&
			!hyvh_guest_mem_is_current(mem, stitch->table);
		hyvh_mem_table_put(stitch->table);
	} while (again);
	return ret;
}

/*
 * Undo hyvh_stitch_guest(), in the same context, when the HCA's driver has
 * pinned the memory or does not use it any longer.
 */
void hyvh_stitch_unmap(struct hyvh_stitch *stitch)
{
	hyvh_stitch_undo(stitch);
	hyvh_mem_table_put(stitch->table);
}
