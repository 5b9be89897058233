// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping HCA memory into the window and restoring anonymous memory.
 *
 * KVM stops a VM that touches an unmapped page. So pages of the window without
 * HCA memory contain anonymous memory. A mapping that fails leaves a hole until
 * the anonymous memory is restored, in pages that no guest uses yet. If it
 * cannot be restored, the pages stay taken and are never given to a guest.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "memory/window.h"
#include "trace.h"

/* A mapping of HCA memory; on the list of its context. */
struct hyvh_mapping {
	struct list_head link;
	unsigned long offset;
	unsigned long length;
};

void hyvh_window_init(struct hyvh_window *window)
{
	mutex_init(&window->lock);
}

/* The window has no mappings. */
void hyvh_window_free(struct hyvh_window *window)
{
	kvfree(window->pages);
	mutex_destroy(&window->lock);
}

/*
 * Handle HYV_SET_WINDOW. Does not check that the range is mapped: a wrong one
 * damages only the VMM.
 */
int hyvh_window_set(struct hyvh_window *window,
		    const struct hyv_set_window *arg)
{
	unsigned long *pages;
	int ret = 0;

	if (!arg->addr || !PAGE_ALIGNED(arg->addr) ||
	    !PAGE_ALIGNED(arg->length) ||
	    arg->length > TASK_SIZE || arg->addr > TASK_SIZE - arg->length)
		return -EINVAL;
	if (arg->length < HYVH_MIN_WINDOW)
		return -ENOSPC;

	pages = kvcalloc(BITS_TO_LONGS(arg->length >> PAGE_SHIFT),
			 sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return -ENOMEM;

	mutex_lock(&window->lock);
	if (window->pages) {
		ret = -EBUSY;
	} else {
		window->addr = arg->addr;
		window->size = arg->length;
		window->pages = pages;
		pages = NULL;
	}
	mutex_unlock(&window->lock);
	kvfree(pages);
	return ret;
}

void hyvh_window_usage(struct hyvh_window *window, u64 *used, u64 *size)
{
	mutex_lock(&window->lock);
	*used = window->used;
	*size = window->size;
	mutex_unlock(&window->lock);
}

static int hyvh_window_alloc(struct hyvh_window *window, unsigned long length,
			     unsigned long *offset)
{
	unsigned long total = window->size >> PAGE_SHIFT;
	unsigned long nr = length >> PAGE_SHIFT;
	unsigned long start;

	lockdep_assert_held(&window->lock);
	if (!window->pages || nr > total)
		return -ENOSPC;

	start = bitmap_find_next_zero_area(window->pages, total, window->hint,
					   nr, 0);
	if (start >= total)
		start = bitmap_find_next_zero_area(window->pages, total, 0, nr,
						   0);
	if (start >= total)
		return -ENOSPC;

	bitmap_set(window->pages, start, nr);
	window->hint = start + nr;
	*offset = start << PAGE_SHIFT;
	return 0;
}

/* Restore anonymous memory. If that succeeds, the pages are free again. */
static void hyvh_window_restore(struct hyvh_window *window,
				unsigned long offset, unsigned long length)
{
	unsigned long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	unsigned long start = window->addr + offset, addr;

	lockdep_assert_held(&window->lock);
	addr = vm_mmap(NULL, start, length, PROT_READ | PROT_WRITE,
		       flags | MAP_FIXED, 0);
	if (IS_ERR_VALUE(addr)) {
		/*
		 * The VMM may be at its limit of mappings. Unmapping the HCA's
		 * memory is necessary anyway and frees a mapping.
		 */
		if (vm_munmap(start, length))
			return;
		addr = vm_mmap(NULL, start, length, PROT_READ | PROT_WRITE,
			       flags | MAP_FIXED_NOREPLACE, 0);
	}
	if (!IS_ERR_VALUE(addr))
		bitmap_clear(window->pages, offset >> PAGE_SHIFT,
			     length >> PAGE_SHIFT);
}

static int hyvh_window_cache(unsigned long addr, u8 *cache)
{
	struct vm_area_struct *vma;
	pgprot_t prot, plain;
	int ret = 0;

	mmap_read_lock(current->mm);
	vma = vma_lookup(current->mm, addr);
	if (!vma) {
		ret = -EFAULT;
		goto out;
	}
	prot = vma->vm_page_prot;
	plain = vm_get_page_prot(vma->vm_flags);
	if (pgprot_val(prot) == pgprot_val(pgprot_noncached(plain)))
		*cache = HYV_CACHE_UC;
	else if (pgprot_val(prot) == pgprot_val(pgprot_writecombine(plain)))
		*cache = HYV_CACHE_WC;
	else
		*cache = HYV_CACHE_WB;
out:
	mmap_read_unlock(current->mm);
	return ret;
}

/**
 * hyvh_window_map() - map HCA memory into the window
 * @window: the window
 * @mappings: list of the context that owns the mapping
 * @file: uverbs file of the context
 * @pgoff: offset in @file in bytes, which selects the HCA memory
 * @length: bytes
 * @writable: allow writing
 * @offset: set to the offset in the window
 * @cache: set to the HYV_CACHE_* attribute of the mapping
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -EINVAL if the offset or length is invalid or the HCA's driver
 * refuses it; -ENOSPC if the window is full; or another error of mmap(2).
 */
int hyvh_window_map(struct hyvh_window *window, struct list_head *mappings,
		    struct file *file, u64 pgoff, u64 length, bool writable,
		    u64 *offset, u8 *cache)
{
	unsigned long prot = PROT_READ | (writable ? PROT_WRITE : 0);
	struct hyvh_mapping *m;
	unsigned long addr;
	int ret;

	if (!length || !PAGE_ALIGNED(pgoff) || !PAGE_ALIGNED(length) ||
	    length > LONG_MAX || pgoff > LONG_MAX - length)
		return -EINVAL;

	m = kmalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	m->length = length;

	mutex_lock(&window->lock);
	ret = hyvh_window_alloc(window, length, &m->offset);
	if (ret)
		goto err_free;

	addr = vm_mmap(file, window->addr + m->offset, length, prot,
		       MAP_SHARED | MAP_FIXED, pgoff);
	if (IS_ERR_VALUE(addr)) {
		ret = (int)addr;
		goto err_restore;
	}
	ret = hyvh_window_cache(addr, cache);
	if (ret)
		goto err_restore;

	window->used += length;
	list_add(&m->link, mappings);
	*offset = m->offset;
	trace_hyvh_window_map(window->vnic_id, m->offset, length);
	mutex_unlock(&window->lock);
	return 0;

err_restore:
	/* A failed MAP_FIXED has unmapped the anonymous memory. */
	hyvh_window_restore(window, m->offset, length);
err_free:
	mutex_unlock(&window->lock);
	kfree(m);
	return ret;
}

static void hyvh_window_unmap_one(struct hyvh_window *window,
				  struct hyvh_mapping *m)
{
	lockdep_assert_held(&window->lock);
	trace_hyvh_window_unmap(window->vnic_id, m->offset, m->length);
	hyvh_window_restore(window, m->offset, m->length);
	window->used -= m->length;
	list_del(&m->link);
	kfree(m);
}

/*
 * Undo the mapping at @offset, in the same context as hyvh_window_map(). Returns
 * -ENOENT if the context has no mapping there.
 */
int hyvh_window_unmap(struct hyvh_window *window, struct list_head *mappings,
		      u64 offset)
{
	struct hyvh_mapping *m;
	int ret = -ENOENT;

	mutex_lock(&window->lock);
	list_for_each_entry(m, mappings, link) {
		if (m->offset != offset)
			continue;
		hyvh_window_unmap_one(window, m);
		ret = 0;
		break;
	}
	mutex_unlock(&window->lock);
	return ret;
}

void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct list_head *mappings)
{
	struct hyvh_mapping *m, *next;

	mutex_lock(&window->lock);
	list_for_each_entry_safe(m, next, mappings, link)
		hyvh_window_unmap_one(window, m);
	mutex_unlock(&window->lock);
}
