/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Inside libhyv. */
#ifndef LIBHYV_PRIVATE_H
#define LIBHYV_PRIVATE_H

#include <netinet/in.h>
#include <linux/netlink.h>

#include "libhyv.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define HYV_NR_COUNTERS (HYV_COUNTER_INTERRUPTS + 1)

/**
 * struct hyv_object_type - how many objects of one type a vNIC has
 * @name: points into the message of the snapshot
 * @count: live ones
 * @max: how many there may be
 */
struct hyv_object_type {
	const char *name;
	uint32_t count;
	uint32_t max;
};

/**
 * struct hyv_vnic - snapshot of a vNIC
 * @objects: @nr_objects entries, allocated
 * @msg: the message it was made from; strings point into it
 */
struct hyv_vnic {
	uint32_t id;
	uint32_t pid;
	uint32_t state;
	const char *name;
	const char *comm;
	const char *hca;
	uint64_t pinned;
	uint64_t pinned_max;
	uint64_t queue_bytes;
	uint64_t queue_bytes_max;
	uint64_t window_used;
	uint64_t window_size;
	uint64_t counters[HYV_NR_COUNTERS];
	size_t nr_objects;
	struct hyv_object_type *objects;
	struct nlmsghdr msg[];
};

/**
 * struct hyv_hca - snapshot of an HCA
 * @msg: the message it was made from; @name points into it
 */
struct hyv_hca {
	const char *name;
	uint32_t driver_id;
	uint32_t use;
	uint32_t nr_vnics;
	struct nlmsghdr msg[];
};

/**
 * struct hyv_map_entry - snapshot of an entry of the map
 * @via: only if @is_static
 * @vnic: 0 if @is_static
 * @hca: empty if there is none
 */
struct hyv_map_entry {
	struct in6_addr gid;
	struct in6_addr via;
	int is_static;
	uint32_t vnic;
	char hca[];
};

/*
 * message.c: messages to snapshots. @nlh is a whole generic netlink message
 * and is copied. 0, -EBADMSG or -ENOMEM.
 */
int hyv_parse_vnic(const struct nlmsghdr *nlh, struct hyv_vnic **vnic);
int hyv_parse_hca(const struct nlmsghdr *nlh, struct hyv_hca **hca);
int hyv_parse_entry(const struct nlmsghdr *nlh, struct hyv_map_entry **entry);

/**
 * struct hyv_blame - what the kernel has to say about an error
 * @text: its text, inside of the message, or NULL
 * @offset: of the attribute of the request which is to blame, or 0
 */
struct hyv_blame {
	const char *text;
	uint32_t offset;
};

/*
 * message.c: the negative errno in an NLMSG_ERROR or NLMSG_DONE message, or 0.
 */
int hyv_parse_error(const struct nlmsghdr *nlh, struct hyv_blame *blame);

/**
 * struct hyv_change - static entries to add or delete
 * @gids: @count GIDs
 * @vias: as many GIDs of hosts, NULL to delete
 * @replace: there may be other ones
 */
struct hyv_change {
	const struct in6_addr *gids;
	const struct in6_addr *vias;
	size_t count;
	int replace;
};

/**
 * struct hyv_query - one request
 * @cmd: enum hyv_nl_cmd
 * @dump: of all; otherwise of @id if it is about vNICs
 * @id: vNIC
 * @pid: filter of a dump, 0 for none
 * @hca: filter of a dump, NULL for none
 * @gid: entry of the map, NULL for none
 * @change: of the map, NULL for none
 */
struct hyv_query {
	int cmd;
	int dump;
	uint32_t id;
	uint32_t pid;
	const char *hca;
	const struct in6_addr *gid;
	const struct hyv_change *change;
};

struct nl_msg;

/*
 * message.c: a query to a message: the most bytes that its attributes take; to
 * put them, 0 or -ENOMEM if there is no room; which entry of a change an offset
 * in the message is of, or how many there are if it is of none.
 */
size_t hyv_query_size(const struct hyv_query *query);
int hyv_put_query(struct nl_msg *msg, const struct hyv_query *query);
size_t hyv_entry_at(const struct hyv_change *change, uint32_t offset);

/*
 * context.c: send a request and give each message of the answer to @take,
 * which returns 0 or a negative errno. Returns the first error; @offset is set
 * to where in the request its reason is, or to 0, unless it is NULL.
 */
int hyv_ask(struct hyv_context *ctx, const struct hyv_query *query,
	    int (*take)(const struct nlmsghdr *nlh, void *arg), void *arg,
	    uint32_t *offset);

/**
 * struct hyv_kind - a kind of snapshots
 * @parse: a message to a new snapshot; 0, or a negative errno and @out stays
 * NULL
 * @free: of one
 */
struct hyv_kind {
	int (*parse)(const struct nlmsghdr *nlh, void **out);
	void (*free)(void *item);
};

/*
 * snapshot.c: ask for all that answer a query: how many, and a NULL-terminated
 * array of them; or for just one. A negative errno otherwise.
 */
int hyv_snapshot_list(struct hyv_context *ctx, const struct hyv_query *query,
		      const struct hyv_kind *kind, void ***items);
void hyv_snapshot_list_free(const struct hyv_kind *kind, void **items);
int hyv_snapshot_get(struct hyv_context *ctx, const struct hyv_query *query,
		     const struct hyv_kind *kind, void **item);

#endif /* LIBHYV_PRIVATE_H */
