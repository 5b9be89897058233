// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of HCAs. */
#include <stdlib.h>

#include <linux/hyv_netlink.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "private.h"

static const char *const hyv_drivers[] = {
	[RDMA_DRIVER_MLX5] = "mlx5",
	[RDMA_DRIVER_MLX4] = "mlx4",
	[RDMA_DRIVER_CXGB3] = "cxgb3",
	[RDMA_DRIVER_CXGB4] = "cxgb4",
	[RDMA_DRIVER_MTHCA] = "mthca",
	[RDMA_DRIVER_BNXT_RE] = "bnxt_re",
	[RDMA_DRIVER_OCRDMA] = "ocrdma",
	[RDMA_DRIVER_NES] = "nes",
	[RDMA_DRIVER_IRDMA] = "irdma",
	[RDMA_DRIVER_VMW_PVRDMA] = "vmw_pvrdma",
	[RDMA_DRIVER_QEDR] = "qedr",
	[RDMA_DRIVER_HNS] = "hns",
	[RDMA_DRIVER_USNIC] = "usnic",
	[RDMA_DRIVER_RXE] = "rxe",
	[RDMA_DRIVER_HFI1] = "hfi1",
	[RDMA_DRIVER_QIB] = "qib",
	[RDMA_DRIVER_EFA] = "efa",
	[RDMA_DRIVER_SIW] = "siw",
	[RDMA_DRIVER_ERDMA] = "erdma",
};

static int hyv_hca_parse(const struct nlmsghdr *nlh, void **out)
{
	return hyv_parse_hca(nlh, (struct hyv_hca **)out);
}

static const struct hyv_kind hyv_hca_kind = {
	.parse = hyv_hca_parse,
	.free = free,
};

int hyv_hca_list(struct hyv_context *ctx, struct hyv_hca ***hcas)
{
	const struct hyv_query query = {
		.cmd = HYV_NL_CMD_HCA_GET,
		.dump = 1,
	};

	return hyv_snapshot_list(ctx, &query, &hyv_hca_kind, (void ***)hcas);
}

void hyv_hca_list_free(struct hyv_hca **hcas)
{
	hyv_snapshot_list_free(&hyv_hca_kind, (void **)hcas);
}

const char *hyv_hca_name(const struct hyv_hca *hca)
{
	return hca->name;
}

uint32_t hyv_hca_driver_id(const struct hyv_hca *hca)
{
	return hca->driver_id;
}

const char *hyv_hca_driver(const struct hyv_hca *hca)
{
	const char *name = NULL;

	if (hca->driver_id < ARRAY_SIZE(hyv_drivers))
		name = hyv_drivers[hca->driver_id];
	return name ? name : "unknown";
}

uint32_t hyv_hca_use(const struct hyv_hca *hca)
{
	return hca->use;
}

const char *hyv_hca_use_str(const struct hyv_hca *hca)
{
	switch (hca->use) {
	case HYV_HCA_USABLE:
		return "usable";
	case HYV_HCA_TRUSTED_ONLY_DENIED:
		return "trusted-only-denied";
	case HYV_HCA_UNSUPPORTED:
		return "unsupported";
	}
	return "unknown";
}

uint32_t hyv_hca_nr_vnics(const struct hyv_hca *hca)
{
	return hca->nr_vnics;
}
