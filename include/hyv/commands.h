/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * HyV: the table of commands, as data. The host's dispatcher, the guest driver,
 * the tests and the fuzzers expand it, so that a new command reaches all of them.
 */
#ifndef HYV_COMMANDS_H
#define HYV_COMMANDS_H

/*
 * X(NAME, name, request, min_request, reply, min_reply, lists, features)
 *
 * NAME, name	HYV_CMD_NAME is the opcode; name is the stem of function names
 * request	struct of the fixed part of the request, without "struct"
 * min_request	bytes of it in the command's first version
 * reply	struct of the fixed part of the reply, without "struct"
 * min_reply	bytes of it in the command's first version
 * lists	most chunk lists, up to HYV_MAX_LISTS
 * features	mask of the HYV_F_* bits that must have been negotiated
 */
#define HYV_FOR_EACH_COMMAND(X) \
	X(QUERY_DEVICE, query_device, hyv_query_device_req, 24, \
	  hyv_query_device_rsp, 224, 0, 0) \
	X(QUERY_PORT, query_port, hyv_query_port_req, 32, \
	  hyv_query_port_rsp, 72, 0, 0) \
	X(QUERY_GIDS, query_gids, hyv_query_gids_req, 32, \
	  hyv_query_gids_rsp, 1560, 0, 0) \
	X(QUERY_PKEYS, query_pkeys, hyv_query_pkeys_req, 32, \
	  hyv_query_pkeys_rsp, 280, 0, 0) \
	X(SETUP_DOORBELLS, setup_doorbells, hyv_setup_doorbells_req, 24, \
	  hyv_rsp, 16, 1, 1 << HYV_F_DOORBELL_AREA) \
	X(ADD_GID, add_gid, hyv_add_gid_req, 56, \
	  hyv_rsp, 16, 0, 1 << HYV_F_GUEST_GIDS) \
	X(DEL_GID, del_gid, hyv_del_gid_req, 32, \
	  hyv_rsp, 16, 0, 1 << HYV_F_GUEST_GIDS) \
	X(ALLOC_CONTEXT, alloc_context, hyv_alloc_context_req, 24, \
	  hyv_create_rsp, 24, 0, 0) \
	X(MMAP, mmap, hyv_mmap_req, 48, hyv_mmap_rsp, 32, 0, 0) \
	X(MUNMAP, munmap, hyv_munmap_req, 40, hyv_rsp, 16, 0, 0) \
	X(DESTROY, destroy, hyv_destroy_req, 32, hyv_rsp, 16, 0, 0) \
	X(ALLOC_PD, alloc_pd, hyv_alloc_pd_req, 32, hyv_create_rsp, 24, 0, 0) \
	X(CREATE_CQ, create_cq, hyv_create_cq_req, 40, \
	  hyv_create_cq_rsp, 32, HYV_MAX_LISTS, 0) \
	X(CREATE_QP, create_qp, hyv_create_qp_req, 72, \
	  hyv_create_qp_rsp, 48, HYV_MAX_LISTS, 0) \
	X(MODIFY_QP, modify_qp, hyv_modify_qp_req, 176, hyv_rsp, 16, 0, 0) \
	X(QUERY_QP, query_qp, hyv_query_qp_req, 32, \
	  hyv_query_qp_rsp, 184, 0, 0) \
	X(REG_MR, reg_mr, hyv_reg_mr_req, 40, hyv_reg_mr_rsp, 32, 1, 0) \
	X(RESIZE_CQ, resize_cq, hyv_resize_cq_req, 32, \
	  hyv_resize_cq_rsp, 24, HYV_MAX_LISTS, 0) \
	X(MODIFY_CQ, modify_cq, hyv_modify_cq_req, 32, hyv_rsp, 16, 0, 0) \
	X(REREG_MR, rereg_mr, hyv_rereg_mr_req, 48, hyv_reg_mr_rsp, 32, 1, 0) \
	X(CREATE_AH, create_ah, hyv_create_ah_req, 64, \
	  hyv_create_rsp, 24, 0, 0) \
	X(CREATE_SRQ, create_srq, hyv_create_srq_req, 48, \
	  hyv_create_srq_rsp, 32, HYV_MAX_LISTS, 0) \
	X(MODIFY_SRQ, modify_srq, hyv_modify_srq_req, 40, \
	  hyv_rsp, 16, HYV_MAX_LISTS, 0) \
	X(QUERY_SRQ, query_srq, hyv_query_srq_req, 32, \
	  hyv_query_srq_rsp, 32, 0, 0) \
	X(ALLOC_MW, alloc_mw, hyv_alloc_mw_req, 32, \
	  hyv_alloc_mw_rsp, 24, 0, 0) \
	X(ATTACH_MCAST, attach_mcast, hyv_mcast_req, 48, hyv_rsp, 16, 0, 0) \
	X(DETACH_MCAST, detach_mcast, hyv_mcast_req, 48, hyv_rsp, 16, 0, 0) \
	X(ALLOC_XRCD, alloc_xrcd, hyv_alloc_xrcd_req, 32, \
	  hyv_create_rsp, 24, 0, 0)

/*
 * X(NAME, request, member): reserved members of requests, which must be zero.
 * Those of the header are not listed.
 */
#define HYV_FOR_EACH_RESERVED(X) \
	X(QUERY_PORT, hyv_query_port_req, reserved) \
	X(ADD_GID, hyv_add_gid_req, reserved) \
	X(DEL_GID, hyv_del_gid_req, reserved) \
	X(MUNMAP, hyv_munmap_req, reserved) \
	X(ALLOC_PD, hyv_alloc_pd_req, reserved) \
	X(CREATE_QP, hyv_create_qp_req, reserved) \
	X(MODIFY_QP, hyv_modify_qp_req, attr.reserved) \
	X(MODIFY_QP, hyv_modify_qp_req, attr.ah.reserved) \
	X(MODIFY_QP, hyv_modify_qp_req, attr.alt_ah.reserved) \
	X(CREATE_AH, hyv_create_ah_req, reserved) \
	X(CREATE_AH, hyv_create_ah_req, attr.reserved) \
	X(CREATE_SRQ, hyv_create_srq_req, reserved) \
	X(QUERY_SRQ, hyv_query_srq_req, reserved) \
	X(ALLOC_MW, hyv_alloc_mw_req, reserved) \
	X(ATTACH_MCAST, hyv_mcast_req, reserved) \
	X(DETACH_MCAST, hyv_mcast_req, reserved) \
	X(ALLOC_XRCD, hyv_alloc_xrcd_req, reserved)

#endif /* HYV_COMMANDS_H */
