// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned user memory and its description for the host.
 *
 * The host is told about memory in chunks, physically contiguous pieces as
 * large as they happen to be. The list of chunks goes into the request itself
 * if it is short enough, else into pages which the request points to. These
 * come in blocks as large as can be had, so that the memory that one request
 * can describe is not limited by the request's size.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include <hyv/wire.h>

#include "memory/mem.h"

/* Blocks of a table are at most this large: easy enough to come by. */
#define VHYV_TABLE_MAX_ORDER	8

/**
 * struct vhyv_chunk_iter - walks over the chunks of pinned memory
 * @sg: scatterlist entry of the next byte
 * @skip: bytes of @sg before it
 * @left: bytes from there on
 */
struct vhyv_chunk_iter {
	struct scatterlist *sg;
	size_t skip;
	u64 left;
};

static void vhyv_chunk_start(struct vhyv_chunk_iter *it, struct ib_umem *umem)
{
	it->sg = umem->sgt_append.sgt.sgl;
	it->skip = ib_umem_offset(umem);
	it->left = umem->length;
}

/*
 * Find the next chunk, merging entries that adjoin. The entries' DMA addresses
 * are of no use: those of a device without a DMA device are kernel addresses.
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
 * @ibdev: on whose behalf
 * @start: first byte
 * @length: bytes
 * @access: enum ib_access_flags; decides if the memory must be writable
 *
 * The pages count against the caller's RLIMIT_MEMLOCK.
 *
 * Context: may sleep.
 * Return: the memory, to be freed with vhyv_mem_free(), or an ERR_PTR.
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

	mem->umem = ib_umem_get(ibdev, start, length, access);
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

/**
 * vhyv_mem_writable() - may a device write to this memory?
 * @mem: the memory
 *
 * Return: true if it was pinned for that.
 */
bool vhyv_mem_writable(const struct vhyv_mem *mem)
{
	return mem->umem->writable;
}

/**
 * vhyv_mem_free() - unpin memory
 * @mem: memory which the host does not use any more, or NULL
 *
 * Context: may sleep.
 */
void vhyv_mem_free(struct vhyv_mem *mem)
{
	if (!mem)
		return;
	vhyv_mem_list_done(mem);
	ib_umem_release(mem->umem);
	kfree(mem);
}

static struct page *vhyv_table_alloc_block(unsigned int *order)
{
	struct page *page;

	for (; *order; (*order)--) {
		page = alloc_pages(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY,
				   *order);
		if (page)
			return page;
	}
	return alloc_pages(GFP_KERNEL, 0);
}

static int vhyv_table_build(struct vhyv_mem *mem, u32 max_entries)
{
	size_t left = mem->nr_chunks * sizeof(struct hyv_chunk);
	unsigned int order = VHYV_TABLE_MAX_ORDER;
	struct vhyv_chunk_iter it;
	struct hyv_chunk *chunk;
	struct page *page;
	size_t size, i;

	vhyv_chunk_start(&it, mem->umem);
	for (; left; left -= size) {
		if (mem->nr_entries == max_entries)
			return -E2BIG;
		order = min_t(unsigned int, order, get_order(left));
		page = vhyv_table_alloc_block(&order);
		if (!page)
			return -ENOMEM;
		set_page_private(page, order);
		list_add_tail(&page->lru, &mem->table);
		mem->nr_entries++;

		size = min_t(size_t, left, PAGE_SIZE << order);
		chunk = page_address(page);
		for (i = 0; i < size / sizeof(*chunk); i++)
			vhyv_chunk_next(&it, &chunk[i]);
	}
	return 0;
}

/**
 * vhyv_mem_list_prepare() - get ready to describe memory in a request
 * @mem: the memory
 * @room: bytes that the request has left
 * @allow_indirect: the list of chunks may lie outside of the request
 *
 * Context: may sleep.
 * Return: bytes of the list in the request, or a negative errno: -E2BIG if it
 * does not fit, -ENOMEM.
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

/**
 * vhyv_mem_list_write() - describe memory in a request
 * @mem: after vhyv_mem_list_prepare()
 * @list: where to; as many bytes as that function said
 */
void vhyv_mem_list_write(const struct vhyv_mem *mem, struct hyv_chunk_list *list)
{
	size_t left = mem->nr_chunks * sizeof(struct hyv_chunk), size;
	struct hyv_chunk *entry = list->entry;
	struct vhyv_chunk_iter it;
	struct page *page;

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
	list_for_each_entry(page, &mem->table, lru) {
		size = min_t(size_t, left, PAGE_SIZE << page_private(page));
		entry->addr = cpu_to_le64(page_to_phys(page));
		entry->len = cpu_to_le64(size);
		left -= size;
		entry++;
	}
}

/**
 * vhyv_mem_list_done() - the host has read the description
 * @mem: the memory, which stays pinned
 *
 * Context: may sleep.
 */
void vhyv_mem_list_done(struct vhyv_mem *mem)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &mem->table, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		__free_pages(page, order);
	}
}
