/* SPDX-License-Identifier: GPL-2.0-only */
/* GID tables of ports. */
#ifndef VHYV_GID_H
#define VHYV_GID_H

#include <rdma/ib_verbs.h>

struct vhyv_dev;

/* Time until the host is asked again if there was no memory. */
#define VHYV_RETRY_DELAY	(1 * HZ)

int vhyv_query_gids(struct vhyv_dev *hdev, u32 port, union ib_gid *gids,
		    u32 len);
int vhyv_add_gid(const struct ib_gid_attr *attr, void **context);
int vhyv_del_gid(const struct ib_gid_attr *attr, void **context);

#endif /* VHYV_GID_H */
