// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of ports that wait for the work item that handles them.
 *
 * Events arrive in interrupts, and none may get lost: a port that the RDMA core
 * takes for down stays down. So nothing is allocated. When the queue is full, a
 * further event uses an entry that is for this event of this port only, and moves
 * to the end when it is raised again: then the order of the last events is right,
 * on which the state of the port depends.
 */
#include <linux/list.h>
#include <linux/minmax.h>

#include "notify/port_queue.h"

void vhyv_port_queue_init(struct vhyv_port_queue *queue)
{
	int i;

	INIT_LIST_HEAD(&queue->pending);
	INIT_LIST_HEAD(&queue->free);
	for (i = 0; i < VHYV_PORT_QUEUE_LEN; i++)
		list_add_tail(&queue->entry[i].link, &queue->free);
}

/* Find the newest event if it is the same, or else put a new one at the end. */
static struct vhyv_port_event *
vhyv_port_queue_entry(struct vhyv_port_queue *queue,
		      struct vhyv_port_event *own, u32 port, u32 code)
{
	struct vhyv_port_event *event;

	if (!list_empty(&queue->pending)) {
		event = list_last_entry(&queue->pending,
					struct vhyv_port_event, link);
		if (event->port == port && event->code == code)
			return event;
	}
	event = list_first_entry_or_null(&queue->free, struct vhyv_port_event,
					 link);
	if (event) {
		event->count = 0;
	} else {
		event = own;
		if (list_empty(&event->link))
			event->count = 0;
	}
	event->port = port;
	event->code = code;
	list_move_tail(&event->link, &queue->pending);
	return event;
}

/**
 * vhyv_port_queue_add() - add an event at the end
 * @queue: queue
 * @own: entry for this event of this port only, for a full queue; its link was
 *	initialized once
 * @port: port number
 * @code: enum ib_event_type
 * @count: number of times that the event was raised in a row
 */
void vhyv_port_queue_add(struct vhyv_port_queue *queue,
			 struct vhyv_port_event *own, u32 port, u32 code,
			 u32 count)
{
	struct vhyv_port_event *event;

	event = vhyv_port_queue_entry(queue, own, port, code);
	event->count += min(count, VHYV_PORT_EVENT_MAX - event->count);
}

/* Remove the oldest event and copy it. Returns false if there is none. */
bool vhyv_port_queue_take(struct vhyv_port_queue *queue,
			  struct vhyv_port_event *event)
{
	struct vhyv_port_event *first;

	first = list_first_entry_or_null(&queue->pending,
					 struct vhyv_port_event, link);
	if (!first)
		return false;
	*event = *first;
	if (first >= queue->entry && first < queue->entry + VHYV_PORT_QUEUE_LEN)
		list_move_tail(&first->link, &queue->free);
	else
		list_del_init(&first->link);
	return true;
}
