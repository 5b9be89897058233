/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs on behalf of a guest.
 *
 * Handlers of requests run in the VMM's address space, under hyvh_vnic.teardown_rwsem held
 * for reading, and see requests in kernel memory whose sizes are checked. Each
 * returns 0 or the negative errno that the guest is told.
 */
#ifndef HYVH_VERBS_H
#define HYVH_VERBS_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <hyv/wire.h>

#include "notify/event_backlog.h"
#include "verbs/obj.h"
#include "hca/uctx.h"

struct hyvh_call;
struct hyvh_provider;
struct hyvh_vnic;

/**
 * struct hyvh_request - what a handler knows beside the request itself
 * @vnic: the vNIC
 * @ibdev: its HCA, which stays as long as the handler runs
 * @provider: what is special about the HCA's driver
 * @scratch: memory of the VMM, HYVH_SCRATCH_SIZE bytes
 */
struct hyvh_request {
	struct hyvh_vnic *vnic;
	struct ib_device *ibdev;
	const struct hyvh_provider *provider;
	void __user *scratch;
};

/**
 * struct hyvh_context - a guest process that has opened the device
 * @obj: handle
 * @uctx: its context of the HCA
 * @mappings: its mappings; protected by hyvh_window.lock
 */
struct hyvh_context {
	struct hyvh_obj obj;
	struct hyvh_uctx uctx;
	struct list_head mappings;
};

/**
 * struct hyvh_pd - a protection domain
 * @obj: handle
 * @context: the context that owns it
 * @ib: the HCA's object
 */
struct hyvh_pd {
	struct hyvh_obj obj;
	struct hyvh_context *context;
	struct ib_pd *ib;
};

/**
 * struct hyvh_cq - a completion queue
 * @obj: handle
 * @vnic: the vNIC
 * @context: the context that owns it
 * @ib: the HCA's object
 * @slot: arming slot
 * @queue: event queue of its completion vector
 * @comp: completion event, told through @queue
 * @error: CQ error event, told through event queue 0
 * @lock: one resize at a time; protects @queue_bytes
 * @queue_bytes: charged to hyvh_vnic.queues
 */
struct hyvh_cq {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_context *context;
	struct ib_cq *ib;
	u32 slot;
	unsigned int queue;
	struct hyvh_event_source comp;
	struct hyvh_event_source error;

	struct mutex lock;	/* see above */
	u64 queue_bytes;
};

/* Codes of the async events that an SRQ can have. */
#define HYVH_SRQ_EVENTS	2

/**
 * struct hyvh_srq - a shared receive queue
 * @obj: handle
 * @vnic: the vNIC
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 * @creator: see hyvh_restrack_adopt()
 * @max_sge: scatter/gather entries of an element
 * @event: async events, told through event queue 0
 * @lock: one modification at a time; protects @queue_bytes
 * @queue_bytes: charged to hyvh_vnic.queues
 */
struct hyvh_srq {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_pd *pd;
	struct ib_srq *ib;
	struct task_struct *creator;
	u32 max_sge;
	struct hyvh_event_source event[HYVH_SRQ_EVENTS];

	struct mutex lock;	/* see above */
	u64 queue_bytes;
};

/* Codes of the async events that a QP can have. */
#define HYVH_QP_EVENTS	8

/**
 * struct hyvh_qp - a queue pair
 * @obj: handle
 * @vnic: the vNIC
 * @pd: its PD, which it keeps in use
 * @send_cq: likewise
 * @recv_cq: likewise
 * @srq: likewise, or NULL
 * @ib: the HCA's object
 * @creator: see hyvh_restrack_adopt()
 * @slot: doorbell slot
 * @queue_bytes: charged to hyvh_vnic.queues
 * @event: async events, told through event queue 0
 * @mcast: groups that it is in, struct hyvh_mcast; see verbs_mcast.c
 * @path_lock: protects all below
 * @path: where it sends to, as the guest said; all zero in addressing mode host
 * @alt_path: likewise, its alternate path
 */
struct hyvh_qp {
	struct hyvh_obj obj;
	struct hyvh_vnic *vnic;
	struct hyvh_pd *pd;
	struct hyvh_cq *send_cq;
	struct hyvh_cq *recv_cq;
	struct hyvh_srq *srq;
	struct ib_qp *ib;
	struct task_struct *creator;
	u32 slot;
	u64 queue_bytes;
	struct hyvh_event_source event[HYVH_QP_EVENTS];
	struct list_head mcast;

	spinlock_t path_lock;	/* see above */
	struct hyv_ah_attr path;
	struct hyv_ah_attr alt_path;
};

/**
 * struct hyvh_mr - a memory region
 * @obj: handle
 * @lock: one re-registration at a time; protects all below, but for the MR's
 *	creator and destroyer, who have it to themselves
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 * @pinned: bytes charged to the vNIC's quota
 */
struct hyvh_mr {
	struct hyvh_obj obj;

	struct mutex lock;	/* see above */
	struct hyvh_pd *pd;
	struct ib_mr *ib;
	u64 pinned;
};

/**
 * struct hyvh_mw - a memory window
 * @obj: handle
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 */
struct hyvh_mw {
	struct hyvh_obj obj;
	struct hyvh_pd *pd;
	struct ib_mw *ib;
};

/**
 * struct hyvh_ah - an address handle
 * @obj: handle
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 */
struct hyvh_ah {
	struct hyvh_obj obj;
	struct hyvh_pd *pd;
	struct ib_ah *ib;
};

/* verbs_device.c */
int hyvh_cmd_query_device(void *arg, struct hyvh_call *call);
int hyvh_cmd_query_port(void *arg, struct hyvh_call *call);
int hyvh_cmd_query_gids(void *arg, struct hyvh_call *call);
int hyvh_cmd_query_pkeys(void *arg, struct hyvh_call *call);

/* doorbell.c */
int hyvh_cmd_setup_doorbells(void *arg, struct hyvh_call *call);
void hyvh_doorbells_free(struct hyvh_vnic *vnic);

/* verbs_context.c */
int hyvh_cmd_alloc_context(void *arg, struct hyvh_call *call);
int hyvh_cmd_mmap(void *arg, struct hyvh_call *call);
int hyvh_cmd_munmap(void *arg, struct hyvh_call *call);
int hyvh_cmd_destroy(void *arg, struct hyvh_call *call);
void hyvh_destroy_all(struct hyvh_vnic *vnic);

/* verbs_cq.c */
int hyvh_cmd_alloc_pd(void *arg, struct hyvh_call *call);
int hyvh_pd_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
int hyvh_cmd_create_cq(void *arg, struct hyvh_call *call);
int hyvh_cmd_resize_cq(void *arg, struct hyvh_call *call);
int hyvh_cmd_modify_cq(void *arg, struct hyvh_call *call);
int hyvh_cq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
void hyvh_cq_arm(struct hyvh_vnic *vnic, u32 slot, enum ib_cq_notify_flags how);

/* verbs_qp.c */
int hyvh_cmd_create_qp(void *arg, struct hyvh_call *call);
int hyvh_cmd_modify_qp(void *arg, struct hyvh_call *call);
int hyvh_cmd_query_qp(void *arg, struct hyvh_call *call);
int hyvh_qp_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);
void hyvh_qp_ring(struct hyvh_vnic *vnic, u32 slot);

/* verbs_mr.c */
int hyvh_cmd_reg_mr(void *arg, struct hyvh_call *call);
int hyvh_cmd_rereg_mr(void *arg, struct hyvh_call *call);
int hyvh_mr_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);

/* verbs_srq.c */
int hyvh_cmd_create_srq(void *arg, struct hyvh_call *call);
int hyvh_cmd_modify_srq(void *arg, struct hyvh_call *call);
int hyvh_cmd_query_srq(void *arg, struct hyvh_call *call);
int hyvh_srq_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);

/* verbs_ah.c */
int hyvh_cmd_create_ah(void *arg, struct hyvh_call *call);
int hyvh_ah_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);

/* verbs_mw.c */
int hyvh_cmd_alloc_mw(void *arg, struct hyvh_call *call);
int hyvh_mw_destroy(struct hyvh_vnic *vnic, struct hyvh_obj *obj);

/* verbs_gid.c */
int hyvh_cmd_add_gid(void *arg, struct hyvh_call *call);
int hyvh_cmd_del_gid(void *arg, struct hyvh_call *call);

/* verbs_mcast.c */
int hyvh_cmd_attach_mcast(void *arg, struct hyvh_call *call);
int hyvh_cmd_detach_mcast(void *arg, struct hyvh_call *call);
int hyvh_mcast_leave_all(struct hyvh_qp *qp);

#endif /* HYVH_VERBS_H */
