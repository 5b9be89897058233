// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of any kind: one, or a list of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hyv_netlink.h>

#include "private.h"

int libhyv_snapshot_parse(const struct libhyv_kind *kind,
			  const struct nlmsghdr *nlh, void **out)
{
	struct nlattr *tb[HYV_NL_A_MAX + 1];
	struct nlmsghdr *copy;
	void *item;
	int ret;

	ret = libhyv_check_message(nlh, kind->cmd);
	if (ret)
		return ret;
	item = calloc(1, kind->size + nlh->nlmsg_len);
	if (!item)
		return -ENOMEM;
	copy = (struct nlmsghdr *)((char *)item + kind->size);
	memcpy(copy, nlh, nlh->nlmsg_len);
	ret = libhyv_parse_message(copy, tb);
	if (!ret)
		ret = kind->fill(item, tb);
	if (ret) {
		libhyv_snapshot_free(kind, item);
		return ret;
	}
	*out = item;
	return 0;
}

void libhyv_snapshot_free(const struct libhyv_kind *kind, void *item)
{
	if (item && kind->release)
		kind->release(item);
	free(item);
}

/* @items holds @count pointers and NULL, and has room for @room. */
struct list {
	const struct libhyv_kind *kind;
	void **items;
	size_t count;
	size_t room;
};

/* Make room for one more item. */
static int list_grow(struct list *list)
{
	size_t room = list->room ? 2 * list->room : 16;
	void **items;

	if (list->count + 2 > list->room) {
		items = realloc(list->items, room * sizeof(*items));
		if (!items)
			return -ENOMEM;
		list->items = items;
		list->room = room;
	}
	list->items[list->count] = NULL;
	list->items[list->count + 1] = NULL;
	return 0;
}

static int list_add(const struct nlmsghdr *nlh, void *arg)
{
	struct list *list = arg;
	int ret;

	ret = list_grow(list);
	if (ret)
		return ret;
	ret = libhyv_snapshot_parse(list->kind, nlh, &list->items[list->count]);
	if (!ret)
		list->count++;
	return ret;
}

int libhyv_snapshot_list(struct hyv_context *ctx,
			 const struct libhyv_query *query,
			 const struct libhyv_kind *kind, void ***items)
{
	const struct libhyv_query all = {.cmd = kind->cmd, .dump = 1};
	struct list list = {.kind = kind};
	int ret;

	ret = list_grow(&list);
	if (ret)
		return ret;
	ret = libhyv_request(ctx, query ? query : &all, list_add, &list, NULL);
	if (ret) {
		libhyv_snapshot_list_free(kind, list.items);
		return ret;
	}
	*items = list.items;
	return list.count;
}

void libhyv_snapshot_list_free(const struct libhyv_kind *kind, void **items)
{
	void **item;

	for (item = items; item && *item; item++)
		libhyv_snapshot_free(kind, *item);
	free(items);
}

struct one {
	const struct libhyv_kind *kind;
	void *item;
};

static int one_take(const struct nlmsghdr *nlh, void *arg)
{
	struct one *one = arg;

	if (one->item)
		return -EBADMSG;
	return libhyv_snapshot_parse(one->kind, nlh, &one->item);
}

int libhyv_snapshot_get(struct hyv_context *ctx,
			const struct libhyv_query *query,
			const struct libhyv_kind *kind, void **item)
{
	struct one one = {.kind = kind};
	int ret;

	ret = libhyv_request(ctx, query, one_take, &one, NULL);
	if (!ret && !one.item)
		ret = -EBADMSG;
	if (ret) {
		libhyv_snapshot_free(kind, one.item);
		return ret;
	}
	*item = one.item;
	return 0;
}
