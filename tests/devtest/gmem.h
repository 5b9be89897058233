/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of a guest that does not exist: a memfd whose pages have
 * guest-physical addresses in an order of their own.
 */
#ifndef DEVTEST_GMEM_H
#define DEVTEST_GMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/hyv.h>
#include <hyv/wire.h>

/* Scattered part: blocks whose order differs between the two address spaces. */
#define GMEM_BLOCKS	 256
#define GMEM_BLOCK_PAGES 64
/* Linear part: one block that has the same order in both. */
#define GMEM_LINEAR_PAGES 8192
#define GMEM_REGIONS	  (GMEM_BLOCKS + 1)
#define GMEM_PAGES	  (GMEM_BLOCKS * GMEM_BLOCK_PAGES + GMEM_LINEAR_PAGES)

#define GMEM_GPA_BASE	0x100000000ULL
#define GMEM_GPA_LINEAR 0x800000000ULL
/* There is no guest memory here. */
#define GMEM_GPA_HOLE 0x40000000ULL

/**
 * struct gmem - guest memory
 * @base: all of it, in the order of the file
 * @size: bytes
 * @region: its address table, in no order
 * @next: next page of the scattered part to give out, in steps
 * @next_linear: next page of the linear part to give out
 * @next_va: guest virtual address of the next buffer
 */
struct gmem {
	uint8_t *base;
	size_t size;
	struct hyv_mem_region region[GMEM_REGIONS];
	uint32_t next;
	uint32_t next_linear;
	uint64_t next_va;
};

/* Kinds of memory under the address table. */
enum gmem_kind {
	GMEM_MEMFD,
	GMEM_ANON,
};

/**
 * struct gbuf - a buffer of the guest: contiguous virtual, scattered physical
 * @gm: the memory it is made of
 * @va: guest virtual address of the first byte
 * @length: bytes
 * @nr_pages: pages that it touches
 * @gpa: their guest-physical addresses
 */
struct gbuf {
	struct gmem *gm;
	uint64_t va;
	uint64_t length;
	uint32_t nr_pages;
	uint64_t *gpa;
};

/* How the pages of a buffer lie. */
enum gbuf_layout {
	GBUF_SCATTERED, /* no two neighbours adjoin */
	GBUF_LINEAR,	/* contiguous in both address spaces */
	GBUF_MIXED,	/* runs of a few pages, also across blocks */
};

void gmem_init(struct gmem *gm, enum gmem_kind kind);
void gmem_free(struct gmem *gm);
uint8_t *gmem_at(struct gmem *gm, uint64_t gpa);
uint64_t gmem_page(struct gmem *gm);

void gbuf_init(struct gbuf *buf, struct gmem *gm, uint64_t length,
	       uint32_t offset, enum gbuf_layout layout);
void gbuf_free(struct gbuf *buf);
uint32_t gbuf_chunks(const struct gbuf *buf, uint64_t start, uint64_t length,
		     struct hyv_chunk *chunk);
void gbuf_write(struct gbuf *buf, uint64_t at, const void *src, uint64_t len);
void gbuf_read(struct gbuf *buf, uint64_t at, void *dst, uint64_t len);
void gbuf_fill(struct gbuf *buf, uint64_t seed);
int64_t gbuf_differs(struct gbuf *buf, uint64_t at, uint64_t len, uint64_t seed,
		     uint64_t pattern_at);

#endif /* DEVTEST_GMEM_H */
