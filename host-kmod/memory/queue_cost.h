/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel memory that the driver of a software HCA allocates for queues.
 */
#ifndef HYVH_QUEUE_COST_H
#define HYVH_QUEUE_COST_H

#include <linux/types.h>

struct ib_qp_cap;

u64 hyvh_queue_cost_cq(u32 cqe);
u64 hyvh_queue_cost_srq(u32 max_wr, u32 max_sge);
u64 hyvh_queue_cost_qp(const struct ib_qp_cap *cap);

#endif /* HYVH_QUEUE_COST_H */
