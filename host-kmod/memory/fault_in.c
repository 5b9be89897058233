// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making memory of the VMM present without waiting for the VMM. A page fault
 * may wait for user space: for the server of a FUSE file, or the owner of a
 * userfaultfd. So a kernel thread accesses the VMM's memory with page faults
 * disabled, and brings in missing pages with hyvh_fault_in().
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>

#include "memory/fault_in.h"

#ifdef HYV_TEST
/* tests/loopback has the memory of this kernel as guest RAM, which it maps. */
static bool hyvh_file_is_loopback(const struct file *file)
{
	const struct module *owner = file->f_op->owner;

	return owner && !strcmp(module_name(owner), "hyv_loopback");
}
#else
static bool hyvh_file_is_loopback(const struct file *file)
{
	return false;
}
#endif

/*
 * The magic number of tmpfs would not do: devtmpfs has it, too, but faults of a
 * device are handled by its driver or its disk.
 */
bool hyvh_file_is_memory(const struct file *file)
{
	return shmem_mapping(file->f_mapping) || hyvh_file_is_loopback(file);
}

/*
 * Faults of these mappings are handled by the kernel alone, except for
 * userfaultfd, which respects FOLL_NOWAIT. memfds are files of tmpfs or
 * hugetlbfs.
 */
static bool hyvh_vma_is_memory(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return false;
	return vma_is_anonymous(vma) || is_vm_hugetlb_page(vma) ||
	       (vma->vm_file && hyvh_file_is_memory(vma->vm_file));
}

/**
 * hyvh_fault_in_check() - check that hyvh_fault_in() supports memory
 * @addr: address in current->mm
 * @len: bytes
 *
 * Context: Process context. May sleep.
 * Return: 0, %-EOPNOTSUPP if some of it is memory of another kind, %-EFAULT if
 * it is not mapped, or %-EINTR if a fatal signal is pending.
 */
int hyvh_fault_in_check(u64 addr, u64 len)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	u64 end = addr + len;
	int ret = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	while (addr < end && !ret) {
		vma = vma_lookup(mm, addr);
		if (!vma)
			ret = -EFAULT;
		else if (!hyvh_vma_is_memory(vma))
			ret = -EOPNOTSUPP;
		else
			addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return ret;
}

/*
 * Make a page of current->mm present and writable, and wait for who provides it. A pin
 * for long waits, too, but not on kernel 6.1. May sleep.
 */
void hyvh_fault_in_wait(unsigned long addr)
{
	struct page *page;

	if (pin_user_pages_fast(addr, 1, FOLL_WRITE, &page) == 1)
		unpin_user_page(page);
}

static int hyvh_fault_in_page(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	vma = vma_lookup(mm, addr);
	if (!vma || !hyvh_vma_is_memory(vma))
		return -EFAULT;
	switch (get_user_pages_remote(mm, addr, 1, FOLL_WRITE | FOLL_NOWAIT,
				      NULL, NULL)) {
	case 1:
		return 0;
	case 0:
	case -ENOMEM:
		return -EAGAIN;
	default:
		return -EFAULT;
	}
}

/**
 * hyvh_fault_in() - make memory present and writable
 * @mm: its address space, with a user count
 * @addr: address
 * @len: bytes
 *
 * Does not wait for user space, nor for who holds the mmap lock. The memory may
 * go away again at any time. Page tables, too, are charged to the memory cgroup of
 * @mm, though the caller may be a kernel thread.
 *
 * Context: Process context. May sleep.
 * Return: 0; %-EAGAIN if that needs more time; or %-EFAULT if @addr is not
 * writable memory of a supported kind.
 */
int hyvh_fault_in(struct mm_struct *mm, u64 addr, u64 len)
{
	struct mem_cgroup *memcg, *old;
	u64 at = addr & PAGE_MASK;
	int ret = 0;

	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	memcg = get_mem_cgroup_from_mm(mm);
	old = set_active_memcg(memcg);
	for (; at < addr + len && !ret; at += PAGE_SIZE)
		ret = hyvh_fault_in_page(mm, at);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	mmap_read_unlock(mm);
	return ret;
}
