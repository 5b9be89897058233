/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event backlog: events that wait for a guest buffer.
 *
 * Each event of an object has an event source in the object, with room to be
 * pending once, so that no event is lost when memory is short. A completion
 * that is raised again while it is pending only increments a count, because the
 * guest sees no order between completions. All other events are delivered in
 * order, so an event that is raised again after a different one needs another
 * entry. The backlog has a fixed number of spare entries for this. When they
 * are used up, an event that is raised again moves to the end together with its
 * count: counts stay right, and so does the order of the last events of each
 * kind, on which the state of a port depends.
 */
#ifndef HYVH_EVENT_BACKLOG_H
#define HYVH_EVENT_BACKLOG_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <hyv/wire.h>

/*
 * Largest count in one message, see docs/protocol.md: a guest may handle the
 * occurrences one by one with interrupts disabled.
 */
#define HYVH_EVENT_MAX_COUNT	256

/* An entry of a backlog. Protected by hyvh_event_backlog.lock. */
struct hyvh_pending_event {
	struct list_head link;		/* in the backlog, pending or spare */
	struct list_head source_link;	/* in hyvh_event_source.pending */
	struct hyvh_event_source *source;
	u32 count;			/* times raised; 0 if unused */
};

/**
 * struct hyvh_event_source - an event that an object can raise
 * @own: entry that is reserved for this source
 * @pending: entries of this source, oldest first; protected by
 *	&hyvh_event_backlog.lock
 * @cancelled: hyvh_backlog_cancel() was called; protected by
 *	&hyvh_event_backlog.lock
 * @type: enum hyv_event_type
 * @code: see struct hyv_event
 * @handle: see struct hyv_event
 */
struct hyvh_event_source {
	struct hyvh_pending_event own;
	struct list_head pending;
	bool cancelled;
	u16 type;
	u16 code;
	u32 handle;
};

/* Pending events of one event queue. */
struct hyvh_event_backlog {
	/* Protects all fields and their sources. Hardirq-safe. */
	spinlock_t lock;
	struct list_head pending;	/* in the order of delivery */
	struct list_head spare;		/* unused entries */
	/* The last pending entry that is not a completion, or NULL. */
	struct hyvh_pending_event *newest;
};

void hyvh_backlog_init(struct hyvh_event_backlog *backlog);
void hyvh_backlog_add_spare(struct hyvh_event_backlog *backlog,
			    struct hyvh_pending_event *event);
bool hyvh_backlog_empty(struct hyvh_event_backlog *backlog);

void hyvh_event_source_init(struct hyvh_event_source *source, u16 type,
			    u16 code, u32 handle);
bool hyvh_backlog_raise(struct hyvh_event_backlog *backlog,
			struct hyvh_event_source *source);
struct hyvh_pending_event *hyvh_backlog_peek(struct hyvh_event_backlog *backlog,
					     struct hyv_event *ev);
void hyvh_backlog_done(struct hyvh_event_backlog *backlog,
		       struct hyvh_pending_event *event,
		       const struct hyv_event *ev);
bool hyvh_backlog_pop(struct hyvh_event_backlog *backlog, struct hyv_event *ev);
void hyvh_backlog_cancel(struct hyvh_event_backlog *backlog,
			 struct hyvh_event_source *source);

#endif /* HYVH_EVENT_BACKLOG_H */
