// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned user memory and its description for the host.
 *
 * Memory is described in chunks, physically contiguous ranges of any length.
 * The list of chunks goes into the request itself if it is short enough, else
 * into a table that the request points to. The blocks of the table are as large
 * as the page allocator has them, so that the length of a request does not
 * limit the memory that it can describe.
 */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include <hyv/wire.h>

#include "memory/mem.h"

/* Larger blocks are hard to get when memory is fragmented. */
#define VHYV_TABLE_MAX_ORDER	8

struct vhyv_table_block {
	struct list_head link;	/* in vhyv_mem.table */
	void *chunks;
	unsigned int order;
};

/* Iterator over the chunks of pinned memory. */
struct vhyv_chunk_iter {
	struct scatterlist *sg;	/* entry of the next byte */
	size_t skip;		/* bytes of @sg before that byte */
	u64 left;		/* bytes from there to the end */
};

static void vhyv_chunk_start(struct vhyv_chunk_iter *it, struct ib_umem *umem)
{
	it->sg = umem->sgt_append.sgt.sgl;
	it->skip = ib_umem_offset(umem);
	it->left = umem->length;
}

/*
 * Find the next chunk, merging adjacent entries. DMA addresses cannot be used:
 * an ib_device without a DMA device has kernel virtual addresses there.
 */
static bool vhyv_chunk_next(struct vhyv_chunk_iter *it, struct hyv_chunk *chunk)
{
	u64 addr, len = 0;

	if (!it->left || !it->sg)
		return false;

	cond_resched();
	addr = sg_phys(it->sg) + it->skip;
	do {
		u64 part = min_t(u64, it->sg->length - it->skip, it->left);

		len += part;
		it->left -= part;
		it->skip = 0;
		it->sg = sg_next(it->sg);
	} while (it->left && it->sg && sg_phys(it->sg) == addr + len);

	chunk->addr = cpu_to_le64(addr);
	chunk->len = cpu_to_le64(len);
	return true;
}

/**
 * vhyv_mem_pin() - pin memory of the calling process
 * @ibdev: device that will access it
 * @start: address of the first byte
 * @length: length in bytes
 * @access: enum ib_access_flags; decides if the memory must be writable
 *
 * The pages count against the caller's RLIMIT_MEMLOCK.
 *
 * Context: Process context. May sleep.
 * Return: memory that the caller frees with vhyv_mem_free(), or an ERR_PTR.
 */
struct vhyv_mem *vhyv_mem_pin(struct ib_device *ibdev, u64 start, u64 length,
			      int access)
{
	struct vhyv_chunk_iter it;
	struct hyv_chunk chunk;
	struct vhyv_mem *mem;
	int ret;

	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&mem->table);

	mem->umem = ib_umem_get_va(ibdev, start, length, access);
	if (IS_ERR(mem->umem)) {
		ret = PTR_ERR(mem->umem);
		kfree(mem);
		return ERR_PTR(ret);
	}

	vhyv_chunk_start(&it, mem->umem);
	while (vhyv_chunk_next(&it, &chunk))
		mem->nr_chunks++;
	return mem;
}

bool vhyv_mem_writable(const struct vhyv_mem *mem)
{
	return mem->umem->writable;
}

/* Unpin all of a list, which the host no longer uses; @mem may be NULL. */
void vhyv_mem_free(struct vhyv_mem *mem)
{
	struct vhyv_mem *next;

	vhyv_mem_list_done(mem);
	for (; mem; mem = next) {
		next = mem->next;
		ib_umem_release(mem->umem);
		kfree(mem);
	}
}

/*
 * Leave all of a list pinned for good, as the host may still use it. Returns its
 * length.
 */
u64 vhyv_mem_leave(struct vhyv_mem *mem)
{
	u64 length = 0;

	vhyv_mem_list_done(mem);
	for (; mem; mem = mem->next) {
		kmemleak_not_leak(mem);
		length += mem->umem->length;
	}
	return length;
}

/* Add @mem, which may be a list or NULL, to the front of a list. */
void vhyv_mem_add(struct vhyv_mem **list, struct vhyv_mem *mem)
{
	struct vhyv_mem **end = &mem;

	while (*end)
		end = &(*end)->next;
	*end = *list;
	*list = mem;
}

/*
 * Add @mem, which may be a list or NULL, and free what the list had for the same
 * slots: the host uses the new memory instead.
 */
void vhyv_mem_replace(struct vhyv_mem **list, struct vhyv_mem *mem)
{
	struct vhyv_mem **at, *old, *new;

	for (new = mem; new; new = new->next) {
		for (at = list; *at;) {
			old = *at;
			if (old->slot != new->slot) {
				at = &old->next;
				continue;
			}
			*at = old->next;
			old->next = NULL;
			vhyv_mem_free(old);
		}
	}
	vhyv_mem_add(list, mem);
}

/* Allocate a block of at most @order; smaller if that is all there is. */
static struct vhyv_table_block *vhyv_table_alloc_block(unsigned int order)
{
	struct vhyv_table_block *block;
	gfp_t gfp;

	block = kmalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return NULL;
	do {
		gfp = GFP_KERNEL | (order ? __GFP_NOWARN | __GFP_NORETRY : 0);
		block->order = order;
		block->chunks = (void *)__get_free_pages(gfp, order);
		if (block->chunks)
			return block;
	} while (order--);
	kfree(block);
	return NULL;
}

static int vhyv_table_build(struct vhyv_mem *mem, u32 max_entries)
{
	size_t left = mem->nr_chunks * sizeof(struct hyv_chunk);
	unsigned int order = VHYV_TABLE_MAX_ORDER;
	struct vhyv_table_block *block;
	struct vhyv_chunk_iter it;
	struct hyv_chunk *chunk;
	size_t size, i;

	vhyv_chunk_start(&it, mem->umem);
	for (; left; left -= size) {
		if (mem->nr_entries == max_entries)
			return -E2BIG;
		order = min_t(unsigned int, order, get_order(left));
		block = vhyv_table_alloc_block(order);
		if (!block)
			return -ENOMEM;
		order = block->order;
		list_add_tail(&block->link, &mem->table);
		mem->nr_entries++;

		size = min_t(size_t, left, PAGE_SIZE << order);
		chunk = block->chunks;
		for (i = 0; i < size / sizeof(*chunk); i++)
			vhyv_chunk_next(&it, &chunk[i]);
	}
	return 0;
}

/**
 * vhyv_mem_list_prepare() - build what describes memory in a request
 * @mem: memory
 * @room: bytes that the request has left
 * @allow_indirect: the chunks may lie outside of the request
 *
 * Context: Process context. May sleep.
 * Return: bytes that the list takes in the request, -E2BIG if it does not fit,
 * or -ENOMEM.
 */
ssize_t vhyv_mem_list_prepare(struct vhyv_mem *mem, size_t room,
			      bool allow_indirect)
{
	size_t max_entries;
	int ret;

	if (room < sizeof(struct hyv_chunk_list) + sizeof(struct hyv_chunk))
		return -E2BIG;
	max_entries = (room - sizeof(struct hyv_chunk_list)) /
		      sizeof(struct hyv_chunk);

	if (mem->nr_chunks <= max_entries) {
		mem->nr_entries = mem->nr_chunks;
	} else if (allow_indirect) {
		mem->indirect = true;
		ret = vhyv_table_build(mem, max_entries);
		if (ret)
			return ret;
	} else {
		return -E2BIG;
	}
	return sizeof(struct hyv_chunk_list) +
	       mem->nr_entries * sizeof(struct hyv_chunk);
}

/* Write the list, of the length that vhyv_mem_list_prepare() has returned. */
void vhyv_mem_list_write(const struct vhyv_mem *mem,
			 struct hyv_chunk_list *list)
{
	size_t left = mem->nr_chunks * sizeof(struct hyv_chunk), size;
	struct hyv_chunk *entry = list->entry;
	struct vhyv_table_block *block;
	struct vhyv_chunk_iter it;

	list->slot = cpu_to_le16(mem->slot);
	list->flags = cpu_to_le16(mem->indirect ? HYV_CHUNKS_INDIRECT : 0);
	list->nr_chunks = cpu_to_le32(mem->nr_chunks);
	list->nr_entries = cpu_to_le32(mem->nr_entries);
	list->addr = cpu_to_le64(mem->umem->address);
	list->length = cpu_to_le64(mem->umem->length);

	if (!mem->indirect) {
		vhyv_chunk_start(&it, mem->umem);
		while (vhyv_chunk_next(&it, entry))
			entry++;
		return;
	}
	list_for_each_entry(block, &mem->table, link) {
		size = min_t(size_t, left, PAGE_SIZE << block->order);
		entry->addr = cpu_to_le64(virt_to_phys(block->chunks));
		entry->len = cpu_to_le64(size);
		left -= size;
		entry++;
	}
}

/*
 * Free the tables of all of a list once the host has read them; the memory stays
 * pinned. @mem may be NULL.
 */
void vhyv_mem_list_done(struct vhyv_mem *mem)
{
	struct vhyv_table_block *block, *next;

	for (; mem; mem = mem->next) {
		list_for_each_entry_safe(block, next, &mem->table, link) {
			list_del(&block->link);
			free_pages((unsigned long)block->chunks, block->order);
			kfree(block);
		}
	}
}
