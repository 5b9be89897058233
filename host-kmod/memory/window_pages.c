// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of a window, as the VMM and the guest see them.
 *
 * KVM stops a VM that touches an address without memory behind it, and an
 * address that is unmapped for a moment may be given to another thread of the
 * VMM. So the window is one mapping that never changes, of a file of its own,
 * whose fault handler decides what is seen in a page: memory of the HCA, or one
 * empty page. To change that, change the ranges and then zap the pages:
 * unmap_mapping_range() needs no address space and tells KVM.
 *
 * VM_PFNMAP keeps everybody from pinning the pages, whatever they are, and
 * takes PFNs of both pages and I/O memory.
 *
 * The file is not that of /dev/hyv, which could not be closed otherwise as long
 * as the window is mapped.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "memory/pseudo_file.h"
#include "memory/snapshot.h"
#include "memory/window_pages.h"

struct hyvh_window_pages {
	struct file *file;	/* its release frees this structure */
	struct page *empty;	/* seen in all pages without a range */
	unsigned long nr;

	/* Taken by the fault handler, which runs under the mmap lock. */
	struct rw_semaphore lock;	/* protects ranges */
	struct rb_root ranges;	/* struct hyvh_window_range by first page */
};

/* --- Ranges --- */

static struct hyvh_window_range *
hyvh_window_range_find(struct hyvh_window_pages *pages, unsigned long index)
{
	struct rb_node *node = pages->ranges.rb_node;
	struct hyvh_window_range *range;

	lockdep_assert_held(&pages->lock);
	while (node) {
		range = rb_entry(node, struct hyvh_window_range, node);
		if (index < range->first)
			node = node->rb_left;
		else if (index - range->first >= range->snapshot->nr)
			node = node->rb_right;
		else
			return range;
	}
	return NULL;
}

/* The range overlaps no other one. hyvh_window_pages_zap() must follow. */
void hyvh_window_pages_show(struct hyvh_window_pages *pages,
			    struct hyvh_window_range *range)
{
	struct rb_node **at = &pages->ranges.rb_node, *parent = NULL;

	hyvh_snapshot_show(range->snapshot, pages->file->f_mapping,
			   (loff_t)range->first << PAGE_SHIFT);
	down_write(&pages->lock);
	while (*at) {
		parent = *at;
		at = range->first < rb_entry(parent, struct hyvh_window_range,
					     node)->first ?
		     &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&range->node, parent, at);
	rb_insert_color(&range->node, &pages->ranges);
	up_write(&pages->lock);
}

/*
 * hyvh_window_pages_zap() must follow, and only then may the snapshot be freed.
 */
void hyvh_window_pages_hide(struct hyvh_window_pages *pages,
			    struct hyvh_window_range *range)
{
	down_write(&pages->lock);
	if (!RB_EMPTY_NODE(&range->node)) {
		rb_erase(&range->node, &pages->ranges);
		RB_CLEAR_NODE(&range->node);
	}
	up_write(&pages->lock);
}

/* Any process context, even without the VMM's address space. */
void hyvh_window_pages_zap(struct hyvh_window_pages *pages, unsigned long first,
			   unsigned long nr)
{
	unmap_mapping_range(pages->file->f_mapping, (loff_t)first << PAGE_SHIFT,
			    (loff_t)nr << PAGE_SHIFT, 1);
}

/* --- The mapping of the VMM --- */

/*
 * vma->vm_page_prot is read-only in a mapping with a pfn_mkwrite handler: each page
 * would fault twice.
 */
static vm_fault_t hyvh_window_insert_empty(struct hyvh_window_pages *pages,
					   struct vm_fault *vmf)
{
	return vmf_insert_pfn_prot(vmf->vma, vmf->address,
				   page_to_pfn(pages->empty),
				   vm_get_page_prot(vmf->vma->vm_flags));
}

/*
 * After a fault, KVM looks up the page, and stops the VM if there is none: it may
 * have been zapped in between, as doorbell pages of hyvs.ko are all the time. But
 * if the mmap lock was dropped, KVM begins again. Processors do so anyway. Under the
 * lock of the VMA alone there is no mmap lock to drop; KVM does not fault so.
 */
static vm_fault_t hyvh_window_faulted(const struct vm_fault *vmf, vm_fault_t ret)
{
	if (ret != VM_FAULT_NOPAGE ||
	    !(vmf->flags & FAULT_FLAG_ALLOW_RETRY) ||
	    vmf->flags & (FAULT_FLAG_RETRY_NOWAIT | FAULT_FLAG_USER |
			  FAULT_FLAG_VMA_LOCK))
		return ret;
	mmap_read_unlock(vmf->vma->vm_mm);
	return ret | VM_FAULT_COMPLETED;
}

static vm_fault_t hyvh_window_fault(struct vm_fault *vmf)
{
	struct hyvh_window_pages *pages = vmf->vma->vm_private_data;
	struct hyvh_window_range *range;
	vm_fault_t ret;

	down_read(&pages->lock);
	range = hyvh_window_range_find(pages, vmf->pgoff);
	if (range)
		ret = hyvh_snapshot_insert(range->snapshot, vmf,
					   vmf->pgoff - range->first);
	else
		ret = hyvh_window_insert_empty(pages, vmf);
	up_read(&pages->lock);
	return hyvh_window_faulted(vmf, ret);
}

/*
 * Decide about a write to a read-only page. The kernel would make it writable.
 * A guest that writes to memory which it has mapped for reading loses the
 * mapping: the write goes to the empty page. An error would stop the VM.
 */
static vm_fault_t hyvh_window_pfn_mkwrite(struct vm_fault *vmf)
{
	struct hyvh_window_pages *pages = vmf->vma->vm_private_data;
	unsigned long pfn = page_to_pfn(pages->empty);
	struct hyvh_window_range *range;
	unsigned long first = vmf->pgoff;
	unsigned long nr = 1;

	down_write(&pages->lock);
	range = hyvh_window_range_find(pages, vmf->pgoff);
	if (range && !range->snapshot->writable) {
		first = range->first;
		nr = range->snapshot->nr;
		rb_erase(&range->node, &pages->ranges);
		RB_CLEAR_NODE(&range->node);
		range = NULL;
	} else {
		if (range)
			pfn = hyvh_snapshot_pfn(range->snapshot,
						vmf->pgoff - range->first);
		/* The page itself is writable; only the mapping was not. */
		if (pte_pfn(vmf->orig_pte) == pfn) {
			up_write(&pages->lock);
			return 0;
		}
	}
	up_write(&pages->lock);
	hyvh_window_pages_zap(pages, first, nr);
	return VM_FAULT_NOPAGE;
}

static int hyvh_window_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static int hyvh_window_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct hyvh_window_vm_ops = {
	.fault = hyvh_window_fault,
	.pfn_mkwrite = hyvh_window_pfn_mkwrite,
	.mremap = hyvh_window_mremap,
	.may_split = hyvh_window_may_split,
};

/* The mmap operation of the file that the window belongs to. */
int hyvh_window_pages_mmap(struct hyvh_window_pages *pages,
			   struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    vma->vm_pgoff || vma_pages(vma) != pages->nr)
		return -EINVAL;
	vma_set_file(vma, pages->file);
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP |
			  VM_DONTCOPY);
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_private_data = pages;
	vma->vm_ops = &hyvh_window_vm_ops;
	return 0;
}

/* --- The file --- */

static void hyvh_window_pages_free(struct hyvh_window_pages *pages)
{
	WARN_ON_ONCE(!RB_EMPTY_ROOT(&pages->ranges));
	__free_page(pages->empty);
	kfree(pages);
}

static int hyvh_window_release(struct inode *inode, struct file *file)
{
	hyvh_window_pages_free(file->private_data);
	hyvh_pseudo_file_release();
	return 0;
}

static const struct file_operations hyvh_window_fops = {
	.owner = THIS_MODULE,
	.release = hyvh_window_release,
	.llseek = noop_llseek,
};

/*
 * Make @nr empty pages. They live until the VMM has unmapped them and
 * hyvh_window_pages_put() was called. Returns ERR_PTR() of -ENOMEM or another
 * errno.
 */
struct hyvh_window_pages *hyvh_window_pages_create(unsigned long nr)
{
	struct hyvh_window_pages *pages;
	int ret = -ENOMEM;

	pages = kzalloc(sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	init_rwsem(&pages->lock);
	pages->ranges = RB_ROOT;
	pages->nr = nr;
	pages->empty = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!pages->empty)
		goto err_pages;
	pages->file = hyvh_pseudo_file_create("hyv-window", &hyvh_window_fops);
	if (IS_ERR(pages->file)) {
		ret = PTR_ERR(pages->file);
		goto err_empty;
	}
	pages->file->private_data = pages;
	return pages;

err_empty:
	__free_page(pages->empty);
err_pages:
	kfree(pages);
	return ERR_PTR(ret);
}

/* There are no ranges any longer. */
void hyvh_window_pages_put(struct hyvh_window_pages *pages)
{
	fput(pages->file);
}
