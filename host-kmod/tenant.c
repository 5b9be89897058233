// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants: who may reach whom, by which addresses.
 */
#include <linux/slab.h>

#include "tenant.h"

struct hyv_tenant hyv_default_tenant = {
	.lock = __MUTEX_INITIALIZER(hyv_default_tenant.lock),
	.map = { .root = RB_ROOT, .vias = RB_ROOT,
		 .max_static = HYV_TENANT_MAX_STATIC },
};

/**
 * hyv_tenant_add() - somebody has a GID
 * @tenant: the tenant
 * @gid: the GID
 * @owner: who has it
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_insert(); -ENOMEM.
 */
int hyv_tenant_add(struct hyv_tenant *tenant, const union ib_gid *gid,
		   const struct hyv_gid_owner *owner)
{
	struct hyv_gid_entry *entry = hyv_gid_entry_new(gid, owner);
	int ret;

	if (!entry)
		return -ENOMEM;
	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_insert(&tenant->map, &entry);
	mutex_unlock(&tenant->lock);
	kfree(entry);
	return ret;
}

/**
 * hyv_tenant_del() - undo hyv_tenant_add()
 * @tenant: the tenant
 * @gid: the GID
 * @vnic_id: of its owner
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_del().
 */
int hyv_tenant_del(struct hyv_tenant *tenant, const union ib_gid *gid,
		   u32 vnic_id)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_del(&tenant->map, gid, vnic_id);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyv_tenant_merge() - hosts have these GIDs
 * @tenant: the tenant
 * @batch: a map of static entries; what is left in it is for the caller to clear
 * @replace: static entries that are there already get their new host
 * @bad: where to write the GID that is there already, with -EEXIST
 *
 * QPs and address handles go on with what they were translated to.
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_merge(); after an error nothing has changed.
 */
int hyv_tenant_merge(struct hyv_tenant *tenant, struct hyv_gidmap *batch,
		     bool replace, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_merge(&tenant->map, batch, replace, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyv_tenant_subtract() - undo hyv_tenant_merge()
 * @tenant: the tenant
 * @batch: a map of static entries, of which only the GIDs matter
 * @bad: where to write the GID that has no static entry, with -ENOENT
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_subtract(); after an error nothing has changed.
 */
int hyv_tenant_subtract(struct hyv_tenant *tenant,
			const struct hyv_gidmap *batch, union ib_gid *bad)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_subtract(&tenant->map, batch, bad);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyv_tenant_clear() - free what administrators have left in the map
 * @tenant: the tenant, of which no vNIC exists
 *
 * Context: process, may sleep.
 */
void hyv_tenant_clear(struct hyv_tenant *tenant)
{
	mutex_lock(&tenant->lock);
	hyv_gidmap_clear(&tenant->map);
	mutex_unlock(&tenant->lock);
}

/**
 * hyv_tenant_find() - who has a GID?
 * @tenant: the tenant
 * @gid: the GID
 * @owner: where to write the answer
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_find().
 */
int hyv_tenant_find(struct hyv_tenant *tenant, const union ib_gid *gid,
		    struct hyv_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_find(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}

/**
 * hyv_tenant_has_via() - does any static entry name this GID of a host?
 * @tenant: the tenant
 * @via: the GID
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_has_via().
 */
bool hyv_tenant_has_via(struct hyv_tenant *tenant, const union ib_gid *via)
{
	bool has;

	mutex_lock(&tenant->lock);
	has = hyv_gidmap_has_via(&tenant->map, via);
	mutex_unlock(&tenant->lock);
	return has;
}

/**
 * hyv_tenant_next() - walk the map
 * @tenant: the tenant
 * @gid: in: where the walk has got to, zero at first; out: the next one
 * @owner: where to write its owner
 *
 * Entries that are there during the whole walk are met once.
 *
 * Context: process, may sleep.
 * Return: as hyv_gidmap_next().
 */
int hyv_tenant_next(struct hyv_tenant *tenant, union ib_gid *gid,
		    struct hyv_gid_owner *owner)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyv_gidmap_next(&tenant->map, gid, owner);
	mutex_unlock(&tenant->lock);
	return ret;
}
