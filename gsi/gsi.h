/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * General service interfaces (GSIs): QP 1 of each port, in software. Shared by the
 * drivers of devices that have none, which pass kernel QPs on to it.
 */
#ifndef GSI_H
#define GSI_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct gsi_cq;
struct gsi_qp;
struct net_device;
struct workqueue_struct;

enum gsi_counter {
	GSI_SENT,
	GSI_SEND_ERRORS,
	GSI_RECEIVED,
	GSI_MALFORMED,
	GSI_ICRC_ERRORS,
	GSI_KEY_VIOLATIONS,
	GSI_NO_BUFFER,
	GSI_COUNTERS	/* one past the last */
};

/* The counters in an array of struct rdma_stat_desc, from entry @first on. */
#define GSI_STAT_DESCS(first)						\
	[(first) + GSI_SENT].name = "gsi_sent",				\
	[(first) + GSI_SEND_ERRORS].name = "gsi_send_errors",		\
	[(first) + GSI_RECEIVED].name = "gsi_received",			\
	[(first) + GSI_MALFORMED].name = "gsi_malformed",		\
	[(first) + GSI_ICRC_ERRORS].name = "gsi_icrc_errors",		\
	[(first) + GSI_KEY_VIOLATIONS].name = "gsi_key_violations",	\
	[(first) + GSI_NO_BUFFER].name = "gsi_no_buffer"

/* The part of a port that is its GSI's. */
struct gsi_port {
	atomic64_t counters[GSI_COUNTERS];
};

/**
 * struct gsi_ops - how GSIs find what their driver keeps for them
 * @port: a port of a device
 * @wq: the workqueue that sends what was posted
 * @cq: the ring of a kernel CQ
 * @ah_attr: the address that gsi_init_ah() has kept for a kernel AH
 *
 * All are called in any context, and with spinlocks held.
 */
struct gsi_ops {
	struct gsi_port *(*port)(struct ib_device *ibdev, u32 port_num);
	struct workqueue_struct *(*wq)(struct ib_device *ibdev);
	struct gsi_cq *(*cq)(struct ib_cq *ibcq);
	const struct rdma_ah_attr *(*ah_attr)(struct ib_ah *ibah);
};

struct gsi_qp *gsi_create(const struct gsi_ops *ops, struct ib_qp *ibqp,
			  const struct ib_qp_init_attr *attr);
void gsi_destroy(struct gsi_qp *gsi);
int gsi_modify(struct gsi_qp *gsi, const struct ib_qp_attr *attr, int mask);
void gsi_query(struct gsi_qp *gsi, struct ib_qp_attr *attr,
	       struct ib_qp_init_attr *init_attr);
int gsi_post_send(struct gsi_qp *gsi, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int gsi_post_recv(struct gsi_qp *gsi, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int gsi_init_ah(struct ib_ah *ibah, const struct rdma_ah_attr *attr,
		struct rdma_ah_attr *copy);
void gsi_read_counters(const struct gsi_port *port, u64 *values);
bool gsi_receive(const void *pkt, size_t len, struct net_device *ndev);

#endif /* GSI_H */
