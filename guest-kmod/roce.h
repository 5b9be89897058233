/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports of a device whose addresses are the guest's. */
#ifndef HYV_ROCE_H
#define HYV_ROCE_H

#include <rdma/ib_verbs.h>

struct hyv_dev;
struct net_device;

int hyv_add_gid(const struct ib_gid_attr *attr, void **context);
int hyv_del_gid(const struct ib_gid_attr *attr, void **context);
bool hyv_is_paired(const struct hyv_dev *hdev, const struct net_device *ndev);
struct net_device *hyv_get_netdev(struct ib_device *ibdev, u32 port_num);
enum ib_mtu hyv_roce_mtu(struct hyv_dev *hdev, u32 port_num, enum ib_mtu mtu);
struct rdma_hw_stats *hyv_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num);
int hyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index);

#endif /* HYV_ROCE_H */
