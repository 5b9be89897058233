// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of an HCA, found by letting its driver map it once.
 *
 * The driver maps at an address of the VMM that the kernel chooses. The
 * snapshot refers to the pages in that mapping, which is removed at once. The
 * VMM can interfere, because it is its address space. So the mapping is checked
 * and read under one hold of the mmap lock, and the VMM can only harm itself.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <compat/ib_private.h>
#include <hyv/wire.h>

#include "memory/snapshot.h"

unsigned long hyvh_snapshot_pfn(const struct hyvh_snapshot *snapshot,
				unsigned long i)
{
	return snapshot->nr_held ? page_to_pfn(snapshot->page[i]) :
				   snapshot->pfn + i;
}

static pgprot_t hyvh_snapshot_prot(const struct hyvh_snapshot *snapshot,
				   vm_flags_t flags)
{
	pgprot_t prot;

	if (!snapshot->writable)
		flags &= ~VM_WRITE;
	prot = vm_get_page_prot(flags);
	if (snapshot->cache == HYV_CACHE_UC)
		prot = pgprot_noncached(prot);
	else if (snapshot->cache == HYV_CACHE_WC)
		prot = pgprot_writecombine(prot);
	return snapshot->io ? pgprot_decrypted(prot) : prot;
}

void hyvh_snapshot_show(struct hyvh_snapshot *snapshot,
			struct address_space *mapping, loff_t place)
{
	if (snapshot->view_ops)
		snapshot->view_ops->show(&snapshot->view, mapping, place);
}

vm_fault_t hyvh_snapshot_insert(struct hyvh_snapshot *snapshot,
				struct vm_fault *vmf, unsigned long i)
{
	pgprot_t prot = hyvh_snapshot_prot(snapshot, vmf->vma->vm_flags);

	if (snapshot->view_ops)
		return snapshot->view_ops->fault(&snapshot->view, vmf, prot);
	return vmf_insert_pfn_prot(vmf->vma, vmf->address,
				   hyvh_snapshot_pfn(snapshot, i), prot);
}

static u8 hyvh_snapshot_cache(struct vm_area_struct *vma)
{
	pgprot_t plain = vm_get_page_prot(vma->vm_flags);
	pgprot_t prot = vma->vm_page_prot;

	if (pgprot_val(prot) == pgprot_val(pgprot_noncached(plain)))
		return HYV_CACHE_UC;
	if (pgprot_val(prot) == pgprot_val(pgprot_writecombine(plain)))
		return HYV_CACHE_WC;
	return HYV_CACHE_WB;
}

static int hyvh_snapshot_pages(struct hyvh_snapshot *snapshot,
			       unsigned long addr)
{
	unsigned int flags = snapshot->writable ? FOLL_WRITE : 0;
	long ret;

	while (snapshot->nr_held < snapshot->nr) {
		ret = get_user_pages(addr + (snapshot->nr_held << PAGE_SHIFT),
				     snapshot->nr - snapshot->nr_held, flags,
				     snapshot->page + snapshot->nr_held);
		if (ret <= 0)
			return ret ?: -EFAULT;
		snapshot->nr_held += ret;
	}
	return 0;
}

/* Is it a doorbell page of hyvs.ko? These come and go: each fault is a doorbell. */
static bool hyvh_snapshot_view(struct hyvh_snapshot *snapshot,
			       struct vm_area_struct *vma)
{
	const struct hyvs_view_ops *ops = symbol_get(hyvs_view_ops);

	if (!ops)
		return false;
	if (snapshot->nr != 1 ||
	    !ops->get(&snapshot->view, vma, &snapshot->pfn)) {
		symbol_put(hyvs_view_ops);
		return false;
	}
	snapshot->view_ops = ops;
	return true;
}

static int hyvh_snapshot_io(struct hyvh_snapshot *snapshot,
			    struct vm_area_struct *vma, bool lasting)
{
	struct rdma_user_mmap_entry *entry = compat_umap_entry(vma);
	unsigned long i;
	int ret;

	/* Without an entry nothing would keep the memory allocated. */
	if (entry ? !kref_get_unless_zero(&entry->ref) : !lasting)
		return -EOPNOTSUPP;
	snapshot->io = true;
	snapshot->entry = entry;
	for (i = 0; i < snapshot->nr; i++) {
		struct follow_pfnmap_args args = {
			.vma = vma,
			.address = vma->vm_start + (i << PAGE_SHIFT),
		};
		unsigned long pfn;
		bool writable;

		ret = follow_pfnmap_start(&args);
		if (ret)
			return ret;
		pfn = args.pfn;
		writable = args.writable;
		follow_pfnmap_end(&args);
		if (!i)
			snapshot->pfn = pfn;
		if (pfn != snapshot->pfn + i)
			return -EOPNOTSUPP;
		snapshot->writable &= writable;
	}
	return 0;
}

static int hyvh_snapshot_fill(struct hyvh_snapshot *snapshot, struct file *file,
			      unsigned long pgoff, unsigned long addr,
			      bool lasting)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	int ret = -EFAULT;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	vma = vma_lookup(mm, addr);
	if (!vma || vma->vm_start != addr || vma_pages(vma) != snapshot->nr)
		goto out;
	snapshot->cache = hyvh_snapshot_cache(vma);
	/* hyvs.ko has a file and offsets of its own. */
	if (hyvh_snapshot_view(snapshot, vma))
		ret = 0;
	else if (vma->vm_file != file || vma->vm_pgoff != pgoff)
		ret = -EFAULT;
	else if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		ret = hyvh_snapshot_io(snapshot, vma, lasting);
	else
		ret = hyvh_snapshot_pages(snapshot, addr);
out:
	mmap_read_unlock(mm);
	return ret;
}

/**
 * hyvh_snapshot_take() - find memory of an HCA
 * @file: uverbs file of a context
 * @pgoff: mmap offset in pages
 * @nr: number of pages
 * @writable: ask for memory that can be written
 * @lasting: I/O memory without an owner lasts longer than the snapshot will
 * @made: set when the driver has mapped the memory, even if this fails then
 *
 * Calls the driver's mmap once.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: the snapshot; or ERR_PTR() of -EOPNOTSUPP if the driver maps what is
 * neither pages, nor a doorbell page of hyvs.ko, nor one range of I/O memory with an
 * owner; -EFAULT if the VMM has interfered; or another error of mmap(2).
 */
struct hyvh_snapshot *hyvh_snapshot_take(struct file *file, unsigned long pgoff,
					 unsigned long nr, bool writable,
					 bool lasting, bool *made)
{
	unsigned long prot = PROT_READ | (writable ? PROT_WRITE : 0);
	struct hyvh_snapshot *snapshot;
	unsigned long addr;
	int ret;

	snapshot = kvzalloc(struct_size(snapshot, page, nr),
			    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!snapshot)
		return ERR_PTR(-ENOMEM);
	snapshot->nr = nr;
	snapshot->writable = writable;

	addr = vm_mmap(file, 0, nr << PAGE_SHIFT, prot, MAP_SHARED,
		       pgoff << PAGE_SHIFT);
	if (IS_ERR_VALUE(addr)) {
		ret = (int)addr;
		goto err_free;
	}
	*made = true;
	ret = hyvh_snapshot_fill(snapshot, file, pgoff, addr, lasting);
	vm_munmap(addr, nr << PAGE_SHIFT);
	if (ret)
		goto err_free;
	return snapshot;

err_free:
	hyvh_snapshot_free(snapshot);
	return ERR_PTR(ret);
}

/* Nothing maps the memory any longer. */
void hyvh_snapshot_free(struct hyvh_snapshot *snapshot)
{
	while (snapshot->nr_held)
		put_page(snapshot->page[--snapshot->nr_held]);
	if (snapshot->entry)
		rdma_user_mmap_entry_put(snapshot->entry);
	if (snapshot->view_ops) {
		snapshot->view_ops->put(&snapshot->view);
		symbol_put(hyvs_view_ops);
	}
	kvfree(snapshot);
}
