// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains. ib_uverbs lets processes that open the same file have the same domain.
 * On the host it belongs to the context of the process that has opened it first, so
 * the host's part of that stays for as long as the domain.
 */
#include <linux/err.h>
#include <linux/refcount.h>

#include "command/cmd.h"
#include "verbs/verbs.h"

int vhyv_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct vhyv_xrcd *xrcd = to_vhyv_xrcd(ibxrcd);
	struct hyv_alloc_xrcd_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	if (!udata)
		return -EOPNOTSUPP;
	cmd = vhyv_cmd_new(to_vhyv_dev(ibxrcd->device), VHYV_CMD_ALLOC_XRCD,
			   udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	xrcd->host = vhyv_udata_to_host(udata);
	req = cmd->req;
	req->context = cpu_to_le32(xrcd->host->handle);
	ret = vhyv_object_create(cmd, HYV_OBJ_XRCD, xrcd->host, &rsp, udata);
	if (ret)
		return ret;
	xrcd->handle = le32_to_cpu(rsp.handle);
	/* Without a file no other process has it: it ends before its maker. */
	if (ibxrcd->inode)
		refcount_inc(&xrcd->host->users);
	return 0;
}

/* A QP that was abandoned while it was created may use it: then it stays, too. */
int vhyv_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct vhyv_xrcd *xrcd = to_vhyv_xrcd(ibxrcd);

	vhyv_shared_destroy(xrcd->host, HYV_OBJ_XRCD, xrcd->handle);
	if (ibxrcd->inode)
		vhyv_context_put_later(xrcd->host);
	return 0;
}
