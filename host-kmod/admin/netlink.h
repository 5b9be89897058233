/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVH_NETLINK_H
#define HYVH_NETLINK_H

int hyvh_netlink_init(void);
/* Waits for requests in progress. Static entries stay in the GID map. */
void hyvh_netlink_exit(void);

#endif /* HYVH_NETLINK_H */
