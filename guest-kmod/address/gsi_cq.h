/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel CQs for GSIs: rings in memory that exist only in the guest. */
#ifndef VHYV_GSI_CQ_H
#define VHYV_GSI_CQ_H

#include <rdma/ib_verbs.h>

struct vhyv_cq;

int vhyv_gsi_cq_create(struct vhyv_cq *cq, const struct ib_cq_init_attr *attr);
void vhyv_gsi_cq_destroy(struct vhyv_cq *cq);
void vhyv_gsi_cq_push(struct ib_cq *ibcq, const struct ib_wc *wc,
		      bool solicited);
void vhyv_gsi_cq_remove_qp(struct ib_cq *ibcq, const struct ib_qp *ibqp);
int vhyv_gsi_cq_arm(struct vhyv_cq *cq, enum ib_cq_notify_flags flags);
int vhyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc);

#endif /* VHYV_GSI_CQ_H */
