/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of ports that wait for the work item that handles them.
 */
#ifndef VHYV_PORT_QUEUE_H
#define VHYV_PORT_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>

/* Events in a queue whose order is kept. */
#define VHYV_PORT_QUEUE_LEN	64
/* Bound of vhyv_port_event.count. */
#define VHYV_PORT_EVENT_MAX	4096

/**
 * struct vhyv_port_event - an event of a port, raised @count times in a row
 * @link: in one of the lists of a queue; empty if the event is in none
 * @port: port number
 * @code: enum ib_event_type
 * @count: up to VHYV_PORT_EVENT_MAX, more are not counted; 0 to refresh the
 *	port's tables without an event
 */
struct vhyv_port_event {
	struct list_head link;
	u32 port;
	u32 code;
	u32 count;
};

/* The caller of all functions but vhyv_port_queue_init() holds a lock. */
struct vhyv_port_queue {
	struct list_head pending;	/* oldest first */
	struct list_head free;		/* of entry */
	struct vhyv_port_event entry[VHYV_PORT_QUEUE_LEN];
};

void vhyv_port_queue_init(struct vhyv_port_queue *queue);
void vhyv_port_queue_add(struct vhyv_port_queue *queue,
			 struct vhyv_port_event *own, u32 port, u32 code,
			 u32 count);
bool vhyv_port_queue_take(struct vhyv_port_queue *queue,
			  struct vhyv_port_event *event);

#endif /* VHYV_PORT_QUEUE_H */
