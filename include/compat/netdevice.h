/* SPDX-License-Identifier: GPL-2.0-only */
/* Since 6.12 a network device that stays in its namespace has a flag. */
#ifndef HYV_COMPAT_NETDEVICE_H
#define HYV_COMPAT_NETDEVICE_H

#include <linux/netdevice.h>
#include <linux/version.h>

/* Keep a device, not yet registered, in its network namespace. */
static inline void compat_netdev_set_netns_immutable(struct net_device *ndev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	ndev->features |= NETIF_F_NETNS_LOCAL;
#else
	ndev->netns_immutable = true;
#endif
}

#endif /* HYV_COMPAT_NETDEVICE_H */
