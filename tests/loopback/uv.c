// SPDX-License-Identifier: GPL-2.0-only
/*
 * User verbs as system calls.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failnth.h"
#include "harness.h"
#include "hyv_loopback.h"
#include "hyv_mock.h"
#include "uv.h"

/* Numbers of the ABI that its header has no names for. */
enum {
	QPT_RC = 2,
	QPT_UD = 4,
	QPT_XRC_TGT = 10,
	QPS_INIT = 1,
	QPS_RTR,
	QPS_RTS,
	QP_STATE = 1 << 0,
	QP_ACCESS = 1 << 3,
	QP_PKEY = 1 << 4,
	QP_PORT = 1 << 5,
	QP_QKEY = 1 << 6,
	QP_AV = 1 << 7,
	QP_MTU = 1 << 8,
	QP_TIMEOUT = 1 << 9,
	QP_RETRY = 1 << 10,
	QP_RNR_RETRY = 1 << 11,
	QP_RQ_PSN = 1 << 12,
	QP_MAX_RD = 1 << 13,
	QP_MIN_RNR = 1 << 15,
	QP_SQ_PSN = 1 << 16,
	QP_MAX_DEST_RD = 1 << 17,
	QP_DEST = 1 << 20,
	ACCESS_LOCAL = 1,
	ACCESS_REMOTE = 7,
	REREG_TRANS = 1,
	REREG_PD = 2,
	REREG_ACCESS = 4,
	SRQ_MAX_WR = 1,
	CQ_MODERATE = 1,
	MW_TYPE_2 = 2,
};

#define UV_MAX 512

static int uv_write(int fd, const void *data, size_t len)
{
	ssize_t ret;

	failnth_begin();
	ret = write(fd, data, len);
	failnth_end();
	return ret < 0 ? -errno : 0;
}

/* @req starts with the address of the reply if there is one. */
static int uv_call(struct uv *uv, uint32_t command, const void *req, size_t len,
		   void *rsp, size_t rsp_len)
{
	union {
		struct ib_uverbs_cmd_hdr hdr;
		uint8_t bytes[UV_MAX];
	} msg = {
		.hdr =
			{
				.command = command,
				.in_words = (sizeof(msg.hdr) + len) / 4,
				.out_words = rsp_len / 4,
			},
	};
	uint64_t response = (uintptr_t)rsp;

	memcpy(msg.bytes + sizeof(msg.hdr), req, len);
	if (rsp)
		memcpy(msg.bytes + sizeof(msg.hdr), &response,
		       sizeof(response));
	return uv_write(uv->fd, msg.bytes, sizeof(msg.hdr) + len);
}

static int uv_call_ex(struct uv *uv, uint32_t command, const void *req,
		      size_t len, void *rsp, size_t rsp_len)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		uint8_t body[UV_MAX];
	} msg = {
		.hdr =
			{
				.command = command |
					   IB_USER_VERBS_CMD_FLAG_EXTENDED,
				.in_words = len / 8,
				.out_words = rsp_len / 8,
			},
		.ex.response = (uintptr_t)rsp,
	};

	memcpy(msg.body, req, len);
	return uv_write(uv->fd, &msg, sizeof(msg.hdr) + sizeof(msg.ex) + len);
}

#define UV_CALL(uv, COMMAND, req, rsp)                                        \
	uv_call(uv, IB_USER_VERBS_CMD_##COMMAND, &(req), sizeof(req), &(rsp), \
		sizeof(rsp))
#define UV_SEND(uv, COMMAND, req) \
	uv_call(uv, IB_USER_VERBS_CMD_##COMMAND, &(req), sizeof(req), NULL, 0)

/* --- Device and port --- */

int uv_get_context(struct uv *uv)
{
	struct ib_uverbs_get_context req = {};
	struct ib_uverbs_get_context_resp rsp = {};
	int ret = UV_CALL(uv, GET_CONTEXT, req, rsp);

	if (!ret)
		uv->async_fd = rsp.async_fd;
	return ret;
}

int uv_query_device(struct uv *uv)
{
	struct ib_uverbs_query_device req = {};
	struct ib_uverbs_query_device_resp rsp;

	return UV_CALL(uv, QUERY_DEVICE, req, rsp);
}

int uv_ex_query_device(struct uv *uv)
{
	struct ib_uverbs_ex_query_device req = {};
	struct ib_uverbs_ex_query_device_resp rsp;

	return uv_call_ex(uv, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &req,
			  sizeof(req), &rsp, sizeof(rsp));
}

static int uv_query_port(struct uv *uv)
{
	struct ib_uverbs_query_port req = {.port_num = 1};
	struct ib_uverbs_query_port_resp rsp;

	return UV_CALL(uv, QUERY_PORT, req, rsp);
}

/* --- PDs and MRs --- */

static int uv_new_pd(struct uv *uv, uint32_t *pd)
{
	struct ib_uverbs_alloc_pd req = {};
	struct ib_uverbs_alloc_pd_resp rsp = {};
	int ret = UV_CALL(uv, ALLOC_PD, req, rsp);

	if (!ret)
		*pd = rsp.pd_handle;
	return ret;
}

int uv_alloc_pd(struct uv *uv)
{
	return uv_new_pd(uv, &uv->pd);
}

static int uv_alloc_pd2(struct uv *uv)
{
	return uv_new_pd(uv, &uv->pd2);
}

static int uv_free_pd(struct uv *uv, uint32_t pd)
{
	struct ib_uverbs_dealloc_pd req = {.pd_handle = pd};

	return UV_SEND(uv, DEALLOC_PD, req);
}

int uv_dealloc_pd(struct uv *uv)
{
	return uv_free_pd(uv, uv->pd);
}

static int uv_dealloc_pd2(struct uv *uv)
{
	return uv_free_pd(uv, uv->pd2);
}

static int uv_reg(struct uv *uv, uint32_t pages, uint32_t *mr)
{
	struct ib_uverbs_reg_mr req = {
		.start = (uintptr_t)uv->buf + 256,
		.length = pages * DT_PAGE - 512,
		.hca_va = (uintptr_t)uv->buf + 256,
		.pd_handle = uv->pd,
		.access_flags = ACCESS_REMOTE,
	};
	struct ib_uverbs_reg_mr_resp rsp = {};
	int ret = UV_CALL(uv, REG_MR, req, rsp);

	if (!ret)
		*mr = rsp.mr_handle;
	return ret;
}

int uv_reg_mr(struct uv *uv)
{
	return uv_reg(uv, 3, &uv->mr);
}

static int uv_reg_big_mr(struct uv *uv)
{
	return uv_reg(uv, UV_BIG_PAGES, &uv->big_mr);
}

static int uv_rereg(struct uv *uv, uint32_t flags, uint32_t pages)
{
	struct ib_uverbs_rereg_mr req = {
		.mr_handle = uv->mr,
		.flags = flags,
		.start = (uintptr_t)uv->buf,
		.length = pages * DT_PAGE,
		.hca_va = (uintptr_t)uv->buf,
		.pd_handle = uv->pd2,
		.access_flags = ACCESS_LOCAL,
	};
	struct ib_uverbs_rereg_mr_resp rsp;

	return UV_CALL(uv, REREG_MR, req, rsp);
}

int uv_rereg_mr(struct uv *uv)
{
	return uv_rereg(uv, REREG_TRANS, 4);
}

static int uv_rereg_pd_access(struct uv *uv)
{
	return uv_rereg(uv, REREG_PD | REREG_ACCESS, 0);
}

static int uv_rereg_all(struct uv *uv)
{
	return uv_rereg(uv, REREG_PD | REREG_ACCESS | REREG_TRANS,
			UV_BIG_PAGES);
}

static int uv_dereg(struct uv *uv, uint32_t mr)
{
	struct ib_uverbs_dereg_mr req = {.mr_handle = mr};

	return UV_SEND(uv, DEREG_MR, req);
}

int uv_dereg_mr(struct uv *uv)
{
	return uv_dereg(uv, uv->mr);
}

static int uv_dereg_big_mr(struct uv *uv)
{
	return uv_dereg(uv, uv->big_mr);
}

int uv_alloc_mw(struct uv *uv)
{
	struct ib_uverbs_alloc_mw req = {
		.pd_handle = uv->pd,
		.mw_type = MW_TYPE_2,
	};
	struct ib_uverbs_alloc_mw_resp rsp = {};
	int ret = UV_CALL(uv, ALLOC_MW, req, rsp);

	if (!ret)
		uv->mw = rsp.mw_handle;
	return ret;
}

static int uv_dealloc_mw(struct uv *uv)
{
	struct ib_uverbs_dealloc_mw req = {.mw_handle = uv->mw};

	return UV_SEND(uv, DEALLOC_MW, req);
}

/* --- CQs --- */

static int uv_create_channel(struct uv *uv)
{
	struct ib_uverbs_create_comp_channel req = {};
	struct ib_uverbs_create_comp_channel_resp rsp = {};
	int ret = UV_CALL(uv, CREATE_COMP_CHANNEL, req, rsp);

	if (!ret)
		uv->channel = rsp.fd;
	return ret;
}

int uv_create_cq(struct uv *uv)
{
	struct ib_uverbs_create_cq req = {
		.user_handle = 0x4351,
		.cqe = 15,
		.comp_vector = 1,
		.comp_channel = uv->channel,
	};
	struct {
		struct ib_uverbs_create_cq_resp ib;
		struct mminfo mi;
	} rsp = {};
	int ret = UV_CALL(uv, CREATE_CQ, req, rsp);

	if (ret)
		return ret;
	uv->cq = rsp.ib.cq_handle;
	uv->cq_info = rsp.mi;
	return 0;
}

int uv_mmap(struct uv *uv)
{
	void *queue;

	failnth_begin();
	queue = mmap(NULL, uv->cq_info.size, PROT_READ | PROT_WRITE, MAP_SHARED,
		     uv->fd, uv->cq_info.offset);
	failnth_end();
	if (queue == MAP_FAILED)
		return -errno;
	/*
	 * From Linux 6.12 on, ib_uverbs takes disassociation_lock under
	 * mmap_lock when a process with such a mapping forks, and the other way
	 * round when the device is removed. After lockdep has reported that, it
	 * is off.
	 */
	uv->queue = queue;
	return madvise(queue, uv->cq_info.size, MADV_DONTFORK) ? -errno : 0;
}

int uv_munmap(struct uv *uv)
{
	int ret;

	failnth_begin();
	ret = munmap(uv->queue, uv->cq_info.size);
	failnth_end();
	if (ret)
		return -errno;
	uv->queue = NULL;
	return 0;
}

int uv_req_notify(struct uv *uv)
{
	struct ib_uverbs_req_notify_cq req = {.cq_handle = uv->cq};

	return UV_SEND(uv, REQ_NOTIFY_CQ, req);
}

static int uv_req_solicited(struct uv *uv)
{
	struct ib_uverbs_req_notify_cq req = {
		.cq_handle = uv->cq,
		.solicited_only = 1,
	};

	return UV_SEND(uv, REQ_NOTIFY_CQ, req);
}

static int uv_resize_cq(struct uv *uv)
{
	struct ib_uverbs_resize_cq req = {.cq_handle = uv->cq, .cqe = 31};
	struct {
		struct ib_uverbs_resize_cq_resp ib;
		struct mminfo mi;
	} rsp;

	return UV_CALL(uv, RESIZE_CQ, req, rsp);
}

static int uv_modify_cq(struct uv *uv)
{
	struct ib_uverbs_ex_modify_cq req = {
		.cq_handle = uv->cq,
		.attr_mask = CQ_MODERATE,
		.attr = {.cq_count = 1, .cq_period = 1},
	};

	return uv_call_ex(uv, IB_USER_VERBS_EX_CMD_MODIFY_CQ, &req, sizeof(req),
			  NULL, 0);
}

int uv_destroy_cq(struct uv *uv)
{
	struct ib_uverbs_destroy_cq req = {.cq_handle = uv->cq};
	struct ib_uverbs_destroy_cq_resp rsp;

	return UV_CALL(uv, DESTROY_CQ, req, rsp);
}

/* --- SRQs --- */

/* With a @length, the queue is in memory of the process. */
static int uv_new_srq(struct uv *uv, uint64_t length)
{
	struct {
		struct ib_uverbs_create_srq ib;
		struct hyv_mock_create_req drv;
	} req = {
		.ib =
			{
				.pd_handle = uv->pd,
				.max_wr = 15,
				.max_sge = 1,
			},
		.drv =
			{
				.addr = length ? (uintptr_t)uv->buf : 0,
				.length = length,
			},
	};
	struct {
		struct ib_uverbs_create_srq_resp ib;
		struct rxe_create_srq_resp drv;
	} rsp = {};
	int ret = UV_CALL(uv, CREATE_SRQ, req, rsp);

	if (!ret) {
		uv->srq = rsp.ib.srq_handle;
		uv->has_srq = true;
	}
	return ret;
}

static int uv_create_srq(struct uv *uv)
{
	return uv_new_srq(uv, 0);
}

/* As long as the driver of the guest takes the queue to be. */
int uv_create_srq_in_buf(struct uv *uv)
{
	return uv_new_srq(uv, DT_PAGE);
}

static int uv_modify_srq(struct uv *uv)
{
	struct {
		struct ib_uverbs_modify_srq ib;
		struct rxe_modify_srq_cmd drv;
	} req = {
		.ib =
			{
				.srq_handle = uv->srq,
				.attr_mask = SRQ_MAX_WR,
				.max_wr = 31,
			},
		.drv.mmap_info_addr = (uintptr_t)uv->info,
	};

	return UV_SEND(uv, MODIFY_SRQ, req);
}

static int uv_query_srq(struct uv *uv)
{
	struct ib_uverbs_query_srq req = {.srq_handle = uv->srq};
	struct ib_uverbs_query_srq_resp rsp;

	return UV_CALL(uv, QUERY_SRQ, req, rsp);
}

int uv_destroy_srq(struct uv *uv)
{
	struct ib_uverbs_destroy_srq req = {.srq_handle = uv->srq};
	struct ib_uverbs_destroy_srq_resp rsp;

	return UV_CALL(uv, DESTROY_SRQ, req, rsp);
}

/* --- QPs and AHs --- */

static int uv_new_qp(struct uv *uv, uint8_t type, uint32_t *qp)
{
	struct ib_uverbs_create_qp req = {
		.user_handle = 0x5150,
		.pd_handle = uv->pd,
		.send_cq_handle = uv->cq,
		.recv_cq_handle = uv->cq,
		.srq_handle = uv->srq,
		.max_send_wr = 7,
		.max_recv_wr = uv->has_srq ? 0 : 7,
		.max_send_sge = 1,
		.max_recv_sge = uv->has_srq ? 0 : 1,
		.qp_type = type,
		.is_srq = uv->has_srq,
	};
	struct {
		struct ib_uverbs_create_qp_resp ib;
		struct rxe_create_qp_resp drv;
	} rsp = {};
	int ret = UV_CALL(uv, CREATE_QP, req, rsp);

	if (!ret)
		*qp = rsp.ib.qp_handle;
	return ret;
}

/* Those who name the same file have the same domain. */
int uv_open_xrcd(struct uv *uv, int file)
{
	struct ib_uverbs_open_xrcd req = {.fd = file, .oflags = O_CREAT};
	struct ib_uverbs_open_xrcd_resp rsp = {};
	int ret = UV_CALL(uv, OPEN_XRCD, req, rsp);

	if (!ret)
		uv->xrcd = rsp.xrcd_handle;
	return ret;
}

int uv_create_target(struct uv *uv)
{
	struct ib_uverbs_create_qp req = {
		.pd_handle = uv->xrcd,
		.qp_type = QPT_XRC_TGT,
	};
	struct ib_uverbs_create_qp_resp rsp = {};
	int ret = UV_CALL(uv, CREATE_QP, req, rsp);

	if (!ret)
		uv->target = rsp.qp_handle;
	return ret;
}

int uv_create_qp(struct uv *uv)
{
	return uv_new_qp(uv, QPT_UD, &uv->qp);
}

static int uv_create_rc(struct uv *uv)
{
	return uv_new_qp(uv, QPT_RC, &uv->rc_qp);
}

static int uv_modify_qp(struct uv *uv)
{
	struct ib_uverbs_modify_qp req = {
		.qp_handle = uv->qp,
		.attr_mask = QP_STATE | QP_PKEY | QP_PORT | QP_QKEY,
		.qp_state = QPS_INIT,
		.port_num = 1,
		.qkey = 0x1234,
	};

	return UV_SEND(uv, MODIFY_QP, req);
}

static int uv_init(struct uv *uv, uint32_t qp)
{
	struct ib_uverbs_modify_qp req = {
		.qp_handle = qp,
		.attr_mask = QP_STATE | QP_PKEY | QP_PORT | QP_ACCESS,
		.qp_state = QPS_INIT,
		.port_num = 1,
	};

	return UV_SEND(uv, MODIFY_QP, req);
}

static int uv_rc_init(struct uv *uv)
{
	return uv_init(uv, uv->rc_qp);
}

int uv_target_init(struct uv *uv)
{
	return uv_init(uv, uv->target);
}

static int uv_rc_rtr(struct uv *uv)
{
	struct ib_uverbs_modify_qp req = {
		.qp_handle = uv->rc_qp,
		.attr_mask = QP_STATE | QP_AV | QP_MTU | QP_DEST | QP_RQ_PSN |
			     QP_MAX_DEST_RD | QP_MIN_RNR,
		.qp_state = QPS_RTR,
		.path_mtu = 3,
		.dest_qp_num = 17,
		.dest =
			{
				.sgid_index = uv->gid_index,
				.is_global = 1,
				.hop_limit = 64,
				.port_num = 1,
			},
	};

	memcpy(req.dest.dgid, uv->gid, sizeof(req.dest.dgid));
	return UV_SEND(uv, MODIFY_QP, req);
}

static int uv_rc_rts(struct uv *uv)
{
	struct ib_uverbs_modify_qp req = {
		.qp_handle = uv->rc_qp,
		.attr_mask = QP_STATE | QP_TIMEOUT | QP_RETRY | QP_RNR_RETRY |
			     QP_SQ_PSN | QP_MAX_RD,
		.qp_state = QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	return UV_SEND(uv, MODIFY_QP, req);
}

static int uv_query_qp(struct uv *uv)
{
	struct ib_uverbs_query_qp req = {
		.qp_handle = uv->rc_qp,
		.attr_mask = QP_STATE,
	};
	struct ib_uverbs_query_qp_resp rsp;

	return UV_CALL(uv, QUERY_QP, req, rsp);
}

/* As the provider does: rings the doorbell only. */
static int uv_post_send(struct uv *uv)
{
	struct ib_uverbs_post_send req = {
		.qp_handle = uv->rc_qp,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	struct ib_uverbs_post_send_resp rsp;

	return UV_CALL(uv, POST_SEND, req, rsp);
}

static int uv_kill_qp(struct uv *uv, uint32_t qp)
{
	struct ib_uverbs_destroy_qp req = {.qp_handle = qp};
	struct ib_uverbs_destroy_qp_resp rsp;

	return UV_CALL(uv, DESTROY_QP, req, rsp);
}

int uv_destroy_qp(struct uv *uv)
{
	return uv_kill_qp(uv, uv->qp);
}

static int uv_destroy_rc(struct uv *uv)
{
	return uv_kill_qp(uv, uv->rc_qp);
}

static const uint8_t uv_group[16] = {0xff, 0x0e, [14] = 0x12, [15] = 0x34};

static int uv_attach_mcast(struct uv *uv)
{
	struct ib_uverbs_attach_mcast req = {.qp_handle = uv->qp};

	memcpy(req.gid, uv_group, sizeof(req.gid));
	return UV_SEND(uv, ATTACH_MCAST, req);
}

static int uv_detach_mcast(struct uv *uv)
{
	struct ib_uverbs_detach_mcast req = {.qp_handle = uv->qp};

	memcpy(req.gid, uv_group, sizeof(req.gid));
	return UV_SEND(uv, DETACH_MCAST, req);
}

static int uv_create_ah(struct uv *uv)
{
	struct ib_uverbs_create_ah req = {
		.pd_handle = uv->pd,
		.attr =
			{
				.grh =
					{
						.sgid_index = uv->gid_index,
						.hop_limit = 64,
					},
				.is_global = 1,
				.port_num = 1,
			},
	};
	struct {
		struct ib_uverbs_create_ah_resp ib;
		uint32_t drv[2];
	} rsp = {};
	int ret;

	memcpy(req.attr.grh.dgid, uv->gid, sizeof(req.attr.grh.dgid));
	ret = UV_CALL(uv, CREATE_AH, req, rsp);
	if (!ret)
		uv->ah = rsp.ib.ah_handle;
	return ret;
}

static int uv_destroy_ah(struct uv *uv)
{
	struct ib_uverbs_destroy_ah req = {.ah_handle = uv->ah};

	return UV_SEND(uv, DESTROY_AH, req);
}

const struct uv_step uv_steps[] = {
	{"GET_CONTEXT", uv_get_context},
	{"QUERY_DEVICE", uv_query_device},
	{"EX_QUERY_DEVICE", uv_ex_query_device},
	{"QUERY_PORT", uv_query_port},
	{"ALLOC_PD", uv_alloc_pd},
	{"ALLOC_PD, another", uv_alloc_pd2},
	{"CREATE_COMP_CHANNEL", uv_create_channel},
	{"CREATE_CQ", uv_create_cq},
	{"mmap", uv_mmap, .once = true},
	{"REQ_NOTIFY_CQ", uv_req_notify},
	{"REQ_NOTIFY_CQ, solicited", uv_req_solicited},
	{"RESIZE_CQ", uv_resize_cq},
	{"EX_MODIFY_CQ", uv_modify_cq},
	{"CREATE_SRQ", uv_create_srq},
	{"MODIFY_SRQ", uv_modify_srq},
	{"QUERY_SRQ", uv_query_srq},
	{"REG_MR", uv_reg_mr},
	{"REG_MR, indirect", uv_reg_big_mr},
	{"REREG_MR, translation", uv_rereg_mr},
	{"REREG_MR, PD and access", uv_rereg_pd_access},
	{"REREG_MR, all, indirect", uv_rereg_all},
	{"CREATE_QP", uv_create_qp},
	{"CREATE_QP, RC", uv_create_rc},
	{"MODIFY_QP", uv_modify_qp},
	{"MODIFY_QP, RC to INIT", uv_rc_init},
	{"MODIFY_QP, RC to RTR", uv_rc_rtr},
	{"MODIFY_QP, RC to RTS", uv_rc_rts},
	{"QUERY_QP", uv_query_qp},
	{"POST_SEND", uv_post_send},
	{"ATTACH_MCAST", uv_attach_mcast},
	{"CREATE_AH", uv_create_ah},
	{"ALLOC_MW", uv_alloc_mw},
#define UV_NR_CREATE 32
	{"DEALLOC_MW", uv_dealloc_mw},
	{"DESTROY_AH", uv_destroy_ah},
	{"DETACH_MCAST", uv_detach_mcast},
	{"DESTROY_QP", uv_destroy_qp, .once = true},
	{"DESTROY_QP, RC", uv_destroy_rc, .once = true},
	{"DEREG_MR", uv_dereg_mr},
	{"DEREG_MR, indirect", uv_dereg_big_mr},
	{"DESTROY_SRQ", uv_destroy_srq, .once = true},
	{"munmap", uv_munmap},
	{"DESTROY_CQ", uv_destroy_cq, .once = true},
	{"DEALLOC_PD, another", uv_dealloc_pd2},
	{"DEALLOC_PD", uv_dealloc_pd},
};

const size_t uv_nr_steps = ARRAY_SIZE(uv_steps);
const size_t uv_first_destroy = UV_NR_CREATE;

/* --- Files --- */

static bool uv_read_file(const char *path, char *text, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, len - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/* Find the guest's device: its name, and its file in /dev. */
bool uv_find(char *ibdev, size_t len, char *path, size_t path_len)
{
	DIR *dir = opendir("/sys/class/infiniband_verbs");
	struct dirent *entry;
	char file[300];
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(file, sizeof(file),
			 "/sys/class/infiniband_verbs/%s/ibdev", entry->d_name);
		found = uv_read_file(file, ibdev, len) &&
			!strncmp(ibdev, "hyv", 3);
		if (found)
			snprintf(path, path_len, "/dev/infiniband/%s",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Find the last IPv4 GID of port 1, or the GID @want. */
bool uv_find_gid(const char *ibdev, const uint8_t *want, uint8_t *gid,
		 uint8_t *index)
{
	static const uint8_t ipv4[12] = {[10] = 0xff, [11] = 0xff};
	char file[300], text[64];
	uint8_t raw[16];
	bool found = false;
	int i, n;

	for (i = 0; i < 128; i++) {
		snprintf(file, sizeof(file),
			 "/sys/class/infiniband/%s/ports/1/gids/%d", ibdev, i);
		if (!uv_read_file(file, text, sizeof(text)))
			continue;
		for (n = 0; n < 16; n++)
			REQUIRE(sscanf(text + n / 2 * 5 + n % 2 * 2, "%2hhx",
				       &raw[n]) == 1,
				"%s is a GID", text);
		if (want ? memcmp(raw, want, 16) : memcmp(raw, ipv4, 12))
			continue;
		memcpy(gid, raw, 16);
		*index = i;
		found = true;
	}
	return found;
}

bool uv_try_open(struct uv *uv)
{
	char ibdev[64], path[300];
	size_t len = (UV_BIG_PAGES + 1) * DT_PAGE;
	int fd;

	memset(uv, 0, sizeof(*uv));
	uv->async_fd = -1;
	uv->channel = -1;
	if (!uv_find(ibdev, sizeof(ibdev), path, sizeof(path)) ||
	    !uv_find_gid(ibdev, NULL, uv->gid, &uv->gid_index))
		return false;
	uv->fd = open(path, O_RDWR | O_CLOEXEC);
	if (uv->fd < 0)
		return false;
	fd = open("/dev/hyv-loopback", O_RDWR | O_CLOEXEC);
	REQUIRE(fd >= 0, "/dev/hyv-loopback opens");
	uv->buf = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       LOOP_ARENA);
	REQUIRE(uv->buf != MAP_FAILED, "mmap of the pool");
	close(fd);
	uv->info = (void *)(uv->buf + UV_BIG_PAGES * DT_PAGE);
	return true;
}

void uv_open(struct uv *uv)
{
	REQUIRE(uv_try_open(uv), "the guest's device opens");
}

void uv_close(struct uv *uv)
{
	if (uv->queue)
		munmap(uv->queue, uv->cq_info.size);
	munmap(uv->buf, (UV_BIG_PAGES + 1) * DT_PAGE);
	if (uv->channel >= 0)
		close(uv->channel);
	if (uv->async_fd >= 0)
		close(uv->async_fd);
	close(uv->fd);
}

static const char *uv_step_failed;

/* Run steps; returns the first error. */
int uv_run(struct uv *uv, size_t from, size_t to)
{
	size_t i;
	int ret;

	for (i = from; i < to; i++) {
		ret = uv_steps[i].run(uv);
		if (ret) {
			uv_step_failed = uv_steps[i].name;
			return ret;
		}
	}
	return 0;
}

/* The step with which uv_run() has failed. */
const char *uv_failed(void)
{
	return uv_step_failed;
}

bool uv_comp_event(struct uv *uv)
{
	struct pollfd pfd = {.fd = uv->channel, .events = POLLIN};
	struct ib_uverbs_comp_event_desc desc;

	return poll(&pfd, 1, dt_hang_ms()) == 1 &&
	       read(uv->channel, &desc, sizeof(desc)) == sizeof(desc) &&
	       desc.cq_handle == 0x4351;
}

/*
 * The next asynchronous event, or -1. Not one of the GID table, which changes
 * whenever the HCA's network device gets an address.
 */
int uv_async_event(struct uv *uv)
{
	struct pollfd pfd = {.fd = uv->async_fd, .events = POLLIN};
	struct ib_uverbs_async_event_desc desc;

	do {
		if (poll(&pfd, 1, dt_hang_ms()) != 1 ||
		    read(uv->async_fd, &desc, sizeof(desc)) != sizeof(desc))
			return -1;
	} while (desc.event_type == EVENT_GID_CHANGE);
	return desc.event_type;
}
