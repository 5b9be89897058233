// SPDX-License-Identifier: GPL-2.0-only
/* Commands of address handles and multicast groups: whom a datagram reaches. */
#include <linux/string.h>

#include "command/cmd_priv.h"
#include "dev.h"

/**
 * vhyv_ah_to_wire() - convert the address of a peer
 * @wire: zeroed by the caller
 * @ah: the address; how its next hop is reached is for the host to find out
 */
void vhyv_ah_to_wire(struct hyv_ah_attr *wire, const struct rdma_ah_attr *ah)
{
	wire->sl = rdma_ah_get_sl(ah);
	wire->static_rate = rdma_ah_get_static_rate(ah);
	wire->port_num = rdma_ah_get_port_num(ah);
	wire->dlid = cpu_to_le16(rdma_ah_get_dlid(ah));
	wire->src_path_bits = rdma_ah_get_path_bits(ah);
	if (rdma_ah_get_ah_flags(ah) & IB_AH_GRH) {
		const struct ib_global_route *grh = rdma_ah_read_grh(ah);

		wire->is_global = 1;
		memcpy(wire->dgid, grh->dgid.raw, sizeof(wire->dgid));
		wire->flow_label = cpu_to_le32(grh->flow_label);
		wire->sgid_index = grh->sgid_index;
		wire->hop_limit = grh->hop_limit;
		wire->traffic_class = grh->traffic_class;
	}
}

/**
 * vhyv_ah_from_wire() - convert the address of a peer
 * @ibdev: device
 * @ah: where to write it
 * @wire: the address
 */
void vhyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		       const struct hyv_ah_attr *wire)
{
	u32 port = wire->port_num;

	/* A QP without an address has none of a port either. */
	if (!rdma_is_port_valid(ibdev, port))
		port = rdma_start_port(ibdev);
	memset(ah, 0, sizeof(*ah));
	ah->type = rdma_ah_find_type(ibdev, port);
	rdma_ah_set_port_num(ah, wire->port_num);
	rdma_ah_set_sl(ah, wire->sl);
	rdma_ah_set_static_rate(ah, wire->static_rate);
	rdma_ah_set_dlid(ah, le16_to_cpu(wire->dlid));
	rdma_ah_set_path_bits(ah, wire->src_path_bits);
	if (wire->is_global) {
		union ib_gid dgid;

		memcpy(dgid.raw, wire->dgid, sizeof(dgid.raw));
		rdma_ah_set_grh(ah, &dgid, le32_to_cpu(wire->flow_label),
				wire->sgid_index, wire->hop_limit,
				wire->traffic_class);
	}
}

/**
 * vhyv_cmd_create_ah() - create an address handle
 * @uctx: its owner
 * @pd: handle of the PD
 * @ah: the address
 * @udata: provider data
 * @handle: of the AH
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_create_ah(struct vhyv_ucontext *uctx, u32 pd,
		       const struct rdma_ah_attr *ah, struct ib_udata *udata,
		       u32 *handle)
{
	struct hyv_create_ah_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(CREATE_AH, *req, rsp), udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	vhyv_ah_to_wire(&req->attr, ah);
	ret = vhyv_create(cmd, HYV_OBJ_AH, uctx, &rsp, sizeof(rsp), udata);
	if (!ret)
		*handle = le32_to_cpu(rsp.handle);
	return ret;
}

/**
 * vhyv_cmd_destroy_ah() - destroy an address handle
 * @uctx: its owner
 * @handle: of the AH
 *
 * Return: 0, or -EBUSY if it is in use.
 */
int vhyv_cmd_destroy_ah(struct vhyv_ucontext *uctx, u32 handle)
{
	return vhyv_destroy_owned(uctx, HYV_OBJ_AH, handle, NULL);
}

static void vhyv_mcast_fill(struct vhyv_cmd *cmd, u32 qp,
			    const union ib_gid *gid, u16 lid)
{
	struct hyv_mcast_req *req = cmd->req;

	req->qp = cpu_to_le32(qp);
	req->mlid = cpu_to_le16(lid);
	memcpy(req->gid, gid->raw, sizeof(req->gid));
}

/**
 * vhyv_cmd_attach_mcast() - let a QP join a multicast group
 * @uctx: owner of the QP
 * @qp: its handle
 * @gid: of the group
 * @lid: of the group
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_attach_mcast(struct vhyv_ucontext *uctx, u32 qp,
			  const union ib_gid *gid, u16 lid)
{
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(to_vhyv_dev(uctx->ibuc.device),
			   VHYV_LAYOUT(ATTACH_MCAST, struct hyv_mcast_req, rsp),
			   NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	vhyv_mcast_fill(cmd, qp, gid, lid);
	cmd->orphans = &uctx->orphans;
	return vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
}

/**
 * vhyv_cmd_detach_mcast() - let a QP leave a multicast group
 * @uctx: owner of the QP
 * @qp: its handle
 * @gid: of the group
 * @lid: of the group
 *
 * It does not fail: what the host does not undo now goes with the QP.
 */
void vhyv_cmd_detach_mcast(struct vhyv_ucontext *uctx, u32 qp,
			   const union ib_gid *gid, u16 lid)
{
	struct vhyv_dev *hdev = to_vhyv_dev(uctx->ibuc.device);
	struct hyv_rsp rsp;
	struct vhyv_layout layout = VHYV_LAYOUT(DETACH_MCAST,
						struct hyv_mcast_req, rsp);
	struct vhyv_cmd *cmd;

	layout.gfp = GFP_KERNEL | __GFP_NOFAIL;
	cmd = vhyv_cmd_new(hdev, layout, NULL);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return;

	vhyv_mcast_fill(cmd, qp, gid, lid);
	/* A join whose caller was killed must not come after this. */
	vhyv_cmdq_drain_orphans(hdev, &uctx->orphans);
	if (vhyv_cmdq_exec(cmd, false))
		return;
	vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	vhyv_cmd_free(cmd);
}
