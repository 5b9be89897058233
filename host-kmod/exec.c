// SPDX-License-Identifier: GPL-2.0-only
/*
 * HYV_EXEC: from the VMM's memory to a handler and back.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "dispatch.h"
#include "exec.h"
#include "hca.h"
#include "verbs.h"
#include "vnic.h"

static_assert(HYV_SCRATCH_UDATA_IN + HYV_MAX_UDATA <= HYV_SCRATCH_UDATA_OUT);
static_assert(HYV_SCRATCH_UDATA_OUT + HYV_MAX_UDATA <= HYV_SCRATCH_SIZE);

#define HYV_OP(op, req, rsp, fn)					\
	.opcode = HYV_CMD_##op,						\
	.min_req = sizeof(req), .req_len = sizeof(req),			\
	.min_rsp = sizeof(rsp), .rsp_len = sizeof(rsp),			\
	.name = #op, .handler = fn

static const struct hyv_cmd_op hyv_ops[] = {
	{
		/* Its first version had no verbs. */
		.opcode = HYV_CMD_QUERY_DEVICE,
		.min_req = sizeof(struct hyv_query_device_req),
		.req_len = sizeof(struct hyv_query_device_req),
		.min_rsp = offsetof(struct hyv_query_device_rsp, verbs),
		.rsp_len = sizeof(struct hyv_query_device_rsp),
		.name = "QUERY_DEVICE",
		.handler = hyv_cmd_query_device,
	},
	{ HYV_OP(QUERY_PORT, struct hyv_query_port_req,
		 struct hyv_query_port_rsp, hyv_cmd_query_port),
	  .zero = { HYV_ZERO_FIELD(struct hyv_query_port_req, reserved) } },
	{ HYV_OP(QUERY_GIDS, struct hyv_query_gids_req,
		 struct hyv_query_gids_rsp, hyv_cmd_query_gids) },
	{ HYV_OP(QUERY_PKEYS, struct hyv_query_pkeys_req,
		 struct hyv_query_pkeys_rsp, hyv_cmd_query_pkeys) },
	{ HYV_OP(SETUP_DOORBELLS, struct hyv_setup_doorbells_req,
		 struct hyv_rsp, hyv_cmd_setup_doorbells),
	  .max_lists = 1, .features = BIT(HYV_F_DOORBELL_AREA) },
	{ HYV_OP(ADD_GID, struct hyv_add_gid_req,
		 struct hyv_rsp, hyv_cmd_add_gid),
	  .features = BIT(HYV_F_GUEST_GIDS),
	  .zero = { HYV_ZERO_FIELD(struct hyv_add_gid_req, reserved) } },
	{ HYV_OP(DEL_GID, struct hyv_del_gid_req,
		 struct hyv_rsp, hyv_cmd_del_gid),
	  .features = BIT(HYV_F_GUEST_GIDS),
	  .zero = { HYV_ZERO_FIELD(struct hyv_del_gid_req, reserved) } },
	{ HYV_OP(ALLOC_CONTEXT, struct hyv_alloc_context_req,
		 struct hyv_create_rsp, hyv_cmd_alloc_context) },
	{ HYV_OP(MMAP, struct hyv_mmap_req,
		 struct hyv_mmap_rsp, hyv_cmd_mmap) },
	{ HYV_OP(MUNMAP, struct hyv_munmap_req,
		 struct hyv_rsp, hyv_cmd_munmap),
	  .zero = { HYV_ZERO_FIELD(struct hyv_munmap_req, reserved) } },
	{ HYV_OP(DESTROY, struct hyv_destroy_req,
		 struct hyv_rsp, hyv_cmd_destroy) },
	{ HYV_OP(ALLOC_PD, struct hyv_alloc_pd_req,
		 struct hyv_create_rsp, hyv_cmd_alloc_pd),
	  .zero = { HYV_ZERO_FIELD(struct hyv_alloc_pd_req, reserved) } },
	{ HYV_OP(CREATE_CQ, struct hyv_create_cq_req,
		 struct hyv_create_cq_rsp, hyv_cmd_create_cq) },
	{ HYV_OP(CREATE_QP, struct hyv_create_qp_req,
		 struct hyv_create_qp_rsp, hyv_cmd_create_qp),
	  .zero = { HYV_ZERO_FIELD(struct hyv_create_qp_req, reserved),
		    HYV_ZERO_FIELD(struct hyv_create_qp_req, reserved2) } },
	{ HYV_OP(MODIFY_QP, struct hyv_modify_qp_req,
		 struct hyv_rsp, hyv_cmd_modify_qp),
	  .zero = { HYV_ZERO_FIELD(struct hyv_modify_qp_req, attr.reserved),
		    HYV_ZERO_FIELD(struct hyv_modify_qp_req, attr.ah.reserved),
		    HYV_ZERO_FIELD(struct hyv_modify_qp_req,
				   attr.alt_ah.reserved) } },
	{ HYV_OP(QUERY_QP, struct hyv_query_qp_req,
		 struct hyv_query_qp_rsp, hyv_cmd_query_qp) },
	{ HYV_OP(REG_MR, struct hyv_reg_mr_req,
		 struct hyv_reg_mr_rsp, hyv_cmd_reg_mr),
	  .max_lists = 1 },
	{ HYV_OP(RESIZE_CQ, struct hyv_resize_cq_req,
		 struct hyv_resize_cq_rsp, hyv_cmd_resize_cq) },
	{ HYV_OP(MODIFY_CQ, struct hyv_modify_cq_req,
		 struct hyv_rsp, hyv_cmd_modify_cq) },
	{ HYV_OP(REREG_MR, struct hyv_rereg_mr_req,
		 struct hyv_reg_mr_rsp, hyv_cmd_rereg_mr),
	  .max_lists = 1 },
	{ HYV_OP(CREATE_AH, struct hyv_create_ah_req,
		 struct hyv_create_rsp, hyv_cmd_create_ah),
	  .zero = { HYV_ZERO_FIELD(struct hyv_create_ah_req, reserved),
		    HYV_ZERO_FIELD(struct hyv_create_ah_req,
				   attr.reserved) } },
	{ HYV_OP(CREATE_SRQ, struct hyv_create_srq_req,
		 struct hyv_create_srq_rsp, hyv_cmd_create_srq),
	  .zero = { HYV_ZERO_FIELD(struct hyv_create_srq_req, reserved) } },
	{ HYV_OP(MODIFY_SRQ, struct hyv_modify_srq_req,
		 struct hyv_rsp, hyv_cmd_modify_srq),
	  .max_lists = HYV_MAX_LISTS },
	{ HYV_OP(QUERY_SRQ, struct hyv_query_srq_req,
		 struct hyv_query_srq_rsp, hyv_cmd_query_srq),
	  .zero = { HYV_ZERO_FIELD(struct hyv_query_srq_req, reserved) } },
	{ HYV_OP(ALLOC_MW, struct hyv_alloc_mw_req,
		 struct hyv_alloc_mw_rsp, hyv_cmd_alloc_mw),
	  .zero = { HYV_ZERO_FIELD(struct hyv_alloc_mw_req, reserved) } },
	{ HYV_OP(ATTACH_MCAST, struct hyv_mcast_req,
		 struct hyv_rsp, hyv_cmd_attach_mcast),
	  .zero = { HYV_ZERO_FIELD(struct hyv_mcast_req, reserved) } },
	{ HYV_OP(DETACH_MCAST, struct hyv_mcast_req,
		 struct hyv_rsp, hyv_cmd_detach_mcast),
	  .zero = { HYV_ZERO_FIELD(struct hyv_mcast_req, reserved) } },
};

static u32 hyv_exec_locked(struct hyv_vnic *vnic, const struct hyv_exec *arg,
			   const void *req, void *rsp, u32 rsp_room)
{
	struct hyv_request r = {
		.vnic = vnic,
		.scratch = u64_to_user_ptr(arg->scratch),
	};

	lockdep_assert_held_read(&vnic->gate);
	if (!vnic->hca) {
		struct hyv_rsp gone = {
			.status = cpu_to_le32(HYV_S_EIO),
			.fixed_len = cpu_to_le16(sizeof(gone)),
			.size = cpu_to_le32(sizeof(gone)),
		};

		memcpy(rsp, &gone, sizeof(gone));
		return sizeof(gone);
	}
	r.ibdev = hyv_hca_ibdev(vnic->hca);
	r.provider = hyv_hca_provider(vnic->hca);
	return hyv_dispatch(hyv_ops, ARRAY_SIZE(hyv_ops), vnic->features, &r,
			    req, arg->request_len, rsp, rsp_room);
}

/**
 * hyv_exec() - execute one request of the guest
 * @vnic: an attached vNIC
 * @arg: from the VMM; out_reply_len is set
 *
 * The request is copied once and never looked at again in the VMM's memory.
 *
 * Context: Process context of the VMM. May sleep, also for seconds.
 * Return: 0 or a negative errno of HYV_EXEC.
 */
int hyv_exec(struct hyv_vnic *vnic, struct hyv_exec *arg)
{
	u32 room = min_t(u32, arg->reply_len, HYV_MAX_RSP_SIZE);
	void *req, *rsp;
	u32 len;
	int ret;

	if (arg->request_len > HYV_MAX_REQ_SIZE ||
	    arg->scratch_len < HYV_SCRATCH_SIZE || !PAGE_ALIGNED(arg->scratch))
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

	ret = down_read_killable(&vnic->gate);
	if (ret)
		goto out_rsp;
	len = hyv_exec_locked(vnic, arg, req, rsp, room);
	up_read(&vnic->gate);

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
