/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has which GID: the map of one tenant.
 */
#ifndef HYV_GIDMAP_H
#define HYV_GIDMAP_H

#include <linux/rbtree.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Owner of entries that an administrator has made; no vNIC has this ID. */
#define HYV_GID_STATIC	0

/**
 * struct hyv_gid_owner - who has a GID, and how it is reached
 * @vnic_id: vNIC of this host, or HYV_GID_STATIC
 * @hca_index: the vNIC's HCA, see hyv_hca_gid(); unused if static
 * @port: the port of it; unused if static
 * @via: GID of the host which has it; unused if not static
 */
struct hyv_gid_owner {
	u32 vnic_id;
	u32 hca_index;
	u32 port;
	union ib_gid via;
};

struct hyv_gid_entry;

/**
 * struct hyv_gidmap - GIDs and their owners, in the order of the GIDs' bytes
 * @root: entries; the caller serialises all access
 * @vias: the static ones of them, in the order of the GIDs that they are reached by
 * @count: how many
 * @nr_static: how many of them are static
 * @max_static: how many may be
 */
struct hyv_gidmap {
	struct rb_root root;
	struct rb_root vias;
	unsigned int count;
	unsigned int nr_static;
	unsigned int max_static;
};

void hyv_gidmap_init(struct hyv_gidmap *map, unsigned int max_static);
void hyv_gidmap_clear(struct hyv_gidmap *map);
struct hyv_gid_entry *hyv_gid_entry_new(const union ib_gid *gid,
					const struct hyv_gid_owner *owner);
int hyv_gidmap_insert(struct hyv_gidmap *map, struct hyv_gid_entry **new);
int hyv_gidmap_add(struct hyv_gidmap *map, const union ib_gid *gid,
		   const struct hyv_gid_owner *owner);
int hyv_gidmap_del(struct hyv_gidmap *map, const union ib_gid *gid,
		   u32 vnic_id);
int hyv_gidmap_merge(struct hyv_gidmap *map, struct hyv_gidmap *batch,
		     bool replace, union ib_gid *bad);
int hyv_gidmap_subtract(struct hyv_gidmap *map, const struct hyv_gidmap *batch,
			union ib_gid *bad);
int hyv_gidmap_find(const struct hyv_gidmap *map, const union ib_gid *gid,
		    struct hyv_gid_owner *owner);
bool hyv_gidmap_has_via(const struct hyv_gidmap *map, const union ib_gid *via);
int hyv_gidmap_next(const struct hyv_gidmap *map, union ib_gid *gid,
		    struct hyv_gid_owner *owner);

/* What a GID is good for as an address of a host or of a guest. */
enum hyv_gid_kind {
	HYV_GID_UNUSABLE,
	HYV_GID_MULTICAST4,
	HYV_GID_MULTICAST6,
	/* Of one machine, those that reach further last. */
	HYV_GID_LINK_LOCAL,
	HYV_GID_IPV6,
	HYV_GID_IPV4,
};

enum hyv_gid_kind hyv_gid_kind(const union ib_gid *gid);
bool hyv_gid_is_prefix(const union ib_gid *gid, unsigned int length);
bool hyv_gid_in_prefix(const union ib_gid *gid, const u8 *prefix,
		       unsigned int length);

#endif /* HYV_GIDMAP_H */
