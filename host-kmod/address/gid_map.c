// SPDX-License-Identifier: GPL-2.0-only
/*
 * GID map: the owner of each GID. A static entry, made by an administrator,
 * belongs to another host.
 *
 * The caller serialises all calls for a map. Functions that walk a whole map or
 * allocate may sleep.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "address/gid_map.h"

/* A GID and its owner. */
struct hyvh_gid_entry {
	struct rb_node node;		/* in hyvh_gid_map.root */
	struct rb_node via_node;	/* in hyvh_gid_map.vias if static */
	union ib_gid gid;
	struct hyvh_gid_owner owner;
	unsigned int uses;		/* how often the owner has added it */
	bool refused;			/* to another vNIC */
};

static struct hyvh_gid_entry *hyvh_gid_entry(struct rb_node *node)
{
	return rb_entry_safe(node, struct hyvh_gid_entry, node);
}

static int hyvh_gid_cmp(const void *key, const struct rb_node *node)
{
	const struct hyvh_gid_entry *entry;

	entry = rb_entry(node, struct hyvh_gid_entry, node);
	return memcmp(key, entry->gid.raw, sizeof(entry->gid.raw));
}

static int hyvh_gid_entry_cmp(struct rb_node *new, const struct rb_node *node)
{
	return hyvh_gid_cmp(hyvh_gid_entry(new)->gid.raw, node);
}

static int hyvh_via_cmp(const void *key, const struct rb_node *node)
{
	const struct hyvh_gid_entry *entry;

	entry = rb_entry(node, struct hyvh_gid_entry, via_node);
	return memcmp(key, entry->owner.via.raw, sizeof(entry->owner.via.raw));
}

static bool hyvh_via_less(struct rb_node *new, const struct rb_node *node)
{
	const struct hyvh_gid_entry *entry;

	entry = rb_entry(new, struct hyvh_gid_entry, via_node);
	return hyvh_via_cmp(entry->owner.via.raw, node) < 0;
}

static struct hyvh_gid_entry *hyvh_gid_lookup(const struct hyvh_gid_map *map,
					      const union ib_gid *gid)
{
	return hyvh_gid_entry(rb_find(gid->raw, &map->root, hyvh_gid_cmp));
}

static bool hyvh_gid_is_static(const struct hyvh_gid_entry *entry)
{
	return entry->owner.vnic_id == HYVH_GID_STATIC;
}

/* No entry of @map has the GID of @entry. */
static void hyvh_gid_insert(struct hyvh_gid_map *map,
			    struct hyvh_gid_entry *entry)
{
	rb_find_add(&entry->node, &map->root, hyvh_gid_entry_cmp);
	map->count++;
	if (hyvh_gid_is_static(entry)) {
		rb_add(&entry->via_node, &map->vias, hyvh_via_less);
		map->nr_static++;
	}
}

static void hyvh_gid_erase(struct hyvh_gid_map *map,
			   struct hyvh_gid_entry *entry)
{
	if (hyvh_gid_is_static(entry)) {
		map->nr_static--;
		rb_erase(&entry->via_node, &map->vias);
	}
	map->count--;
	rb_erase(&entry->node, &map->root);
}

void hyvh_gid_map_init(struct hyvh_gid_map *map, unsigned int max_static)
{
	map->root = RB_ROOT;
	map->vias = RB_ROOT;
	map->count = 0;
	map->nr_static = 0;
	map->max_static = max_static;
	map->released = false;
}

void hyvh_gid_map_clear(struct hyvh_gid_map *map)
{
	struct hyvh_gid_entry *entry, *next;

	rbtree_postorder_for_each_entry_safe(entry, next, &map->root, node) {
		kfree(entry);
		cond_resched();
	}
	hyvh_gid_map_init(map, map->max_static);
}

/* Returns an entry, freed by kfree() unless it is in a map; or NULL. */
struct hyvh_gid_entry *hyvh_gid_entry_new(const union ib_gid *gid,
					  const struct hyvh_gid_owner *owner)
{
	struct hyvh_gid_entry *entry;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return NULL;
	entry->gid = *gid;
	entry->owner = *owner;
	entry->uses = 1;
	return entry;
}

/**
 * hyvh_gid_map_insert() - record the owner of a GID
 * @map: the map
 * @new: from hyvh_gid_entry_new(); set to NULL if the map has taken it
 *
 * A vNIC may add a GID to the same port several times. It owns the GID until it
 * has deleted it as many times. Does not sleep.
 *
 * Return: 0, %-EEXIST if the GID has another owner or a static entry, or
 * %-ENOSPC if there are too many static entries.
 */
int hyvh_gid_map_insert(struct hyvh_gid_map *map, struct hyvh_gid_entry **new)
{
	const struct hyvh_gid_owner *owner = &(*new)->owner;
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, &(*new)->gid);

	if (entry) {
		if (owner->vnic_id == HYVH_GID_STATIC)
			return -EEXIST;
		if (owner->vnic_id != entry->owner.vnic_id ||
		    owner->port != entry->owner.port) {
			entry->refused = true;
			return -EEXIST;
		}
		entry->uses++;
		return 0;
	}
	if (hyvh_gid_is_static(*new) && map->nr_static >= map->max_static)
		return -ENOSPC;
	hyvh_gid_insert(map, *new);
	*new = NULL;
	return 0;
}

/* Allocate an entry and insert it. Fails as hyvh_gid_map_insert() does. */
int hyvh_gid_map_add(struct hyvh_gid_map *map, const union ib_gid *gid,
		     const struct hyvh_gid_owner *owner)
{
	struct hyvh_gid_entry *entry = hyvh_gid_entry_new(gid, owner);
	int ret;

	if (!entry)
		return -ENOMEM;
	ret = hyvh_gid_map_insert(map, &entry);
	kfree(entry);
	return ret;
}

/* Undo one hyvh_gid_map_add(). Returns 0, or -ENOENT for another owner. */
int hyvh_gid_map_del(struct hyvh_gid_map *map, const union ib_gid *gid,
		     u32 vnic_id)
{
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, gid);

	if (!entry || entry->owner.vnic_id != vnic_id)
		return -ENOENT;
	if (--entry->uses)
		return 0;
	hyvh_gid_erase(map, entry);
	map->released |= entry->refused;
	kfree(entry);
	return 0;
}

static int hyvh_gid_map_check_merge(const struct hyvh_gid_map *map,
				    const struct hyvh_gid_map *batch,
				    bool replace, union ib_gid *bad)
{
	const struct hyvh_gid_entry *entry, *old;
	unsigned int added = 0;
	struct rb_node *node;

	for (node = rb_first(&batch->root); node; node = rb_next(node)) {
		entry = hyvh_gid_entry(node);
		old = hyvh_gid_lookup(map, &entry->gid);
		if (old && !(replace && hyvh_gid_is_static(old))) {
			*bad = entry->gid;
			return -EEXIST;
		}
		added += !old;
		cond_resched();
	}
	return added > map->max_static - map->nr_static ? -ENOSPC : 0;
}

/**
 * hyvh_gid_map_merge() - add many static entries, all or none
 * @map: the map
 * @batch: a map of static entries; the caller clears what is left in it
 * @replace: change the via GID of static entries that exist
 * @bad: set to the GID that exists if the result is %-EEXIST
 *
 * Moves entries from @batch to @map, so that it cannot fail half way for lack
 * of memory.
 *
 * Context: Process context. May sleep.
 * Return: 0, %-EEXIST if a GID is in the map and may not be replaced, or
 * %-ENOSPC if there are too many static entries.
 */
int hyvh_gid_map_merge(struct hyvh_gid_map *map, struct hyvh_gid_map *batch,
		       bool replace, union ib_gid *bad)
{
	struct hyvh_gid_entry *entry, *old;
	struct rb_node *node, *next;
	int ret;

	ret = hyvh_gid_map_check_merge(map, batch, replace, bad);
	if (ret)
		return ret;
	for (node = rb_first(&batch->root); node; node = next) {
		next = rb_next(node);
		entry = hyvh_gid_entry(node);
		old = hyvh_gid_lookup(map, &entry->gid);
		if (old) {
			hyvh_gid_erase(map, old);
			old->owner = entry->owner;
			hyvh_gid_insert(map, old);
		} else {
			hyvh_gid_erase(batch, entry);
			hyvh_gid_insert(map, entry);
		}
		cond_resched();
	}
	return 0;
}

/**
 * hyvh_gid_map_subtract() - delete many static entries, all or none
 * @map: the map
 * @batch: a map with the GIDs of the entries; their owners are ignored
 * @bad: set to the GID without a static entry if the result is %-ENOENT
 *
 * Context: Process context. May sleep.
 * Return: 0, or %-ENOENT if a GID has no static entry.
 */
int hyvh_gid_map_subtract(struct hyvh_gid_map *map,
			  const struct hyvh_gid_map *batch, union ib_gid *bad)
{
	struct hyvh_gid_entry *entry, *old;
	struct rb_node *node;

	for (node = rb_first(&batch->root); node; node = rb_next(node)) {
		entry = hyvh_gid_entry(node);
		old = hyvh_gid_lookup(map, &entry->gid);
		if (!old || !hyvh_gid_is_static(old)) {
			*bad = entry->gid;
			return -ENOENT;
		}
		cond_resched();
	}
	for (node = rb_first(&batch->root); node; node = rb_next(node)) {
		hyvh_gid_map_del(map, &hyvh_gid_entry(node)->gid,
				 HYVH_GID_STATIC);
		cond_resched();
	}
	return 0;
}

/* Look up the owner of a GID. Returns 0 or -ENOENT. */
int hyvh_gid_map_find(const struct hyvh_gid_map *map, const union ib_gid *gid,
		      struct hyvh_gid_owner *owner)
{
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, gid);

	if (!entry)
		return -ENOENT;
	*owner = entry->owner;
	return 0;
}

/* Check for a static entry with this via GID. */
bool hyvh_gid_map_has_via(const struct hyvh_gid_map *map,
			  const union ib_gid *via)
{
	return rb_find(via->raw, &map->vias, hyvh_via_cmp);
}

/*
 * Find the GID after @gid, which is zero at first. Returns -ENOENT at the end.
 * The map may change between two steps of a walk.
 */
int hyvh_gid_map_next(const struct hyvh_gid_map *map, union ib_gid *gid,
		      struct hyvh_gid_owner *owner)
{
	struct rb_node *node = map->root.rb_node;
	struct hyvh_gid_entry *entry, *best = NULL;

	while (node) {
		entry = hyvh_gid_entry(node);
		if (memcmp(entry->gid.raw, gid->raw, sizeof(gid->raw)) > 0) {
			best = entry;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (!best)
		return -ENOENT;
	*gid = best->gid;
	*owner = best->owner;
	return 0;
}

/* Check that a GID begins with @length bits, 0..128, of @prefix. */
bool hyvh_gid_in_prefix(const union ib_gid *gid, const u8 *prefix,
			unsigned int length)
{
	unsigned int bytes = length / 8, bits = length % 8;

	if (memcmp(gid->raw, prefix, bytes))
		return false;
	return !bits || !((gid->raw[bytes] ^ prefix[bytes]) >> (8 - bits));
}

/* Check that all bits of a GID after the first @length, 0..128, are 0. */
bool hyvh_gid_is_prefix(const union ib_gid *gid, unsigned int length)
{
	union ib_gid zero = {};
	unsigned int bytes = length / 8, bits = length % 8;

	if (bits && (u8)(gid->raw[bytes] << bits))
		return false;
	bytes += !!bits;
	return !memcmp(gid->raw + bytes, zero.raw, sizeof(zero.raw) - bytes);
}
