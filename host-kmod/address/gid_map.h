/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has which GID: the map of one tenant.
 */
#ifndef HYVH_GID_MAP_H
#define HYVH_GID_MAP_H

#include <linux/rbtree.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Owner of entries that an administrator has made; no vNIC has this ID. */
#define HYVH_GID_STATIC	0

/**
 * struct hyvh_gid_owner - who has a GID, and how it is reached
 * @vnic_id: vNIC of this host, or HYVH_GID_STATIC
 * @hca_index: the vNIC's HCA, see hyvh_hca_gid(); unused if static
 * @port: the port of it; unused if static
 * @via: GID of the host which has it; unused if not static
 */
struct hyvh_gid_owner {
	u32 vnic_id;
	u32 hca_index;
	u32 port;
	union ib_gid via;
};

struct hyvh_gid_entry;

/**
 * struct hyvh_gid_map - GIDs and their owners, in the order of the GIDs' bytes
 * @root: entries; the caller serialises all access
 * @vias: the static ones of them, in the order of the GIDs that they are reached by
 * @count: how many
 * @nr_static: how many of them are static
 * @max_static: how many may be
 */
struct hyvh_gid_map {
	struct rb_root root;
	struct rb_root vias;
	unsigned int count;
	unsigned int nr_static;
	unsigned int max_static;
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
int hyvh_gid_map_subtract(struct hyvh_gid_map *map, const struct hyvh_gid_map *batch,
			 union ib_gid *bad);
int hyvh_gid_map_find(const struct hyvh_gid_map *map, const union ib_gid *gid,
		     struct hyvh_gid_owner *owner);
bool hyvh_gid_map_has_via(const struct hyvh_gid_map *map, const union ib_gid *via);
int hyvh_gid_map_next(const struct hyvh_gid_map *map, union ib_gid *gid,
		     struct hyvh_gid_owner *owner);

/* What a GID is good for as an address of a host or of a guest. */
enum hyvh_gid_kind {
	HYVH_GID_UNUSABLE,
	HYVH_GID_MULTICAST4,
	HYVH_GID_MULTICAST6,
	/* Of one machine, those that reach further last. */
	HYVH_GID_LINK_LOCAL,
	HYVH_GID_IPV6,
	HYVH_GID_IPV4,
};

enum hyvh_gid_kind hyvh_gid_kind(const union ib_gid *gid);
bool hyvh_gid_is_prefix(const union ib_gid *gid, unsigned int length);
bool hyvh_gid_in_prefix(const union ib_gid *gid, const u8 *prefix,
			unsigned int length);

#endif /* HYVH_GID_MAP_H */
