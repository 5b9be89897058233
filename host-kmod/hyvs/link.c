// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices come and go:
 *
 *	rdma link add NAME type hyv netdev DEV
 *	rdma link del NAME
 *
 * A device goes with its network device, too, and with the module.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <compat/ib_verbs.h>

#include "hyvs/hyvs.h"

static DEFINE_MUTEX(hyvs_lock);		/* protects hyvs_devices */
static LIST_HEAD(hyvs_devices);
static DECLARE_WAIT_QUEUE_HEAD(hyvs_gone);

static void hyvs_dealloc_driver(struct ib_device *ib)
{
	struct hyvs_device *dev = to_hyvs_device(ib);

	cancel_work_sync(&dev->target_work);
	hyvs_limits_destroy(dev);
	eng_worker_del(&dev->targets);
	eng_destroy(dev->eng);
	kvfree(dev->gid_hash);
	kvfree(dev->eng);
	hyvs_gsi_stop(dev);
	mutex_lock(&hyvs_lock);
	list_del(&dev->link);
	dev_put(dev->ndev);
	wake_up_all(&hyvs_gone);
	mutex_unlock(&hyvs_lock);
}

/*
 * The device can be found, at first or in another namespace. Its network device may have
 * left while it could not.
 */
static int hyvs_enable_driver(struct ib_device *ib)
{
	struct hyvs_device *dev = to_hyvs_device(ib);

	mutex_lock(&hyvs_lock);
	if (dev->ndev_left)
		ib_unregister_device_queued(ib);
	mutex_unlock(&hyvs_lock);
	return 0;
}

static const struct ib_device_ops hyvs_link_dev_ops = {
	.dealloc_driver = hyvs_dealloc_driver,
	.enable_driver = hyvs_enable_driver,
};

static struct hyvs_device *hyvs_device_alloc(struct net_device *ndev)
{
	struct hyvs_device *dev;

	dev = ib_alloc_device(hyvs_device, ib);
	if (!dev)
		return NULL;
	dev->eng = kvzalloc(sizeof(*dev->eng), GFP_KERNEL);
	if (!dev->eng)
		goto err_dealloc;
	dev->gid_hash = kvzalloc(sizeof(*dev->gid_hash), GFP_KERNEL);
	if (!dev->gid_hash)
		goto err_eng;
	eng_init(dev->eng, &hyvs_eng_ops, dev);
	eng_worker_add(dev->eng, &dev->targets);
	spin_lock_init(&dev->target_lock);
	INIT_WORK(&dev->target_work, hyvs_run_targets);
	hyvs_limits_init(dev);
	hyvs_stats_init(dev);
	spin_lock_init(&dev->members_lock);
	INIT_LIST_HEAD(&dev->members);
	hyvs_gid_hash_init(dev->gid_hash, get_random_u32());
	hyvs_gids_init(&dev->gids, dev->gid_hash, 0, 0);
	dev_hold(ndev);
	dev->ndev = ndev;
	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = 1;
	dev->ib.num_comp_vectors = num_possible_cpus();
	addrconf_addr_eui48((u8 *)&dev->ib.node_guid, ndev->dev_addr);
	strscpy(dev->ib.node_desc, "HyV", sizeof(dev->ib.node_desc));
	INIT_LIST_HEAD(&dev->link);
	/* From here on, ib_dealloc_device() frees all. */
	ib_set_device_ops(&dev->ib, &hyvs_ops);
	ib_set_device_ops(&dev->ib, &hyvs_link_dev_ops);
	return dev;

err_eng:
	kvfree(dev->eng);
err_dealloc:
	ib_dealloc_device(&dev->ib);
	return NULL;
}

/* One for each network device: the GUID is made of its address. */
static int hyvs_device_list(struct hyvs_device *dev)
{
	struct hyvs_device *other;
	int ret = -EEXIST;

	mutex_lock(&hyvs_lock);
	list_for_each_entry(other, &hyvs_devices, link)
		if (other->ndev == dev->ndev)
			goto unlock;
	dev->port_up = hyvs_port_is_up(dev);
	list_add_tail(&dev->link, &hyvs_devices);
	ret = 0;
unlock:
	mutex_unlock(&hyvs_lock);
	return ret;
}

static int hyvs_newlink(const char *name, struct net_device *ndev)
{
	struct hyvs_device *dev;
	int ret;

	dev = hyvs_device_alloc(ndev);
	if (!dev)
		return -ENOMEM;
	ret = hyvs_device_list(dev);
	if (ret)
		goto err_dealloc;
	ret = ib_device_set_netdev(&dev->ib, ndev, 1);
	if (ret)
		goto err_dealloc;
	hyvs_gsi_start(dev);
	if (dev->has_gsi)
		ib_set_device_ops(&dev->ib, &hyvs_kernel_ops);
	ret = ib_register_device(&dev->ib, name, NULL);
	if (ret)
		goto err_dealloc;
	return 0;

err_dealloc:
	ib_dealloc_device(&dev->ib);
	return ret;
}

/* --- Changes of network devices --- */

static void hyvs_port_event(struct hyvs_device *dev)
{
	bool up = hyvs_port_is_up(dev);

	if (dev->port_up == up)
		return;
	dev->port_up = up;
	ib_dispatch_port_state_event(&dev->ib, dev->ndev);
}

static void hyvs_netdev_event(struct hyvs_device *dev, unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		ib_unregister_device_queued(&dev->ib);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		hyvs_port_event(dev);
		break;
	}
}

static int hyvs_notify(struct notifier_block *nb, unsigned long event,
		       void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);
	struct hyvs_device *dev;

	mutex_lock(&hyvs_lock);
	list_for_each_entry(dev, &hyvs_devices, link) {
		if (dev->ndev != ndev)
			continue;
		if (event == NETDEV_UNREGISTER)
			dev->ndev_left = true;
		if (!ib_device_try_get(&dev->ib)) {
			/* Nobody has seen another state yet. */
			dev->port_up = hyvs_port_is_up(dev);
			continue;
		}
		hyvs_netdev_event(dev, event);
		ib_device_put(&dev->ib);
	}
	mutex_unlock(&hyvs_lock);
	return NOTIFY_DONE;
}

static struct notifier_block hyvs_notifier = {
	.notifier_call = hyvs_notify,
};

static struct rdma_link_ops hyvs_link_ops = {
	.type = "hyv",
	.newlink = hyvs_newlink,
};

int hyvs_link_init(void)
{
	int ret;

	ret = register_netdevice_notifier(&hyvs_notifier);
	if (ret)
		return ret;
	rdma_link_register(&hyvs_link_ops);
	return 0;
}

static struct hyvs_device *hyvs_first_device(void)
{
	struct hyvs_device *dev, *found = NULL;

	mutex_lock(&hyvs_lock);
	list_for_each_entry(dev, &hyvs_devices, link) {
		if (ib_device_try_get(&dev->ib)) {
			found = dev;
			break;
		}
	}
	mutex_unlock(&hyvs_lock);
	return found;
}

/* Devices of real cards have the same driver ID: ib_unregister_driver() will not do. */
void hyvs_link_exit(void)
{
	struct hyvs_device *dev;

	rdma_link_unregister(&hyvs_link_ops);
	unregister_netdevice_notifier(&hyvs_notifier);
	/*
	 * Others unregister the rest, or move a device to another namespace, after which
	 * it is there again.
	 */
	do {
		while ((dev = hyvs_first_device()))
			ib_unregister_device_and_put(&dev->ib);
	} while (!wait_event_timeout(hyvs_gone, list_empty(&hyvs_devices), HZ / 10));
	/*
	 * They, and whoever has dropped the last reference to the module, may still
	 * be in its code, but do not sleep there.
	 */
	synchronize_rcu_tasks();
}
