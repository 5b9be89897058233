// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address handles and multicast groups.
 *
 * The host resolves how to reach a peer. In host addressing the RDMA core takes
 * the ports for InfiniBand ports (see ibdev.c) and so does not resolve
 * addresses itself.
 */
#include <linux/err.h>
#include <linux/string.h>

#include "command/cmd.h"
#include "gsi/gsi.h"
#include "verbs/verbs.h"

/* @wire is zeroed by the caller. */
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

void vhyv_ah_from_wire(struct ib_device *ibdev, struct rdma_ah_attr *ah,
		       const struct hyv_ah_attr *wire)
{
	u32 port = wire->port_num;

	/* A QP without an address has no port number either. */
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

int vhyv_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibah->pd);
	struct vhyv_ah *ah = to_vhyv_ah(ibah);
	struct hyv_create_ah_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(ibah->device), VHYV_CMD_CREATE_AH, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	ah->host = pd->host;
	req = cmd->req;
	req->pd = cpu_to_le32(pd->handle);
	vhyv_ah_to_wire(&req->attr, attr->ah_attr);
	ret = vhyv_object_create(cmd, HYV_OBJ_AH, ah->host, &rsp, udata);
	if (!ret)
		ah->handle = le32_to_cpu(rsp.handle);
	return ret;
}

/* For GSIs. In any context. */
int vhyv_create_kernel_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata)
{
	return gsi_init_ah(ibah, attr->ah_attr, &to_vhyv_ah(ibah)->attr);
}

/* Only kernel AHs can be queried. In any context. */
int vhyv_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_vhyv_ah(ibah)->attr;
	return 0;
}

/* In any context for a kernel AH. */
int vhyv_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct vhyv_ah *ah = to_vhyv_ah(ibah);

	if (!ah->host)
		return 0;
	return vhyv_object_destroy(ah->host, HYV_OBJ_AH, ah->handle, NULL);
}

static void vhyv_mcast_fill(struct vhyv_cmd *cmd, const struct vhyv_qp *qp,
			    const union ib_gid *gid, u16 lid)
{
	struct hyv_mcast_req *req = cmd->req;

	req->qp = cpu_to_le32(qp->target.handle);
	req->mlid = cpu_to_le16(lid);
	memcpy(req->gid, gid->raw, sizeof(req->gid));
}

int vhyv_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct vhyv_cmd *cmd;

	cmd = vhyv_cmd_new(to_vhyv_dev(ibqp->device), VHYV_CMD_ATTACH_MCAST,
			   NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	vhyv_mcast_fill(cmd, qp, gid, lid);
	cmd->orphans = &qp->host->orphans;
	return vhyv_cmd_run(cmd, true, NULL, NULL);
}

/*
 * Does not fail: ib_uverbs has removed the group already, so a failure here
 * would leave the QP busy forever. The host detaches the QP when it is
 * destroyed.
 */
int vhyv_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibqp->device);
	struct vhyv_qp *qp = to_vhyv_qp(ibqp);
	struct vhyv_cmd *cmd;
	int status;

	/* An abandoned ATTACH_MCAST must not be executed after this. */
	if (!vhyv_context_settle(qp->host))
		return 0;
	cmd = vhyv_cmd_new_nofail(hdev, VHYV_CMD_DETACH_MCAST);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return 0;

	vhyv_mcast_fill(cmd, qp, gid, lid);
	if (!vhyv_cmd_exec_retry(cmd, &status))
		vhyv_cmd_free(cmd);
	return 0;
}
