/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GID map: the owner of each GID of a tenant.
 */
#ifndef HYVH_GID_MAP_H
#define HYVH_GID_MAP_H

#include <linux/rbtree.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Owner of static entries; not the ID of a vNIC. */
#define HYVH_GID_STATIC	0

/**
 * struct hyvh_gid_owner - the owner of a GID
 * @vnic_id: ID of a vNIC of this host, or HYVH_GID_STATIC
 * @hca_index: HCA of the vNIC, see hyvh_hca_index()
 * @port: port of the HCA
 * @via: static entries only: GID of the HCA that leads to another host's guest
 */
struct hyvh_gid_owner {
	u32 vnic_id;
	u32 hca_index;
	u32 port;
	union ib_gid via;
};

struct hyvh_gid_entry;

/* GIDs and their owners, in the order of the GIDs' bytes. */
struct hyvh_gid_map {
	struct rb_root root;
	struct rb_root vias;		/* static entries by via GID */
	unsigned int count;
	unsigned int nr_static;
	unsigned int max_static;	/* limit of nr_static */
	/* A GID became free that a vNIC was refused; cleared by the caller. */
	bool released;
};

void hyvh_gid_map_init(struct hyvh_gid_map *map, unsigned int max_static);
void hyvh_gid_map_clear(struct hyvh_gid_map *map);
struct hyvh_gid_entry *hyvh_gid_entry_new(const union ib_gid *gid,
					  const struct hyvh_gid_owner *owner);
int hyvh_gid_map_insert(struct hyvh_gid_map *map, struct hyvh_gid_entry **new);
int hyvh_gid_map_add(struct hyvh_gid_map *map, const union ib_gid *gid,
		     const struct hyvh_gid_owner *owner);
int hyvh_gid_map_del(struct hyvh_gid_map *map, const union ib_gid *gid,
		     u32 vnic_id);
int hyvh_gid_map_merge(struct hyvh_gid_map *map, struct hyvh_gid_map *batch,
		       bool replace, union ib_gid *bad);
int hyvh_gid_map_subtract(struct hyvh_gid_map *map,
			  const struct hyvh_gid_map *batch, union ib_gid *bad);
int hyvh_gid_map_find(const struct hyvh_gid_map *map, const union ib_gid *gid,
		      struct hyvh_gid_owner *owner);
bool hyvh_gid_map_has_via(const struct hyvh_gid_map *map,
			  const union ib_gid *via);
int hyvh_gid_map_next(const struct hyvh_gid_map *map, union ib_gid *gid,
		      struct hyvh_gid_owner *owner);

bool hyvh_gid_is_prefix(const union ib_gid *gid, unsigned int length);
bool hyvh_gid_in_prefix(const union ib_gid *gid, const u8 *prefix,
			unsigned int length);

#endif /* HYVH_GID_MAP_H */
