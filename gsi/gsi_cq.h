/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel CQs for GSIs: rings in memory that the HCA does not know. */
#ifndef GSI_CQ_H
#define GSI_CQ_H

#include <rdma/ib_verbs.h>

struct gsi_cq;

struct gsi_cq *gsi_cq_create(struct ib_cq *ibcq,
			     const struct ib_cq_init_attr *attr);
void gsi_cq_destroy(struct gsi_cq *ring);
void gsi_cq_push(struct gsi_cq *ring, const struct ib_wc *wc, bool solicited);
void gsi_cq_remove_qp(struct gsi_cq *ring, const struct ib_qp *ibqp);
int gsi_cq_arm(struct gsi_cq *ring, enum ib_cq_notify_flags flags);
int gsi_cq_poll(struct gsi_cq *ring, int num_entries, struct ib_wc *wc);

#endif /* GSI_CQ_H */
