// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "hyvs/hyvs.h"

static int __init hyvs_init(void)
{
	return hyvs_link_init();
}
module_init(hyvs_init);

static void __exit hyvs_exit(void)
{
	hyvs_link_exit();
}
module_exit(hyvs_exit);

MODULE_DESCRIPTION("RDMA device in software, driven by libmlx5");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("hyv");
