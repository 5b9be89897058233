// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants. The functions take the lock around the operation of the GID map
 * with the same name, and return what that returns.
 */
#include <linux/slab.h>

#include "address/tenant.h"
#include "notify/events.h"

/* A vNIC that waits for GIDs gets no more events than one in this time. */
#define HYVH_GID_NOTIFY_DELAY	msecs_to_jiffies(500)

static void hyvh_tenant_notify(struct work_struct *work);

struct hyvh_tenant hyvh_default_tenant = {
	.lock = __MUTEX_INITIALIZER(hyvh_default_tenant.lock),
	.map = { .root = RB_ROOT, .vias = RB_ROOT,
		 .max_static = HYVH_TENANT_MAX_STATIC },
	.waiters = LIST_HEAD_INIT(hyvh_default_tenant.waiters),
	.notify = __DELAYED_WORK_INITIALIZER(hyvh_default_tenant.notify,
					     hyvh_tenant_notify, 0),
};

/* A guest that was refused a GID may ask again. */
static void hyvh_tenant_notify(struct work_struct *work)
{
	struct hyvh_tenant *tenant = container_of(to_delayed_work(work),
						  struct hyvh_tenant, notify);
	struct hyvh_gid_waiter *waiter, *next;
	unsigned int port;

	mutex_lock(&tenant->lock);
	list_for_each_entry_safe(waiter, next, &tenant->waiters, link) {
		list_del_init(&waiter->link);
		for (port = 1; port <= waiter->events->nr_ports; port++)
			hyvh_events_raise_port(waiter->events, port,
					       IB_EVENT_GID_CHANGE);
	}
	mutex_unlock(&tenant->lock);
}

/* Unlock a tenant whose GID map may have lost entries. */
static void hyvh_tenant_unlock(struct hyvh_tenant *tenant)
{
	if (tenant->map.released) {
		tenant->map.released = false;
		/* Guests could cause any number of events. */
		queue_delayed_work(system_percpu_wq, &tenant->notify,
				   HYVH_GID_NOTIFY_DELAY);
	}
	mutex_unlock(&tenant->lock);
}

/*
 * Allocates before it takes the lock. If another owner has the GID, @waiter waits
 * until a GID that was refused becomes free, or hyvh_tenant_stop_waiting().
 */
int hyvh_tenant_add(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    const struct hyvh_gid_owner *owner,
		    struct hyvh_gid_waiter *waiter)
{
	struct hyvh_gid_entry *entry = hyvh_gid_entry_new(gid, owner);
	int ret;

	if (!entry)
		return -ENOMEM;
	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_insert(&tenant->map, &entry);
	if (ret == -EEXIST && list_empty(&waiter->link))
		list_add_tail(&waiter->link, &tenant->waiters);
	mutex_unlock(&tenant->lock);
	kfree(entry);
	return ret;
}

void hyvh_tenant_stop_waiting(struct hyvh_tenant *tenant,
			      struct hyvh_gid_waiter *waiter)
{
	mutex_lock(&tenant->lock);
	list_del_init(&waiter->link);
	mutex_unlock(&tenant->lock);
}

int hyvh_tenant_del(struct hyvh_tenant *tenant, const union ib_gid *gid,
		    u32 vnic_id)
{
	int ret;

	mutex_lock(&tenant->lock);
	ret = hyvh_gid_map_del(&tenant->map, gid, vnic_id);
	hyvh_tenant_unlock(tenant);
	return ret;
}

/* QPs and address handles that were translated keep their GIDs. */
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
	hyvh_tenant_unlock(tenant);
	return ret;
}

/* Free the GID map of a tenant without vNICs. */
void hyvh_tenant_clear(struct hyvh_tenant *tenant)
{
	mutex_lock(&tenant->lock);
	hyvh_gid_map_clear(&tenant->map);
	mutex_unlock(&tenant->lock);
	cancel_delayed_work_sync(&tenant->notify);
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
