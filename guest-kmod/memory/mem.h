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
 * @nr_chunks: number of chunks
 * @nr_entries: entries of the chunk list in the request
 * @slot: slot of the chunk list
 * @indirect: the entries describe @table instead of the memory
 * @next: for owners of more than one, or NULL
 * @table: struct vhyv_table_block, which hold the chunks
 */
struct vhyv_mem {
	struct ib_umem *umem;
	u32 nr_chunks;
	u32 nr_entries;
	u16 slot;
	bool indirect;
	struct vhyv_mem *next;
	struct list_head table;
};

struct vhyv_mem *vhyv_mem_pin(struct ib_device *ibdev, u64 start, u64 length,
			      int access);
bool vhyv_mem_writable(const struct vhyv_mem *mem);
void vhyv_mem_free(struct vhyv_mem *mem);
u64 vhyv_mem_leave(struct vhyv_mem *mem);
ssize_t vhyv_mem_list_prepare(struct vhyv_mem *mem, size_t room,
			      bool allow_indirect);
void vhyv_mem_list_write(const struct vhyv_mem *mem,
			 struct hyv_chunk_list *list);
void vhyv_mem_list_done(struct vhyv_mem *mem);
void vhyv_mem_replace(struct vhyv_mem **list, struct vhyv_mem *mem);
void vhyv_mem_add(struct vhyv_mem **list, struct vhyv_mem *mem);

#endif /* VHYV_MEM_H */
