// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that wait for a buffer of the guest.
 */
#include <linux/string.h>

#include "evq.h"

/**
 * hyv_evq_init() - start with nothing pending
 * @evq: the event queue
 */
void hyv_evq_init(struct hyv_evq *evq)
{
	spin_lock_init(&evq->lock);
	INIT_LIST_HEAD(&evq->pending);
}

/**
 * hyv_evq_empty() - is nothing pending?
 * @evq: the event queue
 *
 * Context: any.
 * Return: true if so.
 */
bool hyv_evq_empty(struct hyv_evq *evq)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&evq->lock, flags);
	empty = list_empty(&evq->pending);
	spin_unlock_irqrestore(&evq->lock, flags);
	return empty;
}

/**
 * hyv_evnode_init() - set up a node before it is first raised
 * @node: the node, in no queue
 * @type: enum hyv_event_type
 * @code: as in struct hyv_event
 * @handle: as in struct hyv_event
 */
void hyv_evnode_init(struct hyv_evnode *node, u16 type, u16 code, u32 handle)
{
	INIT_LIST_HEAD(&node->link);
	node->count = 0;
	node->dead = false;
	node->type = type;
	node->code = code;
	node->handle = handle;
}

/**
 * hyv_evq_raise() - it happened once more
 * @evq: the event queue, always the same for a node
 * @node: what happened; alive until hyv_evq_forget(), after which this does
 *	nothing
 *
 * Context: any, also hard interrupts.
 * Return: true when nothing was pending before, so that the caller has to wake
 * whoever delivers events.
 */
bool hyv_evq_raise(struct hyv_evq *evq, struct hyv_evnode *node)
{
	unsigned long flags;
	bool first = false;

	spin_lock_irqsave(&evq->lock, flags);
	if (!node->dead) {
		if (!node->count) {
			first = list_empty(&evq->pending);
			list_add_tail(&node->link, &evq->pending);
		}
		if (node->count < U32_MAX)
			node->count++;
	}
	spin_unlock_irqrestore(&evq->lock, flags);
	return first;
}

/**
 * hyv_evq_pop() - take the oldest pending event to tell the guest
 * @evq: the event queue
 * @ev: where to write it
 *
 * What was popped is told or lost; so make sure of a buffer first. To keep
 * hyv_evq_forget()'s promise to a guest, the caller excludes it from the time
 * between this call and the delivery.
 *
 * Context: any.
 * Return: false, and nothing written, when nothing is pending.
 */
bool hyv_evq_pop(struct hyv_evq *evq, struct hyv_event *ev)
{
	struct hyv_evnode *node;
	unsigned long flags;

	spin_lock_irqsave(&evq->lock, flags);
	node = list_first_entry_or_null(&evq->pending, struct hyv_evnode, link);
	if (node) {
		memset(ev, 0, sizeof(*ev));
		ev->type = cpu_to_le16(node->type);
		ev->code = cpu_to_le16(node->code);
		ev->handle = cpu_to_le32(node->handle);
		ev->count = cpu_to_le32(node->count);
		node->count = 0;
		list_del_init(&node->link);
	}
	spin_unlock_irqrestore(&evq->lock, flags);
	return node;
}

/**
 * hyv_evq_forget() - the object that the node is part of dies
 * @evq: the event queue
 * @node: the node; not in the queue afterwards and never again, until
 *	hyv_evnode_init()
 *
 * Its memory may be freed when nobody can call hyv_evq_raise() with it.
 *
 * Context: any.
 */
void hyv_evq_forget(struct hyv_evq *evq, struct hyv_evnode *node)
{
	unsigned long flags;

	spin_lock_irqsave(&evq->lock, flags);
	node->dead = true;
	node->count = 0;
	list_del_init(&node->link);
	spin_unlock_irqrestore(&evq->lock, flags);
}
