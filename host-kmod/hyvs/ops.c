// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of a device.
 */
#include <linux/module.h>
#include <compat/ib_verbs.h>
#include <rdma/ib_verbs.h>
#include <rdma/mlx5-abi.h>

#include "hyvs/hyvs.h"

COMPAT_DEFINE_CREATE_CQ(hyvs_create_cq_op, hyvs_create_cq)
COMPAT_DEFINE_REG_USER_MR(hyvs_reg_user_mr_op, hyvs_reg_user_mr)
COMPAT_DEFINE_RESIZE_USER_CQ(hyvs_resize_user_cq_op, hyvs_resize_user_cq)

const struct ib_device_ops hyvs_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_MLX5,
	.uverbs_abi_ver = MLX5_IB_UVERBS_ABI_VERSION,

	.add_gid = hyvs_add_gid,
	.alloc_hw_port_stats = hyvs_alloc_stats,
	.alloc_mw = hyvs_alloc_mw,
	.alloc_pd = hyvs_alloc_pd,
	.alloc_ucontext = hyvs_alloc_ucontext,
	.alloc_xrcd = hyvs_alloc_xrcd,
	.attach_mcast = hyvs_attach_mcast,
	.create_cq = hyvs_create_cq_op,
	.create_qp = hyvs_create_qp,
	.create_srq = hyvs_create_srq,
	.create_user_ah = hyvs_create_ah,
	.dealloc_mw = hyvs_dealloc_mw,
	.dealloc_pd = hyvs_dealloc_pd,
	.dealloc_ucontext = hyvs_dealloc_ucontext,
	.dealloc_xrcd = hyvs_dealloc_xrcd,
	.del_gid = hyvs_del_gid,
	.dereg_mr = hyvs_dereg_mr,
	.destroy_ah = hyvs_destroy_ah,
	.destroy_cq = hyvs_destroy_cq,
	.destroy_qp = hyvs_destroy_qp,
	.destroy_srq = hyvs_destroy_srq,
	.detach_mcast = hyvs_detach_mcast,
	.disassociate_ucontext = hyvs_disassociate_ucontext,
	.get_hw_stats = hyvs_get_stats,
	.get_link_layer = hyvs_link_layer,
	.get_port_immutable = hyvs_port_immutable,
	.mmap = hyvs_mmap,
	.modify_cq = hyvs_modify_cq,
	.modify_qp = hyvs_modify_qp,
	.modify_srq = hyvs_modify_srq,
	.query_device = hyvs_query_device,
	.query_pkey = hyvs_query_pkey,
	.query_port = hyvs_query_port,
	.query_qp = hyvs_query_qp,
	.query_srq = hyvs_query_srq,
	.reg_user_mr = hyvs_reg_user_mr_op,
	.rereg_user_mr = hyvs_rereg_user_mr,
	.resize_user_cq = hyvs_resize_user_cq_op,

	INIT_RDMA_OBJ_SIZE(ib_ah, hyvs_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, hyvs_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, hyvs_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, hyvs_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, hyvs_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, hyvs_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, hyvs_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, hyvs_xrcd, ib),
};
