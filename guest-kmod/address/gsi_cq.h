/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues of the kernel: rings in memory, which no HCA knows of. */
#ifndef VHYV_KCQ_H
#define VHYV_KCQ_H

#include <rdma/ib_verbs.h>

struct vhyv_cq;

int vhyv_kcq_create(struct vhyv_cq *cq, const struct ib_cq_init_attr *attr);
void vhyv_kcq_destroy(struct vhyv_cq *cq);
void vhyv_kcq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited);
void vhyv_kcq_forget(struct ib_cq *ibcq, const struct ib_qp *ibqp);
int vhyv_kcq_arm(struct vhyv_cq *cq, enum ib_cq_notify_flags flags);
int vhyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);

#endif /* VHYV_KCQ_H */
