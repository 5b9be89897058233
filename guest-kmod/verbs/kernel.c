// SPDX-License-Identifier: GPL-2.0-only
/* Kernel objects, which only guest addressing has: they are those of GSIs. */
#include <rdma/ib_verbs.h>

#include "gsi/gsi.h"
#include "gsi/gsi_cq.h"
#include "verbs/verbs.h"

static struct gsi_port *vhyv_gsi_port(struct ib_device *ibdev, u32 port_num)
{
	return &vhyv_port(to_vhyv_dev(ibdev), port_num)->gsi;
}

static struct workqueue_struct *vhyv_gsi_wq(struct ib_device *ibdev)
{
	return to_vhyv_dev(ibdev)->wq;
}

static struct gsi_cq *vhyv_gsi_cq(struct ib_cq *ibcq)
{
	return to_vhyv_cq(ibcq)->gsi_cq;
}

static const struct rdma_ah_attr *vhyv_gsi_ah_attr(struct ib_ah *ibah)
{
	return &to_vhyv_ah(ibah)->attr;
}

const struct gsi_ops vhyv_gsi_ops = {
	.port = vhyv_gsi_port,
	.wq = vhyv_gsi_wq,
	.cq = vhyv_gsi_cq,
	.ah_attr = vhyv_gsi_ah_attr,
};

/* All QPs that the RDMA core posts receives to are GSIs. In any context. */
int vhyv_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	return gsi_post_recv(to_vhyv_qp(ibqp)->gsi, wr, bad_wr);
}

/* In any context. */
int vhyv_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	return gsi_cq_poll(to_vhyv_cq(ibcq)->gsi_cq, num_entries, wc);
}

static const struct rdma_stat_desc vhyv_stat_descs[] = {
	GSI_STAT_DESCS(0),
};

static_assert(ARRAY_SIZE(vhyv_stat_descs) == GSI_COUNTERS);

struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num)
{
	return rdma_alloc_hw_stats_struct(vhyv_stat_descs, GSI_COUNTERS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Reads all counters, whatever @index is. */
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index)
{
	struct vhyv_port *port;

	port = vhyv_port(to_vhyv_dev(ibdev), port_num);
	if (!port)
		return -EINVAL;
	gsi_read_counters(&port->gsi, stats->value);
	return GSI_COUNTERS;
}
