// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of HCA memory in the window. Only hyvh_window_map() needs the VMM's
 * address space.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "memory/charge.h"
#include "memory/snapshot.h"
#include "memory/window.h"
#include "memory/window_pages.h"
#include "trace.h"

static_assert(HYVH_MAX_WINDOW >> PAGE_SHIFT <= UINT_MAX);

/* A mapping of HCA memory; on the list of its context. */
struct hyvh_mapping {
	struct hyvh_window_range range;
	struct list_head link;
	struct hyvh_charge *charge;	/* for the memory, or NULL */
	bool lasting;
};

void hyvh_window_init(struct hyvh_window *window)
{
	mutex_init(&window->lock);
}

/* The window has no mappings. The VMM may still see its empty pages. */
void hyvh_window_free(struct hyvh_window *window)
{
	if (window->pages)
		hyvh_window_pages_put(window->pages);
	kvfree(window->taken);
	mutex_destroy(&window->lock);
}

int hyvh_window_set(struct hyvh_window *window,
		    const struct hyv_set_window *arg)
{
	unsigned long nr = arg->length >> PAGE_SHIFT;
	struct hyvh_window_pages *pages;
	unsigned long *taken;
	int ret = 0;

	if (!PAGE_ALIGNED(arg->length) || arg->length > HYVH_MAX_WINDOW)
		return -EINVAL;
	if (arg->length < HYVH_MIN_WINDOW)
		return -ENOSPC;

	taken = kvcalloc(BITS_TO_LONGS(nr), sizeof(*taken),
			 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!taken)
		return -ENOMEM;
	pages = hyvh_window_pages_create(nr);
	if (IS_ERR(pages)) {
		ret = PTR_ERR(pages);
		goto out_taken;
	}

	mutex_lock(&window->lock);
	if (window->pages) {
		ret = -EBUSY;
	} else {
		WRITE_ONCE(window->size, arg->length);
		swap(window->taken, taken);
		/* Pairs with smp_load_acquire() in hyvh_window_mmap(). */
		smp_store_release(&window->pages, pages);
		pages = NULL;
	}
	mutex_unlock(&window->lock);
	if (pages)
		hyvh_window_pages_put(pages);
out_taken:
	kvfree(taken);
	return ret;
}

/* The mmap operation of /dev/hyv. Returns -EINVAL if there is no window. */
int hyvh_window_mmap(struct hyvh_window *window, struct vm_area_struct *vma)
{
	/* Pairs with smp_store_release() in hyvh_window_set(). */
	struct hyvh_window_pages *pages = smp_load_acquire(&window->pages);

	return pages ? hyvh_window_pages_mmap(pages, vma) : -EINVAL;
}

/* Never waits, because callers hold locks of others. */
void hyvh_window_usage(const struct hyvh_window *window, u64 *used, u64 *size)
{
	*used = READ_ONCE(window->used);
	*size = READ_ONCE(window->size);
}

static u64 hyvh_mapping_offset(const struct hyvh_mapping *m)
{
	return (u64)m->range.first << PAGE_SHIFT;
}

static u64 hyvh_mapping_length(const struct hyvh_mapping *m)
{
	return (u64)m->range.snapshot->nr << PAGE_SHIFT;
}

static int hyvh_window_alloc(struct hyvh_window *window,
			     struct hyvh_mappings *mappings, bool lasting,
			     unsigned long nr, unsigned long *first)
{
	unsigned long total, start;
	int ret = -ENOSPC;

	mutex_lock(&window->lock);
	total = window->size >> PAGE_SHIFT;
	if (!window->pages || nr > total)
		goto unlock;
	if (lasting && mappings->nr_lasting == HYVH_MAX_LASTING) {
		ret = -EDQUOT;
		goto unlock;
	}
	start = bitmap_find_next_zero_area(window->taken, total, window->hint,
					   nr, 0);
	if (start >= total)
		start = bitmap_find_next_zero_area(window->taken, total, 0, nr,
						   0);
	if (start >= total)
		goto unlock;

	bitmap_set(window->taken, start, nr);
	window->hint = start + nr;
	mappings->nr_lasting += lasting;
	*first = start;
	ret = 0;
unlock:
	mutex_unlock(&window->lock);
	return ret;
}

/**
 * hyvh_window_map() - map HCA memory into the window
 * @window: the window
 * @mappings: those of the context that owns the mapping
 * @req: what to map
 *
 * Looks for room first: a driver may allow only one mapping of its memory.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0; -ENOSPC if the window is full or not set; -EDQUOT if the context has
 * too many lasting mappings; -EINVAL if the HCA's driver refuses; or another error
 * of hyvh_snapshot_take().
 */
int hyvh_window_map(struct hyvh_window *window, struct hyvh_mappings *mappings,
		    struct hyvh_window_req *req)
{
	unsigned long nr = req->range.length >> PAGE_SHIFT;
	struct hyvh_snapshot *snapshot;
	struct hyvh_mapping *m;
	unsigned long first;
	int ret;

	m = kmalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	ret = hyvh_window_alloc(window, mappings, req->lasting, nr, &first);
	if (ret)
		goto err_free;
	snapshot = hyvh_snapshot_take(req->file,
				      req->range.offset >> PAGE_SHIFT, nr,
				      req->writable, req->lasting, &req->made);
	if (IS_ERR(snapshot)) {
		ret = PTR_ERR(snapshot);
		goto err_taken;
	}
	m->range.first = first;
	m->range.snapshot = snapshot;
	m->charge = req->charge;
	m->lasting = req->lasting;
	req->offset = hyvh_mapping_offset(m);
	req->cache = snapshot->cache;

	mutex_lock(&window->lock);
	WRITE_ONCE(window->used, window->used + req->range.length);
	list_add(&m->link, &mappings->list);
	hyvh_window_pages_show(window->pages, &m->range);
	trace_hyvh_window_map(window->vnic_id, req->offset, req->range.length);
	mutex_unlock(&window->lock);
	/* The guest may have unmapped and freed @m already. */
	hyvh_window_pages_zap(window->pages, first, nr);
	return 0;

err_taken:
	mutex_lock(&window->lock);
	bitmap_clear(window->taken, first, nr);
	mappings->nr_lasting -= req->lasting;
	mutex_unlock(&window->lock);
err_free:
	kfree(m);
	return ret;
}

/*
 * Remove a mapping from the window. Its room may be used for another mapping at
 * once: that one zaps it, too, before the guest gets a reply.
 */
static void hyvh_window_hide(struct hyvh_window *window, struct hyvh_mapping *m)
{
	lockdep_assert_held(&window->lock);
	trace_hyvh_window_unmap(window->vnic_id, hyvh_mapping_offset(m),
				hyvh_mapping_length(m));
	hyvh_window_pages_hide(window->pages, &m->range);
	bitmap_clear(window->taken, m->range.first, m->range.snapshot->nr);
	WRITE_ONCE(window->used, window->used - hyvh_mapping_length(m));
}

/* The pages of the window have been zapped. */
static void hyvh_mapping_free(struct hyvh_mapping *m)
{
	hyvh_snapshot_free(m->range.snapshot);
	hyvh_charge_put(m->charge);
	kfree(m);
}

/*
 * Undo the mapping at @offset. Returns -ENOENT if the context has no mapping
 * there.
 */
int hyvh_window_unmap(struct hyvh_window *window,
		      struct hyvh_mappings *mappings, u64 offset)
{
	struct hyvh_mapping *m;

	mutex_lock(&window->lock);
	list_for_each_entry(m, &mappings->list, link)
		if (hyvh_mapping_offset(m) == offset)
			goto found;
	mutex_unlock(&window->lock);
	return -ENOENT;

found:
	hyvh_window_hide(window, m);
	list_del(&m->link);
	mappings->nr_lasting -= m->lasting;
	mutex_unlock(&window->lock);
	hyvh_window_pages_zap(window->pages, m->range.first,
			      m->range.snapshot->nr);
	hyvh_mapping_free(m);
	return 0;
}

/* Any process context, even without the VMM's address space. */
void hyvh_window_unmap_all(struct hyvh_window *window,
			   struct hyvh_mappings *mappings)
{
	unsigned long first = ULONG_MAX, end = 0;
	struct hyvh_mapping *m, *next;
	LIST_HEAD(gone);

	mutex_lock(&window->lock);
	list_splice_init(&mappings->list, &gone);
	mappings->nr_lasting = 0;
	list_for_each_entry(m, &gone, link) {
		hyvh_window_hide(window, m);
		first = min(first, m->range.first);
		end = max(end, m->range.first + m->range.snapshot->nr);
	}
	mutex_unlock(&window->lock);
	if (list_empty(&gone))
		return;

	/* Each zap interrupts all vCPUs. What is still mapped faults again. */
	hyvh_window_pages_zap(window->pages, first, end - first);
	list_for_each_entry_safe(m, next, &gone, link) {
		hyvh_mapping_free(m);
		cond_resched();
	}
}
