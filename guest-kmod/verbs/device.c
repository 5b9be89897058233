// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of the device. */
#include <linux/err.h>

#include "command/cmd.h"
#include "compat/ib_verbs.h"
#include "verbs/verbs.h"

/*
 * Capabilities of the HCA that guests get: those that this driver supports or
 * does not take part in. Raw packets and flow steering need verbs that it does
 * not implement.
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

/* Capabilities of optional verbs. */
#define VHYV_DEVICE_AH_CAPS						\
	(IB_UVERBS_DEVICE_UD_AV_PORT_ENFORCE | IB_UVERBS_DEVICE_UD_IP_CSUM)
#define VHYV_DEVICE_MW_CAPS						\
	(IB_UVERBS_DEVICE_MEM_WINDOW |					\
	 IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2A |				\
	 IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B)

/* Limits of verbs that the HCA lacks stay zero: applications check for that. */
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
	if (verbs & HYV_VERB_XRC)
		attr->device_cap_flags |= caps & IB_UVERBS_DEVICE_XRC;
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
	attr->max_res_rd_atom = le32_to_cpu(rsp->max_res_rd_atom);
	attr->max_qp_init_rd_atom = le32_to_cpu(rsp->max_qp_init_rd_atom);
	attr->atomic_cap = le32_to_cpu(rsp->atomic_cap);
	attr->masked_atomic_cap = le32_to_cpu(rsp->masked_atomic_cap);
	attr->max_fast_reg_page_list_len =
		le32_to_cpu(rsp->max_fast_reg_page_list_len);
	attr->max_pkeys = le16_to_cpu(rsp->max_pkeys);
	attr->local_ca_ack_delay = rsp->local_ca_ack_delay;
	attr->timestamp_mask = le64_to_cpu(rsp->timestamp_mask);
	attr->hca_core_clock = le64_to_cpu(rsp->hca_core_clock);
	/* Limits of EE contexts, RDDs, raw QPs and work queues stay zero. */
	vhyv_verb_attr_from_wire(attr, rsp);
}

/*
 * Read the attributes of the HCA from the host, by a command. The caller has
 * zeroed @attr; the pointers after it may be NULL. @verbs takes HYV_VERB_* bits.
 */
int vhyv_device_query(struct vhyv_dev *hdev, struct ib_device_attr *attr,
		      __be64 *node_guid, u32 *verbs, struct ib_udata *udata)
{
	struct hyv_query_device_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_QUERY_DEVICE, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	ret = vhyv_cmd_run(cmd, true, &rsp, udata);
	if (ret)
		return ret;
	vhyv_device_attr_from_wire(attr, &rsp);
	if (node_guid)
		*node_guid = rsp.node_guid;
	if (verbs)
		*verbs = le32_to_cpu(rsp.verbs);
	return 0;
}

int vhyv_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		      struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibdev);
	int ret;

	ret = vhyv_device_query(hdev, attr, NULL, NULL, udata);
	if (ret)
		return ret;
	if (hdev->has_gsi)
		attr->kernel_cap_flags |= IBK_LOCAL_DMA_LKEY;
	return 0;
}
