/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: who may reach whom, by which addresses.
 */
#ifndef HYVH_TENANT_H
#define HYVH_TENANT_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "address/gid_map.h"

/**
 * struct hyvh_tenant - vNICs that share one space of addresses
 * @lock: protects @map; the innermost one, and nothing is allocated inside of it
 * @map: who has which GID
 */
struct hyvh_tenant {
	struct mutex lock;	/* see above */
	struct hyvh_gid_map map;
};

#define HYVH_TENANT_MAX_STATIC	(1024 * 1024)

/* The one that vNICs belong to which nobody has given another. */
extern struct hyvh_tenant hyvh_default_tenant;

int hyvh_tenant_add(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    const struct hyvh_gid_owner *owner);
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
