// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mock HCA: an RDMA device that moves no data, but misbehaves on request, and
 * counts what it holds. For tests of hyv.ko; a build of hyv.ko with
 * HYV_TEST lends it to guests. hyv_mock.h says how to control it.
 *
 *   rdma link add NAME type hyv_mock netdev DEV
 *   rdma link del NAME
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <hyv/provider.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "mock.h"

static int mock_newlink(const char *name, struct net_device *ndev)
{
	struct mock_device *dev;
	int ret;

	dev = ib_alloc_device(mock_device, ib);
	if (!dev)
		return -ENOMEM;
	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = 1;
	dev->ib.num_comp_vectors = 2;
	memcpy(&dev->ib.node_guid, ndev->dev_addr, ETH_ALEN);
	strscpy(dev->ib.node_desc, "hyv_mock", sizeof(dev->ib.node_desc));
	ib_set_device_ops(&dev->ib, &mock_ops);
	mock_device_add(dev);

	ret = ib_device_set_netdev(&dev->ib, ndev, 1);
	if (ret)
		goto err_dealloc;
	ret = ib_register_device(&dev->ib, name, NULL);
	if (ret)
		goto err_dealloc;
	return 0;

err_dealloc:
	ib_dealloc_device(&dev->ib);
	return ret;
}

static struct rdma_link_ops mock_link_ops = {
	.type = "hyv_mock",
	.newlink = mock_newlink,
};

static int __init mock_init(void)
{
	int ret;

	ret = mock_memory_init();
	if (ret)
		return ret;
	ret = mock_control_init();
	if (ret)
		goto err_memory;
	rdma_link_register(&mock_link_ops);
	return 0;

err_memory:
	mock_memory_exit();
	return ret;
}
module_init(mock_init);

static void __exit mock_exit(void)
{
	rdma_link_unregister(&mock_link_ops);
	ib_unregister_driver(HYV_DRIVER_MOCK);
	mock_control_exit();
	mock_memory_exit();
}
module_exit(mock_exit);

MODULE_DESCRIPTION("Mock RDMA device for tests of hyv.ko");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("hyv_mock");
