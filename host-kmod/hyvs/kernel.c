// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of the kernel: those of the GSI, QP 1 in software, by which connection
 * managers exchange datagrams. The engine knows none of them, and they count for
 * nobody.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "gsi/gsi.h"
#include "gsi/gsi_cq.h"
#include "gsi/gsi_net.h"
#include "gsi/gsi_pkt.h"
#include "hyvs/hyvs.h"

/* A device can do without; the log says why it does. */
void hyvs_gsi_start(struct hyvs_device *dev)
{
	int ret;

	/* GSIs are in the initial network namespace. */
	if (!net_eq(dev_net(dev->ndev), &init_net))
		return;
	ret = gsi_net_get(gsi_receive);
	if (ret == -EADDRINUSE)
		netdev_warn(dev->ndev,
			    "no rdma_cm: UDP port %u is in use; to have it, unload rdma_rxe if it is loaded, then add the RDMA link again\n",
			    GSI_PKT_UDP_PORT);
	else if (ret)
		netdev_warn(dev->ndev, "no rdma_cm: cannot open UDP port %u: %pe\n",
			    GSI_PKT_UDP_PORT, ERR_PTR(ret));
	dev->has_gsi = !ret;
}

void hyvs_gsi_stop(struct hyvs_device *dev)
{
	if (dev->has_gsi)
		gsi_net_put();
}

static struct gsi_port *hyvs_gsi_port(struct ib_device *ib, u32 port)
{
	return &to_hyvs_device(ib)->gsi_port;
}

static struct workqueue_struct *hyvs_gsi_wq(struct ib_device *ib)
{
	return system_dfl_wq;
}

static struct gsi_cq *hyvs_gsi_cq(struct ib_cq *ib)
{
	return to_hyvs_cq(ib)->gsi;
}

static const struct rdma_ah_attr *hyvs_gsi_ah_attr(struct ib_ah *ib)
{
	return &to_hyvs_ah(ib)->attr;
}

static const struct gsi_ops hyvs_gsi_ops = {
	.port = hyvs_gsi_port,
	.wq = hyvs_gsi_wq,
	.cq = hyvs_gsi_cq,
	.ah_attr = hyvs_gsi_ah_attr,
};

int hyvs_create_kernel_cq(struct hyvs_cq *cq,
			  const struct ib_cq_init_attr *attr)
{
	struct gsi_cq *gsi;

	if (!to_hyvs_device(cq->ib.device)->has_gsi)
		return -EOPNOTSUPP;
	gsi = gsi_cq_create(&cq->ib, attr);
	if (IS_ERR(gsi))
		return PTR_ERR(gsi);
	cq->gsi = gsi;
	return 0;
}

int hyvs_create_kernel_qp(struct hyvs_qp *qp,
			  const struct ib_qp_init_attr *attr)
{
	struct gsi_qp *gsi;

	if (!to_hyvs_device(qp->ib.device)->has_gsi)
		return -EOPNOTSUPP;
	gsi = gsi_create(&hyvs_gsi_ops, &qp->ib, attr);
	if (IS_ERR(gsi))
		return PTR_ERR(gsi);
	qp->gsi = gsi;
	return 0;
}

/* In any context, as all below. */
static int hyvs_create_kernel_ah(struct ib_ah *ib,
				 struct rdma_ah_init_attr *attr,
				 struct ib_udata *udata)
{
	return gsi_init_ah(ib, attr->ah_attr, &to_hyvs_ah(ib)->attr);
}

static int hyvs_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	*attr = to_hyvs_ah(ib)->attr;
	return 0;
}

/* Kernel QPs need no memory region: they use the local DMA key. */
static struct ib_mr *hyvs_get_dma_mr(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int hyvs_poll_cq(struct ib_cq *ib, int num_entries, struct ib_wc *wc)
{
	return gsi_cq_poll(to_hyvs_cq(ib)->gsi, num_entries, wc);
}

static int hyvs_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	return gsi_cq_arm(to_hyvs_cq(ib)->gsi, flags);
}

static int hyvs_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	return gsi_post_send(to_hyvs_qp(ib)->gsi, wr, bad_wr);
}

static int hyvs_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	return gsi_post_recv(to_hyvs_qp(ib)->gsi, wr, bad_wr);
}

/*
 * With these, ib_core lets its clients in the kernel use the device. Processes and
 * hyv.ko post, poll and arm in memory, so the objects are the kernel's.
 */
const struct ib_device_ops hyvs_kernel_ops = {
	.create_ah = hyvs_create_kernel_ah,
	.get_dma_mr = hyvs_get_dma_mr,
	.poll_cq = hyvs_poll_cq,
	.post_recv = hyvs_post_recv,
	.post_send = hyvs_post_send,
	.query_ah = hyvs_query_ah,
	.req_notify_cq = hyvs_req_notify_cq,
};
