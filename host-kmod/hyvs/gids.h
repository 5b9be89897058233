/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HYVS_GIDS_H
#define HYVS_GIDS_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#define HYVS_MAX_GIDS	256	/* as many as a work request can name */
#define HYVS_GID_BITS	8

struct hyvs_gid;

/* The GIDs of a port. */
struct hyvs_gids {
	spinlock_t lock;		/* protects changes; readers have RCU */
	struct hyvs_gid __rcu *entry[HYVS_MAX_GIDS];
	struct hlist_head hash[1 << HYVS_GID_BITS];	/* the same, by GID */
	u32 seed;
};

void hyvs_gids_init(struct hyvs_gids *gids, u32 seed);
/*
 * Set an entry, or remove it if @gid is NULL. A GID may be in several entries. May
 * sleep. Return: 0, -EINVAL for an index that is too large, or -ENOMEM.
 */
int hyvs_gids_set(struct hyvs_gids *gids, unsigned int index,
		  const union ib_gid *gid);
/* Copy the entry @index; false if there is none. Any context. */
bool hyvs_gids_get(struct hyvs_gids *gids, unsigned int index,
		   union ib_gid *gid);
/* Is the GID, of 16 bytes, in an entry? Any context. */
bool hyvs_gids_have(struct hyvs_gids *gids, const void *gid);

#endif /* HYVS_GIDS_H */
