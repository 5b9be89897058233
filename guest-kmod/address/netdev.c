// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network devices that the ports take their addresses from, in guest
 * addressing: the one that the first port is paired with, and one with the
 * HCA's address.
 *
 * With most HCAs, the GRH of a message that a UD QP receives contains the link-local
 * addresses of the HCAs on its path, not guest addresses. To answer,
 * ibv_create_ah_from_wc() looks up the GID that it was sent to in the port's
 * table, and then a route back. So that both are found, there is a network
 * device with the HCA's MAC address as an upper device of the paired one: the
 * IP stack gives it the link-local address, and the RDMA core adds the
 * addresses of both to the port's table. It neither sends nor receives packets.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

#include "address/gid.h"
#include "address/netdev.h"
#include "compat/netdevice.h"
#include "dev.h"

#define VHYV_HCA_NETDEV_PORT	1

/* netdev_priv() of the network device with the HCA's address. */
struct vhyv_hca_netdev {
	struct vhyv_dev *hdev;
	struct notifier_block nb;	/* follows the paired network device */
	/* Paired network device, linked as lower device; under the RTNL. */
	struct net_device *lower;
};

/* Upper devices of the paired one can have its address, but no parent. */
static bool vhyv_is_paired(const struct vhyv_dev *hdev,
			   const struct net_device *ndev)
{
	return ndev->type == ARPHRD_ETHER && ndev->dev.parent &&
	       ether_addr_equal(ndev->perm_addr, hdev->mac);
}

/*
 * Return a reference to the paired network device, or NULL. It is looked up
 * each time, as it may be added and removed. Only the first port has one.
 */
struct net_device *vhyv_get_netdev(struct ib_device *ibdev, u32 port_num)
{
	struct vhyv_dev *hdev = to_vhyv_dev(ibdev);
	struct net_device *ndev, *found = NULL;

	if (port_num != rdma_start_port(ibdev))
		return NULL;
	rcu_read_lock();
	for_each_netdev_rcu(&init_net, ndev) {
		if (vhyv_is_paired(hdev, ndev)) {
			dev_hold(ndev);
			found = ndev;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/* Limit the MTU of the host's port to what the network device carries. */
enum ib_mtu vhyv_netdev_mtu(struct vhyv_dev *hdev, u32 port_num,
			    enum ib_mtu mtu)
{
	struct net_device *ndev = vhyv_get_netdev(&hdev->ibdev, port_num);
	enum ib_mtu carried;

	if (!ndev)
		return mtu;
	carried = iboe_get_mtu(READ_ONCE(ndev->mtu));
	dev_put(ndev);
	/* IB_MTU_256 is the smallest enum ib_mtu. */
	return min(mtu, max(carried, IB_MTU_256));
}

static netdev_tx_t vhyv_hca_netdev_xmit(struct sk_buff *skb,
					struct net_device *ndev)
{
	dev_core_stats_tx_dropped_inc(ndev);
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

/*
 * Network managers configure every Ethernet device, which would delete the
 * address that this one exists for. They leave out devices with a kind
 * (NetworkManager) or a type (systemd-networkd). Not registered: "ip link" can
 * neither create nor delete such devices.
 */
static struct rtnl_link_ops vhyv_hca_netdev_link_ops = {
	.kind = "hyv",
	.netns_refund = true,
};

static const struct device_type vhyv_hca_netdev_type = {
	.name = "hyv",
};

static const struct net_device_ops vhyv_hca_netdev_ops = {
	.ndo_start_xmit = vhyv_hca_netdev_xmit,
};

static void vhyv_hca_netdev_setup(struct net_device *ndev)
{
	ether_setup(ndev);
	ndev->netdev_ops = &vhyv_hca_netdev_ops;
	ndev->rtnl_link_ops = &vhyv_hca_netdev_link_ops;
	SET_NETDEV_DEVTYPE(ndev, &vhyv_hca_netdev_type);
	compat_netdev_set_netns_immutable(ndev);
	/* No neighbour can be reached through it. */
	ndev->flags = IFF_NOARP;
	ndev->priv_flags |= IFF_NO_QUEUE;
	/* Keep LRO, or linking would disable it on the lower device. */
	ndev->hw_features |= NETIF_F_LRO;
	ndev->features |= NETIF_F_LRO;
}

/* Link to and unlink from the paired network device. */
static int vhyv_hca_netdev_event(struct notifier_block *nb, unsigned long event,
				 void *ptr)
{
	struct vhyv_hca_netdev *hca = container_of(nb, struct vhyv_hca_netdev,
						   nb);
	struct net_device *lower = netdev_notifier_info_to_dev(ptr);
	struct net_device *ndev = hca->hdev->hca_netdev;

	switch (event) {
	case NETDEV_REGISTER:
		if (hca->lower || !net_eq(dev_net(lower), &init_net) ||
		    !vhyv_is_paired(hca->hdev, lower))
			break;
		if (netdev_upper_dev_link(lower, ndev, NULL))
			netdev_warn(ndev, "cannot link to %s; UD messages cannot be answered\n",
				    netdev_name(lower));
		else
			hca->lower = lower;
		break;
	case NETDEV_UNREGISTER:
		if (lower != hca->lower)
			break;
		netdev_upper_dev_unlink(lower, ndev);
		hca->lower = NULL;
		break;
	}
	return NOTIFY_DONE;
}

/* Extract the MAC address of a link-local address that contains one. */
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

/* The link-local address is the HCA's GID, whatever others are made from. */
static void vhyv_hca_netdev_eui64(struct net_device *ndev)
{
	struct inet6_dev *idev;

	ASSERT_RTNL();
	idev = __in6_dev_get(ndev);
	if (idev)
		WRITE_ONCE(idev->cnf.addr_gen_mode, IN6_ADDR_GEN_MODE_EUI64);
}

static int vhyv_hca_netdev_add(struct vhyv_dev *hdev, const u8 mac[ETH_ALEN])
{
	struct vhyv_hca_netdev *hca;
	struct net_device *ndev;
	int ret;

	ndev = alloc_netdev(sizeof(*hca), "hyvhca%d", NET_NAME_ENUM,
			    vhyv_hca_netdev_setup);
	if (!ndev)
		return -ENOMEM;
	eth_hw_addr_set(ndev, mac);
	ret = register_netdev(ndev);
	if (ret)
		goto err_free;
	rtnl_lock();
	vhyv_hca_netdev_eui64(ndev);
	ret = dev_open(ndev, NULL);
	rtnl_unlock();
	if (ret)
		goto err_unregister;

	hdev->hca_netdev = ndev;
	hca = netdev_priv(ndev);
	hca->hdev = hdev;
	hca->nb.notifier_call = vhyv_hca_netdev_event;
	/* Replays NETDEV_REGISTER for the devices that exist already. */
	ret = register_netdevice_notifier(&hca->nb);
	if (ret)
		goto err_clear;
	return 0;

err_clear:
	hdev->hca_netdev = NULL;
err_unregister:
	unregister_netdev(ndev);
err_free:
	free_netdev(ndev);
	return ret;
}

/* Delete the network device with the HCA's address, if any. Takes the RTNL. */
void vhyv_hca_netdev_del(struct vhyv_dev *hdev)
{
	struct net_device *ndev = hdev->hca_netdev;
	struct vhyv_hca_netdev *hca;

	if (!ndev)
		return;
	hca = netdev_priv(ndev);
	/* Replays NETDEV_UNREGISTER for the devices that exist. */
	unregister_netdevice_notifier(&hca->nb);
	unregister_netdev(ndev);
	free_netdev(ndev);
	hdev->hca_netdev = NULL;
}

/**
 * vhyv_hca_netdev_update() - make a network device for the HCA's address
 * @hdev: device
 *
 * Called before the registration with the RDMA core, and when the host reports
 * a change of GIDs. If the host reports no GID, or one that is not made from a
 * MAC address, there is no network device, and UD messages cannot be answered
 * by their GRH.
 *
 * Context: Process context. May sleep. Takes the RTNL. One caller at a time.
 * Return: 0, or a negative errno if the host or the network stack refused.
 */
int vhyv_hca_netdev_update(struct vhyv_dev *hdev)
{
	const struct net_device *ndev = hdev->hca_netdev;
	u8 mac[ETH_ALEN] __aligned(2);
	union ib_gid gid = {};
	bool has_mac;
	int ret;

	ret = vhyv_query_gids(hdev, VHYV_HCA_NETDEV_PORT, &gid, 1);
	if (ret)
		return ret;
	has_mac = vhyv_gid_to_mac(&gid, mac);
	if (has_mac && ndev && ether_addr_equal(ndev->dev_addr, mac))
		return 0;
	vhyv_hca_netdev_del(hdev);
	return has_mac ? vhyv_hca_netdev_add(hdev, mac) : 0;
}
