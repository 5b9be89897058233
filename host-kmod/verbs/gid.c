// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's GID table.
 */
#include "address/vgid.h"
#include "verbs/verbs.h"
#include "vnic.h"

#define HYVH_MAX_VLAN	4094

int hyvh_cmd_add_gid(struct hyvh_cmd *cmd)
{
	const struct hyv_add_gid_req *req = cmd->req;
	u16 vlan_id = le16_to_cpu(req->vlan_id);
	struct hyvh_vnic *vnic = cmd->vnic;
	union ib_gid gid;

	if (req->type != HYV_GID_TYPE_ROCE_V2 ||
	    (vlan_id != HYV_NO_VLAN && vlan_id > HYVH_MAX_VLAN))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "GID of type %u in VLAN %u", req->type,
				       vlan_id);
	memcpy(gid.raw, req->gid, sizeof(gid.raw));
	return hyvh_vgids_add(&vnic->vgids, vnic->hca, le32_to_cpu(req->port),
			      le16_to_cpu(req->index), &gid);
}

int hyvh_cmd_del_gid(struct hyvh_cmd *cmd)
{
	const struct hyv_del_gid_req *req = cmd->req;

	return hyvh_vgids_del(&cmd->vnic->vgids, le32_to_cpu(req->port),
			      le16_to_cpu(req->index));
}
