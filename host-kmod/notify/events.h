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
#include "notify/vring.h"
#include "notify/worker.h"

struct eventfd_ctx;
struct hyvh_counters;
struct hyvh_guest_mem;

/**
 * struct hyvh_event_queue - one event queue
 * @backlog: events that wait for a guest buffer
 * @lock: protects all fields below; held during a delivery
 * @running: the VMM has started the queue
 * @vring: the guest's ring
 * @call: eventfd that interrupts the guest, or NULL
 * @kick: wakes the worker when the guest has added buffers
 */
struct hyvh_event_queue {
	struct hyvh_event_backlog backlog;

	struct mutex lock;	/* protects all fields below */
	bool running;
	struct hyvh_vring vring;
	struct eventfd_ctx *call;
	struct hyvh_kick kick;
};

/* Number of event codes of a port. */
#define HYVH_PORT_EVENTS	7

/*
 * Number of events, except completions, that can be raised again after others
 * with their order kept before the guest has received the first ones.
 */
#define HYVH_SPARE_EVENTS	256

/**
 * struct hyvh_events - all events of a vNIC
 * @worker: delivers the events
 * @mem: memory of the guest, for its buffers
 * @counters: activity of the vNIC
 * @vnic_id: ID of the vNIC, for messages and traces
 * @nr_queues: number of queues that the VMM offers; may change at any time
 * @queue: event queues
 * @port: HYVH_PORT_EVENTS sources for each port of the HCA
 * @nr_ports: ports of the HCA
 * @device_fatal: failure or removal of the HCA
 * @spare: spare entries for the backlog of queue 0
 */
struct hyvh_events {
	struct hyvh_worker *worker;
	struct hyvh_guest_mem *mem;
	struct hyvh_counters *counters;
	u32 vnic_id;
	unsigned int nr_queues;
	struct hyvh_event_queue queue[HYV_MAX_EVENT_QUEUES];
	struct hyvh_event_source *port;
	unsigned int nr_ports;
	struct hyvh_event_source device_fatal;
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
