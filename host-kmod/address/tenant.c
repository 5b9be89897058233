// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants. The functions take the lock around the operation of the GID map
 * with the same name, and return what that returns.
 */
#include <linux/slab.h>

#include "address/tenant.h"

struct hyvh_tenant hyvh_default_tenant = {
	.lock = __MUTEX_INITIALIZER(hyvh_default_tenant.lock),
	.map = { .root = RB_ROOT, .vias = RB_ROOT,
		 .max_static = HYVH_TENANT_MAX_STATIC },
};

/* Allocates before it takes the lock. */
int hyvh_tenant_add(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    const struct hyvh_gid_owner *owner)
{
	struct hyvh_gid_entry *entry = hyvh_gid_entry_new(gid, owner);
	int ret;

	if (!entry)
		return -ENOMEM;
	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_insert(&tenant->map, &entry);
	mutex_unlock(&tenant->lock);
	kfree(entry);
	return ret;
}

int hyvh_tenant_del(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    u32 vnic_id)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_del(&tenant->map, gid, vnic_id);
	mutex_unlock(&tenant->lock);
	return ret;
}

/* QPs and address handles keep the GIDs that they were translated to. */
int hyvh_tenant_merge(struct hyvh_tenant *tenant, struct hyvh_gid_map *batch,
		      bool replace, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_merge(&tenant->map, batch, replace, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

int hyvh_tenant_subtract(struct hyvh_tenant *tenant,
			 const struct hyvh_gid_map *batch, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_subtract(&tenant->map, batch, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

void hyvh_tenant_clear(struct hyvh_tenant *tenant)
{
	mutex_lock(&tenant->lock);
	hyvh_gid_map_clear(&tenant->map);
	mutex_unlock(&tenant->lock);
}

int hyvh_tenant_find(struct hyvh_tenant *tenant, const union ib_gid *gid,
		     struct hyvh_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_find(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}

bool hyvh_tenant_has_via(struct hyvh_tenant *tenant, const union ib_gid *via)
{
	bool has;

	mutex_lock(&tenant->lock);
	has = hyvh_gid_map_has_via(&tenant->map, via);
	mutex_unlock(&tenant->lock);
	return has;
}

int hyvh_tenant_next(struct hyvh_tenant *tenant, union ib_gid *gid,
		     struct hyvh_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_next(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}
