// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: scatter SIZE OFFSET TRIM [SIZE OFFSET TRIM]...
 *
 * Register a buffer of SIZE bytes in scattered pages, less OFFSET bytes at its
 * start and TRIM bytes at its end. RDMA writes must put every byte where it
 * belongs, and none outside of the region; RDMA reads must find every byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rc.h"

#define GUARD	   1UL
#define WRITTEN	   2UL
#define TO_BE_READ 3UL

/* Transfer the region between @buffer and the message buffer, piece by piece.
 */
static void copy_region(struct rc_pair *pair, enum ibv_wr_opcode opcode,
			struct ibv_mr *message, struct ibv_mr *region,
			char *buffer)
{
	char *at = region->addr, *end = at + region->length;
	size_t piece;

	for (; at < end; at += piece) {
		uint64_t offset = (uint64_t)(at - buffer);

		piece = (size_t)(end - at);
		if (piece > RC_MESSAGE)
			piece = RC_MESSAGE;
		if (opcode == IBV_WR_RDMA_WRITE)
			pattern_fill(message->addr, piece, offset, WRITTEN);
		else
			memset(message->addr, 0, piece);
		rc_transfer(pair, opcode, message, message->addr, (uintptr_t)at,
			    region->rkey, piece);
		if (opcode == IBV_WR_RDMA_READ)
			pattern_check("RDMA read", message->addr, piece, offset,
				      TO_BE_READ);
	}
}

static void test_region(struct rc_pair *pair, struct ibv_mr *message,
			size_t size, size_t offset, size_t trim)
{
	size_t whole = (size + PAGE - 1) & ~(PAGE - 1);
	size_t adjacent, length = size - offset - trim;
	struct ibv_mr *region;
	double start, took;
	char *buffer;

	if (offset + trim >= size)
		die("nothing is left of %zu bytes", size);
	buffer = pages_scattered(whole, size + offset + 1);
	pattern_fill(buffer, whole, 0, GUARD);
	start = now();
	region = rc_register(pair->rc, buffer + offset, length);
	took = now() - start;
	/* after the registration, in case it has moved pages */
	adjacent = pages_adjacent(buffer, whole);
	if (adjacent > whole / PAGE / 20)
		die("%zu of %zu pages follow each other", adjacent,
		    whole / PAGE);

	copy_region(pair, IBV_WR_RDMA_WRITE, message, region, buffer);
	pattern_check("before the region", buffer, offset, 0, GUARD);
	pattern_check("RDMA write", buffer + offset, length, offset, WRITTEN);
	pattern_check("behind the region", buffer + offset + length,
		      whole - offset - length, offset + length, GUARD);

	pattern_fill(buffer, whole, 0, TO_BE_READ);
	copy_region(pair, IBV_WR_RDMA_READ, message, region, buffer);
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
