// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory of the loopback transport: the memory of this kernel.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/vmalloc.h>

#include "compat/pfn.h"
#include "loopback.h"

/* Odd, so that every page of the pool has one place. */
#define LOOP_STRIDE	129

static struct page **loop_arena;
/* That of the device node; all mappings are in it. NULL without any so far. */
static struct address_space *loop_mapping;

u64 loop_memory_end(void)
{
	u64 end = 0;
	int nid;

	for_each_online_node(nid)
		end = max_t(u64, end, pgdat_end_pfn(NODE_DATA(nid)));
	return end << PAGE_SHIFT;
}

static struct page *loop_page(u64 pgoff)
{
	u64 arena = LOOP_ARENA >> PAGE_SHIFT;

	if (pgoff < arena)
		return pfn_valid(pgoff) ? pfn_to_online_page(pgoff) : NULL;
	pgoff -= arena;
	if (pgoff >= LOOP_ARENA_PAGES)
		return NULL;
	return loop_arena[pgoff * LOOP_STRIDE % LOOP_ARENA_PAGES];
}

/*
 * Pages that can be pinned are mapped as pages: those of the pool, and those that
 * the guest's driver takes from the page allocator. Others, such as slabs, can
 * only be accessed.
 */
static vm_fault_t loop_fault(struct vm_fault *vmf)
{
	struct page *page = loop_page(vmf->pgoff);
	int ret;

	if (!page)
		return VM_FAULT_SIGBUS;
	ret = vm_insert_page(vmf->vma, vmf->address & PAGE_MASK, page);
	if (ret == -EINVAL)
		return vmf_insert_mixed(vmf->vma, vmf->address & PAGE_MASK,
					page_to_pfn(page));
	if (ret && ret != -EBUSY)
		return ret == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
	return VM_FAULT_NOPAGE;
}

static const struct vm_operations_struct loop_vm_ops = {
	.fault = loop_fault,
};

int loop_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	WRITE_ONCE(loop_mapping, file->f_mapping);
	vm_flags_set(vma, VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &loop_vm_ops;
	return 0;
}

/* Take physical memory back from all mappings; they get it again on access. */
void loop_memory_unmap(void)
{
	struct address_space *mapping = READ_ONCE(loop_mapping);

	if (mapping)
		unmap_mapping_range(mapping, 0, LOOP_ARENA, 1);
}

int loop_memory_init(void)
{
	u32 i;

	loop_arena = vcalloc(LOOP_ARENA_PAGES, sizeof(*loop_arena));
	if (!loop_arena)
		return -ENOMEM;
	for (i = 0; i < LOOP_ARENA_PAGES; i++) {
		loop_arena[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!loop_arena[i]) {
			loop_memory_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void loop_memory_exit(void)
{
	u32 i;

	for (i = 0; i < LOOP_ARENA_PAGES && loop_arena[i]; i++)
		__free_page(loop_arena[i]);
	vfree(loop_arena);
}
