/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports of a device whose addresses are the guest's. */
#ifndef VHYV_ROCE_H
#define VHYV_ROCE_H

#include <rdma/ib_verbs.h>

struct vhyv_dev;
struct net_device;

int vhyv_add_gid(const struct ib_gid_attr *attr, void **context);
int vhyv_del_gid(const struct ib_gid_attr *attr, void **context);
bool vhyv_is_paired(const struct vhyv_dev *hdev, const struct net_device *ndev);
struct net_device *vhyv_get_netdev(struct ib_device *ibdev, u32 port_num);
enum ib_mtu vhyv_roce_mtu(struct vhyv_dev *hdev, u32 port_num, enum ib_mtu mtu);
struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num);
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index);

#endif /* VHYV_ROCE_H */
