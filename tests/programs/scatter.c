// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: scatter SIZE OFFSET TRIM [SIZE OFFSET TRIM]...
 *
 * Register a buffer of SIZE bytes in scattered pages, less OFFSET bytes at its
 * start and TRIM bytes at its end. RDMA writes must put every byte where it
 * belongs, and none outside of the region; RDMA reads must find every byte. Of
 * a long region all is transferred, but only bytes at both ends of every page
 * are looked at, for the time that this takes an emulated processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc.h"

#define GUARD	   1UL
#define WRITTEN	   2UL
#define TO_BE_READ 3UL

/* The longest buffer of which every byte is looked at. */
#define LONG_BUFFER (64UL << 20)

/* Bytes tried at each end of a page, for longer messages. */
#define EDGE 32UL

/*
 * The first bytes to look at among @length at @offset: how many bytes, and in
 * @skip how many before them are left out.
 */
static size_t next_span(bool all, uint64_t offset, size_t length, size_t *skip)
{
	size_t at = offset % PAGE, span = length;

	*skip = 0;
	if (all)
		return length;
	if (at >= EDGE && at < PAGE - EDGE)
		*skip = PAGE - EDGE - at;
	if (*skip >= length) {
		*skip = length;
		return 0;
	}
	at += *skip;
	span = at < EDGE ? EDGE - at : PAGE + EDGE - at;
	return span < length - *skip ? span : length - *skip;
}

static void fill(bool all, char *at, size_t length, uint64_t offset,
		 uint64_t seed)
{
	size_t span, skip;

	for (; length; length -= skip + span) {
		span = next_span(all, offset, length, &skip);
		pattern_fill(at + skip, span, offset + skip, seed);
		at += skip + span;
		offset += skip + span;
	}
}

static void check(const char *what, bool all, const char *at, size_t length,
		  uint64_t offset, uint64_t seed)
{
	size_t span, skip;

	for (; length; length -= skip + span) {
		span = next_span(all, offset, length, &skip);
		pattern_check(what, at + skip, span, offset + skip, seed);
		at += skip + span;
		offset += skip + span;
	}
}

/* Transfer the region between @buffer and the message buffer, piece by piece.
 */
static void copy_region(struct rc_pair *pair, enum ibv_wr_opcode opcode,
			struct ibv_mr *message, struct ibv_mr *region,
			char *buffer, bool all)
{
	char *at = region->addr, *end = at + region->length;
	size_t piece;

	for (; at < end; at += piece) {
		uint64_t offset = (uint64_t)(at - buffer);

		piece = (size_t)(end - at);
		if (piece > RC_MESSAGE)
			piece = RC_MESSAGE;
		if (opcode == IBV_WR_RDMA_WRITE)
			fill(all, message->addr, piece, offset, WRITTEN);
		else
			memset(message->addr, 0, piece);
		rc_transfer(pair, opcode, message, message->addr, (uintptr_t)at,
			    region->rkey, piece);
		if (opcode == IBV_WR_RDMA_READ)
			check("RDMA read", all, message->addr, piece, offset,
			      TO_BE_READ);
	}
}

static void test_region(struct rc_pair *pair, struct ibv_mr *message,
			size_t size, size_t offset, size_t trim)
{
	size_t whole = (size + PAGE - 1) & ~(PAGE - 1);
	size_t adjacent, length = size - offset - trim;
	bool all = whole <= LONG_BUFFER;
	struct ibv_mr *region;
	double start, took;
	char *buffer;

	if (offset + trim >= size)
		die("nothing is left of %zu bytes", size);
	buffer = pages_scattered(whole, size + offset + 1);
	fill(all, buffer, whole, 0, GUARD);
	start = now();
	region = rc_register(pair->rc, buffer + offset, length);
	took = now() - start;
	/* after the registration, in case it has moved pages */
	adjacent = pages_adjacent(buffer, whole);
	if (adjacent > whole / PAGE / 20)
		die("%zu of %zu pages follow each other", adjacent,
		    whole / PAGE);

	copy_region(pair, IBV_WR_RDMA_WRITE, message, region, buffer, all);
	check("before the region", all, buffer, offset, 0, GUARD);
	check("RDMA write", all, buffer + offset, length, offset, WRITTEN);
	check("behind the region", all, buffer + offset + length,
	      whole - offset - length, offset + length, GUARD);

	fill(all, buffer, whole, 0, TO_BE_READ);
	copy_region(pair, IBV_WR_RDMA_READ, message, region, buffer, all);
	rc_deregister(region);
	pages_free(buffer, whole);
	printf("%zu bytes at offset %zu: %zu pages, %zu of them follow each "
	       "other, registered in %.1f ms, written and read\n",
	       length, offset, whole / PAGE, adjacent, took * 1e3);
}

int main(int argc, char **argv)
{
	struct ibv_mr *message;
	struct rc_pair pair;
	struct rc rc;
	char *buffer;

	if (argc < 4 || argc % 3 != 1)
		die("usage: scatter SIZE OFFSET TRIM [SIZE OFFSET TRIM]...");
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc_open(&rc);
	rc_pair_open(&pair, &rc, false);
	buffer = pages_anonymous(RC_MESSAGE);
	message = rc_register(&rc, buffer, RC_MESSAGE);
	for (; argc > 3; argc -= 3, argv += 3)
		test_region(&pair, message, parse_size(argv[1]),
			    parse_size(argv[2]), parse_size(argv[3]));
	rc_deregister(message);
	rc_pair_close(&pair);
	rc_close(&rc);
	return 0;
}
