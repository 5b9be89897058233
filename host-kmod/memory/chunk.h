/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chunk lists: from the bytes of a request to a checked table in host memory.
 */
#ifndef HYVH_CHUNK_H
#define HYVH_CHUNK_H

#include <linux/types.h>

#include <hyv/wire.h>

/**
 * struct hyvh_list_view - a chunk list where it lies in a request
 * @slot: which buffer of the command
 * @flags: HYVH_CHUNKS_*, known ones only
 * @nr_chunks: chunks that describe the buffer, not 0
 * @nr_entries: elements of @entry, not 0
 * @addr: guest virtual address of the buffer
 * @length: bytes of the buffer, not 0
 * @entry: the chunks or, with HYV_CHUNKS_INDIRECT, the guest memory that
 *	holds them; points into the request
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

/**
 * struct hyvh_extent - a chunk in the CPU's byte order
 * @addr: guest-physical address
 * @len: bytes
 */
struct hyvh_extent {
	u64 addr;
	u64 len;
};

/**
 * struct hyvh_chunks - the memory of one buffer of the guest
 * @slot: which buffer of the command
 * @addr: guest virtual address of the first byte
 * @length: bytes
 * @nr: elements of @chunk
 * @chunk: the pieces, in order
 */
struct hyvh_chunks {
	u16 slot;
	u64 addr;
	u64 length;
	u32 nr;
	struct hyvh_extent *chunk;
};

/**
 * typedef hyvh_read_guest_fn - copy guest memory
 * @arg: the caller's
 * @gpa: guest-physical address
 * @dst: kernel memory to copy to
 * @len: bytes
 *
 * Return: 0, or -EFAULT when not all of it is guest memory.
 */
typedef int (*hyvh_read_guest_fn)(void *arg, u64 gpa, void *dst, u64 len);

int hyvh_chunk_lists_parse(const void *buf, u32 len, u16 nr_lists,
			   struct hyvh_list_view *views);
int hyvh_chunks_load(struct hyvh_chunks *out, const struct hyvh_list_view *view,
		     u32 max_chunks, hyvh_read_guest_fn read_guest, void *arg);
int hyvh_chunks_check(const struct hyvh_chunks *chunks);
void hyvh_chunks_release(struct hyvh_chunks *chunks);

#endif /* HYVH_CHUNK_H */
