// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <rdma/mlx5-abi.h>

#include "hyvs/hyvs.h"

/* Places in a page where libmlx5 writes. */
#define ARM_OFFSET	0x20
#define RING_OFFSET	0x800

/* The offset of a mapping: a command, and the two parts of an index. */
static unsigned int hyvs_mmap_command(unsigned long pgoff)
{
	return (pgoff >> 8) & 0xff;
}

static unsigned long hyvs_mmap_index(unsigned long pgoff)
{
	return (pgoff & 0xff) | (pgoff >> 16 << 8);
}

void hyvs_uars_wake(struct hyvs_uars *uars)
{
	WRITE_ONCE(uars->woken, true);
	/* Pairs with the barrier of a worker that is about to sleep. */
	smp_mb();
	/* After the barrier: waitqueue_active() is safe. */
	if (waitqueue_active(&uars->wait))
		wake_up(&uars->wait);
}

int hyvs_uars_init(struct hyvs_uars *uars)
{
	static atomic64_t ids = ATOMIC64_INIT(0);
	unsigned int i;

	init_waitqueue_head(&uars->wait);
	uars->id = atomic64_inc_return(&ids);
	for (i = 0; i < HYVS_UARS; i++) {
		uars->page[i] = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
		if (!uars->page[i])
			goto err_pages;
	}
	return 0;

err_pages:
	hyvs_uars_free(uars);
	return -ENOMEM;
}

void hyvs_uars_free(struct hyvs_uars *uars)
{
	unsigned int i;

	for (i = 0; i < HYVS_UARS; i++)
		free_page((unsigned long)uars->page[i]);
}

/* All contexts of a device share the mapping of its file, so each has a place. */
static pgoff_t hyvs_uar_pgoff(const struct hyvs_uars *uars, unsigned int index)
{
	return (pgoff_t)uars->id * HYVS_UARS + index;
}

/*
 * In this order: the store that comes again must find the page, and a worker that
 * sees the flag must not have taken the page away after it was inserted.
 */
static vm_fault_t hyvs_uar_fault(struct vm_fault *vmf)
{
	struct hyvs_ucontext *uctx = vmf->vma->vm_private_data;
	unsigned int index = vmf->vma->vm_pgoff % HYVS_UARS;
	unsigned long pfn;
	vm_fault_t ret;

	pfn = virt_to_phys(uctx->uars.page[index]) >> PAGE_SHIFT;
	ret = vmf_insert_pfn(vmf->vma, vmf->address, pfn);
	if (ret == VM_FAULT_NOPAGE)
		hyvs_uars_wake(&uctx->uars);
	return ret;
}

static const struct vm_operations_struct hyvs_uar_vm_ops = {
	.fault = hyvs_uar_fault,
};

/* The file of the mapping keeps the context. */
int hyvs_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(ib);
	unsigned long index = hyvs_mmap_index(vma->vm_pgoff);

	switch (hyvs_mmap_command(vma->vm_pgoff)) {
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
		break;
	default:
		return -EINVAL;
	}
	if (index >= HYVS_UARS || vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;

	vma->vm_pgoff = hyvs_uar_pgoff(&uctx->uars, index);
	vma->vm_private_data = uctx;
	vma->vm_ops = &hyvs_uar_vm_ops;
	/* A child has no part in the context of its parent. */
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP |
		     VM_DONTCOPY);
	WRITE_ONCE(uctx->uars.mapping, vma->vm_file->f_mapping);
	return 0;
}

void hyvs_uars_hide(struct hyvs_uars *uars)
{
	struct address_space *mapping = READ_ONCE(uars->mapping);
	loff_t start = (loff_t)hyvs_uar_pgoff(uars, 0) << PAGE_SHIFT;

	if (mapping)
		unmap_mapping_range(mapping, start, HYVS_UARS * PAGE_SIZE, 1);
}

static bool hyvs_uar_changed(void *page, unsigned int offset, u64 *last)
{
	u64 word = READ_ONCE(*(u64 *)(page + offset));

	if (word == *last)
		return false;
	*last = word;
	return true;
}

bool hyvs_uar_rung(struct hyvs_uars *uars, unsigned int i, u32 *qpn)
{
	if (!hyvs_uar_changed(uars->page[i], RING_OFFSET, &uars->rung[i]))
		return false;
	*qpn = (be64_to_cpu((__force __be64)uars->rung[i]) >> 8) & 0xffffff;
	return true;
}

bool hyvs_uar_armed(struct hyvs_uars *uars)
{
	return hyvs_uar_changed(uars->page[0], ARM_OFFSET, &uars->armed);
}
