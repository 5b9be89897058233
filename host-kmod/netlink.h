/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYV_NETLINK_H
#define HYV_NETLINK_H

/**
 * hyv_netlink_init() - let administrators ask, and change the map
 *
 * To be called when hyv_vnic_info_next() and hyv_hca_info_next() can answer.
 *
 * Context: process context; may sleep.
 * Return: 0 or a negative errno.
 */
int hyv_netlink_init(void);

/**
 * hyv_netlink_exit() - undo hyv_netlink_init()
 *
 * When it returns no request is being answered and none will be. Static entries
 * stay in the map until hyv_tenant_clear().
 *
 * Context: process context; may sleep.
 */
void hyv_netlink_exit(void);

#endif /* HYV_NETLINK_H */
