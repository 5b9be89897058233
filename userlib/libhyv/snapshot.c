// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Snapshots of whatever kind: one, or a list of them. */
#include <errno.h>
#include <stdlib.h>

#include "private.h"

/*
 * An answer as it comes. @items is a growing array of @count pointers and NULL,
 * with room for @room.
 */
struct hyv_list {
	const struct hyv_kind *kind;
	void **items;
	size_t count;
	size_t room;
};

/* Make room for one more. */
static int hyv_list_grow(struct hyv_list *list)
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

static int hyv_list_add(const struct nlmsghdr *nlh, void *arg)
{
	struct hyv_list *list = arg;
	int ret;

	ret = hyv_list_grow(list);
	if (ret)
		return ret;
	ret = list->kind->parse(nlh, &list->items[list->count]);
	if (!ret)
		list->count++;
	return ret;
}

int hyv_snapshot_list(struct hyv_context *ctx, const struct hyv_query *query,
		      const struct hyv_kind *kind, void ***items)
{
	struct hyv_list list = {.kind = kind};
	int ret;

	ret = hyv_list_grow(&list);
	if (ret)
		return ret;
	ret = hyv_ask(ctx, query, hyv_list_add, &list, NULL);
	if (ret) {
		hyv_snapshot_list_free(kind, list.items);
		return ret;
	}
	*items = list.items;
	return list.count;
}

void hyv_snapshot_list_free(const struct hyv_kind *kind, void **items)
{
	void **item;

	for (item = items; item && *item; item++)
		kind->free(*item);
	free(items);
}

struct hyv_one {
	const struct hyv_kind *kind;
	void *item;
};

static int hyv_one_take(const struct nlmsghdr *nlh, void *arg)
{
	struct hyv_one *one = arg;

	return one->item ? -EBADMSG : one->kind->parse(nlh, &one->item);
}

int hyv_snapshot_get(struct hyv_context *ctx, const struct hyv_query *query,
		     const struct hyv_kind *kind, void **item)
{
	struct hyv_one one = {.kind = kind};
	int ret;

	ret = hyv_ask(ctx, query, hyv_one_take, &one, NULL);
	if (!ret && !one.item)
		ret = -EBADMSG;
	if (ret) {
		if (one.item)
			kind->free(one.item);
		return ret;
	}
	*item = one.item;
	return 0;
}
