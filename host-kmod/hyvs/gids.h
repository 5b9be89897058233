/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVS_GIDS_H
#define HYVS_GIDS_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#define HYVS_MAX_GIDS	256	/* as many as a work request can name */
#define HYVS_GID_BITS	12

struct hyvs_gid;

/* The GIDs of all tables of a device, by value. */
struct hyvs_gid_hash {
	spinlock_t lock;		/* protects changes; readers have RCU */
	struct hlist_head list[1 << HYVS_GID_BITS];
	u32 seed;
};

/* The GIDs that the host, or a guest, has at a port. */
struct hyvs_gids {
	struct hyvs_gid_hash *hash;
	u32 net;			/* in which a GID has one owner */
	u32 owner;
	/* Changes are protected by hash->lock; readers have RCU. */
	struct hyvs_gid __rcu *entry[HYVS_MAX_GIDS];
};

void hyvs_gid_hash_init(struct hyvs_gid_hash *hash, u32 seed);
void hyvs_gids_init(struct hyvs_gids *gids, struct hyvs_gid_hash *hash, u32 net,
		    u32 owner);
/*
 * Set an entry, or remove it if @gid is NULL. A GID may be in several entries. May
 * sleep. Return: 0, -EINVAL for an index that is too large, or -ENOMEM.
 */
int hyvs_gids_set(struct hyvs_gids *gids, unsigned int index,
		  const union ib_gid *gid);
void hyvs_gids_clear(struct hyvs_gids *gids);
/* Copy the entry @index; false if there is none. Any context. */
bool hyvs_gids_get(const struct hyvs_gids *gids, unsigned int index,
		   union ib_gid *gid);
/*
 * Is the GID, of 16 bytes, in a table of the same network? Sets *@owner, unless that is
 * NULL. Any context.
 */
bool hyvs_gids_find(const struct hyvs_gids *gids, const void *gid, u32 *owner);

#endif /* HYVS_GIDS_H */
