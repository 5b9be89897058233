// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell area. Its pages are pinned and mapped into the kernel, so that
 * the worker polls it without page faults.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <compat/pin.h>
#include <hyv/wire.h>

#include "memory/chunk.h"
#include "memory/fault_in.h"
#include "memory/mem_table.h"
#include "memory/memlock.h"
#include "memory/quota.h"
#include "notify/doorbell.h"
#include "notify/doorbell_map.h"
#include "trace.h"

/* The guest's doorbell area. */
struct hyvh_doorbell_area {
	struct hyv_db_hdr *hdr;		/* start of the kernel's mapping */
	struct hyvh_doorbell_map sq;	/* send doorbells */
	struct hyvh_doorbell_map arm;	/* for the next completion */
	struct hyvh_doorbell_map solicited; /* for the next solicited one */
	struct page **pages;		/* pinned */
	unsigned int nr_pages;

	/* To undo hyvh_doorbell_area_charge(). */
	struct hyvh_quota *quota;
	struct mm_struct *mm;		/* the vNIC keeps it */
	unsigned long charged;		/* pages */
};

void hyvh_doorbells_init(struct hyvh_doorbells *db,
			 const struct hyvh_doorbell_ops *ops, void *arg,
			 struct hyvh_quota *quota)
{
	db->ops = ops;
	db->arg = arg;
	db->quota = quota;
	mutex_init(&db->lock);
}

void hyvh_doorbells_destroy(struct hyvh_doorbells *db)
{
	mutex_destroy(&db->lock);
}

/* Account pinned pages like the memory of MRs. */
static int hyvh_doorbell_area_charge(struct hyvh_doorbell_area *area,
				     struct hyvh_quota *quota,
				     unsigned long nr)
{
	struct mm_struct *mm = current->mm;
	int ret;

	ret = hyvh_quota_charge(quota, (u64)nr << PAGE_SHIFT);
	if (ret)
		return ret;
	if (!hyvh_may_lock(atomic64_add_return(nr, &mm->pinned_vm))) {
		atomic64_sub(nr, &mm->pinned_vm);
		hyvh_quota_uncharge(quota, (u64)nr << PAGE_SHIFT);
		return -ENOMEM;
	}
	area->quota = quota;
	area->mm = mm;
	area->charged = nr;
	return 0;
}

static void hyvh_doorbell_area_uncharge(struct hyvh_doorbell_area *area)
{
	if (!area->charged)
		return;
	atomic64_sub(area->charged, &area->mm->pinned_vm);
	hyvh_quota_uncharge(area->quota, (u64)area->charged << PAGE_SHIFT);
}

/* Only memory whose pages nobody but the kernel locks: it unpins them later. */
static int hyvh_doorbell_area_pin_page(struct hyvh_doorbell_area *area, u64 hva)
{
	struct page *page;
	int ret;

	ret = hyvh_fault_in_check(hva, PAGE_SIZE);
	if (ret)
		return ret;
	hyvh_fault_in_wait(hva);
	ret = pin_user_pages_fast(hva, 1, FOLL_WRITE | FOLL_LONGTERM, &page);
	if (ret != 1)
		return ret < 0 ? ret : -EFAULT;
	/* The VMM may have mapped other memory in between. */
	if (!compat_page_is_memory(page)) {
		unpin_user_page(page);
		return -EOPNOTSUPP;
	}
	area->pages[area->nr_pages++] = page;
	return 0;
}

static int hyvh_doorbell_area_pin(struct hyvh_doorbell_area *area,
				  const struct hyvh_chunks *chunks,
				  const struct hyvh_mem_table *table)
{
	unsigned int i;

	for (i = 0; i < chunks->nr; i++) {
		u64 gpa = chunks->chunk[i].addr;
		u64 end = gpa + chunks->chunk[i].len;

		for (; gpa < end; gpa += PAGE_SIZE) {
			u64 hva, run;
			int ret;

			ret = hyvh_mem_table_translate(table, gpa, PAGE_SIZE,
						       &hva, &run);
			if (ret)
				return ret;
			if (run < PAGE_SIZE)
				return -EFAULT;
			ret = hyvh_doorbell_area_pin_page(area, hva);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int hyvh_doorbell_area_map(struct hyvh_doorbell_area *area)
{
	void *base = vmap(area->pages, area->nr_pages, VM_MAP, PAGE_KERNEL);
	int ret;

	if (!base)
		return -ENOMEM;
	area->hdr = base;
	ret = hyvh_doorbell_map_init(&area->sq, base + HYV_DB_SQ_OFFSET,
				     HYVH_QP_SLOTS);
	if (ret)
		return ret;
	ret = hyvh_doorbell_map_init(&area->arm,
				     base + HYV_DB_ARM_OFFSET(HYVH_QP_SLOTS),
				     HYVH_CQ_SLOTS);
	if (ret)
		return ret;
	return hyvh_doorbell_map_init(&area->solicited, base +
				      HYV_DB_SOLICITED_OFFSET(HYVH_QP_SLOTS,
							      HYVH_CQ_SLOTS),
				      HYVH_CQ_SLOTS);
}

static void hyvh_doorbell_area_free(struct hyvh_doorbell_area *area)
{
	if (area->hdr)
		vunmap(area->hdr);
	/* The worker has written to it. */
	unpin_user_pages_dirty_lock(area->pages, area->nr_pages, true);
	kfree(area->pages);
	hyvh_doorbell_area_uncharge(area);
	kfree(area);
}

static struct hyvh_doorbell_area *
hyvh_doorbell_area_create(const struct hyvh_chunks *chunks,
			  const struct hyvh_mem_table *table,
			  struct hyvh_quota *quota)
{
	unsigned long nr = chunks->length >> PAGE_SHIFT;
	struct hyvh_doorbell_area *area;
	int ret = -ENOMEM;

	area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	if (!area)
		return ERR_PTR(-ENOMEM);
	area->pages = kcalloc(nr, sizeof(*area->pages), GFP_KERNEL_ACCOUNT);
	if (!area->pages)
		goto err_free;
	ret = hyvh_doorbell_area_charge(area, quota, nr);
	if (ret)
		goto err_free;
	ret = hyvh_doorbell_area_pin(area, chunks, table);
	if (ret)
		goto err_free;
	ret = hyvh_doorbell_area_map(area);
	if (ret)
		goto err_free;
	return area;

err_free:
	hyvh_doorbell_area_free(area);
	return ERR_PTR(ret);
}

/**
 * hyvh_doorbells_setup() - start to use a doorbell area
 * @db: the doorbells
 * @chunks: the area; whole pages, HYV_DB_AREA_SIZE() to
 *	HYVH_MAX_DOORBELL_AREA bytes
 * @table: memory table that translates @chunks
 *
 * The caller wakes the worker, which may be sleeping without having asked the
 * guest for kicks.
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: 0, %-EEXIST if there is an area already, %-EINTR if a fatal signal is
 * pending, %-EFAULT if @chunks are not guest memory, %-EOPNOTSUPP if that is a file or
 * a device, %-EDQUOT or %-ENOMEM if the vNIC or the VMM has pinned too much memory, or
 * another negative errno.
 */
int hyvh_doorbells_setup(struct hyvh_doorbells *db,
			 const struct hyvh_chunks *chunks,
			 struct hyvh_mem_table *table)
{
	struct hyvh_doorbell_area *area;
	int ret;

	ret = mutex_lock_killable(&db->lock);
	if (ret)
		return ret;
	if (db->area) {
		ret = -EEXIST;
		goto out;
	}
	area = hyvh_doorbell_area_create(chunks, table, db->quota);
	ret = PTR_ERR_OR_ZERO(area);
	if (ret)
		goto out;
	/* Pairs with smp_load_acquire() in hyvh_doorbells_area(). */
	smp_store_release(&db->area, area);
out:
	mutex_unlock(&db->lock);
	return ret;
}

/* Free the area, while no request is executed and the worker is paused. */
void hyvh_doorbells_free(struct hyvh_doorbells *db)
{
	struct hyvh_doorbell_area *area;

	mutex_lock(&db->lock);
	area = db->area;
	db->area = NULL;
	mutex_unlock(&db->lock);
	if (area)
		hyvh_doorbell_area_free(area);
}

static struct hyvh_doorbell_area *
hyvh_doorbells_area(const struct hyvh_doorbells *db)
{
	/* Pairs with smp_store_release() in hyvh_doorbells_setup(). */
	return smp_load_acquire(&db->area);
}

static void hyvh_doorbells_ring(void *arg, u32 slot)
{
	struct hyvh_doorbells *db = arg;

	db->ops->ring(db->arg, slot);
	cond_resched();
}

static void hyvh_doorbells_arm(void *arg, u32 slot)
{
	struct hyvh_doorbells *db = arg;

	db->ops->arm(db->arg, slot, IB_CQ_NEXT_COMP);
	cond_resched();
}

static void hyvh_doorbells_arm_solicited(void *arg, u32 slot)
{
	struct hyvh_doorbells *db = arg;

	db->ops->arm(db->arg, slot, IB_CQ_SOLICITED);
	cond_resched();
}

/*
 * Act on all set bits. Returns true if there were any.
 *
 * Arming comes first: a guest that arms a CQ and then posts what completes on
 * it must get the event. A CQ with both arming bits set is armed for the next
 * completion last, which includes the solicited ones.
 */
bool hyvh_doorbells_drain(struct hyvh_doorbells *db)
{
	struct hyvh_doorbell_area *area = hyvh_doorbells_area(db);
	unsigned int n;

	if (!area)
		return false;
	n = hyvh_doorbell_map_drain(&area->solicited, true,
				    hyvh_doorbells_arm_solicited, db);
	n += hyvh_doorbell_map_drain(&area->arm, true, hyvh_doorbells_arm, db);
	n += hyvh_doorbell_map_drain(&area->sq, false, hyvh_doorbells_ring, db);
	if (n)
		trace_hyvh_doorbell_drain(db->vnic_id, n);
	return n;
}

bool hyvh_doorbells_ready(const struct hyvh_doorbells *db)
{
	return hyvh_doorbells_area(db);
}

bool hyvh_doorbells_pending(const struct hyvh_doorbells *db)
{
	struct hyvh_doorbell_area *area = hyvh_doorbells_area(db);

	return area && (hyvh_doorbell_map_pending(&area->solicited) ||
			hyvh_doorbell_map_pending(&area->arm) ||
			hyvh_doorbell_map_pending(&area->sq));
}

void hyvh_doorbells_want_kicks(struct hyvh_doorbells *db, bool want)
{
	struct hyvh_doorbell_area *area = hyvh_doorbells_area(db);

	if (area)
		WRITE_ONCE(area->hdr->kick_wanted, cpu_to_le32(want));
}
