// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that wait for a buffer of the guest.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "notify/event_backlog.h"

/**
 * hyvh_backlog_init() - start with nothing pending
 * @evq: the event queue
 */
void hyvh_backlog_init(struct hyvh_event_backlog *evq)
{
	spin_lock_init(&evq->lock);
	INIT_LIST_HEAD(&evq->pending);
	INIT_LIST_HEAD(&evq->spare);
	evq->newest = NULL;
}

/**
 * hyvh_backlog_add_spare() - give room for one more event to wait
 * @evq: the event queue, which nobody uses yet
 * @wait: zeroed; the queue's from now on
 */
void hyvh_backlog_add_spare(struct hyvh_event_backlog *evq, struct hyvh_pending_event *wait)
{
	list_add(&wait->link, &evq->spare);
}

/**
 * hyvh_backlog_empty() - is nothing pending?
 * @evq: the event queue
 *
 * Context: any.
 * Return: true if so.
 */
bool hyvh_backlog_empty(struct hyvh_event_backlog *evq)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&evq->lock, flags);
	empty = list_empty(&evq->pending);
	spin_unlock_irqrestore(&evq->lock, flags);
	return empty;
}

/**
 * hyvh_event_source_init() - set up a node before it is first raised
 * @node: the node, in no queue
 * @type: enum hyv_event_type
 * @code: as in struct hyv_event
 * @handle: as in struct hyv_event
 */
void hyvh_event_source_init(struct hyvh_event_source *node, u16 type, u16 code, u32 handle)
{
	node->own.node = node;
	node->own.count = 0;
	INIT_LIST_HEAD(&node->waits);
	node->dead = false;
	node->type = type;
	node->code = code;
	node->handle = handle;
}

/* An idle place for what has happened, or NULL. */
static struct hyvh_pending_event *hyvh_backlog_room(struct hyvh_event_backlog *evq,
					 struct hyvh_event_source *node)
{
	struct hyvh_pending_event *wait;

	if (!node->own.count)
		return &node->own;
	wait = list_first_entry_or_null(&evq->spare, struct hyvh_pending_event, link);
	if (wait) {
		list_del(&wait->link);
		wait->node = node;
	}
	return wait;
}

/* The place in which the next occurrence is counted; it may be a new one. */
static struct hyvh_pending_event *hyvh_backlog_place(struct hyvh_event_backlog *evq,
					  struct hyvh_event_source *node)
{
	struct hyvh_pending_event *last = NULL, *wait;

	if (!list_empty(&node->waits))
		last = list_last_entry(&node->waits, struct hyvh_pending_event, again);
	if (last && (node->type == HYV_EVENT_COMP || last == evq->newest))
		return last;

	wait = hyvh_backlog_room(evq, node);
	if (wait) {
		list_add_tail(&wait->link, &evq->pending);
		list_add_tail(&wait->again, &node->waits);
	} else {
		/* Its own place is taken, so there is a last one. */
		wait = last;
		list_move_tail(&wait->link, &evq->pending);
	}
	if (node->type != HYV_EVENT_COMP)
		evq->newest = wait;
	return wait;
}

static void hyvh_backlog_leave(struct hyvh_event_backlog *evq, struct hyvh_pending_event *wait)
{
	wait->count = 0;
	list_del(&wait->link);
	list_del(&wait->again);
	if (evq->newest == wait)
		evq->newest = NULL;
	if (wait != &wait->node->own)
		list_add(&wait->link, &evq->spare);
}

/**
 * hyvh_backlog_raise() - it happened once more
 * @evq: the event queue, always the same for a node
 * @node: what happened; alive until hyvh_backlog_forget(), after which this does
 *	nothing
 *
 * Context: any, also hard interrupts.
 * Return: true when nothing was pending before, so that the caller has to wake
 * whoever delivers events.
 */
bool hyvh_backlog_raise(struct hyvh_event_backlog *evq, struct hyvh_event_source *node)
{
	struct hyvh_pending_event *wait;
	unsigned long flags;
	bool first = false;

	spin_lock_irqsave(&evq->lock, flags);
	if (!node->dead) {
		first = list_empty(&evq->pending);
		wait = hyvh_backlog_place(evq, node);
		if (wait->count < U32_MAX)
			wait->count++;
	}
	spin_unlock_irqrestore(&evq->lock, flags);
	return first;
}

/**
 * hyvh_backlog_pop() - take the oldest pending event to tell the guest
 * @evq: the event queue
 * @ev: where to write it
 *
 * What was popped is told or lost; so make sure of a buffer first. To keep
 * hyvh_backlog_forget()'s promise to a guest, the caller excludes it from the time
 * between this call and the delivery. What has happened more than
 * HYVH_EVENT_MAX_COUNT times comes by several calls.
 *
 * Context: any.
 * Return: false, and nothing written, when nothing is pending.
 */
bool hyvh_backlog_pop(struct hyvh_event_backlog *evq, struct hyv_event *ev)
{
	struct hyvh_pending_event *wait;
	unsigned long flags;
	u32 count;

	spin_lock_irqsave(&evq->lock, flags);
	wait = list_first_entry_or_null(&evq->pending, struct hyvh_pending_event, link);
	if (wait) {
		count = min_t(u32, wait->count, HYVH_EVENT_MAX_COUNT);
		memset(ev, 0, sizeof(*ev));
		ev->type = cpu_to_le16(wait->node->type);
		ev->code = cpu_to_le16(wait->node->code);
		ev->handle = cpu_to_le32(wait->node->handle);
		ev->count = cpu_to_le32(count);
		wait->count -= count;
		if (!wait->count)
			hyvh_backlog_leave(evq, wait);
	}
	spin_unlock_irqrestore(&evq->lock, flags);
	return wait;
}

/**
 * hyvh_backlog_forget() - the object that the node is part of dies
 * @evq: the event queue
 * @node: the node; not in the queue afterwards and never again, until
 *	hyvh_event_source_init()
 *
 * Its memory may be freed when nobody can call hyvh_backlog_raise() with it.
 *
 * Context: any.
 */
void hyvh_backlog_forget(struct hyvh_event_backlog *evq, struct hyvh_event_source *node)
{
	struct hyvh_pending_event *wait, *next;
	unsigned long flags;

	spin_lock_irqsave(&evq->lock, flags);
	node->dead = true;
	list_for_each_entry_safe(wait, next, &node->waits, again)
		hyvh_backlog_leave(evq, wait);
	spin_unlock_irqrestore(&evq->lock, flags);
}
