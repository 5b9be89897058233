/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HCAs of the host and which of them may be lent to guests.
 */
#ifndef HYV_HCA_H
#define HYV_HCA_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "gidmap.h"

struct hyv_hca;
struct hyv_vnic;

/**
 * struct hyv_provider - a driver of HCAs that guests may use
 * @driver_id: enum rdma_driver_id
 * @trusted_only: it trusts what user space writes into its queues
 * @doorbell_area: a software HCA, whose doorbells are calls into the kernel
 * @kernel_queues: it allocates queues itself and charges them to nobody
 * @max_inline_data: more is refused here, as the driver would log it; 0 leaves
 *	that to the driver
 *
 * Providers whose private data holds addresses of user memory will name them
 * here; those of software HCAs hold none.
 */
struct hyv_provider {
	u32 driver_id;
	bool trusted_only;
	bool doorbell_area;
	bool kernel_queues;
	u32 max_inline_data;
};

const struct hyv_provider *hyv_provider_get(unsigned int i);

int hyv_hca_register(void);
void hyv_hca_unregister(void);

int hyv_hca_link(struct hyv_vnic *vnic, struct ib_device *ibdev);
void hyv_hca_unlink(struct hyv_vnic *vnic);
struct ib_device *hyv_hca_ibdev(const struct hyv_hca *hca);
const struct hyv_provider *hyv_hca_provider(const struct hyv_hca *hca);
u64 hyv_hca_features(const struct hyv_hca *hca);
u32 hyv_hca_index(const struct hyv_hca *hca);
int hyv_hca_gid(u32 index, u32 port, enum hyv_gid_kind kind, union ib_gid *gid);
int hyv_hca_pick_gid(struct ib_device *ibdev, u32 port, enum hyv_gid_kind least,
		     enum hyv_gid_kind most, union ib_gid *gid);
bool hyv_hca_has_roce(const struct ib_device *ibdev);

#endif /* HYV_HCA_H */
