// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network device that stands for the host's HCA.
 *
 * What arrives by a UD QP names in its GRH the HCAs that it has passed, by their
 * link-local addresses, not guests. To answer, ibv_create_ah_from_wc() looks for
 * the GID it was sent to in the port's table, and then for the way back. So that
 * both are found there is a network device with the HCA's MAC address, stacked
 * upon the one that the port is paired with: the IP stack gives it the link-local
 * address, and the RDMA core has the addresses of both in the port's table. No
 * packet comes or goes by it.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "command/cmd.h"
#include "address/hca_netdev.h"
#include "dev.h"
#include "address/roce.h"

#define VHYV_HCA_NDEV_PORT	1

static netdev_tx_t vhyv_hca_ndev_xmit(struct sk_buff *skb,
				      struct net_device *ndev)
{
	dev_core_stats_tx_dropped_inc(ndev);
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops vhyv_hca_ndev_ops = {
	.ndo_start_xmit = vhyv_hca_ndev_xmit,
};

static void vhyv_hca_ndev_setup(struct net_device *ndev)
{
	ether_setup(ndev);
	ndev->netdev_ops = &vhyv_hca_ndev_ops;
	/* Nobody is there to be asked, or to be told of the address. */
	ndev->flags = IFF_NOARP;
	ndev->priv_flags |= IFF_NO_QUEUE;
	/* What the device above does not want, the one below loses. */
	ndev->hw_features |= NETIF_F_LRO;
	ndev->features |= NETIF_F_LRO;
}

/* Link and unlink with the device that the port is paired with. */
static int vhyv_hca_ndev_event(struct notifier_block *nb, unsigned long event,
			       void *ptr)
{
	struct vhyv_hca_ndev *hca = container_of(nb, struct vhyv_hca_ndev, nb);
	struct vhyv_dev *hdev = container_of(hca, struct vhyv_dev, hca_ndev);
	struct net_device *lower = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_REGISTER:
		if (hca->lower || !net_eq(dev_net(lower), &init_net) ||
		    !vhyv_is_paired(hdev, lower))
			break;
		if (netdev_upper_dev_link(lower, hca->ndev, NULL))
			netdev_warn(hca->ndev, "cannot be stacked upon %s\n",
				    netdev_name(lower));
		else
			hca->lower = lower;
		break;
	case NETDEV_UNREGISTER:
		if (lower != hca->lower)
			break;
		netdev_upper_dev_unlink(lower, hca->ndev);
		hca->lower = NULL;
		break;
	}
	return NOTIFY_DONE;
}

/* The MAC address that a link-local address is made from, if it is. */
static bool vhyv_gid_to_mac(const union ib_gid *gid, u8 mac[ETH_ALEN])
{
	static const u8 prefix[8] = { 0xfe, 0x80 };
	const u8 *id = gid->raw + sizeof(prefix);

	if (memcmp(gid->raw, prefix, sizeof(prefix)) || id[3] != 0xff ||
	    id[4] != 0xfe)
		return false;
	memcpy(mac, id, 3);
	mac[0] ^= 2;
	memcpy(mac + 3, id + 5, 3);
	return is_valid_ether_addr(mac);
}

static int vhyv_hca_ndev_add(struct vhyv_dev *hdev, const u8 mac[ETH_ALEN])
{
	struct vhyv_hca_ndev *hca = &hdev->hca_ndev;
	struct net_device *ndev;
	int ret;

	ndev = alloc_netdev(0, "hyvhca%d", NET_NAME_ENUM, vhyv_hca_ndev_setup);
	if (!ndev)
		return -ENOMEM;
	eth_hw_addr_set(ndev, mac);
	ret = register_netdev(ndev);
	if (ret)
		goto err_free;
	rtnl_lock();
	ret = dev_open(ndev, NULL);
	rtnl_unlock();
	if (ret)
		goto err_unregister;

	hca->ndev = ndev;
	hca->nb.notifier_call = vhyv_hca_ndev_event;
	/* It is told of what is registered already. */
	ret = register_netdevice_notifier(&hca->nb);
	if (ret)
		goto err_forget;
	return 0;

err_forget:
	hca->ndev = NULL;
err_unregister:
	unregister_netdev(ndev);
err_free:
	free_netdev(ndev);
	return ret;
}

/**
 * vhyv_hca_ndev_del() - undo vhyv_hca_ndev_update()
 * @hdev: device
 *
 * Context: may sleep, takes the RTNL.
 */
void vhyv_hca_ndev_del(struct vhyv_dev *hdev)
{
	struct vhyv_hca_ndev *hca = &hdev->hca_ndev;

	if (!hca->ndev)
		return;
	/* It is told that everything is being unregistered. */
	unregister_netdevice_notifier(&hca->nb);
	unregister_netdev(hca->ndev);
	free_netdev(hca->ndev);
	hca->ndev = NULL;
}

/**
 * vhyv_hca_ndev_update() - have the first port know the HCA's address
 * @hdev: device
 *
 * Called before the device is registered with the RDMA core, and when the host
 * says that addresses have changed. There is no network device if the host tells
 * no address, or one that is not made from a MAC address. UD messages cannot be
 * answered by their GRH then.
 *
 * Context: may sleep, takes the RTNL. One caller at a time.
 * Return: 0 or a negative errno.
 */
int vhyv_hca_ndev_update(struct vhyv_dev *hdev)
{
	const struct net_device *ndev = hdev->hca_ndev.ndev;
	u8 mac[ETH_ALEN] __aligned(2);
	union ib_gid gid = {};
	bool there;
	int ret;

	ret = vhyv_cmd_query_gids(hdev, VHYV_HCA_NDEV_PORT, &gid, 1);
	if (ret)
		return ret;
	there = vhyv_gid_to_mac(&gid, mac);
	if (there && ndev && ether_addr_equal(ndev->dev_addr, mac))
		return 0;
	vhyv_hca_ndev_del(hdev);
	return there ? vhyv_hca_ndev_add(hdev, mac) : 0;
}
