/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.12 follow_pfnmap_start() finds the PFN in a VMA without pages; before
 * it was follow_pte(), which has taken the VMA since 6.10.
 *
 * Before 6.5 get_user_pages() and get_user_pages_remote() could return the VMAs,
 * too.
 *
 * Before 6.4 a fault always had the mmap lock.
 *
 * Before 6.3 vm_flags was written directly, under mmap_lock.
 */
#ifndef HYV_COMPAT_MM_H
#define HYV_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

/* Only pure units are compiled for UML, whose PTEs had no pgprot. */
#ifndef CONFIG_UML

struct follow_pfnmap_args {
	/* Set by the caller. */
	struct vm_area_struct *vma;
	unsigned long address;
	/* For follow_pfnmap_end(). */
	spinlock_t *lock;
	pte_t *ptep;
	/* Results, valid until follow_pfnmap_end(). */
	unsigned long pfn;
	pgprot_t pgprot;
	bool writable;
};

static inline int follow_pfnmap_start(struct follow_pfnmap_args *args)
{
	int ret;

	if (!(args->vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return -EINVAL;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	ret = follow_pte(args->vma->vm_mm, args->address, &args->ptep,
			 &args->lock);
#else
	ret = follow_pte(args->vma, args->address, &args->ptep, &args->lock);
#endif
	if (ret)
		return ret;
	args->pfn = pte_pfn(*args->ptep);
	args->pgprot = pte_pgprot(*args->ptep);
	args->writable = pte_write(*args->ptep);
	return 0;
}

static inline void follow_pfnmap_end(struct follow_pfnmap_args *args)
{
	/* follow_pte() is not annotated, so sparse does not know of the lock. */
	__acquire(args->lock);
	pte_unmap_unlock(args->ptep, args->lock);
}

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)

#define get_user_pages(start, nr_pages, gup_flags, pages)		\
	get_user_pages(start, nr_pages, gup_flags, pages, NULL)

#define get_user_pages_remote(mm, start, nr, flags, pages, locked)	\
	get_user_pages_remote(mm, start, nr, flags, pages, NULL, locked)

#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define FAULT_FLAG_VMA_LOCK	0
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)

static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags &= ~flags;
}

#endif

#endif /* HYV_COMPAT_MM_H */
