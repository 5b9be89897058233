// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory of a vNIC.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "memory/fault_in.h"
#include "memory/guest_mem.h"

void hyvh_guest_mem_init(struct hyvh_guest_mem *mem, const bool *cancel)
{
	spin_lock_init(&mem->lock);
	mem->table = NULL;
	mem->cancel = cancel;
	mem->vmas = NULL;
}

void hyvh_guest_mem_free(struct hyvh_guest_mem *mem)
{
	if (mem->table)
		hyvh_mem_table_put(mem->table);
}

/**
 * hyvh_guest_mem_set() - handle HYV_SET_MEM
 * @mem: guest memory
 * @arg: the new table
 * @bytes: set to the size of guest memory
 * @old: set to the old table, for hyvh_mem_table_retire(), or NULL
 *
 * When the old table is retired nothing uses it, or an address that it has
 * translated: the VMM may put other memory there.
 *
 * Context: Process context. May sleep. Runs in the VMM.
 * Return: 0, or a negative errno with nothing changed.
 */
int hyvh_guest_mem_set(struct hyvh_guest_mem *mem,
		       const struct hyv_set_mem *arg, u64 *bytes,
		       struct hyvh_mem_table **old)
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

	*bytes = hyvh_mem_table_bytes(table);

	spin_lock(&mem->lock);
	*old = mem->table;
	WRITE_ONCE(mem->table, table);
	spin_unlock(&mem->lock);
	return 0;
}

/*
 * Get the current memory table, to be released with hyvh_mem_table_put() when
 * no address that it has translated is used any longer: HYV_SET_MEM waits for
 * that. NULL if the VMM has not set one.
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

/*
 * Check that @table, from hyvh_guest_mem_get(), is still in force. If it is not,
 * HYV_SET_MEM waits for its users.
 */
bool hyvh_guest_mem_is_current(const struct hyvh_guest_mem *mem,
			       const struct hyvh_mem_table *table)
{
	return READ_ONCE(mem->table) == table;
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
		/* No server of a FUSE file, which a fatal signal may not end. */
		ret = hyvh_fault_in_check(hva, run);
		if (ret)
			return ret == -EINTR ? ret : -EFAULT;
		if (copy_from_user(dst, u64_to_user_ptr(hva), run))
			return -EFAULT;
		gpa += run;
		dst += run;
		len -= run;
	}
	return 0;
}
