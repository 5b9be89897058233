/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs on behalf of a guest.
 *
 * Handlers of requests run in the VMM's address space, under hyv_vnic.gate held
 * for reading, and see requests in kernel memory whose sizes are checked. Each
 * returns 0 or the negative errno that the guest is told.
 */
#ifndef HYV_VERBS_H
#define HYV_VERBS_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <hyv/wire.h>

#include "evq.h"
#include "obj.h"
#include "uctx.h"

struct hyv_call;
struct hyv_provider;
struct hyv_vnic;

/**
 * struct hyv_request - what a handler knows beside the request itself
 * @vnic: the vNIC
 * @ibdev: its HCA, which stays as long as the handler runs
 * @provider: what is special about the HCA's driver
 * @scratch: memory of the VMM, HYV_SCRATCH_SIZE bytes
 */
struct hyv_request {
	struct hyv_vnic *vnic;
	struct ib_device *ibdev;
	const struct hyv_provider *provider;
	void __user *scratch;
};

/**
 * struct hyv_context - a guest process that has opened the device
 * @obj: handle
 * @uctx: its context of the HCA
 * @mappings: its mappings; protected by hyv_window.lock
 */
struct hyv_context {
	struct hyv_obj obj;
	struct hyv_uctx uctx;
	struct list_head mappings;
};

/**
 * struct hyv_pd - a protection domain
 * @obj: handle
 * @context: the context that owns it
 * @ib: the HCA's object
 */
struct hyv_pd {
	struct hyv_obj obj;
	struct hyv_context *context;
	struct ib_pd *ib;
};

/**
 * struct hyv_cq - a completion queue
 * @obj: handle
 * @vnic: the vNIC
 * @context: the context that owns it
 * @ib: the HCA's object
 * @slot: arming slot
 * @queue: event queue of its completion vector
 * @comp: completion event, told through @queue
 * @error: CQ error event, told through event queue 0
 * @lock: one resize at a time; protects @queue_bytes
 * @queue_bytes: charged to hyv_vnic.queues
 */
struct hyv_cq {
	struct hyv_obj obj;
	struct hyv_vnic *vnic;
	struct hyv_context *context;
	struct ib_cq *ib;
	u32 slot;
	unsigned int queue;
	struct hyv_evnode comp;
	struct hyv_evnode error;

	struct mutex lock;	/* see above */
	u64 queue_bytes;
};

/* Codes of the async events that an SRQ can have. */
#define HYV_SRQ_EVENTS	2

/**
 * struct hyv_srq - a shared receive queue
 * @obj: handle
 * @vnic: the vNIC
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 * @creator: see hyv_restrack_adopt()
 * @max_sge: scatter/gather entries of an element
 * @event: async events, told through event queue 0
 * @lock: one modification at a time; protects @queue_bytes
 * @queue_bytes: charged to hyv_vnic.queues
 */
struct hyv_srq {
	struct hyv_obj obj;
	struct hyv_vnic *vnic;
	struct hyv_pd *pd;
	struct ib_srq *ib;
	struct task_struct *creator;
	u32 max_sge;
	struct hyv_evnode event[HYV_SRQ_EVENTS];

	struct mutex lock;	/* see above */
	u64 queue_bytes;
};

/* Codes of the async events that a QP can have. */
#define HYV_QP_EVENTS	8

/**
 * struct hyv_qp - a queue pair
 * @obj: handle
 * @vnic: the vNIC
 * @pd: its PD, which it keeps in use
 * @send_cq: likewise
 * @recv_cq: likewise
 * @srq: likewise, or NULL
 * @ib: the HCA's object
 * @creator: see hyv_restrack_adopt()
 * @slot: doorbell slot
 * @queue_bytes: charged to hyv_vnic.queues
 * @event: async events, told through event queue 0
 * @mcast: groups that it is in, struct hyv_mcast; see verbs_mcast.c
 * @path_lock: protects all below
 * @path: where it sends to, as the guest said; all zero in addressing mode host
 * @alt_path: likewise, its alternate path
 */
struct hyv_qp {
	struct hyv_obj obj;
	struct hyv_vnic *vnic;
	struct hyv_pd *pd;
	struct hyv_cq *send_cq;
	struct hyv_cq *recv_cq;
	struct hyv_srq *srq;
	struct ib_qp *ib;
	struct task_struct *creator;
	u32 slot;
	u64 queue_bytes;
	struct hyv_evnode event[HYV_QP_EVENTS];
	struct list_head mcast;

	spinlock_t path_lock;	/* see above */
	struct hyv_ah_attr path;
	struct hyv_ah_attr alt_path;
};

/**
 * struct hyv_mr - a memory region
 * @obj: handle
 * @lock: one re-registration at a time; protects all below, but for the MR's
 *	creator and destroyer, who have it to themselves
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 * @pinned: bytes charged to the vNIC's quota
 */
struct hyv_mr {
	struct hyv_obj obj;

	struct mutex lock;	/* see above */
	struct hyv_pd *pd;
	struct ib_mr *ib;
	u64 pinned;
};

/**
 * struct hyv_mw - a memory window
 * @obj: handle
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 */
struct hyv_mw {
	struct hyv_obj obj;
	struct hyv_pd *pd;
	struct ib_mw *ib;
};

/**
 * struct hyv_ah - an address handle
 * @obj: handle
 * @pd: its PD, which it keeps in use
 * @ib: the HCA's object
 */
struct hyv_ah {
	struct hyv_obj obj;
	struct hyv_pd *pd;
	struct ib_ah *ib;
};

/* verbs_device.c */
int hyv_cmd_query_device(void *arg, struct hyv_call *call);
int hyv_cmd_query_port(void *arg, struct hyv_call *call);
int hyv_cmd_query_gids(void *arg, struct hyv_call *call);
int hyv_cmd_query_pkeys(void *arg, struct hyv_call *call);

/* doorbell.c */
int hyv_cmd_setup_doorbells(void *arg, struct hyv_call *call);
void hyv_doorbells_free(struct hyv_vnic *vnic);

/* verbs_context.c */
int hyv_cmd_alloc_context(void *arg, struct hyv_call *call);
int hyv_cmd_mmap(void *arg, struct hyv_call *call);
int hyv_cmd_munmap(void *arg, struct hyv_call *call);
int hyv_cmd_destroy(void *arg, struct hyv_call *call);
void hyv_destroy_all(struct hyv_vnic *vnic);

/* verbs_cq.c */
int hyv_cmd_alloc_pd(void *arg, struct hyv_call *call);
int hyv_pd_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);
int hyv_cmd_create_cq(void *arg, struct hyv_call *call);
int hyv_cmd_resize_cq(void *arg, struct hyv_call *call);
int hyv_cmd_modify_cq(void *arg, struct hyv_call *call);
int hyv_cq_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);
void hyv_cq_arm(struct hyv_vnic *vnic, u32 slot, enum ib_cq_notify_flags how);

/* verbs_qp.c */
int hyv_cmd_create_qp(void *arg, struct hyv_call *call);
int hyv_cmd_modify_qp(void *arg, struct hyv_call *call);
int hyv_cmd_query_qp(void *arg, struct hyv_call *call);
int hyv_qp_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);
void hyv_qp_ring(struct hyv_vnic *vnic, u32 slot);

/* verbs_mr.c */
int hyv_cmd_reg_mr(void *arg, struct hyv_call *call);
int hyv_cmd_rereg_mr(void *arg, struct hyv_call *call);
int hyv_mr_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);

/* verbs_srq.c */
int hyv_cmd_create_srq(void *arg, struct hyv_call *call);
int hyv_cmd_modify_srq(void *arg, struct hyv_call *call);
int hyv_cmd_query_srq(void *arg, struct hyv_call *call);
int hyv_srq_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);

/* verbs_ah.c */
int hyv_cmd_create_ah(void *arg, struct hyv_call *call);
int hyv_ah_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);

/* verbs_mw.c */
int hyv_cmd_alloc_mw(void *arg, struct hyv_call *call);
int hyv_mw_destroy(struct hyv_vnic *vnic, struct hyv_obj *obj);

/* verbs_gid.c */
int hyv_cmd_add_gid(void *arg, struct hyv_call *call);
int hyv_cmd_del_gid(void *arg, struct hyv_call *call);

/* verbs_mcast.c */
int hyv_cmd_attach_mcast(void *arg, struct hyv_call *call);
int hyv_cmd_detach_mcast(void *arg, struct hyv_call *call);
int hyv_mcast_leave_all(struct hyv_qp *qp);

#endif /* HYV_VERBS_H */
