// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of users: pinned once, resolved to pointers once.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <compat/pin.h>

#include "hyvs/hyvs.h"

#define MAX_RUN_SHIFT	30

/* Keys with the same ID differ, so an old one is hardly ever valid. */
static u32 hyvs_new_key(struct hyvs_device *dev, const struct hyvs_id *id)
{
	return id->id << 8 | (u8)atomic_inc_return(&dev->variant);
}

/*
 * The largest power of two such that runs of that size break only where the memory
 * does. The first and last pieces may be shorter.
 */
static u8 hyvs_run_shift(const struct sg_table *sgt, u64 *first_piece)
{
	struct scatterlist *sg;
	u64 middle = BIT_ULL(MAX_RUN_SHIFT);
	unsigned int i;

	*first_piece = sgt->sgl->length;
	for_each_sgtable_sg(sgt, sg, i) {
		if (i > 0 && i + 1 < sgt->orig_nents)
			middle |= sg->length;
		cond_resched();
	}
	return __ffs64(middle);
}

static int hyvs_mem_resolve(struct hyvs_mem *mem)
{
	const struct sg_table *sgt = &mem->umem->sgt_append.sgt;
	struct eng_mem *eng = &mem->eng;
	u64 first_piece, place, size, count;
	struct scatterlist *sg;
	unsigned int i;

	eng->shift = hyvs_run_shift(sgt, &first_piece);
	size = BIT_ULL(eng->shift);
	eng->mask = size - 1;
	/* The end of the first piece is the end of a run. */
	place = -first_piece & (size - 1);
	eng->first = place + ib_umem_offset(mem->umem);
	eng->length = mem->umem->length;
	count = (eng->first + eng->length + size - 1) >> eng->shift;
	if (count > U32_MAX)
		return -ENOMEM;
	eng->count = count;
	/* The kernel warns of 2 GiB, which 1 TiB of scattered memory needs. */
	eng->run = kvcalloc(count, sizeof(*eng->run),
			    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!eng->run)
		return -ENOMEM;
	for_each_sgtable_sg(sgt, sg, i) {
		u8 *piece = page_address(sg_page(sg));
		u64 end = place + sg->length;

		while (place < end && place >> eng->shift < eng->count) {
			u64 step = min(end, (place | (size - 1)) + 1) - place;

			eng->run[place >> eng->shift] = piece -
							(place & (size - 1));
			piece += step;
			place += step;
		}
		cond_resched();
	}
	return 0;
}

static bool hyvs_umem_is_memory(const struct ib_umem *umem)
{
	struct scatterlist *sg;
	unsigned int i, n;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		for (n = 0; n < sg->length >> PAGE_SHIFT; n++) {
			if (!compat_page_is_memory(sg_page(sg) + n))
				return false;
			/* There may be many millions. */
			if (!(n % 1024))
				cond_resched();
		}
	}
	return true;
}

/* Pin memory whose release waits for nobody, whatever the owner maps meanwhile. */
static struct ib_umem *hyvs_umem_get(struct ib_device *ib, u64 address,
				     u64 length, int access)
{
	struct ib_umem *umem = ib_umem_get_va(ib, address, length, access);

	if (IS_ERR(umem) || !umem->writable || hyvs_umem_is_memory(umem))
		return umem;
	/* Nobody has written to it, so it is released without the pages' locks. */
	umem->writable = 0;
	ib_umem_release(umem);
	return ERR_PTR(-EOPNOTSUPP);
}

int hyvs_mem_pin(struct ib_device *ib, struct hyvs_mem *mem, u64 address,
		 u64 length, int access)
{
	int ret;

	mem->umem = hyvs_umem_get(ib, address, length, access);
	if (IS_ERR(mem->umem))
		return PTR_ERR(mem->umem);
	ret = hyvs_mem_resolve(mem);
	if (ret)
		ib_umem_release(mem->umem);
	return ret;
}

void hyvs_mem_unpin(struct hyvs_mem *mem)
{
	kvfree(mem->eng.run);
	ib_umem_release(mem->umem);
}

static struct hyvs_record_page *hyvs_record_find(struct hyvs_ucontext *uctx,
						 unsigned long address)
{
	struct hyvs_record_page *page;

	list_for_each_entry(page, &uctx->records, link)
		if (page->address == address && page->mm == current->mm)
			return page;
	return NULL;
}

static struct hyvs_record_page *hyvs_record_pin(struct hyvs_ucontext *uctx,
						unsigned long address)
{
	struct hyvs_record_page *page;
	struct ib_umem *umem;

	page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
	if (!page)
		return ERR_PTR(-ENOMEM);
	umem = hyvs_umem_get(uctx->ib.device, address, PAGE_SIZE,
			     IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(umem)) {
		kfree(page);
		return ERR_CAST(umem);
	}
	page->umem = umem;
	page->address = address;
	page->mm = current->mm;
	list_add(&page->link, &uctx->records);
	return page;
}

struct hyvs_record_page *hyvs_record_get(struct hyvs_ucontext *uctx,
					 u64 address, __be32 **record)
{
	struct hyvs_record_page *page;

	if (!IS_ALIGNED(address, 8))
		return ERR_PTR(-EINVAL);
	mutex_lock(&uctx->record_lock);
	page = hyvs_record_find(uctx, address & PAGE_MASK);
	if (!page)
		page = hyvs_record_pin(uctx, address & PAGE_MASK);
	if (!IS_ERR(page)) {
		page->users++;
		*record = page_address(sg_page(page->umem->sgt_append.sgt.sgl)) +
			  offset_in_page(address);
	}
	mutex_unlock(&uctx->record_lock);
	return page;
}

void hyvs_record_put(struct hyvs_ucontext *uctx, struct hyvs_record_page *page)
{
	mutex_lock(&uctx->record_lock);
	if (!--page->users) {
		list_del(&page->link);
		ib_umem_release(page->umem);
		kfree(page);
	}
	mutex_unlock(&uctx->record_lock);
}

void hyvs_retire(struct hyvs_device *dev)
{
	u64 epoch = eng_retire(dev->eng);
	bool more;

	while (!eng_retire_look(dev->eng, epoch, &more)) {
		/* A run is short, unless its thread was preempted. */
		if (more)
			cond_resched();
		else
			usleep_range(20, 100);
	}
}

/* --- Memory regions --- */

#define ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |	\
		 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |	\
		 IB_ACCESS_MW_BIND | IB_ZERO_BASED | IB_ACCESS_OPTIONAL)

static u32 hyvs_key_access(int access)
{
	return (access & IB_ACCESS_LOCAL_WRITE ? ENG_LOCAL_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_WRITE ? ENG_REMOTE_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_READ ? ENG_REMOTE_READ : 0) |
	       (access & IB_ACCESS_REMOTE_ATOMIC ? ENG_REMOTE_ATOMIC : 0) |
	       (access & IB_ACCESS_MW_BIND ? ENG_BIND : 0);
}

struct ib_mr *hyvs_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(pd->device);
	struct hyvs_mr *mr;
	int ret;

	if (!udata || access & ~ACCESS || dmah)
		return ERR_PTR(-EOPNOTSUPP);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	ret = hyvs_mem_pin(pd->device, &mr->mem, start, length, access);
	if (ret)
		goto err_free;
	ret = hyvs_id_alloc(hyvs_udata_ucontext(udata), HYVS_KEY, mr, &mr->id);
	if (ret)
		goto err_mem;
	mr->key.key = hyvs_new_key(dev, &mr->id);
	mr->key.pdn = to_hyvs_pd(pd)->id.id;
	mr->access = access;
	mr->key.access = hyvs_key_access(access);
	mr->key.start = iova;
	mr->key.mem = mr->mem.eng;
	mr->ib.lkey = mr->key.key;
	mr->ib.rkey = mr->key.key;
	mr->ib.iova = iova;
	mr->ib.length = length;
	ret = eng_key_add(dev->eng, &mr->key);
	if (ret)
		goto err_id;
	return &mr->ib;

err_id:
	hyvs_id_free(dev, HYVS_KEY, &mr->id);
err_mem:
	hyvs_mem_unpin(&mr->mem);
err_free:
	kfree(mr);
	return ERR_PTR(ret);
}

/*
 * The key stays, and so does the memory: at its address may be another one now, or
 * none.
 */
static int hyvs_mr_change(struct hyvs_mr *mr, struct ib_pd *pd, int access)
{
	struct hyvs_device *dev = to_hyvs_device(pd->device);

	if (access & ~ACCESS)
		return -EOPNOTSUPP;
	if (ib_access_writable(access) && !mr->mem.umem->writable)
		return -EINVAL;
	eng_key_suspend(&mr->key);
	hyvs_retire(dev);
	mr->access = access;
	mr->key.pdn = to_hyvs_pd(pd)->id.id;
	mr->key.access = hyvs_key_access(access);
	eng_key_resume(&mr->key);
	return 0;
}

/* With other memory, it has a new key: nobody uses the old one for that. */
struct ib_mr *hyvs_rereg_user_mr(struct ib_mr *ib, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *pd, struct ib_udata *udata)
{
	struct hyvs_mr *mr = to_hyvs_mr(ib);

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_PD))
		pd = ib->pd;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (flags & IB_MR_REREG_TRANS)
		return hyvs_reg_user_mr(pd, start, length, iova, access, NULL,
					udata);
	return ERR_PTR(hyvs_mr_change(mr, pd, access));
}

/* A work request binds it; until then nobody can use it. */
int hyvs_alloc_mw(struct ib_mw *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_mw *mw = to_hyvs_mw(ib);
	int ret;

	ret = hyvs_id_alloc(hyvs_udata_ucontext(udata), HYVS_KEY, mw, &mw->id);
	if (ret)
		return ret;
	mw->key.key = hyvs_new_key(dev, &mw->id);
	mw->key.pdn = to_hyvs_pd(ib->pd)->id.id;
	mw->key.window = true;
	ib->rkey = mw->key.key;
	ret = eng_key_add(dev->eng, &mw->key);
	if (ret)
		hyvs_id_free(dev, HYVS_KEY, &mw->id);
	return ret;
}

int hyvs_dealloc_mw(struct ib_mw *ib)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_mw *mw = to_hyvs_mw(ib);

	eng_key_del(dev->eng, &mw->key);
	hyvs_retire(dev);
	hyvs_id_free(dev, HYVS_KEY, &mw->id);
	return 0;
}

int hyvs_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_mr *mr = to_hyvs_mr(ib);

	eng_key_del(dev->eng, &mr->key);
	hyvs_retire(dev);
	hyvs_id_free(dev, HYVS_KEY, &mr->id);
	hyvs_mem_unpin(&mr->mem);
	kfree(mr);
	return 0;
}
