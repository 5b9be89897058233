/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory table: where guest-physical addresses are in the memory of the VMM.
 */
#ifndef HYVH_MEM_TABLE_H
#define HYVH_MEM_TABLE_H

#include <linux/types.h>
#include <uapi/linux/hyv.h>

struct hyvh_mem_table;

struct hyvh_mem_table *
hyvh_mem_table_create(const struct hyv_mem_region *regions, u32 nr);
void hyvh_mem_table_get(struct hyvh_mem_table *table);
void hyvh_mem_table_put(struct hyvh_mem_table *table);
int hyvh_mem_table_retire(struct hyvh_mem_table *table);

u64 hyvh_mem_table_bytes(const struct hyvh_mem_table *table);
int hyvh_mem_table_translate(const struct hyvh_mem_table *table, u64 gpa,
			     u64 len, u64 *hva, u64 *run);

#endif /* HYVH_MEM_TABLE_H */
