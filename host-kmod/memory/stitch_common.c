// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory and the range of addresses, for all ways to stitch.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "memory/cancel.h"
#include "memory/fault_in.h"
#include "memory/guest_mem.h"
#include "memory/pseudo_file.h"
#include "memory/ram_files.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"
#include "memory/stitch_ways.h"

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
