// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stitching by inserting pages one by one into a single mapping, of a file of hyv.ko.
 *
 * Guest memory does not know this mapping, so its files must keep the pages as long as
 * it exists: see ram_files.c.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/guest_mem.h"
#include "memory/memlock.h"
#include "memory/ram_files.h"
#include "memory/stitch.h"
#include "memory/stitch_plan.h"
#include "memory/stitch_ways.h"

/* How long to wait for whoever changes the length of a file of guest memory. */
#define HYVH_RAM_FILES_TIMEOUT	(5 * HZ)

/* Where to insert pages. */
static int hyvh_stitch_pages_prepare(struct hyvh_stitch *stitch,
				     const struct hyvh_stitch_how *how)
{
	struct hyvh_stitch_pages *pages = &stitch->pages;
	int ret;

	if (how->file) {
		stitch->file = get_file(how->file);
		pages->at = how->addr;
		pages->pos = how->pos;
		return 0;
	}
	ret = hyvh_stitch_map_file(stitch, PROT_READ | PROT_WRITE);
	if (ret)
		return ret;
	pages->at = stitch->start;
	return 0;
}

/*
 * Many requests may stitch at once, so what their pins add up to has the limit
 * RLIMIT_MEMLOCK as well. It is not part of mm->pinned_vm, where the HCA's driver
 * counts the same pages before they are unpinned here.
 */
static int hyvh_stitch_pages_charge(struct hyvh_stitch *stitch,
				    unsigned long nr)
{
	atomic64_t *stitched = stitch->mem->stitched;

	if (!hyvh_may_lock(atomic64_add_return(nr, stitched))) {
		atomic64_sub(nr, stitched);
		return -ENOMEM;
	}
	stitch->pages.nr_charged = nr;
	return 0;
}

static int hyvh_stitch_pages_pin(struct hyvh_stitch *stitch,
				 const struct hyvh_stitch_plan *plan)
{
	struct hyvh_stitch_pages *pages = &stitch->pages;
	unsigned long hva, nr;
	long got;
	int ret;
	u32 i;

	for (i = 0; i < plan->nr_pieces; i++) {
		hva = plan->piece[i].hva;
		nr = plan->piece[i].len >> PAGE_SHIFT;
		ret = hyvh_stitch_prefault(stitch, hva, nr);
		if (ret)
			return ret;
		while (nr) {
			got = pin_user_pages_fast(hva,
						  min(nr, HYVH_STITCH_BATCH),
						  FOLL_WRITE | FOLL_LONGTERM,
						  pages->page + pages->nr);
			if (got <= 0)
				return got ?: -EFAULT;
			pages->nr += got;
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
static int hyvh_stitch_pages_lock_files(struct hyvh_stitch *stitch)
{
	unsigned long end = jiffies + HYVH_RAM_FILES_TIMEOUT;
	int ret;

	while (!hyvh_ram_files_trylock(&stitch->pages.files)) {
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

static int hyvh_stitch_pages_insert_batch(struct hyvh_stitch *stitch,
					  unsigned long first, unsigned long nr)
{
	const struct hyvh_stitch_pages *pages = &stitch->pages;
	unsigned long addr = pages->at + (first << PAGE_SHIFT);
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long i;
	int ret;

	/* The VMM may have mapped other memory, or made a hole, in between. */
	for (i = 0; i < nr; i++)
		if (!hyvh_ram_files_have(&pages->files, pages->page[first + i]))
			return -EFAULT;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	/*
	 * The VMM may have unmapped it, or moved another part of the file here, where
	 * hyvh_stitch_pages_remove() would not find the pages.
	 */
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file == stitch->file &&
	    linear_page_index(vma, addr) == (pages->pos >> PAGE_SHIFT) + first)
		ret = vm_insert_pages(vma, addr, pages->page + first, &nr);
	else
		ret = -EFAULT;
	mmap_read_unlock(mm);
	return ret;
}

static int hyvh_stitch_pages_insert(struct hyvh_stitch *stitch)
{
	const struct hyvh_stitch_pages *pages = &stitch->pages;
	unsigned long done, nr;
	int ret = 0;

	for (done = 0; done < pages->nr && !ret; done += nr) {
		nr = min(pages->nr - done, HYVH_STITCH_BATCH);
		ret = hyvh_stitch_pages_insert_batch(stitch, done, nr) ?:
		      hyvh_stitch_pause(stitch);
	}
	return ret;
}

/*
 * Undone with hyvh_stitch_pages_remove() and, after the range is unmapped,
 * hyvh_stitch_pages_release(), also if it fails.
 */
int hyvh_stitch_pages_map(struct hyvh_stitch *stitch,
			  const struct hyvh_stitch_plan *plan,
			  const struct hyvh_stitch_how *how)
{
	struct hyvh_stitch_pages *pages = &stitch->pages;
	int ret;

	ret = hyvh_stitch_check(stitch, plan, &pages->files);
	if (ret)
		return ret;
	ret = hyvh_stitch_pages_charge(stitch, plan->nr_pages);
	if (ret)
		return ret;
	/* A guest can repeat memory, so a failure is no reason to warn. */
	pages->page = kvmalloc_array(plan->nr_pages, sizeof(*pages->page),
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages->page)
		return -ENOMEM;
	return hyvh_stitch_pages_pin(stitch, plan) ?:
	       hyvh_stitch_pages_prepare(stitch, how) ?:
	       hyvh_stitch_pages_lock_files(stitch) ?:
	       hyvh_stitch_pages_insert(stitch);
}

/*
 * Remove the pages that were inserted, wherever the VMM may have mapped them,
 * and then let their files change again. May be repeated.
 */
void hyvh_stitch_pages_remove(struct hyvh_stitch *stitch)
{
	if (stitch->file)
		unmap_mapping_range(stitch->file->f_mapping, stitch->pages.pos,
				    stitch->size, 1);
	hyvh_ram_files_release(&stitch->pages.files);
}

/* May be repeated. */
void hyvh_stitch_pages_release(struct hyvh_stitch *stitch)
{
	struct hyvh_stitch_pages *pages = &stitch->pages;

	if (pages->page) {
		unpin_user_pages(pages->page, pages->nr);
		kvfree(pages->page);
	}
	atomic64_sub(pages->nr_charged, stitch->mem->stitched);
	memset(pages, 0, sizeof(*pages));
}
