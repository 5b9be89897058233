// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts, and what consists of a reply only.
 */
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <rdma/ib_addr.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "hyvs/hyvs.h"

/* libmlx5 counts two doorbells in each page. */
#define BFREGS_PER_UAR	2
#define CQE_VERSION	1

static int hyvs_check_request(struct ib_udata *udata)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {};
	int ret;

	if (udata->inlen < offsetofend(struct mlx5_ib_alloc_ucontext_req_v2,
				       max_cqe_version))
		return -EINVAL;
	ret = ib_copy_from_udata(&req, udata, min(udata->inlen, sizeof(req)));
	if (ret)
		return ret;
	/* As a card without DEVX; libmlx5 tries again without. */
	if (req.flags || req.comp_mask || req.reserved0 || req.reserved1 ||
	    req.reserved2 || !req.total_num_bfregs)
		return -EINVAL;
	return req.max_cqe_version < CQE_VERSION ? -EOPNOTSUPP : 0;
}

/*
 * Doorbells are 8 bytes at one place of a page (bf_reg_size 0), pages are mapped and
 * not made by objects (tot_bfregs), and there is nothing that is not written here.
 */
static int hyvs_reply_context(struct ib_udata *udata)
{
	struct mlx5_ib_alloc_ucontext_resp rsp = {
		.qp_tab_size = 1 << 18,
		.tot_bfregs = HYVS_UARS * BFREGS_PER_UAR,
		.cache_line_size = 64,
		.max_sq_desc_sz = 512,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = HYVS_MAX_QUEUE,
		.max_recv_wr = HYVS_MAX_QUEUE,
		.max_srq_recv_wr = HYVS_MAX_QUEUE - 1,
		.num_ports = 1,
		.cqe_version = CQE_VERSION,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
		.log_uar_size = PAGE_SHIFT,
		.num_uars_per_page = 1,
	};

	rsp.response_length = min(udata->outlen, sizeof(rsp));
	return ib_copy_to_udata(udata, &rsp, rsp.response_length);
}

int hyvs_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(ib);
	int ret;

	ret = hyvs_check_request(udata);
	if (ret)
		return ret;
	mutex_init(&uctx->record_lock);
	INIT_LIST_HEAD(&uctx->records);
	uctx->uars = hyvs_uars_create(uctx);
	if (!uctx->uars)
		return -ENOMEM;
	ret = hyvs_worker_start(uctx);
	if (ret)
		goto err_uars;
	ret = hyvs_reply_context(udata);
	if (ret)
		goto err_worker;
	return 0;

err_worker:
	hyvs_worker_stop(uctx);
err_uars:
	hyvs_uars_put(uctx->uars);
	return ret;
}

void hyvs_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(ib);

	hyvs_uars_disconnect(uctx->uars);
	hyvs_worker_stop(uctx);
	hyvs_uars_put(uctx->uars);
	mutex_destroy(&uctx->record_lock);
}

/* A device may go before its users: their objects and contexts are destroyed. */
void hyvs_disassociate_ucontext(struct ib_ucontext *ib)
{
}

int hyvs_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	static atomic_t pdns = ATOMIC_INIT(0);
	struct mlx5_ib_alloc_pd_resp rsp;
	struct hyvs_pd *pd = to_hyvs_pd(ib);

	pd->pdn = atomic_inc_return(&pdns);
	if (!udata)
		return -EOPNOTSUPP;
	rsp.pdn = pd->pdn;
	return ib_copy_to_udata(udata, &rsp, min(udata->outlen, sizeof(rsp)));
}

int hyvs_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	return 0;
}

/* The work request has the address; the reply is all that there is. */
int hyvs_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *attr,
		   struct ib_udata *udata)
{
	size_t needed = offsetofend(struct mlx5_ib_create_ah_resp, dmac);
	struct mlx5_ib_create_ah_resp rsp = {};
	u8 *dmac;

	if (!udata)
		return -EOPNOTSUPP;
	if (udata->outlen < needed || !(rdma_ah_get_ah_flags(attr->ah_attr) &
					IB_AH_GRH))
		return -EINVAL;
	dmac = rdma_ah_retrieve_dmac(attr->ah_attr);
	if (!dmac)
		return -EINVAL;
	rsp.response_length = min(udata->outlen, sizeof(rsp));
	memcpy(rsp.dmac, dmac, ETH_ALEN);
	return ib_copy_to_udata(udata, &rsp, rsp.response_length);
}

int hyvs_destroy_ah(struct ib_ah *ib, u32 flags)
{
	return 0;
}
