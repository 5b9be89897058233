// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants: who may reach whom, by which addresses.
 */
#include <linux/slab.h>

#include "address/tenant.h"

struct hyvh_tenant hyvh_default_tenant = {
	.lock = __MUTEX_INITIALIZER(hyvh_default_tenant.lock),
	.map = { .root = RB_ROOT, .vias = RB_ROOT,
		 .max_static = HYVH_TENANT_MAX_STATIC },
};

/**
 * hyvh_tenant_add() - somebody has a GID
 * @tenant: the tenant
 * @gid: the GID
 * @owner: who has it
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_insert(); -ENOMEM.
 */
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

/**
 * hyvh_tenant_del() - undo hyvh_tenant_add()
 * @tenant: the tenant
 * @gid: the GID
 * @vnic_id: of its owner
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_del().
 */
int hyvh_tenant_del(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    u32 vnic_id)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_del(&tenant->map, gid, vnic_id);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyvh_tenant_merge() - hosts have these GIDs
 * @tenant: the tenant
 * @batch: a map of static entries; what is left in it is for the caller to clear
 * @replace: static entries that are there already get their new host
 * @bad: where to write the GID that is there already, with -EEXIST
 *
 * QPs and address handles go on with what they were translated to.
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_merge(); after an error nothing has changed.
 */
int hyvh_tenant_merge(struct hyvh_tenant *tenant, struct hyvh_gid_map *batch,
		      bool replace, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_merge(&tenant->map, batch, replace, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyvh_tenant_subtract() - undo hyvh_tenant_merge()
 * @tenant: the tenant
 * @batch: a map of static entries, of which only the GIDs matter
 * @bad: where to write the GID that has no static entry, with -ENOENT
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_subtract(); after an error nothing has changed.
 */
int hyvh_tenant_subtract(struct hyvh_tenant *tenant,
			 const struct hyvh_gid_map *batch, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_subtract(&tenant->map, batch, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyvh_tenant_clear() - free what administrators have left in the map
 * @tenant: the tenant, of which no vNIC exists
 *
 * Context: process, may sleep.
 */
void hyvh_tenant_clear(struct hyvh_tenant *tenant)
{
	mutex_lock(&tenant->lock);
	hyvh_gid_map_clear(&tenant->map);
	mutex_unlock(&tenant->lock);
}

/**
 * hyvh_tenant_find() - who has a GID?
 * @tenant: the tenant
 * @gid: the GID
 * @owner: where to write the answer
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_find().
 */
int hyvh_tenant_find(struct hyvh_tenant *tenant, const union ib_gid *gid,
		     struct hyvh_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_find(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyvh_tenant_has_via() - does any static entry name this GID of a host?
 * @tenant: the tenant
 * @via: the GID
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_has_via().
 */
bool hyvh_tenant_has_via(struct hyvh_tenant *tenant, const union ib_gid *via)
{
	bool has;

	mutex_lock(&tenant->lock);
	has = hyvh_gid_map_has_via(&tenant->map, via);
	mutex_unlock(&tenant->lock);
	return has;
}

/**
 * hyvh_tenant_next() - walk the map
 * @tenant: the tenant
 * @gid: in: where the walk has got to, zero at first; out: the next one
 * @owner: where to write its owner
 *
 * Entries that are there during the whole walk are met once.
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_next().
 */
int hyvh_tenant_next(struct hyvh_tenant *tenant, union ib_gid *gid,
		     struct hyvh_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_next(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}
