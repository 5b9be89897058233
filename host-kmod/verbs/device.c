// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HCA as a whole and its ports, and the doorbell area.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "address/vgid.h"
#include "command/convert.h"
#include "memory/chunk.h"
#include "memory/guest_mem.h"
#include "notify/doorbell.h"
#include "notify/worker.h"
#include "verbs/verbs.h"
#include "vnic.h"

/* Take out what the HCA has, but guests do not get. */
static void hyvh_hide_verbs(struct hyvh_cmd *cmd)
{
	struct hyv_query_device_rsp *rsp = cmd->rsp;

	rsp->max_wq_type_rq = 0;
	rsp->raw_packet_caps = 0;
	if (!hyvh_cmd_has_ah(cmd))
		rsp->verbs &= cpu_to_le32(~(HYV_VERB_AH | HYV_VERB_MCAST));
}

/* Like uverbs, asks the HCA's driver only if there is provider data. */
int hyvh_cmd_query_device(struct hyvh_cmd *cmd)
{
	/* Drivers may look for the context of a udata in the bundle around it. */
	struct uverbs_attr_bundle bundle = {};
	struct ib_device_attr attr = {};
	int ret;

	if (!cmd->udata_in_len && !cmd->udata_out_room) {
		hyvh_device_attr_to_wire(cmd->ibdev, &cmd->ibdev->attrs,
					 cmd->rsp);
		hyvh_hide_verbs(cmd);
		return 0;
	}

	/* Others refuse it, and may look for the device in the bundle then. */
	if (!hyvh_hca_driver(cmd->vnic->hca)->device_data)
		return hyvh_cmd_refuse(cmd, -EINVAL, "no provider data here");
	ret = hyvh_udata_in(&bundle.driver_udata, cmd);
	if (ret)
		return ret;
	ret = cmd->ibdev->ops.query_device(cmd->ibdev, &attr,
					   &bundle.driver_udata);
	if (ret)
		return ret;
	ret = hyvh_udata_out(cmd);
	if (ret)
		return ret;
	hyvh_device_attr_to_wire(cmd->ibdev, &attr, cmd->rsp);
	hyvh_hide_verbs(cmd);
	return 0;
}

static int hyvh_check_port(const struct hyvh_cmd *cmd, u32 port)
{
	if (!rdma_is_port_valid(cmd->ibdev, port))
		return hyvh_cmd_refuse(cmd, -EINVAL, "no port %u", port);
	return 0;
}

int hyvh_cmd_query_port(struct hyvh_cmd *cmd)
{
	const struct hyv_query_port_req *req = cmd->req;
	u32 port = le32_to_cpu(req->port);
	struct ib_port_attr attr = {};
	int ret;

	ret = hyvh_check_port(cmd, port);
	if (ret)
		return ret;
	ret = ib_query_port(cmd->ibdev, port, &attr);
	if (ret)
		return ret;
	if (hyvh_vgids_enabled(&cmd->vnic->vgids))
		attr.gid_tbl_len = HYV_MAX_GIDS;
	hyvh_port_attr_to_wire(cmd->ibdev, port, &attr,
			       rdma_port_get_link_layer(cmd->ibdev, port),
			       cmd->rsp);
	return 0;
}

static void hyvh_gid_to_wire(const union ib_gid *gid, u32 index, u8 type,
			     struct hyv_gid *out)
{
	memcpy(out->raw, gid->raw, sizeof(out->raw));
	out->index = cpu_to_le16(index);
	out->type = type;
}

/* With guest addressing, the guest gets only one GID of the HCA. */
static u32 hyvh_query_hca_gid(struct hyvh_cmd *cmd, u32 port, u32 first)
{
	struct hyv_query_gids_rsp *rsp = cmd->rsp;
	union ib_gid gid;

	if (first || hyvh_vgids_hca_gid(cmd->vnic->hca, port, &gid))
		return 0;
	hyvh_gid_to_wire(&gid, 0, HYV_GID_TYPE_ROCE_V2, &rsp->gid[0]);
	return 1;
}

int hyvh_cmd_query_gids(struct hyvh_cmd *cmd)
{
	const struct hyv_query_gids_req *req = cmd->req;
	struct hyv_query_gids_rsp *rsp = cmd->rsp;
	const struct ib_gid_attr *gid;
	u32 port = le32_to_cpu(req->port);
	u32 index = le32_to_cpu(req->first);
	u32 len, count = 0;
	int ret;

	ret = hyvh_check_port(cmd, port);
	if (ret)
		return ret;
	if (hyvh_vgids_enabled(&cmd->vnic->vgids)) {
		count = hyvh_query_hca_gid(cmd, port, index);
		rsp->count = cpu_to_le32(count);
		return 0;
	}
	len = cmd->ibdev->port_data[port].immutable.gid_tbl_len;

	for (; index < len && count < HYV_QUERY_GIDS_MAX; index++) {
		gid = rdma_get_gid_attr(cmd->ibdev, port, index);
		if (IS_ERR(gid))
			continue;
		hyvh_gid_to_wire(&gid->gid, index,
				 gid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
				 HYV_GID_TYPE_ROCE_V2 : HYV_GID_TYPE_IB,
				 &rsp->gid[count++]);
		rdma_put_gid_attr(gid);
	}
	rsp->count = cpu_to_le32(count);
	rsp->next = cpu_to_le32(index < len ? index : 0);
	return 0;
}

int hyvh_cmd_query_pkeys(struct hyvh_cmd *cmd)
{
	const struct hyv_query_pkeys_req *req = cmd->req;
	struct hyv_query_pkeys_rsp *rsp = cmd->rsp;
	u32 port = le32_to_cpu(req->port);
	u32 index = le32_to_cpu(req->first);
	u32 len, count;
	u16 pkey;
	int ret;

	ret = hyvh_check_port(cmd, port);
	if (ret)
		return ret;
	len = cmd->ibdev->port_data[port].immutable.pkey_tbl_len;

	for (count = 0; index < len && count < HYV_QUERY_PKEYS_MAX; index++) {
		ret = ib_query_pkey(cmd->ibdev, port, index, &pkey);
		if (ret)
			return ret;
		rsp->pkey[count++] = cpu_to_le16(pkey);
	}
	rsp->count = cpu_to_le32(count);
	rsp->next = cpu_to_le32(index < len ? index : 0);
	return 0;
}

int hyvh_cmd_setup_doorbells(struct hyvh_cmd *cmd)
{
	const struct hyvh_list_view *list = &cmd->lists[0];
	struct hyvh_vnic *vnic = cmd->vnic;
	struct hyvh_mem_table *table;
	struct hyvh_chunks chunks;
	int ret;

	if (cmd->nr_lists != 1 || list->slot ||
	    !PAGE_ALIGNED(list->addr) || !PAGE_ALIGNED(list->length) ||
	    list->length < HYV_DB_AREA_SIZE(HYVH_QP_SLOTS, HYVH_CQ_SLOTS) ||
	    list->length > HYVH_MAX_DOORBELL_AREA)
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid doorbell area");

	table = hyvh_guest_mem_get(&vnic->mem);
	if (!table)
		return hyvh_cmd_refuse(cmd, -EFAULT, "no guest memory");
	ret = hyvh_chunks_load(&chunks, list, list->length >> PAGE_SHIFT,
			       hyvh_guest_read, table);
	if (ret) {
		hyvh_cmd_refuse(cmd, ret, "invalid chunk list");
		goto out_table;
	}
	ret = hyvh_doorbells_setup(&vnic->doorbells, &chunks, table);
	if (ret)
		hyvh_cmd_refuse(cmd, ret, "cannot set up the doorbell area");
	else
		/* A sleeping worker must request kicks in the new area. */
		hyvh_worker_wake(&vnic->worker);
	hyvh_chunks_release(&chunks);
out_table:
	hyvh_mem_table_put(table);
	return ret;
}
