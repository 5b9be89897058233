// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has which GID.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "address/gid_map.h"

/**
 * struct hyvh_gid_entry - a GID and its owner
 * @node: in hyvh_gid_map.root
 * @via_node: in hyvh_gid_map.vias, if it is static
 * @gid: the key
 * @owner: who has it
 * @uses: how many times its owner has added it
 */
struct hyvh_gid_entry {
	struct rb_node node;
	struct rb_node via_node;
	union ib_gid gid;
	struct hyvh_gid_owner owner;
	unsigned int uses;
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

/* Neither allocates nor frees; no entry of @map has this GID. */
static void hyvh_gid_insert(struct hyvh_gid_map *map, struct hyvh_gid_entry *entry)
{
	rb_find_add(&entry->node, &map->root, hyvh_gid_entry_cmp);
	map->count++;
	if (hyvh_gid_is_static(entry)) {
		rb_add(&entry->via_node, &map->vias, hyvh_via_less);
		map->nr_static++;
	}
}

static void hyvh_gid_erase(struct hyvh_gid_map *map, struct hyvh_gid_entry *entry)
{
	if (hyvh_gid_is_static(entry)) {
		map->nr_static--;
		rb_erase(&entry->via_node, &map->vias);
	}
	map->count--;
	rb_erase(&entry->node, &map->root);
}

/**
 * hyvh_gid_map_init() - start with an empty map
 * @map: the map
 * @max_static: how many static entries it may have
 */
void hyvh_gid_map_init(struct hyvh_gid_map *map, unsigned int max_static)
{
	map->root = RB_ROOT;
	map->vias = RB_ROOT;
	map->count = 0;
	map->nr_static = 0;
	map->max_static = max_static;
}

/**
 * hyvh_gid_map_clear() - forget all entries
 * @map: the map
 *
 * Context: process, may sleep.
 */
void hyvh_gid_map_clear(struct hyvh_gid_map *map)
{
	struct hyvh_gid_entry *entry, *next;

	rbtree_postorder_for_each_entry_safe(entry, next, &map->root, node) {
		kfree(entry);
		cond_resched();
	}
	hyvh_gid_map_init(map, map->max_static);
}

/**
 * hyvh_gid_entry_new() - allocate an entry for hyvh_gid_map_insert()
 * @gid: the GID
 * @owner: who has it
 *
 * Context: process, may sleep.
 * Return: the entry, to be freed by kfree() unless it is in a map; or NULL.
 */
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
 * hyvh_gid_map_insert() - somebody has a GID
 * @map: the map
 * @new: from hyvh_gid_entry_new(); NULL afterwards if the map has taken it
 *
 * A vNIC may add what it has already on the same port, and then has it until it
 * has deleted it as often. A static entry is there once. Nothing is allocated, so
 * that locks which others wait for can be held.
 *
 * Return: 0, -EEXIST if the GID is somebody else's or a static entry, -ENOSPC if
 * there are too many static ones.
 */
int hyvh_gid_map_insert(struct hyvh_gid_map *map, struct hyvh_gid_entry **new)
{
	const struct hyvh_gid_owner *owner = &(*new)->owner;
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, &(*new)->gid);

	if (entry) {
		if (owner->vnic_id == HYVH_GID_STATIC ||
		    owner->vnic_id != entry->owner.vnic_id ||
		    owner->port != entry->owner.port)
			return -EEXIST;
		entry->uses++;
		return 0;
	}
	if (hyvh_gid_is_static(*new) && map->nr_static >= map->max_static)
		return -ENOSPC;
	hyvh_gid_insert(map, *new);
	*new = NULL;
	return 0;
}

/**
 * hyvh_gid_map_add() - allocate an entry and insert it
 * @map: the map
 * @gid: the GID
 * @owner: who has it
 *
 * Context: process, may sleep.
 * Return: as hyvh_gid_map_insert(); -ENOMEM.
 */
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

/**
 * hyvh_gid_map_del() - undo one hyvh_gid_map_add()
 * @map: the map
 * @gid: the GID
 * @vnic_id: of its owner
 *
 * Return: 0, -ENOENT if the owner does not have it.
 */
int hyvh_gid_map_del(struct hyvh_gid_map *map, const union ib_gid *gid,
		    u32 vnic_id)
{
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, gid);

	if (!entry || entry->owner.vnic_id != vnic_id)
		return -ENOENT;
	if (--entry->uses)
		return 0;
	hyvh_gid_erase(map, entry);
	kfree(entry);
	return 0;
}

/* Could all of @batch be merged into @map? */
static int hyvh_gid_map_check_merge(const struct hyvh_gid_map *map,
				   const struct hyvh_gid_map *batch, bool replace,
				   union ib_gid *bad)
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
 * @batch: a map of static entries
 * @replace: static entries that are there already get their new host
 * @bad: where to write the GID that is there already, with -EEXIST
 *
 * Entries move from @batch to @map. What is left in @batch, all of it after a
 * failure, is for the caller to clear. Nothing is allocated here, which is why
 * it cannot fail half way.
 *
 * Context: process, may sleep.
 * Return: 0, -EEXIST if a GID is a vNIC's, or in the map and not to be replaced,
 * -ENOSPC if there would be too many.
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
 * @batch: a map of static entries, of which only the GIDs matter
 * @bad: where to write the GID that has no static entry, with -ENOENT
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT if a GID is not in the map or a vNIC's.
 */
int hyvh_gid_map_subtract(struct hyvh_gid_map *map, const struct hyvh_gid_map *batch,
			 union ib_gid *bad)
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
		hyvh_gid_map_del(map, &hyvh_gid_entry(node)->gid, HYVH_GID_STATIC);
		cond_resched();
	}
	return 0;
}

/**
 * hyvh_gid_map_find() - who has a GID?
 * @map: the map
 * @gid: the GID
 * @owner: where to write the answer
 *
 * Return: 0, -ENOENT if nobody has it.
 */
int hyvh_gid_map_find(const struct hyvh_gid_map *map, const union ib_gid *gid,
		     struct hyvh_gid_owner *owner)
{
	struct hyvh_gid_entry *entry = hyvh_gid_lookup(map, gid);

	if (!entry)
		return -ENOENT;
	*owner = entry->owner;
	return 0;
}

/**
 * hyvh_gid_map_has_via() - is any GID reached by this one?
 * @map: the map
 * @via: GID of a host
 *
 * Return: true if a static entry names it.
 */
bool hyvh_gid_map_has_via(const struct hyvh_gid_map *map, const union ib_gid *via)
{
	return rb_find(via->raw, &map->vias, hyvh_via_cmp);
}

/**
 * hyvh_gid_map_next() - walk the map
 * @map: the map
 * @gid: in: where the walk has got to, zero at first; out: the next one
 * @owner: where to write its owner
 *
 * Entries may come and go between two steps.
 *
 * Return: 0, -ENOENT at the end.
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

/**
 * hyvh_gid_kind() - what is this GID good for?
 * @gid: any 16 bytes
 *
 * Return: one of &enum hyvh_gid_kind.
 */
enum hyvh_gid_kind hyvh_gid_kind(const union ib_gid *gid)
{
	static const u8 ipv4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const u8 loopback[16] = { [15] = 1 };
	const u8 *raw = gid->raw;
	__be32 ip4;

	if (!memcmp(raw, ipv4_mapped, sizeof(ipv4_mapped))) {
		memcpy(&ip4, raw + sizeof(ipv4_mapped), sizeof(ip4));
		if (ipv4_is_multicast(ip4))
			return HYVH_GID_MULTICAST4;
		return ipv4_is_zeronet(ip4) || ipv4_is_loopback(ip4) ||
		       ipv4_is_lbcast(ip4) ? HYVH_GID_UNUSABLE : HYVH_GID_IPV4;
	}
	if (raw[0] == 0xff)
		return HYVH_GID_MULTICAST6;
	if (!memchr_inv(raw, 0, sizeof(gid->raw)) ||
	    !memcmp(raw, loopback, sizeof(loopback)))
		return HYVH_GID_UNUSABLE;
	if (raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80)
		return HYVH_GID_LINK_LOCAL;
	return HYVH_GID_IPV6;
}

/**
 * hyvh_gid_in_prefix() - does a GID begin with these bits?
 * @gid: the GID
 * @prefix: 16 bytes
 * @length: how many of its bits count, 0..128
 *
 * Return: true if it does.
 */
bool hyvh_gid_in_prefix(const union ib_gid *gid, const u8 *prefix,
			unsigned int length)
{
	unsigned int bytes = length / 8, bits = length % 8;

	if (memcmp(gid->raw, prefix, bytes))
		return false;
	return !bits || !((gid->raw[bytes] ^ prefix[bytes]) >> (8 - bits));
}

/**
 * hyvh_gid_is_prefix() - are all bits 0 but the first ones?
 * @gid: the GID
 * @length: how many may be set, 0..128
 *
 * Return: true if they are.
 */
bool hyvh_gid_is_prefix(const union ib_gid *gid, unsigned int length)
{
	union ib_gid zero = {};
	unsigned int bytes = length / 8, bits = length % 8;

	if (bits && (u8)(gid->raw[bytes] << bits))
		return false;
	bytes += !!bits;
	return !memcmp(gid->raw + bytes, zero.raw, sizeof(zero.raw) - bytes);
}
