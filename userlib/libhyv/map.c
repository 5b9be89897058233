// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The GID map: snapshots and changes. */
#include <errno.h>
#include <string.h>

#include <linux/hyv_netlink.h>
#include <netlink/attr.h>

#include "private.h"

/**
 * struct hyv_map_entry - snapshot of an entry of the GID map
 * @gid: the GID
 * @via: via GID of a static entry
 * @is_static: made by an administrator
 * @vnic: ID of the owner, 0 if @is_static
 * @hca: HCA of the owner, points into the message of the snapshot; may be empty
 */
struct hyv_map_entry {
	struct in6_addr gid;
	struct in6_addr via;
	int is_static;
	uint32_t vnic;
	const char *hca;
};

static int fill_entry(void *item, struct nlattr **message)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	struct hyv_map_entry *entry = item;
	int ret;

	if (!message[HYV_NL_A_MAP_ENTRY])
		return -EBADMSG;
	ret = libhyv_parse_nest(message[HYV_NL_A_MAP_ENTRY], tb);
	if (ret)
		return ret;
	if (!tb[HYV_NL_A_MAP_GID])
		return -EBADMSG;
	memcpy(&entry->gid, nla_data(tb[HYV_NL_A_MAP_GID]), LIBHYV_GID_LEN);
	if (tb[HYV_NL_A_MAP_VIA]) {
		memcpy(&entry->via, nla_data(tb[HYV_NL_A_MAP_VIA]),
		       LIBHYV_GID_LEN);
		entry->is_static = 1;
	}
	entry->vnic = libhyv_get_u32(tb[HYV_NL_A_VNIC_ID]);
	entry->hca = libhyv_get_string(tb[HYV_NL_A_HCA_NAME]);
	return 0;
}

const struct libhyv_kind libhyv_entry_kind = {
	.cmd = HYV_NL_CMD_MAP_GET,
	.size = sizeof(struct hyv_map_entry),
	.fill = fill_entry,
};

int hyv_map_list(struct hyv_context *ctx, struct hyv_map_entry ***entries)
{
	return libhyv_snapshot_list(ctx, NULL, &libhyv_entry_kind,
				    (void ***)entries);
}

void hyv_map_list_free(struct hyv_map_entry **entries)
{
	libhyv_snapshot_list_free(&libhyv_entry_kind, (void **)entries);
}

int hyv_map_get(struct hyv_context *ctx, const struct in6_addr *gid,
		struct hyv_map_entry **out)
{
	const struct libhyv_query query = {
		.cmd = HYV_NL_CMD_MAP_GET,
		.gid = gid,
	};

	return libhyv_snapshot_get(ctx, &query, &libhyv_entry_kind,
				   (void **)out);
}

void hyv_map_entry_free(struct hyv_map_entry *entry)
{
	libhyv_snapshot_free(&libhyv_entry_kind, entry);
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

/* Replies to changes hold no objects. */
static int refuse_message(const struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	(void)arg;
	return -EBADMSG;
}

static int change_map(struct hyv_context *ctx, int cmd,
		      const struct libhyv_change *change, size_t *bad)
{
	const struct libhyv_query query = {
		.cmd = cmd,
		.change = change,
	};
	uint32_t offset = 0;
	int ret = 0;

	/* hyv.ko rejects an empty change. */
	if (change->count)
		ret = libhyv_request(ctx, &query, refuse_message, NULL,
				     &offset);
	if (bad)
		*bad = libhyv_entry_at(change, offset);
	return ret;
}

int hyv_map_add(struct hyv_context *ctx, const struct in6_addr *gids,
		const struct in6_addr *vias, size_t count, size_t *bad)
{
	const struct libhyv_change change = {gids, vias, count, 0};

	return change_map(ctx, HYV_NL_CMD_MAP_ADD, &change, bad);
}

int hyv_map_replace(struct hyv_context *ctx, const struct in6_addr *gids,
		    const struct in6_addr *vias, size_t count, size_t *bad)
{
	const struct libhyv_change change = {gids, vias, count, 1};

	return change_map(ctx, HYV_NL_CMD_MAP_ADD, &change, bad);
}

int hyv_map_del(struct hyv_context *ctx, const struct in6_addr *gids,
		size_t count, size_t *bad)
{
	const struct libhyv_change change = {gids, NULL, count, 0};

	return change_map(ctx, HYV_NL_CMD_MAP_DEL, &change, bad);
}
