/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events on their way to the guest.
 */
#ifndef HYV_EVENTS_H
#define HYV_EVENTS_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <hyv/wire.h>
#include <uapi/linux/hyv.h>

#include "evq.h"
#include "vring.h"
#include "worker.h"

struct eventfd_ctx;
struct hyv_vnic;

/**
 * struct hyv_event_queue - one event queue
 * @pending: events that wait for a buffer of the guest; has its own lock
 * @lock: protects the fields below, and is held over a delivery
 * @running: the VMM has started it
 * @vring: the guest's ring
 * @call: to interrupt the guest, or NULL
 * @kick: the guest has added buffers
 */
struct hyv_event_queue {
	struct hyv_evq pending;

	struct mutex lock;	/* see above */
	bool running;
	struct hyv_vring vring;
	struct eventfd_ctx *call;
	struct hyv_kick kick;
};

/* Event codes that concern a port, in struct hyv_events.port. */
#define HYV_PORT_EVENTS	7

/*
 * How many events, other than completions, may happen again after others before
 * a guest has heard of the first ones, with their order kept.
 */
#define HYV_SPARE_EVENTS	256

/**
 * struct hyv_events - all events of a vNIC
 * @queue: the event queues
 * @nr_queues: how many the VMM offers; set with the device configuration
 * @port: HYV_PORT_EVENTS nodes for each port of the HCA
 * @nr_ports: ports of the HCA
 * @device_fatal: the HCA has failed, or is gone
 * @spare: room for events of queue 0 that happen again
 */
struct hyv_events {
	struct hyv_event_queue queue[HYV_MAX_EVENT_QUEUES];
	unsigned int nr_queues;
	struct hyv_evnode *port;
	unsigned int nr_ports;
	struct hyv_evnode device_fatal;
	struct hyv_evwait spare[HYV_SPARE_EVENTS];
};

void hyv_events_init(struct hyv_events *events);
int hyv_events_set_ports(struct hyv_events *events, unsigned int nr_ports);
void hyv_events_clear_ports(struct hyv_events *events);
void hyv_events_free(struct hyv_events *events);
int hyv_events_set_queue(struct hyv_vnic *vnic,
			 struct hyv_set_event_queue *arg);
bool hyv_events_running(struct hyv_vnic *vnic);
void hyv_events_reset(struct hyv_vnic *vnic);
void hyv_events_raise(struct hyv_vnic *vnic, unsigned int queue,
		      struct hyv_evnode *node);
void hyv_events_raise_code(struct hyv_vnic *vnic, struct hyv_evnode *nodes,
			   unsigned int nr, int code);
void hyv_events_raise_port(struct hyv_vnic *vnic, unsigned int port, int code);
void hyv_events_forget(struct hyv_vnic *vnic, unsigned int queue,
		       struct hyv_evnode *nodes, unsigned int nr);
bool hyv_events_deliver(struct hyv_vnic *vnic);

#endif /* HYV_EVENTS_H */
