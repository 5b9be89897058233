// SPDX-License-Identifier: GPL-2.0-only
/*
 * UAR pages in the memory of processes, and of VMs.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <rdma/mlx5-abi.h>

#include "hyvs/hyvs.h"
#include "hyvs/view.h"

/* The offset of a mapping: a command, and the two parts of an index. */
static unsigned int hyvs_mmap_command(unsigned long pgoff)
{
	return (pgoff >> 8) & 0xff;
}

static unsigned long hyvs_mmap_index(unsigned long pgoff)
{
	return (pgoff & 0xff) | (pgoff >> 16 << 8);
}

static unsigned long hyvs_uar_pfn(const struct hyvs_uars *uars,
				  unsigned int index)
{
	return virt_to_phys(uars->page[index]) >> PAGE_SHIFT;
}

/* In this order; worker.c says why. */
static vm_fault_t hyvs_uar_insert(struct hyvs_uars *uars, unsigned int index,
				  struct hyvs_view *view, struct vm_fault *vmf,
				  pgprot_t prot)
{
	struct hyvs_ucontext *uctx = uars->uctx;
	vm_fault_t ret;

	hyvs_uars_expect(uars, index);
	ret = vmf_insert_pfn_prot(vmf->vma, vmf->address,
				  hyvs_uar_pfn(uars, index), prot);
	if (ret != VM_FAULT_NOPAGE || !uctx)
		return ret;
	hyvs_uars_opened(uars, view);
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
	struct vm_area_struct *vma = vmf->vma;
	struct hyvs_uars *uars = vma->vm_private_data;
	vm_fault_t ret;

	down_read(&uars->lock);
	ret = hyvs_uar_insert(uars, vma->vm_pgoff, NULL, vmf,
			      vma->vm_page_prot);
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
	atomic_inc(&uars->mappings);
}

static void hyvs_uar_close(struct vm_area_struct *vma)
{
	struct hyvs_uars *uars = vma->vm_private_data;

	atomic_dec(&uars->mappings);
	hyvs_uars_put(uars);
	/* hyvs_link_exit() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

static const struct vm_operations_struct hyvs_uar_vm_ops = {
	.open = hyvs_uar_open,
	.close = hyvs_uar_close,
	.fault = hyvs_uar_fault,
};

/* --- Views of other modules --- */

static bool hyvs_view_get(struct hyvs_view *view,
			  const struct vm_area_struct *vma, unsigned long *pfn)
{
	if (vma->vm_ops != &hyvs_uar_vm_ops)
		return false;
	INIT_LIST_HEAD(&view->link);
	view->uars = vma->vm_private_data;
	view->index = vma->vm_pgoff;
	view->open = false;
	kref_get(&view->uars->ref);
	*pfn = hyvs_uar_pfn(view->uars, view->index);
	return true;
}

static void hyvs_view_show(struct hyvs_view *view,
			   struct address_space *mapping, loff_t place)
{
	view->mapping = mapping;
	view->place = place;
	hyvs_uars_add_view(view->uars, view);
}

static vm_fault_t hyvs_view_fault(struct hyvs_view *view, struct vm_fault *vmf,
				  pgprot_t prot)
{
	struct hyvs_uars *uars = view->uars;
	vm_fault_t ret;

	down_read(&uars->lock);
	ret = hyvs_uar_insert(uars, view->index, view, vmf, prot);
	up_read(&uars->lock);
	return ret;
}

static void hyvs_view_put(struct hyvs_view *view)
{
	hyvs_uars_del_view(view->uars, view);
	hyvs_uars_put(view->uars);
}

const struct hyvs_view_ops hyvs_view_ops = {
	.get = hyvs_view_get,
	.show = hyvs_view_show,
	.fault = hyvs_view_fault,
	.put = hyvs_view_put,
};
EXPORT_SYMBOL_GPL(hyvs_view_ops);

/* The page of an offset of mlx5, which is made if need be; or a negative errno. */
static int hyvs_mmap_page(struct hyvs_uars *uars, unsigned long pgoff)
{
	unsigned long index = hyvs_mmap_index(pgoff);
	int ret;

	switch (hyvs_mmap_command(pgoff)) {
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
		return index < HYVS_UARS ? index : -EINVAL;
	case MLX5_IB_MMAP_ALLOC_WC:
		if (index >= HYVS_OWN_UARS)
			return -EINVAL;
		ret = hyvs_uars_make(uars, HYVS_UARS + index);
		return ret ?: HYVS_UARS + index;
	default:
		return -EINVAL;
	}
}

int hyvs_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct hyvs_uars *uars = to_hyvs_ucontext(ib)->uars;
	int index;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* ib_uverbs has no reference, so the module may be going. */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	if (atomic_inc_return(&uars->mappings) > HYVS_MAX_MAPPINGS) {
		index = -ENOMEM;
		goto err_count;
	}
	index = hyvs_mmap_page(uars, vma->vm_pgoff);
	if (index < 0)
		goto err_count;

	vma_set_file(vma, uars->file);
	vma->vm_pgoff = index;
	vma->vm_private_data = uars;
	vma->vm_ops = &hyvs_uar_vm_ops;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	kref_get(&uars->ref);
	return 0;

err_count:
	atomic_dec(&uars->mappings);
	module_put(THIS_MODULE);
	return index;
}
