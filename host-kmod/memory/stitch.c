// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitching: mapping scattered guest memory as one range of VMM addresses, so
 * that an HCA's driver can register it like any user memory.
 *
 * The range exists only until the driver has pinned its pages. Guest memory is
 * a shared mapping of a memfd, so its pieces can be mapped again, next to each
 * other, over a mapping of a file of hyv.ko that reserves the range. If that
 * needs too many mappings, the pages are inserted one by one into a single
 * mapping, of a file of its own. Then they must stay in the files of guest
 * memory for that time: see ram_files.c.
 *
 * Pinning can take minutes, and a driver cannot be interrupted. So pages are
 * faulted in here first, which can be cancelled. This also lets a driver pin
 * memory under userfaultfd: a long-term pin of kernel 6.1 does not wait for it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "memory/cancel.h"
#include "memory/chunk.h"
#include "memory/fault_in.h"
#include "memory/guest_mem.h"
#include "memory/memlock.h"
#include "memory/pseudo_file.h"
#include "memory/quota.h"
#include "memory/ram_files.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"

/* Most pieces that are mapped one by one. */
#define HYVH_STITCH_MAX_VMAS	4096

/* Pages that are pinned, or inserted with the mmap lock held, at once. */
#define HYVH_PAGE_BATCH	512UL

/* How long to wait for whoever changes the length of a file of guest memory. */
#define HYVH_RAM_FILES_TIMEOUT	(5 * HZ)

/*
 * Find the mapping of guest memory at @hva. Sets @run to how many of @len bytes
 * it covers, as contiguous memory may consist of several mappings. The HCA's driver
 * will wait for locks of its pages when it unpins them, which servers of other
 * file systems can hold: see include/compat/pin.h.
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
static int hyvh_stitch_pause(const struct hyvh_stitch *stitch)
{
	int ret = hyvh_cancel_point(stitch->mem->cancel);

	if (!ret && !hyvh_guest_mem_is_current(stitch->mem, stitch->table))
		ret = -EAGAIN;
	return ret;
}

/*
 * Check that all of a piece is memory that can be stitched. Adds its files to
 * @files, unless that is NULL.
 */
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
		vma = hyvh_guest_vma(mm, piece->hva + done, piece->len - done,
				     &run);
		ret = PTR_ERR_OR_ZERO(vma);
		if (!ret && files)
			ret = hyvh_ram_files_add(files, vma->vm_file);
	}
	mmap_read_unlock(mm);
	return ret;
}

static int hyvh_stitch_check(const struct hyvh_stitch *stitch,
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

/* Find the file of guest memory; the caller releases it with fput(). */
static struct file *hyvh_guest_file(u64 hva, u64 len, u64 *run, u64 *pgoff)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	struct file *file;

	if (mmap_read_lock_killable(mm))
		return ERR_PTR(-EINTR);
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
static int hyvh_stitch_map_file(struct hyvh_stitch *stitch, unsigned long prot)
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
	stitch->insert_at = addr;
	return 0;
}

/* Where to insert pages. */
static int hyvh_stitch_prepare(struct hyvh_stitch *stitch,
			       const struct hyvh_stitch_how *how)
{
	if (!how->file)
		return hyvh_stitch_map_file(stitch, PROT_READ | PROT_WRITE);
	stitch->file = get_file(how->file);
	stitch->insert_at = how->addr;
	stitch->insert_pos = how->pos;
	return 0;
}

static int hyvh_stitch_charge_vma(struct hyvh_stitch *stitch)
{
	int ret = hyvh_quota_charge(stitch->mem->vmas, 1);

	if (!ret)
		stitch->nr_vmas++;
	return ret;
}

/*
 * Mapping a piece has failed. This may have unmapped what has reserved its
 * addresses, and another thread may already have mapped memory there. So leave
 * these addresses to the VMM, unless they are still reserved.
 */
static void hyvh_stitch_check_hole(struct hyvh_stitch *stitch,
				   unsigned long addr, unsigned long size)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool reserved = false;

	/* The addresses of a VMM that is being killed do not matter. */
	if (!mmap_read_lock_killable(mm)) {
		vma = vma_lookup(mm, addr);
		reserved = vma && vma->vm_file == stitch->file;
		mmap_read_unlock(mm);
	}
	if (!reserved) {
		stitch->hole = addr;
		stitch->hole_size = size;
	}
}

static int hyvh_stitch_map_piece(struct hyvh_stitch *stitch, unsigned long addr,
				 const struct hyvh_piece *piece)
{
	u64 done, run, pgoff;
	struct file *file;
	unsigned long ret;
	int err;

	for (done = 0; done < piece->len; done += run) {
		err = hyvh_stitch_charge_vma(stitch);
		if (err)
			return err;
		file = hyvh_guest_file(piece->hva + done, piece->len - done,
				       &run, &pgoff);
		if (IS_ERR(file))
			return PTR_ERR(file);
		ret = vm_mmap(file, addr + done, run, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_FIXED, pgoff);
		fput(file);
		if (IS_ERR_VALUE(ret)) {
			hyvh_stitch_check_hole(stitch, addr + done, run);
			return (int)ret;
		}
	}
	return 0;
}

static int hyvh_stitch_map_vmas(struct hyvh_stitch *stitch,
				const struct hyvh_stitch_plan *plan)
{
	unsigned long addr;
	int ret;
	u32 i;

	ret = hyvh_stitch_charge_vma(stitch);
	if (ret)
		return ret;
	/* Reserve the range, so that no other mapping is placed into it. */
	ret = hyvh_stitch_map_file(stitch, PROT_NONE);
	if (ret)
		return ret;
	addr = stitch->start;
	for (i = 0; i < plan->nr_pieces; i++) {
		ret = hyvh_stitch_map_piece(stitch, addr, &plan->piece[i]) ?:
		      hyvh_stitch_pause(stitch);
		if (ret)
			return ret;
		addr += plan->piece[i].len;
	}
	return 0;
}

/*
 * Many requests may stitch at once, so what their pins add up to has the limit
 * RLIMIT_MEMLOCK as well. It is not part of mm->pinned_vm, where the HCA's driver
 * counts the same pages before they are unpinned here.
 */
static int hyvh_stitch_charge_pages(struct hyvh_stitch *stitch,
				    unsigned long nr)
{
	atomic64_t *stitched = stitch->mem->stitched;

	if (!hyvh_may_lock(atomic64_add_return(nr, stitched))) {
		atomic64_sub(nr, stitched);
		return -ENOMEM;
	}
	stitch->nr_charged = nr;
	return 0;
}

static int hyvh_stitch_pin(struct hyvh_stitch *stitch,
			   const struct hyvh_stitch_plan *plan)
{
	unsigned long hva, nr;
	long got;
	int ret;
	u32 i;

	for (i = 0; i < plan->nr_pieces; i++) {
		hva = plan->piece[i].hva;
		nr = plan->piece[i].len >> PAGE_SHIFT;
		while (nr) {
			got = pin_user_pages_fast(hva,
						  min(nr, HYVH_PAGE_BATCH),
						  FOLL_WRITE | FOLL_LONGTERM,
						  stitch->pages +
						  stitch->nr_pinned);
			if (got <= 0)
				return got ?: -EFAULT;
			stitch->nr_pinned += got;
			hva += got << PAGE_SHIFT;
			nr -= got;
			ret = hyvh_stitch_pause(stitch);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/*
 * Keep the files of guest memory as they are. This is for after the pages were
 * faulted in, because who provides a page may have to write to its file.
 */
static int hyvh_stitch_lock_files(struct hyvh_stitch *stitch)
{
	unsigned long end = jiffies + HYVH_RAM_FILES_TIMEOUT;
	int ret;

	while (!hyvh_ram_files_trylock(&stitch->ram)) {
		ret = hyvh_stitch_pause(stitch);
		if (ret)
			return ret;
		/* Another stitch of this request may be what they wait for. */
		if (time_after(jiffies, end))
			return -EAGAIN;
		fsleep(USEC_PER_MSEC);
	}
	return 0;
}

static int hyvh_stitch_insert_batch(struct hyvh_stitch *stitch,
				    unsigned long first, unsigned long nr)
{
	unsigned long addr = stitch->insert_at + (first << PAGE_SHIFT);
	struct page **pages = stitch->pages + first;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long i;
	int ret;

	/* The VMM may have mapped other memory, or made a hole, in between. */
	for (i = 0; i < nr; i++)
		if (!hyvh_ram_files_have(&stitch->ram, pages[i]))
			return -EFAULT;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	/*
	 * The VMM may have unmapped it, or moved another part of the file here, where
	 * hyvh_stitch_remove() would not find the pages.
	 */
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file == stitch->file &&
	    linear_page_index(vma, addr) ==
	    (stitch->insert_pos >> PAGE_SHIFT) + first)
		ret = vm_insert_pages(vma, addr, pages, &nr);
	else
		ret = -EFAULT;
	mmap_read_unlock(mm);
	return ret;
}

static int hyvh_stitch_insert(struct hyvh_stitch *stitch)
{
	unsigned long done, nr;
	int ret = 0;

	for (done = 0; done < stitch->nr_pinned && !ret; done += nr) {
		nr = min(stitch->nr_pinned - done, HYVH_PAGE_BATCH);
		ret = hyvh_stitch_insert_batch(stitch, done, nr) ?:
		      hyvh_stitch_pause(stitch);
	}
	return ret;
}

static int hyvh_stitch_map_pages(struct hyvh_stitch *stitch,
				 const struct hyvh_stitch_plan *plan,
				 const struct hyvh_stitch_how *how)
{
	int ret;

	ret = hyvh_stitch_check(stitch, plan, &stitch->ram);
	if (ret)
		return ret;
	ret = hyvh_stitch_charge_pages(stitch, plan->nr_pages);
	if (ret)
		return ret;
	/* A guest can repeat memory, so a failure is no reason to warn. */
	stitch->pages = kvmalloc_array(plan->nr_pages, sizeof(*stitch->pages),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!stitch->pages)
		return -ENOMEM;
	ret = hyvh_stitch_pin(stitch, plan);
	if (ret)
		return ret;
	return hyvh_stitch_prepare(stitch, how) ?:
	       hyvh_stitch_lock_files(stitch) ?: hyvh_stitch_insert(stitch);
}

/*
 * Remove the pages that were inserted, wherever the VMM may have mapped them,
 * and then let their files change again.
 */
static void hyvh_stitch_remove(struct hyvh_stitch *stitch)
{
	if (stitch->file)
		unmap_mapping_range(stitch->file->f_mapping, stitch->insert_pos,
				    stitch->size, 1);
	hyvh_ram_files_release(&stitch->ram);
}

/* Unmap the range, except its hole. */
static void hyvh_stitch_munmap(struct hyvh_stitch *stitch)
{
	unsigned long start = stitch->start;
	unsigned long end = start + stitch->size + stitch->guard;

	if (stitch->hole_size) {
		if (stitch->hole > start)
			vm_munmap(start, stitch->hole - start);
		start = stitch->hole + stitch->hole_size;
	}
	if (end > start)
		vm_munmap(start, end - start);
	stitch->start = 0;
	stitch->hole_size = 0;
}

/* Undo what was done so far. May be repeated. */
static void hyvh_stitch_undo(struct hyvh_stitch *stitch)
{
	hyvh_stitch_remove(stitch);
	if (stitch->start)
		hyvh_stitch_munmap(stitch);
	if (stitch->file)
		fput(stitch->file);
	stitch->file = NULL;
	hyvh_quota_uncharge(stitch->mem->vmas, stitch->nr_vmas);
	stitch->nr_vmas = 0;
	if (stitch->pages) {
		unpin_user_pages(stitch->pages, stitch->nr_pinned);
		kvfree(stitch->pages);
	}
	stitch->pages = NULL;
	stitch->nr_pinned = 0;
	atomic64_sub(stitch->nr_charged, stitch->mem->stitched);
	stitch->nr_charged = 0;
}

/*
 * Fault in the pages of a range. Not with FOLL_LONGTERM, with which kernel 6.1
 * fails where it would have to wait.
 */
static int hyvh_stitch_prefault(const struct hyvh_stitch *stitch)
{
	unsigned long addr = stitch->addr & PAGE_MASK;
	unsigned long nr = stitch->size >> PAGE_SHIFT;
	struct page **pages;
	int ret = 0;
	long got;

	pages = kmalloc_array(min(nr, HYVH_PAGE_BATCH), sizeof(*pages),
			      GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;
	while (nr && !ret) {
		got = pin_user_pages_fast(addr, min(nr, HYVH_PAGE_BATCH),
					  FOLL_WRITE, pages);
		/* The driver gets the same error, unless it only reads. */
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
		stitch->addr = plan->addr;
		return hyvh_stitch_check(stitch, plan, NULL);
	case HYVH_STITCH_VMAS:
		ret = hyvh_stitch_map_vmas(stitch, plan);
		/* The VMM may be close to its limit of mappings, or to ours. */
		if (ret != -ENOMEM && ret != -EDQUOT)
			break;
		hyvh_stitch_undo(stitch);
		reason = ret;
		fallthrough;
	default:
		ret = hyvh_stitch_map_pages(stitch, plan, how);
		/* Memory for which this was no way out */
		if (ret == -EOPNOTSUPP)
			ret = reason;
		break;
	}
	if (!ret)
		stitch->addr = stitch->insert_at + plan->offset;
	return ret;
}

static int hyvh_stitch_map(struct hyvh_stitch *stitch,
			   const struct hyvh_stitch_plan *plan,
			   const struct hyvh_stitch_how *how)
{
	int ret;

	stitch->size = plan->nr_pages << PAGE_SHIFT;
	stitch->guard = how->guard ? PAGE_SIZE : 0;
	ret = hyvh_stitch_map_as_planned(stitch, plan, how);
	if (!ret && !stitch->pages)
		ret = hyvh_stitch_prefault(stitch);
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
