// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of GIDs, by index and by value. Each datagram looks up two GIDs.
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
	u32 net;
	u32 owner;
	struct hlist_node node;		/* in the hash */
	struct rcu_head rcu;
};

void hyvs_gid_hash_init(struct hyvs_gid_hash *hash, u32 seed)
{
	memset(hash, 0, sizeof(*hash));
	spin_lock_init(&hash->lock);
	hash->seed = seed;
}

void hyvs_gids_init(struct hyvs_gids *gids, struct hyvs_gid_hash *hash, u32 net,
		    u32 owner)
{
	memset(gids, 0, sizeof(*gids));
	gids->hash = hash;
	gids->net = net;
	gids->owner = owner;
}

/* The seed is random, as networks and guests may choose addresses. */
static struct hlist_head *hyvs_gids_list(const struct hyvs_gids *gids,
					 const void *gid)
{
	struct hyvs_gid_hash *hash = gids->hash;
	u32 value = jhash(gid, sizeof(union ib_gid), hash->seed + gids->net);

	return &hash->list[value >> (32 - HYVS_GID_BITS)];
}

static struct hyvs_gid *hyvs_gid_new(const struct hyvs_gids *gids,
				     const union ib_gid *gid)
{
	struct hyvs_gid *new = kmalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);

	if (!new)
		return NULL;
	new->gid = *gid;
	new->net = gids->net;
	new->owner = gids->owner;
	return new;
}

int hyvs_gids_set(struct hyvs_gids *gids, unsigned int index,
		  const union ib_gid *gid)
{
	struct hyvs_gid *new = NULL, *old;
	spinlock_t *lock = &gids->hash->lock;

	if (index >= HYVS_MAX_GIDS)
		return -EINVAL;
	if (gid) {
		new = hyvs_gid_new(gids, gid);
		if (!new)
			return -ENOMEM;
	}
	spin_lock(lock);
	old = rcu_replace_pointer(gids->entry[index], new,
				  lockdep_is_held(lock));
	if (new)
		hlist_add_head_rcu(&new->node, hyvs_gids_list(gids, gid));
	if (old)
		hlist_del_rcu(&old->node);
	spin_unlock(lock);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

void hyvs_gids_clear(struct hyvs_gids *gids)
{
	unsigned int i;

	for (i = 0; i < HYVS_MAX_GIDS; i++)
		hyvs_gids_set(gids, i, NULL);
}

bool hyvs_gids_get(const struct hyvs_gids *gids, unsigned int index,
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

bool hyvs_gids_find(const struct hyvs_gids *gids, const void *gid, u32 *owner)
{
	struct hyvs_gid *entry;
	bool found = false;

	rcu_read_lock();
	hlist_for_each_entry_rcu(entry, hyvs_gids_list(gids, gid), node) {
		if (entry->net != gids->net ||
		    memcmp(&entry->gid, gid, sizeof(entry->gid)))
			continue;
		if (owner)
			*owner = entry->owner;
		found = true;
		break;
	}
	rcu_read_unlock();
	return found;
}
