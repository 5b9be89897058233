// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues of the HCA in the address space of a process.
 *
 * The host puts what a provider maps into the window, and the process gets
 * those pages of the window. When its last mapping of them is gone the host is
 * told so, from a work item, since munmap(2) and exit must not wait for that.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "command/cmd.h"
#include "dev.h"

/**
 * struct vhyv_mmap_entry - a piece of the window that a process has mapped
 * @rdma_entry: counts the mappings
 * @window_offset: the host's name of it
 * @node: in vhyv_ucontext.munmaps
 */
struct vhyv_mmap_entry {
	struct rdma_user_mmap_entry rdma_entry;
	u64 window_offset;
	struct llist_node node;
};

static void vhyv_munmap_work(struct work_struct *work)
{
	struct vhyv_ucontext *uctx = container_of(work, struct vhyv_ucontext,
						  munmap_work);
	struct vhyv_mmap_entry *entry, *next;
	struct llist_node *list = llist_del_all(&uctx->munmaps);

	llist_for_each_entry_safe(entry, next, list, node) {
		/* What the host does not undo now goes with the context. */
		vhyv_cmd_munmap(uctx, entry->window_offset);
		kfree(entry);
	}
}

/**
 * vhyv_mmap_init() - prepare a context for mappings
 * @uctx: the context
 */
void vhyv_mmap_init(struct vhyv_ucontext *uctx)
{
	init_llist_head(&uctx->munmaps);
	INIT_WORK(&uctx->munmap_work, vhyv_munmap_work);
}

/**
 * vhyv_mmap_uninit() - forget the mappings of a context
 * @uctx: a context without mappings, which is about to be destroyed
 *
 * The host undoes what it has not been told of when the context goes.
 */
void vhyv_mmap_uninit(struct vhyv_ucontext *uctx)
{
	struct vhyv_mmap_entry *entry, *next;
	struct llist_node *list;

	cancel_work_sync(&uctx->munmap_work);
	list = llist_del_all(&uctx->munmaps);
	llist_for_each_entry_safe(entry, next, list, node)
		kfree(entry);
}

/**
 * vhyv_mmap() - ib_device_ops.mmap
 * @ibuc: the context
 * @vma: what to map; its file offset has a meaning to the provider and the
 *	host's driver only
 *
 * Return: 0 or a negative errno.
 */
int vhyv_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(ibuc);
	struct vhyv_dev *hdev = to_vhyv_dev(ibuc->device);
	unsigned long length = vma->vm_end - vma->vm_start;
	struct vhyv_mmap_entry *entry;
	struct vhyv_mapping mapping;
	int ret;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;

	ret = vhyv_cmd_mmap(uctx, (u64)vma->vm_pgoff << PAGE_SHIFT, length,
			    vma->vm_flags, vma->vm_page_prot, &mapping);
	if (ret)
		goto err_free;
	entry->window_offset = mapping.window_offset;

	/* The offset that this assigns is not used, only the count is. */
	ret = rdma_user_mmap_entry_insert(ibuc, &entry->rdma_entry, length);
	if (ret)
		goto err_munmap;

	/* The host was asked for no more than this. */
	if (!(vma->vm_flags & VM_WRITE))
		vm_flags_clear(vma, VM_MAYWRITE);
	ret = rdma_user_mmap_io(ibuc, vma,
				PHYS_PFN(hdev->window.addr +
					 mapping.window_offset),
				length, mapping.prot, &entry->rdma_entry);
	/* From here on the mapping holds the entry; without one it goes. */
	rdma_user_mmap_entry_remove(&entry->rdma_entry);
	return ret;

err_munmap:
	vhyv_cmd_munmap(uctx, mapping.window_offset);
err_free:
	kfree(entry);
	return ret;
}

/**
 * vhyv_mmap_free() - ib_device_ops.mmap_free
 * @rdma_entry: an entry which no process maps any more
 *
 * Context: may sleep, but mmap_lock may be held.
 */
void vhyv_mmap_free(struct rdma_user_mmap_entry *rdma_entry)
{
	struct vhyv_mmap_entry *entry = container_of(rdma_entry,
						     struct vhyv_mmap_entry,
						     rdma_entry);
	struct vhyv_ucontext *uctx = to_vhyv_ucontext(rdma_entry->ucontext);

	llist_add(&entry->node, &uctx->munmaps);
	queue_work(to_vhyv_dev(uctx->ibuc.device)->wq, &uctx->munmap_work);
}
