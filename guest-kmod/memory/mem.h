/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinned user memory and its description for the host. */
#ifndef VHYV_MEM_H
#define VHYV_MEM_H

#include <linux/list.h>
#include <linux/types.h>

struct hyv_chunk_list;
struct ib_device;
struct ib_umem;

/**
 * struct vhyv_mem - pinned user memory
 * @umem: the pins
 * @nr_chunks: physically contiguous pieces
 * @nr_entries: entries of the chunk list
 * @indirect: the entries describe @table instead of the memory
 * @next: for whoever has more than one of these
 * @table: pages which hold the chunks; each one's order is its page_private()
 */
struct vhyv_mem {
	struct ib_umem *umem;
	u32 nr_chunks;
	u32 nr_entries;
	bool indirect;
	struct vhyv_mem *next;
	struct list_head table;
};

struct vhyv_mem *vhyv_mem_pin(struct ib_device *ibdev, u64 start, u64 length,
			      int access);
bool vhyv_mem_writable(const struct vhyv_mem *mem);
void vhyv_mem_free(struct vhyv_mem *mem);
ssize_t vhyv_mem_list_prepare(struct vhyv_mem *mem, size_t room,
			      bool allow_indirect);
void vhyv_mem_list_write(const struct vhyv_mem *mem, struct hyv_chunk_list *list);
void vhyv_mem_list_done(struct vhyv_mem *mem);

#endif /* VHYV_MEM_H */
