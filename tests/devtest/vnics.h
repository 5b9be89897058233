/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host's list of vNICs, by generic netlink without a library.
 */
#ifndef DEVTEST_VNICS_H
#define DEVTEST_VNICS_H

#include <stdbool.h>
#include <stdint.h>

/* All vNICs of the host: how many, and the sums of what they use. */
struct vnics {
	int nr;
	uint64_t leaked; /* objects */
	uint64_t pinned;
	uint64_t queues; /* bytes and doorbell pages */
};

bool vnics_get(struct vnics *vnics);

#endif /* DEVTEST_VNICS_H */
