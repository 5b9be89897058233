// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of HCAs. */
#include <assert.h>
#include <errno.h>

#include <linux/hyv_netlink.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "private.h"

static_assert((int)HYV_HCA_USABLE == HYV_NL_HCA_USABLE, "ABI");
static_assert((int)HYV_HCA_TRUSTED_ONLY_DENIED ==
		      HYV_NL_HCA_TRUSTED_ONLY_DENIED,
	      "ABI");
static_assert((int)HYV_HCA_UNSUPPORTED == HYV_NL_HCA_UNSUPPORTED, "ABI");

/* @name points into the message of the snapshot. */
struct hyv_hca {
	const char *name;
	uint32_t driver_id;
	uint32_t use;
	uint32_t nr_vnics;
	uint32_t nr_leaked;
};

static const char *const drivers[] = {
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

static int fill_hca(void *item, struct nlattr **tb)
{
	struct hyv_hca *hca = item;

	if (!tb[HYV_NL_A_HCA_NAME])
		return -EBADMSG;
	hca->name = libhyv_get_string(tb[HYV_NL_A_HCA_NAME]);
	hca->driver_id = libhyv_get_u32(tb[HYV_NL_A_HCA_DRIVER_ID]);
	hca->use = libhyv_get_u32(tb[HYV_NL_A_HCA_USE]);
	hca->nr_vnics = libhyv_get_u32(tb[HYV_NL_A_HCA_VNICS]);
	hca->nr_leaked = libhyv_get_u32(tb[HYV_NL_A_HCA_LEAKED]);
	return 0;
}

const struct libhyv_kind libhyv_hca_kind = {
	.cmd = HYV_NL_CMD_HCA_GET,
	.size = sizeof(struct hyv_hca),
	.fill = fill_hca,
};

int hyv_hca_list(struct hyv_context *ctx, struct hyv_hca ***hcas)
{
	return libhyv_snapshot_list(ctx, NULL, &libhyv_hca_kind,
				    (void ***)hcas);
}

void hyv_hca_list_free(struct hyv_hca **hcas)
{
	libhyv_snapshot_list_free(&libhyv_hca_kind, (void **)hcas);
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

	if (hca->driver_id < ARRAY_SIZE(drivers))
		name = drivers[hca->driver_id];
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

uint32_t hyv_hca_nr_leaked(const struct hyv_hca *hca)
{
	return hca->nr_leaked;
}
