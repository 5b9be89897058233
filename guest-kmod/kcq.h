/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues of the kernel: rings in memory, which no HCA knows of. */
#ifndef HYV_KCQ_H
#define HYV_KCQ_H

#include <rdma/ib_verbs.h>

struct hyv_cq;

int hyv_kcq_create(struct hyv_cq *cq, const struct ib_cq_init_attr *attr);
void hyv_kcq_destroy(struct hyv_cq *cq);
void hyv_kcq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited);
void hyv_kcq_forget(struct ib_cq *ibcq, const struct ib_qp *ibqp);
int hyv_kcq_arm(struct hyv_cq *cq, enum ib_cq_notify_flags flags);
int hyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);

#endif /* HYV_KCQ_H */
