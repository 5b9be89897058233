// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the shim that are not inline.
 */
#include <stdio.h>

#include "fuzz.h"

struct shim_user shim_user;

static long allocs_left = -1;

void fuzz_fail_alloc(long n)
{
	allocs_left = n;
}

/* More than any unit may ask for: the limits of lists and tables are lower. */
#define ALLOC_MAX (64UL << 20)

void *shim_alloc(size_t size, gfp_t gfp)
{
	FUZZ_CHECK(size <= ALLOC_MAX);
	if (allocs_left >= 0 && !allocs_left--)
		return NULL;
	return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size);
}

void fuzz_failed(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

u64 fuzz_take(struct fuzz_in *in, unsigned int bytes)
{
	u64 val = 0;

	fuzz_bytes(in, &val, bytes);
	return val;
}

void fuzz_bytes(struct fuzz_in *in, void *to, size_t len)
{
	size_t n = min(len, in->left);

	memset(to, 0, len);
	if (n)
		memcpy(to, in->at, n);
	in->at += n;
	in->left -= n;
}

/* Returns how many bytes were not copied, as copy_from_user() does. */
unsigned long shim_copy(void *kernel, const void *user, size_t len, bool write)
{
	u64 at = (u64)(uintptr_t)user - SHIM_USER_BASE;
	size_t n;

	if (shim_user.fault_in >= 0 && !shim_user.fault_in--)
		return len;
	if (at >= shim_user.size)
		return len;
	n = min(len, shim_user.size - at);
	if (write)
		memcpy(shim_user.mem + at, kernel, n);
	else
		memcpy(kernel, shim_user.mem + at, n);
	return len - n;
}

u32 crc32_le(u32 crc, const u8 *p, size_t len)
{
	static u32 table[256];
	u32 i, bit;

	if (!table[1])
		for (i = 0; i < 256; i++) {
			table[i] = i;
			for (bit = 0; bit < 8; bit++)
				table[i] = table[i] >> 1 ^
					   (table[i] & 1 ? 0xedb88320 : 0);
		}
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return crc;
}
