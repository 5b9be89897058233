// SPDX-License-Identifier: GPL-2.0-only
/* Commands about the device and its ports. */
#include <linux/slab.h>

#include "command/cmd_priv.h"
#include "compat/ib_verbs.h"
#include "dev.h"

/*
 * Capabilities of the HCA that this driver lets through: those which need
 * nothing from it or which it carries. XRC, raw packets and flow steering need
 * verbs that it does not have.
 */
#define VHYV_DEVICE_CAPS							\
	(IB_UVERBS_DEVICE_RESIZE_MAX_WR | IB_UVERBS_DEVICE_BAD_PKEY_CNTR | \
	 IB_UVERBS_DEVICE_BAD_QKEY_CNTR | IB_UVERBS_DEVICE_AUTO_PATH_MIG | \
	 IB_UVERBS_DEVICE_CHANGE_PHY_PORT |				\
	 IB_UVERBS_DEVICE_CURR_QP_STATE_MOD |				\
	 IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |				\
	 IB_UVERBS_DEVICE_SYS_IMAGE_GUID |				\
	 IB_UVERBS_DEVICE_RC_RNR_NAK_GEN |				\
	 IB_UVERBS_DEVICE_N_NOTIFY_CQ |					\
	 IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS |				\
	 IB_UVERBS_DEVICE_RC_IP_CSUM |					\
	 IB_UVERBS_DEVICE_PCI_WRITE_END_PADDING |			\
	 COMPAT_DEVICE_FLUSH | COMPAT_DEVICE_ATOMIC_WRITE)

/* And those that belong to a verb which not every HCA has. */
#define VHYV_DEVICE_AH_CAPS						\
	(IB_UVERBS_DEVICE_UD_AV_PORT_ENFORCE | IB_UVERBS_DEVICE_UD_IP_CSUM)
#define VHYV_DEVICE_MW_CAPS						\
	(IB_UVERBS_DEVICE_MEM_WINDOW |					\
	 IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2A |				\
	 IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B)

/*
 * What belongs to verbs that not every HCA has is left at zero if this one has
 * not: an application takes a limit of zero for "cannot".
 */
static void vhyv_verb_attr_from_wire(struct ib_device_attr *attr,
				     const struct hyv_query_device_rsp *rsp)
{
	u64 caps = le64_to_cpu(rsp->device_cap_flags);
	u32 verbs = le32_to_cpu(rsp->verbs);

	if (verbs & HYV_VERB_AH) {
		attr->max_ah = le32_to_cpu(rsp->max_ah);
		attr->device_cap_flags |= caps & VHYV_DEVICE_AH_CAPS;
	}
	if (verbs & HYV_VERB_SRQ) {
		attr->max_srq = le32_to_cpu(rsp->max_srq);
		attr->max_srq_wr = le32_to_cpu(rsp->max_srq_wr);
		attr->max_srq_sge = le32_to_cpu(rsp->max_srq_sge);
	}
	if (verbs & HYV_VERB_MODIFY_SRQ)
		attr->device_cap_flags |= caps & IB_UVERBS_DEVICE_SRQ_RESIZE;
	if (verbs & HYV_VERB_MODIFY_CQ) {
		attr->cq_caps.max_cq_moderation_count =
			le16_to_cpu(rsp->max_cq_moderation_count);
		attr->cq_caps.max_cq_moderation_period =
			le16_to_cpu(rsp->max_cq_moderation_period);
	}
	if (verbs & HYV_VERB_MW) {
		attr->max_mw = le32_to_cpu(rsp->max_mw);
		attr->device_cap_flags |= caps & VHYV_DEVICE_MW_CAPS;
	}
	if (verbs & HYV_VERB_MCAST) {
		attr->max_mcast_grp = le32_to_cpu(rsp->max_mcast_grp);
		attr->max_mcast_qp_attach =
			le32_to_cpu(rsp->max_mcast_qp_attach);
		attr->max_total_mcast_qp_attach =
			le32_to_cpu(rsp->max_total_mcast_qp_attach);
	}
}

static void vhyv_device_attr_from_wire(struct ib_device_attr *attr,
				       const struct hyv_query_device_rsp *rsp)
{
	attr->fw_ver = le64_to_cpu(rsp->fw_ver);
	attr->sys_image_guid = rsp->sys_image_guid;
	attr->max_mr_size = le64_to_cpu(rsp->max_mr_size);
	attr->page_size_cap = le64_to_cpu(rsp->page_size_cap);
	attr->vendor_id = le32_to_cpu(rsp->vendor_id);
	attr->vendor_part_id = le32_to_cpu(rsp->vendor_part_id);
	attr->hw_ver = le32_to_cpu(rsp->hw_ver);
	attr->max_qp = le32_to_cpu(rsp->max_qp);
	attr->max_qp_wr = le32_to_cpu(rsp->max_qp_wr);
	attr->device_cap_flags = le64_to_cpu(rsp->device_cap_flags) &
				 VHYV_DEVICE_CAPS;
	attr->max_send_sge = le32_to_cpu(rsp->max_send_sge);
	attr->max_recv_sge = le32_to_cpu(rsp->max_recv_sge);
	attr->max_sge_rd = le32_to_cpu(rsp->max_sge_rd);
	attr->max_cq = le32_to_cpu(rsp->max_cq);
	attr->max_cqe = le32_to_cpu(rsp->max_cqe);
	attr->max_mr = le32_to_cpu(rsp->max_mr);
	attr->max_pd = le32_to_cpu(rsp->max_pd);
	attr->max_qp_rd_atom = le32_to_cpu(rsp->max_qp_rd_atom);
	attr->max_ee_rd_atom = le32_to_cpu(rsp->max_ee_rd_atom);
	attr->max_res_rd_atom = le32_to_cpu(rsp->max_res_rd_atom);
	attr->max_qp_init_rd_atom = le32_to_cpu(rsp->max_qp_init_rd_atom);
	attr->max_ee_init_rd_atom = le32_to_cpu(rsp->max_ee_init_rd_atom);
	attr->atomic_cap = le32_to_cpu(rsp->atomic_cap);
	attr->masked_atomic_cap = le32_to_cpu(rsp->masked_atomic_cap);
	attr->max_fast_reg_page_list_len =
		le32_to_cpu(rsp->max_fast_reg_page_list_len);
	attr->max_pkeys = le16_to_cpu(rsp->max_pkeys);
	attr->local_ca_ack_delay = rsp->local_ca_ack_delay;
	attr->timestamp_mask = le64_to_cpu(rsp->timestamp_mask);
	attr->hca_core_clock = le64_to_cpu(rsp->hca_core_clock);
	/*
	 * This driver has no verbs for EE contexts, RDDs, raw QPs and work
	 * queues, whose limits stay zero.
	 */
	vhyv_verb_attr_from_wire(attr, rsp);
}

/**
 * vhyv_cmd_query_device() - ask for the attributes of the HCA
 * @hdev: device
 * @attr: zeroed by the caller
 * @node_guid: of the HCA, or NULL
 * @verbs: VHYV_VERB_* bits of the HCA, or NULL
 * @udata: provider data
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_device(struct vhyv_dev *hdev, struct ib_device_attr *attr,
			  __be64 *node_guid, u32 *verbs, struct ib_udata *udata)
{
	struct hyv_query_device_req *req;
	struct hyv_query_device_rsp rsp;
	struct vhyv_layout layout = VHYV_LAYOUT(QUERY_DEVICE, *req, rsp);
	struct vhyv_cmd *cmd;
	int ret;

	layout.rsp_min = offsetof(struct hyv_query_device_rsp, verbs);
	cmd = vhyv_cmd_new(hdev, layout, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), udata);
	if (ret)
		return ret;
	vhyv_device_attr_from_wire(attr, &rsp);
	if (node_guid)
		*node_guid = rsp.node_guid;
	if (verbs)
		*verbs = le32_to_cpu(rsp.verbs);
	return 0;
}

/**
 * vhyv_cmd_query_port() - ask for the attributes of a port
 * @hdev: device
 * @port: port number
 * @attr: zeroed by the caller
 * @link_layer: kind of network
 * @grh_required: every address must carry a global route
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_port(struct vhyv_dev *hdev, u32 port,
			struct ib_port_attr *attr,
			enum rdma_link_layer *link_layer, bool *grh_required)
{
	struct hyv_query_port_req *req;
	struct hyv_query_port_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(QUERY_PORT, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->port = cpu_to_le32(port);
	ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
	if (ret)
		return ret;

	attr->port_cap_flags = le32_to_cpu(rsp.port_cap_flags);
	attr->port_cap_flags2 = le32_to_cpu(rsp.port_cap_flags2);
	attr->max_msg_sz = le32_to_cpu(rsp.max_msg_sz);
	attr->bad_pkey_cntr = le32_to_cpu(rsp.bad_pkey_cntr);
	attr->qkey_viol_cntr = le32_to_cpu(rsp.qkey_viol_cntr);
	attr->gid_tbl_len = min_t(u32, le32_to_cpu(rsp.gid_tbl_len), U16_MAX);
	attr->pkey_tbl_len = min_t(u32, le32_to_cpu(rsp.pkey_tbl_len), U16_MAX);
	attr->lid = le32_to_cpu(rsp.lid);
	attr->sm_lid = le32_to_cpu(rsp.sm_lid);
	attr->active_speed = le32_to_cpu(rsp.active_speed);
	attr->state = rsp.state;
	attr->max_mtu = rsp.max_mtu;
	attr->active_mtu = rsp.active_mtu;
	attr->lmc = rsp.lmc;
	attr->max_vl_num = rsp.max_vl_num;
	attr->sm_sl = rsp.sm_sl;
	attr->subnet_timeout = rsp.subnet_timeout;
	attr->init_type_reply = rsp.init_type_reply;
	attr->active_width = rsp.active_width;
	attr->phys_state = rsp.phys_state;
	*link_layer = rsp.link_layer;
	*grh_required = rsp.grh_required;
	return 0;
}

/**
 * vhyv_cmd_query_gids() - ask for a port's GID table
 * @hdev: device
 * @port: port number
 * @gids: the table, zeroed by the caller
 * @len: its entries; more of the host's are left out
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_gids(struct vhyv_dev *hdev, u32 port, union ib_gid *gids,
			u32 len)
{
	struct hyv_query_gids_req *req;
	struct hyv_query_gids_rsp *rsp;
	struct vhyv_cmd *cmd;
	u32 first = 0, next, count, i;
	int ret;

	rsp = kmalloc(sizeof(*rsp), GFP_KERNEL);
	if (!rsp)
		return -ENOMEM;

	do {
		cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(QUERY_GIDS, *req, *rsp),
				   NULL);
		if (IS_ERR(cmd)) {
			ret = PTR_ERR(cmd);
			break;
		}
		req = cmd->req;
		req->port = cpu_to_le32(port);
		req->first = cpu_to_le32(first);
		ret = vhyv_cmd_simple(cmd, true, rsp, sizeof(*rsp), NULL);
		if (ret)
			break;

		count = min_t(u32, le32_to_cpu(rsp->count), HYV_QUERY_GIDS_MAX);
		for (i = 0; i < count; i++) {
			u32 index = le16_to_cpu(rsp->gid[i].index);

			if (index < len)
				memcpy(gids[index].raw, rsp->gid[i].raw,
				       sizeof(gids[index].raw));
		}
		next = le32_to_cpu(rsp->next);
		/* The host must make headway or this would never end. */
		if (next && next <= first)
			ret = -EIO;
		first = next;
	} while (!ret && first && first < len);

	kfree(rsp);
	return ret;
}

/**
 * vhyv_cmd_add_gid() - fill an entry of a port's GID table
 * @hdev: device with HYV_F_GUEST_GIDS
 * @port: port number
 * @index: of the entry, which is empty
 * @gid: the GID, of RoCE v2
 * @vlan_id: VLAN that it belongs to, or HYV_NO_VLAN
 *
 * It cannot be killed, as the caller would not know then if the entry is empty.
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_add_gid(struct vhyv_dev *hdev, u32 port, u16 index,
		     const union ib_gid *gid, u16 vlan_id)
{
	struct hyv_add_gid_req *req;
	struct vhyv_cmd *cmd;
	struct hyv_rsp rsp;

	cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(ADD_GID, *req, rsp), NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	req = cmd->req;
	req->port = cpu_to_le32(port);
	req->index = cpu_to_le16(index);
	req->vlan_id = cpu_to_le16(vlan_id);
	memcpy(req->gid, gid->raw, sizeof(req->gid));
	req->type = HYV_GID_TYPE_ROCE_V2;
	return vhyv_cmd_simple(cmd, false, &rsp, sizeof(rsp), NULL);
}

/**
 * vhyv_cmd_del_gid() - empty an entry of a port's GID table
 * @hdev: device with HYV_F_GUEST_GIDS, which may have failed
 * @port: port number
 * @index: of the entry
 *
 * It does not fail: the entry is empty afterwards, or the device is reset.
 */
void vhyv_cmd_del_gid(struct vhyv_dev *hdev, u32 port, u16 index)
{
	struct hyv_del_gid_req *req;
	struct hyv_rsp rsp;
	struct vhyv_layout layout = VHYV_LAYOUT(DEL_GID, *req, rsp);
	struct vhyv_cmd *cmd;
	int ret;

	/* There is no way to tell the caller that a few bytes were missing. */
	layout.gfp = GFP_KERNEL | __GFP_NOFAIL;
	cmd = vhyv_cmd_new(hdev, layout, NULL);
	if (WARN_ON_ONCE(IS_ERR(cmd)))
		return;

	req = cmd->req;
	req->port = cpu_to_le32(port);
	req->index = cpu_to_le16(index);
	if (vhyv_cmdq_exec(cmd, false))
		return;
	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	if (ret && ret != -ENOENT)
		vhyv_dev_lost(hdev, "host cannot forget an address");
	vhyv_cmd_free(cmd);
}

/**
 * vhyv_cmd_query_pkeys() - ask for a port's P_Key table
 * @hdev: device
 * @port: port number
 * @pkeys: the table, zeroed by the caller
 * @len: its entries; more of the host's are left out
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_query_pkeys(struct vhyv_dev *hdev, u32 port, u16 *pkeys, u32 len)
{
	struct hyv_query_pkeys_req *req;
	struct hyv_query_pkeys_rsp rsp;
	struct vhyv_cmd *cmd;
	u32 first = 0, next, count, i;
	int ret;

	do {
		cmd = vhyv_cmd_new(hdev, VHYV_LAYOUT(QUERY_PKEYS, *req, rsp),
				   NULL);
		if (IS_ERR(cmd))
			return PTR_ERR(cmd);
		req = cmd->req;
		req->port = cpu_to_le32(port);
		req->first = cpu_to_le32(first);
		ret = vhyv_cmd_simple(cmd, true, &rsp, sizeof(rsp), NULL);
		if (ret)
			return ret;

		count = min_t(u32, le32_to_cpu(rsp.count), HYV_QUERY_PKEYS_MAX);
		for (i = 0; i < count && first + i < len; i++)
			pkeys[first + i] = le16_to_cpu(rsp.pkey[i]);
		next = le32_to_cpu(rsp.next);
		if (next && next <= first)
			return -EIO;
		first = next;
	} while (first && first < len);
	return 0;
}

/**
 * vhyv_cmd_setup_doorbells() - hand the doorbell area to the host
 * @hdev: device
 * @addr: of the area, page-aligned
 * @size: its bytes, whole pages
 *
 * The host uses the area until the device is reset.
 *
 * Return: 0 or a negative errno.
 */
int vhyv_cmd_setup_doorbells(struct vhyv_dev *hdev, phys_addr_t addr, size_t size)
{
	struct hyv_chunk_list *list;
	struct hyv_rsp rsp;
	struct vhyv_layout layout = VHYV_LAYOUT(SETUP_DOORBELLS,
						struct hyv_setup_doorbells_req,
						rsp);
	struct vhyv_cmd *cmd;

	layout.lists_len = struct_size(list, entry, 1);
	cmd = vhyv_cmd_new(hdev, layout, NULL);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	list = vhyv_cmd_lists(cmd);
	list->nr_chunks = cpu_to_le32(1);
	list->nr_entries = cpu_to_le32(1);
	list->length = cpu_to_le64(size);
	list->entry[0].addr = cpu_to_le64(addr);
	list->entry[0].len = cpu_to_le64(size);
	return vhyv_cmd_simple(cmd, false, &rsp, sizeof(rsp), NULL);
}
