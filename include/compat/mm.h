/* SPDX-License-Identifier: GPL-2.0-only */
/* Before 6.3 vm_flags was written directly, under mmap_lock. */
#ifndef HYV_COMPAT_MM_H
#define HYV_COMPAT_MM_H

#include <linux/mm.h>

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

#endif /* HYV_COMPAT_MM_H */
