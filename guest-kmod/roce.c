// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports of a device whose addresses are the guest's: those of the network device
 * that it is paired with. The RDMA core keeps their GID tables, and the host is
 * told what is in them.
 */
#include <linux/device.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include <hyv/wire.h>

#include "cmd.h"
#include "gsi.h"
#include "hyv_dev.h"
#include "roce.h"

static const char *hyv_add_gid_error(int err)
{
	switch (err) {
	case -EEXIST:
		return "another machine of the tenant has it";
	case -EACCES:
		return "this machine may not have it";
	default:
		return "it cannot";
	}
}

/**
 * hyv_add_gid() - ib_device_ops.add_gid
 * @attr: the GID, and where in the port's table
 * @context: unused
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int hyv_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct hyv_dev *hdev = to_hyv_dev(attr->device);
	u16 vlan_id;
	int ret;

	ret = rdma_read_gid_l2_fields(attr, &vlan_id, NULL);
	if (ret)
		return ret;
	ret = hyv_cmd_add_gid(hdev, attr->port_num, attr->index, &attr->gid,
			      vlan_id);
	if (ret && !hyv_dev_failed(hdev))
		dev_notice_ratelimited(&hdev->vdev->dev,
				       "host refuses address %pI6c: %s (%d)\n",
				       attr->gid.raw, hyv_add_gid_error(ret),
				       ret);
	return ret;
}

/**
 * hyv_del_gid() - ib_device_ops.del_gid
 * @attr: the GID, and where in the port's table
 * @context: unused
 *
 * Context: may sleep.
 * Return: 0.
 */
int hyv_del_gid(const struct ib_gid_attr *attr, void **context)
{
	hyv_cmd_del_gid(to_hyv_dev(attr->device), attr->port_num, attr->index);
	return 0;
}

/**
 * hyv_is_paired() - is this the network device that a HyV device is paired with?
 * @hdev: HyV device with guest_gids
 * @ndev: network device
 *
 * Those which are stacked upon it may have its address, but no parent.
 *
 * Context: any.
 * Return: true if it is.
 */
bool hyv_is_paired(const struct hyv_dev *hdev, const struct net_device *ndev)
{
	return ndev->type == ARPHRD_ETHER && ndev->dev.parent &&
	       ether_addr_equal(ndev->perm_addr, hdev->mac);
}

/**
 * hyv_get_netdev() - ib_device_ops.get_netdev
 * @ibdev: device
 * @port_num: port number; other ports than the first have no network device
 *
 * The device is looked for each time: it may come and go.
 *
 * Context: any but hard interrupt.
 * Return: a reference to it, or NULL if there is none.
 */
struct net_device *hyv_get_netdev(struct ib_device *ibdev, u32 port_num)
{
	struct hyv_dev *hdev = to_hyv_dev(ibdev);
	struct net_device *ndev, *found = NULL;

	if (port_num != rdma_start_port(ibdev))
		return NULL;
	rcu_read_lock();
	for_each_netdev_rcu(&init_net, ndev) {
		if (hyv_is_paired(hdev, ndev)) {
			dev_hold(ndev);
			found = ndev;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/**
 * hyv_roce_mtu() - the MTU of a port
 * @hdev: device
 * @port_num: port number
 * @mtu: that of the host's port
 *
 * Return: @mtu, or less if the network device carries less.
 */
enum ib_mtu hyv_roce_mtu(struct hyv_dev *hdev, u32 port_num, enum ib_mtu mtu)
{
	struct net_device *ndev = hyv_get_netdev(&hdev->ibdev, port_num);
	enum ib_mtu carried;

	if (!ndev)
		return mtu;
	carried = iboe_get_mtu(READ_ONCE(ndev->mtu));
	dev_put(ndev);
	/* There is no name for less. */
	return min(mtu, max(carried, IB_MTU_256));
}

static const struct rdma_stat_desc hyv_gsi_counter_descs[] = {
	[HYV_GSI_SENT].name = "gsi_sent",
	[HYV_GSI_SEND_ERRORS].name = "gsi_send_errors",
	[HYV_GSI_RECEIVED].name = "gsi_received",
	[HYV_GSI_MALFORMED].name = "gsi_malformed",
	[HYV_GSI_ICRC_ERRORS].name = "gsi_icrc_errors",
	[HYV_GSI_KEY_VIOLATIONS].name = "gsi_key_violations",
	[HYV_GSI_NO_BUFFER].name = "gsi_no_buffer",
};

static_assert(ARRAY_SIZE(hyv_gsi_counter_descs) == HYV_GSI_COUNTERS);

/**
 * hyv_alloc_hw_port_stats() - ib_device_ops.alloc_hw_port_stats
 * @ibdev: device
 * @port_num: port number
 *
 * Return: what a port counts, or NULL.
 */
struct rdma_hw_stats *hyv_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num)
{
	return rdma_alloc_hw_stats_struct(hyv_gsi_counter_descs,
					  ARRAY_SIZE(hyv_gsi_counter_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * hyv_get_hw_stats() - ib_device_ops.get_hw_stats
 * @ibdev: device
 * @stats: from hyv_alloc_hw_port_stats()
 * @port_num: port number
 * @index: which counter; all are read
 *
 * Return: the number of counters, or -EINVAL.
 */
int hyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index)
{
	struct hyv_port *port;
	int i;

	if (!rdma_is_port_valid(ibdev, port_num))
		return -EINVAL;
	port = &to_hyv_dev(ibdev)->ports[port_num - 1];
	for (i = 0; i < HYV_GSI_COUNTERS; i++)
		stats->value[i] = atomic64_read(&port->gsi_counters[i]);
	return HYV_GSI_COUNTERS;
}
