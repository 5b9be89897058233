/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memberships of the host's IP stack in multicast groups that QPs of guests have
 * joined.
 */
#ifndef HYVH_IP_GROUP_H
#define HYVH_IP_GROUP_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct hyvh_ip_group;

int hyvh_ip_group_register(void);
void hyvh_ip_group_unregister(void);

struct hyvh_ip_group *hyvh_ip_group_join(struct ib_device *ibdev, u32 port,
					 const union ib_gid *gid);
void hyvh_ip_group_wait(struct hyvh_ip_group *group);
void hyvh_ip_group_leave(struct hyvh_ip_group *group);

#endif /* HYVH_IP_GROUP_H */
