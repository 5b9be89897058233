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
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "memory/cancel.h"
#include "memory/chunk.h"
#include "memory/fault_in.h"
#include "memory/guest_mem.h"
#include "memory/pseudo_file.h"
#include "memory/ram_files.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"
#include "memory/stitch_ways.h"

/* Most pieces that are mapped one by one. */
#define HYVH_STITCH_MAX_VMAS	4096

/*
 * Find the mapping of guest memory at @hva. Sets @run to how many of @len bytes
 * it covers, as contiguous memory may consist of several mappings. The HCA's driver
 * will wait for locks of its pages when it unpins them, which servers of other
 * file systems can hold: see include/compat/pin.h.
 */
struct vm_area_struct *hyvh_stitch_guest_vma(struct mm_struct *mm, u64 hva,
					     u64 len, u64 *run)
{
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	vma = vma_lookup(mm, hva);
	if (!vma)
		return ERR_PTR(-EFAULT);
	if (!vma->vm_file || !(vma->vm_flags & VM_SHARED) ||
	    vma->vm_flags & (VM_IO | VM_PFNMAP) ||
	    !hyvh_file_is_memory(vma->vm_file))
		return ERR_PTR(-EOPNOTSUPP);
	*run = min_t(u64, len, vma->vm_end - hva);
	return vma;
}

/*
 * Check from time to time that it is worth to go on. If the memory table was
 * replaced, HYV_SET_MEM waits: give up, to begin again by the new table.
 */
int hyvh_stitch_pause(const struct hyvh_stitch *stitch)
{
	int ret = hyvh_cancel_point(stitch->mem->cancel);

	if (!ret && !hyvh_guest_mem_is_current(stitch->mem, stitch->table))
		ret = -EAGAIN;
	return ret;
}

static int hyvh_piece_check(const struct hyvh_piece *piece,
			    struct hyvh_ram_files *files)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	u64 done, run = 0;
	int ret = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for (done = 0; done < piece->len && !ret; done += run) {
		vma = hyvh_stitch_guest_vma(mm, piece->hva + done,
					    piece->len - done, &run);
		ret = PTR_ERR_OR_ZERO(vma);
		if (!ret && files)
			ret = hyvh_ram_files_add(files, vma->vm_file);
	}
	mmap_read_unlock(mm);
	return ret;
}

/*
 * Fault in pages. Not with FOLL_LONGTERM, with which kernel 6.1 fails where it would
 * have to wait.
 */
int hyvh_stitch_prefault(const struct hyvh_stitch *stitch, unsigned long addr,
			 unsigned long nr)
{
	struct page **pages;
	int ret = 0;
	long got;

	pages = kmalloc_array(min(nr, HYVH_STITCH_BATCH), sizeof(*pages),
			      GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;
	while (nr && !ret) {
		got = pin_user_pages_fast(addr, min(nr, HYVH_STITCH_BATCH),
					  FOLL_WRITE, pages);
		/* Who pins them gets the same error, unless it only reads. */
		if (got > 0)
			unpin_user_pages(pages, got);
		ret = hyvh_stitch_pause(stitch);
		if (got <= 0)
			break;
		addr += got << PAGE_SHIFT;
		nr -= got;
	}
	kfree(pages);
	return ret;
}

/*
 * Check that all of a buffer is memory that can be stitched. Adds its files to
 * @files, unless that is NULL.
 */
int hyvh_stitch_check(const struct hyvh_stitch *stitch,
		      const struct hyvh_stitch_plan *plan,
		      struct hyvh_ram_files *files)
{
	int ret;
	u32 i;

	for (i = 0; i < plan->nr_pieces; i++) {
		ret = hyvh_piece_check(&plan->piece[i], files) ?:
		      hyvh_stitch_pause(stitch);
		if (ret)
			return ret;
	}
	return 0;
}

static int hyvh_stitch_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* VM_MIXEDMAP allows vm_insert_pages() under the read lock later. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY |
			  VM_MIXEDMAP);
	return 0;
}

static int hyvh_stitch_release(struct inode *inode, struct file *file)
{
	hyvh_pseudo_file_release();
	return 0;
}

static const struct file_operations hyvh_stitch_fops = {
	.owner = THIS_MODULE,
	.mmap = hyvh_stitch_mmap,
	.release = hyvh_stitch_release,
	.llseek = noop_llseek,
};

/* A file in whose mappings pages can be inserted, and which has none itself. */
struct file *hyvh_stitch_file_create(void)
{
	return hyvh_pseudo_file_create("hyv-stitch", &hyvh_stitch_fops);
}

/* Map a new file at an address that the kernel chooses. */
int hyvh_stitch_map_file(struct hyvh_stitch *stitch, unsigned long prot)
{
	struct file *file;
	unsigned long addr;

	file = hyvh_stitch_file_create();
	if (IS_ERR(file))
		return PTR_ERR(file);
	addr = vm_mmap(file, 0, stitch->size + stitch->guard, prot, MAP_SHARED,
		       0);
	if (IS_ERR_VALUE(addr)) {
		fput(file);
		return (int)addr;
	}
	stitch->file = file;
	stitch->start = addr;
	return 0;
}

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
