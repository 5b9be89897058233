// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory of a vNIC.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "memory/guest_mem.h"

void hyvh_guest_mem_init(struct hyvh_guest_mem *mem)
{
	spin_lock_init(&mem->lock);
	mem->table = NULL;
}

void hyvh_guest_mem_free(struct hyvh_guest_mem *mem)
{
	if (mem->table)
		hyvh_mem_table_put(mem->table);
}

/* Handle HYV_SET_MEM, in process context of the VMM. */
int hyvh_guest_mem_set(struct hyvh_guest_mem *mem,
		       const struct hyv_set_mem *arg)
{
	struct hyvh_mem_table *table;
	struct hyv_mem_region *regions;

	if (arg->nr_regions > HYVH_MAX_MEM_REGIONS)
		return -EINVAL;
	regions = memdup_user(u64_to_user_ptr(arg->regions),
			      arg->nr_regions * sizeof(*regions));
	if (IS_ERR(regions))
		return PTR_ERR(regions);
	table = hyvh_mem_table_create(regions, arg->nr_regions);
	kfree(regions);
	if (IS_ERR(table))
		return PTR_ERR(table);

	spin_lock(&mem->lock);
	swap(mem->table, table);
	spin_unlock(&mem->lock);
	if (table)
		hyvh_mem_table_put(table);
	return 0;
}

/*
 * Get the current memory table, to be released with hyvh_mem_table_put(). NULL
 * if the VMM has not set one.
 */
struct hyvh_mem_table *hyvh_guest_mem_get(struct hyvh_guest_mem *mem)
{
	struct hyvh_mem_table *table;

	spin_lock(&mem->lock);
	table = mem->table;
	if (table)
		hyvh_mem_table_get(table);
	spin_unlock(&mem->lock);
	return table;
}

/* Copy guest memory, in the VMM's address space. Returns 0 or -EFAULT. */
int hyvh_guest_read(const struct hyvh_mem_table *table, u64 gpa, void *dst,
		    u64 len)
{
	u64 hva, run;
	int ret;

	while (len) {
		ret = hyvh_mem_table_translate(table, gpa, len, &hva, &run);
		if (ret)
			return ret;
		if (copy_from_user(dst, u64_to_user_ptr(hva), run))
			return -EFAULT;
		gpa += run;
		dst += run;
		len -= run;
	}
	return 0;
}
