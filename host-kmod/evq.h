/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that wait for a buffer of the guest.
 *
 * Each thing that may happen to an object has a node in the object with room to
 * wait once, so that no event is ever lost for want of memory. A completion
 * that happens again while it waits is counted in its place: a guest hears of
 * completions through a channel of each CQ, and sees no order between them.
 * All others it hears in one order, so for what happens again after something
 * else the event queue has spare room, as much as it was given. When that is
 * used up, what happens again moves to the end with all that is counted: no
 * number is wrong then, and the last event of each kind are in order, which is
 * what the state of a port depends on.
 */
#ifndef HYV_EVQ_H
#define HYV_EVQ_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hyv/wire.h>

/*
 * Most occurrences that one message tells, docs/protocol.md: a guest may handle
 * them one by one with interrupts off.
 */
#define HYV_EVENT_MAX_COUNT	256

/**
 * struct hyv_evwait - a place among the pending events
 * @link: in &hyv_evq.pending, or if spare and idle in &hyv_evq.spare
 * @again: in &hyv_evnode.waits while it is pending
 * @node: what happened
 * @count: how many times; 0 while it is idle
 *
 * All of it is under &hyv_evq.lock.
 */
struct hyv_evwait {
	struct list_head link;
	struct list_head again;
	struct hyv_evnode *node;
	u32 count;
};

/**
 * struct hyv_evnode - one kind of event of one object
 * @own: the place that is always there for it
 * @waits: its pending places in their order; under &hyv_evq.lock
 * @dead: hyv_evq_forget() was called; under &hyv_evq.lock
 * @type: enum hyv_event_type
 * @code: as in struct hyv_event
 * @handle: as in struct hyv_event
 */
struct hyv_evnode {
	struct hyv_evwait own;
	struct list_head waits;
	bool dead;
	u16 type;
	u16 code;
	u32 handle;
};

/**
 * struct hyv_evq - pending events of one event queue
 * @lock: protects all below and the nodes in it; taken with interrupts off
 * @pending: places in the order in which they will be told
 * @spare: idle places
 * @newest: the last pending place that is not of a completion, or NULL
 */
struct hyv_evq {
	spinlock_t lock; /* all below and the nodes in it */
	struct list_head pending;
	struct list_head spare;
	struct hyv_evwait *newest;
};

void hyv_evq_init(struct hyv_evq *evq);
void hyv_evq_add_spare(struct hyv_evq *evq, struct hyv_evwait *wait);
bool hyv_evq_empty(struct hyv_evq *evq);

void hyv_evnode_init(struct hyv_evnode *node, u16 type, u16 code, u32 handle);
bool hyv_evq_raise(struct hyv_evq *evq, struct hyv_evnode *node);
bool hyv_evq_pop(struct hyv_evq *evq, struct hyv_event *ev);
void hyv_evq_forget(struct hyv_evq *evq, struct hyv_evnode *node);

#endif /* HYV_EVQ_H */
