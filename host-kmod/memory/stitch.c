// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitching: mapping scattered guest memory as one range of VMM addresses, so
 * that an HCA's driver can register it like any user memory.
 *
 * The range exists only until the driver has pinned its pages. Guest memory is
 * a shared mapping of a memfd, so its pieces can be mapped again, next to each
 * other. If that needs too many mappings, the pages are inserted one by one
 * into a single mapping.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "memory/chunk.h"
#include "memory/guest_mem.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"

/* Most pieces that are mapped one by one. */
#define HYVH_STITCH_MAX_VMAS	4096

/* Pages that are inserted at once, with the mmap lock held. */
#define HYVH_INSERT_BATCH	512UL

/*
 * Find the mapping of guest memory at @hva. Sets @run to how many of @len bytes
 * it covers, as contiguous memory may consist of several mappings.
 */
static struct vm_area_struct *hyvh_guest_vma(struct mm_struct *mm, u64 hva,
					     u64 len, u64 *run)
{
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	vma = vma_lookup(mm, hva);
	if (!vma)
		return ERR_PTR(-EFAULT);
	if (!vma->vm_file || !(vma->vm_flags & VM_SHARED) ||
	    vma->vm_flags & (VM_IO | VM_PFNMAP) || is_vm_hugetlb_page(vma))
		return ERR_PTR(-EOPNOTSUPP);
	*run = min_t(u64, len, vma->vm_end - hva);
	return vma;
}

/* Check that all of a piece is memory that can be stitched. */
static int hyvh_piece_check(const struct hyvh_piece *piece)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	u64 done, run = 0;
	int ret = 0;

	mmap_read_lock(mm);
	for (done = 0; done < piece->len && !ret; done += run) {
		vma = hyvh_guest_vma(mm, piece->hva + done, piece->len - done,
				     &run);
		ret = PTR_ERR_OR_ZERO(vma);
	}
	mmap_read_unlock(mm);
	return ret;
}

static int hyvh_stitch_check(const struct hyvh_stitch_plan *plan)
{
	int ret;
	u32 i;

	for (i = 0; i < plan->nr_pieces; i++) {
		ret = hyvh_piece_check(&plan->piece[i]);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/* Find the file of guest memory; the caller releases it with fput(). */
static struct file *hyvh_guest_file(u64 hva, u64 len, u64 *run, u64 *pgoff)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct file *file;

	mmap_read_lock(mm);
	vma = hyvh_guest_vma(mm, hva, len, run);
	if (IS_ERR(vma)) {
		file = ERR_CAST(vma);
	} else {
		file = get_file(vma->vm_file);
		*pgoff = ((u64)vma->vm_pgoff << PAGE_SHIFT) +
			 (hva - vma->vm_start);
	}
	mmap_read_unlock(mm);
	return file;
}

static int hyvh_stitch_map_piece(unsigned long addr,
				 const struct hyvh_piece *piece)
{
	u64 done, run, pgoff;
	struct file *file;
	unsigned long ret;

	for (done = 0; done < piece->len; done += run) {
		file = hyvh_guest_file(piece->hva + done, piece->len - done,
				       &run, &pgoff);
		if (IS_ERR(file))
			return PTR_ERR(file);
		ret = vm_mmap(file, addr + done, run, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_FIXED, pgoff);
		fput(file);
		if (IS_ERR_VALUE(ret))
			return (int)ret;
	}
	return 0;
}

static int hyvh_stitch_map_vmas(struct hyvh_stitch *stitch,
				const struct hyvh_stitch_plan *plan)
{
	unsigned long addr;
	int ret;
	u32 i;

	/* Reserve the range, so that no other mapping is placed into it. */
	addr = vm_mmap(NULL, 0, stitch->size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0);
	if (IS_ERR_VALUE(addr))
		return (int)addr;
	stitch->start = addr;

	for (i = 0; i < plan->nr_pieces; i++) {
		ret = hyvh_stitch_map_piece(addr, &plan->piece[i]);
		if (ret)
			goto err_unmap;
		addr += plan->piece[i].len;
		cond_resched();
	}
	return 0;

err_unmap:
	vm_munmap(stitch->start, stitch->size);
	stitch->start = 0;
	return ret;
}

static int hyvh_stitch_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* VM_MIXEDMAP allows vm_insert_pages() under the read lock later. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY |
			  VM_MIXEDMAP);
	return 0;
}

static const struct file_operations hyvh_stitch_fops = {
	.owner = THIS_MODULE,
	.mmap = hyvh_stitch_mmap,
};

static int hyvh_stitch_pin(struct hyvh_stitch *stitch,
			   const struct hyvh_stitch_plan *plan)
{
	unsigned long hva, nr;
	long got;
	u32 i;

	for (i = 0; i < plan->nr_pieces; i++) {
		hva = plan->piece[i].hva;
		nr = plan->piece[i].len >> PAGE_SHIFT;
		while (nr) {
			got = pin_user_pages_fast(hva,
						  min(nr, HYVH_INSERT_BATCH),
						  FOLL_WRITE | FOLL_LONGTERM,
						  stitch->pages +
						  stitch->nr_pinned);
			if (got <= 0)
				return got ?: -EFAULT;
			stitch->nr_pinned += got;
			hva += got << PAGE_SHIFT;
			nr -= got;
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

static int hyvh_stitch_insert(struct hyvh_stitch *stitch)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long done, nr;
	int ret = 0;

	for (done = 0; done < stitch->nr_pinned && !ret; ) {
		unsigned long addr = stitch->start + (done << PAGE_SHIFT);
		unsigned long batch = min(stitch->nr_pinned - done,
					  HYVH_INSERT_BATCH);

		nr = batch;
		mmap_read_lock(mm);
		/* The VMM may have unmapped it; that affects only the VMM. */
		vma = vma_lookup(mm, addr);
		if (vma && vma->vm_file &&
		    vma->vm_file->f_op == &hyvh_stitch_fops)
			ret = vm_insert_pages(vma, addr, stitch->pages + done,
					      &nr);
		else
			ret = -EFAULT;
		mmap_read_unlock(mm);
		done += batch - nr;
		cond_resched();
	}
	return ret;
}

static int hyvh_stitch_map_pages(struct hyvh_stitch *stitch,
				 const struct hyvh_stitch_plan *plan)
{
	struct file *file;
	unsigned long addr;
	int ret;

	ret = hyvh_stitch_check(plan);
	if (ret)
		return ret;
	/* A guest can repeat memory, so a failure is no reason to warn. */
	stitch->pages = kvmalloc_array(plan->nr_pages, sizeof(*stitch->pages),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!stitch->pages)
		return -ENOMEM;
	ret = hyvh_stitch_pin(stitch, plan);
	if (ret)
		goto err_unpin;

	file = anon_inode_getfile("[hyv-stitch]", &hyvh_stitch_fops, NULL,
				  O_RDWR | O_CLOEXEC);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto err_unpin;
	}
	addr = vm_mmap(file, 0, stitch->size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, 0);
	fput(file);
	if (IS_ERR_VALUE(addr)) {
		ret = (int)addr;
		goto err_unpin;
	}
	stitch->start = addr;

	ret = hyvh_stitch_insert(stitch);
	if (ret)
		goto err_unmap;
	return 0;

err_unmap:
	vm_munmap(stitch->start, stitch->size);
	stitch->start = 0;
err_unpin:
	unpin_user_pages(stitch->pages, stitch->nr_pinned);
	kvfree(stitch->pages);
	stitch->pages = NULL;
	stitch->nr_pinned = 0;
	return ret;
}

static int hyvh_stitch_map(struct hyvh_stitch *stitch,
			   const struct hyvh_stitch_plan *plan)
{
	int ret;

	memset(stitch, 0, sizeof(*stitch));
	stitch->size = plan->nr_pages << PAGE_SHIFT;

	switch (plan->how) {
	case HYVH_STITCH_DIRECT:
		stitch->addr = plan->addr;
		return hyvh_stitch_check(plan);
	case HYVH_STITCH_VMAS:
		ret = hyvh_stitch_map_vmas(stitch, plan);
		/* The VMM may be close to its limit of mappings. */
		if (ret != -ENOMEM)
			break;
		fallthrough;
	default:
		ret = hyvh_stitch_map_pages(stitch, plan);
		break;
	}
	if (!ret)
		stitch->addr = stitch->start + plan->offset;
	return ret;
}

/**
 * hyvh_stitch_guest() - map a buffer of the guest as one range
 * @stitch: filled in; to be undone with hyvh_stitch_unmap()
 * @mem: guest memory
 * @list: the buffer, from a request
 * @max_chunks: most chunks to accept
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EFAULT if part of the buffer is not guest memory or not mapped in
 * the VMM; -EINVAL if the list breaks a rule; -EOPNOTSUPP if guest memory is not
 * a shared mapping of a file, or has huge pages, which cannot be mapped page by
 * page; or another negative errno.
 */
int hyvh_stitch_guest(struct hyvh_stitch *stitch, struct hyvh_guest_mem *mem,
		      const struct hyvh_list_view *list, u32 max_chunks)
{
	struct hyvh_stitch_plan plan;
	struct hyvh_mem_table *table;
	struct hyvh_chunks chunks;
	int ret;

	table = hyvh_guest_mem_get(mem);
	if (!table)
		return -EFAULT;
	/* Bound the list: it may repeat one page without limit. */
	ret = -EFAULT;
	if (list->length > hyvh_mem_table_bytes(table))
		goto out_table;
	ret = hyvh_chunks_load(&chunks, list, max_chunks, hyvh_guest_read,
			       table);
	if (ret)
		goto out_table;
	ret = hyvh_stitch_plan_make(&plan, table, &chunks,
				    HYVH_STITCH_MAX_VMAS);
	if (ret)
		goto out_chunks;
	ret = hyvh_stitch_map(stitch, &plan);
	hyvh_stitch_plan_release(&plan);
out_chunks:
	hyvh_chunks_release(&chunks);
out_table:
	hyvh_mem_table_put(table);
	return ret;
}

/* Undo hyvh_stitch_guest(), in the same context. Pins by others remain. */
void hyvh_stitch_unmap(struct hyvh_stitch *stitch)
{
	if (stitch->start)
		vm_munmap(stitch->start, stitch->size);
	if (stitch->pages) {
		unpin_user_pages(stitch->pages, stitch->nr_pinned);
		kvfree(stitch->pages);
	}
}
