/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunk lists: from the bytes of a request to checked chunks in host memory.
 */
#ifndef HYVH_CHUNK_H
#define HYVH_CHUNK_H

#include <linux/types.h>

#include <hyv/wire.h>

struct hyvh_mem_table;

/**
 * struct hyvh_list_view - a chunk list inside a request
 * @slot: buffer of the command that the list describes
 * @flags: HYV_CHUNKS_*; no unknown bits
 * @nr_chunks: chunks of the buffer, not 0
 * @nr_entries: elements of @entry, not 0
 * @addr: guest-virtual address of the buffer
 * @length: bytes of the buffer, not 0
 * @entry: the chunks or, with HYV_CHUNKS_INDIRECT, the guest memory that
 *	contains them; points into the request
 */
struct hyvh_list_view {
	u16 slot;
	u16 flags;
	u32 nr_chunks;
	u32 nr_entries;
	u64 addr;
	u64 length;
	const struct hyv_chunk *entry;
};

/* struct hyv_chunk in the CPU's byte order: contiguous guest-physical memory. */
struct hyvh_chunk {
	u64 addr;
	u64 len;
};

/* The memory of a guest's buffer. */
struct hyvh_chunks {
	u16 slot;			/* buffer of the command */
	u64 addr;			/* guest-virtual, of the first byte */
	u64 length;
	u32 nr;
	struct hyvh_chunk *chunk;	/* in order */
};

/* Copies guest memory. Returns -EFAULT if not all of it is guest memory. */
typedef int (*hyvh_guest_read_fn)(const struct hyvh_mem_table *table, u64 gpa,
				  void *dst, u64 len);

int hyvh_chunk_lists_parse(const void *buf, u32 len, u16 nr_lists,
			   struct hyvh_list_view *views);
int hyvh_chunks_load(struct hyvh_chunks *out, const struct hyvh_list_view *view,
		     u32 max_chunks, hyvh_guest_read_fn read_guest,
		     const struct hyvh_mem_table *table);
int hyvh_chunks_check(const struct hyvh_chunks *chunks);
void hyvh_chunks_release(struct hyvh_chunks *chunks);

#endif /* HYVH_CHUNK_H */
