// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the mock HCA: queues, mmap(), memory regions and windows.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/uverbs_ioctl.h>

#include "mock.h"

/* Addresses that belong to nothing, for pages that are not memory. */
static struct resource mock_io = {
	.name = "hyv_mock",
	.flags = IORESOURCE_MEM,
};

static struct mock_page *mock_page_of(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct mock_page, ib);
}

static bool mock_page_is_memory(enum hyv_mock_page kind)
{
	return kind == HYV_MOCK_PAGE_WB || kind == HYV_MOCK_PAGE_RO;
}

void mock_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct mock_page *page = mock_page_of(entry);

	if (page->mem)
		free_pages((unsigned long)page->mem, page->order);
	kfree(page);
	mock_count(MOCK_OBJ_page, -1);
}

static struct mock_page *mock_page_create(struct ib_ucontext *uctx, size_t size,
					  struct mminfo *mi)
{
	enum hyv_mock_page kind = mock_page_kind();
	struct mock_page *page;
	int ret = -ENOMEM;

	if (!mock_page_is_memory(kind) && size > HYV_MOCK_IO_PAGES * PAGE_SIZE)
		return ERR_PTR(-EINVAL);

	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(-ENOMEM);
	page->kind = kind;
	page->order = get_order(size);
	if (mock_page_is_memory(kind)) {
		page->mem = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO |
						     __GFP_NOWARN, page->order);
		if (!page->mem)
			goto err_free;
		*(u64 *)page->mem = HYV_MOCK_MAGIC;
	}
	size = PAGE_SIZE << page->order;
	ret = rdma_user_mmap_entry_insert(uctx, &page->ib, size);
	if (ret)
		goto err_mem;
	mock_count(MOCK_OBJ_page, 1);
	mi->offset = rdma_user_mmap_get_offset(&page->ib);
	mi->size = size;
	return page;

err_mem:
	if (page->mem)
		free_pages((unsigned long)page->mem, page->order);
err_free:
	kfree(page);
	return ERR_PTR(ret);
}

static void mock_page_remove(struct mock_page *page)
{
	if (page)
		rdma_user_mmap_entry_remove(&page->ib);
}

static struct ib_umem *mock_pin(struct ib_device *ibdev, u64 addr, u64 length,
				int access)
{
	struct ib_umem *umem = ib_umem_get_va(ibdev, addr, length, access);

	if (!IS_ERR(umem))
		mock_count(MOCK_OBJ_umem, 1);
	return umem;
}

static void mock_unpin(struct ib_umem *umem)
{
	if (!umem)
		return;
	ib_umem_release(umem);
	mock_count(MOCK_OBJ_umem, -1);
}

int mock_queue_alloc(struct mock_queue *queue, struct mock_ucontext *uctx,
		     size_t size, struct mminfo *mi)
{
	struct mock_page *page;

	page = mock_page_create(&uctx->ib, size, mi);
	if (IS_ERR(page))
		return PTR_ERR(page);
	queue->page = page;
	return 0;
}

/**
 * mock_queue_init() - make a queue
 * @queue: the queue; zeroed
 * @ibdev: the HCA
 * @udata: provider data of the caller, NULL if it is the kernel
 * @size: bytes
 * @mi: set to its place for mmap(), if @udata has room for a reply
 *
 * Pins the memory that the caller names, or allocates memory.
 */
int mock_queue_init(struct mock_queue *queue, struct ib_device *ibdev,
		    struct ib_udata *udata, size_t size, struct mminfo *mi)
{
	struct hyv_mock_create_req req = {};
	struct mock_ucontext *uctx;
	struct ib_umem *umem;

	if (!udata)
		return 0;
	if (udata->inlen && udata->inlen != sizeof(req))
		return -EINVAL;
	if (ib_copy_from_udata(&req, udata, udata->inlen))
		return -EFAULT;
	if (req.length) {
		umem = mock_pin(ibdev, req.addr, req.length,
				IB_ACCESS_LOCAL_WRITE);
		if (IS_ERR(umem))
			return PTR_ERR(umem);
		queue->umem = umem;
		return 0;
	}
	uctx = rdma_udata_to_drv_context(udata, struct mock_ucontext, ib);
	return mock_queue_alloc(queue, uctx, size, mi);
}

void mock_queue_free(struct mock_queue *queue)
{
	mock_unpin(queue->umem);
	mock_page_remove(queue->page);
}

static int mock_page_map(struct ib_ucontext *ib, struct vm_area_struct *vma,
			 struct mock_page *page)
{
	unsigned long size = vma->vm_end - vma->vm_start;
	pgprot_t prot = vma->vm_page_prot;
	unsigned long pfn;

	if (size > page->ib.npages * PAGE_SIZE)
		return -EINVAL;
	if (page->kind == HYV_MOCK_PAGE_RO) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	if (page->mem) {
		pfn = virt_to_phys(page->mem) >> PAGE_SHIFT;
	} else {
		pfn = mock_io.start >> PAGE_SHIFT;
		if (page->kind == HYV_MOCK_PAGE_WC) {
			/* A page has one cache attribute. */
			pfn += HYV_MOCK_IO_PAGES;
			prot = pgprot_writecombine(prot);
		} else {
			prot = pgprot_noncached(prot);
		}
	}
	return rdma_user_mmap_io(ib, vma, pfn, size, prot, &page->ib);
}

int mock_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int ret;

	ret = mock_call(MOCK_CALL_mmap);
	if (ret)
		return ret;
	entry = rdma_user_mmap_entry_get(ib, vma);
	if (!entry)
		return -EINVAL;
	ret = mock_page_map(ib, vma, mock_page_of(entry));
	rdma_user_mmap_entry_put(entry);
	return ret;
}

static struct mock_obj *mock_pd_obj(struct ib_pd *pd)
{
	return &container_of(pd, struct mock_pd, ib)->obj;
}

static struct mock_mr *mock_mr_create(struct ib_pd *pd, u64 start, u64 length,
				      int access)
{
	static atomic_t key;
	struct ib_umem *umem;
	struct mock_mr *mr;

	umem = mock_pin(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr) {
		mock_unpin(umem);
		return ERR_PTR(-ENOMEM);
	}
	mr->umem = umem;
	mr->ib.lkey = atomic_inc_return(&key) << 8;
	mr->ib.rkey = mr->ib.lkey;
	mock_hold(&mr->obj, MOCK_OBJ_mr, pd->device);
	mock_use(&mr->obj, mock_pd_obj(pd));
	return mr;
}

struct ib_mr *mock_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata)
{
	struct mock_mr *mr;
	int ret;

	ret = mock_call(MOCK_CALL_reg_user_mr);
	if (ret)
		return ERR_PTR(ret);
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mock_mr_create(pd, start, length, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mock_created(MOCK_CALL_reg_user_mr, udata);
	return &mr->ib;
}

struct ib_mr *mock_rereg_user_mr(struct ib_mr *ib, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *pd, struct ib_udata *udata)
{
	struct mock_mr *mr = container_of(ib, struct mock_mr, ib), *new;
	struct ib_umem *umem;
	int ret;

	ret = mock_call(MOCK_CALL_rereg_user_mr);
	if (ret)
		return ERR_PTR(ret);
	if (mock_rereg_moves()) {
		mock_use_instead(&mr->obj, mock_pd_obj(pd));
		ib->pd = pd;
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (flags & IB_MR_REREG_TRANS) {
		if (mock_rereg_new()) {
			new = mock_mr_create(pd, start, length, access);
			return IS_ERR(new) ? ERR_CAST(new) : &new->ib;
		}
		umem = mock_pin(ib->device, start, length, access);
		if (IS_ERR(umem))
			return ERR_CAST(umem);
		mock_unpin(mr->umem);
		mr->umem = umem;
	}
	if (flags & IB_MR_REREG_PD)
		mock_use_instead(&mr->obj, mock_pd_obj(pd));
	return NULL;
}

int mock_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct mock_mr *mr = container_of(ib, struct mock_mr, ib);
	int ret;

	ret = mock_refusable(&mr->obj, MOCK_CALL_dereg_mr);
	if (ret)
		return ret;
	mock_drop(&mr->obj);
	mock_unpin(mr->umem);
	kfree(mr);
	return 0;
}

int mock_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct mock_mw *mw = container_of(ib, struct mock_mw, ib);
	int ret;

	ret = mock_call(MOCK_CALL_alloc_mw);
	if (ret)
		return ret;
	mock_hold(&mw->obj, MOCK_OBJ_mw, ib->device);
	mock_use(&mw->obj, mock_pd_obj(ib->pd));
	mock_created(MOCK_CALL_alloc_mw, udata);
	return 0;
}

int mock_dealloc_mw(struct ib_mw *ib)
{
	struct mock_mw *mw = container_of(ib, struct mock_mw, ib);
	int ret;

	ret = mock_refusable(&mw->obj, MOCK_CALL_dealloc_mw);
	if (ret)
		return ret;
	mock_drop(&mw->obj);
	return 0;
}

int mock_memory_init(void)
{
	/* Above memory holes that firmware uses, below 40 bits. */
	return allocate_resource(&iomem_resource, &mock_io,
				 2 * HYV_MOCK_IO_PAGES * PAGE_SIZE, SZ_4G,
				 BIT_ULL(39) - 1, PAGE_SIZE, NULL, NULL);
}

void mock_memory_exit(void)
{
	release_resource(&mock_io);
}
