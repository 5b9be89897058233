// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The map of who has which GID: snapshots and changes. */
#include <errno.h>
#include <stdlib.h>

#include <linux/hyv_netlink.h>

#include "private.h"

static int hyv_entry_parse(const struct nlmsghdr *nlh, void **out)
{
	return hyv_parse_entry(nlh, (struct hyv_map_entry **)out);
}

static const struct hyv_kind hyv_entry_kind = {
	.parse = hyv_entry_parse,
	.free = free,
};

/* A change is answered by its end only. */
static int hyv_take_nothing(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return -EBADMSG;
}

int hyv_map_list(struct hyv_context *ctx, struct hyv_map_entry ***entries)
{
	const struct hyv_query query = {
		.cmd = HYV_NL_CMD_MAP_GET,
		.dump = 1,
	};

	return hyv_snapshot_list(ctx, &query, &hyv_entry_kind,
				 (void ***)entries);
}

void hyv_map_list_free(struct hyv_map_entry **entries)
{
	hyv_snapshot_list_free(&hyv_entry_kind, (void **)entries);
}

int hyv_map_get(struct hyv_context *ctx, const struct in6_addr *gid,
		struct hyv_map_entry **out)
{
	const struct hyv_query query = {
		.cmd = HYV_NL_CMD_MAP_GET,
		.gid = gid,
	};

	return hyv_snapshot_get(ctx, &query, &hyv_entry_kind, (void **)out);
}

void hyv_map_entry_free(struct hyv_map_entry *entry)
{
	free(entry);
}

const struct in6_addr *hyv_map_entry_gid(const struct hyv_map_entry *entry)
{
	return &entry->gid;
}

const struct in6_addr *hyv_map_entry_via(const struct hyv_map_entry *entry)
{
	return entry->is_static ? &entry->via : NULL;
}

uint32_t hyv_map_entry_vnic(const struct hyv_map_entry *entry)
{
	return entry->vnic;
}

const char *hyv_map_entry_hca(const struct hyv_map_entry *entry)
{
	return entry->hca;
}

static int hyv_change_map(struct hyv_context *ctx, int cmd,
			  const struct hyv_change *change, size_t *bad)
{
	const struct hyv_query query = {
		.cmd = cmd,
		.change = change,
	};
	uint32_t offset = 0;
	int ret = 0;

	/* hyv.ko takes a request for nothing for a mistake. */
	if (change->count)
		ret = hyv_ask(ctx, &query, hyv_take_nothing, NULL, &offset);
	if (bad)
		*bad = hyv_entry_at(change, offset);
	return ret;
}

int hyv_map_add(struct hyv_context *ctx, const struct in6_addr *gids,
		const struct in6_addr *vias, size_t count, size_t *bad)
{
	const struct hyv_change change = {
		.gids = gids,
		.vias = vias,
		.count = count,
	};

	return hyv_change_map(ctx, HYV_NL_CMD_MAP_ADD, &change, bad);
}

int hyv_map_replace(struct hyv_context *ctx, const struct in6_addr *gids,
		    const struct in6_addr *vias, size_t count, size_t *bad)
{
	const struct hyv_change change = {
		.gids = gids,
		.vias = vias,
		.count = count,
		.replace = 1,
	};

	return hyv_change_map(ctx, HYV_NL_CMD_MAP_ADD, &change, bad);
}

int hyv_map_del(struct hyv_context *ctx, const struct in6_addr *gids,
		size_t count, size_t *bad)
{
	const struct hyv_change change = {
		.gids = gids,
		.count = count,
	};

	return hyv_change_map(ctx, HYV_NL_CMD_MAP_DEL, &change, bad);
}
