// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that wait for a guest buffer. Except for the init functions and
 * hyvh_backlog_add_spare(), which need exclusive access, all functions may be
 * called in any context.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "notify/event_backlog.h"

void hyvh_backlog_init(struct hyvh_event_backlog *backlog)
{
	spin_lock_init(&backlog->lock);
	INIT_LIST_HEAD(&backlog->pending);
	INIT_LIST_HEAD(&backlog->spare);
	backlog->newest = NULL;
}

/* @event is zeroed memory that the backlog keeps. */
void hyvh_backlog_add_spare(struct hyvh_event_backlog *backlog,
			    struct hyvh_pending_event *event)
{
	list_add(&event->link, &backlog->spare);
}

bool hyvh_backlog_empty(struct hyvh_event_backlog *backlog)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&backlog->lock, flags);
	empty = list_empty(&backlog->pending);
	spin_unlock_irqrestore(&backlog->lock, flags);
	return empty;
}

void hyvh_event_source_init(struct hyvh_event_source *source, u16 type,
			    u16 code, u32 handle)
{
	source->own.source = source;
	source->own.count = 0;
	INIT_LIST_HEAD(&source->pending);
	source->cancelled = false;
	source->type = type;
	source->code = code;
	source->handle = handle;
}

/* An unused entry for @source, or NULL. */
static struct hyvh_pending_event *
hyvh_backlog_unused(struct hyvh_event_backlog *backlog,
		    struct hyvh_event_source *source)
{
	struct hyvh_pending_event *event;

	if (!source->own.count)
		return &source->own;
	event = list_first_entry_or_null(&backlog->spare,
					 struct hyvh_pending_event, link);
	if (event) {
		list_del(&event->link);
		event->source = source;
	}
	return event;
}

/* The pending entry whose count the next occurrence of @source increments. */
static struct hyvh_pending_event *
hyvh_backlog_entry(struct hyvh_event_backlog *backlog,
		   struct hyvh_event_source *source)
{
	struct hyvh_pending_event *last = NULL, *event;

	if (!list_empty(&source->pending))
		last = list_last_entry(&source->pending,
				       struct hyvh_pending_event, source_link);
	if (last && (source->type == HYV_EVENT_COMP || last == backlog->newest))
		return last;

	event = hyvh_backlog_unused(backlog, source);
	if (event) {
		list_add_tail(&event->link, &backlog->pending);
		list_add_tail(&event->source_link, &source->pending);
	} else {
		/* The source's own entry is in use, so @last is not NULL. */
		event = last;
		list_move_tail(&event->link, &backlog->pending);
	}
	if (source->type != HYV_EVENT_COMP)
		backlog->newest = event;
	return event;
}

static void hyvh_backlog_remove(struct hyvh_event_backlog *backlog,
				struct hyvh_pending_event *event)
{
	event->count = 0;
	list_del(&event->link);
	list_del(&event->source_link);
	if (backlog->newest == event)
		backlog->newest = NULL;
	if (event != &event->source->own)
		list_add(&event->link, &backlog->spare);
}

/**
 * hyvh_backlog_raise() - queue an event or increment its count
 * @backlog: the backlog, the same one for all calls with @source
 * @source: the event; ignored after hyvh_backlog_cancel()
 *
 * Return: true if nothing was pending before, so that the caller has to wake
 * the worker.
 */
bool hyvh_backlog_raise(struct hyvh_event_backlog *backlog,
			struct hyvh_event_source *source)
{
	struct hyvh_pending_event *event;
	unsigned long flags;
	bool first = false;

	spin_lock_irqsave(&backlog->lock, flags);
	if (!source->cancelled) {
		first = list_empty(&backlog->pending);
		event = hyvh_backlog_entry(backlog, source);
		if (event->count < U32_MAX)
			event->count++;
	}
	spin_unlock_irqrestore(&backlog->lock, flags);
	return first;
}

/**
 * hyvh_backlog_peek() - make a message of the oldest pending event
 * @backlog: the backlog
 * @ev: message to write
 *
 * The event stays pending until hyvh_backlog_done(), so that a delivery can
 * fail and be tried again. The caller excludes hyvh_backlog_cancel() from this
 * call until the message is delivered or dropped. An event that was raised more
 * than HYVH_EVENT_MAX_COUNT times takes several messages.
 *
 * Return: the event, or NULL, with @ev unchanged, if nothing is pending.
 */
struct hyvh_pending_event *hyvh_backlog_peek(struct hyvh_event_backlog *backlog,
					     struct hyv_event *ev)
{
	struct hyvh_pending_event *event;
	unsigned long flags;

	spin_lock_irqsave(&backlog->lock, flags);
	event = list_first_entry_or_null(&backlog->pending,
					 struct hyvh_pending_event, link);
	if (event) {
		memset(ev, 0, sizeof(*ev));
		ev->type = cpu_to_le16(event->source->type);
		ev->code = cpu_to_le16(event->source->code);
		ev->handle = cpu_to_le32(event->source->handle);
		ev->count = cpu_to_le32(min_t(u32, event->count,
					      HYVH_EVENT_MAX_COUNT));
	}
	spin_unlock_irqrestore(&backlog->lock, flags);
	return event;
}

/* Message @ev, made of @event by hyvh_backlog_peek(), has been delivered. */
void hyvh_backlog_done(struct hyvh_event_backlog *backlog,
		       struct hyvh_pending_event *event,
		       const struct hyv_event *ev)
{
	unsigned long flags;

	spin_lock_irqsave(&backlog->lock, flags);
	/* It may have been raised again, but its count only grows. */
	event->count -= le32_to_cpu(ev->count);
	if (!event->count)
		hyvh_backlog_remove(backlog, event);
	spin_unlock_irqrestore(&backlog->lock, flags);
}

/*
 * Take the oldest pending event. Returns false, with @ev unchanged, if nothing
 * is pending. The caller excludes hyvh_backlog_cancel().
 */
bool hyvh_backlog_pop(struct hyvh_event_backlog *backlog, struct hyv_event *ev)
{
	struct hyvh_pending_event *event = hyvh_backlog_peek(backlog, ev);

	if (event)
		hyvh_backlog_done(backlog, event, ev);
	return event;
}

/**
 * hyvh_backlog_cancel() - drop an event and ignore it from now on
 * @backlog: the backlog
 * @source: the event; may be freed once hyvh_backlog_raise() can no longer be
 *	called with it
 */
void hyvh_backlog_cancel(struct hyvh_event_backlog *backlog,
			 struct hyvh_event_source *source)
{
	struct hyvh_pending_event *event, *next;
	unsigned long flags;

	spin_lock_irqsave(&backlog->lock, flags);
	source->cancelled = true;
	list_for_each_entry_safe(event, next, &source->pending, source_link)
		hyvh_backlog_remove(backlog, event);
	spin_unlock_irqrestore(&backlog->lock, flags);
}
