/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HCAs of the host and which of them may be lent to guests.
 */
#ifndef HYVH_HCA_H
#define HYVH_HCA_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "address/gid_map.h"

struct hyvh_hca;
struct hyvh_vnic;

/**
 * struct hyvh_provider - a driver of HCAs that guests may use
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
struct hyvh_provider {
	u32 driver_id;
	bool trusted_only;
	bool doorbell_area;
	bool kernel_queues;
	u32 max_inline_data;
};

const struct hyvh_provider *hyvh_provider_get(unsigned int i);

int hyvh_hca_register(void);
void hyvh_hca_unregister(void);

int hyvh_hca_link(struct hyvh_vnic *vnic, struct ib_device *ibdev);
void hyvh_hca_unlink(struct hyvh_vnic *vnic);
struct ib_device *hyvh_hca_ibdev(const struct hyvh_hca *hca);
const struct hyvh_provider *hyvh_hca_provider(const struct hyvh_hca *hca);
u64 hyvh_hca_features(const struct hyvh_hca *hca);
u32 hyvh_hca_index(const struct hyvh_hca *hca);
int hyvh_hca_gid(u32 index, u32 port, enum hyvh_gid_kind kind, union ib_gid *gid);
int hyvh_hca_pick_gid(struct ib_device *ibdev, u32 port, enum hyvh_gid_kind least,
		      enum hyvh_gid_kind most, union ib_gid *gid);
bool hyvh_hca_has_roce(const struct ib_device *ibdev);

#endif /* HYVH_HCA_H */
