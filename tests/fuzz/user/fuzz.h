/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the fuzzers of the pure units: a source of values from the bytes
 * of an input, and the shim's knobs.
 *
 * A fuzzer defines LLVMFuzzerTestOneInput(), the entry point of libFuzzer,
 * which engine.c calls, too.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "shim.h"

/* The rest of an input; zeroes follow. */
struct fuzz_in {
	const u8 *at;
	size_t left;
};

u64 fuzz_take(struct fuzz_in *in, unsigned int bytes);
void fuzz_bytes(struct fuzz_in *in, void *to, size_t len);

/* A number below @n, which is not 0. */
static inline u32 fuzz_below(struct fuzz_in *in, u32 n)
{
	return fuzz_take(in, n > 256 ? 4 : 1) % n;
}

static inline bool fuzz_flag(struct fuzz_in *in)
{
	return fuzz_take(in, 1) & 1;
}

/* Let the allocation after @n others fail; -1: none. */
void fuzz_fail_alloc(long n);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* FUZZ_FUZZ_H */
