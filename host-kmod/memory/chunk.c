// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chunk lists: from the bytes of a request to checked chunks in host memory.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/chunk.h"

/* Number of pages of a range, which is not empty and does not wrap. */
static u64 hyvh_range_pages(u64 addr, u64 length)
{
	return ((addr + length - 1) >> PAGE_SHIFT) - (addr >> PAGE_SHIFT) + 1;
}

static bool hyvh_range_valid(u64 addr, u64 length)
{
	u64 end;

	return length && !check_add_overflow(addr, length, &end);
}

/*
 * Parse the list at the start of @buf, which has room for a list header.
 * Returns the list's length in bytes or a negative errno.
 */
static int hyvh_chunk_list_parse(const void *buf, u32 len,
				 struct hyvh_list_view *view)
{
	const struct hyv_chunk_list *list = buf;
	u32 room = (len - sizeof(*list)) / sizeof(list->entry[0]);

	view->slot = le16_to_cpu(list->slot);
	view->flags = le16_to_cpu(list->flags);
	view->nr_chunks = le32_to_cpu(list->nr_chunks);
	view->nr_entries = le32_to_cpu(list->nr_entries);
	view->addr = le64_to_cpu(list->addr);
	view->length = le64_to_cpu(list->length);
	view->entry = list->entry;

	if (list->reserved || view->flags & ~HYV_CHUNKS_INDIRECT ||
	    !view->nr_entries || view->nr_entries > view->nr_chunks ||
	    !hyvh_range_valid(view->addr, view->length))
		return -EINVAL;
	if (!(view->flags & HYV_CHUNKS_INDIRECT) &&
	    view->nr_entries != view->nr_chunks)
		return -EINVAL;
	if (view->nr_entries > room)
		return -EMSGSIZE;
	return struct_size(list, entry, view->nr_entries);
}

/**
 * hyvh_chunk_lists_parse() - find the chunk lists at the end of a request
 * @buf: start of the lists, aligned to 8 bytes; the guest cannot write there
 * @len: bytes from @buf to the end of the request
 * @nr_lists: expected number of lists
 * @views: filled in; at least @nr_lists elements
 *
 * Checks only the headers of the lists; hyvh_chunks_load() checks the entries.
 *
 * Return: 0; -EMSGSIZE if the lists do not fit into @len bytes; -EINVAL if a
 * header breaks a rule, two lists have the same slot, or bytes remain.
 */
int hyvh_chunk_lists_parse(const void *buf, u32 len, u16 nr_lists,
			   struct hyvh_list_view *views)
{
	u16 i, j;
	int used;

	for (i = 0; i < nr_lists; i++) {
		if (len < sizeof(struct hyv_chunk_list))
			return -EMSGSIZE;
		used = hyvh_chunk_list_parse(buf, len, &views[i]);
		if (used < 0)
			return used;
		for (j = 0; j < i; j++)
			if (views[j].slot == views[i].slot)
				return -EINVAL;
		buf += used;
		len -= used;
	}
	return len ? -EINVAL : 0;
}

/* Read the chunks that @view's entries point to. */
static int hyvh_chunks_fetch(void *dst, const struct hyvh_list_view *view,
			     hyvh_guest_read_fn read_guest,
			     const struct hyvh_mem_table *table)
{
	u64 left = (u64)view->nr_chunks * sizeof(struct hyv_chunk);
	u32 i;
	int ret;

	for (i = 0; i < view->nr_entries; i++) {
		u64 addr = le64_to_cpu(view->entry[i].addr);
		u64 len = le64_to_cpu(view->entry[i].len);

		if (!hyvh_range_valid(addr, len) || len > left ||
		    len % sizeof(struct hyv_chunk))
			return -EINVAL;
		ret = read_guest(table, addr, dst, len);
		if (ret)
			return ret;
		dst += len;
		left -= len;
		cond_resched();
	}
	return left ? -EINVAL : 0;
}

/**
 * hyvh_chunks_load() - copy the chunks of a list
 * @out: filled in; to be released with hyvh_chunks_release() after success
 * @view: a list from hyvh_chunk_lists_parse()
 * @max_chunks: most chunks to accept
 * @read_guest: copies guest memory, for lists with HYV_CHUNKS_INDIRECT
 * @table: passed to @read_guest
 *
 * Reads guest memory once, so the chunks cannot change after the check.
 *
 * Context: Process context. May sleep.
 * Return: 0; -EINVAL if the list breaks a rule or has too many chunks;
 * -ENOMEM; or an error of @read_guest.
 */
int hyvh_chunks_load(struct hyvh_chunks *out, const struct hyvh_list_view *view,
		     u32 max_chunks, hyvh_guest_read_fn read_guest,
		     const struct hyvh_mem_table *table)
{
	const struct hyv_chunk *wire;
	u32 i;
	int ret;

	static_assert(sizeof(*wire) == sizeof(*out->chunk));

	/* Check before allocating memory: no two chunks share a page. */
	if (view->nr_chunks > max_chunks ||
	    view->nr_chunks > hyvh_range_pages(view->addr, view->length))
		return -EINVAL;

	out->slot = view->slot;
	out->addr = view->addr;
	out->length = view->length;
	out->nr = view->nr_chunks;
	out->chunk = kvmalloc_array(out->nr, sizeof(*out->chunk),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!out->chunk)
		return -ENOMEM;

	if (view->flags & HYV_CHUNKS_INDIRECT) {
		/* Read to the final place and convert there. */
		ret = hyvh_chunks_fetch(out->chunk, view, read_guest, table);
		if (ret)
			goto err_release;
		wire = (const struct hyv_chunk *)out->chunk;
	} else {
		wire = view->entry;
	}
	for (i = 0; i < out->nr; i++) {
		struct hyv_chunk chunk = wire[i];

		out->chunk[i].addr = le64_to_cpu(chunk.addr);
		out->chunk[i].len = le64_to_cpu(chunk.len);
		cond_resched();
	}

	ret = hyvh_chunks_check(out);
	if (ret)
		goto err_release;
	return 0;

err_release:
	hyvh_chunks_release(out);
	return ret;
}

/* Check any @chunks against the rules of struct hyv_chunk_list. May sleep. */
int hyvh_chunks_check(const struct hyvh_chunks *chunks)
{
	const struct hyvh_chunk *chunk = chunks->chunk;
	u64 left = chunks->length;
	u32 i;

	if (!hyvh_range_valid(chunks->addr, chunks->length) || !chunks->nr ||
	    chunks->nr > hyvh_range_pages(chunks->addr, chunks->length) ||
	    offset_in_page(chunk[0].addr) != offset_in_page(chunks->addr))
		return -EINVAL;

	for (i = 0; i < chunks->nr; i++) {
		if (!hyvh_range_valid(chunk[i].addr, chunk[i].len) ||
		    chunk[i].len > left)
			return -EINVAL;
		left -= chunk[i].len;
		if (i && offset_in_page(chunk[i].addr))
			return -EINVAL;
		if (i < chunks->nr - 1 &&
		    offset_in_page(chunk[i].addr + chunk[i].len))
			return -EINVAL;
		cond_resched();
	}
	return left ? -EINVAL : 0;
}

/* May sleep. Releasing the same chunks again has no effect. */
void hyvh_chunks_release(struct hyvh_chunks *chunks)
{
	kvfree(chunks->chunk);
	chunks->chunk = NULL;
	chunks->nr = 0;
}
