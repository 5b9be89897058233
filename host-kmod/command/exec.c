// SPDX-License-Identifier: GPL-2.0-only
/*
 * HYV_EXEC: from the VMM's memory to a handler and back.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "command/dispatch.h"
#include "command/exec.h"
#include "hca/hca.h"
#include "verbs/verbs.h"
#include "vnic.h"

static_assert(HYVH_SCRATCH_UDATA_IN + HYV_MAX_UDATA <= HYVH_SCRATCH_UDATA_OUT);
static_assert(HYVH_SCRATCH_UDATA_OUT + HYV_MAX_UDATA <= HYVH_SCRATCH_SIZE);

#define HYVH_OP(op, req, rsp, fn)					\
	.opcode = HYV_CMD_##op,						\
	.min_req = sizeof(req), .req_len = sizeof(req),			\
	.min_rsp = sizeof(rsp), .rsp_len = sizeof(rsp),			\
	.name = #op, .handler = fn

static const struct hyvh_cmd_op hyvh_ops[] = {
	{
		/* Its first version had no verbs. */
		.opcode = HYV_CMD_QUERY_DEVICE,
		.min_req = sizeof(struct hyv_query_device_req),
		.req_len = sizeof(struct hyv_query_device_req),
		.min_rsp = offsetof(struct hyv_query_device_rsp, verbs),
		.rsp_len = sizeof(struct hyv_query_device_rsp),
		.name = "QUERY_DEVICE",
		.handler = hyvh_cmd_query_device,
	},
	{ HYVH_OP(QUERY_PORT, struct hyv_query_port_req,
		  struct hyv_query_port_rsp, hyvh_cmd_query_port),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_query_port_req, reserved) } },
	{ HYVH_OP(QUERY_GIDS, struct hyv_query_gids_req,
		  struct hyv_query_gids_rsp, hyvh_cmd_query_gids) },
	{ HYVH_OP(QUERY_PKEYS, struct hyv_query_pkeys_req,
		  struct hyv_query_pkeys_rsp, hyvh_cmd_query_pkeys) },
	{ HYVH_OP(SETUP_DOORBELLS, struct hyv_setup_doorbells_req,
		  struct hyv_rsp, hyvh_cmd_setup_doorbells),
	  .max_lists = 1, .features = BIT(HYV_F_DOORBELL_AREA) },
	{ HYVH_OP(ADD_GID, struct hyv_add_gid_req,
		  struct hyv_rsp, hyvh_cmd_add_gid),
	  .features = BIT(HYV_F_GUEST_GIDS),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_add_gid_req, reserved) } },
	{ HYVH_OP(DEL_GID, struct hyv_del_gid_req,
		  struct hyv_rsp, hyvh_cmd_del_gid),
	  .features = BIT(HYV_F_GUEST_GIDS),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_del_gid_req, reserved) } },
	{ HYVH_OP(ALLOC_CONTEXT, struct hyv_alloc_context_req,
		  struct hyv_create_rsp, hyvh_cmd_alloc_context) },
	{ HYVH_OP(MMAP, struct hyv_mmap_req,
		  struct hyv_mmap_rsp, hyvh_cmd_mmap) },
	{ HYVH_OP(MUNMAP, struct hyv_munmap_req,
		  struct hyv_rsp, hyvh_cmd_munmap),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_munmap_req, reserved) } },
	{ HYVH_OP(DESTROY, struct hyv_destroy_req,
		  struct hyv_rsp, hyvh_cmd_destroy) },
	{ HYVH_OP(ALLOC_PD, struct hyv_alloc_pd_req,
		  struct hyv_create_rsp, hyvh_cmd_alloc_pd),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_alloc_pd_req, reserved) } },
	{ HYVH_OP(CREATE_CQ, struct hyv_create_cq_req,
		  struct hyv_create_cq_rsp, hyvh_cmd_create_cq) },
	{ HYVH_OP(CREATE_QP, struct hyv_create_qp_req,
		  struct hyv_create_qp_rsp, hyvh_cmd_create_qp),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_create_qp_req, reserved),
		    HYVH_ZERO_FIELD(struct hyv_create_qp_req, reserved2) } },
	{ HYVH_OP(MODIFY_QP, struct hyv_modify_qp_req,
		  struct hyv_rsp, hyvh_cmd_modify_qp),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_modify_qp_req, attr.reserved),
		    HYVH_ZERO_FIELD(struct hyv_modify_qp_req, attr.ah.reserved),
		    HYVH_ZERO_FIELD(struct hyv_modify_qp_req,
				    attr.alt_ah.reserved) } },
	{ HYVH_OP(QUERY_QP, struct hyv_query_qp_req,
		  struct hyv_query_qp_rsp, hyvh_cmd_query_qp) },
	{ HYVH_OP(REG_MR, struct hyv_reg_mr_req,
		  struct hyv_reg_mr_rsp, hyvh_cmd_reg_mr),
	  .max_lists = 1 },
	{ HYVH_OP(RESIZE_CQ, struct hyv_resize_cq_req,
		  struct hyv_resize_cq_rsp, hyvh_cmd_resize_cq) },
	{ HYVH_OP(MODIFY_CQ, struct hyv_modify_cq_req,
		  struct hyv_rsp, hyvh_cmd_modify_cq) },
	{ HYVH_OP(REREG_MR, struct hyv_rereg_mr_req,
		  struct hyv_reg_mr_rsp, hyvh_cmd_rereg_mr),
	  .max_lists = 1 },
	{ HYVH_OP(CREATE_AH, struct hyv_create_ah_req,
		  struct hyv_create_rsp, hyvh_cmd_create_ah),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_create_ah_req, reserved),
		    HYVH_ZERO_FIELD(struct hyv_create_ah_req,
				    attr.reserved) } },
	{ HYVH_OP(CREATE_SRQ, struct hyv_create_srq_req,
		  struct hyv_create_srq_rsp, hyvh_cmd_create_srq),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_create_srq_req, reserved) } },
	{ HYVH_OP(MODIFY_SRQ, struct hyv_modify_srq_req,
		  struct hyv_rsp, hyvh_cmd_modify_srq),
	  .max_lists = HYV_MAX_LISTS },
	{ HYVH_OP(QUERY_SRQ, struct hyv_query_srq_req,
		  struct hyv_query_srq_rsp, hyvh_cmd_query_srq),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_query_srq_req, reserved) } },
	{ HYVH_OP(ALLOC_MW, struct hyv_alloc_mw_req,
		  struct hyv_alloc_mw_rsp, hyvh_cmd_alloc_mw),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_alloc_mw_req, reserved) } },
	{ HYVH_OP(ATTACH_MCAST, struct hyv_mcast_req,
		  struct hyv_rsp, hyvh_cmd_attach_mcast),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_mcast_req, reserved) } },
	{ HYVH_OP(DETACH_MCAST, struct hyv_mcast_req,
		  struct hyv_rsp, hyvh_cmd_detach_mcast),
	  .zero = { HYVH_ZERO_FIELD(struct hyv_mcast_req, reserved) } },
};

static u32 hyvh_exec_locked(struct hyvh_vnic *vnic, const struct hyv_exec *arg,
			    const void *req, void *rsp, u32 rsp_room)
{
	struct hyvh_request r = {
		.vnic = vnic,
		.scratch = u64_to_user_ptr(arg->scratch),
	};

	lockdep_assert_held_read(&vnic->teardown_rwsem);
	if (!vnic->hca) {
		struct hyv_rsp gone = {
			.status = cpu_to_le32(HYV_S_EIO),
			.fixed_len = cpu_to_le16(sizeof(gone)),
			.size = cpu_to_le32(sizeof(gone)),
		};

		memcpy(rsp, &gone, sizeof(gone));
		return sizeof(gone);
	}
	r.ibdev = hyvh_hca_ibdev(vnic->hca);
	r.provider = hyvh_hca_provider(vnic->hca);
	return hyvh_dispatch(hyvh_ops, ARRAY_SIZE(hyvh_ops), vnic->features, &r,
			     req, arg->request_len, rsp, rsp_room);
}

/**
 * hyvh_exec() - execute one request of the guest
 * @vnic: an attached vNIC
 * @arg: from the VMM; out_reply_len is set
 *
 * The request is copied once and never looked at again in the VMM's memory.
 *
 * Context: Process context of the VMM. May sleep, also for seconds.
 * Return: 0 or a negative errno of HYV_EXEC.
 */
int hyvh_exec(struct hyvh_vnic *vnic, struct hyv_exec *arg)
{
	u32 room = min_t(u32, arg->reply_len, HYV_MAX_RSP_SIZE);
	void *req, *rsp;
	u32 len;
	int ret;

	if (arg->request_len > HYV_MAX_REQ_SIZE ||
	    arg->scratch_len < HYVH_SCRATCH_SIZE || !PAGE_ALIGNED(arg->scratch))
		return -EINVAL;
	if (room < sizeof(struct hyv_rsp))
		return -EMSGSIZE;

	req = vmemdup_user(u64_to_user_ptr(arg->request), arg->request_len);
	if (IS_ERR(req))
		return PTR_ERR(req);
	rsp = kvzalloc(room, GFP_KERNEL_ACCOUNT);
	if (!rsp) {
		ret = -ENOMEM;
		goto out_req;
	}

	ret = down_read_killable(&vnic->teardown_rwsem);
	if (ret)
		goto out_rsp;
	len = hyvh_exec_locked(vnic, arg, req, rsp, room);
	up_read(&vnic->teardown_rwsem);

	atomic64_inc(&vnic->counters.commands);
	if (((struct hyv_rsp *)rsp)->status)
		atomic64_inc(&vnic->counters.errors);
	arg->out_reply_len = len;
	if (copy_to_user(u64_to_user_ptr(arg->reply), rsp, len))
		ret = -EFAULT;
out_rsp:
	kvfree(rsp);
out_req:
	kvfree(req);
	return ret;
}
