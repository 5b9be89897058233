// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the test programs: its physical layout and its contents.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rc.h"

/* Least memory that pages_scattered() chooses its pages from. */
#define POOL (1UL << 20)

/* Memory in small pages which nothing has touched yet. */
void *pages_anonymous(size_t length)
{
	void *addr = mmap(NULL, length, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (addr == MAP_FAILED)
		die_errno("cannot map %zu bytes", length);
	if (madvise(addr, length, MADV_NOHUGEPAGE))
		die_errno("cannot have small pages");
	return addr;
}

void pages_free(void *addr, size_t length)
{
	if (munmap(addr, length))
		die_errno("cannot unmap %zu bytes", length);
}

/*
 * How many pages lie behind the page before them in physical memory too. Needs
 * CAP_SYS_ADMIN, like everyone who wants to know page frame numbers.
 */
size_t pages_adjacent(const void *addr, size_t length)
{
	size_t first = (uintptr_t)addr / PAGE, count = length / PAGE;
	uint64_t entry[512], frame, last = 0;
	size_t i, n, adjacent = 0;
	int fd;

	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno("cannot open /proc/self/pagemap");
	for (i = 0; i < count; i++) {
		n = i % 512;
		if (!n && pread(fd, entry, sizeof(entry),
				(off_t)((first + i) * 8)) < 8)
			die_errno("cannot read /proc/self/pagemap");
		frame = entry[n] & ((1ULL << 55) - 1);
		if (!(entry[n] >> 63) || !frame)
			die("page %zu has no frame number", i);
		adjacent += i && frame == last + 1;
		last = frame;
	}
	close(fd);
	return adjacent;
}

/*
 * Memory whose pages are all over the physical memory. The kernel hands out
 * pages in something near their physical order, so touching a bigger area in
 * random order scatters them; /proc/self/pagemap tells whether it worked.
 */
void *pages_scattered(size_t length, uint64_t seed)
{
	size_t whole = (length + PAGE - 1) & ~(PAGE - 1);
	size_t pool = whole < POOL ? 2 * POOL : whole;
	size_t count = pool / PAGE, i, j, adjacent;
	unsigned int attempts = 10;
	uint32_t *order;
	char *addr;

	order = calloc(count, sizeof(*order));
	if (!order)
		die_errno("no memory");
	do {
		if (!attempts--)
			die("cannot get scattered pages");
		for (i = 0; i < count; i++) {
			j = random_next(&seed) % (i + 1);
			order[i] = order[j];
			order[j] = (uint32_t)i;
		}
		addr = pages_anonymous(pool);
		for (i = 0; i < count; i++)
			addr[order[i] * PAGE] = 1;
		if (pool > whole)
			pages_free(addr + whole, pool - whole);
		adjacent = pages_adjacent(addr, whole);
		if (adjacent > whole / PAGE / 20)
			pages_free(addr, whole);
	} while (adjacent > whole / PAGE / 20);
	free(order);
	return addr;
}

/* The word that belongs at a multiple of 8. */
static uint64_t pattern_word(uint64_t offset, uint64_t seed)
{
	uint64_t word = (offset ^ seed) * 0x9e3779b97f4a7c15ULL;

	return word ^ word >> 29;
}

static uint8_t pattern_byte(uint64_t offset, uint64_t seed)
{
	return (uint8_t)(pattern_word(offset & ~7UL, seed) >> 8 * (offset & 7));
}

/* Write bytes @offset.. of the endless pattern that @seed names to @addr. */
void pattern_fill(void *addr, size_t length, uint64_t offset, uint64_t seed)
{
	uint8_t *at = addr, *end = at + length;
	uint64_t word;

	while (at < end && offset & 7)
		*at++ = pattern_byte(offset++, seed);
	for (; end - at >= 8; at += 8, offset += 8) {
		word = pattern_word(offset, seed);
		memcpy(at, &word, 8);
	}
	while (at < end)
		*at++ = pattern_byte(offset++, seed);
}

/* End the program if what is at @addr is anything else. */
void pattern_check(const char *what, const void *addr, size_t length,
		   uint64_t offset, uint64_t seed)
{
	const uint8_t *start = addr, *at = start, *end = at + length;
	uint64_t word, found;

	while (at < end && offset & 7 && *at == pattern_byte(offset, seed))
		at++, offset++;
	if (!(offset & 7)) {
		for (; end - at >= 8; at += 8, offset += 8) {
			memcpy(&found, at, 8);
			word = pattern_word(offset, seed);
			if (found != word)
				break;
		}
	}
	for (; at < end; at++, offset++)
		if (*at != pattern_byte(offset, seed))
			die("%s: byte %zu of %zu is 0x%02x, should be 0x%02x",
			    what, (size_t)(at - start), length, *at,
			    pattern_byte(offset, seed));
}
