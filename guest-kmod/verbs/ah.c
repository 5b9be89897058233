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

#include "command/cmd.h"
#include "dev.h"
#include "address/roce_pkt.h"

/**
 * vhyv_create_ah() - ib_device_ops.create_user_ah
 * @ibah: the AH
 * @attr: what to create
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibah->pd);
	struct vhyv_ah *ah = to_vhyv_ah(ibah);

	ah->uctx = pd->uctx;
	return vhyv_cmd_create_ah(ah->uctx, pd->handle, attr->ah_attr, udata,
				  &ah->handle);
}

/**
 * vhyv_create_kernel_ah() - ib_device_ops.create_ah
 * @ibah: the AH
 * @attr: what to create: an address for GSIs
 * @udata: unused
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int vhyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata)
{
	const struct rdma_ah_attr *from = attr->ah_attr;
	const struct ib_gid_attr *sgid_attr = ibah->sgid_attr;
	struct vhyv_ah *ah = to_vhyv_ah(ibah);
	const union ib_gid *dgid;

	if (!sgid_attr || !(rdma_ah_get_ah_flags(from) & IB_AH_GRH))
		return -EINVAL;
	dgid = &rdma_ah_read_grh(from)->dgid;
	if (rdma_is_multicast_addr((struct in6_addr *)dgid->raw) ||
	    vhyv_roce_gid_is_ipv4(dgid->raw) !=
	    vhyv_roce_gid_is_ipv4(sgid_attr->gid.raw))
		return -EINVAL;
	ah->attr = *from;
	ah->attr.grh.sgid_attr = NULL;
	return 0;
}

/**
 * vhyv_query_ah() - ib_device_ops.query_ah
 * @ibah: the AH, which is always one of the kernel
 * @attr: the address
 *
 * Context: any.
 * Return: 0.
 */
int vhyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_vhyv_ah(ibah)->attr;
	return 0;
}

/**
 * vhyv_destroy_ah() - ib_device_ops.destroy_ah
 * @ibah: the AH
 * @flags: RDMA_DESTROY_AH_SLEEPABLE, as only the kernel leaves it out
 *
 * Context: may sleep; any for an AH of the kernel.
 * Return: 0, or -EBUSY.
 */
int vhyv_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct vhyv_ah *ah = to_vhyv_ah(ibah);

	if (!ah->uctx)
		return 0;
	return vhyv_cmd_destroy_ah(ah->uctx, ah->handle);
}

/**
 * vhyv_attach_mcast() - ib_device_ops.attach_mcast
 * @ibqp: the QP
 * @gid: of the group
 * @lid: of the group
 *
 * Return: 0 or a negative errno.
 */
int vhyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	return vhyv_cmd_attach_mcast(qp->uctx, qp->evobj.handle, gid, lid);
}

/**
 * vhyv_detach_mcast() - ib_device_ops.detach_mcast
 * @ibqp: the QP
 * @gid: of the group
 * @lid: of the group
 *
 * The core has forgotten the group already, and would count the QP as in use
 * for ever if this failed.
 *
 * Return: 0.
 */
int vhyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);

	vhyv_cmd_detach_mcast(qp->uctx, qp->evobj.handle, gid, lid);
	return 0;
}
