/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: vNICs that share one GID map, and so can reach one another.
 */
#ifndef HYVH_TENANT_H
#define HYVH_TENANT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "address/gid_map.h"

struct hyvh_events;

/* A vNIC that waits for a GID that it was refused. */
struct hyvh_gid_waiter {
	struct list_head link;	/* in hyvh_tenant.waiters, or empty */
	struct hyvh_events *events;
};

struct hyvh_tenant {
	/* Protects map and waiters; nothing is allocated under it. */
	struct mutex lock;
	struct hyvh_gid_map map;
	struct list_head waiters;
	struct delayed_work notify;	/* raises events for the waiters */
};

#define HYVH_TENANT_MAX_STATIC	(1024 * 1024)

/* The number of hyvh_default_tenant's network. */
#define HYVH_DEFAULT_NET	1

/* The tenant of all vNICs. */
extern struct hyvh_tenant hyvh_default_tenant;

/* Process context. May sleep. */
int hyvh_tenant_add(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    const struct hyvh_gid_owner *owner,
		    struct hyvh_gid_waiter *waiter);
void hyvh_tenant_stop_waiting(struct hyvh_tenant *tenant,
			      struct hyvh_gid_waiter *waiter);
int hyvh_tenant_del(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    u32 vnic_id);
int hyvh_tenant_merge(struct hyvh_tenant *tenant, struct hyvh_gid_map *batch,
		      bool replace, union ib_gid *bad);
int hyvh_tenant_subtract(struct hyvh_tenant *tenant,
			 const struct hyvh_gid_map *batch, union ib_gid *bad);
void hyvh_tenant_clear(struct hyvh_tenant *tenant);
int hyvh_tenant_find(struct hyvh_tenant *tenant, const union ib_gid *gid,
		     struct hyvh_gid_owner *owner);
bool hyvh_tenant_has_via(struct hyvh_tenant *tenant, const union ib_gid *via);
int hyvh_tenant_next(struct hyvh_tenant *tenant, union ib_gid *gid,
		     struct hyvh_gid_owner *owner);

#endif /* HYVH_TENANT_H */
