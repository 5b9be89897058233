// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network device that the guest's ports can be paired with: as that of a
 * virtual machine it has a parent and a permanent address. What it sends is
 * dropped; addresses of this kernel are reached without it.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "loopback.h"

static struct net_device *loop_netdev;

static netdev_tx_t loop_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops loop_netdev_ops = {
	.ndo_start_xmit = loop_xmit,
	.ndo_validate_addr = eth_validate_addr,
};

int loop_netdev_init(struct device *parent)
{
	struct net_device *ndev;
	u8 addr[ETH_ALEN];
	int ret;

	ndev = alloc_etherdev(0);
	if (!ndev)
		return -ENOMEM;
	strscpy(ndev->name, "hyvloop", sizeof(ndev->name));
	eth_random_addr(addr);
	eth_hw_addr_set(ndev, addr);
	ndev->netdev_ops = &loop_netdev_ops;
	SET_NETDEV_DEV(ndev, parent);
	ret = register_netdev(ndev);
	if (ret) {
		free_netdev(ndev);
		return ret;
	}
	loop_netdev = ndev;
	return 0;
}

void loop_netdev_exit(void)
{
	unregister_netdev(loop_netdev);
	free_netdev(loop_netdev);
}
