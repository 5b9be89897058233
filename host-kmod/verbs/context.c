// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of guest processes and their mappings.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <compat/ib_private.h>

#include "hca/hca.h"
#include "hca/provider_rules.h"
#include "memory/charge.h"
#include "verbs/verbs.h"
#include "vnic.h"

/*
 * Doorbell pages of a context: a card has few thousand for all of its users, and those
 * of a software HCA are memory of the host.
 */
static int hyvh_doorbells_charge(struct hyvh_cmd *cmd,
				 struct hyvh_context *context, u32 nr)
{
	int ret;

	ret = hyvh_quota_charge(&cmd->vnic->quota[HYV_NL_QUOTA_DOORBELL_PAGES],
				nr);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret,
				       "no quota for %u doorbell pages", nr);
	context->nr_doorbells += nr;
	return 0;
}

static void hyvh_doorbells_uncharge(struct hyvh_vnic *vnic,
				    struct hyvh_context *context, u32 nr)
{
	context->nr_doorbells -= nr;
	hyvh_quota_uncharge(&vnic->quota[HYV_NL_QUOTA_DOORBELL_PAGES], nr);
}

/*
 * At the limit of the rdma cgroup, uverbs fails with EAGAIN, like a driver that needs
 * another try. Charge another context to tell these apart: to the guest, the
 * first is a limit like others.
 */
static int hyvh_context_error(struct hyvh_cmd *cmd, int err)
{
	struct ib_rdmacg_object cg;
	int ret;

	if (err != -EAGAIN)
		return err;
	ret = ib_rdmacg_try_charge(&cg, cmd->ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	if (ret == -EAGAIN)
		return -EDQUOT;
	if (!ret)
		ib_rdmacg_uncharge(&cg, cmd->ibdev, RDMACG_RESOURCE_HCA_HANDLE);
	return err;
}

static int hyvh_context_build(struct hyvh_cmd *cmd, struct hyvh_obj *obj,
			      struct hyvh_obj *parent)
{
	struct hyvh_context *context = hyvh_to_context(obj);
	struct hyvh_vnic *vnic = cmd->vnic;
	int ret;

	ret = hyvh_doorbells_charge(cmd, context, cmd->driver->doorbell_pages);
	if (ret)
		return ret;
	hyvh_obj_own(obj, context->owned);
	hyvh_mmap_table_init(&context->regions);
	INIT_LIST_HEAD(&context->mappings.list);
	mutex_init(&context->own_lock);
	ret = hyvh_uctx_open(&context->uctx, &vnic->hca_path, vnic->hca_cred,
			     cmd->driver, vnic->owner, cmd->scratch, cmd);
	if (ret) {
		ret = hyvh_context_error(cmd, ret);
		hyvh_cmd_refuse(cmd, ret, "cannot open the HCA");
		goto err_uncharge;
	}
	/* The device number may belong to another HCA by now. */
	if (context->uctx.ib->device != cmd->ibdev) {
		hyvh_uctx_close(&context->uctx);
		ret = hyvh_cmd_refuse(cmd, -ENODEV, "HCA was replaced");
		goto err_uncharge;
	}
	hyvh_vgids_bind(&vnic->vgids, context->uctx.ib);
	return 0;

err_uncharge:
	mutex_destroy(&context->own_lock);
	hyvh_doorbells_uncharge(vnic, context, context->nr_doorbells);
	return ret;
}

static void hyvh_context_replied(struct hyvh_cmd *cmd, struct hyvh_obj *obj)
{
	hyvh_provider_doorbells(cmd->driver->driver_id, cmd->udata_out,
				cmd->udata_out_len,
				&hyvh_to_context(obj)->doorbells);
}

/* The context has no objects and no mappings. */
static int hyvh_context_close(struct hyvh_vnic *vnic, struct hyvh_obj *obj)
{
	struct hyvh_context *context = hyvh_to_context(obj);

	hyvh_uctx_close(&context->uctx);
	mutex_destroy(&context->own_lock);
	hyvh_doorbells_uncharge(vnic, context, context->nr_doorbells);
	return 0;
}

const struct hyvh_obj_ops hyvh_context_ops = {
	.type = HYV_OBJ_CONTEXT,
	.name = "context",
	.size = sizeof(struct hyvh_context),
	.build = hyvh_context_build,
	.replied = hyvh_context_replied,
	.destroy = hyvh_context_close,
};

int hyvh_cmd_alloc_context(struct hyvh_cmd *cmd)
{
	return hyvh_obj_create(cmd, &hyvh_context_ops, 0, 0);
}

static int hyvh_context_mmap_queue(struct hyvh_cmd *cmd,
				   struct hyvh_context *context,
				   struct hyvh_window_req *req)
{
	int ret;

	ret = hyvh_mmap_table_claim(&context->regions, &req->range,
				    &req->charge);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret,
				       "no memory of 0x%llx bytes at 0x%llx",
				       req->range.length, req->range.offset);
	ret = hyvh_window_map(&cmd->vnic->window, &context->mappings, req);
	if (ret) {
		hyvh_charge_put(req->charge);
		hyvh_mmap_table_unclaim(&context->regions, req->range.offset);
		return hyvh_cmd_refuse(cmd, ret, "cannot map 0x%llx bytes",
				       req->range.length);
	}
	return 0;
}

/*
 * A doorbell page that the driver makes, and keeps until the end of the context. It
 * would log a line if it were asked for the same again.
 */
static int hyvh_context_make_own(struct hyvh_cmd *cmd,
				 struct hyvh_context *context,
				 struct hyvh_window_req *req, int own)
{
	int ret;

	lockdep_assert_held(&context->own_lock);
	if (context->own_doorbells & BIT(own))
		return hyvh_cmd_refuse(cmd, -EINVAL,
				       "doorbell page %d exists", own);
	ret = hyvh_doorbells_charge(cmd, context, 1);
	if (ret)
		return ret;
	ret = hyvh_window_map(&cmd->vnic->window, &context->mappings, req);
	if (req->made)
		context->own_doorbells |= BIT(own);
	else
		hyvh_doorbells_uncharge(cmd->vnic, context, 1);
	if (ret)
		return hyvh_cmd_refuse(cmd, ret, "cannot map a doorbell page");
	return 0;
}

/*
 * One at a time: a request must not take a page that another one fails to make for
 * one that exists.
 */
static int hyvh_context_mmap_own(struct hyvh_cmd *cmd,
				 struct hyvh_context *context,
				 struct hyvh_window_req *req, int own)
{
	int ret;

	ret = mutex_lock_killable(&context->own_lock);
	if (ret)
		return ret;
	ret = hyvh_context_make_own(cmd, context, req, own);
	mutex_unlock(&context->own_lock);
	return ret;
}

static int hyvh_context_mmap(struct hyvh_cmd *cmd, struct hyvh_context *context,
			     struct hyvh_window_req *req)
{
	int ret, own;

	req->file = context->uctx.file;
	ret = hyvh_provider_mmap(cmd->driver->driver_id, &req->range,
				 req->writable, &context->doorbells, &own);
	if (ret < 0)
		return hyvh_cmd_refuse(cmd, ret, "no mapping at 0x%llx",
				       req->range.offset);
	if (!ret)
		return hyvh_context_mmap_queue(cmd, context, req);
	req->lasting = true;
	if (own >= 0)
		return hyvh_context_mmap_own(cmd, context, req, own);
	ret = hyvh_window_map(&cmd->vnic->window, &context->mappings, req);
	if (ret)
		hyvh_cmd_refuse(cmd, ret, "cannot map a page");
	return ret;
}

int hyvh_cmd_mmap(struct hyvh_cmd *cmd)
{
	const struct hyv_mmap_req *req = cmd->req;
	struct hyv_mmap_rsp *rsp = cmd->rsp;
	u32 prot = le32_to_cpu(req->prot);
	struct hyvh_window_req window = {
		.range.offset = le64_to_cpu(req->offset),
		.range.length = le64_to_cpu(req->length),
		.writable = prot & HYV_MMAP_WRITE,
	};
	struct hyvh_context *context;
	int ret;

	if (!prot || prot & ~(HYV_MMAP_READ | HYV_MMAP_WRITE))
		return hyvh_cmd_refuse(cmd, -EINVAL, "invalid protection 0x%x",
				       prot);
	context = hyvh_context_get(cmd, req->context);
	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = hyvh_context_mmap(cmd, context, &window);
	if (!ret) {
		rsp->window_offset = cpu_to_le64(window.offset);
		rsp->cache = window.cache;
	}
	hyvh_context_put(cmd, context);
	return ret;
}

int hyvh_cmd_munmap(struct hyvh_cmd *cmd)
{
	const struct hyv_munmap_req *req = cmd->req;
	u64 offset = le64_to_cpu(req->window_offset);
	struct hyvh_context *context;
	int ret;

	context = hyvh_context_get(cmd, req->context);
	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = hyvh_window_unmap(&cmd->vnic->window, &context->mappings, offset);
	if (ret)
		hyvh_cmd_refuse(cmd, ret, "no mapping at 0x%llx", offset);
	hyvh_context_put(cmd, context);
	return ret;
}
