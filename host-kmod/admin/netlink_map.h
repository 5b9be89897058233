/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands about the map, for the table of netlink.c.
 */
#ifndef HYVH_NETLINK_MAP_H
#define HYVH_NETLINK_MAP_H

#include <net/genetlink.h>
#include <uapi/linux/hyv_netlink.h>

extern struct genl_family hyvh_nl_family;

extern const struct nla_policy hyvh_nl_map_add_policy[HYV_NL_A_MAP_REPLACE + 1];
extern const struct nla_policy hyvh_nl_map_del_policy[HYV_NL_A_MAP_ENTRY + 1];
extern const struct nla_policy hyvh_nl_map_get_policy[HYV_NL_A_MAP_GID + 1];

int hyvh_nl_map_add_doit(struct sk_buff *skb, struct genl_info *info);
int hyvh_nl_map_del_doit(struct sk_buff *skb, struct genl_info *info);
int hyvh_nl_map_get_doit(struct sk_buff *skb, struct genl_info *info);
int hyvh_nl_map_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* HYVH_NETLINK_MAP_H */
