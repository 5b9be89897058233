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

#include "command/cmd.h"
#include "address/gsi.h"
#include "dev.h"
#include "address/roce.h"

static const char *vhyv_add_gid_error(int err)
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
 * vhyv_add_gid() - ib_device_ops.add_gid
 * @attr: the GID, and where in the port's table
 * @context: unused
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int vhyv_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct vhyv_dev *hdev = to_vhyv_dev(attr->device);
	u16 vlan_id;
	int ret;

	ret = rdma_read_gid_l2_fields(attr, &vlan_id, NULL);
	if (ret)
		return ret;
	ret = vhyv_cmd_add_gid(hdev, attr->port_num, attr->index, &attr->gid,
			       vlan_id);
	if (ret && !vhyv_dev_failed(hdev))
		dev_notice_ratelimited(&hdev->vdev->dev,
				       "host refuses address %pI6c: %s (%d)\n",
				       attr->gid.raw, vhyv_add_gid_error(ret),
				       ret);
	return ret;
}

/**
 * vhyv_del_gid() - ib_device_ops.del_gid
 * @attr: the GID, and where in the port's table
 * @context: unused
 *
 * Context: may sleep.
 * Return: 0.
 */
int vhyv_del_gid(const struct ib_gid_attr *attr, void **context)
{
	vhyv_cmd_del_gid(to_vhyv_dev(attr->device), attr->port_num, attr->index);
	return 0;
}

/**
 * vhyv_is_paired() - is this the network device that a HyV device is paired with?
 * @hdev: HyV device with guest_gids
 * @ndev: network device
 *
 * Those which are stacked upon it may have its address, but no parent.
 *
 * Context: any.
 * Return: true if it is.
 */
bool vhyv_is_paired(const struct vhyv_dev *hdev, const struct net_device *ndev)
{
	return ndev->type == ARPHRD_ETHER && ndev->dev.parent &&
	       ether_addr_equal(ndev->perm_addr, hdev->mac);
}

/**
 * vhyv_get_netdev() - ib_device_ops.get_netdev
 * @ibdev: device
 * @port_num: port number; other ports than the first have no network device
 *
 * The device is looked for each time: it may come and go.
 *
 * Context: any but hard interrupt.
 * Return: a reference to it, or NULL if there is none.
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

/**
 * vhyv_roce_mtu() - the MTU of a port
 * @hdev: device
 * @port_num: port number
 * @mtu: that of the host's port
 *
 * Return: @mtu, or less if the network device carries less.
 */
enum ib_mtu vhyv_roce_mtu(struct vhyv_dev *hdev, u32 port_num, enum ib_mtu mtu)
{
	struct net_device *ndev = vhyv_get_netdev(&hdev->ibdev, port_num);
	enum ib_mtu carried;

	if (!ndev)
		return mtu;
	carried = iboe_get_mtu(READ_ONCE(ndev->mtu));
	dev_put(ndev);
	/* There is no name for less. */
	return min(mtu, max(carried, IB_MTU_256));
}

static const struct rdma_stat_desc vhyv_gsi_counter_descs[] = {
	[VHYV_GSI_SENT].name = "gsi_sent",
	[VHYV_GSI_SEND_ERRORS].name = "gsi_send_errors",
	[VHYV_GSI_RECEIVED].name = "gsi_received",
	[VHYV_GSI_MALFORMED].name = "gsi_malformed",
	[VHYV_GSI_ICRC_ERRORS].name = "gsi_icrc_errors",
	[VHYV_GSI_KEY_VIOLATIONS].name = "gsi_key_violations",
	[VHYV_GSI_NO_BUFFER].name = "gsi_no_buffer",
};

static_assert(ARRAY_SIZE(vhyv_gsi_counter_descs) == VHYV_GSI_COUNTERS);

/**
 * vhyv_alloc_hw_port_stats() - ib_device_ops.alloc_hw_port_stats
 * @ibdev: device
 * @port_num: port number
 *
 * Return: what a port counts, or NULL.
 */
struct rdma_hw_stats *vhyv_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port_num)
{
	return rdma_alloc_hw_stats_struct(vhyv_gsi_counter_descs,
					  ARRAY_SIZE(vhyv_gsi_counter_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * vhyv_get_hw_stats() - ib_device_ops.get_hw_stats
 * @ibdev: device
 * @stats: from vhyv_alloc_hw_port_stats()
 * @port_num: port number
 * @index: which counter; all are read
 *
 * Return: the number of counters, or -EINVAL.
 */
int vhyv_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port_num, int index)
{
	struct vhyv_port *port;
	int i;

	if (!rdma_is_port_valid(ibdev, port_num))
		return -EINVAL;
	port = &to_vhyv_dev(ibdev)->ports[port_num - 1];
	for (i = 0; i < VHYV_GSI_COUNTERS; i++)
		stats->value[i] = atomic64_read(&port->gsi_counters[i]);
	return VHYV_GSI_COUNTERS;
}
