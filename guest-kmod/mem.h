/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinned user memory and its description for the host. */
#ifndef HYV_MEM_H
#define HYV_MEM_H

#include <linux/list.h>
#include <linux/types.h>

struct hyv_chunk_list;
struct ib_device;
struct ib_umem;

/**
 * struct hyv_mem - pinned user memory
 * @umem: the pins
 * @nr_chunks: physically contiguous pieces
 * @nr_entries: entries of the chunk list
 * @indirect: the entries describe @table instead of the memory
 * @next: for whoever has more than one of these
 * @table: pages which hold the chunks; each one's order is its page_private()
 */
struct hyv_mem {
	struct ib_umem *umem;
	u32 nr_chunks;
	u32 nr_entries;
	bool indirect;
	struct hyv_mem *next;
	struct list_head table;
};

struct hyv_mem *hyv_mem_pin(struct ib_device *ibdev, u64 start, u64 length,
			    int access);
bool hyv_mem_writable(const struct hyv_mem *mem);
void hyv_mem_free(struct hyv_mem *mem);
ssize_t hyv_mem_list_prepare(struct hyv_mem *mem, size_t room,
			     bool allow_indirect);
void hyv_mem_list_write(const struct hyv_mem *mem, struct hyv_chunk_list *list);
void hyv_mem_list_done(struct hyv_mem *mem);

#endif /* HYV_MEM_H */
