// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs of whom a datagram reaches: address handles and multicast groups.
 *
 * The host finds out how a peer is reached. Unless the addresses are the
 * guest's the core takes the ports for ones of InfiniBand (see ibdev.c) and so
 * leaves addresses as they are.
 */
#include <linux/in6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

#include "cmd.h"
#include "hyv_dev.h"
#include "roce_pkt.h"

/**
 * hyv_create_ah() - ib_device_ops.create_user_ah
 * @ibah: the AH
 * @attr: what to create
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int hyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		  struct ib_udata *udata)
{
	struct hyv_pd *pd = to_hyv_pd(ibah->pd);
	struct hyv_ah *ah = to_hyv_ah(ibah);

	ah->uctx = pd->uctx;
	return hyv_cmd_create_ah(ah->uctx, pd->handle, attr->ah_attr, udata,
				 &ah->handle);
}

/**
 * hyv_create_kernel_ah() - ib_device_ops.create_ah
 * @ibah: the AH
 * @attr: what to create: an address for GSIs
 * @udata: unused
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int hyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			 struct ib_udata *udata)
{
	const struct rdma_ah_attr *from = attr->ah_attr;
	const struct ib_gid_attr *sgid_attr = ibah->sgid_attr;
	struct hyv_ah *ah = to_hyv_ah(ibah);
	const union ib_gid *dgid;

	if (!sgid_attr || !(rdma_ah_get_ah_flags(from) & IB_AH_GRH))
		return -EINVAL;
	dgid = &rdma_ah_read_grh(from)->dgid;
	if (rdma_is_multicast_addr((struct in6_addr *)dgid->raw) ||
	    hyv_roce_gid_is_ipv4(dgid->raw) !=
	    hyv_roce_gid_is_ipv4(sgid_attr->gid.raw))
		return -EINVAL;
	ah->attr = *from;
	ah->attr.grh.sgid_attr = NULL;
	return 0;
}

/**
 * hyv_query_ah() - ib_device_ops.query_ah
 * @ibah: the AH, which is always one of the kernel
 * @attr: the address
 *
 * Context: any.
 * Return: 0.
 */
int hyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_hyv_ah(ibah)->attr;
	return 0;
}

/**
 * hyv_destroy_ah() - ib_device_ops.destroy_ah
 * @ibah: the AH
 * @flags: RDMA_DESTROY_AH_SLEEPABLE, as only the kernel leaves it out
 *
 * Context: may sleep; any for an AH of the kernel.
 * Return: 0, or -EBUSY.
 */
int hyv_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct hyv_ah *ah = to_hyv_ah(ibah);

	if (!ah->uctx)
		return 0;
	return hyv_cmd_destroy_ah(ah->uctx, ah->handle);
}

/**
 * hyv_attach_mcast() - ib_device_ops.attach_mcast
 * @ibqp: the QP
 * @gid: of the group
 * @lid: of the group
 *
 * Return: 0 or a negative errno.
 */
int hyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct hyv_qp *qp = to_hyv_qp(ibqp);

	return hyv_cmd_attach_mcast(qp->uctx, qp->evobj.handle, gid, lid);
}

/**
 * hyv_detach_mcast() - ib_device_ops.detach_mcast
 * @ibqp: the QP
 * @gid: of the group
 * @lid: of the group
 *
 * The core has forgotten the group already, and would count the QP as in use
 * for ever if this failed.
 *
 * Return: 0.
 */
int hyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct hyv_qp *qp = to_hyv_qp(ibqp);

	hyv_cmd_detach_mcast(qp->uctx, qp->evobj.handle, gid, lid);
	return 0;
}
