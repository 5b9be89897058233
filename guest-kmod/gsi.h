/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * General service interfaces: QP 1 of each port, in software. The managers of
 * connections of two guests talk to each other through them.
 */
#ifndef HYV_GSI_H
#define HYV_GSI_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct hyv_dev;
struct hyv_qp;
struct net_device;

/* What has been counted, of one port; see hyv_gsi_counter_descs. */
enum hyv_gsi_counter {
	HYV_GSI_SENT,
	HYV_GSI_SEND_ERRORS,
	HYV_GSI_RECEIVED,
	HYV_GSI_MALFORMED,
	HYV_GSI_ICRC_ERRORS,
	HYV_GSI_KEY_VIOLATIONS,
	HYV_GSI_NO_BUFFER,
	HYV_GSI_COUNTERS	/* one past the last */
};

int hyv_gsi_create(struct hyv_qp *qp, struct ib_qp_init_attr *attr);
void hyv_gsi_destroy(struct hyv_qp *qp);
int hyv_gsi_modify(struct hyv_qp *qp, const struct ib_qp_attr *attr, int mask);
void hyv_gsi_query(struct hyv_qp *qp, struct ib_qp_attr *attr,
		   struct ib_qp_init_attr *init_attr);
int hyv_gsi_post_send(struct hyv_qp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad_wr);
int hyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
bool hyv_gsi_receive(const void *pkt, size_t len, struct net_device *ndev);

#endif /* HYV_GSI_H */
