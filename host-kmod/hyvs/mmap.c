// SPDX-License-Identifier: GPL-2.0-only
/*
 * UAR pages in the memory of processes.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <rdma/mlx5-abi.h>

#include "hyvs/hyvs.h"

/* The offset of a mapping: a command, and the two parts of an index. */
static unsigned int hyvs_mmap_command(unsigned long pgoff)
{
	return (pgoff >> 8) & 0xff;
}

static unsigned long hyvs_mmap_index(unsigned long pgoff)
{
	return (pgoff & 0xff) | (pgoff >> 16 << 8);
}

/* In this order; worker.c says why. */
static vm_fault_t hyvs_uar_insert(struct hyvs_uars *uars, struct vm_fault *vmf)
{
	unsigned int index = vmf->vma->vm_pgoff % HYVS_UARS;
	struct hyvs_ucontext *uctx = uars->uctx;
	unsigned long pfn;
	vm_fault_t ret;

	hyvs_uars_expect(uars, index);
	pfn = virt_to_phys(uars->page[index]) >> PAGE_SHIFT;
	ret = vmf_insert_pfn(vmf->vma, vmf->address, pfn);
	if (ret != VM_FAULT_NOPAGE || !uctx)
		return ret;
	WRITE_ONCE(uars->open, true);
	hyvs_count(uctx, HYVS_STAT_FAULTS);
	/* Nothing is urgent then: let the store be made before the worker runs. */
	if (hyvs_worker_assist(uctx))
		hyvs_uars_wake_later(uars);
	else
		hyvs_uars_wake(uars);
	return ret;
}

static vm_fault_t hyvs_uar_fault(struct vm_fault *vmf)
{
	struct hyvs_uars *uars = vmf->vma->vm_private_data;
	vm_fault_t ret;

	down_read(&uars->lock);
	ret = hyvs_uar_insert(uars, vmf);
	up_read(&uars->lock);
	return ret;
}

/*
 * ib_uverbs does not keep the module of a device that may go before its users. Each
 * mapping does.
 */
static void hyvs_uar_open(struct vm_area_struct *vma)
{
	struct hyvs_uars *uars = vma->vm_private_data;

	__module_get(THIS_MODULE);
	kref_get(&uars->ref);
}

static void hyvs_uar_close(struct vm_area_struct *vma)
{
	hyvs_uars_put(vma->vm_private_data);
	/* hyvs_link_exit() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

static const struct vm_operations_struct hyvs_uar_vm_ops = {
	.open = hyvs_uar_open,
	.close = hyvs_uar_close,
	.fault = hyvs_uar_fault,
};

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
	/* ib_uverbs has no reference, so the module may be going. */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;

	vma->vm_pgoff = hyvs_uar_pgoff(uctx->uars, index);
	vma->vm_private_data = uctx->uars;
	vma->vm_ops = &hyvs_uar_vm_ops;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	WRITE_ONCE(uctx->uars->mapping, vma->vm_file->f_mapping);
	kref_get(&uctx->uars->ref);
	return 0;
}
