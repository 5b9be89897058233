/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tenants: who may reach whom, by which addresses.
 */
#ifndef HYV_TENANT_H
#define HYV_TENANT_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "gidmap.h"

/**
 * struct hyv_tenant - vNICs that share one space of addresses
 * @lock: protects @map; the innermost one, and nothing is allocated inside of it
 * @map: who has which GID
 */
struct hyv_tenant {
	struct mutex lock;	/* see above */
	struct hyv_gidmap map;
};

#define HYV_TENANT_MAX_STATIC	(1024 * 1024)

/* The one that vNICs belong to which nobody has given another. */
extern struct hyv_tenant hyv_default_tenant;

int hyv_tenant_add(struct hyv_tenant *tenant, const union ib_gid *gid,
		   const struct hyv_gid_owner *owner);
int hyv_tenant_del(struct hyv_tenant *tenant, const union ib_gid *gid,
		   u32 vnic_id);
int hyv_tenant_merge(struct hyv_tenant *tenant, struct hyv_gidmap *batch,
		     bool replace, union ib_gid *bad);
int hyv_tenant_subtract(struct hyv_tenant *tenant,
			const struct hyv_gidmap *batch, union ib_gid *bad);
void hyv_tenant_clear(struct hyv_tenant *tenant);
int hyv_tenant_find(struct hyv_tenant *tenant, const union ib_gid *gid,
		    struct hyv_gid_owner *owner);
bool hyv_tenant_has_via(struct hyv_tenant *tenant, const union ib_gid *via);
int hyv_tenant_next(struct hyv_tenant *tenant, union ib_gid *gid,
		    struct hyv_gid_owner *owner);

#endif /* HYV_TENANT_H */
