/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Since 6.12 a network device that stays in its namespace has a flag, which was
 * renamed in 6.15 and in later updates of 6.12. Before, it was a feature.
 */
#ifndef HYV_COMPAT_NETDEVICE_H
#define HYV_COMPAT_NETDEVICE_H

#include <linux/netdevice.h>

/* Keep a device, not yet registered, in its network namespace. */
static inline void compat_netdev_set_netns_immutable(struct net_device *ndev)
{
#if defined(COMPAT_HAS_NETNS_IMMUTABLE)
	ndev->netns_immutable = true;
#elif defined(COMPAT_HAS_NETNS_LOCAL)
	ndev->netns_local = true;
#else
	ndev->features |= NETIF_F_NETNS_LOCAL;
#endif
}

#endif /* HYV_COMPAT_NETDEVICE_H */
