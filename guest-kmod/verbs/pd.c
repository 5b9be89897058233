// SPDX-License-Identifier: GPL-2.0-only
/* Protection domains. */
#include <linux/err.h>

#include "command/cmd.h"
#include "verbs/verbs.h"

int vhyv_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibpd->device);
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);
	struct hyv_alloc_pd_req *req;
	struct hyv_create_rsp rsp;
	struct vhyv_cmd *cmd;
	int ret;

	if (!udata) {
		if (hdev->has_gsi)
			return 0;
		ibdev_dbg(ibpd->device, "kernel PDs need a GSI\n");
		return -EOPNOTSUPP;
	}

	cmd = vhyv_cmd_new(hdev, VHYV_CMD_ALLOC_PD, udata);
	if (IS_ERR(cmd))
		return PTR_ERR(cmd);

	pd->host = vhyv_udata_to_host(udata);
	req = cmd->req;
	req->context = cpu_to_le32(pd->host->handle);
	ret = vhyv_object_create(cmd, HYV_OBJ_PD, pd->host, &rsp, udata);
	if (!ret)
		pd->handle = le32_to_cpu(rsp.handle);
	return ret;
}

int vhyv_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct vhyv_pd *pd = to_vhyv_pd(ibpd);

	if (!pd->host)
		return 0;
	return vhyv_object_destroy(pd->host, HYV_OBJ_PD, pd->handle, NULL);
}
