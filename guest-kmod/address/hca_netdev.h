/* SPDX-License-Identifier: GPL-2.0-only */
/* A network device that stands for the host's HCA. */
#ifndef VHYV_HCA_NDEV_H
#define VHYV_HCA_NDEV_H

#include <linux/netdevice.h>
#include <linux/notifier.h>

struct vhyv_dev;

/**
 * struct vhyv_hca_ndev - the network device of a HyV device's first port
 * @ndev: it; NULL if there is none
 * @nb: follows the one that the port is paired with
 * @lower: that one, which @ndev is stacked upon; protected by the RTNL
 */
struct vhyv_hca_ndev {
	struct net_device *ndev;
	struct notifier_block nb;
	struct net_device *lower;
};

int vhyv_hca_ndev_update(struct vhyv_dev *hdev);
void vhyv_hca_ndev_del(struct vhyv_dev *hdev);

#endif /* VHYV_HCA_NDEV_H */
