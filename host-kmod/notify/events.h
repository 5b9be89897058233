/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on their way from the HCA to the guest.
 */
#ifndef HYVH_EVENTS_H
#define HYVH_EVENTS_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

#include "notify/event_backlog.h"
#include "notify/signal.h"
#include "notify/vring.h"
#include "notify/worker.h"

struct eventfd_ctx;
struct hyvh_counters;
struct hyvh_guest_mem;
struct mm_struct;

struct hyvh_event_queue {
	struct hyvh_event_backlog backlog;
	atomic_t waiters;		/* for lock, which a delivery gives up then */

	/* Protects all fields below. Held during a delivery. */
	struct mutex lock;
	bool running;			/* the VMM has started the queue */
	struct hyvh_vring vring;
	struct eventfd_ctx *call;	/* interrupts the guest, or NULL */
	struct hyvh_kick kick;		/* the guest has added buffers */
};

/* Number of event codes of a port. */
#define HYVH_PORT_EVENTS	7

/*
 * Number of events, except completions, that can be raised again after others
 * with their order kept before the guest has received the first ones.
 */
#define HYVH_SPARE_EVENTS	256

/* All events of a vNIC. */
struct hyvh_events {
	struct hyvh_worker *worker;		/* delivers the events */
	struct hyvh_guest_mem *mem;		/* for the guest's buffers */
	struct hyvh_counters *counters;
	struct hyvh_signal broken;		/* a queue is broken */

	/* Constant once the vNIC is attached. */
	u32 vnic_id;				/* for messages and traces */
	struct mm_struct *mm;			/* of the VMM; no user count */
	unsigned int nr_queues;			/* offered by the VMM */

	struct hyvh_event_queue queue[HYV_MAX_EVENT_QUEUES];
	struct hyvh_event_source *port;		/* HYVH_PORT_EVENTS per port */
	unsigned int nr_ports;			/* set after port */
	struct hyvh_event_source device_fatal;	/* HCA failed or was removed */
	/* For the backlog of queue 0. */
	struct hyvh_pending_event spare[HYVH_SPARE_EVENTS];
};

void hyvh_events_init(struct hyvh_events *events, struct hyvh_worker *worker,
		      struct hyvh_guest_mem *mem,
		      struct hyvh_counters *counters);
int hyvh_events_set_ports(struct hyvh_events *events, unsigned int nr_ports);
void hyvh_events_clear_ports(struct hyvh_events *events);
void hyvh_events_free(struct hyvh_events *events);
int hyvh_events_set_queue(struct hyvh_events *events,
			  struct hyv_set_event_queue *arg, bool event_idx);
bool hyvh_events_running(const struct hyvh_events *events);
void hyvh_events_reset(struct hyvh_events *events);
void hyvh_events_raise(struct hyvh_events *events, unsigned int queue,
		       struct hyvh_event_source *source);
void hyvh_events_raise_code(struct hyvh_events *events,
			    struct hyvh_event_source *sources, unsigned int nr,
			    int code);
void hyvh_events_raise_port(struct hyvh_events *events, unsigned int port,
			    int code);
void hyvh_events_cancel(struct hyvh_events *events, unsigned int queue,
			struct hyvh_event_source *sources, unsigned int nr);
bool hyvh_events_deliver(struct hyvh_events *events);

#endif /* HYVH_EVENTS_H */
