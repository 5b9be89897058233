/* SPDX-License-Identifier: GPL-2.0-only */
/* Network devices that the ports take their addresses from. */
#ifndef VHYV_NETDEV_H
#define VHYV_NETDEV_H

#include <rdma/ib_verbs.h>

struct net_device;
struct vhyv_dev;

struct net_device *vhyv_get_netdev(struct ib_device *ibdev, u32 port_num);
enum ib_mtu vhyv_netdev_mtu(struct vhyv_dev *hdev, u32 port_num,
			    enum ib_mtu mtu);
int vhyv_hca_netdev_update(struct vhyv_dev *hdev);
void vhyv_hca_netdev_del(struct vhyv_dev *hdev);

#endif /* VHYV_NETDEV_H */
