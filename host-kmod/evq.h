/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that wait for a buffer of the guest.
 *
 * Each thing that may happen to an object has a node in the object, so that
 * no event is ever lost for want of memory: a node that is raised again while
 * it waits counts up, in its place in the order.
 */
#ifndef HYV_EVQ_H
#define HYV_EVQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hyv/wire.h>

/**
 * struct hyv_evnode - one kind of event of one object
 * @link: in &hyv_evq.pending while @count is not 0; under &hyv_evq.lock
 * @count: times raised since it was last told; under &hyv_evq.lock
 * @dead: hyv_evq_forget() was called; under &hyv_evq.lock
 * @type: enum hyv_event_type
 * @code: as in struct hyv_event
 * @handle: as in struct hyv_event
 */
struct hyv_evnode {
	struct list_head link;
	u32 count;
	bool dead;
	u16 type;
	u16 code;
	u32 handle;
};

/**
 * struct hyv_evq - pending events of one event queue
 * @lock: protects @pending and the nodes in it; taken with interrupts off
 * @pending: nodes in the order in which they were first raised
 */
struct hyv_evq {
	spinlock_t lock; /* all below and the nodes in it */
	struct list_head pending;
};

void hyv_evq_init(struct hyv_evq *evq);
bool hyv_evq_empty(struct hyv_evq *evq);

void hyv_evnode_init(struct hyv_evnode *node, u16 type, u16 code, u32 handle);
bool hyv_evq_raise(struct hyv_evq *evq, struct hyv_evnode *node);
bool hyv_evq_pop(struct hyv_evq *evq, struct hyv_event *ev);
void hyv_evq_forget(struct hyv_evq *evq, struct hyv_evnode *node);

#endif /* HYV_EVQ_H */
