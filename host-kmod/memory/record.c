// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages with doorbell records, each at an address that nothing else has.
 *
 * A driver of mlx5 pins such a page once for all records in it, and finds it by the
 * address space and the address. If that address, unmapped after the call, were used
 * for another page while the driver has the first one, the HCA would use the wrong
 * records. So there is a range of addresses for them in the VMM, a mapping of a file
 * of hyv.ko without pages. A page has a slot in it as long as an object has records
 * there, and is seen at it during calls of the driver only.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "memory/quota.h"
#include "memory/record.h"
#include "memory/stitch.h"

/* libmlx5 has 64 records in a page. A slot costs only addresses of the VMM. */
#define HYVH_RECORD_SLOTS	32768

void hyvh_records_init(struct hyvh_records *records, struct hyvh_quota *pinned)
{
	records->pinned = pinned;
	mutex_init(&records->lock);
	records->root = RB_ROOT;
}

/* Remove the range. No record is left. Runs in the VMM's address space. */
void hyvh_records_unmap(struct hyvh_records *records)
{
	if (records->file)
		vm_munmap(records->start, HYVH_RECORD_SLOTS * PAGE_SIZE);
}

void hyvh_records_free(struct hyvh_records *records)
{
	if (records->file)
		fput(records->file);
	bitmap_free(records->taken);
	mutex_destroy(&records->lock);
}

static int hyvh_records_map(struct hyvh_records *records)
{
	unsigned long size = HYVH_RECORD_SLOTS * PAGE_SIZE;
	unsigned long *taken, start;
	struct file *file;
	int ret;

	lockdep_assert_held(&records->lock);
	if (records->file)
		return 0;
	taken = bitmap_zalloc(HYVH_RECORD_SLOTS, GFP_KERNEL_ACCOUNT);
	if (!taken)
		return -ENOMEM;
	file = hyvh_stitch_file_create();
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto err_taken;
	}
	start = vm_mmap(file, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	if (IS_ERR_VALUE(start)) {
		ret = (int)start;
		goto err_file;
	}
	records->taken = taken;
	records->file = file;
	records->start = start;
	return 0;

err_file:
	fput(file);
err_taken:
	bitmap_free(taken);
	return ret;
}

static int hyvh_record_compare(const void *owner, u64 gpa,
			       const struct hyvh_record *record)
{
	if (owner != record->owner)
		return owner < record->owner ? -1 : 1;
	if (gpa != record->gpa)
		return gpa < record->gpa ? -1 : 1;
	return 0;
}

/* Find a record; otherwise the place for a new one. */
static struct hyvh_record *hyvh_record_find(struct hyvh_records *records,
					    const void *owner, u64 gpa,
					    struct rb_node **parent,
					    struct rb_node ***at)
{
	struct hyvh_record *record;
	int order;

	*parent = NULL;
	*at = &records->root.rb_node;
	while (**at) {
		record = rb_entry(**at, struct hyvh_record, node);
		order = hyvh_record_compare(owner, gpa, record);
		if (!order)
			return record;
		*parent = **at;
		*at = order < 0 ? &(**at)->rb_left : &(**at)->rb_right;
	}
	return NULL;
}

static int hyvh_record_charge(struct hyvh_records *records)
{
	int ret;

	ret = hyvh_quota_charge(records->pinned, PAGE_SIZE);
	if (ret)
		return ret;
	ret = hyvh_quota_charge(records->pins, 1);
	if (ret)
		hyvh_quota_uncharge(records->pinned, PAGE_SIZE);
	return ret;
}

static void hyvh_record_uncharge(struct hyvh_records *records)
{
	hyvh_quota_uncharge(records->pins, 1);
	hyvh_quota_uncharge(records->pinned, PAGE_SIZE);
}

static struct hyvh_record *hyvh_record_create(struct hyvh_records *records,
					      const void *owner, u64 gpa)
{
	struct hyvh_record *record;
	int ret;

	record = kzalloc(sizeof(*record), GFP_KERNEL_ACCOUNT);
	if (!record)
		return ERR_PTR(-ENOMEM);
	ret = hyvh_records_map(records);
	if (ret)
		goto err_free;
	ret = hyvh_record_charge(records);
	if (ret)
		goto err_free;
	record->slot = find_first_zero_bit(records->taken, HYVH_RECORD_SLOTS);
	if (record->slot == HYVH_RECORD_SLOTS) {
		ret = -ENOSPC;
		goto err_charge;
	}
	__set_bit(record->slot, records->taken);
	record->owner = owner;
	record->gpa = gpa;
	mutex_init(&record->shown);
	return record;

err_charge:
	hyvh_record_uncharge(records);
err_free:
	kfree(record);
	return ERR_PTR(ret);
}

/**
 * hyvh_record_get() - get the address of a page with records
 * @records: the records of the vNIC
 * @owner: the context
 * @gpa: the page
 *
 * Context: Process context. May sleep. Runs in the VMM's address space.
 * Return: the record, for hyvh_record_put() when the last object that has a record in
 * the page is gone; or ERR_PTR() of -EDQUOT, -ENOSPC, -ENOMEM or -EINTR.
 */
struct hyvh_record *hyvh_record_get(struct hyvh_records *records,
				    const void *owner, u64 gpa)
{
	struct rb_node *parent, **at;
	struct hyvh_record *record;

	if (mutex_lock_killable(&records->lock))
		return ERR_PTR(-EINTR);
	record = hyvh_record_find(records, owner, gpa, &parent, &at);
	if (!record) {
		record = hyvh_record_create(records, owner, gpa);
		if (IS_ERR(record))
			goto unlock;
		rb_link_node(&record->node, parent, at);
		rb_insert_color(&record->node, &records->root);
	}
	record->refs++;
unlock:
	mutex_unlock(&records->lock);
	return record;
}

/* @record may be NULL. */
void hyvh_record_put(struct hyvh_records *records, struct hyvh_record *record)
{
	if (!record)
		return;
	mutex_lock(&records->lock);
	if (!--record->refs) {
		rb_erase(&record->node, &records->root);
		__clear_bit(record->slot, records->taken);
		hyvh_record_uncharge(records);
		mutex_destroy(&record->shown);
		kfree(record);
	}
	mutex_unlock(&records->lock);
}

/* Returns where the slot is, in the range and in the file. */
u64 hyvh_record_offset(const struct hyvh_record *record)
{
	return (u64)record->slot << PAGE_SHIFT;
}
