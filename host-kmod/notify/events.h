/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on their way to the guest.
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
struct hyvh_vnic;

/**
 * struct hyvh_event_queue - one event queue
 * @pending: events that wait for a buffer of the guest; has its own lock
 * @lock: protects the fields below, and is held over a delivery
 * @running: the VMM has started it
 * @vring: the guest's ring
 * @call: to interrupt the guest, or NULL
 * @kick: the guest has added buffers
 */
struct hyvh_event_queue {
	struct hyvh_event_backlog pending;

	struct mutex lock;	/* see above */
	bool running;
	struct hyvh_vring vring;
	struct eventfd_ctx *call;
	struct hyvh_kick kick;
};

/* Event codes that concern a port, in struct hyvh_events.port. */
#define HYVH_PORT_EVENTS	7

/*
 * How many events, other than completions, may happen again after others before
 * a guest has heard of the first ones, with their order kept.
 */
#define HYVH_SPARE_EVENTS	256

/**
 * struct hyvh_events - all events of a vNIC
 * @queue: the event queues
 * @nr_queues: how many the VMM offers; set with the device configuration
 * @port: HYVH_PORT_EVENTS nodes for each port of the HCA
 * @nr_ports: ports of the HCA
 * @device_fatal: the HCA has failed, or is gone
 * @spare: room for events of queue 0 that happen again
 */
struct hyvh_events {
	struct hyvh_event_queue queue[HYV_MAX_EVENT_QUEUES];
	unsigned int nr_queues;
	struct hyvh_event_source *port;
	unsigned int nr_ports;
	struct hyvh_event_source device_fatal;
	struct hyvh_pending_event spare[HYVH_SPARE_EVENTS];
};

void hyvh_events_init(struct hyvh_events *events);
int hyvh_events_set_ports(struct hyvh_events *events, unsigned int nr_ports);
void hyvh_events_clear_ports(struct hyvh_events *events);
void hyvh_events_free(struct hyvh_events *events);
int hyvh_events_set_queue(struct hyvh_vnic *vnic,
			  struct hyv_set_event_queue *arg);
bool hyvh_events_running(struct hyvh_vnic *vnic);
void hyvh_events_reset(struct hyvh_vnic *vnic);
void hyvh_events_raise(struct hyvh_vnic *vnic, unsigned int queue,
		       struct hyvh_event_source *node);
void hyvh_events_raise_code(struct hyvh_vnic *vnic, struct hyvh_event_source *nodes,
			    unsigned int nr, int code);
void hyvh_events_raise_port(struct hyvh_vnic *vnic, unsigned int port, int code);
void hyvh_events_forget(struct hyvh_vnic *vnic, unsigned int queue,
			struct hyvh_event_source *nodes, unsigned int nr);
bool hyvh_events_deliver(struct hyvh_vnic *vnic);

#endif /* HYVH_EVENTS_H */
