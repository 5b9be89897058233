/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Internals of libhyv. A file calls only files above it in this list:
 *
 *   gid.c               GIDs as text
 *   message.c           netlink messages: attributes, requests, errors
 *   context.c           the connection: sends requests, receives replies
 *   snapshot.c          snapshots of the objects in a reply
 *   vnic.c hca.c map.c  the three kinds of snapshots
 *
 * Functions that return int return a negative errno on error.
 */
#ifndef LIBHYV_PRIVATE_H
#define LIBHYV_PRIVATE_H

#include <netinet/in.h>
#include <linux/netlink.h>

#include "libhyv.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define LIBHYV_NR_COUNTERS (HYV_COUNTER_INTERRUPTS + 1)
#define LIBHYV_NR_QUOTAS   (HYV_QUOTA_DOORBELL_PAGES + 1)
#define LIBHYV_GID_LEN	   (sizeof(struct in6_addr))

struct nlattr;
struct nl_msg;

/* --- message.c --- */

/**
 * struct libhyv_change - static entries to add or delete
 * @gids: @count GIDs
 * @vias: @count via GIDs, NULL to delete
 * @count: number of entries
 * @replace: overwrite static entries that exist
 */
struct libhyv_change {
	const struct in6_addr *gids;
	const struct in6_addr *vias;
	size_t count;
	int replace;
};

/**
 * struct libhyv_query - one request
 * @cmd: enum hyv_nl_cmd
 * @dump: request all objects
 * @id: vNIC to get, unless @dump is set
 * @pid: filter of a dump, 0 for none
 * @hca: filter of a dump, NULL for none
 * @gid: entry of the GID map to get, or NULL
 * @change: change of the GID map, or NULL
 */
struct libhyv_query {
	int cmd;
	int dump;
	uint32_t id;
	uint32_t pid;
	const char *hca;
	const struct in6_addr *gid;
	const struct libhyv_change *change;
};

/**
 * struct libhyv_error - details of an error that the kernel returned
 * @text: the kernel's text, inside of the message, or NULL
 * @offset: position of the invalid attribute in the request, or 0
 */
struct libhyv_error {
	const char *text;
	uint32_t offset;
};

/* Attributes and values of a newer kernel are ignored; others are validated. */
int libhyv_check_message(const struct nlmsghdr *nlh, int cmd);
int libhyv_parse_message(const struct nlmsghdr *nlh, struct nlattr **tb);
int libhyv_parse_nest(const struct nlattr *nest, struct nlattr **tb);

/* 0 or "" if @attr is NULL. */
uint32_t libhyv_get_u32(const struct nlattr *attr);
uint64_t libhyv_get_u64(const struct nlattr *attr);
const char *libhyv_get_string(const struct nlattr *attr);

/* The negative errno in an NLMSG_ERROR or NLMSG_DONE message, or 0. */
int libhyv_parse_error(const struct nlmsghdr *nlh, struct libhyv_error *error);

/* Upper bound of the bytes that the attributes of a request take. */
size_t libhyv_query_size(const struct libhyv_query *query);
int libhyv_put_query(struct nl_msg *msg, const struct libhyv_query *query);

/* Index of the entry at @offset in the request; @change->count if none is. */
size_t libhyv_entry_at(const struct libhyv_change *change, uint32_t offset);

/* --- context.c --- */

/*
 * Send a request, and pass each message of the reply to @take. Returns the
 * first error; @offset, unless NULL, gets the position of the attribute that
 * caused it in the request, or 0.
 */
int libhyv_request(struct hyv_context *ctx, const struct libhyv_query *query,
		   int (*take)(const struct nlmsghdr *nlh, void *arg),
		   void *arg, uint32_t *offset);

/* --- snapshot.c --- */

/**
 * struct libhyv_kind - a kind of snapshots
 * @cmd: command of its messages
 * @size: bytes of a snapshot; a copy of its message follows
 * @fill: set the members of a zeroed snapshot; @tb points into the copy
 * @release: free what @fill allocated, also after it failed; or NULL
 */
struct libhyv_kind {
	int cmd;
	size_t size;
	int (*fill)(void *item, struct nlattr **tb);
	void (*release)(void *item);
};

int libhyv_snapshot_parse(const struct libhyv_kind *kind,
			  const struct nlmsghdr *nlh, void **item);
void libhyv_snapshot_free(const struct libhyv_kind *kind, void *item);

/*
 * Returns the number of @items, which end with NULL. A @query of NULL is a dump
 * without filters.
 */
int libhyv_snapshot_list(struct hyv_context *ctx,
			 const struct libhyv_query *query,
			 const struct libhyv_kind *kind, void ***items);
void libhyv_snapshot_list_free(const struct libhyv_kind *kind, void **items);
int libhyv_snapshot_get(struct hyv_context *ctx,
			const struct libhyv_query *query,
			const struct libhyv_kind *kind, void **item);

/* --- vnic.c, hca.c, map.c --- */

extern const struct libhyv_kind libhyv_vnic_kind;
extern const struct libhyv_kind libhyv_hca_kind;
extern const struct libhyv_kind libhyv_entry_kind;

#endif /* LIBHYV_PRIVATE_H */
