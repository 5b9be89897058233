// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions (MRs) and memory windows (MWs). */
#include <linux/err.h>
#include <linux/slab.h>

#include "command/cmd.h"
#include "memory/mem.h"
#include "verbs/verbs.h"

/*
 * The HCA can only access memory that was registered with the host. Kernel QPs
 * need no such MR, they use the local DMA lkey.
 */
struct ib_mr *vhyv_get_dma_mr(struct ib_pd *ibpd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

/*
 * Send REG_MR. @mr->mem is freed on error, at once or by the abandoned command.
 */
static int vhyv_reg_mr(struct vhyv_mr *mr, u32 pd, u64 iova,
		       struct ib_udata *udata)
{
	struct vhyv_dev *hdev = mr->host->hdev;
	struct hyv_reg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new_mem(hdev, VHYV_CMD_REG_MR, mr->mem, udata);
	if (IS_ERR(cmd)) {
		vhyv_mem_free(mr->mem);
		return PTR_ERR(cmd);
	}

	req = cmd->req;
	req->pd = cpu_to_le32(pd);
	req->access = cpu_to_le32(mr->access);
	req->iova = cpu_to_le64(iova);
	ret = vhyv_object_create(cmd, HYV_OBJ_MR, mr->host, &rsp, udata);
	if (ret)
		return ret;

	mr->handle = le32_to_cpu(rsp.handle);
	mr->ibmr.lkey = le32_to_cpu(rsp.lkey);
	mr->ibmr.rkey = le32_to_cpu(rsp.rkey);
	return 0;
}

struct ib_mr *vhyv_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);
	struct vhyv_mr *mr;
	int ret;

	if (!udata || access & IB_ACCESS_ON_DEMAND) {
		ibdev_dbg(ibpd->device,
			  "%s MR with access 0x%x is not supported\n",
			  udata ? "user" : "kernel", access);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (dmah) {
		ibdev_dbg(ibpd->device, "DMA handles are not supported\n");
		return ERR_PTR(-EOPNOTSUPP);
	}

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->host = pd->host;
	mr->access = access;
	mr->mem = vhyv_mem_pin(ibpd->device, start, length, access);
	if (IS_ERR(mr->mem)) {
		ret = PTR_ERR(mr->mem);
		ibdev_dbg(ibpd->device, "cannot pin %llu bytes: %pe\n", length,
			  mr->mem);
		goto err_free;
	}
	ret = vhyv_reg_mr(mr, pd->handle, iova, udata);
	if (ret)
		goto err_free;
	return &mr->ibmr;

err_free:
	kfree(mr);
	return ERR_PTR(ret);
}

/*
 * Send REREG_MR, with only those fields of @req valid that @flags select. @mem
 * is the new memory, or NULL; the MR owns it on success, otherwise it is freed,
 * at once or, by an abandoned command, with the context.
 */
static int vhyv_rereg_mr(struct vhyv_mr *mr, int flags, u32 pd, u64 iova,
			 int access, struct vhyv_mem *mem,
			 struct ib_udata *udata)
{
	struct hyv_rereg_mr_req *req;
	struct hyv_reg_mr_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new_mem(mr->host->hdev, VHYV_CMD_REREG_MR, mem, udata);
	if (IS_ERR(cmd)) {
		vhyv_mem_free(mem);
		return PTR_ERR(cmd);
	}

	req = cmd->req;
	req->mr = cpu_to_le32(mr->handle);
	req->flags = cpu_to_le32(flags);
	req->pd = cpu_to_le32(pd);
	if (flags & IB_MR_REREG_ACCESS)
		req->access = cpu_to_le32(access);
	if (flags & IB_MR_REREG_TRANS)
		req->iova = cpu_to_le64(iova);
	cmd->undo = vhyv_replace_undo;
	cmd->orphans = &mr->host->orphans;
	ret = vhyv_cmdq_exec(cmd, true);
	if (ret) {
		mr->unclear = ret == -EINTR;
		return ret;
	}

	ret = vhyv_cmd_reply(cmd, &rsp, sizeof(rsp));
	if (ret) {
		vhyv_keep_mem_if_unclear(cmd, ret);
		mr->unclear = ret == -EIO;
		goto out_free;
	}
	cmd->mem = NULL;
	mr->handle = le32_to_cpu(rsp.handle);
	mr->ibmr.lkey = le32_to_cpu(rsp.lkey);
	mr->ibmr.rkey = le32_to_cpu(rsp.rkey);
	if (flags & IB_MR_REREG_ACCESS)
		mr->access = access;
	if (flags & IB_MR_REREG_TRANS) {
		vhyv_mem_free(mr->mem);
		mr->mem = mem;
		vhyv_mem_list_done(mem);
	}
	ret = vhyv_cmd_reply_udata(cmd, udata);
out_free:
	vhyv_cmd_free(cmd);
	return ret;
}

/* Returns NULL on success, as the MR stays the same. */
struct ib_mr *vhyv_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				 u64 length, u64 iova, int access,
				 struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_mr *mr = to_vhyv_mr(ibmr);
	struct vhyv_mem *mem = NULL;
	u32 pd = 0;

	if (flags & ~IB_MR_REREG_SUPPORTED) {
		ibdev_dbg(ibmr->device, "rereg flags 0x%x are not supported\n",
			  flags);
		return ERR_PTR(-EOPNOTSUPP);
	}
	/* ib_uverbs clears IB_MR_REREG_PD if the PD is the same. */
	if (!flags)
		return NULL;
	/* Another process that has the file may still use the MR. */
	if (mr->unclear) {
		ibdev_dbg(ibmr->device, "result of a REREG_MR is not known\n");
		return ERR_PTR(-EINVAL);
	}

	if (flags & IB_MR_REREG_PD)
		pd = to_vhyv_pd(ibpd)->handle;
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (access & IB_ACCESS_ON_DEMAND) {
		ibdev_dbg(ibmr->device, "on-demand paging is not supported\n");
		return ERR_PTR(-EOPNOTSUPP);
	}

	if (flags & IB_MR_REREG_TRANS) {
		mem = vhyv_mem_pin(ibmr->device, start, length, access);
		if (IS_ERR(mem)) {
			ibdev_dbg(ibmr->device, "cannot pin %llu bytes: %pe\n",
				  length, mem);
			return ERR_CAST(mem);
		}
	} else if (ib_access_writable(access) && !vhyv_mem_writable(mr->mem)) {
		/* The pages may belong to a file that is read-only here. */
		ibdev_dbg(ibmr->device, "memory of the MR is read-only\n");
		return ERR_PTR(-EACCES);
	}
	return ERR_PTR(vhyv_rereg_mr(mr, flags, pd, iova, access, mem, udata));
}

int vhyv_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct vhyv_mr *mr = to_vhyv_mr(ibmr);
	int ret;

	ret = vhyv_object_destroy(mr->host, HYV_OBJ_MR, mr->handle, mr->mem);
	if (ret)
		return ret;
	kfree(mr);
	return 0;
}

/* The provider binds the MW itself. */
int vhyv_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibmw->pd);
	struct vhyv_mw *mw = to_vhyv_mw(ibmw);
	struct hyv_alloc_mw_req *req;
	struct hyv_alloc_mw_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	cmd = vhyv_cmd_new(to_vhyv_dev(ibmw->device), VHYV_CMD_ALLOC_MW, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	mw->host = pd->host;
	req = cmd->req;
	req->pd = cpu_to_le32(pd->handle);
	req->mw_type = ibmw->type;
	ret = vhyv_object_create(cmd, HYV_OBJ_MW, mw->host, &rsp, udata);
	if (ret)
		return ret;

	mw->handle = le32_to_cpu(rsp.handle);
	ibmw->rkey = le32_to_cpu(rsp.rkey);
	atomic_inc(&mw->host->nr_mws);
	return 0;
}

int vhyv_dealloc_mw(struct ib_mw *ibmw)
{
	struct vhyv_mw *mw = to_vhyv_mw(ibmw);

	vhyv_object_destroy(mw->host, HYV_OBJ_MW, mw->handle, NULL);
	atomic_dec(&mw->host->nr_mws);
	return 0;
}
