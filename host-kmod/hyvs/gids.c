// SPDX-License-Identifier: GPL-2.0-only
/*
 * The GIDs of a port, by index and by value. Each datagram looks up two of them.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hyvs/gids.h"

/* Does not change until it is freed, a grace period after its end. */
struct hyvs_gid {
	union ib_gid gid;
	struct hlist_node node;		/* in hash */
	struct rcu_head rcu;
};

void hyvs_gids_init(struct hyvs_gids *gids, u32 seed)
{
	memset(gids, 0, sizeof(*gids));
	spin_lock_init(&gids->lock);
	gids->seed = seed;
}

/* The seed is random, as the network may choose addresses of its hosts. */
static struct hlist_head *hyvs_gids_list(struct hyvs_gids *gids,
					 const void *gid)
{
	u32 hash = jhash(gid, sizeof(union ib_gid), gids->seed);

	return &gids->hash[hash >> (32 - HYVS_GID_BITS)];
}

int hyvs_gids_set(struct hyvs_gids *gids, unsigned int index,
		  const union ib_gid *gid)
{
	struct hyvs_gid *new = NULL, *old;

	if (index >= HYVS_MAX_GIDS)
		return -EINVAL;
	if (gid) {
		new = kmalloc(sizeof(*new), GFP_KERNEL);
		if (!new)
			return -ENOMEM;
		new->gid = *gid;
	}
	spin_lock(&gids->lock);
	old = rcu_replace_pointer(gids->entry[index], new,
				  lockdep_is_held(&gids->lock));
	if (new)
		hlist_add_head_rcu(&new->node, hyvs_gids_list(gids, gid));
	if (old)
		hlist_del_rcu(&old->node);
	spin_unlock(&gids->lock);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

bool hyvs_gids_get(struct hyvs_gids *gids, unsigned int index,
		   union ib_gid *gid)
{
	struct hyvs_gid *entry = NULL;

	rcu_read_lock();
	if (index < HYVS_MAX_GIDS)
		entry = rcu_dereference(gids->entry[index]);
	if (entry)
		*gid = entry->gid;
	rcu_read_unlock();
	return entry;
}

bool hyvs_gids_have(struct hyvs_gids *gids, const void *gid)
{
	struct hyvs_gid *entry;
	bool found = false;

	rcu_read_lock();
	hlist_for_each_entry_rcu(entry, hyvs_gids_list(gids, gid), node) {
		if (!memcmp(&entry->gid, gid, sizeof(entry->gid))) {
			found = true;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}
