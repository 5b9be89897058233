/* SPDX-License-Identifier: GPL-2.0-only */
/* General service interfaces (GSIs): QP 1 of each port, in software. */
#ifndef VHYV_GSI_H
#define VHYV_GSI_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct net_device;
struct vhyv_qp;

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
struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num);
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index);

#endif /* VHYV_GSI_H */
