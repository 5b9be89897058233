/* SPDX-License-Identifier: GPL-2.0-only */
/* A network device that stands for the host's HCA. */
#ifndef HYV_HCA_NDEV_H
#define HYV_HCA_NDEV_H

#include <linux/netdevice.h>
#include <linux/notifier.h>

struct hyv_dev;

/**
 * struct hyv_hca_ndev - the network device of a HyV device's first port
 * @ndev: it; NULL if there is none
 * @nb: follows the one that the port is paired with
 * @lower: that one, which @ndev is stacked upon; protected by the RTNL
 */
struct hyv_hca_ndev {
	struct net_device *ndev;
	struct notifier_block nb;
	struct net_device *lower;
};

int hyv_hca_ndev_update(struct hyv_dev *hdev);
void hyv_hca_ndev_del(struct hyv_dev *hdev);

#endif /* HYV_HCA_NDEV_H */
