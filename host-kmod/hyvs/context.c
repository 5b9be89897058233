// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts, and what consists of a reply only.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <rdma/ib_addr.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "hyvs/hyvs.h"

#define CQE_VERSION	1
/*
 * Bytes of the largest send request. libmlx5 allows as many pieces as fit with all
 * else that a request of the QP's type can have, up to 208 bytes for XRC. A request has
 * less than 64 units of 16 bytes.
 */
#define MAX_SQ_DESC	960

static_assert(MAX_SQ_DESC >= 208 + 16 * HYVS_MAX_SGE);
static_assert(MAX_SQ_DESC < 64 * 16);

int hyvs_request(struct ib_udata *udata, void *req, size_t size, size_t needed)
{
	if (!udata || udata->inlen < needed)
		return -EINVAL;
	if (udata->inlen > size &&
	    !ib_is_udata_cleared(udata, size, udata->inlen - size))
		return -EOPNOTSUPP;
	return ib_copy_from_udata(req, udata, min(udata->inlen, size));
}

static int hyvs_check_request(struct ib_udata *udata)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {};
	int ret;

	ret = hyvs_request(udata, &req, sizeof(req),
			   offsetofend(struct mlx5_ib_alloc_ucontext_req_v2,
				       max_cqe_version));
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
 * not made by objects (tot_bfregs), also those of thread domains (num_dyn_bfregs), and
 * there is nothing that is not written here.
 */
static int hyvs_reply_context(struct ib_udata *udata)
{
	struct mlx5_ib_alloc_ucontext_resp rsp = {
		.qp_tab_size = 1 << 18,
		.tot_bfregs = HYVS_UARS * HYVS_BFREGS_PER_UAR,
		.cache_line_size = 64,
		.max_sq_desc_sz = MAX_SQ_DESC,
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
		.num_dyn_bfregs = HYVS_OWN_UARS * HYVS_BFREGS_PER_UAR,
	};

	rsp.response_length = min(udata->outlen, sizeof(rsp));
	return ib_copy_to_udata(udata, &rsp, rsp.response_length);
}

int hyvs_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(ib);
	int ret;

	/* First: libmlx5 tells the error of its first try, which asks for more. */
	uctx->process = hyvs_process_get(dev);
	if (IS_ERR(uctx->process))
		return PTR_ERR(uctx->process);
	ret = hyvs_check_request(udata);
	if (ret)
		goto err_process;
	mutex_init(&uctx->record_lock);
	INIT_LIST_HEAD(&uctx->records);
	uctx->uars = hyvs_uars_create(uctx);
	if (IS_ERR(uctx->uars)) {
		ret = PTR_ERR(uctx->uars);
		goto err_lock;
	}
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
err_lock:
	mutex_destroy(&uctx->record_lock);
err_process:
	hyvs_process_put(dev, uctx->process);
	return ret;
}

void hyvs_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct hyvs_ucontext *uctx = to_hyvs_ucontext(ib);

	hyvs_uars_disconnect(uctx->uars);
	hyvs_worker_stop(uctx);
	hyvs_uars_put(uctx->uars);
	mutex_destroy(&uctx->record_lock);
	hyvs_lease_put(uctx->lease);
	hyvs_process_put(to_hyvs_device(ib->device), uctx->process);
}

/* A device may go before its users: their objects and contexts are destroyed. */
void hyvs_disassociate_ucontext(struct ib_ucontext *ib)
{
}

int hyvs_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct mlx5_ib_alloc_pd_resp rsp;
	struct hyvs_pd *pd = to_hyvs_pd(ib);
	int ret;

	if (!udata)
		return to_hyvs_device(ib->device)->has_gsi ? 0 : -EOPNOTSUPP;
	ret = hyvs_id_alloc(hyvs_udata_ucontext(udata), HYVS_PD, pd, &pd->id);
	if (ret)
		return ret;
	rsp.pdn = pd->id.id;
	ret = ib_copy_to_udata(udata, &rsp, min(udata->outlen, sizeof(rsp)));
	if (ret)
		hyvs_id_free(to_hyvs_device(ib->device), HYVS_PD, &pd->id);
	return ret;
}

/* All that had its number was retired, so another PD may have it. */
int hyvs_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct hyvs_id *id = &to_hyvs_pd(ib)->id;

	if (id->process)
		hyvs_id_free(to_hyvs_device(ib->device), HYVS_PD, id);
	return 0;
}

int hyvs_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_xrcd *xrcd = to_hyvs_xrcd(ib);
	struct hyvs_process *process;
	int ret;

	if (!udata)
		return -EOPNOTSUPP;
	process = hyvs_udata_ucontext(udata)->process;
	ret = hyvs_process_hold(dev, process);
	if (ret)
		return ret;
	ret = hyvs_id_alloc_for(dev, process, HYVS_XRCD, xrcd, &xrcd->id);
	if (ret)
		hyvs_process_put(dev, process);
	return ret;
}

int hyvs_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct hyvs_device *dev = to_hyvs_device(ib->device);
	struct hyvs_id *id = &to_hyvs_xrcd(ib)->id;

	hyvs_id_free(dev, HYVS_XRCD, id);
	hyvs_process_put(dev, id->process);
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
