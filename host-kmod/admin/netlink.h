/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVH_NETLINK_H
#define HYVH_NETLINK_H

/**
 * hyvh_netlink_init() - let administrators ask, and change the map
 *
 * To be called when hyvh_vnic_info_next() and hyvh_hca_info_next() can answer.
 *
 * Context: process context; may sleep.
 * Return: 0 or a negative errno.
 */
int hyvh_netlink_init(void);

/**
 * hyvh_netlink_exit() - undo hyvh_netlink_init()
 *
 * When it returns no request is being answered and none will be. Static entries
 * stay in the map until hyvh_tenant_clear().
 *
 * Context: process context; may sleep.
 */
void hyvh_netlink_exit(void);

#endif /* HYVH_NETLINK_H */
