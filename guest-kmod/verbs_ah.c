// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs of whom a datagram reaches: address handles and multicast groups.
 *
 * The core takes the ports for ones of InfiniBand (see ibdev.c) and so leaves
 * addresses as they are. The host finds out how a peer is reached.
 */
#include <rdma/ib_verbs.h>

#include "cmd.h"
#include "hyv_dev.h"

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
 * hyv_destroy_ah() - ib_device_ops.destroy_ah
 * @ibah: the AH, which is always one of user space
 * @flags: RDMA_DESTROY_AH_SLEEPABLE, as only the kernel leaves it out
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY.
 */
int hyv_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct hyv_ah *ah = to_hyv_ah(ibah);

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
