/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * General service interfaces: QP 1 of each port, in software. The managers of
 * connections of two guests talk to each other through them.
 */
#ifndef VHYV_GSI_H
#define VHYV_GSI_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct vhyv_dev;
struct vhyv_qp;
struct net_device;

/* What has been counted, of one port; see vhyv_gsi_counter_descs. */
enum vhyv_gsi_counter {
	VHYV_GSI_SENT,
	VHYV_GSI_SEND_ERRORS,
	VHYV_GSI_RECEIVED,
	VHYV_GSI_MALFORMED,
	VHYV_GSI_ICRC_ERRORS,
	VHYV_GSI_KEY_VIOLATIONS,
	VHYV_GSI_NO_BUFFER,
	VHYV_GSI_COUNTERS	/* one past the last */
};

int vhyv_gsi_create(struct vhyv_qp *qp, struct ib_qp_init_attr *attr);
void vhyv_gsi_destroy(struct vhyv_qp *qp);
int vhyv_gsi_modify(struct vhyv_qp *qp, const struct ib_qp_attr *attr, int mask);
void vhyv_gsi_query(struct vhyv_qp *qp, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init_attr);
int vhyv_gsi_post_send(struct vhyv_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr);
int vhyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr);
bool vhyv_gsi_receive(const void *pkt, size_t len, struct net_device *ndev);

#endif /* VHYV_GSI_H */
