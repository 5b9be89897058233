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
#ifndef HYVH_EVENT_BACKLOG_H
#define HYVH_EVENT_BACKLOG_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hyv/wire.h>

/*
 * Most occurrences that one message tells, docs/protocol.md: a guest may handle
 * them one by one with interrupts off.
 */
#define HYVH_EVENT_MAX_COUNT	256

/**
 * struct hyvh_pending_event - a place among the pending events
 * @link: in &hyvh_event_backlog.pending, or if spare and idle in &hyvh_event_backlog.spare
 * @again: in &hyvh_event_source.waits while it is pending
 * @node: what happened
 * @count: how many times; 0 while it is idle
 *
 * All of it is under &hyvh_event_backlog.lock.
 */
struct hyvh_pending_event {
	struct list_head link;
	struct list_head again;
	struct hyvh_event_source *node;
	u32 count;
};

/**
 * struct hyvh_event_source - one kind of event of one object
 * @own: the place that is always there for it
 * @waits: its pending places in their order; under &hyvh_event_backlog.lock
 * @dead: hyvh_backlog_forget() was called; under &hyvh_event_backlog.lock
 * @type: enum hyv_event_type
 * @code: as in struct hyv_event
 * @handle: as in struct hyv_event
 */
struct hyvh_event_source {
	struct hyvh_pending_event own;
	struct list_head waits;
	bool dead;
	u16 type;
	u16 code;
	u32 handle;
};

/**
 * struct hyvh_event_backlog - pending events of one event queue
 * @lock: protects all below and the nodes in it; taken with interrupts off
 * @pending: places in the order in which they will be told
 * @spare: idle places
 * @newest: the last pending place that is not of a completion, or NULL
 */
struct hyvh_event_backlog {
	spinlock_t lock; /* all below and the nodes in it */
	struct list_head pending;
	struct list_head spare;
	struct hyvh_pending_event *newest;
};

void hyvh_backlog_init(struct hyvh_event_backlog *evq);
void hyvh_backlog_add_spare(struct hyvh_event_backlog *evq, struct hyvh_pending_event *wait);
bool hyvh_backlog_empty(struct hyvh_event_backlog *evq);

void hyvh_event_source_init(struct hyvh_event_source *node, u16 type, u16 code, u32 handle);
bool hyvh_backlog_raise(struct hyvh_event_backlog *evq, struct hyvh_event_source *node);
bool hyvh_backlog_pop(struct hyvh_event_backlog *evq, struct hyv_event *ev);
void hyvh_backlog_forget(struct hyvh_event_backlog *evq, struct hyvh_event_source *node);

#endif /* HYVH_EVENT_BACKLOG_H */
