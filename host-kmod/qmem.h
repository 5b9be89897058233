/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of queues which an HCA's driver allocates in the kernel.
 */
#ifndef HYV_QMEM_H
#define HYV_QMEM_H

#include <linux/types.h>

struct ib_qp_cap;

u64 hyv_qmem_cq(u32 cqe);
u64 hyv_qmem_srq(u32 max_wr, u32 max_sge);
u64 hyv_qmem_qp(const struct ib_qp_cap *cap);

#endif /* HYV_QMEM_H */
