/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two connected QPs with memory, which most tests need. Their numbers are
 * always the same: cq5, cq8 and qp11, qp14.
 */
#ifndef PAIR_H
#define PAIR_H

#include "world.h"

struct pair {
	struct world *w;
	struct buf *abuf, *bbuf;
	struct key *akey, *bkey;
	struct cq *acq, *bcq;
	struct qp *a, *b;
};

#define PAIR_BYTES (300 * 1024)

struct pair pair_create(enum eng_qp_type type);
void pair_destroy(struct pair *p);
/* Connect a with a new QP that has b's CQ and takes receives from @srq. */
struct qp *pair_connect_srq(struct pair *p, struct srq *srq);
/* Segments of @bytes in the buffers of a and b. */
struct sge pair_a(struct pair *p, u64 offset, u32 bytes);
struct sge pair_b(struct pair *p, u64 offset, u32 bytes);

#endif /* PAIR_H */
