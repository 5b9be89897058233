/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the fuzzers of /dev/hyv.
 */
#ifndef DEVTEST_FUZZ_H
#define DEVTEST_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#include "harness.h"
#include "vnic.h"

/* Values at the limits of types and of guest memory, and random ones. */
uint64_t fuzz_odd_value(struct dt_rng *rng);

/* Change the length, or what follows; mostly keeps the header right. */
void fuzz_spoil_length(struct dt_rng *rng, struct req *r);

/* Check that a reply may have this status. */
bool fuzz_known_status(int status);

#endif /* DEVTEST_FUZZ_H */
