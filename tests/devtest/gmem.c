// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a guest that does not exist.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gmem.h"
#include "harness.h"

/* Blocks whose pages are given out singly; of the others, in runs. */
#define GMEM_SINGLE_BLOCKS 192
#define GMEM_SINGLE_PAGES  (GMEM_SINGLE_BLOCKS * GMEM_BLOCK_PAGES)
/* Coprime to the number of pages, and far from 1. */
#define GMEM_STRIDE 4099
/* Guest-physical memory has a hole of a page after so many blocks. */
#define GMEM_HOLE_EVERY 8

static uint64_t gmem_block_gpa(uint32_t block)
{
	return GMEM_GPA_BASE +
	       (block * (uint64_t)GMEM_BLOCK_PAGES + block / GMEM_HOLE_EVERY) *
		       DT_PAGE;
}

/* Neighbours in guest-physical memory are none in the file. */
static uint64_t gmem_block_offset(uint32_t block)
{
	return (block * 101 + 37) % GMEM_BLOCKS * GMEM_BLOCK_PAGES * DT_PAGE;
}

static uint64_t gmem_index_gpa(uint32_t index)
{
	return gmem_block_gpa(index / GMEM_BLOCK_PAGES) +
	       index % GMEM_BLOCK_PAGES * DT_PAGE;
}

static void gmem_regions(struct gmem *gm)
{
	uint32_t i, block;

	for (i = 0; i < GMEM_REGIONS; i++) {
		struct hyv_mem_region *region = &gm->region[i];

		block = i * 77 % GMEM_REGIONS;
		if (block < GMEM_BLOCKS) {
			region->gpa = gmem_block_gpa(block);
			region->length = GMEM_BLOCK_PAGES * DT_PAGE;
			region->addr =
				(uintptr_t)gm->base + gmem_block_offset(block);
		} else {
			region->gpa = GMEM_GPA_LINEAR;
			region->length = GMEM_LINEAR_PAGES * DT_PAGE;
			region->addr = (uintptr_t)gm->base +
				       GMEM_BLOCKS * GMEM_BLOCK_PAGES * DT_PAGE;
		}
	}
}

/**
 * gmem_init() - make guest memory
 * @gm: the memory
 * @kind: what is below it
 */
void gmem_init(struct gmem *gm, enum gmem_kind kind)
{
	int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	memset(gm, 0, sizeof(*gm));
	gm->size = GMEM_PAGES * DT_PAGE;
	if (kind == GMEM_MEMFD) {
		fd = memfd_create("devtest-guest", MFD_CLOEXEC);
		REQUIRE(fd >= 0, "memfd_create");
		REQUIRE(!ftruncate(fd, gm->size), "ftruncate");
		flags = MAP_SHARED;
	}
	gm->base = mmap(NULL, gm->size, PROT_READ | PROT_WRITE, flags, fd, 0);
	REQUIRE(gm->base != MAP_FAILED, "mmap of guest memory");
	if (fd >= 0)
		close(fd);
	gm->next_va = 0x7f0000000000ULL;
	gmem_regions(gm);
}

/**
 * gmem_free() - unmap guest memory
 * @gm: the memory
 */
void gmem_free(struct gmem *gm)
{
	munmap(gm->base, gm->size);
}

/**
 * gmem_at() - where guest memory is in this process
 * @gm: the memory
 * @gpa: guest-physical address
 *
 * Return: its address; what follows is contiguous up to the end of the page.
 */
uint8_t *gmem_at(struct gmem *gm, uint64_t gpa)
{
	uint32_t i;

	for (i = 0; i < GMEM_REGIONS; i++)
		if (gpa - gm->region[i].gpa < gm->region[i].length)
			return (uint8_t *)(uintptr_t)gm->region[i].addr +
			       (gpa - gm->region[i].gpa);
	REQUIRE(false, "%#llx is guest memory", (unsigned long long)gpa);
	return NULL;
}

/**
 * gmem_page() - take one page
 * @gm: the memory
 *
 * Pages are never given back. No two that are taken one after the other adjoin.
 *
 * Return: its guest-physical address.
 */
uint64_t gmem_page(struct gmem *gm)
{
	uint32_t n = gm->next++;

	REQUIRE(n < GMEM_SINGLE_PAGES, "guest memory is enough");
	return gmem_index_gpa((uint64_t)n * GMEM_STRIDE % GMEM_SINGLE_PAGES);
}

static uint64_t gmem_linear_page(struct gmem *gm)
{
	uint32_t n = gm->next_linear++;

	REQUIRE(n < GMEM_LINEAR_PAGES, "linear guest memory is enough");
	return GMEM_GPA_LINEAR + n * DT_PAGE;
}

/* Runs of 2 to 9 pages, with a page between them, from a place that varies. */
static void gbuf_mixed_pages(struct gbuf *buf)
{
	uint32_t index = GMEM_SINGLE_PAGES + 60 +
			 (buf->gm->next_va >> 12) % GMEM_BLOCK_PAGES;
	uint32_t i, run = 2, left = 2;

	for (i = 0; i < buf->nr_pages; i++) {
		if (!left--) {
			index++;
			run = run == 9 ? 2 : run + 1;
			left = run - 1;
		}
		REQUIRE(index < GMEM_BLOCKS * GMEM_BLOCK_PAGES,
			"mixed guest memory is enough");
		buf->gpa[i] = gmem_index_gpa(index++);
	}
}

/**
 * gbuf_init() - make a buffer
 * @buf: the buffer
 * @gm: the memory
 * @length: bytes
 * @offset: of the first byte in its page
 * @layout: how its pages lie; all GBUF_MIXED buffers share pages
 */
void gbuf_init(struct gbuf *buf, struct gmem *gm, uint64_t length,
	       uint32_t offset, enum gbuf_layout layout)
{
	uint32_t i;

	buf->gm = gm;
	buf->va = gm->next_va + offset;
	buf->length = length;
	buf->nr_pages = (offset + length + DT_PAGE - 1) / DT_PAGE;
	buf->gpa = calloc(buf->nr_pages, sizeof(*buf->gpa));
	REQUIRE(buf->gpa, "memory for a buffer");
	if (layout == GBUF_MIXED)
		gbuf_mixed_pages(buf);
	for (i = 0; i < buf->nr_pages && layout != GBUF_MIXED; i++)
		buf->gpa[i] = layout == GBUF_SCATTERED ? gmem_page(gm)
						       : gmem_linear_page(gm);
	gm->next_va += (buf->nr_pages + 1) * DT_PAGE;
}

/**
 * gbuf_free() - free a buffer; its pages are not reused
 * @buf: the buffer
 */
void gbuf_free(struct gbuf *buf)
{
	free(buf->gpa);
	buf->gpa = NULL;
}

/* Where byte @at of the buffer is, and how much of it follows in the page. */
static uint8_t *gbuf_at(struct gbuf *buf, uint64_t at, uint64_t *run)
{
	uint64_t pos = buf->va % DT_PAGE + at;
	uint64_t left = DT_PAGE - pos % DT_PAGE;

	REQUIRE(at < buf->length, "position %llu is in the buffer",
		(unsigned long long)at);
	if (*run > left)
		*run = left;
	return gmem_at(buf->gm, buf->gpa[pos / DT_PAGE]) + pos % DT_PAGE;
}

/**
 * gbuf_chunks() - describe a part of a buffer by chunks
 * @buf: the buffer
 * @start: first byte
 * @length: bytes
 * @chunk: the chunks, as many as there are pages at most; or NULL
 *
 * Return: number of chunks.
 */
uint32_t gbuf_chunks(const struct gbuf *buf, uint64_t start, uint64_t length,
		     struct hyv_chunk *chunk)
{
	uint64_t pos = buf->va % DT_PAGE + start, end = 0, gpa, n;
	uint32_t nr = 0;

	for (; length; length -= n, pos += n) {
		gpa = buf->gpa[pos / DT_PAGE] + pos % DT_PAGE;
		n = DT_PAGE - pos % DT_PAGE;
		if (n > length)
			n = length;
		if (nr && gpa == end) {
			if (chunk)
				chunk[nr - 1].len += n;
		} else {
			if (chunk) {
				chunk[nr].addr = gpa;
				chunk[nr].len = n;
			}
			nr++;
		}
		end = gpa + n;
	}
	return nr;
}

/**
 * gbuf_write() - copy to a buffer
 * @buf: the buffer
 * @at: first byte
 * @src: what to copy
 * @len: bytes
 */
void gbuf_write(struct gbuf *buf, uint64_t at, const void *src, uint64_t len)
{
	const uint8_t *from = src;

	while (len) {
		uint64_t run = len;
		uint8_t *to = gbuf_at(buf, at, &run);

		memcpy(to, from, run);
		from += run;
		at += run;
		len -= run;
	}
}

/**
 * gbuf_read() - copy from a buffer
 * @buf: the buffer
 * @at: first byte
 * @dst: where to copy to
 * @len: bytes
 */
void gbuf_read(struct gbuf *buf, uint64_t at, void *dst, uint64_t len)
{
	uint8_t *to = dst;

	while (len) {
		uint64_t run = len;
		uint8_t *from = gbuf_at(buf, at, &run);

		memcpy(to, from, run);
		to += run;
		at += run;
		len -= run;
	}
}

/* Bytes @at to @at + @len of a pattern that does not repeat. */
static void gbuf_pattern(uint8_t *dst, uint64_t at, uint32_t len, uint64_t seed)
{
	uint64_t word = 0, n;
	uint32_t i;

	for (i = 0; i < len; i++, at++) {
		if (!i || !(at % 8)) {
			n = (at / 8 + seed) * 0x9e3779b97f4a7c15ULL;
			word = (n ^ n >> 29) * 0xbf58476d1ce4e5b9ULL;
			word ^= word >> 32;
		}
		dst[i] = word >> 8 * (at % 8);
	}
}

/**
 * gbuf_fill() - fill a buffer with a pattern
 * @buf: the buffer
 * @seed: names the pattern
 */
void gbuf_fill(struct gbuf *buf, uint64_t seed)
{
	uint8_t pattern[DT_PAGE];
	uint64_t at, n;

	for (at = 0; at < buf->length; at += n) {
		n = buf->length - at < DT_PAGE ? buf->length - at : DT_PAGE;
		gbuf_pattern(pattern, at, n, seed);
		gbuf_write(buf, at, pattern, n);
	}
}

/**
 * gbuf_differs() - compare a part of a buffer with a pattern
 * @buf: the buffer
 * @at: first byte
 * @len: bytes
 * @seed: names the pattern
 * @pattern_at: where in the pattern the part starts
 *
 * Every byte is compared, so those on both sides of every page boundary are.
 *
 * Return: position of the first byte that differs, -1 if none does.
 */
int64_t gbuf_differs(struct gbuf *buf, uint64_t at, uint64_t len, uint64_t seed,
		     uint64_t pattern_at)
{
	uint8_t pattern[DT_PAGE], data[DT_PAGE];
	uint64_t n, i;

	for (; len; len -= n, at += n, pattern_at += n) {
		n = len < DT_PAGE ? len : DT_PAGE;
		gbuf_pattern(pattern, pattern_at, n, seed);
		gbuf_read(buf, at, data, n);
		for (i = 0; i < n && memcmp(data, pattern, n); i++)
			if (data[i] != pattern[i])
				return at + i;
	}
	return -1;
}
